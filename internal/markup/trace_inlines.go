package markup

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"github.com/octavo-docs/octavo/internal/markup/grammar"
)

// traceInline records the source span of an inline from the grammar, if it is
// known.
func (c *converter) traceInline(n *Node, from ast.Node) {
	if !c.traced() {
		return
	}
	start, end := inlineStart(from), c.inlineEnd(from)
	if a, ok := from.(*ast.AutoLink); ok {
		start, end = c.addressSpan(a)
	}
	if start < 0 || end <= start {
		return
	}
	if s, e := c.offset(start), c.offset(end); s >= 0 && e == s+end-start {
		n.span = Span{s, e}
	}
}

// traceAtom records the source span of the inline that an atom became. before is
// how many nodes there were without it.
func (c *converter) traceAtom(b *InlineBuilder, before int, from *grammar.Atom) {
	if !c.traced() || from.Place.End == 0 || len(b.nodes) == before {
		return
	}
	n := b.nodes[len(b.nodes)-1]
	start := c.offset(from.Place.Start)
	if end := start + from.Place.End - from.Place.Start; n.Object == ObjectInline && n.IsVoid() && start >= 0 && c.offset(from.Place.End) == end {
		n.span = Span{start, end}
	}
}

func inlineStart(n ast.Node) int {
	if t, ok := n.(*ast.Text); ok {
		return t.Segment.Start
	}
	return n.Pos()
}

// inlineEnd returns the offset where an inline ends: the start of the next one
// or the end of its parent. It returns -1 if that is not known.
func (c *converter) inlineEnd(n ast.Node) int {
	if next := n.NextSibling(); next != nil {
		return inlineStart(next)
	}
	switch p := n.Parent().(type) {
	case *ast.Emphasis:
		if end := c.inlineEnd(p); end >= 0 {
			return end - p.Level
		}
		return -1
	case *ast.Paragraph, *ast.TextBlock, *ast.Heading, *extast.TableCell:
		lines := p.Lines()
		if lines.Len() == 0 {
			return -1
		}
		l := lines.At(lines.Len() - 1)
		return l.Start + len(strings.TrimRight(c.text[l.Start:l.Stop], " \t\r\n"))
	}
	return -1
}

// traceTitle records where the title of an image is written.
func (c *converter) traceTitle(l *Leaf, n *ast.Image) {
	start, end := inlineStart(n), c.inlineEnd(n)
	if !c.traced() || c.inner || start < 0 || end > len(c.text) || end <= start || n.Reference != nil {
		return
	}
	if at := strings.LastIndex(c.text[start:end], l.Text); at >= 0 {
		at += start
		l.trace = &trace{parts: []stretch{{0, len(l.Text), at, at + len(l.Text)}}}
	}
}

// addressSpan returns the source span of an address that is a link.
func (c *converter) addressSpan(n *ast.AutoLink) (start, end int) {
	label := string(n.Label(c.Source))
	for _, start := range []int{n.Pos(), n.Pos() + 1, n.Pos() - 5, n.Pos() - 4, n.Pos() - 3} { // the parser records the position of the colon, or of the space before the address
		if start >= 0 && start < len(c.text) && strings.HasPrefix(c.text[start:], label) {
			end := start + len(label)
			if start > 0 && c.text[start-1] == '<' && strings.HasPrefix(c.text[end:], ">") {
				return start - 1, end + 1
			}
			return start, end
		}
	}
	return -1, -1
}
