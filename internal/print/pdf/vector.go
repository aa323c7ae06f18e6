package pdf

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/markup/icons"
	"github.com/octavo-docs/octavo/internal/print/pdf/twemoji"
	"github.com/octavo-docs/octavo/internal/print/svg"
)

// outline returns the operators of a path whose origin is at x and y.
func outline(p svg.Path, x, y, scale float64) string {
	b := make([]byte, 0, 24*len(p))
	for _, s := range p {
		n, op := 1, "m "
		switch s.Op {
		case svg.Line:
			op = "l "
		case svg.Curve:
			n, op = 3, "c "
		case svg.Close:
			n, op = 0, "h "
		}
		for _, q := range s.P[:n] {
			b = append(appendNum(b, x+q.X*scale), ' ')
			b = append(appendNum(b, pageHeight-y-q.Y*scale), ' ')
		}
		b = append(b, op...)
	}
	return string(b)
}

// icon draws an icon centred in a square.
func (c *canvas) icon(i icons.Icon, x, y, side float64, col color) {
	scale := side / float64(max(i.Width, i.Height))
	x += (side - float64(i.Width)*scale) / 2
	y += (side - float64(i.Height)*scale) / 2
	c.front(fill(col), outline(svg.ParsePath(i.Path), x, y, scale), "f")
}

// iconSpan returns an icon as a span.
func iconSpan(name string, st style) span {
	i := icons.Find(name, icons.Filled)
	side := st.size * 1.05
	col := st.color
	return span{st: st, obj: &figure{w: side * 1.1, h: side, drop: st.size * 0.17, draw: func(c *canvas, x, y float64) { c.icon(i, x+side*0.05, y, side, col) }}}
}

// form writes a drawing as a form object, which can be drawn repeatedly like an image. It
// fills the unit square.
func (d *document) form(w, h float64, draw func(c *canvas)) object {
	c := &canvas{d: d, images: map[object]bool{}, fonts: map[*docFont]bool{}, color: none}
	draw(c)
	dict := fmt.Sprintf("/Type/XObject/Subtype/Form/BBox[0 %s %s %s]/Matrix[%.8f 0 0 %.8f 0 %.6f]/Resources<<%s>>",
		num(pageHeight-h), num(w), num(pageHeight), 1/w, 1/h, -(pageHeight-h)/h, c.resources())
	return d.w.stream(dict, c.content())
}

// formSide is the longer side of drawings in their own units. It is large because numbers
// have only two decimals.
const formSide = 1000.0

// drawing writes an SVG drawing to the file.
func (d *document) drawing(p *svg.Drawing) *picture {
	scale := formSide / max(p.Width, p.Height)
	o := d.form(p.Width*scale, p.Height*scale, func(c *canvas) {
		for _, it := range p.Items {
			if d.err() != nil {
				return
			}
			c.item(it, scale)
		}
	})
	return &picture{ref: o, w: max(1, int(math.Round(p.Width))), h: max(1, int(math.Round(p.Height)))}
}

// item draws an item of a drawing.
func (c *canvas) item(it svg.Item, scale float64) {
	var ops []string
	for _, clip := range it.Clip {
		ops = append(ops, outline(clip.Path, 0, 0, scale), "W"+evenOddSuffix(clip.EvenOdd)+" n")
	}
	if it.Text != nil {
		c.drawText(it.Text, it.Fill, ops, scale)
		return
	}
	p := outline(it.Path, 0, 0, scale)
	even := evenOddSuffix(it.EvenOdd)
	if f := it.Fill; f.Opacity > 0 {
		o := append(ops[:len(ops):len(ops)], c.opacity("ca", f.Opacity))
		if f.Gradient != nil {
			o = append(o, p, "W"+even+" n", c.shading(f.Gradient, scale))
		} else {
			o = append(o, fill(hexColor(f.Color)), p, "f"+even)
		}
		c.front(o...)
	}
	if s := it.Stroke; s.Opacity > 0 {
		l := it.Line
		o := append(ops[:len(ops):len(ops)], c.opacity("CA", s.Opacity), stroke(hexColor(s.Color)), num(max(l.Width*scale, 0.1)), "w", strconv.Itoa(l.Cap), "J", strconv.Itoa(l.Join), "j", num(max(1, l.Miter)), "M")
		if len(l.Dash) > 0 {
			var list []string
			for _, f := range l.Dash {
				list = append(list, num(f*scale))
			}
			o = append(o, "["+strings.Join(list, " ")+"]", num(l.Offset*scale), "d")
		}
		c.front(append(o, p, "S")...)
	}
}

// evenOddSuffix returns the ending of operators that use the even-odd rule.
func evenOddSuffix(evenOdd bool) string {
	if evenOdd {
		return "*"
	}
	return ""
}

// drawText draws a text of a drawing, which can be rotated.
func (c *canvas) drawText(t *svg.Text, paint svg.Paint, clip []string, scale float64) {
	st := style{size: max(t.Size*scale, 0.5), color: hexColor(paint.Color), back: none}
	for _, f := range []struct {
		on   bool
		face uint8
	}{{t.Bold, bold}, {t.Italic, italic}, {t.Mono, mono}} {
		if f.on {
			st.face |= f.face
		}
	}
	c.d.addFontsFor(t.Text)
	var whole line
	c.d.lines([]span{{text: oneLine(t.Text), st: st}}, 1e9, func(l line) {
		if l.first {
			whole = l
		}
	})
	// The text is drawn at the corner of the page, and a matrix moves and rotates it to
	// its position. The cached text state is reset before and after, because q and Q
	// restore it.
	c.over.WriteString("q " + strings.Join(clip, " ") + " " + c.opacity("ca", paint.Opacity) + " ")
	x, y := t.At.X*scale, pageHeight-t.At.Y*scale
	fmt.Fprintf(&c.over, "%.5f %.5f %.5f %.5f %.3f %.3f cm 1 0 0 1 0 %s cm\n", t.Transform[0], -t.Transform[1], -t.Transform[2], t.Transform[3], x, y, num(-pageHeight))
	c.font, c.color, c.mode = nil, none, ""
	c.line(whole, -whole.width*t.Anchor, 0)
	c.over.WriteString("Q\n")
	c.font, c.color, c.mode = nil, none, ""
}

