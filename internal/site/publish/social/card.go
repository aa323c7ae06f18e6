// Package social draws the preview image that other services show with a link to a page:
// its title, its description and the name of the site.
//
// The package loads no resources. It shapes texts and breaks them into lines with fonts
// that are embedded in the program. It omits a text with characters that no font has, so
// that an image never has replacement boxes.
//
// Where a change goes:
//   - the picture that a link to a page has: this package; what is on it in
//     site/publish/page/card.go
package social

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/image/math/fixed"
)

// Width and Height are the size of an image, as services recommend it.
const (
	Width  = 1200
	Height = 630
)

const (
	margin    = 80
	maxText   = 400 // characters of a text that are used
	version   = "1" // version of the drawing, which is part of the hash
	titleSize = 80
	room      = Width - 2*margin // width of a line
)

// Card is the content of an image.
type Card struct {
	Title, Description string
	Site               string
	Color              color.RGBA // of the site
	Dark               bool
	RightToLeft        bool
}

// Hash returns a hash of everything that affects the image.
func (c Card) Hash() string {
	b, err := json.Marshal(c)
	if err != nil {
		panic(err) // impossible: a Card has only plain values
	}
	sum := sha256.Sum256(append(b, version...))
	return hex.EncodeToString(sum[:8])
}

// ParseColor parses #rgb or #rrggbb. It returns otherwise for anything else.
func ParseColor(s string, otherwise color.RGBA) color.RGBA {
	if len(s) == 4 {
		s = string([]byte{s[0], s[1], s[1], s[2], s[2], s[3], s[3]})
	}
	b, err := hex.DecodeString(strings.TrimPrefix(s, "#"))
	if err != nil || len(b) != 3 || s[0] != '#' {
		return otherwise
	}
	return color.RGBA{b[0], b[1], b[2], 255}
}

// palette holds the colors of a card.
type palette struct{ paper, ink, soft, accent, onAccent color.RGBA }

func (c Card) palette() palette {
	p := palette{paper: gray(255), ink: color.RGBA{23, 26, 31, 255}, soft: color.RGBA{90, 98, 110, 255}, accent: c.Color, onAccent: gray(255)}
	if c.Dark {
		p.paper, p.ink, p.soft = color.RGBA{16, 18, 21, 255}, color.RGBA{240, 242, 245, 255}, color.RGBA{160, 168, 180, 255}
	}
	if brightness(c.Color) > 150 {
		p.onAccent = color.RGBA{16, 18, 21, 255}
	}
	return p
}

func gray(v uint8) color.RGBA { return color.RGBA{v, v, v, 255} }

// brightness returns the perceived brightness of a color, from 0 to 255.
func brightness(c color.RGBA) int { return (299*int(c.R) + 587*int(c.G) + 114*int(c.B)) / 1000 }

// PNG returns the image of a card.
func (c Card) PNG() ([]byte, error) {
	img := image.NewRGBA(image.Rect(0, 0, Width, Height))
	p := c.palette()
	background(img, p)
	at := margin + 8
	title, site := clean(c.Title), clean(c.Site)
	if !drawable(title) {
		title = ""
	}
	if shown := cmp.Or(title, site); drawable(shown) {
		size := titleSize
		if lines := shape(shown, true, size, room, c.RightToLeft, 9); len(lines) > 2 {
			size = 60
		}
		at = c.text(img, shown, true, size, 3, at, p.ink)
	}
	if text := clean(c.Description); drawable(text) && title != "" {
		c.text(img, text, false, 34, 3, at+24, p.soft)
	}
	c.badge(img, site, p)
	var b bytes.Buffer
	err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, img)
	return b.Bytes(), err
}

// clean returns the beginning of a text as one line, without symbols such as emoji and
// without control characters.
func clean(s string) string {
	n := 0
	s = strings.Map(func(r rune) rune {
		if n++; n > maxText || unicode.In(r, unicode.C, unicode.So, unicode.Variation_Selector) && !unicode.IsSpace(r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// background fills a card with the paper color, and draws the color of the site in a
// corner and at the lower edge.
func background(img *image.RGBA, p palette) {
	draw.Draw(img, img.Bounds(), image.NewUniform(p.paper), image.Point{}, draw.Src)
	const radius = 760
	for y := range Height {
		for x := Width - radius; x < Width; x++ {
			dx, dy := float64(Width-x), float64(y)
			if d := dx*dx + dy*dy; d < radius*radius {
				img.SetRGBA(x, y, mix(p.paper, p.accent, 0.22*(1-d/(radius*radius))))
			}
		}
	}
	draw.Draw(img, image.Rect(0, Height-12, Width, Height), image.NewUniform(p.accent), image.Point{}, draw.Src)
}

func mix(a, b color.RGBA, part float64) color.RGBA {
	f := func(x, y uint8) uint8 { return uint8(float64(x) + (float64(y)-float64(x))*part) }
	return color.RGBA{f(a.R, b.R), f(a.G, b.G), f(a.B, b.B), 255}
}

// text draws a paragraph and returns the y coordinate of its end.
func (c Card) text(img *image.RGBA, s string, bold bool, size, lines, top int, ink color.RGBA) int {
	step := size * 5 / 4
	for _, l := range shape(s, bold, size, room, c.RightToLeft, lines) {
		x := fixed.I(margin)
		if c.RightToLeft {
			x = fixed.I(Width-margin) - l.width
		}
		l.draw(img, x, top+size, ink)
		top += step
	}
	return top
}

// badge draws the first letter of the site's name in a square, and the name next to it.
func (c Card) badge(img *image.RGBA, site string, p palette) {
	const side, top = 64, Height - 12 - 48 - 64
	left := margin
	if c.RightToLeft {
		left = Width - margin - side
	}
	rounded(img, left, top, side, 16, p.accent)
	if !drawable(site) || site == "" {
		return
	}
	first, _ := utf8.DecodeRuneInString(site)
	for _, l := range shape(string(unicode.ToUpper(first)), true, 36, room, c.RightToLeft, 1) {
		l.draw(img, fixed.I(left)+(fixed.I(side)-l.width)/2, top+45, p.onAccent)
	}
	for _, l := range shape(site, true, 32, room-side-22, c.RightToLeft, 1) {
		x := fixed.I(left + side + 22)
		if c.RightToLeft {
			x = fixed.I(left-22) - l.width
		}
		l.draw(img, x, top+43, p.ink)
	}
}
