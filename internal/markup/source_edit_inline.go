package markup

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/markup/align"
	"github.com/octavo-docs/octavo/internal/markup/syntax"
)

// glyph is a character of a text, or an inline without text, together with its
// marks and the inlines around it.
type glyph struct {
	text  string
	marks []Mark
	raw   bool
	node  *Node   // an inline without text
	in    []*Node // enclosing links and notes, the outermost first
	// first and last report whether the glyph is the first or last one in the
	// innermost of these.
	first, last bool
	span        Span // in the source; Start is -1 if it is not known
	html        bool
}

// glyphsOf appends the glyphs of inlines to list.
func glyphsOf(list []glyph, nodes []*Node, in []*Node) []glyph {
	begin := len(list)
	for _, n := range nodes {
		switch {
		case n.Object == ObjectText:
			for _, l := range n.Leaves {
				list = leafGlyphs(list, l, in)
			}
		case len(n.Nodes) == 0 || n.IsVoid():
			list = append(list, glyph{node: n, in: in, span: spanOr(n.span)})
		default:
			before := len(list)
			list = glyphsOf(list, n.Nodes, append(slices.Clone(in), n))
			if len(list) == before { // it has no text
				list = append(list, glyph{node: n, in: in, span: spanOr(n.span)})
			}
		}
	}
	if len(in) > 0 && len(list) > begin {
		list[begin].first, list[len(list)-1].last = true, true
	}
	return list
}

func spanOr(s Span) Span {
	if s.End == 0 {
		return Span{-1, -1}
	}
	return s
}

func leafGlyphs(list []glyph, l Leaf, in []*Node) []glyph {
	if l.Text == "" {
		return list
	}
	marks := SortMarks(l.Marks)
	if l.Raw {
		return append(list, glyph{text: l.Text, raw: true, marks: marks, in: in, span: Span{-1, -1}})
	}
	part := 0
	for i := 0; i < len(l.Text); {
		_, n := utf8.DecodeRuneInString(l.Text[i:])
		a := glyph{text: l.Text[i : i+n], marks: marks, in: in, span: Span{-1, -1}}
		if t := l.trace; t != nil {
			a.html = t.html
			for part < len(t.parts) && t.parts[part].to <= i {
				part++
			}
			if part < len(t.parts) {
				a.span = t.parts[part].of(i, i+n)
			}
		}
		list = append(list, a)
		i += n
	}
	return list
}

// of returns the source span of a part of the text.
func (s stretch) of(from, to int) Span {
	switch {
	case from < s.from || to > s.to:
	case s.to-s.from == s.end-s.start:
		return Span{s.start + from - s.from, s.start + to - s.from}
	case from == s.from && to == s.to:
		return Span{s.start, s.end}
	case from == s.from: // a character reference for several characters
		return Span{s.start, s.end}
	}
	return Span{-1, -1}
}

// sameGlyph reports whether two glyphs are equal, regardless of their position among
// their siblings.
func (ed *sourceEditor) sameGlyph(a, b *glyph) bool {
	if a.text != b.text || a.raw != b.raw || (a.node == nil) != (b.node == nil) || !sameMarks(a.marks, b.marks) || !ed.sameAround(a, b) {
		return false
	}
	return a.node == nil || ed.h.Of(a.node) == ed.h.Of(b.node)
}

func (ed *sourceEditor) sameAround(a, b *glyph) bool {
	return slices.EqualFunc(a.in, b.in, func(x, y *Node) bool { return x == y || ed.shell(x) == ed.shell(y) })
}

// shell returns the hash of an inline without its child nodes. An edited note
// has the hash of the note before the edit.
func (ed *sourceEditor) shell(n *Node) uint64 {
	v := HashValue(align.HashString(align.HashSeed, n.Type), orEmpty(n.Data))
	for _, f := range n.Fragments {
		if o := ed.bodies[f]; o != nil {
			f = o
		}
		v = align.Mix(v, ed.h.Of(f))
	}
	return v
}

// noteBodies finds the edits in the bodies of footnotes, which are written
// elsewhere in the source.
func (ed *sourceEditor) noteBodies(old, now []*Node) bool {
	bodies := func(nodes []*Node) (list []*Node) {
		eachInline(nodes, func(n *Node) {
			if n.Type == "annotation" {
				list = append(list, n.Fragments...)
			}
		})
		return list
	}
	a, b := bodies(old), bodies(now)
	if len(a) != len(b) {
		return true // there are other differences
	}
	for i, f := range a {
		if ed.h.Of(f) == ed.h.Of(b[i]) {
			continue
		}
		if !ed.node(f, b[i]) {
			return false
		}
		if ed.bodies == nil {
			ed.bodies = map[*Node]*Node{}
		}
		ed.bodies[b[i]] = f
	}
	return true
}

