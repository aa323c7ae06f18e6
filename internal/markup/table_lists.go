package markup

import (
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/markup/grammar"
	"github.com/octavo-docs/octavo/internal/markup/syntax"
)

// A cell of a pipe table is one line, so a list in it is written as inline
// HTML: `a <ul><li>b</li></ul>`, sometimes without the `<ul>`.

// cellLists converts the inlines of a cell to blocks.
type cellLists struct {
	out    []*Node
	open   []*cellFrame
	run    []*Node // inlines that are not yet in a block
	failed bool
}

// cellFrame is an open list or list item.
type cellFrame struct {
	node *Node
	name string // "ul", "ol", "li", or "" for items without a list around them
}

// readLists converts the lists in the cells of a table to blocks. If a cell has
// other HTML, or tags that do not match, all cells are left unchanged. The
// reason is that a table with lists is printed as HTML, in which the other HTML
// would have another meaning.
func readLists(table *Node) {
	blocks := make([][]*Node, len(table.Fragments))
	for i, f := range table.Fragments {
		if !hasRaw(f.Nodes) {
			continue
		}
		l := &cellLists{}
		for _, n := range f.Nodes[0].Nodes {
			l.inline(n)
		}
		blocks[i] = l.done()
		if l.failed || hasRaw(blocks[i]) || f.Type != "" || strings.HasPrefix(f.Fragment, TitleFragment("")) {
			return
		}
	}
	for i, list := range blocks {
		if list != nil {
			table.Fragments[i].Nodes = list
		}
	}
}

// hasRaw reports whether nodes contain raw HTML.
func hasRaw(nodes []*Node) bool {
	return slices.ContainsFunc(nodes, func(n *Node) bool {
		return slices.ContainsFunc(n.Leaves, func(l Leaf) bool { return l.Raw }) || hasRaw(n.Nodes)
	})
}

var listTags = []string{"ul", "/ul", "ol", "/ol", "li", "/li"}

func isListTag(l Leaf) bool {
	if !l.Raw || len(l.Marks) > 0 {
		return false
	}
	e, ok := syntax.ReadElement(l.Text)
	return ok && slices.Contains(listTags, e.Name)
}

func (l *cellLists) inline(n *Node) {
	if n.Object != ObjectText {
		l.run = append(l.run, n)
		return
	}
	var leaves []Leaf
	flush := func() {
		if len(leaves) > 0 {
			l.run = append(l.run, textNode(leaves...))
			leaves = nil
		}
	}
	for _, leaf := range n.Leaves {
		if !isListTag(leaf) {
			leaves = append(leaves, leaf)
			continue
		}
		flush()
		e, _ := syntax.ReadElement(leaf.Text)
		l.tag(e)
	}
	flush()
}

// top returns the name of the innermost open frame, or "-" if none is open.
func (l *cellLists) top() string {
	if len(l.open) == 0 {
		return "-"
	}
	return l.open[len(l.open)-1].name
}

func (l *cellLists) tag(e *syntax.Element) {
	l.paragraph()
	name, closing := strings.CutPrefix(e.Name, "/")
	switch {
	case !closing && name == "li":
		if l.top() == "li" {
			l.close()
		}
		if l.top() == "-" {
			l.open = append(l.open, &cellFrame{blockNode("list-unordered", nil), ""})
		}
		l.push(&cellFrame{blockNode("list-item", nil), name})
	case !closing:
		n, ok := listOf(e)
		if top := l.top(); !ok || top != "-" && top != "li" {
			l.failed = true
			return
		}
		l.push(&cellFrame{n, name})
	default:
		if name != "li" && l.top() == "li" {
			l.close()
		}
		if l.top() != name {
			l.failed = true
			return
		}
		l.close()
	}
}

func (l *cellLists) push(f *cellFrame) {
	l.open = append(l.open, f)
	l.failed = l.failed || len(l.open) > grammar.MaxDepth
}

// close closes the innermost open frame.
func (l *cellLists) close() {
	f := l.open[len(l.open)-1]
	l.open = l.open[:len(l.open)-1]
	if f.name == "li" {
		f.node.Nodes = Filled(f.node.Nodes)
	} else if len(f.node.Nodes) == 0 {
		l.failed = true
	}
	l.add(f.node)
}

func (l *cellLists) add(n *Node) {
	if len(l.open) == 0 {
		l.out = append(l.out, n)
		return
	}
	f := l.open[len(l.open)-1]
	f.node.Nodes = append(f.node.Nodes, n)
}

// paragraph adds the inlines collected so far as a paragraph.
func (l *cellLists) paragraph() {
	run := trimInlines(l.run)
	l.run = nil
	if len(run) == 0 {
		return
	}
	switch l.top() {
	case "": // text after items without a list around them
		l.close()
	case "ul", "ol":
		l.failed = true
		return
	}
	l.add(paragraphNode(run))
}

func (l *cellLists) done() []*Node {
	l.paragraph()
	if l.top() == "li" && len(l.open) > 1 && l.open[len(l.open)-2].name == "" {
		l.close()
	}
	if l.top() == "" {
		l.close()
	}
	l.failed = l.failed || len(l.open) > 0
	return l.out
}

// trimInlines removes the spaces and line breaks at both ends of inlines.
func trimInlines(run []*Node) []*Node {
	for len(run) > 0 && run[0].Object == ObjectText {
		first := &run[0].Leaves[0]
		if first.Raw {
			break
		}
		rest := strings.TrimLeft(first.Text, " \n")
		if rest != "" {
			first.trace = first.trace.after(len(first.Text) - len(rest))
			first.Text = rest
			break
		}
		if run[0].Leaves = run[0].Leaves[1:]; len(run[0].Leaves) == 0 {
			run = run[1:]
		}
	}
	for len(run) > 0 && run[len(run)-1].Object == ObjectText {
		n := run[len(run)-1]
		last := &n.Leaves[len(n.Leaves)-1]
		if last.Raw {
			break
		}
		if last.Text = strings.TrimRight(last.Text, " \n"); last.Text != "" {
			break
		}
		if n.Leaves = n.Leaves[:len(n.Leaves)-1]; len(n.Leaves) == 0 {
			run = run[:len(run)-1]
		}
	}
	return run
}
