package markup

import (
	"regexp"
	"slices"
	"strings"
)

// goneText is a paragraph or a heading that is not in the new document as it
// was: it was edited, split, joined with another one, or removed.
type goneText struct {
	i     int // in sourceIndex.old
	plain string
}

// maxTextSources is how many old texts are tried as the source of a new one.
const maxTextSources = 4

// goneTexts returns the texts of the old document that a new text can be a part
// of.
func (x *sourceIndex) goneTexts() []goneText {
	x.build()
	if !x.texts {
		x.texts = true
		for i, b := range x.old {
			if isText(b.node) && x.times[x.h.Of(b.node)] > 0 {
				x.gone = append(x.gone, goneText{i, PlainText(b.node.Nodes)})
			}
		}
	}
	return x.gone
}

// text returns the inlines of a paragraph or a heading as the source has them,
// possibly in a block of another kind or as a part of one.
func (x *sourceIndex) text(n *Node, mode inlineMode) (string, bool) {
	for _, i := range x.textsLike(n) {
		if s, ok := x.textFrom(i, n, mode); ok {
			return s, true
		}
	}
	return "", false
}

// textsLike returns the old blocks whose text a new text may come from.
func (x *sourceIndex) textsLike(n *Node) (list []int) {
	x.build()
	if equal := x.byText[hashNodes(n.Nodes)]; len(equal) > 0 {
		list = append(list, x.likeliest(equal, n))
	}
	if i, ok := x.byKey[n.Key]; ok && n.Key != "" && isText(x.old[i].node) {
		list = append(list, i)
	}
	plain := strings.TrimSpace(PlainText(n.Nodes))
	if plain == "" {
		return list
	}
	known := len(list)
	for _, g := range x.goneTexts() {
		if len(list) >= maxTextSources || !x.spend(len(g.plain)) {
			break
		}
		part := g.plain != "" && strings.HasPrefix(plain, strings.TrimSpace(g.plain))
		if (part || strings.Contains(g.plain, plain)) && !slices.Contains(list, g.i) {
			list = append(list, g.i)
		}
	}
	slices.SortStableFunc(list[known:], func(a, b int) int { // equal texts may have other bytes
		switch at, bt := x.isBeside(a, n), x.isBeside(b, n); {
		case at == bt:
			return 0
		case at:
			return -1
		}
		return 1
	})
	return list
}

// textFrom returns the inlines of a block as an edited version of those of an
// old block.
func (x *sourceIndex) textFrom(i int, n *Node, mode inlineMode) (string, bool) {
	was := x.trace(i)
	if was.Str(FieldAlign) != "" || was.Str(FieldClass) != "" || was.Str(FieldID) != "" {
		return "", false
	}
	text := *was
	text.Nodes, text.Key, text.span = n.Nodes, "", Span{}
	alone := blockNode("paragraph", nil, n.Nodes...)
	prefix := ""
	if mode&singleLineText != 0 {
		alone, prefix = blockNode("heading-2", map[string]any{}, n.Nodes...), "## "
	}
	out := ""
	equal := hashNodes(was.Nodes) == hashNodes(n.Nodes)
	s := x.version(i, &text, equal, func(source string) bool {
		content, ok := inlinesOf(was, source, mode)
		if !ok || content == "" || !x.reads(prefix+content, alone, false) {
			return false
		}
		out = content
		return true
	})
	return out, s.ok
}

var (
	openHashes = regexp.MustCompile(`^#{1,6}(?:[ \t]+|$)`)
	// literalLines matches a text between lines of the tag whose content is literal.
	literalLines = regexp.MustCompile(`(?s)^(\{%[ \t]*raw[ \t]*%\})[ \t]*\n(.*?)\n[ \t]*(\{%[ \t]*endraw[ \t]*%\})$`)
	closeHashes  = regexp.MustCompile(`(?:^|[ \t]+)#+[ \t]*$`)
)

