package markup

import (
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/markup/grammar"
	"github.com/octavo-docs/octavo/internal/markup/syntax"
)

// inlines returns the nodes of a run of HTML, without white space at its edges.
func (h *htmlReader) inlines(run []*syntax.Element) []*Node {
	b := h.c.builder()
	h.run(b, run, nil, true)
	nodes := h.c.take(b)
	trimEdge(nodes)
	for _, n := range nodes {
		restoreSpaces(n)
	}
	return slices.DeleteFunc(nodes, func(n *Node) bool { return n.Object == ObjectText && len(n.Leaves) == 0 })
}

// trimEdge removes the space at the end of inlines.
func trimEdge(nodes []*Node) {
	if len(nodes) == 0 || nodes[len(nodes)-1].Object != ObjectText {
		return
	}
	n := nodes[len(nodes)-1]
	if k := len(n.Leaves); k > 0 && !n.Leaves[k-1].Raw {
		l := &n.Leaves[k-1]
		l.Text = strings.TrimSuffix(l.Text, " ")
		if l.Text == "" {
			n.Leaves = n.Leaves[:k-1]
		}
	}
}

// restoreSpaces is syntax.RestoreSpace for the texts of a node and its descendants.
func restoreSpaces(n *Node) {
	for i := range n.Leaves {
		n.Leaves[i].Text = syntax.RestoreSpace(n.Leaves[i].Text)
	}
	for _, k := range n.Nodes {
		restoreSpaces(k)
	}
}

// run adds a run of HTML to the builder. A space is dropped at the start of a
// block and after a space or a line break.
func (h *htmlReader) run(b *InlineBuilder, run []*syntax.Element, marks []Mark, start bool) {
	for _, e := range run {
		if e.Name == "" {
			text := e.Text
			if strings.HasPrefix(text, " ") && b.afterSpace(start) {
				text = text[1:]
			}
			b.Text(text, marks)
			h.traceElement(b, e, len(text))
			continue
		}
		h.inline(b, e, marks, start)
	}
}

// traceElement records the source position of the last n bytes of the text of an
// element, which were just added. The bytes before them were dropped.
func (h *htmlReader) traceElement(b *InlineBuilder, e *syntax.Element, n int) {
	if h.where == nil || n == 0 {
		return
	}
	parts := htmlParts(h.source[e.Start:e.End], h.where.after(e.Start), len(e.Text))
	t := (&trace{parts: parts}).after(len(e.Text) - n)
	b.traceText(n, t.parts, true)
}

// afterSpace reports whether the last added text ends with a space or a line
// break, or whether nothing was added at the start of a block.
func (b *InlineBuilder) afterSpace(start bool) bool {
	if t := b.lastText(); len(t) > 0 {
		return t[len(t)-1] == ' ' || t[len(t)-1] == '\n'
	}
	if len(b.leaves) > 0 {
		return false
	}
	return start && len(b.nodes) == 0
}

func (h *htmlReader) inline(b *InlineBuilder, e *syntax.Element, marks []Mark, start bool) {
	if m, ok := markOf(e); ok && len(e.Kids) > 0 {
		h.run(b, e.Kids, addMark(marks, m), start)
		return
	}
	if h.c.addKnownElement(b, e, marks, h) {
		return
	}
	if h.strict {
		h.failed = true
		return
	}
	h.rawRun(b, e, marks)
}

// rawRun keeps the tags of an element as raw HTML and converts its content. It
// fails if a tag could not be written in Markdown.
func (h *htmlReader) rawRun(b *InlineBuilder, e *syntax.Element, marks []Mark) {
	if e.Name == "!" || len(e.Kids) == 0 {
		h.raw(b, h.source[e.Start:e.End], marks)
		return
	}
	h.raw(b, h.source[e.Start:e.OpenEnd], marks)
	h.run(b, e.Kids, marks, false)
	h.raw(b, h.source[e.CloseStart:e.End], marks)
}

func (h *htmlReader) raw(b *InlineBuilder, s string, marks []Mark) {
	if !isRawInline(strings.ReplaceAll(cleanLines(s), "\n", " ")) {
		h.failed = true
		return
	}
	b.Raw(s, marks)
}

// inlineElement adds an HTML element of a Markdown text.
func (c *converter) inlineElement(b *InlineBuilder, e *syntax.Element, source string, marks []Mark) {
	if !c.addKnownElement(b, e, marks, &htmlReader{c: c, source: source}) {
		b.Raw(source[e.Start:e.End], marks)
	}
}

// addKnownElement adds the inline that an element represents. It returns false if the
// element does not represent one.
func (c *converter) addKnownElement(b *InlineBuilder, e *syntax.Element, marks []Mark, h *htmlReader) bool {
	class := strings.Fields(e.Attr("class"))
	switch e.Name {
	case "br":
		if len(e.Attrs) > 0 {
			return false
		}
		b.Text("\n", marks)
		return true
	case "img":
		if !e.Has("src") || slices.Contains(class, "gitbook-drawing") {
			return false
		}
		b.Inline(c.imgInline(e, ""))
		return true
	case "picture":
		img, dark, ok := pictureParts(e)
		if ok {
			b.Inline(c.imgInline(img, dark))
		}
		return ok
	case "button":
		return slices.Contains(class, "button") && c.button(b, e, class)
	case "a":
		switch {
		case slices.Contains(class, "button"):
			return c.button(b, e, class)
		case e.Has("data-footnote-ref"):
			return c.footnoteLink(b, e, marks, h)
		case e.Has("data-mention") && e.Has("href"):
			m := inlineNode("mention", map[string]any{})
			dest := syntax.Valid(e.Attr("href"))
			m.setRef(FieldRef, c.resolve(dest, UseLink), dest, UseLink)
			b.Inline(m)
			return true
		case e.Has("href") && e.Only("href", "title"):
			inner := InlineBuilder{}
			h.run(&inner, e.Kids, marks, false)
			c.addLink(b, syntax.Valid(e.Attr("href")), syntax.Valid(e.Attr("title")), inner.Done())
			return true
		}
	case "code":
		if slices.Contains(class, "expression") && e.Only("class") {
			b.Inline(inlineNode("expression", map[string]any{"expression": verbatim(e, h.source)}))
			return true
		}
	case "i":
		return c.icon(b, e)
	case "span":
		return c.spanInline(b, e, class, h.source)
	}
	return false
}

