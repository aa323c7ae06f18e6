package pictures

import (
	"image"
	"image/color"
	"image/draw"
)

// shrink returns a picture with fewer pixels. Each is the mean of those that it covers, which keeps
// small text readable and adds nothing at edges. One row of src is converted at a time, so besides
// the result there is memory for a few rows.
func shrink(src image.Image, w, h int) *image.RGBA {
	b := src.Bounds()
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	row := image.NewRGBA(image.Rect(0, 0, b.Dx(), 1))
	table := tableOf(src)
	columns := spansOf(b.Dx(), w)
	sums := make([]float32, 4*w)
	means := make([]float32, 4*w) // of the row at
	at := -1
	for y, rows := range spansOf(b.Dy(), h) {
		clear(sums)
		for sy := rows.first; sy <= rows.last; sy++ {
			if sy != at { // the last row of a span may be the first one of the next
				readRow(row, src, b.Min.Y+sy, table)
				meanRow(means, row.Pix, columns)
				at = sy
			}
			weight := rows.weight(sy)
			for i, v := range means {
				sums[i] += weight * v
			}
		}
		for i, v := range sums {
			out.Pix[y*out.Stride+i] = uint8(min(v+.5, 255))
		}
	}
	return out
}

// span is what a row or a column of the result covers: a part of the first one, whole ones, and a
// part of the last one. The weights of all add up to one.
type span struct {
	first, last       int
	begin, whole, end float32
}

func spansOf(from, to int) []span {
	out := make([]span, to)
	scale := float64(from) / float64(to)
	for i := range out {
		a, b := float64(i)*scale, min(float64(i+1)*scale, float64(from))
		s := span{first: int(a), last: min(int(b), from-1), whole: float32(1 / (b - a))}
		if s.begin = 1; s.last > s.first {
			s.begin = float32((float64(s.first+1) - a) / (b - a))
			s.end = float32((b - float64(s.last)) / (b - a))
		}
		out[i] = s
	}
	return out
}

func (s span) weight(i int) float32 {
	switch i {
	case s.first:
		return s.begin
	case s.last:
		return s.end
	}
	return s.whole
}

// meanRow computes the mean of each span of a row.
func meanRow(out []float32, pix []uint8, spans []span) {
	for x, s := range spans {
		var r, g, b, a uint32 // of the whole pixels
		for i := 4 * (s.first + 1); i < 4*s.last; i += 4 {
			p := pix[i : i+4]
			r, g, b, a = r+uint32(p[0]), g+uint32(p[1]), b+uint32(p[2]), a+uint32(p[3])
		}
		p, q, o := pix[4*s.first:4*s.first+4], pix[4*s.last:4*s.last+4], out[4*x:4*x+4]
		o[0] = s.begin*float32(p[0]) + s.whole*float32(r) + s.end*float32(q[0])
		o[1] = s.begin*float32(p[1]) + s.whole*float32(g) + s.end*float32(q[1])
		o[2] = s.begin*float32(p[2]) + s.whole*float32(b) + s.end*float32(q[2])
		o[3] = s.begin*float32(p[3]) + s.whole*float32(a) + s.end*float32(q[3])
	}
}

// readRow converts a row of a picture. The standard library is fast for all types but those with a
// palette.
func readRow(row *image.RGBA, src image.Image, y int, table []color.RGBA) {
	p, ok := src.(*image.Paletted)
	if !ok {
		draw.Draw(row, row.Rect, src, image.Pt(src.Bounds().Min.X, y), draw.Src)
		return
	}
	from := p.PixOffset(p.Rect.Min.X, y)
	for x, i := range p.Pix[from : from+p.Rect.Dx()] {
		c := table[i]
		row.Pix[4*x], row.Pix[4*x+1], row.Pix[4*x+2], row.Pix[4*x+3] = c.R, c.G, c.B, c.A
	}
}

// tableOf returns the colours of a palette for all values of a pixel, or nil if a picture has no
// palette.
func tableOf(src image.Image) []color.RGBA {
	p, ok := src.(*image.Paletted)
	if !ok {
		return nil
	}
	table := make([]color.RGBA, 256)
	for i, c := range p.Palette[:min(len(p.Palette), len(table))] {
		table[i] = color.RGBAModel.Convert(c).(color.RGBA)
	}
	return table
}

// turned returns a picture as its file says that it should be shown, by a number of EXIF.
func turned(src *image.RGBA, orientation int) *image.RGBA {
	if orientation < 2 || orientation > 8 {
		return src
	}
	w, h := src.Rect.Dx(), src.Rect.Dy()
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	if orientation >= 5 {
		out = image.NewRGBA(image.Rect(0, 0, h, w))
	}
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			sx, sy := x, y
			if orientation >= 5 { // rows are columns
				sx, sy = y, x
			}
			if o := orientation; o == 2 || o == 3 || o == 7 || o == 8 {
				sx = w - 1 - sx
			}
			if o := orientation; o == 3 || o == 4 || o == 6 || o == 7 {
				sy = h - 1 - sy
			}
			copy(out.Pix[out.PixOffset(x, y):][:4], src.Pix[src.PixOffset(sx, sy):][:4])
		}
	}
	return out
}