func eachInline(nodes []*Node, f func(*Node)) {
	for _, n := range nodes {
		if n.Object == ObjectInline {
			f(n)
			eachInline(n.Nodes, f)
		}
	}
}

// inlineEdit is the difference between two lists of inlines: a range of old
// glyphs is replaced by new glyphs.
type inlineEdit struct {
	editor   *sourceEditor
	mode     inlineMode
	all      []glyph // old glyphs
	from, to int     // range of old glyphs that are replaced
	now      []glyph // new glyphs
	start    int     // offset of the block in the source
	limits   Span    // of the text; zero if it is not known
}

// inlines finds the edits of a block's text.
func (ed *sourceEditor) inlines(old, now *Node) bool {
	if !ed.noteBodies(old.Nodes, now.Nodes) {
		return false
	}
	a, b := glyphsOf(nil, old.Nodes, nil), glyphsOf(nil, now.Nodes, nil)
	i := 0
	for i < len(a) && i < len(b) && a[i].first == b[i].first && ed.sameGlyph(&a[i], &b[i]) {
		i++
	}
	k := 0
	for k < len(a)-i && k < len(b)-i && a[len(a)-1-k].last == b[len(b)-1-k].last && ed.sameGlyph(&a[len(a)-1-k], &b[len(b)-1-k]) {
		k++
	}
	e := inlineEdit{editor: ed, all: a, from: i, to: len(a) - k, now: b[i : len(b)-k], mode: modeOf(old), start: old.span.Start}
	if old.Type == "paragraph" && old.span.Start >= 0 && old.span.End > 0 && (ed.body[old.span.Start] != '<' || hasMarkdown(a)) {
		e.limits = Span{old.span.Start, endOfLine(ed.body, old.span.End)}
	}
	if len(e.now) == 0 && e.from == e.to {
		return true // only the division into texts, or a note, differs
	}
	var w alternatives
	wide := e.wider(b, k)
	link := cmp.Or(wide, &e)
	w = append(e.asRun(), link.asLink(false)...)
	w = append(w, e.asText()...)
	w = append(w, link.asLink(true)...)
	for _, find := range []func() alternatives{e.asPart, e.asMark, e.asPiece, wide.asPiece} {
		w = append(w, find()...)
	}
	if len(w) == 0 {
		return false
	}
	ed.edits = append(ed.edits, w)
	return true
}

// hasMarkdown reports whether a text is Markdown, although it may begin with the
// tag of a mark or with an address in angle brackets.
func hasMarkdown(list []glyph) bool {
	return slices.ContainsFunc(list, func(a glyph) bool { return a.node == nil && a.span.Start >= 0 && !a.html })
}

// modeOf returns the mode in which the text of a block is printed.
func modeOf(n *Node) inlineMode {
	if n.HeadingLevel() > 0 {
		return singleLineText
	}
	return 0
}

func (e *inlineEdit) old() []glyph { return e.all[e.from:e.to] }

// before and after return the glyphs next to the replaced range, or nil.
func (e *inlineEdit) before() *glyph {
	if e.from == 0 {
		return nil
	}
	return &e.all[e.from-1]
}

func (e *inlineEdit) after() *glyph {
	if e.to == len(e.all) {
		return nil
	}
	return &e.all[e.to]
}

// place returns the source span of the old glyphs.
func (e *inlineEdit) place() (Span, bool) {
	old := e.old()
	s := Span{old[0].span.Start, old[len(old)-1].span.End}
	for _, a := range old {
		if a.span.Start < 0 {
			return s, false
		}
	}
	return s, s.Start <= s.End
}

// uniform reports whether all glyphs are characters with the same marks and the
// same enclosing inlines.
func (e *inlineEdit) uniform(list ...[]glyph) bool {
	var first *glyph
	for _, l := range list {
		for i := range l {
			if first == nil {
				first = &l[i]
			}
			if l[i].node != nil || l[i].raw || !sameMarks(first.marks, l[i].marks) || !e.editor.sameAround(first, &l[i]) {
				return false
			}
		}
	}
	return true
}

func textOfGlyphs(list []glyph) string {
	var b strings.Builder
	for _, a := range list {
		b.WriteString(a.text)
	}
	return b.String()
}

