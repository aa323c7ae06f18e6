package markup

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"github.com/octavo-docs/octavo/internal/markup/grammar"
)

// tableTrace holds the positions of the parts of a table in the source.
type tableTrace struct {
	titles map[string]*Node // titles of the columns as paragraphs
	rows   []Span
}

// blockStart returns the offset where a block begins in its line.
func (c *converter) blockStart(n ast.Node) int {
	switch n := n.(type) {
	case *extast.Table:
		at := firstOffset(n)
		start := len(strings.TrimRight(c.text[:at], " \t|"))
		return start + len(c.text[start:at]) - len(strings.TrimLeft(c.text[start:at], " \t"))
	case *ast.Paragraph, *ast.TextBlock, *ast.HTMLBlock, *grammar.RawBlock, *grammar.TagBlock, *grammar.ElementBlock:
		if n.Lines().Len() > 0 {
			at := n.Lines().At(0).Start
			if _, task := n.FirstChild().(*extast.TaskCheckBox); task {
				at += len("[ ]")
			}
			return at + len(c.text[at:]) - len(strings.TrimLeft(c.text[at:], " \t"))
		}
	}
	return max(n.Pos(), 0)
}

// limitTo limits the extent of nested blocks to the start of next, if it is not
// nil. It returns the previous limit.
func (c *converter) limitTo(next ast.Node) (before int) {
	before = c.limit
	if c.trace && next != nil {
		if at := lineStart(c.Source, c.blockStart(next)); at > 0 && at < before {
			c.limit = at
		}
	}
	return before
}

// traceBlock records the source span of a node that was converted from a block.
func (c *converter) traceBlock(n *Node, start int) {
	if !c.traced() || c.inner || start < 0 || c.limit > len(c.text) || start >= c.limit {
		return
	}
	s := c.text[start:c.limit]
	for {
		k := strings.LastIndexByte(s, '\n')
		if k < 0 || strings.TrimLeft(s[k:], " \t>\r\n") != "" {
			break
		}
		s = s[:k] // a blank line, possibly in a quote
	}
	n.span = Span{start, start + len(strings.TrimRight(s, " \t\r\n"))}
}

// rowSpan returns the source span of a row in a pipe table.
func (c *converter) rowSpan(row ast.Node) Span {
	for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
		if cell.Lines().Len() == 0 {
			continue
		}
		at := cell.Lines().At(0).Start
		start := at - len(c.text[:at]) + len(strings.TrimRight(c.text[:at], " \t|"))
		start = max(start, lineStart(c.Source, at))
		start += len(c.text[start:at]) - len(strings.TrimLeft(c.text[start:at], " \t>"))
		end := c.lineEnd(at)
		return Span{start, start + len(strings.TrimRight(c.text[start:end], " \t\r\n"))}
	}
	return Span{}
}
