package pdf

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// color is red, green and blue from 0 to 1. The zero value is black; none means no
// colour.
type color struct{ r, g, b float64 }

var none = color{-1, 0, 0}

// target is the target of a link: a destination in this document, or an address.
type target struct {
	dest string
	url  string
}

// canvas is a page that is being drawn. Coordinates are in points from the left and from
// the top.
type canvas struct {
	d *document
	// under holds the layers behind the text. A frame reserves its layer before its
	// content is drawn, and draws into it when its height is known.
	under  [][]byte
	over   bytes.Buffer
	annots []string
	images map[object]bool
	fonts  map[*docFont]bool
	named  map[string]map[string]string // other resources, by kind and name
	number int
	ref    object
	font   *docFont
	size   float64
	color  color
	mode   string
}

func newCanvas(d *document) *canvas {
	return &canvas{d: d, images: map[object]bool{}, fonts: map[*docFont]bool{}, ref: d.w.reserve(), color: none}
}

// layer reserves a layer that is above all layers so far and behind all text.
func (c *canvas) layer() int {
	c.under = append(c.under, nil)
	return len(c.under) - 1
}

func rectangle(x, y, w, h float64) string {
	return num(x) + " " + num(pageHeight-y-h) + " " + num(w) + " " + num(h) + " re"
}

func fill(col color) string {
	return num(col.r) + " " + num(col.g) + " " + num(col.b) + " rg"
}

func stroke(col color) string {
	return num(col.r) + " " + num(col.g) + " " + num(col.b) + " RG"
}

// back draws into a layer behind the text.
func (c *canvas) back(layer int, ops ...string) {
	c.under[layer] = append(c.under[layer], strings.Join(ops, " ")+"\n"...)
}

// front draws over everything so far. The graphics state is restored afterwards.
func (c *canvas) front(ops ...string) {
	c.over.WriteString("q " + strings.Join(ops, " ") + " Q\n")
}

// path returns the operators of a line through points.
func path(points ...float64) string {
	var b strings.Builder
	for i := 0; i+1 < len(points); i += 2 {
		op := " l "
		if i == 0 {
			op = " m "
		}
		b.WriteString(num(points[i]) + " " + num(pageHeight-points[i+1]) + op)
	}
	return b.String()
}

// rounded returns the operators of a rectangle with rounded corners.
func rounded(x, y, w, h, r float64) string {
	r = min(r, w/2, h/2)
	k := r * 0.4477
	p := func(x, y float64) string { return num(x) + " " + num(pageHeight-y) + " " }
	return p(x+r, y) + "m " + p(x+w-r, y) + "l " + p(x+w-k, y) + p(x+w, y+k) + p(x+w, y+r) + "c " +
		p(x+w, y+h-r) + "l " + p(x+w, y+h-k) + p(x+w-k, y+h) + p(x+w-r, y+h) + "c " +
		p(x+r, y+h) + "l " + p(x+k, y+h) + p(x, y+h-k) + p(x, y+h-r) + "c " +
		p(x, y+r) + "l " + p(x, y+k) + p(x+k, y) + p(x+r, y) + "c h"
}

// roundedTop returns the operators of a rectangle with rounded upper corners.
func roundedTop(x, y, w, h, r float64) string {
	k := r * 0.4477
	p := func(x, y float64) string { return num(x) + " " + num(pageHeight-y) + " " }
	return p(x, y+h) + "m " + p(x, y+r) + "l " + p(x, y+k) + p(x+k, y) + p(x+r, y) + "c " +
		p(x+w-r, y) + "l " + p(x+w-k, y) + p(x+w, y+k) + p(x+w, y+r) + "c " + p(x+w, y+h) + "l h"
}

// circle returns the operators of a circle.
func circle(x, y, r float64) string { return rounded(x-r, y-r, 2*r, 2*r, r) }

// line draws a line of text with its baseline at base.
func (c *canvas) line(l line, x, base float64) {
	for i := 0; i < len(l.glyphs); {
		g := l.glyphs[i]
		s := &l.spans[g.span]
		if s.obj != nil || g.font == nil {
			if s.obj != nil && g.r == objectRune {
				s.obj.draw(c, x, base-s.obj.h+s.obj.drop)
			} else if s.mark != "" {
				c.d.placeDest(s.mark, c, base-s.st.size)
			}
			c.link(s, x, base, g.w)
			x += g.w
			i++
			continue
		}
		j, w := i, 0.0
		if g.pic != nil { // the text of the emoji is written too, as an invisible glyph
			side := s.st.size * emojiSide
			c.image(g.pic.ref, x+(g.w-side)/2, base-s.st.rise-side*0.84, side, side)
			j, w = i+1, g.w
		}
		for g.pic == nil && j < len(l.glyphs) && l.glyphs[j].span == g.span && l.glyphs[j].font == g.font && l.glyphs[j].fake == g.fake && l.glyphs[j].pic == nil {
			w += l.glyphs[j].w
			j++
		}
		if s.mark != "" {
			c.d.placeDest(s.mark, c, base-s.st.size)
		}
		c.run(s, l.glyphs[i:j], x, base, w, i == 0 || l.glyphs[i-1].span != g.span, j == len(l.glyphs) || l.glyphs[j].span != g.span)
		x += w
		i = j
	}
}

