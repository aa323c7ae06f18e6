package pdf

import (
	"iter"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/image/font/sfnt"

	"github.com/octavo-docs/octavo/internal/docs/emoji"
	"github.com/octavo-docs/octavo/internal/print/typeface"
)

// style is the style of text.
type style struct {
	size   float64
	face   uint8 // bold, italic and mono
	color  color
	back   color // background; none if there is none
	boxed  bool  // has a border, as keys have
	strike bool
	under  bool
	rise   float64 // offset above the baseline
}

// span is a text in one style, or a figure in a line.
type span struct {
	text string
	st   style
	link *target
	mark string  // destination that is placed here
	obj  *figure // a figure instead of text
}

// figure is an inline element that is not text.
type figure struct {
	w, h float64
	drop float64                       // depth of the bottom below the baseline
	draw func(c *canvas, x, y float64) // y is the top
}

// char is a character of a paragraph before it becomes a glyph.
type char struct {
	r     rune
	text  string // text of an emoji picture
	pic   *picture
	span  int32
	level uint8
}

// glyph is a character positioned in a line.
type glyph struct {
	font  *docFont
	w     float64
	r     rune
	span  int32
	code  uint16
	level uint8
	after bool     // a line may end after it
	fake  bool     // bold or italic is emulated
	pic   *picture // picture that is drawn instead of the glyph

	// Fields of shaped glyphs: the number of the cluster from 1, the offset from the pen
	// position, and, on the first glyph, the text of the cluster.
	cluster int32
	dx, dy  float64
	text    string
}

// emojiSide is the side of an emoji, and emojiWidth its advance, relative to the text
// size.
const (
	emojiSide  = 1.16
	emojiWidth = 1.28
)

// maxWindow is the number of characters that are shaped at once. A longer paragraph,
// which is unusual, can have a short line at the end of each window.
const maxWindow = 8 << 10

// lines breaks a paragraph into lines of a width and calls emit with each.
func (d *document) lines(spans []span, width float64, emit func(line)) {
	var window []char
	first := true
	flush := func(end bool) {
		if len(window) > 0 || end && first {
			d.window(spans, window, width, first, emit)
			first = false
		}
		window = window[:0]
	}
	for i, s := range spans {
		if s.obj != nil || s.mark != "" && s.text == "" {
			window = append(window, char{r: objectRune, span: int32(i)})
			continue
		}
		for r, text := range characters(s.text) {
			switch {
			case text != "":
				if p := d.emoji(text); p != nil {
					window = append(window, char{r: r, text: text, pic: p, span: int32(i)})
					continue
				}
				for _, r := range text {
					window = append(window, char{r: r, span: int32(i)})
				}
				continue
			case r == '\r' || steersDirection(r):
				continue
			case r == '\t':
				r = ' '
			case r == '\u2028' || r == '\u2029' || r == '\v' || r == '\f':
				r = '\n'
			case unicode.IsControl(r) && r != '\n':
				r = unicode.ReplacementChar
			}
			window = append(window, char{r: r, span: int32(i)})
			if len(window) >= maxWindow && (r == ' ' || len(window) >= maxWindow+256) {
				flush(false)
			}
		}
	}
	flush(true)
}

// characters returns the characters of a text. An emoji of one or more characters is one
// element, with its text.
func characters(s string) iter.Seq2[rune, string] {
	return func(yield func(rune, string) bool) {
		for len(s) > 0 {
			r, n := utf8.DecodeRuneInString(s)
			text := ""
			if r >= 0x80 || n < len(s) && s[n] >= 0x80 {
				if whole := emoji.Prefix(s); whole > 0 {
					text, n = s[:whole], whole
				}
			}
			if !yield(r, text) {
				return
			}
			s = s[n:]
		}
	}
}

// objectRune is the rune of figures and marks.
const objectRune = '\ufffc'

// line is a line of glyphs in visual order.
type line struct {
	spans  []span
	glyphs []glyph
	width  float64
	rtl    bool
	first  bool
	broken bool // ends at a line break or at the end of the paragraph
	// rise and fall are the maximum extents of figures above and below the baseline.
	rise, fall float64
}

func (d *document) window(spans []span, in []char, width float64, first bool, emit func(line)) {
	rtl, both := false, hasRTL(in)
	if both {
		rtl = startsRTL(in)
		setLevels(in, rtl)
	}
	glyphs := d.shape(spans, in)
	for len(glyphs) > 0 || first {
		n, skip, broken := fit(glyphs, width)
		l := line{spans: spans, glyphs: trimmed(glyphs[:n]), rtl: rtl, first: first, broken: broken || n+skip >= len(glyphs)}
		for _, g := range l.glyphs {
			l.width += g.w
			if o := spans[g.span].obj; o != nil {
				l.rise, l.fall = max(l.rise, o.h-o.drop), max(l.fall, o.drop)
			}
		}
		if both {
			visual(l.glyphs)
		}
		emit(l)
		glyphs, first = glyphs[n+skip:], false
	}
}

