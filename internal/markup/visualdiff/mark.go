package visualdiff

import (
	"strconv"

	dom "golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// kind is the kind of change of a node.
type kind int

const (
	added kind = iota
	removed
	moves
	edited
)

// class returns the class of marked elements.
func (k kind) class() string {
	return [...]string{added: "diff-added", removed: "diff-removed", moves: "diff-moved", edited: "diff-edited"}[k]
}

func (k kind) label(l Labels) string {
	return [...]string{added: l.Added, removed: l.Removed, moves: l.Moved, edited: l.Changed}[k]
}

// parts are the elements that are allowed only in certain parents, so they cannot be
// wrapped.
var parts = map[atom.Atom]bool{
	atom.Li: true, atom.Tr: true, atom.Td: true, atom.Th: true, atom.Thead: true, atom.Tbody: true, atom.Tfoot: true, atom.Summary: true, atom.Figcaption: true, atom.Dt: true, atom.Dd: true,
}

func isPart(n *dom.Node) bool {
	return parts[n.DataAtom] || hasClass(n, "line") || hasClass(n, "tab") || hasClass(n, "column") || hasClass(n, "card-field")
}

// mark returns a copy of a node that is marked with its kind of change.
func (d *differ) mark(k kind, n *dom.Node) *dom.Node {
	out := copyOf(n)
	if k == removed {
		withoutNames(out)
	}
	if isPart(out) {
		d.note(out, k)
		return out
	}
	tag := atom.Ins
	switch {
	case k == removed:
		tag = atom.Del
	case k == moves:
		tag = atom.Div
	}
	box := element(tag, "", out)
	if n.Type == dom.TextNode || !blockElements[n.DataAtom] {
		d.count(box)
		return box
	}
	d.note(box, k)
	return box
}

// note marks an element itself. It adds the label for screen readers.
func (d *differ) note(n *dom.Node, k kind) {
	addClass(n, k.class())
	d.count(n)
	at := n
	for at.DataAtom == atom.Tr || at.DataAtom == atom.Thead || at.DataAtom == atom.Tbody || at.DataAtom == atom.Table || at.DataAtom == atom.Ul || at.DataAtom == atom.Ol {
		first := blocks(children(at))
		if len(first) == 0 {
			return
		}
		at = first[0]
		if at.DataAtom == atom.Colgroup && len(first) > 1 {
			at = first[1]
		}
	}
	if isAtom(at) {
		return
	}
	at.InsertBefore(element(atom.Span, "visually-hidden", &dom.Node{Type: dom.TextNode, Data: k.label(d.o.Labels) + ": "}), at.FirstChild)
}

// count counts a change, and sets the id of its element if it has none.
func (d *differ) count(n *dom.Node) {
	d.changes++
	if d.o.Anchor == "" {
		return
	}
	if attr(n, "id") == "" {
		setAttr(n, "id", d.o.Anchor+strconv.Itoa(d.changes))
	}
	if d.changes == 1 {
		d.first = attr(n, "id")
	}
}

// withoutNames removes the ids and anchors of a removed node, which the new version of
// the page may also have, and the links to notes.
func withoutNames(n *dom.Node) {
	kept := n.Attr[:0]
	for _, a := range n.Attr {
		if a.Key != "id" && (a.Key != "href" || !hasClass(n, "annotation")) {
			kept = append(kept, a)
		}
	}
	n.Attr = kept
	for _, c := range children(n) {
		if isAnchor(c) {
			n.RemoveChild(c)
			continue
		}
		withoutNames(c)
	}
}
