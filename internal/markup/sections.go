package markup

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/docs"
)

// Section is the plain text under one heading. The first section of a document
// has no heading; it is the text before the first heading.
type Section struct {
	Anchor string
	Title  string
	Body   string
}

// Sections splits a document at its headings, also at those inside steps, tabs
// and expandables. A body has every visible word, including tables, captions,
// code and conditional blocks. Titles of tabs and expandables are text of the
// enclosing section.
func Sections(doc *Document) []Section {
	out := []Section{{}}
	p := &plain{}
	p.heading = func(n *Node) {
		out[len(out)-1].Body = p.take()
		out = append(out, Section{Anchor: n.Anchor(), Title: singleLine(Text(n.Nodes))})
	}
	p.nodes(ForReaders(doc).Nodes)
	out[len(out)-1].Body = p.take()
	return out
}

// Text returns the plain text of nodes, with a line for each block and without
// styles.
func Text(nodes []*Node) string {
	p := &plain{}
	p.nodes(nodes)
	return p.take()
}

// Heading is an entry of a page's outline.
type Heading struct {
	Level  int // 1 to 6
	Anchor string
	Text   string
}

// Headings returns the headings of a document in order.
func Headings(doc *Document) []Heading {
	var out []Heading
	eachInReadingOrder(doc.Nodes, func(n *Node) {
		if level := n.HeadingLevel(); level > 0 {
			out = append(out, Heading{level, n.Anchor(), singleLine(Text(n.Nodes))})
		}
	})
	return out
}

// Outline returns the headings of a document in order, together with the blocks
// that show parts of API descriptions. The text of such an entry is the result
// of title.
func Outline(doc *Document, title func(APIBlock) string) []Heading {
	var out []Heading
	eachInReadingOrder(doc.Nodes, func(n *Node) {
		if level := n.HeadingLevel(); level > 0 {
			out = append(out, Heading{level, n.Anchor(), singleLine(Text(n.Nodes))})
			return
		}
		if !isAPI(n) || n.Anchor() == "" {
			return
		}
		if text := singleLine(title(NewAPIBlock(n))); text != "" {
			out = append(out, Heading{2, n.Anchor(), text})
		}
	})
	return out
}

// Anchors returns every id that a link can point to, including the ids in raw
// HTML.
func Anchors(doc *Document) []string {
	var out []string
	eachInReadingOrder(doc.Nodes, func(n *Node) {
		if id := n.Anchor(); id != "" {
			out = append(append(out, id), n.Aliases()...)
		}
		if source, ok := n.RawSource(); ok {
			out = rawAnchors(out, source)
		}
		for _, l := range n.Leaves {
			if l.Raw {
				out = rawAnchors(out, l.Text)
			}
		}
	})
	return out
}

// plain collects plain text.
type plain struct {
	b       bytes.Buffer
	gap     bool    // a block has ended
	notes   []*Node // bodies of annotations, which follow their block
	heading func(*Node)
}

func (p *plain) write(s string) {
	if s == "" {
		return
	}
	if p.gap && p.b.Len() > 0 {
		p.b.WriteByte('\n')
	}
	p.gap = false
	p.b.WriteString(s)
}

// end ends a block.
func (p *plain) end() {
	p.gap = true
	notes := p.notes
	p.notes = nil
	p.nodes(notes)
}

// line writes a text as a block of its own.
func (p *plain) line(s string) {
	p.gap = true
	p.write(s)
	p.gap = true
}

func (p *plain) take() string {
	p.end()
	s := strings.ReplaceAll(p.b.String(), "\x00", "") // databases do not accept NUL; String copies
	p.b.Reset()
	p.gap = false
	return s
}

func (p *plain) nodes(nodes []*Node) {
	for _, n := range nodes {
		switch n.Object {
		case ObjectText:
			for _, l := range n.Leaves {
				if l.Raw {
					p.write(VisibleText(l.Text))
				} else {
					p.write(l.Text)
				}
			}
		case ObjectInline:
			p.inline(n)
		default:
			p.block(n)
		}
	}
}