// asText returns the alternatives for an edit that changes only characters inside one
// leaf.
func (e *inlineEdit) asText() alternatives {
	if !e.uniform(e.old(), e.now) {
		return nil
	}
	var at Span
	var like *glyph
	if len(e.old()) > 0 {
		s, ok := e.place()
		if !ok {
			return nil
		}
		at, like = s, &e.old()[0]
		if len(e.now) == 0 {
			at.End = e.withSpaces(at.End)
		}
	} else {
		for _, side := range []*glyph{e.before(), e.after()} {
			if side != nil && side.span.Start >= 0 && e.uniform([]glyph{*side}, e.now) {
				like = side
				end := e.editor.afterBreak(side.span.End)
				at = Span{end, end}
				if side == e.after() {
					at = Span{side.span.Start, side.span.Start}
				}
				break
			}
		}
		if like == nil {
			return nil
		}
	}
	var w alternatives
	seen := map[string]bool{}
	for _, s := range e.spellings(textOfGlyphs(e.now), like) {
		if !seen[s] {
			seen[s] = true
			w = append(w, []replacement{{at, s}})
		}
	}
	return w
}

// withSpaces returns the offset at. At the end of the text of a paragraph, it is
// the end of the spaces after it, which belong to the last word.
func (e *inlineEdit) withSpaces(at int) int {
	if e.to == len(e.all) && e.limits.End > at && endOfLine(e.editor.body, at) >= e.limits.End {
		return e.limits.End
	}
	return at
}

// spellings returns the ways to write a text next to a glyph: verbatim, in case
// no character has a syntactic meaning there, and with escapes.
func (e *inlineEdit) spellings(s string, like *glyph) []string {
	switch {
	case hasMark(like.marks, Mark{Type: "code"}) && !like.html:
		return []string{s, strings.ReplaceAll(s, "|", `\|`)}
	case like.html && !strings.ContainsAny(s, "<>&\n\t") && !strings.Contains(s, "  "):
		return []string{s, entities(s)}
	case like.html:
		return []string{entities(s)}
	}
	out := []string{}
	if !strings.Contains(s, "\n") {
		out = append(out, s)
	}
	for _, mode := range []inlineMode{e.mode, e.mode | tableText | singleLineText} {
		x := textEscaper{s: syntax.Valid(s), mode: mode}
		x.first, x.last = e.before() == nil, e.after() == nil
		out = append(out, x.escape())
	}
	return out
}

// gaps returns the spans between the edit and its neighbors, which contain
// marks and link syntax.
func (e *inlineEdit) gaps(at Span) (left, right Span, ok bool) {
	left, right = Span{at.Start, at.Start}, Span{at.End, at.End}
	if b := e.before(); b != nil {
		if left.Start = b.outer(e.old()[0]).End; left.Start < 0 || left.Start > at.Start {
			return left, right, false
		}
	} else {
		left.Start = e.edge(at.Start, -1)
	}
	if b := e.after(); b != nil {
		if right.End = b.outer(e.old()[0]).Start; right.End < at.End {
			return left, right, false
		}
	} else {
		right.End = e.edge(at.End, 1)
	}
	return left, right, true
}

// outer returns the span of a glyph, or that of its outermost link if the other
// glyph is not in that link.
func (g *glyph) outer(other glyph) Span {
	if len(g.in) > 0 && (len(other.in) == 0 || other.in[0] != g.in[0]) {
		if s := spanOr(g.in[0].span); s.Start >= 0 {
			return s
		}
	}
	return g.span
}

// edge returns the offset up to which marks extend from an offset at the edge
// of a block.
func (e *inlineEdit) edge(at, step int) int {
	body := e.editor.body
	for {
		rest := body[:at]
		if step > 0 {
			rest = body[at:]
		}
		n := 0
		if rest != "" {
			c := rest[0]
			if step < 0 {
				c = rest[len(rest)-1]
			}
			switch {
			case strings.IndexByte("*_~`", c) >= 0:
				n = 1
			case step > 0 && strings.HasPrefix(rest, "</"):
				n = strings.IndexByte(rest, '>') + 1
			case step < 0 && c == '>':
				if k := strings.LastIndexByte(rest, '<'); k >= 0 && !strings.Contains(rest[k:], "\n") && rest[k+1] != '/' {
					n = len(rest) - k
				}
			}
		}
		if n == 0 {
			return at
		}
		at += step * n
	}
}