// inlinesOf returns the inlines in the source of a paragraph or a heading. In a
// heading, they are on one line. In a paragraph, the spaces after them stay.
func inlinesOf(was *Node, source string, mode inlineMode) (string, bool) {
	end := ""
	if content := strings.TrimRight(source, " \t\r\n"); was.Type == "paragraph" && mode&singleLineText == 0 {
		end = strings.TrimRight(source[len(content):], "\r\n")
	}
	source = strings.TrimSpace(source)
	if m := literalLines.FindStringSubmatch(source); m != nil && mode&singleLineText != 0 {
		source = m[1] + m[2] + m[3] // on a line of its own, the tag is that of a block
	}
	if was.HeadingLevel() > 0 {
		if at := openHashes.FindString(source); at != "" {
			source = closeHashes.ReplaceAllString(source[len(at):], "")
		} else if i := strings.LastIndexByte(source, '\n'); i >= 0 {
			source = source[:i]
		}
		source = strings.TrimSpace(source)
	}
	lines := strings.Split(source, "\n")
	for i := range lines[:len(lines)-1] {
		if mode&singleLineText != 0 && (strings.HasSuffix(lines[i], "  ") || strings.HasSuffix(lines[i], `\`)) {
			return "", false
		}
	}
	if mode&singleLineText == 0 {
		return source + end, true
	}
	for i, l := range lines {
		lines[i] = strings.Trim(l, " \t")
	}
	return strings.Join(lines, " "), true
}

// asRun returns the alternative for an edit that adds the text of another block.
func (e *inlineEdit) asRun() alternatives {
	x := e.editor.p.sources
	if x == nil || len(e.now) < 2 {
		return nil
	}
	at, _, ok := e.pieceAt()
	if !ok {
		return nil
	}
	for _, a := range e.old() {
		if a.html {
			return nil
		}
	}
	text, ok := x.run(e)
	if !ok {
		return nil
	}
	at.End = e.withSpaces(at.End)
	w := alternatives{[]replacement{{at, text}}}
	if len(e.old()) == 0 && e.to == len(e.all) { // marks end before it
		end := e.edge(at.End, 1)
		if e.limits.End > 0 {
			end = len(strings.TrimRight(e.editor.body[:e.limits.End], " \t"))
		}
		if end != at.Start {
			w = append(w, []replacement{{Span{end, e.withSpaces(end)}, text}})
		}
	}
	return w
}

// run returns the source of inlines that were the text of another block.
func (x *sourceIndex) run(e *inlineEdit) (string, bool) {
	now := e.now
	lead, trail := "", ""
	for len(now) > 0 && now[0].text == " " {
		now, lead = now[1:], " "
	}
	for len(now) > 0 && now[len(now)-1].text == " " {
		now, trail = now[:len(now)-1], " "
	}
	if len(now) < 2 {
		return "", false
	}
	x.build()
	equal := x.byText[hashNodes(nodesOfGlyphs(now))]
	if len(equal) == 0 {
		return "", false
	}
	was := x.trace(equal[0])
	span := x.extent(was)
	if span.Start < 0 || !x.spend(span.End-span.Start) {
		return "", false
	}
	text, ok := inlinesOf(was, x.cut(span.Start, string(x.r.body[span.Start:span.End])), e.mode)
	if !ok || text == "" {
		return "", false
	}
	if trail != "" || e.to < len(e.all) {
		text = strings.TrimRight(text, " \t")
	}
	return lead + e.editor.indentAt(text, e.start) + trail, true
}

// asPart returns the alternatives for an edit that leaves only the beginning or
// only the end of a text, as when it is split. Marks around the place keep the
// delimiters that they have at the other side.
func (e *inlineEdit) asPart() alternatives {
	if len(e.now) > 0 || len(e.old()) == 0 {
		return nil
	}
	if e.from > 0 && e.to < len(e.all) {
		e = e.atAnEnd()
	}
	if e.from > 0 == (e.to < len(e.all)) {
		return nil
	}
	near, kept, step := e.to-1, e.to, -1 // the glyphs at both sides of the place
	if e.from > 0 {
		near, kept, step = e.from, e.from-1, 1
	}
	common := slices.DeleteFunc(slices.Clone(e.all[near].marks), func(m Mark) bool { return !hasMark(e.all[kept].marks, m) })
	if e.limits.End == 0 && (e.side(e.from, -1) < 0 || e.side(e.to-1, 1) < 0) || e.all[near].span.Start < 0 || e.all[kept].span.Start < 0 || len(e.all[near].in)+len(e.all[kept].in) > 0 {
		return nil
	}
	var w alternatives
	for _, inner := range e.cuts(near, kept, -step, len(e.all[kept].marks) >= len(e.all[near].marks)) {
		w = append(w, e.peel(near, inner, step, common)...)
	}
	return w
}

// peel returns the ways to remove the glyphs from number near to the end of the
// text, but not the delimiters of marks that the other side of the place has
// too. The first glyph is removed up to the offset inner. Of nested marks, each
// can end at another glyph.
func (e *inlineEdit) peel(near, inner, step int, marks []Mark) (w alternatives) {
	without := func(k int) bool {
		return slices.ContainsFunc(marks, func(m Mark) bool { return !hasMark(e.all[k].marks, m) })
	}
	far := near // the last glyph with all of the marks
	for k := near; k >= e.from && k < e.to && e.all[k].span.Start >= 0 && !without(k); k += step {
		far = k
	}
	if far == e.from && step < 0 || far == e.to-1 && step > 0 {
		if len(marks) == 0 {
			w = append(w, []replacement{{ordered(e.limit(step), inner), ""}})
		}
		for _, outer := range append([]int{e.side(far, step)}, e.edges(e.side(far, step), step)...) {
			w = append(w, []replacement{{ordered(outer, inner), ""}})
		}
		return w
	}
	next := &e.all[far+step]
	left := slices.DeleteFunc(slices.Clone(marks), func(m Mark) bool { return !hasMark(next.marks, m) })
	here := replacement{ordered(e.side(far, step), inner), ""}
	for _, outer := range e.cuts(far, far+step, step, len(next.marks) > len(e.all[far].marks)) {
		rest := alternatives{{{ordered(e.limit(step), outer), ""}}}
		if len(left) > 0 && next.span.Start >= 0 {
			rest = e.peel(far+step, outer, step, left)
		}
		for _, list := range rest {
			w = append(w, append(list, here))
		}
		if len(w) >= maxAlternatives {
			break
		}
	}
	return w
}

// atAnEnd returns an edit that has the same result, and removes the beginning or
// the end of the text, if there is one: `ab` is left of `abcab` in two ways.
func (e *inlineEdit) atAnEnd() *inlineEdit {
	left, right := *e, *e
	for left.from > 0 && e.editor.sameGlyph(&e.all[left.from-1], &e.all[left.to-1]) {
		left.from, left.to = left.from-1, left.to-1
	}
	for right.to < len(e.all) && e.editor.sameGlyph(&e.all[right.from], &e.all[right.to]) {
		right.from, right.to = right.from+1, right.to+1
	}
	if left.from > 0 && right.to == len(e.all) {
		return &right
	}
	return &left
}

// limit returns the offset where the text begins or, if step is 1, ends.
func (e *inlineEdit) limit(step int) int {
	if step < 0 {
		if e.limits.End > 0 {
			return e.limits.Start
		}
		return e.edge(e.side(e.from, -1), -1)
	}
	if e.limits.End > 0 {
		return e.limits.End
	}
	return e.edge(e.side(e.to-1, 1), 1)
}

// side returns the offset of the beginning or, if step is 1, of the end of a
// glyph.
func (e *inlineEdit) side(i, step int) int {
	s := e.all[i].span
	if in := e.all[i].in; len(in) > 0 {
		s = spanOr(in[0].span)
	}
	if step < 0 {
		return s.Start
	}
	return s.End
}

// edges returns the offsets after each of the delimiters and tags beside an
// offset.
func (e *inlineEdit) edges(at, step int) (list []int) {
	body := e.editor.body
	beside := func(n int) byte { // the byte n places away
		if i := at + n*step + min(step, 0); i >= 0 && i < len(body) {
			return body[i]
		}
		return 0
	}
	for range maxAlternatives / 2 {
		from := at
		if beside(0) == ' ' && beside(1) == '`' {
			at += step // the space beside the backticks of code
		}
		if c := beside(0); c != 0 && strings.IndexByte("*_~`", c) >= 0 {
			for beside(0) == c {
				at += step
			}
		} else if c == '<' && step > 0 {
			at += strings.IndexByte(body[at:], '>') + 1
		} else if c == '>' && step < 0 {
			at = max(strings.LastIndexByte(body[:at], '<'), 0)
		}
		if at == from {
			break
		}
		list = append(list, at)
	}
	return list
}

// cuts returns the offsets between two glyphs where the marks of one of them can
// end. near is whether those of glyph k are likely to be all.
func (e *inlineEdit) cuts(i, k, step int, near bool) (list []int) {
	from, to := e.side(i, step), e.side(k, -step)
	if to < 0 { // the glyph is not in the source, such as an element
		return append(e.edges(from, step), from)
	}
	if step > 0 {
		from = min(e.editor.afterBreak(from), to)
	} else {
		to = min(e.editor.afterBreak(to), from)
	}
	if (to-from)*step < 0 || (to-from)*step > 12 {
		return []int{from}
	}
	if list = []int{to, from}; near {
		list = []int{from, to}
	}
	for at := from + step; at != to && from != to; at += step {
		list = append(list, at)
	}
	return slices.Compact(list)
}

func ordered(a, b int) Span { return Span{min(a, b), max(a, b)} }
