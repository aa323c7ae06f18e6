package markup

import (
	"bytes"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup/grammar"
	"github.com/octavo-docs/octavo/internal/markup/syntax"
)

// inlines returns the nodes of the inline content of a paragraph or a heading.
func (c *converter) inlines(parent ast.Node) []*Node {
	b := c.builder()
	c.walk(b, parent, nil)
	return c.take(b)
}

// rawTag is a piece of inline HTML and the closing tag that matches it among its
// siblings.
type rawTag struct {
	source  string
	name    string // "/a" for a closing tag, "" if it is not a tag
	partner int    // index of the closing tag, 0 for none
}

func (c *converter) walk(b *InlineBuilder, parent ast.Node, marks []Mark) {
	tags := false
	for n := parent.FirstChild(); n != nil && !tags; n = n.NextSibling() {
		tags = n.Kind() == ast.KindRawHTML
	}
	if !tags {
		for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
			c.inlineOf(b, n, marks)
		}
		return
	}
	kids := make([]ast.Node, 0, parent.ChildCount())
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		kids = append(kids, n)
	}
	c.walkKids(b, kids, c.pairTags(kids), marks)
}

// pairTags matches the opening and closing tags of inline HTML.
func (c *converter) pairTags(kids []ast.Node) []rawTag {
	tags := make([]rawTag, len(kids))
	open := map[string][]int{}
	for i, k := range kids {
		raw, ok := k.(*ast.RawHTML)
		if !ok {
			continue
		}
		source := c.textOf(raw.Segments.Sliced(0, raw.Segments.Len()))
		tags[i].source = source
		if e, ok := syntax.ReadElement(source); ok {
			tags[i].name = e.Name
			if name, closing := strings.CutPrefix(e.Name, "/"); closing {
				if o := open[name]; len(o) > 0 {
					// Tags that were opened inside and are still open remain unpaired.
					j := o[len(o)-1]
					tags[j].partner = i
					for n, list := range open {
						for len(list) > 0 && list[len(list)-1] >= j {
							list = list[:len(list)-1]
						}
						open[n] = list
					}
				}
			} else if o := open["mark"]; e.Name == "mark" && len(o) > 0 && tags[o[len(o)-1]].source == source {
				// Some exports close a colour by repeating its opening tag.
				tags[o[len(o)-1]].partner = i
				open["mark"] = o[:len(o)-1]
			} else if htmlMarks[e.Name] || e.Name == "a" {
				open[e.Name] = append(open[e.Name], i)
			}
		}
	}
	return tags
}

// htmlMarks are the elements that are converted to marks.
var htmlMarks = map[string]bool{
	"strong": true, "b": true, "em": true, "i": true, "del": true, "s": true, "strike": true, "code": true,
	"kbd": true, "sup": true, "sub": true, "mark": true,
}

// markOf returns the mark that an element represents.
func markOf(e *syntax.Element) (Mark, bool) {
	switch e.Name {
	case "strong", "b":
		return Mark{Type: "bold"}, len(e.Attrs) == 0
	case "em", "i":
		return Mark{Type: "italic"}, len(e.Attrs) == 0
	case "del", "s", "strike":
		return Mark{Type: "strikethrough"}, len(e.Attrs) == 0
	case "code":
		return Mark{Type: "code"}, len(e.Attrs) == 0
	case "kbd":
		return Mark{Type: "keyboard"}, len(e.Attrs) == 0
	case "sup":
		return Mark{Type: "superscript"}, len(e.Attrs) == 0
	case "sub":
		return Mark{Type: "subscript"}, len(e.Attrs) == 0
	case "mark":
		style := e.Attr("style")
		m := Mark{Type: "color", Data: map[string]string{"text": "default", "background": "default"}}
		if v := styleOf(style, "color"); v != "" {
			m.Data["text"] = v
		}
		if v := styleOf(style, "background-color"); v != "" {
			m.Data["background"] = v
		}
		return m, e.Only("style") && slices.Contains(Colours, m.Data["text"]) && slices.Contains(Colours, m.Data["background"])
	}
	return Mark{}, false
}

func (c *converter) walkKids(b *InlineBuilder, kids []ast.Node, tags []rawTag, marks []Mark) {
	for i := 0; i < len(kids); i++ {
		if _, ok := kids[i].(*ast.RawHTML); ok {
			i = c.rawHTML(b, kids, tags, i, marks)
		} else {
			c.inlineOf(b, kids[i], marks)
		}
	}
}

