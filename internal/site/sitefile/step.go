package sitefile

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
)

// Ref is the ID of an object on the server, or a placeholder for an object that an
// earlier call of the plan creates. The response to that call contains the ID.
type Ref string

const newPrefix = "new:"

// New reports whether the Ref is a placeholder for an object that the plan creates.
func (r Ref) New() bool { return strings.HasPrefix(string(r), newPrefix) }

// Step is one change of a site.
type Step struct {
	Sign  Sign
	Text  string
	Calls []Call // in the order in which they are sent
	Undo  *Call  // sent if a call after the first one fails
}

// Sign is the kind of a change.
type Sign byte

// Kinds of changes.
const (
	Add    Sign = '+'
	Change Sign = '~'
	Delete Sign = '-'
)

// String returns the step for display: the sign, followed by the text.
func (s Step) String() string { return string(s.Sign) + " " + s.Text }

// Call is one request to the API. Every Ref in the path and in the body is replaced with
// an ID.
type Call struct {
	Method string
	Path   []Ref // path elements below the organization
	Body   map[string]any
	// Bind maps paths in the response, such as id or siteSpaces.0.id, to the Refs whose
	// IDs they contain.
	Bind map[string]Ref
}

// fields collects the differences between the current and the wanted values of an object.
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

// clearable is like set, but for a text that null removes.
func (f *fields) clearable(key, old, wanted string) {
	var value any = wanted
	if wanted == "" {
		value = nil
	}
	f.set(key, key, value, old, wanted)
}

// flag is set for a switch.
func (f *fields) flag(key string, old, wanted bool) {
	f.set(key, key, wanted, strconv.FormatBool(old), strconv.FormatBool(wanted))
}

// localized is set for texts by language.
func (f *fields) localized(key string, old, wanted docs.Localized) {
	texts := wanted.Texts()
	if texts == nil {
		texts = map[string]string{}
	}
	f.set(key, key, texts, string(old), string(wanted))
}

func (f *fields) String() string { return strings.Join(f.text, ", ") }

func shown(s string) string {
	if s == "" {
		return "none"
	}
	return fmt.Sprintf("%q", s)
}

// node is an item of the site in the state after the steps that are planned so far.
type node struct {
	Item
	parent   *node
	children []*node
	matched  bool  // an item of the file matches it
	def      *node // default variant of a section or a site; in the root also the default section
	unknown  bool  // the default variant is not visible to the caller
}

// graft adds items to a parent as nodes.
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

// site returns the root of the tree.
func (n *node) site() *node {
	for n.parent != nil {
		n = n.parent
	}
	return n
}

// all returns the descendants of a kind, in order.
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

// index returns the position of n among its siblings.
func (n *node) index() int {
	for i, c := range n.parent.children {
		if c == n {
			return i
		}
	}
	return -1
}

// remove removes n from the tree.
func (n *node) remove() {
	i := n.index()
	n.parent.children = append(n.parent.children[:i:i], n.parent.children[i+1:]...)
	n.parent = nil
}

// insert adds n to a parent at a position.
func (n *node) insert(parent *node, at int) {
	n.parent = parent
	rest := append([]*node{n}, parent.children[at:]...)
	parent.children = append(parent.children[:at:at], rest...)
}

// label returns the description of an item for display.
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
