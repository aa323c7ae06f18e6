package pdf

import "github.com/octavo-docs/octavo/internal/print/typeface"

// Styles of a font, as bits.
const (
	bold   = typeface.Bold
	italic = typeface.Italic
	mono   = typeface.Mono
)

// Sizes and distances of a book, in points.
const (
	bodySize  = 10.0
	codeSize  = 8.4
	cellSize  = 9.0
	leading   = 1.45 // relative to the size
	codeLead  = 1.42
	paragraph = 8.0 // between blocks
	listStep  = 18.0
)

var (
	inkColor   = hexColor(0x1f2733)
	paleColor  = hexColor(0x6b7684)
	ruleColor  = hexColor(0xd5dae1)
	linkColor  = hexColor(0x1d5fbf)
	brandColor = hexColor(0x1b3a5c)
	codeBack   = hexColor(0xf4f6f8)
	markBack   = hexColor(0xfff3c4)
	headBack   = hexColor(0xeef1f5)
	keyEdge    = hexColor(0xc5cbd3)
	white      = hexColor(0xffffff)
)

// headings are the sizes of headings and the space above them, by level.
var headings = [7]struct{ size, above float64 }{
	{}, {17, 24}, {14, 20}, {12, 17}, {10.8, 14}, {10, 12}, {10, 12},
}

type hintLook struct {
	icon             string
	tone, edge, back color
}

var hints = map[string]hintLook{
	"info":    {"circle-info", hexColor(0x2f6fd0), hexColor(0xc9dbf6), hexColor(0xf0f5fd)},
	"success": {"circle-check", hexColor(0x2a8a4a), hexColor(0xc3e3cd), hexColor(0xeff8f2)},
	"warning": {"circle-exclamation", hexColor(0xb97700), hexColor(0xf0dcb4), hexColor(0xfef8eb)},
	"danger":  {"triangle-exclamation", hexColor(0xc73a3a), hexColor(0xf1c8c8), hexColor(0xfdf2f2)},
}

// textColors and backColors are the colours that authors can choose for text and
// backgrounds.
var textColors = map[string]uint32{
	"green": 0x2a8a4a, "blue": 0x2f6fd0, "red": 0xc73a3a, "orange": 0xc96a12, "yellow": 0x9a7a00, "purple": 0x7a3fb0, "pink": 0xb8417f,
	"violet": 0x6a4fc0, "cyan": 0x147f92, "$primary": 0x1d5fbf, "$info": 0x2f6fd0, "$success": 0x2a8a4a, "$warning": 0xc98300, "$danger": 0xc73a3a, "$tint": 0x4a5a70,
}

var backColors = map[string]uint32{
	"green": 0xdff2e4, "blue": 0xdfeafb, "red": 0xfbe0e0, "orange": 0xfde8d5, "yellow": 0xfdf3c8, "purple": 0xeee2f8, "pink": 0xfae1ee,
	"violet": 0xe7e2f9, "cyan": 0xd9f0f4, "$primary": 0xdfeafb, "$info": 0xdfeafb, "$success": 0xdff2e4, "$warning": 0xfdf0d0, "$danger": 0xfbe0e0, "$tint": 0xe8ecf1,
}

// codeColors are the styles of tokens by class. The longest matching prefix of a class
// counts.
var codeColors = map[string]struct {
	rgb  uint32
	face uint8
}{
	"c": {0x6a737d, italic}, "k": {0x8a2da8, 0}, "kt": {0x0b6e7d, 0}, "kc": {0x0a5cc0, 0}, "s": {0x1d7a3d, 0}, "m": {0xa8520e, 0},
	"nf": {0x0a5cc0, 0}, "nc": {0x0b6e7d, 0}, "nt": {0xa3293d, 0}, "na": {0x7a5200, 0}, "nb": {0x0b6e7d, 0}, "nd": {0x7a5200, 0},
	"o": {0x555f6b, 0}, "ow": {0x8a2da8, 0}, "gd": {0xb02a37, 0}, "gi": {0x1d7a3d, 0}, "gh": {0x0a5cc0, bold}, "gp": {0x6b7684, 0}, "err": {0xb02a37, 0},
}

func hexColor(rgb uint32) color {
	return color{float64(rgb>>16&255) / 255, float64(rgb>>8&255) / 255, float64(rgb&255) / 255}
}
