package merge

import (
	"slices"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/markup"
)

// glyph is a character of a text, or an inline without text, together with its
// marks and the inlines around it.
type glyph struct {
	text   string
	marks  []markup.Mark
	raw    bool
	node   *markup.Node   // an inline without text
	in     []*markup.Node // enclosing links and notes, the outermost first
	inside int            // how many of in also enclose the previous glyph
}

// glyphsOf appends the glyphs of inlines to list.
func glyphsOf(list []glyph, nodes []*markup.Node, in []*markup.Node) []glyph {
	for _, n := range nodes {
		switch {
		case n.Object == markup.ObjectText:
			for _, l := range n.Leaves {
				list = leafGlyphs(list, l, in)
			}
		case len(n.Nodes) == 0 || n.IsVoid():
			list = append(list, glyph{node: n, in: in})
		default:
			before := len(list)
			list = glyphsOf(list, n.Nodes, append(slices.Clone(in), n))
			if len(list) == before { // it has no text
				list = append(list, glyph{node: n, in: in})
			}
		}
	}
	return list
}

func leafGlyphs(list []glyph, l markup.Leaf, in []*markup.Node) []glyph {
	if l.Text == "" {
		return list
	}
	marks := markup.SortMarks(l.Marks)
	if l.Raw {
		return append(list, glyph{text: l.Text, raw: true, marks: marks, in: in})
	}
	for i := 0; i < len(l.Text); {
		_, n := utf8.DecodeRuneInString(l.Text[i:])
		list = append(list, glyph{text: l.Text[i : i+n], marks: marks, in: in})
		i += n
	}
	return list
}

// joinGlyphs builds inlines from glyphs of several documents. The inside count
// of each glyph is valid for the glyph before it in the list, because they, or
// equal ones, were adjacent in one of the documents. depth is the number of
// enclosing inlines that the caller builds.
func joinGlyphs(list []glyph, depth int) []*markup.Node {
	var b markup.InlineBuilder
	for i := 0; i < len(list); i++ {
		g := list[i]
		switch {
		case len(g.in) > depth:
			first := i
			for i+1 < len(list) && list[i+1].inside > depth {
				i++
			}
			around := *g.in[depth]
			around.Nodes = joinGlyphs(list[first:i+1], depth+1)
			b.Inline(&around)
		case g.node != nil:
			b.Inline(g.node)
		case g.raw:
			b.Raw(g.text, g.marks)
		default:
			b.Text(g.text, g.marks)
		}
	}
	return b.Done()
}
