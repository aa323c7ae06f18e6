package pictures

import (
	"slices"

	"github.com/octavo-docs/octavo/internal/docs"
)

// widths are the widths that are made of all pictures, in pixels. The column of a page has 768 CSS
// pixels, half of them beside another picture, and a phone has about 360: with one, two and three
// pixels of the screen for each, these come within a third of what is shown. Wider ones are for
// pages that are wide.
var widths = []int{384, 768, 1152, 1536, 2304}

const (
	// minBytes is the size of the smallest file that is made smaller: of smaller ones, most of the
	// time goes into the request.
	minBytes = 12 << 10
	// worthwhile is the largest part of the width of a picture, in percent, at which it is made.
	worthwhile = 85
)

// kinds are the types that are read. Vector graphics have no pixels, animations would stop, and
// there is no reader for AVIF.
var kinds = []string{"image/png", "image/jpeg", "image/webp"}

// Widths returns the widths in which a file is made, in pixels, from narrow to wide. A PNG file is
// also made in its own width, because many are photos.
func Widths(f docs.File) []int {
	if !slices.Contains(kinds, f.ContentType) || f.Size < minBytes || f.Size > maxFile || f.Width < 1 || int64(f.Width)*int64(f.Height) > maxPixels {
		return nil
	}
	n := 0
	for n < len(widths) && 100*widths[n] <= worthwhile*f.Width {
		n++
	}
	if f.ContentType == "image/png" && f.Width <= widths[len(widths)-1] {
		return append(slices.Clone(widths[:n]), f.Width)
	}
	return slices.Clone(widths[:n])
}

// Has reports whether a file is made in a width.
func Has(f docs.File, width int) bool { return slices.Contains(Widths(f), width) }
