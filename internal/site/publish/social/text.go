package social

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"slices"
	"sync"
	"unicode"

	"codeberg.org/go-fonts/dejavu/dejavusans"
	"codeberg.org/go-fonts/dejavu/dejavusansbold"
	"github.com/go-text/typesetting/di"
	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
	"github.com/go-text/typesetting/shaping"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// families returns the regular and the bold fonts, in the order in which they are
// searched for a glyph. Fonts are immutable, so they can be shared; faces cannot.
var families = sync.OnceValue(func() [2][]*font.Font {
	open := func(data []byte) *font.Font {
		f, err := font.ParseTTF(bytes.NewReader(data))
		if err != nil {
			panic("social: a font of the program: " + err.Error())
		}
		return f.Font
	}
	return [2][]*font.Font{{open(goregular.TTF), open(dejavusans.TTF)}, {open(gobold.TTF), open(dejavusansbold.TTF)}}
})

// faces are the font faces of one text.
type faces []*font.Face

// facesFor returns the font faces of a text. If a font has all characters, it comes
// first, so that a word is not set in two fonts.
func facesFor(s string, bold bool) (out faces) {
	i := 0
	if bold {
		i = 1
	}
	for _, f := range families()[i] {
		out = append(out, font.NewFace(f))
	}
	if !has(s, families()[i][0]) && has(s, families()[i][1]) {
		slices.Reverse(out)
	}
	return out
}

// has reports whether each character of a text is in at least one of the fonts.
func has(s string, fonts ...*font.Font) bool {
	for _, r := range s {
		if unicode.IsSpace(r) {
			continue
		}
		if !slices.ContainsFunc(fonts, func(f *font.Font) bool { _, ok := f.NominalGlyph(r); return ok }) {
			return false
		}
	}
	return true
}

// ResolveFace returns the first face that has a character, or the first face if none has.
func (f faces) ResolveFace(r rune) *font.Face {
	for _, face := range f {
		if _, ok := face.NominalGlyph(r); ok {
			return face
		}
	}
	return f[0]
}

// drawable reports whether the fonts have all characters of a text.
func drawable(s string) bool { return has(s, families()[0]...) }

// line is a line of a text, with its parts from left to right.
type line struct {
	parts []shaping.Output
	width fixed.Int26_6
}

// shape breaks a text into at most so many lines of a width. A longer text is truncated
// with an ellipsis.
func shape(s string, bold bool, size, width int, rtl bool, lines int) (out []line) {
	text := []rune(s)
	direction := di.DirectionLTR
	if rtl {
		direction = di.DirectionRTL
	}
	set := facesFor(s, bold)
	var shaper shaping.HarfbuzzShaper
	run := func(text []rune) (runs []shaping.Output) {
		var segments shaping.Segmenter
		in := shaping.Input{Text: text, RunEnd: len(text), Direction: direction, Size: fixed.I(size), Face: set[0]}
		for _, part := range segments.Split(in, set) {
			runs = append(runs, shaper.Shape(part))
		}
		return runs
	}
	if len(text) == 0 {
		return nil
	}
	var wrapper shaping.LineWrapper
	end := run([]rune("…"))[0]
	wrapped, _ := wrapper.WrapParagraph(shaping.WrapConfig{Direction: direction, TruncateAfterLines: lines, Truncator: end}, width, text, shaping.NewSliceIterator(run(text)))
	for _, w := range wrapped {
		l := line{parts: slices.Clone(w)}
		slices.SortFunc(l.parts, func(a, b shaping.Output) int { return int(a.VisualIndex - b.VisualIndex) })
		for _, p := range l.parts {
			l.width += p.Advance
		}
		out = append(out, l)
	}
	return out
}

// draw draws a line of text that starts at x, with its baseline at y.
func (l line) draw(img *image.RGBA, x fixed.Int26_6, y int, ink color.RGBA) {
	r := vector.NewRasterizer(Width, Height)
	at := float32(x) / 64
	for _, p := range l.parts {
		scale := float32(p.Size) / 64 / float32(p.Face.Upem())
		for _, g := range p.Glyphs {
			if o, ok := p.Face.GlyphData(g.GlyphID).(font.GlyphOutline); ok {
				outline(r, o, at+float32(g.XOffset)/64, float32(y)-float32(g.YOffset)/64, scale)
			}
			at += float32(g.Advance) / 64
		}
	}
	r.Draw(img, img.Bounds(), image.NewUniform(ink), image.Point{})
}

// outline adds the outline of a glyph to the rasterizer.
func outline(r *vector.Rasterizer, o font.GlyphOutline, x, y, scale float32) {
	to := func(p opentype.SegmentPoint) (float32, float32) { return x + p.X*scale, y - p.Y*scale }
	for _, s := range o.Segments {
		ax, ay := to(s.Args[0])
		bx, by := to(s.Args[1])
		cx, cy := to(s.Args[2])
		switch s.Op {
		case opentype.SegmentOpMoveTo:
			r.ClosePath()
			r.MoveTo(ax, ay)
		case opentype.SegmentOpLineTo:
			r.LineTo(ax, ay)
		case opentype.SegmentOpQuadTo:
			r.QuadTo(ax, ay, bx, by)
		case opentype.SegmentOpCubeTo:
			r.CubeTo(ax, ay, bx, by, cx, cy)
		}
	}
	r.ClosePath()
}

// rounded draws a square with rounded corners.
func rounded(img *image.RGBA, left, top, side, radius int, ink color.RGBA) {
	x, y, w, q := float32(left), float32(top), float32(side), float32(radius)
	r := vector.NewRasterizer(Width, Height)
	r.DrawOp = draw.Over
	r.MoveTo(x+q, y)
	r.LineTo(x+w-q, y)
	r.QuadTo(x+w, y, x+w, y+q)
	r.LineTo(x+w, y+w-q)
	r.QuadTo(x+w, y+w, x+w-q, y+w)
	r.LineTo(x+q, y+w)
	r.QuadTo(x, y+w, x, y+w-q)
	r.LineTo(x, y+q)
	r.QuadTo(x, y, x+q, y)
	r.ClosePath()
	r.Draw(img, img.Bounds(), image.NewUniform(ink), image.Point{})
}