// inlineOf adds an inline that is not an HTML tag.
func (c *converter) inlineOf(b *InlineBuilder, n ast.Node, marks []Mark) {
	switch n := n.(type) {
	case *ast.Text:
		c.plainText(b, n, marks)
	case *ast.String:
		b.Text(syntax.Valid(string(n.Value)), marks)
	case *ast.CodeSpan:
		c.codeSpan(b, n, addMark(marks, Mark{Type: "code"}))
	case *ast.Emphasis:
		m := Mark{Type: "italic"}
		if n.Level == 2 {
			m.Type = "bold"
		}
		c.walk(b, n, addMark(marks, m))
	case *extast.Strikethrough:
		c.walk(b, n, addMark(marks, Mark{Type: "strikethrough"}))
	case *ast.Link:
		c.link(b, n, marks)
	case *ast.Image:
		image := c.inlineImage(n)
		c.traceInline(image, n)
		b.Inline(image)
	case *ast.AutoLink:
		c.autoLink(b, n, marks)
	case *extast.TaskCheckBox:
		// The checkbox is data of the list item.
	case *grammar.Atom:
		c.atom(b, n, marks)
	default:
		c.walk(b, n, marks)
	}
}

func (c *converter) plainText(b *InlineBuilder, n *ast.Text, marks []Mark) {
	s := c.value(n.Segment)
	if n.SoftLineBreak() || n.HardLineBreak() {
		s += c.spacesAfter(n)
	}
	end := n.Segment.Start + len(s)
	if !n.IsRaw() {
		s = decode(s)
	}
	b.Text(c.valid(s), marks)
	if n.Segment.Padding == 0 && !n.Segment.ForceNewline {
		c.traceSource(b, len(s), n.Segment.Start, end, true)
	}
	switch {
	case n.HardLineBreak():
		b.Text("\n", marks)
		c.traceSource(b, 1, end, c.lineEnd(end), false)
	case n.SoftLineBreak():
		b.Text(" ", marks)
		c.traceSource(b, 1, end, c.lineEnd(end), false)
	}
}

// lineEnd returns the offset after the end of the line that contains off.
func (c *converter) lineEnd(off int) int {
	if k := strings.IndexByte(c.text[min(off, len(c.text)):], '\n'); k >= 0 {
		return off + k + 1
	}
	return len(c.text)
}

// spacesAfter returns the spaces at the end of a line that belong to the text.
// The last space belongs to the line break, as do two more before a hard line
// break.
func (c *converter) spacesAfter(n *ast.Text) string {
	rest := c.text[n.Segment.Stop:]
	spaces := len(rest) - len(strings.TrimLeft(rest, " \t"))
	kept := spaces - 1
	if n.HardLineBreak() {
		kept -= 2
	}
	if kept <= 0 || !strings.HasPrefix(strings.TrimLeft(rest[spaces:], "\r"), "\n") {
		return ""
	}
	return rest[:kept]
}

func (c *converter) codeSpan(b *InlineBuilder, n *ast.CodeSpan, marks []Mark) {
	var lines []text.Segment
	for k := n.FirstChild(); k != nil; k = k.NextSibling() {
		if t, ok := k.(*ast.Text); ok {
			lines = append(lines, t.Segment)
		}
	}
	if !c.traced() {
		b.Text(c.valid(strings.ReplaceAll(strings.ReplaceAll(c.textOf(lines), "\r\n", " "), "\n", " ")), marks)
		return
	}
	for _, l := range lines {
		s := strings.ReplaceAll(strings.ReplaceAll(c.value(l), "\r\n", " "), "\n", " ")
		b.Text(s, marks)
		if l.Padding == 0 && !l.ForceNewline && len(s) == l.Stop-l.Start {
			c.traceSource(b, len(s), l.Start, l.Stop, false)
		}
	}
}