func (p *plain) inline(n *Node) {
	if t := inlineTypes[n.Type]; t != nil && t.text != nil {
		t.text(p, n)
	}
	p.nodes(n.Nodes)
	p.notes = append(p.notes, n.Fragments...)
}

func (p *plain) block(n *Node) {
	if p.heading != nil && n.HeadingLevel() > 0 {
		p.heading(n)
		return
	}
	p.end()
	t := blockTypes[n.Type]
	if t != nil && t.text != nil {
		t.text(p, n)
	}
	if t == nil || !t.cells {
		p.nodes(n.Nodes)
		p.nodes(n.Fragments)
	}
	p.end()
}

func (p *plain) emoji(n *Node)       { p.write(EmojiText(n.Str(FieldCode))) }
func (p *plain) inlineMath(n *Node)  { p.write(n.Str(FieldFormula)) }
func (p *plain) inlineImage(n *Node) { p.write(joined(n.Str(FieldAlt), n.Str(FieldCaption))) }
func (p *plain) button(n *Node)      { p.write(n.Str(FieldLabel)) }

func (p *plain) mention(n *Node) {
	if ref, ok := n.Ref(FieldRef); ok && ref.Kind == docs.RefURL {
		p.write(ref.URL)
	}
}

func (p *plain) title(n *Node)   { p.line(n.Str(FieldTitle)) }
func (p *plain) formula(n *Node) { p.line(n.Str(FieldFormula)) }
func (p *plain) image(n *Node)   { p.line(n.Str(FieldAlt)) }
func (p *plain) prompt(n *Node)  { p.line(n.Str(FieldDescription)) }

func (p *plain) schemas(n *Node) {
	p.line(n.Str(FieldTitle))
	p.line(strings.Join(n.Strings(FieldSchemas), "\n"))
}

func (p *plain) update(n *Node) {
	date := n.Str(FieldDate)
	if t, ok := parseDate(date); ok {
		date = t.Format(time.DateOnly)
	}
	p.line(date)
}

func (p *plain) operation(n *Node) {
	p.line(joined(strings.ToUpper(n.Str(FieldMethod)), n.Str(FieldPath)))
}

func (p *plain) webhook(n *Node) {
	p.line(joined(strings.ToUpper(n.Str(FieldMethod)), n.Str(FieldName)))
}

func (p *plain) integration(n *Node) {
	if raw, ok := n.RawSource(); ok {
		for l := range strings.Lines(VisibleText(raw)) {
			p.line(strings.TrimSpace(l))
		}
	}
}

// eachInReadingOrder calls f for every node before its children, in reading order.
func eachInReadingOrder(nodes []*Node, f func(*Node)) {
	for _, n := range nodes {
		f(n)
		eachInReadingOrder(n.Nodes, f)
		if n.Type != "table" || n.Object != ObjectBlock {
			eachInReadingOrder(n.Fragments, f)
			continue
		}
		t := ReadTableData(n)
		for _, r := range t.Rows {
			for _, c := range t.filled(r) {
				if c.Kind == "text" {
					eachInReadingOrder(t.cell(r.Values[c.ID]), f)
				}
			}
		}
	}
}

// EmojiText returns the emoji of a code such as 1f1eb-1f1f7. Any other code is a
// name and is returned between colons.
func EmojiText(code string) string {
	if code == "" {
		return ""
	}
	var b strings.Builder
	for part := range strings.SplitSeq(code, "-") {
		r, err := strconv.ParseUint(part, 16, 32)
		if err != nil || r < 0x20 || !utf8.ValidRune(rune(r)) {
			return ":" + code + ":"
		}
		b.WriteRune(rune(r))
	}
	return b.String()
}

func decimal(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// singleLine replaces each run of spaces and line breaks by one space.
func singleLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func joined(s ...string) string {
	return strings.Join(slices.DeleteFunc(s, func(s string) bool { return s == "" }), " ")
}
