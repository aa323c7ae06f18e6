package merge

import (
	"slices"
	"strconv"
	"unicode"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/align"
)

// words merges two versions of a text word by word, with marks, links and other
// inlines. It returns false if the sides changed the same word or adjacent
// words.
func (m *merger) words(base, into, from *markup.Node) ([]*markup.Node, bool) {
	if into.Type == "code-line" { // lines of code are not merged by words
		return nil, false
	}
	b, a, c := m.wordList(base), m.wordList(into), m.wordList(from)
	x, y := wordEdits(b, a), wordEdits(b, c)
	if len(x) > 0 && len(y) > 0 && touchesRaw(b, a, x) && touchesRaw(b, c, y) {
		return nil, false // an HTML tag may begin in one word and end in another
	}
	var out []glyph
	at := 0 // index in the base
	take := func(e wordEdit, side []word) {
		for _, w := range b[at:e.start] {
			out = append(out, w.glyphs...)
		}
		for _, w := range side[e.from:e.to] {
			out = append(out, w.glyphs...)
		}
		at = e.end
	}
	for len(x) > 0 || len(y) > 0 {
		switch {
		case len(y) == 0 || len(x) > 0 && separated(b, x[0], y[0]):
			take(x[0], a)
			x = x[1:]
		case len(x) == 0 || separated(b, y[0], x[0]):
			take(y[0], c)
			y = y[1:]
		case sameEdit(x[0], y[0], a, c):
			take(x[0], a)
			x, y = x[1:], y[1:]
		default:
			return nil, false
		}
	}
	take(wordEdit{start: len(b), end: len(b)}, nil)
	return joinGlyphs(out, 0), true
}

// word is a word, a run of spaces, another character, or an inline without
// text.
type word struct {
	key    string // hashes of its glyphs, including their marks and the links around them
	solid  bool   // has a letter, a digit, raw HTML or an inline without text
	raw    bool
	glyphs []glyph
}

// wordList splits the inlines of a block into words. The marks may change
// within a word.
func (m *merger) wordList(n *markup.Node) []word {
	glyphs := glyphsOf(nil, n.Nodes, nil)
	var out []word
	kind := align.KindAlone
	for i := range glyphs {
		g := &glyphs[i]
		if i > 0 {
			g.inside = commonAround(glyphs[i-1].in, g.in)
		}
		k, solid := align.KindAlone, true
		if g.node == nil && !g.raw {
			r, _ := utf8.DecodeRuneInString(g.text)
			k, solid = align.RuneKind(r), unicode.IsLetter(r) || unicode.IsDigit(r)
		}
		if k == align.KindAlone || k != kind || i == 0 {
			out = append(out, word{})
		}
		kind = k
		w := &out[len(out)-1]
		w.glyphs = append(w.glyphs, *g)
		w.solid, w.raw = w.solid || solid, w.raw || g.raw
		w.key += strconv.FormatUint(m.glyphHash(g), 36) + " "
	}
	return out
}

// glyphHash returns a hash of a glyph, its marks and the inlines around it. A
// glyph that begins a link has a different hash from one that continues it, so
// that two adjacent links do not become one.
func (m *merger) glyphHash(g *glyph) uint64 {
	v := align.Mix(align.HashString(align.HashSeed, g.text), uint64(g.inside))
	if g.raw {
		v = align.Mix(v, 7)
	}
	if g.node != nil {
		v = align.Mix(v, m.h.Of(g.node))
	}
	for _, mark := range g.marks {
		v = align.HashString(v, mark.Type)
		v = align.HashString(align.HashString(v, mark.Data["text"]), mark.Data["background"])
	}
	for _, n := range g.in {
		v = align.Mix(v, m.shell(n))
	}
	return v
}

// shell returns the hash of an inline without its child nodes.
func (m *merger) shell(n *markup.Node) uint64 {
	v := markup.HashValue(align.HashString(align.HashSeed, n.Type), n.Data)
	for _, f := range n.Fragments {
		v = align.Mix(v, m.h.Of(f))
	}
	return v
}

// commonAround returns how many of the inlines around a glyph also enclose the
// previous glyph.
func commonAround(before, in []*markup.Node) int {
	n := 0
	for n < len(before) && n < len(in) && before[n] == in[n] {
		n++
	}
	return n
}

// wordEdit replaces the words start to end of the base by the words from to to
// of a side.
type wordEdit struct{ start, end, from, to int }

// wordEdits returns the edits of a side in order. There is at least one
// unchanged word between two edits.
func wordEdits(base, side []word) []wordEdit {
	keys := func(list []word) []string {
		out := make([]string, len(list))
		for i, w := range list {
			out[i] = w.key
		}
		return out
	}
	var out []wordEdit
	e := wordEdit{}
	end := func() {
		if e.start < e.end || e.from < e.to {
			out = append(out, e)
		}
	}
	for _, o := range align.DiffTokens(keys(base), keys(side)) {
		switch o.Op {
		case align.WordDelete:
			e.end++
		case align.WordInsert:
			e.to++
		default:
			end()
			e = wordEdit{e.end + 1, e.end + 1, e.to + 1, e.to + 1}
		}
	}
	end()
	return out
}

// separated reports whether the first edit ends before the second one, with at
// least one solid word between them.
func separated(base []word, first, second wordEdit) bool {
	return first.end < second.start && slices.ContainsFunc(base[first.end:second.start], func(w word) bool { return w.solid })
}

// sameEdit reports whether two edits make the same change.
func sameEdit(x, y wordEdit, a, c []word) bool {
	return x.start == y.start && x.end == y.end &&
		slices.EqualFunc(a[x.from:x.to], c[y.from:y.to], func(v, w word) bool { return v.key == w.key })
}

// touchesRaw reports whether any of the edits adds or removes raw HTML.
func touchesRaw(base, side []word, edits []wordEdit) bool {
	raw := func(w word) bool { return w.raw }
	return slices.ContainsFunc(edits, func(e wordEdit) bool {
		return slices.ContainsFunc(base[e.start:e.end], raw) || slices.ContainsFunc(side[e.from:e.to], raw)
	})
}