// rawHTML converts the tag at index i and returns the index of the last node that
// it used.
func (c *converter) rawHTML(b *InlineBuilder, kids []ast.Node, tags []rawTag, i int, marks []Mark) int {
	t := tags[i]
	if t.name == "br" {
		if e, ok := syntax.ReadElement(t.source); ok && len(e.Attrs) == 0 {
			b.Text("\n", marks)
			return i
		}
	}
	if t.partner > i {
		e, ok := syntax.ReadElement(t.source)
		if ok && t.name == "a" {
			if e.Has("href") && e.Only("href") {
				inner := c.builder()
				c.walkKids(inner, kids[i+1:t.partner], shiftTags(tags, i+1, t.partner), marks)
				c.addLink(b, e.Attr("href"), "", c.take(inner))
				return t.partner
			}
		}
		if t.partner == i+1 { // an empty element cannot have a mark
			b.Raw(t.source+tags[t.partner].source, marks)
			return t.partner
		}
		if m, isMark := markOf(e); ok && isMark {
			c.walkKids(b, kids[i+1:t.partner], shiftTags(tags, i+1, t.partner), addMark(marks, m))
			return t.partner
		}
	}
	if grammar.AtomNames[t.name] && grammar.IsAtom(t.name, t.source) {
		b.Text(syntax.Valid(t.source), marks) // an unclosed element is text, so that the end of another element cannot close it
		return i
	}
	b.Raw(t.source, marks)
	return i
}

func shiftTags(tags []rawTag, from, to int) []rawTag {
	out := slices.Clone(tags[from:to])
	for i := range out {
		if out[i].partner > 0 {
			out[i].partner -= from
		}
	}
	return out
}

func (c *converter) autoLink(b *InlineBuilder, n *ast.AutoLink, marks []Mark) {
	label := syntax.Valid(string(n.Label(c.Source)))
	url := syntax.Valid(string(n.URL(c.Source)))
	if n.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(url), "mailto:") {
		url = "mailto:" + url
	}
	l := c.addLink(b, url, "", c.arena.list(c.arena.text(Leaf{Text: label, Marks: marks})))
	c.traceInline(l, n)
}

func (c *converter) link(b *InlineBuilder, n *ast.Link, marks []Mark) {
	inner := c.builder()
	c.walk(inner, n, marks)
	label := c.take(inner)
	dest, title := syntax.Valid(decode(string(n.Destination))), syntax.Valid(decode(string(n.Title)))
	if title == "mention" {
		m := inlineNode("mention", map[string]any{})
		m.setRef(FieldRef, c.resolve(dest, UseLink), dest, UseLink)
		c.traceInline(m, n)
		b.Inline(m)
		return
	}
	c.traceInline(c.addLink(b, dest, title, label), n)
}

func (c *converter) addLink(b *InlineBuilder, dest, title string, inner []*Node) *Node {
	inner = withoutLinks(inner)
	if len(inner) == 0 {
		inner = c.arena.list(c.arena.text())
	}
	l := c.arena.inline("link", map[string]any{})
	l.Nodes = inner
	l.setRef(FieldRef, c.resolve(dest, UseLink), dest, UseLink)
	if title != "" {
		l.set(FieldTitle, title)
	}
	b.Inline(l)
	return l
}

// withoutLinks replaces links by their content: HTML may nest links, but
// documents cannot.
func withoutLinks(nodes []*Node) []*Node {
	if !slices.ContainsFunc(nodes, func(n *Node) bool { return n.Type == "link" }) {
		return nodes
	}
	var b InlineBuilder
	var add func(nodes []*Node)
	add = func(nodes []*Node) {
		for _, n := range nodes {
			switch {
			case n.Type == "link":
				add(n.Nodes)
			case n.Object == ObjectText:
				for _, l := range n.Leaves {
					if l.Raw {
						b.Raw(l.Text, l.Marks)
					} else {
						b.Text(l.Text, l.Marks)
					}
				}
			default:
				b.Inline(n)
			}
		}
	}
	add(nodes)
	return b.Done()
}

func (c *converter) resolve(dest string, use Use) docs.Ref {
	if grammar.HasExpression(dest) {
		paths := grammar.ExpressionPaths(dest)
		if ref, ok := c.refs.findAny(dest, paths, use, true); ok {
			return ref
		}
		if c.refs.Any != nil && len(paths) > 0 {
			return docs.Ref{Kind: docs.RefURL, URL: dest}
		}
	}
	return c.refs.resolve(dest, use)
}

func (c *converter) inlineImage(n *ast.Image) *Node {
	i := inlineNode("inline-image", map[string]any{"size": "original"})
	dest := syntax.Valid(decode(string(n.Destination)))
	i.setRef(FieldRef, c.resolve(dest, UseImage), dest, UseImage)
	if alt := c.altText(n); alt != "" {
		i.set(FieldAlt, alt)
	}
	if title := syntax.Valid(decode(string(n.Title))); title != "" {
		i.set(FieldCaption, title)
	}
	return i
}

