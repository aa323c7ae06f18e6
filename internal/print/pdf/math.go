package pdf

import (
	"strings"
	"sync"

	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/print/formula"
	"github.com/octavo-docs/octavo/internal/print/svg"
	"github.com/octavo-docs/octavo/internal/print/typeface"
)

const (
	// mathScale is the size of formulas relative to text. Letters of the formula fonts
	// are smaller.
	mathScale = 1.13
	// maxFormulas is how many bytes of formulas are typeset per chapter, as on the web.
	maxFormulas = 64 << 10
)

// mathFaces returns the fonts of formulas by name.
var mathFaces = sync.OnceValue(func() map[string]*typeface.Face {
	out := map[string]*typeface.Face{}
	for _, name := range formula.Fonts() {
		f, err := typeface.Parse("KaTeX "+name, formula.Font(name))
		if err != nil {
			panic("pdf: font of formulas " + name + " " + err.Error()) // the fonts are embedded in the program
		}
		out[name] = f
	}
	return out
})

// math returns a formula as figures in a line, or as source text if it is invalid. No
// figure is wider than width.
func (d *document) math(source string, display bool, st style, width float64) []span {
	var drawn *formula.Drawing
	if len(source) <= d.formulas && d.Formulas != nil && d.ctx.Err() == nil && markup.SafeFormula(source) {
		d.formulas -= len(source)
		drawn, _ = d.Formulas.Draw(source, display)
	}
	if drawn == nil {
		st.face |= mono | italic
		st.size *= 0.95
		return []span{{text: source, st: st}}
	}
	st.back, st.boxed, st.face = none, false, 0
	var out []span
	for _, p := range drawn.Parts {
		em := st.size * mathScale
		if w := p.Width * em; w > width {
			em *= width / w
		}
		if p.Newline && len(out) > 0 {
			out = append(out, span{text: "\n", st: st})
		}
		out = append(out, span{st: st, obj: &figure{w: p.Width * em, h: (p.Height + p.Depth) * em, drop: p.Depth * em, draw: func(c *canvas, x, y float64) {
			c.formula(p, x, y+p.Height*em, em, st)
		}}})
	}
	return out
}

// formula draws a part of a formula with its baseline at base.
func (c *canvas) formula(p formula.Part, x, base, em float64, st style) {
	for _, m := range p.Marks {
		col := st.color
		if m.Color != "" {
			if rgb, ok := svg.Color(m.Color); ok {
				col = hexColor(rgb)
			}
		}
		at := style{size: m.Size * em, color: col, back: none, rise: st.rise}
		switch {
		case m.Font != "":
			c.mathGlyph(m, at, x+m.X*em, base+m.Y*em)
		case m.Path != nil:
			c.front(rectangle(x+(m.X-0.02)*em, base+(m.Y-0.05)*em-st.rise, (m.W+0.04)*em, (m.H+0.1)*em), "W n", fill(col), outline(m.Path, x, base-st.rise, em), "f")
		case m.Hollow:
			c.front(stroke(col), num(at.size), "w", rectangle(x+m.X*em, base+m.Y*em-st.rise, m.W*em, m.H*em), "S")
		default:
			c.front(fill(col), rectangle(x+m.X*em, base+m.Y*em-st.rise, m.W*em, max(m.H*em, 0.3)), "f")
		}
	}
}

// mathGlyph draws a character of a formula, with a text font if the formula font lacks
// it.
func (c *canvas) mathGlyph(m formula.Mark, st style, x, base float64) {
	g := glyph{r: m.Rune}
	f := mathFaces()[m.Font]
	if index := f.Glyph(m.Rune); index != 0 {
		g.font = c.d.font(f)
		g.code, g.w = g.font.code(index, string(m.Rune))
	} else {
		g.font, g.code, g.w, g.fake = c.d.glyph(m.Rune, string(m.Rune), 0)
	}
	g.w *= st.size / 1000
	c.run(&span{st: st}, []glyph{g}, x, base, g.w, false, false)
}

// mathBlock lays out a display formula.
func (f flow) mathBlock(n *markup.Node) {
	f.text(f.d.math(strings.TrimSpace(n.Str(markup.FieldFormula)), true, f.plain(), f.w), paraStyle{align: "center"})
	f.gap(paragraph + 2)
}