func (c *converter) icon(b *InlineBuilder, e *syntax.Element) bool {
	icon := grammar.IconOf(e)
	if icon == "" || !e.Only("class", "style") || !slices.Contains([]string{"", ":" + icon + ":"}, strings.TrimSpace(e.Plain())) {
		return false
	}
	data := map[string]any{"icon": icon}
	if style := e.Attr("style"); style != "" {
		color := styleOf(style, "color")
		if !slices.Contains(Colours, color) {
			return false
		}
		data["color"] = color
	}
	b.Inline(inlineNode("icon", data))
	return true
}

// verbatim returns the text of an element with all its white space.
func verbatim(e *syntax.Element, source string) string {
	return syntax.DecodeHTML(source[e.OpenEnd:e.CloseStart], false)
}

func (c *converter) spanInline(b *InlineBuilder, e *syntax.Element, class []string, source string) bool {
	switch {
	case e.Has("data-gb-custom-inline") && e.Attr("data-tag") == "emoji" && e.Attr("data-code") != "":
		b.Inline(inlineNode("emoji", map[string]any{"code": syntax.Valid(e.Attr("data-code"))}))
		return true
	case slices.Contains(class, "math") && e.Only("class"):
		b.Inline(inlineNode("inline-math", map[string]any{"formula": oneLineFormula(verbatim(e, source))}))
		return true
	}
	return false
}

// imgInline returns an inline image.
func (c *converter) imgInline(e *syntax.Element, dark string) *Node {
	n := inlineNode("inline-image", map[string]any{"size": "original"})
	if e.Attr("data-size") == "line" {
		n.set(FieldSize, "line")
	}
	src := syntax.Valid(e.Attr("src"))
	n.setRef(FieldRef, c.resolve(src, UseImage), src, UseImage)
	if dark != "" {
		n.setRef(FieldRefDark, c.resolve(dark, UseImage), dark, UseImage)
	}
	if alt := syntax.Valid(e.Attr("alt")); alt != "" {
		n.set(FieldAlt, alt)
	}
	if title := syntax.Valid(e.Attr("title")); title != "" {
		n.set(FieldCaption, title)
	}
	return n
}

// pictureParts returns the image of a `<picture>` and the address of its dark
// variant.
func pictureParts(e *syntax.Element) (img *syntax.Element, dark string, ok bool) {
	kids, clean := e.Elements()
	if !clean || len(kids) == 0 {
		return nil, "", false
	}
	for _, k := range kids {
		switch {
		case k.Name == "source" && strings.Contains(k.Attr("media"), "dark") && dark == "":
			dark = syntax.Valid(k.Attr("srcset"))
		case k.Name == "img" && k.Has("src") && img == nil:
			img = k
		default:
			return nil, "", false
		}
	}
	return img, dark, img != nil
}

func (c *converter) button(b *InlineBuilder, e *syntax.Element, class []string) bool {
	n := inlineNode("button", map[string]any{"label": strings.TrimSpace(e.Plain()), "kind": "primary"})
	if slices.Contains(class, "secondary") {
		n.set(FieldKind, "secondary")
	}
	for _, a := range e.Attrs {
		v := syntax.Valid(a.Val)
		switch a.Key {
		case "class", "type":
		case "href":
			n.setRef(FieldRef, c.resolve(v, UseLink), v, UseLink)
		case "data-icon":
			if v != "" {
				n.set(FieldIcon, v)
			}
		case "data-action":
			if buttonActions[v] == "" {
				return false
			}
			n.set(FieldAction, v)
		case "data-query", "data-slug":
			if v != "" {
				n.Data[strings.TrimPrefix(a.Key, "data-")] = v
			}
		case "data-size":
			if !slices.Contains(buttonSizes, v) {
				return false
			}
			n.set(FieldSize, v)
		default:
			return false
		}
	}
	b.Inline(n)
	return true
}

const noteHref = "#user-content-fn-"

// footnoteLink converts the HTML form of a footnote reference. The text of the
// link is the annotated text.
func (c *converter) footnoteLink(b *InlineBuilder, e *syntax.Element, marks []Mark, h *htmlReader) bool {
	label, ok := strings.CutPrefix(e.Attr("href"), noteHref)
	if !ok {
		return false
	}
	body := c.noteBody(label)
	if body == nil {
		return false
	}
	inner := InlineBuilder{}
	h.run(&inner, e.Kids, marks, false)
	nodes := inner.Done()
	if len(nodes) == 0 {
		nodes = []*Node{textNode()}
	}
	for _, n := range nodes {
		restoreSpaces(n)
	}
	b.annotation(nodes, body)
	return true
}

// styleOf returns the value of a property in a style attribute.
func styleOf(style, property string) string {
	for _, d := range strings.Split(style, ";") {
		name, value, ok := strings.Cut(d, ":")
		if ok && strings.TrimSpace(name) == property {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
