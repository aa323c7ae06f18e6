package visualdiff

import (
	"crypto/sha256"
	"slices"
	"strings"

	dom "golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// blockElements are the elements that are laid out as blocks, not inline.
var blockElements = map[atom.Atom]bool{
	atom.P: true, atom.Ul: true, atom.Ol: true, atom.Li: true, atom.Table: true, atom.Thead: true, atom.Tbody: true, atom.Tfoot: true, atom.Tr: true, atom.Td: true, atom.Th: true,
	atom.Div: true, atom.Section: true, atom.Figure: true, atom.Figcaption: true, atom.Pre: true, atom.Blockquote: true, atom.Hr: true, atom.Aside: true,
	atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true, atom.Details: true, atom.Summary: true, atom.Article: true, atom.Header: true,
	atom.Dl: true, atom.Dt: true, atom.Dd: true, atom.Picture: true,
}

// atoms are the elements whose content is not compared.
var atoms = map[atom.Atom]bool{
	atom.Img: true, atom.Svg: true, atom.Math: true, atom.Picture: true, atom.Video: true, atom.Audio: true, atom.Iframe: true, atom.Input: true,
	atom.Hr: true, atom.Br: true, atom.Button: true, atom.Colgroup: true,
}

func isAtom(n *dom.Node) bool {
	return n.Type == dom.ElementNode && (atoms[n.DataAtom] || hasClass(n, "math") || hasClass(n, "diagram") || hasClass(n, "integration"))
}

// isIcon reports whether a node is the icon of its parent block.
func isIcon(n *dom.Node) bool {
	return n.DataAtom == atom.Svg && hasClass(n, "icon") && n.Parent != nil && hasBlocks(n.Parent)
}

// icon returns the key of the icon of a block, or an empty string.
func (d *differ) icon(n *dom.Node) string {
	for c := range n.ChildNodes() {
		if isIcon(c) {
			return d.key(c)
		}
	}
	return ""
}

// isAnchor reports whether a node is not part of the text: a permalink, a back link, or
// a named anchor.
func isAnchor(n *dom.Node) bool {
	return n.DataAtom == atom.A && (hasClass(n, "anchor") || hasClass(n, "back") || n.FirstChild == nil && attr(n, "href") == "")
}

// isCode reports whether a node contains the lines of a code block.
func isCode(n *dom.Node) bool {
	return n.DataAtom == atom.Code && len(lines(n)) > 0
}

func lines(n *dom.Node) (out []*dom.Node) {
	for c := range n.ChildNodes() {
		if hasClass(c, "line") {
			out = append(out, c)
		}
	}
	return out
}

func hasBlocks(n *dom.Node) bool {
	for c := range n.ChildNodes() {
		if c.Type == dom.ElementNode && (blockElements[c.DataAtom] || isCode(c)) {
			return true
		}
	}
	return false
}

func children(n *dom.Node) []*dom.Node { return slices.Collect(n.ChildNodes()) }

// blocks returns nodes without the white space between blocks.
func blocks(nodes []*dom.Node) (out []*dom.Node) {
	for _, n := range nodes {
		if n.Type == dom.ElementNode || n.Type == dom.TextNode && strings.TrimSpace(n.Data) != "" {
			out = append(out, n)
		}
	}
	return out
}

// key returns a hash of everything in a node that a reader sees. Two nodes with the
// same key look the same and have the same link targets.
func (d *differ) key(n *dom.Node) string {
	if n.Type == dom.TextNode {
		return "text " + n.Data
	}
	if k, ok := d.keys[n]; ok {
		return k
	}
	h := sha256.New()
	h.Write([]byte(d.attributes(n)))
	for c := range n.ChildNodes() {
		if c.Type == dom.TextNode || c.Type == dom.ElementNode && !isAnchor(c) {
			h.Write([]byte("\x00" + d.key(c)))
		}
	}
	k := string(h.Sum(nil))
	d.keys[n] = k
	return k
}

// attributes returns the name and attributes of an element. It excludes ids, which are
// not visible, and the numbers of notes, which depend on their position.
func (d *differ) attributes(n *dom.Node) string {
	var b strings.Builder
	b.WriteString(n.Data)
	for _, a := range n.Attr {
		switch {
		case a.Key == "id", a.Key == "href" && hasClass(n, "annotation"), a.Key == "aria-label" && hasClass(n, "tab"):
			continue
		}
		b.WriteString("\x00" + a.Key + "\x01" + d.address(a.Val))
	}
	return b.String()
}

// address converts an address to the form that it has in the older version of the page.
func (d *differ) address(s string) string {
	if d.o.To != "" && strings.HasPrefix(s, d.o.To) {
		return d.o.From + s[len(d.o.To):]
	}
	return s
}

// textOf returns the text of a node.
func textOf(n *dom.Node) string {
	var b strings.Builder
	var walk func(*dom.Node)
	walk = func(n *dom.Node) {
		if n.Type == dom.TextNode {
			b.WriteString(n.Data)
			return
		}
		for c := range n.ChildNodes() {
			walk(c)
		}
		if blockElements[n.DataAtom] {
			b.WriteByte('\n')
		}
	}
	walk(n)
	return b.String()
}

func attr(n *dom.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func hasClass(n *dom.Node, class string) bool {
	return n.Type == dom.ElementNode && slices.Contains(strings.Fields(attr(n, "class")), class)
}

// firstClass returns the class that defines the type of an element.
func firstClass(n *dom.Node) string {
	first, _, _ := strings.Cut(attr(n, "class"), " ")
	if strings.HasPrefix(first, "align-") || strings.HasPrefix(first, "width-") {
		return ""
	}
	return first
}

func setAttr(n *dom.Node, name, value string) {
	for i, a := range n.Attr {
		if a.Key == name {
			n.Attr[i].Val = value
			return
		}
	}
	n.Attr = append(n.Attr, dom.Attribute{Key: name, Val: value})
}

func addClass(n *dom.Node, class string) {
	setAttr(n, "class", strings.TrimSpace(attr(n, "class")+" "+class))
}

func removeClass(n *dom.Node, class string) {
	if hasClass(n, class) {
		setAttr(n, "class", strings.Join(slices.DeleteFunc(strings.Fields(attr(n, "class")), func(c string) bool { return c == class }), " "))
	}
}

// shallow returns a copy of an element without its children.
func shallow(n *dom.Node) *dom.Node {
	return &dom.Node{Type: n.Type, Data: n.Data, DataAtom: n.DataAtom, Namespace: n.Namespace, Attr: slices.Clone(n.Attr)}
}

// copyOf returns a copy of a node with its descendants.
func copyOf(n *dom.Node) *dom.Node {
	out := shallow(n)
	for c := range n.ChildNodes() {
		out.AppendChild(copyOf(c))
	}
	return out
}

func adopt(parent *dom.Node, nodes ...*dom.Node) {
	for _, n := range nodes {
		parent.AppendChild(n)
	}
}

func element(tag atom.Atom, class string, nodes ...*dom.Node) *dom.Node {
	n := &dom.Node{Type: dom.ElementNode, Data: tag.String(), DataAtom: tag}
	if class != "" {
		setAttr(n, "class", class)
	}
	adopt(n, nodes...)
	return n
}
