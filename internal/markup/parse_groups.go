package markup

import (
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/octavo-docs/octavo/internal/markup/grammar"
	"github.com/octavo-docs/octavo/internal/markup/syntax"
)

// item is a block, a tag or a text beside a tag. A tag or an element that is
// closed also holds the items inside it.
type item struct {
	node   ast.Node
	piece  *grammar.TagPiece // for a line with tags
	kids   []*item
	closed bool
	close  *grammar.TagPiece // the closing tag
	// from and to are the indexes of the first and the last block among their
	// siblings.
	from, to int
}

// opens returns the name of the tag or element that an item opens: "%hint" for
// a tag, "<div" for an element, or an empty string.
func (i *item) opens() string {
	if i.piece != nil && i.piece.Tag != nil && i.piece.Tag.Closes() == "" && !isMarkerTag(i.piece.Tag) {
		return "%" + i.piece.Tag.Name
	}
	if e, ok := i.node.(*grammar.ElementBlock); ok && e.Open {
		return "<" + e.Name
	}
	return ""
}

// closes returns the name of the tag or element that an item closes, in the
// form of opens.
func (i *item) closes() string {
	if i.piece != nil && i.piece.Tag != nil {
		if name := i.piece.Tag.Closes(); name != "" && !isMarkerTag(i.piece.Tag) {
			return "%" + name
		}
	}
	if e, ok := i.node.(*grammar.ElementBlock); ok && e.Close {
		return "<" + e.Name
	}
	return ""
}

// group assigns the children of parent to the tags and elements that enclose
// them. A closing tag closes the innermost open tag of its name. Tags that are
// still open inside it remain separate items.
func group(parent ast.Node) []*item {
	out := make([]*item, 0, parent.ChildCount())
	all := make([]item, 0, parent.ChildCount())
	var open []int              // indexes in out
	var byName map[string][]int // the indexes in open, by name
	add := func(i *item) {
		if name := i.closes(); name != "" && len(byName[name]) > 0 {
			at := byName[name][len(byName[name])-1]
			for k := len(open); k > 0 && open[k-1] >= at; k-- {
				n := out[open[k-1]].opens()
				byName[n] = byName[n][:len(byName[n])-1]
				open = open[:k-1]
			}
			whole := out[at]
			whole.kids = append([]*item(nil), out[at+1:]...)
			whole.closed, whole.close, whole.to = true, i.piece, i.to
			out = out[:at+1]
			return
		}
		if name := i.opens(); name != "" {
			open = append(open, len(out))
			if byName == nil {
				byName = map[string][]int{}
			}
			byName[name] = append(byName[name], len(out))
		}
		out = append(out, i)
	}
	at := 0
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		if t, ok := n.(*grammar.TagBlock); ok {
			for k := range t.Pieces {
				add(&item{node: n, piece: &t.Pieces[k], from: at, to: at})
			}
		} else {
			all = append(all, item{node: n, from: at, to: at})
			add(&all[len(all)-1])
		}
		at++
	}
	return out
}

// hasTags reports whether parent has children that group can assign.
func hasTags(parent ast.Node) bool {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n.(type) {
		case *grammar.TagBlock, *grammar.ElementBlock:
			return true
		}
	}
	return false
}

// convert returns the nodes of items.
func (c *converter) convert(items []*item) []*Node {
	place := len(c.open)
	for k, i := range items {
		var next ast.Node
		if k+1 < len(items) {
			next = items[k+1].node
		}
		limit := c.limitTo(next)
		c.item(i)
		c.limit = limit
	}
	return c.since(place)
}

// item adds the nodes of an item.
func (c *converter) item(i *item) {
	if c.level++; c.level > grammar.MaxDepth {
		c.tooDeep = true
		c.level--
		return
	}
	place := len(c.open)
	if i.piece != nil {
		if i.piece.Tag == nil {
			c.add(c.textBeside(i.piece.Source, c.piece(i.piece.At, len(i.piece.Source)))...)
		} else {
			c.add(c.tag(i)...)
		}
	} else if e, ok := i.node.(*grammar.ElementBlock); ok {
		c.add(c.element(e, i)...)
	} else {
		c.block(i.node)
	}
	c.level--
	if c.trace && len(c.open) == place+1 {
		start := c.blockStart(i.node)
		if i.piece != nil {
			start = i.piece.At
		}
		c.traceBlock(c.open[place], start)
	}
}

// textBeside parses the text on the line of a tag, which can only be
// paragraphs. Anything else becomes a paragraph of plain text.
func (c *converter) textBeside(source string, where places) []*Node {
	nodes := c.sub(source, where)
	for _, n := range nodes {
		if n.Type != "paragraph" {
			return []*Node{paragraphNode([]*Node{textNode(Leaf{Text: syntax.Valid(source)})})}
		}
	}
	return nodes
}

// lastNode returns the last block of an item.
func (i *item) lastNode() ast.Node {
	last := i.node
	for k := i.from; k < i.to && last.NextSibling() != nil; k++ {
		last = last.NextSibling()
	}
	return last
}

// sourceOf returns the source of an item without the prefixes of the enclosing
// blocks.
func (c *converter) sourceOf(i *item) string {
	if !i.closed {
		if i.piece != nil {
			return i.piece.Source
		}
		return string(i.node.Lines().Value(c.Source))
	}
	first, last := i.node, i.lastNode()
	from := first.Lines().At(0).Start
	to := last.Lines().At(last.Lines().Len() - 1).Stop
	if i.piece != nil {
		from = i.piece.At
	}
	if i.close != nil {
		to = i.close.End()
	}
	start := lineStart(c.Source, from)
	prefix := string(c.Source[start:from])
	var b strings.Builder
	for n, line := range strings.SplitAfter(string(c.Source[from:to]), "\n") {
		if n > 0 {
			line = cutPrefix(line, prefix)
		}
		b.WriteString(line)
	}
	return b.String()
}

// cutPrefix removes from a line the prefix of the first line of the same block:
// quote marks, and a space for each other character.
func cutPrefix(line, prefix string) string {
	for k := 0; k < len(prefix) && line != ""; k++ {
		if prefix[k] == '>' {
			rest := strings.TrimLeft(line, " \t")
			if !strings.HasPrefix(rest, ">") {
				return line
			}
			line = rest[1:]
			continue
		}
		if line[0] != ' ' && line[0] != '\t' {
			if line[0] == '>' {
				continue
			}
			return line
		}
		line = line[1:]
	}
	return line
}
