package pdf

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/octavo-docs/octavo/internal/budget"
	"github.com/octavo-docs/octavo/internal/docs"
)

// embedRows writes a PNG to the file. It decodes the PNG once, row by row, and keeps only
// the reduced picture in memory, at most maxSide pixels in both directions.
func (d *document) embedRows(ref docs.Ref) (*picture, error) {
	r, err := d.Open(ref)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	p, err := openPNG(io.LimitReader(r, maxImageBytes))
	if err == nil && p.laced {
		err = errPNG
	}
	if err != nil {
		return nil, err
	}
	if !d.spend(2 * p.w * p.h) {
		return nil, errManyPixels
	}
	s := &shrunk{p: p, by: (max(p.w, p.h) + maxSide - 1) / maxSide}
	w, h := s.size()
	pixels := slices.Grow(d.pixels[:0], 4*w*h)
	defer func() { d.pixels = pixels }()
	gray, opaque := true, true
	err = s.rows(func(row []byte) error {
		for i := 0; i+3 < len(row); i += 4 {
			gray = gray && row[i] == row[i+1] && row[i] == row[i+2]
			opaque = opaque && row[i+3] == 255
		}
		pixels = append(pixels, row...)
		return budget.Yield(d.ctx)
	})
	if err != nil {
		return nil, err
	}
	channel := func(space, more string, from, n int) object {
		dict := fmt.Sprintf("/Type/XObject/Subtype/Image/Width %d/Height %d/BitsPerComponent 8/ColorSpace%s%s", w, h, space, more)
		return d.w.streamFrom(dict, true, func(out io.Writer) error {
			buf := make([]byte, n*w)
			for rest := pixels; len(rest) > 0; rest = rest[4*w:] {
				for x := range w {
					copy(buf[n*x:n*x+n], rest[4*x+from:])
				}
				if _, err := out.Write(buf); err != nil {
					return err
				}
			}
			return nil
		})
	}
	mask := ""
	if !opaque {
		mask = "/SMask " + channel("/DeviceGray", "", 3, 1).String()
	}
	space, n := "/DeviceRGB", 3
	if gray {
		space, n = "/DeviceGray", 1
	}
	return &picture{ref: channel(space, mask, 0, n), w: p.w, h: p.h}, nil
}

// shrunk reduces a picture: each square of by × by pixels becomes one pixel.
type shrunk struct {
	p  *pngReader
	by int
}

func (s *shrunk) size() (w, h int) { return (s.p.w + s.by - 1) / s.by, (s.p.h + s.by - 1) / s.by }

// rows calls emit with each row of the reduced picture.
func (s *shrunk) rows(emit func([]byte) error) error {
	w, h := s.size()
	in := make([]byte, 4*s.p.w)
	if s.by == 1 {
		for range h {
			if err := s.p.next(in); err != nil {
				return err
			}
			if err := emit(in); err != nil {
				return err
			}
		}
		return nil
	}
	sums, out := make([]uint32, 5*w), make([]byte, 4*w) // per pixel: three colours times alpha, alpha, count
	for y := range s.p.h {
		if err := s.p.next(in); err != nil {
			return err
		}
		for x := range s.p.w {
			at, a := 5*(x/s.by), uint32(in[4*x+3])
			for k := range 3 {
				sums[at+k] += uint32(in[4*x+k]) * a
			}
			sums[at+3] += a
			sums[at+4]++
		}
		if y%s.by != s.by-1 && y != s.p.h-1 {
			continue
		}
		for x := range w {
			for k := range 3 {
				out[4*x+k] = byte(sums[5*x+k] / max(1, sums[5*x+3]))
			}
			out[4*x+3] = byte(sums[5*x+3] / max(1, sums[5*x+4]))
		}
		if err := emit(out); err != nil {
			return err
		}
		clear(sums)
	}
	return nil
}

var errManyPixels = errors.New("the pictures of the document have too many pixels")

// spend subtracts work on pixels from the budget. It reports false if the budget is too
// small.
func (d *document) spend(pixels int) bool {
	if int64(pixels) > budget.FromContext(d.ctx).Limit(budget.Pixels)-d.work {
		return false
	}
	d.work += int64(pixels)
	return true
}
