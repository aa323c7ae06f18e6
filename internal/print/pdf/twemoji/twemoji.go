// Package twemoji has pictures of emoji from Twemoji (CC BY 4.0), in colour and as
// outlines, for paper, where no font of the reader can draw them.
package twemoji

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"github.com/octavo-docs/octavo/internal/markup/packed"
)

//go:generate go run generate.go ../../../../e2e/node_modules/@twemoji/svg

//go:embed emoji.tsv.gz
var file []byte

// elements are the elements of SVG of each picture, by the code points of its emoji.
var elements = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(string(packed.Unpack(file))) {
		code, drawing, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		out[code] = drawing
	}
	return out
})

// tones are the colours of skin, light and shade, by the character that asks for
// them; yellow is what the pictures have.
var (
	yellow = [][]string{{"#FFDC5D", "#FFDB5E", "#FFCC4D"}, {"#EF9645", "#EE9547", "#F9CA55"}}
	tones  = map[rune][2]string{
		0x1f3fb: {"#F7DECE", "#E0AA94"}, 0x1f3fc: {"#F3D2A2", "#D2A077"}, 0x1f3fd: {"#D4AB88", "#B78B60"},
		0x1f3fe: {"#AF7E57", "#90603E"}, 0x1f3ff: {"#7C533E", "#583529"},
	}
)

// SVG returns the picture of an emoji, and reports whether there is one.
func SVG(emoji string) (string, bool) {
	var tone [2]string
	var codes, plain []string // with and without selectors
	for i, r := range emoji {
		if t, ok := tones[r]; ok && i > 0 {
			if tone[0] == "" {
				tone = t
			}
			continue
		}
		code := fmt.Sprintf("%x", r)
		if codes = append(codes, code); r != 0xfe0f {
			plain = append(plain, code)
		}
	}
	all := elements()
	drawing, ok := all[strings.Join(codes, "-")]
	if !ok {
		if drawing, ok = all[strings.Join(plain, "-")]; !ok {
			return "", false
		}
	}
	if tone[0] != "" {
		var pairs []string
		for i, list := range yellow {
			for _, c := range list {
				pairs = append(pairs, c, tone[i])
			}
		}
		drawing = strings.NewReplacer(pairs...).Replace(drawing)
	}
	return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 36 36">` + drawing + `</svg>`, true
}
