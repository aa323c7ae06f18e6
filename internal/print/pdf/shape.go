package pdf

import (
	"slices"
	"unicode"

	"github.com/go-text/typesetting/di"
	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/language"
	"github.com/go-text/typesetting/shaping"
	"github.com/octavo-docs/octavo/internal/print/typeface"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// Scripts whose letters depend on their neighbours, and combining marks, are shaped with
// the tables of the font (by a port of HarfBuzz). Other text needs no shaping: it has one
// glyph per character.

// shapedScripts are the Unicode blocks of scripts that need shaping.
var shapedScripts = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x0590, 0x109f, 1}, {0x1100, 0x11ff, 1}, {0x1700, 0x18af, 1}, {0x1900, 0x1cff, 1},
		{0xa800, 0xabff, 1}, {0xd7b0, 0xd7ff, 1}, {0xfb1d, 0xfdff, 1}, {0xfe70, 0xfefc, 1},
	},
	R32: []unicode.Range32{{0x10a00, 0x10fff, 1}, {0x11000, 0x11fff, 1}, {0x1e900, 0x1eeff, 1}},
}

const (
	zwnj = '\u200c'
	zwj  = '\u200d'
	// continued is the rune of the glyphs of a cluster after its first one. No line
	// begins with such a glyph.
	continued = '\u034f'
)

func isMark(r rune) bool { return unicode.In(r, unicode.Mn, unicode.Mc, unicode.Me) && !ignorable(r) }

// needsShaping reports whether the character at i is shaped together with others.
func needsShaping(in []char, i int) bool {
	c := in[i]
	if c.pic != nil || c.r == objectRune || c.r == ' ' || c.r == '\n' {
		return false
	}
	if unicode.Is(shapedScripts, c.r) || isMark(c.r) {
		return true
	}
	return c.r >= 0x41 && i+1 < len(in) && in[i+1].span == c.span && isMark(in[i+1].r)
}

// shapedRun returns the end of the run from i that is shaped together, and its font. All
// characters of a run have the same span, direction, font and script.
func (d *document) shapedRun(spans []span, in []char, i int) (end int, f chosenGlyph) {
	face := spans[in[i].span].st.face
	f = d.cachedGlyph(in[i].r, face)
	script := language.LookupScript(in[i].r)
	for end = i + 1; end < len(in) && in[end].span == in[i].span && in[end].level == in[i].level; end++ {
		r := in[end].r
		if r == zwj || r == zwnj {
			continue // joiners have no glyph, but change the neighbours
		}
		if !needsShaping(in, end) {
			break
		}
		if isMark(r) && f.font.face.Glyph(r) != 0 {
			continue
		}
		if other := d.cachedGlyph(r, face); other.font != f.font && !isMark(r) {
			break
		}
		switch s := language.LookupScript(r); {
		case s == language.Common || s == language.Inherited:
		case script == language.Common || script == language.Inherited:
			script = s
		case s != script:
			return end, f
		}
	}
	return end, f
}

// shaper shapes text with the tables of fonts.
type shaper struct {
	harfbuzz shaping.HarfbuzzShaper
	faces    map[*typeface.Face]*font.Face // nil: the font cannot be used
	clusters int32
}

// face returns a font for shaping, or nil if its tables cannot be parsed.
func (s *shaper) face(f *typeface.Face) *font.Face {
	out, ok := s.faces[f]
	if !ok {
		if tables, err := f.Shaping(); err == nil {
			out = font.NewFace(tables)
		}
		if s.faces == nil {
			s.faces = map[*typeface.Face]*font.Face{}
		}
		s.faces[f] = out
	}
	return out
}

// shapeRun shapes a run of characters. ok is false if the font cannot be used.
func (d *document) shapeRun(spans []span, in []char, i, end int, f chosenGlyph) (out []glyph, ok bool) {
	face := d.shaper.face(f.font.face)
	if face == nil {
		return nil, false
	}
	defer func() {
		if r := recover(); r != nil { // the library can panic on a malformed font, see typeface.Face.Shaping
			d.shaper.faces[f.font.face] = nil
			out, ok = nil, false
		}
	}()
	// The context is included, because letters join those of adjacent runs, such as bold
	// ones.
	from, to := max(0, i-8), min(len(in), end+8)
	text := make([]rune, 0, to-from)
	for _, c := range in[from:to] {
		text = append(text, c.r)
	}
	input := shaping.Input{
		Text: text, RunStart: i - from, RunEnd: end - from, Face: face, Size: fixed.I(1000), Direction: di.DirectionLTR,
		Script: scriptOf(in[i:end]), Language: "und",
	}
	rtl := in[i].level%2 == 1
	if rtl {
		input.Direction = di.DirectionRTL
	}
	glyphs := d.shaper.harfbuzz.Shape(input).Glyphs
	if rtl { // to logical order; lines are reordered later
		slices.Reverse(glyphs)
	}
	size := spans[in[i].span].st.size
	for k := 0; k < len(glyphs); {
		n := max(1, min(glyphs[k].GlyphsCount(), len(glyphs)-k))
		first := from + glyphs[k].TextIndex()
		last := min(first+max(1, glyphs[k].RunesCount()), end) - 1
		out = append(out, d.cluster(in, first, last, glyphs[k:k+n], f, size)...)
		k += n
	}
	return out, len(out) > 0
}

// cluster converts the shaped glyphs of the characters from first to last.
func (d *document) cluster(in []char, first, last int, from []shaping.Glyph, f chosenGlyph, size float64) []glyph {
	d.shaper.clusters++
	text := make([]rune, 0, last-first+1)
	for _, c := range in[first : last+1] {
		text = append(text, c.r)
	}
	points := func(v fixed.Int26_6) float64 { return float64(v) / 64 / 1000 * size }
	out := make([]glyph, len(from))
	for i, g := range from {
		represents := ""
		if len(from) == 1 {
			represents = string(text)
		}
		o := glyph{font: f.font, fake: f.fake, r: continued, span: in[first].span, level: in[first].level, cluster: d.shaper.clusters,
			w: points(g.Advance), dx: points(g.XOffset), dy: points(g.YOffset)}
		if i == 0 {
			o.r, o.text = in[first].r, string(text)
		}
		o.code, _ = f.font.code(sfnt.GlyphIndex(g.GlyphID), represents)
		out[i] = o
	}
	out[len(out)-1].after = last+1 < len(in) && mayBreak(in, last)
	return out
}

func scriptOf(in []char) language.Script {
	for _, c := range in {
		if s := language.LookupScript(c.r); s != language.Common && s != language.Inherited {
			return s
		}
	}
	return language.Common
}
