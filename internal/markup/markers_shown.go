package markup

import (
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/markup/grammar"
	"github.com/octavo-docs/octavo/internal/markup/syntax"
)

// rawMarker returns the raw block of a line of marks of another tool, with what
// readers see in its place.
func (c *converter) rawMarker(source string) *Node {
	n := rawNode(source)
	kept, _ := n.RawSource()
	shown := shownFor(kept, c.refs)
	if len(shown) == 0 {
		return n
	}
	n.setExtra(func(e *extras) { e.shown = shown })
	eachNode(shown, func(k *Node) {
		for _, w := range k.extra().written {
			n.addWritten(w.what, w.use, w.dest)
		}
	})
	return n
}

// shownOf returns what readers see in the place of a raw block of marks that mark
// no part of the page.
func shownOf(n *Node, source string) []*Node {
	if e := n.extra(); e.shown != nil {
		return e.shown
	}
	return shownFor(source, Refs{}) // it was not parsed
}

// shownFor returns what readers see in the place of marks: the text, the image or
// the page that they name.
func shownFor(source string, refs Refs) (nodes []*Node) {
	if refs.inMarker {
		return nil
	}
	refs.inMarker = true
	for _, m := range grammar.Markers(source) {
		if !m.Closes {
			nodes = append(nodes, markerShown(&m, refs)...)
		}
	}
	return nodes
}

func markerShown(m *grammar.Marker, refs Refs) []*Node {
	as := cleanAttributes(m.Args)
	switch m.Name {
	case "img", "image", "figure":
		return imageOfMarker(as, refs)
	case "include", "include_relative", "include_cached", "include-markdown":
		if content, ok := as.Get("content"); ok && m.Kind == '%' {
			return markerContent(m, content, refs)
		}
		return pageOfMarker(m.Args, as, refs)
	}
	return nil
}

// imageOfMarker returns the image that a shortcode such as `{{< figure >}}` shows.
func imageOfMarker(as syntax.Attributes, refs Refs) []*Node {
	src, _ := as.Get("src")
	if _, safe := SafeURL(src); !safe {
		return nil
	}
	image := blockNode("image", map[string]any{})
	image.setRef(FieldRef, refs.resolve(src, UseImage), src, UseImage)
	image.Data = as.Strings(image.Data, "alt")
	if caption, _ := as.Get("caption"); caption != "" {
		captioned(image, parse([]byte(singleLine(caption)), refs).Nodes)
	}
	return []*Node{blockNode("images", nil, image)}
}

// markerContent returns the text that a tag such as `{% include note.html content="…" %}` has.
func markerContent(m *grammar.Marker, content string, refs Refs) []*Node {
	nodes := parse([]byte(strings.ReplaceAll(content, `\n`, "\n")), refs).Nodes
	nodes = slices.DeleteFunc(nodes, func(n *Node) bool { _, raw := n.RawSource(); return raw })
	if style := grammar.MarkerStyles[m.Style()]; style != "" && len(nodes) > 0 {
		return []*Node{blockNode("hint", map[string]any{"style": style}, nodes...)}
	}
	return nodes
}

// isForeignInclude reports whether a tag is an include of Jekyll, whose file is
// written without quotes: it names a template, and no reusable content.
func isForeignInclude(t *syntax.Tag) bool {
	return t.Name == "include" && t.Args != "" && t.Args[0] != '"'
}

// pageOfMarker returns a link to the page that a tag or a shortcode includes.
func pageOfMarker(args string, as syntax.Attributes, refs Refs) []*Node {
	dest, quoted := as.Get("")
	if !quoted {
		dest, _, _ = strings.Cut(args, " ")
		dest = strings.Trim(dest, "'")
	}
	ref, ok := refs.findAny(dest, []string{dest}, UseLink, false)
	if !ok || dest == "" || !isPlace(ref) {
		return nil
	}
	n := blockNode("content-ref", map[string]any{})
	n.setRef(FieldRef, ref, dest, UseLink)
	return []*Node{n}
}

// literalMarkdown returns the inlines of a text with the marks of Markdown in its
// literal parts: `{% raw %}` protects text from the template language of other
// tools, and readers of these see what Markdown makes of it.
func literalMarkdown(text *Node) []*Node {
	var b InlineBuilder
	for _, l := range text.Leaves {
		from := 0
		if l.literals != nil {
			for _, p := range *l.literals {
				if end := p.at + len(p.text); p.at >= from && end <= len(l.Text) && l.Text[p.at:end] == p.text {
					b.Text(l.Text[from:p.at], l.Marks)
					addMarkdown(&b, p.text, l.Marks)
					from = end
				}
			}
		}
		if l.Raw {
			b.Raw(l.Text, l.Marks)
		} else {
			b.Text(l.Text[from:], l.Marks)
		}
	}
	return b.Done()
}

// addMarkdown adds a line of Markdown.
func addMarkdown(b *InlineBuilder, s string, marks []Mark) {
	const edge = "\u00a0" // nothing in the line begins a block, and the spaces at its ends are kept
	var nodes []*Node
	if strings.ContainsAny(s, "`*_~<[\\") {
		if doc := parse([]byte(edge+s+edge), Refs{}); len(doc.Nodes) == 1 && doc.Nodes[0].Type == "paragraph" {
			nodes = doc.Nodes[0].Nodes
		}
	}
	if len(nodes) == 0 || !strings.HasPrefix(firstLeaf(paragraphNode(nodes)), edge) {
		b.Text(s, marks)
		return
	}
	nodes[0].Leaves[0].Text = nodes[0].Leaves[0].Text[len(edge):]
	last := nodes[len(nodes)-1]
	if k := len(last.Leaves) - 1; k >= 0 {
		last.Leaves[k].Text = strings.TrimSuffix(last.Leaves[k].Text, edge)
	}
	for _, n := range nodes {
		if n.Object != ObjectText {
			b.Inline(n)
			continue
		}
		for _, l := range n.Leaves {
			for _, m := range marks {
				l.Marks = addMark(l.Marks, m)
			}
			if e, ok := syntax.ReadElement(l.Text); l.Raw && ok && isRawElement(strings.TrimPrefix(e.Name, "/")) {
				b.Raw(l.Text, l.Marks)
			} else {
				b.Text(l.Text, l.Marks)
			}
		}
	}
}

func isRawElement(name string) bool {
	return slices.Contains(RawInlines, name) || slices.Contains(RawBlocks, name)
}

// NothingShown reports whether all that a document has are marks of other tools
// of which readers see nothing. shown is the document as they see it.
func NothingShown(doc, shown *Document) bool {
	marked := false
	for _, n := range shown.Nodes {
		source, raw := n.RawSource()
		if !raw || strings.TrimSpace(VisibleText(source)) != "" || strings.Contains(source, "<img") {
			return false
		}
		marked = marked || len(source) > 1 && source[0] == '<' && source[1] >= 'A' && source[1] <= 'Z' // a component of MDX
	}
	for _, n := range doc.Nodes {
		source, _ := n.RawSource()
		marked = marked || slices.ContainsFunc(grammar.Markers(source), func(m grammar.Marker) bool { return !m.Closes })
	}
	return marked
}
