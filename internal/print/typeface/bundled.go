package typeface

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"errors"
	"io"
	"sync"

	"codeberg.org/go-fonts/dejavu/dejavusans"
	"codeberg.org/go-fonts/dejavu/dejavusansmono"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gobolditalic"
	"golang.org/x/image/font/gofont/goitalic"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/gomonobold"
	"golang.org/x/image/font/gofont/gomonobolditalic"
	"golang.org/x/image/font/gofont/gomonoitalic"
	"golang.org/x/image/font/gofont/goregular"
)

// Styles of a font, as bits.
const (
	Bold   = 1
	Italic = 2
	Mono   = 4
	Styles = 8 // number of combinations
)

// Bundle is the Go font family for text and code, with DejaVu as a fallback.
type Bundle struct {
	Primary [Styles]*Face // by bold, italic and mono
	Further [2]*Face      // fallback for text, and for code
}

// Bundled returns the fonts that are embedded in the program.
var Bundled = sync.OnceValue(func() *Bundle {
	parse := func(name string, data []byte) *Face {
		f, err := Parse(name, data)
		if err != nil {
			panic("typeface: bundled font " + name + " " + err.Error()) // the fonts are embedded in the program
		}
		return f
	}
	return &Bundle{
		Primary: [Styles]*Face{
			parse("Go", goregular.TTF), parse("Go Bold", gobold.TTF), parse("Go Italic", goitalic.TTF), parse("Go Bold Italic", gobolditalic.TTF),
			parse("Go Mono", gomono.TTF), parse("Go Mono Bold", gomonobold.TTF), parse("Go Mono Italic", gomonoitalic.TTF), parse("Go Mono Bold Italic", gomonobolditalic.TTF),
		},
		Further: [2]*Face{parse("DejaVu Sans", dejavusans.TTF), parse("DejaVu Sans Mono", dejavusansmono.TTF)},
	}
})

// scriptFonts are Noto Sans for Devanagari, Bengali, Tamil and Thai (OFL).
//
//go:generate go run generate.go /usr/share/fonts/truetype/noto
//go:embed scripts/fonts.zip
var scriptFonts []byte

// scriptFaces returns the fonts of scripts that the other bundled fonts lack. They are
// opened when a text first needs one of them.
var scriptFaces = sync.OnceValue(func() []*Face {
	out, err := openZip(scriptFonts)
	if err != nil {
		panic("typeface: bundled fonts: " + err.Error()) // the fonts are embedded in the program
	}
	return out
})

func openZip(archive []byte) ([]*Face, error) {
	z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return nil, err
	}
	var out []*Face
	for _, file := range z.File {
		r, err := file.Open()
		if err != nil {
			return nil, err
		}
		data, err := io.ReadAll(r)
		if err := errors.Join(err, r.Close()); err != nil {
			return nil, err
		}
		f, err := Parse(file.Name, data)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// OfScript returns the bundled font for the script of a rune, or nil.
func OfScript(r rune) *Face {
	if r >= 0x0900 && r <= 0x0e7f || r >= 0xa8e0 && r <= 0xa8ff || r == 0x25cc {
		for _, f := range scriptFaces() {
			if f.Glyph(r) != 0 {
				return f
			}
		}
	}
	return nil
}
