package formula

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// fontFiles are the fonts of KaTeX (OFL) as TrueType, in one archive.
//
//go:generate go run generate.go ../../../e2e/node_modules/katex/dist/fonts
//go:embed fonts.zip
var fontFiles []byte

// mathFont is a font with a cache of the widths of its glyphs.
type mathFont struct {
	data []byte
	font *sfnt.Font

	mu     sync.Mutex
	buf    sfnt.Buffer
	widths map[rune]float64
}

var fonts = sync.OnceValue(func() map[string]*mathFont {
	out, err := readFonts(fontFiles)
	if err != nil {
		panic(fmt.Errorf("the fonts of formulas: %w", err)) // the archive is embedded in the program
	}
	return out
})

func readFonts(archive []byte) (map[string]*mathFont, error) {
	z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return nil, err
	}
	out := map[string]*mathFont{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		m := &mathFont{widths: map[rune]float64{}}
		if m.data, err = io.ReadAll(r); err != nil {
			return nil, err
		}
		if m.font, err = sfnt.Parse(m.data); err != nil {
			return nil, err
		}
		out[strings.TrimSuffix(f.Name, ".ttf")] = m
	}
	return out, nil
}

// Fonts returns the sorted names of the fonts that drawings use.
func Fonts() []string {
	var out []string
	for name := range fonts() {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// Font returns a font as a TrueType file, or nil if there is no font with that name.
func Font(name string) []byte {
	if f := fonts()[name]; f != nil {
		return f.data
	}
	return nil
}

// fontFile returns the name of the font in a family that is closest to the given
// style.
func fontFile(family string, bold, italic bool) string {
	cuts := []string{"Regular", "Italic"}
	switch {
	case bold && italic:
		cuts = []string{"BoldItalic", "Bold", "Italic", "Regular"}
	case bold:
		cuts = []string{"Bold", "BoldItalic", "Regular"}
	case italic:
		cuts = []string{"Italic", "Regular"}
	}
	for _, cut := range cuts {
		if name := family + "-" + cut; fonts()[name] != nil {
			return name
		}
	}
	return "Main-Regular"
}

// advance returns the width of a character. For a character that the font lacks, it
// returns an estimate, because the character is drawn with another font.
func advance(name string, r rune) float64 {
	f := fonts()[name]
	f.mu.Lock()
	defer f.mu.Unlock()
	if w, ok := f.widths[r]; ok {
		return w
	}
	w := 0.55
	if r >= 0x2e80 {
		w = 1
	}
	if g, err := f.font.GlyphIndex(&f.buf, r); err == nil && g != 0 {
		if a, err := f.font.GlyphAdvance(&f.buf, g, fixed.I(1000), font.HintingNone); err == nil {
			w = float64(a) / 64 / 1000
		}
	}
	if len(f.widths) < 1<<12 {
		f.widths[r] = w
	}
	return w
}