// opacity returns the operator that sets the opacity of fills (ca) or strokes (CA).
func (c *canvas) opacity(key string, f float64) string {
	percent := int(math.Round(f * 100))
	if percent >= 100 {
		return ""
	}
	name := key + strconv.Itoa(percent)
	c.resource("ExtGState", name, fmt.Sprintf("<</%s %s>>", key, num(float64(percent)/100)))
	return "/" + name + " gs"
}

// shading returns the operators that fill the clipped area with a gradient.
func (c *canvas) shading(g *svg.Gradient, scale float64) string {
	coords := fmt.Sprintf("%.5f %.5f %.5f %.5f", g.From.X, g.From.Y, g.To.X, g.To.Y)
	kind := 2
	if g.Radial {
		coords, kind = fmt.Sprintf("%.5f %.5f %.5f %.5f %.5f %.5f", g.From.X, g.From.Y, g.FromRadius, g.To.X, g.To.Y, g.ToRadius), 3
	}
	o := c.d.w.add("<</ShadingType %d/ColorSpace/DeviceRGB/Coords[%s]/Extend[true true]/Function %s>>", kind, coords, ramp(g.Stops))
	name := "S" + strconv.Itoa(int(o))
	c.resource("Shading", name, o.String())
	m := g.Matrix
	return fmt.Sprintf("%.5f %.5f %.5f %.5f %.3f %.3f cm /%s sh", m[0]*scale, -m[1]*scale, m[2]*scale, -m[3]*scale, m[4]*scale, pageHeight-m[5]*scale, name)
}

// ramp returns the function of a gradient's colours.
func ramp(stops []svg.Stop) string {
	channels := func(rgb uint32) string {
		c := hexColor(rgb)
		return num(c.r) + " " + num(c.g) + " " + num(c.b)
	}
	part := func(a, b svg.Stop) string {
		return fmt.Sprintf("<</FunctionType 2/Domain[0 1]/C0[%s]/C1[%s]/N 1>>", channels(a.Color), channels(b.Color))
	}
	all := slices.Clone(stops)
	if all[0].At > 0 {
		all = append([]svg.Stop{{At: 0, Color: all[0].Color}}, all...)
	}
	if last := all[len(all)-1]; last.At < 1 || len(all) == 1 {
		all = append(all, svg.Stop{At: 1, Color: last.Color})
	}
	var parts, bounds, encode []string
	at := 0.0
	for i := 1; i < len(all); i++ {
		if all[i].At <= at && i < len(all)-1 { // a sudden change
			continue
		}
		if i > 1 && len(parts) > 0 {
			bounds = append(bounds, fmt.Sprintf("%.6f", at))
		}
		parts, encode = append(parts, part(all[i-1], all[i])), append(encode, "0 1")
		at = all[i].At
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return fmt.Sprintf("<</FunctionType 3/Domain[0 1]/Functions[%s]/Bounds[%s]/Encode[%s]>>", strings.Join(parts, ""), strings.Join(bounds, " "), strings.Join(encode, " "))
}

// emoji returns the picture of an emoji, or nil.
func (d *document) emoji(s string) *picture {
	if p, ok := d.emojis[s]; ok {
		return p
	}
	var out *picture
	if text, ok := twemoji.SVG(s); ok {
		if p, err := svg.Parse(strings.NewReader(text)); err == nil {
			out = d.drawing(p)
		}
	}
	if len(d.emojis) < maxKnown {
		d.emojis[s] = out
	}
	return out
}

// resource adds a named resource that the content uses.
func (c *canvas) resource(kind, name, value string) {
	if c.named == nil {
		c.named = map[string]map[string]string{}
	}
	if c.named[kind] == nil {
		c.named[kind] = map[string]string{}
	}
	c.named[kind][name] = value
}

// content returns all drawing operators, from back to front.
func (c *canvas) content() []byte {
	return append(bytes.Join(c.under, nil), c.over.Bytes()...)
}

// resources returns the resource dictionary of the content.
func (c *canvas) resources() string {
	var res strings.Builder
	res.WriteString("/Font<<")
	for _, f := range c.d.used {
		if c.fonts[f] {
			res.WriteString("/" + f.name + " " + f.ref.String())
		}
	}
	res.WriteString(">>")
	if len(c.images) > 0 {
		res.WriteString("/XObject<<")
		for _, o := range slices.Sorted(maps.Keys(c.images)) {
			res.WriteString("/I" + strconv.Itoa(int(o)) + " " + o.String())
		}
		res.WriteString(">>")
	}
	for _, kind := range slices.Sorted(maps.Keys(c.named)) {
		res.WriteString("/" + kind + "<<")
		for _, name := range slices.Sorted(maps.Keys(c.named[kind])) {
			res.WriteString("/" + name + " " + c.named[kind][name])
		}
		res.WriteString(">>")
	}
	return res.String()
}
