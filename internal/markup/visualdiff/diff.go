package visualdiff

import (
	"html"
	"strings"

	dom "golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/octavo-docs/octavo/internal/markup/align"
)

const (
	// MaxBytes is the maximum total size of the two versions of a page.
	MaxBytes = 4 << 20
	// maxCompared is the maximum number of words that are compared to match blocks.
	// Blocks that are left after that are shown as removed and added.
	maxCompared = 2_000_000
)

// Labels are the words for the kinds of changes.
type Labels struct{ Added, Removed, Changed, Moved string }

// Options control how two pages are compared.
type Options struct {
	Labels Labels
	// From and To are the prefixes of the addresses in the links of the two versions.
	// An address below To equals the corresponding address below From.
	From, To string
	// Anchor is the prefix of the ids of changes, which are numbered from 1. If it is
	// empty, changes have no ids: several results can be on one page.
	Anchor string
}

// Result is a page with its changes marked.
type Result struct {
	HTML    string
	Changes int    // number of marks
	First   string // id of the first one; empty if there is none or ids have no Anchor
}

// HTML merges two versions of the body of a page. It returns false if they are too
// large to be compared. If both versions are safe HTML, the result is too.
func HTML(before, after string, o Options) (Result, bool) {
	if len(before)+len(after) > MaxBytes {
		return Result{}, false
	}
	old, err := parse(before)
	if err != nil {
		return Result{}, false
	}
	now, err := parse(after)
	if err != nil {
		return Result{}, false
	}
	d := &differ{o: o, left: maxCompared, keys: map[*dom.Node]string{}, bags: map[*dom.Node]bag{}}
	var b strings.Builder
	for _, n := range d.list(old, now) {
		if err := dom.Render(&b, n); err != nil {
			return Result{}, false
		}
		b.WriteByte('\n')
	}
	return Result{HTML: b.String(), Changes: d.changes, First: d.first}, true
}

// Text compares two lines of plain text word by word, and returns HTML in which the
// differences are marked.
func Text(before, after string) string {
	var b strings.Builder
	for _, w := range align.DiffWords(before, after) {
		text := html.EscapeString(w.Text)
		switch w.Op {
		case align.WordInsert:
			text = "<ins>" + text + "</ins>"
		case align.WordDelete:
			text = "<del>" + text + "</del>"
		}
		b.WriteString(text)
	}
	return b.String()
}

// parse parses the body of a page.
func parse(s string) ([]*dom.Node, error) {
	nodes, err := dom.ParseFragment(strings.NewReader(s), &dom.Node{Type: dom.ElementNode, Data: "body", DataAtom: atom.Body})
	for _, n := range nodes {
		n.Parent, n.PrevSibling, n.NextSibling = nil, nil, nil
	}
	return blocks(nodes), err
}

// differ compares two pages. It does not modify their nodes: marked nodes are copies.
type differ struct {
	o       Options
	changes int
	first   string // id of the first change
	left    int    // number of words that may still be compared
	keys    map[*dom.Node]string
	bags    map[*dom.Node]bag
}

// list merges the nodes of two versions of a container.
func (d *differ) list(old, now []*dom.Node) (out []*dom.Node) {
	pairs := d.align(old, now)
	moved := d.moved(pairs)
	for _, p := range pairs {
		switch {
		case p.before != nil && p.after != nil:
			out = append(out, d.merge(p.before, p.after)...)
		case p.after == nil && moved[p.before]:
		case p.after == nil:
			out = d.append(out, removed, p.before)
		case moved[p.after]:
			out = d.append(out, moves, p.after)
		default:
			out = d.append(out, added, p.after)
		}
	}
	return out
}

// append adds a marked node to a list. Consecutive blocks with the same kind of change
// share a mark.
func (d *differ) append(list []*dom.Node, k kind, n *dom.Node) []*dom.Node {
	if len(list) > 0 && !isPart(n) && blockElements[n.DataAtom] {
		if last := list[len(list)-1]; hasClass(last, k.class()) && !isPart(last) {
			more := copyOf(n)
			if k == removed {
				withoutNames(more)
			}
			adopt(last, more)
			return list
		}
	}
	return append(list, d.mark(k, n))
}

// merge returns two versions of a node as one node, or both nodes if their contents
// cannot be compared.
func (d *differ) merge(a, b *dom.Node) []*dom.Node {
	switch {
	case d.key(a) == d.key(b):
		return []*dom.Node{copyOf(b)}
	case a.Type == dom.TextNode && b.Type == dom.TextNode:
		return d.inline([]*dom.Node{a}, []*dom.Node{b}, false)
	case isIcon(a) && isIcon(b):
		return []*dom.Node{copyOf(b)} // the block of the icon is marked
	case isAtom(b) || a.Type != b.Type:
		return []*dom.Node{d.mark(removed, a), d.mark(added, b)}
	case b.DataAtom == atom.Table:
		return []*dom.Node{d.table(a, b)}
	}
	out := shallow(b)
	switch {
	case isCode(b):
		d.code(out, a, b)
	case hasBlocks(a) || hasBlocks(b):
		adopt(out, d.list(blocks(children(a)), blocks(children(b)))...)
	default:
		adopt(out, d.inline(children(a), children(b), false)...)
	}
	d.open(out)
	if d.attributes(a) != d.attributes(b) || d.icon(a) != d.icon(b) {
		d.note(out, edited)
	}
	return []*dom.Node{out}
}

// open expands an element that is closed or truncated at first, because it contains
// changes.
func (d *differ) open(n *dom.Node) {
	if n.DataAtom == atom.Details && attr(n, "open") == "" {
		n.Attr = append(n.Attr, dom.Attribute{Key: "open"})
	}
	removeClass(n, "collapsible")
}

// code merges two versions of the lines of a code block.
func (d *differ) code(out, a, b *dom.Node) {
	for _, p := range d.align(lines(a), lines(b)) {
		var n *dom.Node
		switch {
		case p.after == nil:
			n = d.mark(removed, p.before)
		case p.before == nil:
			n = d.mark(added, p.after)
		case d.key(p.before) == d.key(p.after):
			n = copyOf(p.after)
		default:
			n = shallow(p.after)
			adopt(n, d.inline(children(p.before), children(p.after), true)...)
			addClass(n, "diff-line")
		}
		adopt(out, n, &dom.Node{Type: dom.TextNode, Data: "\n"})
	}
}