// shape returns the glyphs of characters, and determines where lines may end.
func (d *document) shape(spans []span, in []char) []glyph {
	out := make([]glyph, 0, len(in))
	for i := 0; i < len(in); i++ {
		c := in[i]
		if needsShaping(in, i) {
			end, f := d.shapedRun(spans, in, i)
			if set, ok := d.shapeRun(spans, in, i, end, f); ok {
				out, i = append(out, set...), end-1
				continue
			}
		}
		s := &spans[c.span]
		g := glyph{r: c.r, span: c.span, level: c.level}
		switch {
		case c.r == objectRune && s.obj != nil:
			g.w = s.obj.w
		case c.r == objectRune && s.mark != "" || c.r == '\n' || c.r == 0x200b || c.r == 0xad:
			// They have no glyph.
		case ignorable(c.r):
			continue
		case c.pic != nil:
			g.pic, g.w = c.pic, s.st.size*emojiWidth
			g.font, g.code, _, _ = d.glyph(' ', c.text, s.st.face)
		default:
			shown := c.r
			if c.level%2 == 1 {
				shown = mirrored(shown)
			}
			var w float64
			g.font, g.code, w, g.fake = d.glyph(shown, string(c.r), s.st.face)
			g.w = w * s.st.size / 1000
		}
		g.after = i+1 < len(in) && mayBreak(in, i)
		out = append(out, g)
	}
	return out
}

// ignorable reports whether a character selects a glyph variant and has no glyph itself.
func ignorable(r rune) bool {
	return r == 0x200c || r == 0x200d || r == 0x2060 || r == 0xfeff || r >= 0xfe00 && r <= 0xfe0f ||
		r >= 0xe0000 && r <= 0xe0fff || r == 0x180e || r == 0x034f
}

// mayBreak reports whether a line may end after the character at i. It implements the
// Unicode line breaking rules that need no dictionary, as far as they matter here.
func mayBreak(in []char, i int) bool {
	r, next := in[i].r, in[i+1].r
	switch {
	case next == ' ' || next == '\n' || unicode.Is(unicode.Mn, next) || next == 0xa0 || next == 0x2060 || r == 0x2060 || r == 0xa0 || r == 0x202f:
		return false
	case r == ' ' || r == 0x200b || r == 0xad || r == '\n' || r == 0x3000 || r >= 0x2000 && r <= 0x200a && r != 0x2007:
		return true
	case wide(r) || wide(next):
		return !strings.ContainsRune(noStart, next) && !strings.ContainsRune(noEnd, r)
	case r == '-' || r == '–' || r == '/' || r == 0x2010:
		before := i > 0 && in[i-1].r != ' '
		return before && (unicode.IsLetter(next) || r == '/' && unicode.IsDigit(next))
	case r == '—':
		return next != r
	case next >= 0x0e40 && next <= 0x0e44 && r >= 0x0e01 && r <= 0x0e4e, next >= 0x0ec0 && next <= 0x0ec4 && r >= 0x0e81 && r <= 0x0ecd:
		return !(r >= 0x0e40 && r <= 0x0e44) // Thai and Lao: these vowels begin a syllable
	case r == objectRune || next == objectRune:
		return r != '(' && next != ',' && next != '.' && next != ')'
	}
	return false
}

// noStart are characters that must not begin a line of Chinese or Japanese, noEnd those
// that must not end one.
const (
	noStart = "、。，．・：；？！゛゜´｀¨＾￣＿ヽヾゝゞ々ー—‐／＼〜‖｜…‥’”）〕］｝〉》」』】°′″℃￠％‰!%),.:;?]}｡｣､･ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ"
	noEnd   = "‘“（〔［｛〈《「『【￥＄$([\\{｢￡"
)

// wide reports whether a character belongs to a script without spaces between words.
func wide(r rune) bool {
	return r >= 0x2e80 && (r <= 0xa4cf || r >= 0xac00 && r <= 0xd7a3 || r >= 0xf900 && r <= 0xfaff || r >= 0xfe30 && r <= 0xfe4f ||
		r >= 0xff00 && r <= 0xff60 || r >= 0x1b000 && r <= 0x1b2ff || r >= 0x20000 && r <= 0x3ffff)
}

// fit returns how many glyphs fit into a width, how many after them are dropped at the
// end of the line, and whether the line ends at a line break or at the end of the text.
func fit(gs []glyph, width float64) (n, skip int, broken bool) {
	const slack = 0.01
	used, last := 0.0, 0
	for i, g := range gs {
		if g.r == '\n' {
			return i, 1, true
		}
		if g.r != ' ' && used+g.w > width+slack && i > 0 {
			if last == 0 { // a word that is too long
				last = clusterEnd(gs, i)
			}
			return last, 0, false
		}
		used += g.w
		if g.after {
			last = i + 1
		}
	}
	return len(gs), 0, true
}

// clusterEnd moves the end of a line so that no cluster is split: back, or forward if the
// line would be empty.
func clusterEnd(gs []glyph, end int) int {
	at := end
	for at > 0 && at < len(gs) && unicode.Is(unicode.Mn, gs[at].r) {
		at--
	}
	if at == 0 {
		for at = end; at < len(gs) && unicode.Is(unicode.Mn, gs[at].r); {
			at++
		}
	}
	return at
}

