package markup

import (
	"slices"
	"strings"
)

// markForms are the pairs of delimiters or tags that can represent a mark.
var markForms = map[string][][2]string{
	"bold":          {{"**", "**"}, {"__", "__"}, {"<strong>", "</strong>"}, {"<b>", "</b>"}},
	"italic":        {{"_", "_"}, {"*", "*"}, {"<em>", "</em>"}, {"<i>", "</i>"}},
	"strikethrough": {{"~~", "~~"}, {"~", "~"}, {"<del>", "</del>"}, {"<s>", "</s>"}, {"<strike>", "</strike>"}},
}

// asMark returns the alternatives for an edit that sets or removes one mark, as two
// small replacements around the text.
func (e *inlineEdit) asMark() alternatives {
	old := e.old()
	if len(old) == 0 || len(old) != len(e.now) {
		return nil
	}
	for i := range old {
		a, b := old[i], e.now[i]
		if a.text != b.text || a.raw != b.raw || a.node != nil || b.node != nil || !e.editor.sameAround(&a, &b) ||
			!sameMarks(a.marks, old[0].marks) || !sameMarks(b.marks, e.now[0].marks) || !e.editor.sameAround(&a, &old[0]) {
			return nil
		}
	}
	mark, set, ok := oneMark(old[0].marks, e.now[0].marks)
	at, known := e.place()
	if !ok || !known || mark.Type == "code" {
		return nil
	}
	left, right, ok := e.gaps(at)
	if !ok {
		return nil
	}
	if hasMark(old[0].marks, Mark{Type: "code"}) && !old[0].html {
		left.End, right.Start = codeEdges(e.editor.body, left, right)
	}
	right.Start = min(e.editor.afterBreak(right.Start), right.End)
	forms := slices.Clone(markForms[mark.Type])
	if open, close := htmlMark(mark); len(forms) == 0 {
		forms = [][2]string{{open, close}}
	}
	if old[0].html {
		forms = slices.DeleteFunc(forms, func(f [2]string) bool { return f[0][0] != '<' })
	}
	var w alternatives
	has := func(a *glyph) bool { return a != nil && hasMark(a.marks, mark) && e.editor.sameAround(a, &old[0]) }
	before, after := has(e.before()), has(e.after())
	if !set || before || after {
		for _, f := range forms {
			if list, ok := markReplacements(e.editor.body, f, set, left, right, before, after); ok {
				w = append(w, list)
			}
		}
	}
	for i, f := range forms {
		if set && (i == 0 || f[0][0] == '<') {
			w = append(w, []replacement{{Span{left.End, left.End}, f[0]}, {Span{right.Start, right.Start}, f[1]}})
		}
	}
	return w
}

// afterBreak returns the offset at. At the start of a line, it skips the
// prefixes of the enclosing blocks.
func (ed *sourceEditor) afterBreak(at int) int {
	if at == 0 || ed.body[at-1] != '\n' {
		return at
	}
	return at + len(ed.body[at:]) - len(strings.TrimLeft(ed.body[at:], " \t>"))
}

// codeEdges returns the offsets of the start and end of the backticks around
// inline code.
func codeEdges(body string, left, right Span) (start, end int) {
	l, r := body[left.Start:left.End], body[right.Start:right.End]
	l = strings.TrimRight(strings.TrimSuffix(l, " "), "`")
	r = strings.TrimLeft(strings.TrimPrefix(r, " "), "`")
	return left.Start + len(l), right.End - len(r)
}

// oneMark returns the only mark that differs between two sets, and whether now
// has it.
func oneMark(was, now []Mark) (mark Mark, set, ok bool) {
	switch {
	case len(now) == len(was)+1:
		was, now, set = now, was, true
	case len(was) != len(now)+1:
		return mark, false, false
	}
	for i, m := range was {
		if sameMarks(slices.Delete(slices.Clone(was), i, i+1), now) {
			return m, set, true
		}
	}
	return mark, false, false
}

// markReplacements returns the replacements for one mark in one form. If a neighbor has
// the mark too, the end of its mark is moved. An opening that is removed is in
// the left gap, and a closing in the right gap.
func markReplacements(body string, f [2]string, set bool, left, right Span, before, after bool) ([]replacement, bool) {
	open, close := f[0], f[1]
	l, r := body[left.Start:left.End], body[right.Start:right.End]
	cut := func(gap Span, text, form string, last bool) (replacement, bool) {
		k := strings.Index(text, form)
		if last {
			k = strings.LastIndex(text, form)
		}
		return replacement{Span{gap.Start + k, gap.Start + k + len(form)}, ""}, k >= 0
	}
	a, b, okA, okB := replacement{Span{left.End, left.End}, open}, replacement{Span{right.Start, right.Start}, close}, true, true
	switch {
	case set && before:
		a, okA = cut(left, l, close, true)
	case !set && before:
		a.text = close
	case !set:
		a, okA = cut(left, l, open, true)
	}
	switch {
	case set && after:
		b, okB = cut(right, r, open, false)
	case !set && after:
		b.text = open
	case !set:
		b, okB = cut(right, r, close, false)
	}
	return []replacement{a, b}, okA && okB
}