// altText returns the text of an image's label without marks.
func (c *converter) altText(n ast.Node) string { return PlainText(c.inlines(n)) }

// PlainText returns the text of nodes without marks.
func PlainText(nodes []*Node) string {
	var s strings.Builder
	for _, n := range nodes {
		for _, l := range n.Leaves {
			if !l.Raw {
				s.WriteString(l.Text)
			}
		}
		switch n.Type {
		case "emoji":
			s.WriteString(EmojiText(n.Str(FieldCode)))
		case "inline-math":
			s.WriteString(n.Str(FieldFormula))
		case "button":
			s.WriteString(n.Str(FieldLabel))
		case "expression":
			s.WriteString(n.Str(FieldExpression))
		default:
			s.WriteString(PlainText(n.Nodes))
		}
	}
	return s.String()
}

func (c *converter) atom(b *InlineBuilder, n *grammar.Atom, marks []Mark) {
	before := len(b.nodes)
	defer func() { c.traceAtom(b, before, n) }()
	switch n.What {
	case grammar.AtomMath:
		b.Inline(inlineNode("inline-math", map[string]any{"formula": oneLineFormula(n.Content)}))
	case grammar.AtomEmoji:
		b.Inline(inlineNode("emoji", map[string]any{"code": n.Content}))
	case grammar.AtomFootnote:
		if !c.annotate(b, n.Content) {
			b.Text("[^"+syntax.Valid(n.Content)+"]", marks)
		}
	case grammar.AtomLiteral:
		s := c.valid(strings.ReplaceAll(strings.ReplaceAll(n.Content, "\r\n", " "), "\n", " "))
		b.literal(s, marks)
		if s == n.Content {
			c.traceSource(b, len(s), n.At, n.At+len(s), false)
		}
	case grammar.AtomShortcode:
		s := c.valid(n.Content)
		c.problem(n.At, "a shortcode is of another tool: readers see it as it is written, unless it has an end")
		b.Text(s, marks)
		c.traceSource(b, len(s), n.At, n.At+len(s), false)
	case grammar.AtomElement:
		root, ok := syntax.ReadHTML(n.Content)
		if !ok || len(root.Kids) != 1 {
			b.Raw(n.Content, marks)
			return
		}
		c.inlineElement(b, root.Kids[0], n.Content, marks)
	}
}

// annotate attaches a footnote to the word before it. It returns false if there
// is no such footnote.
func (c *converter) annotate(b *InlineBuilder, label string) bool {
	fragment := c.noteBody(label)
	if fragment == nil {
		return false
	}
	var word Leaf
	if text := b.lastText(); len(text) > 0 {
		at := bytes.LastIndexAny(text, " \t\n\u00a0"+syntax.KeptSpace) + 1
		if at > 0 && bytes.HasPrefix(text[at-1:], []byte("\u00a0")) {
			at++
		}
		last := len(b.leaves) - 1
		if at < len(text) {
			word = Leaf{Text: string(text[at:]), Marks: b.leaves[last].Marks}
		}
		word.trace = b.where.after(at)
		b.tail, b.where = text[:at], b.where.upTo(at)
		if at == 0 {
			b.leaves, b.where = b.leaves[:last], nil
			if last > 0 && !b.leaves[last-1].Raw {
				b.tail, b.where = []byte(b.leaves[last-1].Text), b.leaves[last-1].trace
			}
		}
	}
	b.annotation([]*Node{textNode(word)}, fragment)
	return true
}

func (b *InlineBuilder) annotation(nodes []*Node, body *Node) {
	a := inlineNode("annotation", nil)
	a.Nodes, a.Fragments = nodes, []*Node{body}
	b.Inline(a)
}

// noteBody returns the body of a footnote as a fragment. It is nil if the
// footnote does not exist or cannot be used here: inside of another footnote, or
// more than grammar.MaxUses times.
func (c *converter) noteBody(label string) *Node {
	note := c.Notes[label]
	if note == nil || c.inNote || note.Uses >= grammar.MaxUses {
		return nil
	}
	note.Uses++
	limit := c.limit
	c.inNote, c.limit = true, len(c.Source)
	c.limitTo(note.NextSibling())
	body := Filled(c.children(note))
	c.inNote, c.limit = false, limit
	return fragmentNode("", "annotation-body", body)
}