// run draws glyphs of one font and one span.
func (c *canvas) run(s *span, gs []glyph, x, base, w float64, begins, ends bool) {
	st := &s.st
	if st.back != none {
		left, right := x, x+w
		if begins {
			left -= 1.5
		}
		if ends {
			right += 1.5
		}
		ops := []string{"q", fill(st.back), rounded(left, base-st.size*0.92, right-left, st.size*1.24, 2), "f"}
		if st.boxed {
			ops = append(ops, stroke(keyEdge), "0.5 w", rounded(left, base-st.size*0.92, right-left, st.size*1.24, 2), "S")
		}
		c.back(c.layer(), append(ops, "Q")...)
	}
	y := base - st.rise
	c.fonts[gs[0].font] = true
	var b []byte
	b = append(b, "BT "...)
	if c.font != gs[0].font || c.size != st.size {
		b = fmt.Appendf(b, "/%s %s Tf ", gs[0].font.name, num(st.size))
		c.font, c.size = gs[0].font, st.size
	}
	if c.color != st.color {
		b = append(append(b, fill(st.color)...), ' ')
		c.color = st.color
	}
	mode, skew := "0 Tr ", 0.0
	if gs[0].fake && st.face&bold != 0 {
		mode = stroke(st.color) + " " + num(st.size/40) + " w 2 Tr "
	}
	if gs[0].fake && st.face&italic != 0 {
		skew = 0.2
	}
	if c.mode != mode {
		b = append(b, mode...)
		c.mode = mode
	}
	b = append(b, "1 0 "...)
	b = append(appendNum(b, skew), " 1 "...)
	b = append(appendNum(b, x), ' ')
	b = append(appendNum(b, pageHeight-y), " Tm "...)
	c.over.Write(append(showGlyphs(b, gs, st.size), "ET\n"...))
	if st.strike {
		c.front(stroke(st.color), "0.6 w", path(x, y-st.size*0.28, x+w, y-st.size*0.28), "S")
	}
	if st.under {
		c.front(stroke(st.color), "0.5 w", path(x, y+1.6, x+w, y+1.6), "S")
	}
	c.link(s, x, y, w)
}

// showGlyphs appends the operators that show glyphs of one font. Shaped glyphs are moved
// to their positions. Clusters of several glyphs get their text as ActualText.
func showGlyphs(b []byte, gs []glyph, size float64) []byte {
	if !slices.ContainsFunc(gs, func(g glyph) bool { return g.cluster > 0 }) {
		b = append(b, '<')
		for _, g := range gs {
			b = appendCode(b, g.code)
		}
		return append(b, "> Tj "...)
	}
	move := func(points float64) {
		if n := -points * 1000 / size; n > 0.5 || n < -0.5 {
			b = appendNum(b, n)
		}
	}
	b = append(b, '[')
	for i := 0; i < len(gs); {
		j := i + 1
		for gs[i].cluster > 0 && j < len(gs) && gs[j].cluster == gs[i].cluster {
			j++
		}
		if j > i+1 {
			b = append(append(append(b, "]TJ /Span<</ActualText "...), hexText(clusterText(gs[i:j]))...), ">>BDC ["...)
		}
		for _, g := range gs[i:j] {
			if g.dy != 0 {
				b = append(appendNum(append(b, "]TJ "...), g.dy), " Ts ["...)
			}
			move(g.dx)
			b = append(appendCode(append(b, '<'), g.code), '>')
			if g.cluster > 0 {
				move(g.w - g.dx - g.font.width[g.code]*size/1000)
			}
			if g.dy != 0 {
				b = append(b, "]TJ 0 Ts ["...)
			}
		}
		if j > i+1 {
			b = append(b, "]TJ EMC ["...)
		}
		i = j
	}
	return append(b, "]TJ "...)
}

func appendCode(b []byte, code uint16) []byte {
	const digits = "0123456789ABCDEF"
	return append(b, digits[code>>12], digits[code>>8&15], digits[code>>4&15], digits[code&15])
}

func clusterText(gs []glyph) string {
	for _, g := range gs {
		if g.text != "" {
			return g.text
		}
	}
	return ""
}

// link adds the link of a span, if it has one, to a part of a line.
func (c *canvas) link(s *span, x, base, w float64) {
	if s.link != nil && w > 0 {
		h := s.st.size
		if s.obj != nil {
			h = s.obj.h
		}
		c.area(s.link, x, base-h*0.95, w, h*1.25)
	}
}

// area adds a link to a rectangle.
func (c *canvas) area(t *target, x, y, w, h float64) {
	if len(c.annots) >= maxAnnots {
		return
	}
	rect := fmt.Sprintf("<</Type/Annot/Subtype/Link/Border[0 0 0]/Rect[%s %s %s %s]", num(x), num(pageHeight-y-h), num(x+w), num(pageHeight-y))
	switch {
	case t.dest != "":
		if !c.d.registerDest(t.dest) {
			return
		}
		c.annots = append(c.annots, rect+"/Dest "+literal(t.dest)+">>")
	case t.url != "":
		c.annots = append(c.annots, rect+"/A<</S/URI/URI "+literal(asciiURL(t.url))+">>>>")
	}
}

// maxAnnots is the maximum number of links on a page.
const maxAnnots = 2000

// asciiURL percent-encodes bytes that are not allowed in a URL.
func asciiURL(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c > '~' {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// finish writes the page with its content, resources and links.
func (c *canvas) finish(parent object) {
	content := c.d.w.stream("", c.content())
	annots := ""
	if len(c.annots) > 0 {
		annots = "/Annots[" + strings.Join(c.annots, "\n") + "]"
	}
	c.d.w.put(c.ref, "<</Type/Page/Parent %s/MediaBox[0 0 %s %s]/Resources<<%s>>/Contents %s%s>>",
		parent, num(pageWidth), num(pageHeight), c.resources(), content, annots)
}

// image draws an image into a rectangle.
func (c *canvas) image(o object, x, y, w, h float64) {
	c.images[o] = true
	c.front(num(w), "0 0", num(h), num(x), num(pageHeight-y-h), "cm", "/I"+strconv.Itoa(int(o)), "Do")
}

// oneLine returns a text with runs of white space replaced by single spaces.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, unicode.IsSpace), " ")
}