// asPiece returns the alternatives that print the new glyphs. Marks around both the old
// and the new glyphs keep their source.
func (e *inlineEdit) asPiece() alternatives {
	if e == nil {
		return nil
	}
	at, active, ok := e.pieceAt()
	if !ok {
		return nil
	}
	html := false
	for _, a := range e.old() {
		html = html || a.html
	}
	var w alternatives
	for _, mode := range []inlineMode{e.mode, e.mode | tableText | singleLineText} {
		if html {
			mode = htmlText
		}
		text := ""
		if len(e.now) > 0 {
			text = e.editor.indentAt(e.printed(active, mode), e.start)
			if inner := e.withoutSpaces(); inner != nil && !html {
				lead, trail := e.spaces()
				w = append(w, []replacement{{at, lead + e.editor.indentAt(inner.printed(active, mode), e.start) + trail}})
			}
		}
		w = append(w, []replacement{{at, text}})
		if len(e.old()) == 0 {
			continue
		}
		if left, right, ok := e.gaps(at); ok && (left.Start < left.End || right.Start < right.End) && len(active) == 0 {
			w = append(w, []replacement{{Span{left.Start, right.End}, text}})
		}
		if html {
			break
		}
	}
	return w
}

// spaces returns the spaces at both ends of the new glyphs that can be written
// as such, because there is text beside them.
func (e *inlineEdit) spaces() (lead, trail string) {
	blank := func(a glyph) bool { return a.text == " " && len(a.in) == 0 && len(a.marks) == 0 }
	if len(e.now) > 1 && e.before() != nil && blank(e.now[0]) {
		lead = " "
	}
	if len(e.now) > 1 && e.after() != nil && blank(e.now[len(e.now)-1]) {
		trail = " "
	}
	return lead, trail
}

// withoutSpaces returns the edit without these spaces, or nil if there are none.
func (e *inlineEdit) withoutSpaces() *inlineEdit {
	lead, trail := e.spaces()
	if len(lead)+len(trail) == 0 || len(e.now) <= len(lead)+len(trail) {
		return nil
	}
	inner := *e
	inner.now = e.now[len(lead) : len(e.now)-len(trail)]
	return &inner
}

// pieceAt returns the span that a piece replaces, and the marks that are open
// there.
func (e *inlineEdit) pieceAt() (Span, []Mark, bool) {
	old := e.old()
	for _, l := range [][]glyph{old, e.now} {
		if len(l) > 0 && (len(l[0].in) > 0 && !l[0].first || len(l[len(l)-1].in) > 0 && !l[len(l)-1].last) {
			return Span{}, nil, false // only a part of a link
		}
	}
	if len(old) == 0 {
		a, b := e.before(), e.after()
		switch {
		case a != nil && a.last && len(a.in) > 0 && spanOr(a.in[0].span).Start >= 0 && (b == nil || len(b.in) == 0 || b.in[0] != a.in[0]):
			return Span{a.in[0].span.End, a.in[0].span.End}, nil, true
		case a != nil && a.span.Start >= 0 && len(a.in) == 0:
			if b == nil || sameMarks(a.marks, b.marks) || len(a.marks) == 0 {
				end := e.editor.afterBreak(a.span.End)
				return Span{end, end}, a.marks, true
			}
			if len(b.marks) == 0 && b.span.Start >= 0 && len(b.in) == 0 {
				return Span{b.span.Start, b.span.Start}, nil, true
			}
		case b != nil && b.span.Start >= 0 && len(b.in) == 0:
			return Span{b.span.Start, b.span.Start}, b.marks, true
		}
		return Span{}, nil, false
	}
	first, last := old[0], old[len(old)-1]
	s := Span{first.span.Start, last.span.End}
	if len(first.in) > 0 {
		s.Start = spanOr(first.in[0].span).Start
	}
	if len(last.in) > 0 {
		s.End = spanOr(last.in[0].span).End
	}
	if s.Start < 0 || s.End < s.Start {
		return s, nil, false
	}
	active := commonMarks(append(runsOf(nodesOfGlyphs(old)), runsOf(nodesOfGlyphs(e.now))...))
	if len(e.now) == 0 {
		active = nil
	}
	return s, active, true
}

func (e *inlineEdit) printed(active []Mark, mode inlineMode) string {
	w := &inlineWriter{p: e.editor.p, mode: mode}
	runs := runsOf(nodesOfGlyphs(e.now))
	if mode&htmlText != 0 {
		return e.editor.p.htmlRuns(runs, active)
	}
	w.runs(runs, active)
	return w.done()
}

// nodesOfGlyphs converts glyphs back to inlines.
func nodesOfGlyphs(list []glyph) []*Node {
	var b InlineBuilder
	for i := 0; i < len(list); i++ {
		a := list[i]
		switch {
		case len(a.in) > 0:
			b.Inline(a.in[0])
			for i+1 < len(list) && len(list[i+1].in) > 0 && list[i+1].in[0] == a.in[0] {
				i++
			}
		case a.node != nil:
			b.Inline(a.node)
		case a.raw:
			b.Raw(a.text, a.marks)
		default:
			b.Text(a.text, a.marks)
		}
	}
	return b.Done()
}

// wider returns the edit extended to whole links, or nil if it is not inside
// one. k is the number of unchanged glyphs after the edit in b.
func (e *inlineEdit) wider(b []glyph, k int) *inlineEdit {
	out := *e
	to := len(b) - k
	for out.from > 0 && (insideLink(out.all, out.from) || insideLink(b, out.from)) {
		out.from--
	}
	for out.to < len(out.all) && (insideLink(out.all, out.to) || insideLink(b, to)) {
		out.to++
		to++
	}
	if out.from == e.from && out.to == e.to {
		return nil
	}
	out.now = b[out.from:to]
	return &out
}

// insideLink reports whether a position between two glyphs is inside a link.
func insideLink(list []glyph, at int) bool {
	if at <= 0 || at >= len(list) || len(list[at].in) == 0 || len(list[at-1].in) == 0 {
		return false
	}
	return list[at].in[0] == list[at-1].in[0]
}
