package markup

import (
	"slices"
	"strings"
)

// inlines returns the nodes of a run of HTML, without white space at its edges.
func (h *htmlReader) inlines(run []*element) []*Node {
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

// restoreSpaces is restoreSpace for the texts of a node and its descendants.
func restoreSpaces(n *Node) {
	for i := range n.Leaves {
		n.Leaves[i].Text = restoreSpace(n.Leaves[i].Text)
	}
	for _, k := range n.Nodes {
		restoreSpaces(k)
	}
}

// run adds a run of HTML to the builder. A space is dropped at the start of a
// block and after a space or a line break.
func (h *htmlReader) run(b *InlineBuilder, run []*element, marks []Mark, start bool) {
	for _, e := range run {
		if e.name == "" {
			text := e.text
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
func (h *htmlReader) traceElement(b *InlineBuilder, e *element, n int) {
	if h.where == nil || n == 0 {
		return
	}
	parts := htmlParts(h.source[e.start:e.end], h.where.after(e.start), len(e.text))
	t := (&trace{parts: parts}).after(len(e.text) - n)
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

func (h *htmlReader) inline(b *InlineBuilder, e *element, marks []Mark, start bool) {
	if m, ok := markOf(e); ok && len(e.kids) > 0 {
		h.run(b, e.kids, addMark(marks, m), start)
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
func (h *htmlReader) rawRun(b *InlineBuilder, e *element, marks []Mark) {
	if e.name == "!" || len(e.kids) == 0 {
		h.raw(b, h.source[e.start:e.end], marks)
		return
	}
	h.raw(b, h.source[e.start:e.openEnd], marks)
	h.run(b, e.kids, marks, false)
	h.raw(b, h.source[e.closeStart:e.end], marks)
}

func (h *htmlReader) raw(b *InlineBuilder, s string, marks []Mark) {
	if !isRawInline(strings.ReplaceAll(cleanLines(s), "\n", " ")) {
		h.failed = true
		return
	}
	b.Raw(s, marks)
}

// inlineElement adds an HTML element of a Markdown text.
func (c *converter) inlineElement(b *InlineBuilder, e *element, source string, marks []Mark) {
	if !c.addKnownElement(b, e, marks, &htmlReader{c: c, source: source}) {
		b.Raw(source[e.start:e.end], marks)
	}
}

// addKnownElement adds the inline that an element represents. It returns false if the
// element does not represent one.
func (c *converter) addKnownElement(b *InlineBuilder, e *element, marks []Mark, h *htmlReader) bool {
	class := strings.Fields(e.attr("class"))
	switch e.name {
	case "br":
		if len(e.attrs) > 0 {
			return false
		}
		b.Text("\n", marks)
		return true
	case "img":
		if !e.has("src") || hasString(class, "gitbook-drawing") {
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
		return hasString(class, "button") && c.button(b, e, class)
	case "a":
		switch {
		case hasString(class, "button"):
			return c.button(b, e, class)
		case e.has("data-footnote-ref"):
			return c.footnoteLink(b, e, marks, h)
		case e.has("data-mention") && e.has("href"):
			m := inlineNode("mention", map[string]any{})
			dest := valid(e.attr("href"))
			m.setRef(FieldRef, c.resolve(dest, UseLink), dest, UseLink)
			b.Inline(m)
			return true
		case e.has("href") && e.only("href", "title"):
			inner := InlineBuilder{}
			h.run(&inner, e.kids, marks, false)
			c.addLink(b, valid(e.attr("href")), valid(e.attr("title")), inner.Done())
			return true
		}
	case "code":
		if hasString(class, "expression") && e.only("class") {
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

func (c *converter) icon(b *InlineBuilder, e *element) bool {
	icon := iconOf(e)
	if icon == "" || !e.only("class", "style") || !slices.Contains([]string{"", ":" + icon + ":"}, strings.TrimSpace(e.plain())) {
		return false
	}
	data := map[string]any{"icon": icon}
	if style := e.attr("style"); style != "" {
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
func verbatim(e *element, source string) string {
	return decodeHTML(source[e.openEnd:e.closeStart], false)
}

func (c *converter) spanInline(b *InlineBuilder, e *element, class []string, source string) bool {
	switch {
	case e.has("data-gb-custom-inline") && e.attr("data-tag") == "emoji" && e.attr("data-code") != "":
		b.Inline(inlineNode("emoji", map[string]any{"code": valid(e.attr("data-code"))}))
		return true
	case hasString(class, "math") && e.only("class"):
		b.Inline(inlineNode("inline-math", map[string]any{"formula": oneLineFormula(verbatim(e, source))}))
		return true
	}
	return false
}

// imgInline returns an inline image.
func (c *converter) imgInline(e *element, dark string) *Node {
	n := inlineNode("inline-image", map[string]any{"size": "original"})
	if e.attr("data-size") == "line" {
		n.set(FieldSize, "line")
	}
	src := valid(e.attr("src"))
	n.setRef(FieldRef, c.resolve(src, UseImage), src, UseImage)
	if dark != "" {
		n.setRef(FieldRefDark, c.resolve(dark, UseImage), dark, UseImage)
	}
	if alt := valid(e.attr("alt")); alt != "" {
		n.set(FieldAlt, alt)
	}
	if title := valid(e.attr("title")); title != "" {
		n.set(FieldCaption, title)
	}
	return n
}

// pictureParts returns the image of a `<picture>` and the address of its dark
// variant.
func pictureParts(e *element) (img *element, dark string, ok bool) {
	kids, clean := e.elements()
	if !clean || len(kids) == 0 {
		return nil, "", false
	}
	for _, k := range kids {
		switch {
		case k.name == "source" && strings.Contains(k.attr("media"), "dark") && dark == "":
			dark = valid(k.attr("srcset"))
		case k.name == "img" && k.has("src") && img == nil:
			img = k
		default:
			return nil, "", false
		}
	}
	return img, dark, img != nil
}

func (c *converter) button(b *InlineBuilder, e *element, class []string) bool {
	n := inlineNode("button", map[string]any{"label": strings.TrimSpace(e.plain()), "kind": "primary"})
	if hasString(class, "secondary") {
		n.set(FieldKind, "secondary")
	}
	for _, a := range e.attrs {
		v := valid(a.Val)
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
func (c *converter) footnoteLink(b *InlineBuilder, e *element, marks []Mark, h *htmlReader) bool {
	label, ok := strings.CutPrefix(e.attr("href"), noteHref)
	if !ok {
		return false
	}
	body := c.noteBody(label)
	if body == nil {
		return false
	}
	inner := InlineBuilder{}
	h.run(&inner, e.kids, marks, false)
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
