package sitefile

import (
	"fmt"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
)

// Ref is the id of something on a server, or a name for something that an
// earlier call of the plan makes: the answer to that call has the id.
type Ref string

const newPrefix = "new:"

// New reports whether the id is known only after the call that makes the thing.
func (r Ref) New() bool { return strings.HasPrefix(string(r), newPrefix) }

// Step is one change of a site.
type Step struct {
	Sign  Sign
	Text  string
	Calls []Call // in their order
	Undo  *Call  // sent if a call after the first one fails
}

// Sign says what kind of change a step is.
type Sign byte

// Kinds of changes.
const (
	Add    Sign = '+'
	Change Sign = '~'
	Delete Sign = '-'
)

// String returns the step as people read it: a sign before each line.
func (s Step) String() string { return string(s.Sign) + " " + s.Text }

// Call is one request to the API. Parts of the path and values of the body that
// are a Ref become an id.
type Call struct {
	Method string
	Path   []Ref // parts below the organization
	Body   map[string]any
	// Bind says where the answer has ids: keys are paths such as id or
	// siteSpaces.0.id.
	Bind map[string]Ref
}

// fields collects the differences between what there is and what is wanted.
type fields struct {
	body map[string]any
	text []string
}

func (f *fields) set(key, label string, value any, old, wanted string) {
	if old == wanted {
		return
	}
	if f.body == nil {
		f.body = map[string]any{}
	}
	f.body[key] = value
	f.text = append(f.text, fmt.Sprintf("%s %s → %s", label, shown(old), shown(wanted)))
}

// clearable is set for a text that null removes.
func (f *fields) clearable(key, old, wanted string) {
	var value any = wanted
	if wanted == "" {
		value = nil
	}
	f.set(key, key, value, old, wanted)
}

func (f *fields) String() string { return strings.Join(f.text, ", ") }

func shown(s string) string {
	if s == "" {
		return "none"
	}
	return fmt.Sprintf("%q", s)
}

// node is an item of the site as it is after the steps that were planned so far.
type node struct {
	Item
	parent   *node
	children []*node
	matched  bool  // an item of the file describes it
	def      *node // default among its variants; of the site: also among its sections
	unknown  bool  // the caller cannot see which variant is the default
}

// graft makes nodes of items.
func graft(parent *node, items []*Item) {
	for _, it := range items {
		n := &node{Item: *it, parent: parent}
		n.Items = nil
		parent.children = append(parent.children, n)
		graft(n, it.Items)
		if it.Default && it.Kind == docs.SiteSpace {
			parent.def = n
		}
		if it.Default && it.Kind == docs.SiteSection {
			n.site().def = n
		}
	}
	parent.unknown = parent.def == nil && len(items) > 0 && !sectioned(items)
}

// site returns the root.
func (n *node) site() *node {
	for n.parent != nil {
		n = n.parent
	}
	return n
}

// all returns the nodes of a kind below n, in order.
func (n *node) all(kind docs.SiteItemKind) []*node {
	var out []*node
	for _, c := range n.children {
		if c.Kind == kind {
			out = append(out, c)
		}
		out = append(out, c.all(kind)...)
	}
	return out
}

// index returns the place of n among its siblings.
func (n *node) index() int {
	for i, c := range n.parent.children {
		if c == n {
			return i
		}
	}
	return -1
}

// remove takes n out of the tree.
func (n *node) remove() {
	i := n.index()
	n.parent.children = append(n.parent.children[:i:i], n.parent.children[i+1:]...)
	n.parent = nil
}

// insert puts n into a parent.
func (n *node) insert(parent *node, at int) {
	n.parent = parent
	rest := append([]*node{n}, parent.children[at:]...)
	parent.children = append(parent.children[:at:at], rest...)
}

// label names an item for people.
func (n *node) label() string {
	switch n.Kind {
	case docs.SiteGroup:
		return fmt.Sprintf("group %q", n.Title)
	case docs.SiteSection:
		return "section " + n.Path
	}
	if n.parent != nil && n.parent.Kind == docs.SiteSection {
		return "variant " + n.parent.Path + "/" + n.Path
	}
	return "variant " + n.Path
}