// trimmed removes trailing spaces.
func trimmed(gs []glyph) []glyph {
	for len(gs) > 0 && gs[len(gs)-1].r == ' ' {
		gs = gs[:len(gs)-1]
	}
	return gs
}

// widths returns the width of a text on one line and the width of its longest word.
func (d *document) widths(spans []span) (whole, word float64) {
	d.lines(spans, 1e9, func(l line) {
		whole = max(whole, l.width)
		w := 0.0
		for _, g := range l.glyphs {
			if g.r != ' ' {
				w += g.w
			}
			word = max(word, w)
			if g.after || g.r == ' ' {
				w = 0
			}
		}
	})
	return whole, word
}

// chosenGlyph is the glyph for a character in a style, before it has a code.
type chosenGlyph struct {
	font  *docFont
	glyph sfnt.GlyphIndex
	fake  bool
}

type glyphKey struct {
	r    rune
	face uint8 // bold, italic and mono
}

// glyph returns the font, the code and the width of a character, and whether its style is
// emulated. If no font has the character, it is the box of the first font.
func (d *document) glyph(r rune, text string, face uint8) (*docFont, uint16, float64, bool) {
	c := d.cachedGlyph(r, face)
	code, w := c.font.code(c.glyph, text)
	return c.font, code, w, c.fake
}

// maxKnown is the maximum number of characters whose glyph is cached.
const maxKnown = 1 << 16

// cachedGlyph returns the glyph of a character, from the cache if possible.
func (d *document) cachedGlyph(r rune, face uint8) chosenGlyph {
	key := glyphKey{r, face}
	c, ok := d.glyphs[key]
	if !ok {
		c = d.findGlyph(r, face)
		if len(d.glyphs) < maxKnown {
			d.glyphs[key] = c
		}
	}
	return c
}

func (d *document) findGlyph(r rune, face uint8) chosenGlyph {
	switch r { // characters that look like a common one
	case 0xa0, 0x202f, 0x2007:
		r = ' '
	case 0x2010, 0x2011:
		r = '-'
	}
	b := typeface.Bundled()
	first := b.Primary[face%typeface.Styles]
	if g := first.Glyph(r); g != 0 {
		return chosenGlyph{d.font(first), g, false}
	}
	var further []*typeface.Face
	if d.fonts != nil {
		further = append(further, d.fonts.Named...)
	}
	if face&mono != 0 {
		further = append(further, b.Further[1])
	}
	further = append(append(further, b.Further[0]), d.extra...)
	for _, f := range further {
		if g := f.Glyph(r); g != 0 {
			return chosenGlyph{d.font(f), g, face&(bold|italic) != 0}
		}
	}
	if f := typeface.OfScript(r); f != nil {
		return chosenGlyph{d.font(f), f.Glyph(r), face&(bold|italic) != 0}
	}
	if f, n := d.fonts.Covering([]rune{r}); n > 0 {
		d.extra = append(d.extra, f)
		return chosenGlyph{d.font(f), f.Glyph(r), face&(bold|italic) != 0}
	}
	if len(d.missing) < maxMissing {
		d.missing[r] = true
	}
	return chosenGlyph{d.font(first), 0, false}
}

// maxMissing is the maximum number of missing characters that are recorded.
const maxMissing = 1000

// addFontsFor adds fonts that each cover many of the missing characters of a text, so
// that a page does not use a different font for each character.
func (d *document) addFontsFor(text string) {
	b := typeface.Bundled()
	missing := map[rune]bool{}
	for r, whole := range characters(text) {
		if whole != "" && d.emoji(whole) != nil || r < 0x80 || missing[r] || len(missing) == maxMissing || ignorable(r) || d.missing[r] {
			continue
		}
		if b.Primary[0].Glyph(r) == 0 && b.Further[0].Glyph(r) == 0 && typeface.OfScript(r) == nil && !d.extraHas(r) {
			missing[r] = true
		}
	}
	for len(missing) > 0 {
		list := make([]rune, 0, len(missing))
		for r := range missing {
			list = append(list, r)
		}
		f, n := d.fonts.Covering(list)
		if n == 0 {
			return
		}
		d.extra = append(d.extra, f)
		for _, r := range list {
			if f.Glyph(r) != 0 {
				delete(missing, r)
			}
		}
	}
}

func (d *document) extraHas(r rune) bool {
	if d.fonts != nil {
		for _, f := range d.fonts.Named {
			if f.Glyph(r) != 0 {
				return true
			}
		}
	}
	for _, f := range d.extra {
		if f.Glyph(r) != 0 {
			return true
		}
	}
	return false
}

// font returns the font object of a face, and creates it on first use.
func (d *document) font(f *typeface.Face) *docFont {
	for _, have := range d.used {
		if have.face == f {
			return have
		}
	}
	n := newDocFont(f, "F"+strconv.Itoa(len(d.used)+1), d.w.reserve())
	d.used = append(d.used, n)
	return n
}
