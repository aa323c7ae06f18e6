package theme

import (
	"fmt"
	"strings"
	"sync"

	"github.com/octavo-docs/octavo/internal/customization"
	"github.com/octavo-docs/octavo/internal/fonts"
)

// Fonts are the files of fonts that a site uses, from its own host. Without them
// the style sheet uses those of the system.
type Fonts struct {
	Text, Heading, Code []FontFile
	Late                bool // browsers ask for them when they need them: in a folder they may not before
}

// FontFile is a part of a font.
type FontFile struct {
	Weights string // one, or the first and the last
	Href    string // of this host
	Format  string // woff2, woff, ttf or otf
	Range   string // of characters; empty is all
}

// FontFamily returns the files of a font that every site can choose by its name,
// for a site whose assets are at an address.
func FontFamily(name, assets string) (out []FontFile) {
	for _, f := range fonts.Family(name) {
		out = append(out, FontFile{Weights: f.Weights, Href: assets + hashedFonts().names[f.Name], Format: "woff2", Range: f.Range})
	}
	return out
}

// latin is in the range of the file that nearly every page needs.
const latin = "U+0000-00FF"

// Preload returns the addresses of the files that a browser should ask for at once.
func (f Fonts) Preload() (out []string) {
	if f.Late {
		return nil
	}
	for _, file := range f.Text {
		if strings.HasPrefix(file.Range, latin) {
			out = append(out, file.Href)
		}
	}
	return out
}

// hashed are the files of fonts, by names that have a hash of their bytes in them.
type hashed struct {
	names  map[string]string
	assets map[string]Asset
}

var hashedFonts = sync.OnceValue(func() hashed {
	h := hashed{map[string]string{}, map[string]Asset{}}
	for _, names := range [][]string{customization.TextFonts, customization.CodeFonts} {
		for _, name := range names {
			for _, f := range fonts.Family(name) {
				b, _ := fonts.Read(f.Name)
				a := NewAsset(f.Name, "font/woff2", b)
				h.names[f.Name], h.assets[a.Name] = a.Name, a
			}
		}
	}
	return h
})

func (f Fonts) empty() bool { return len(f.Text)+len(f.Heading)+len(f.Code) == 0 }

// formats are the names of formats in style sheets.
var formats = map[string]string{"woff2": "woff2", "woff": "woff", "ttf": "truetype", "otf": "opentype"}

// css declares the fonts under names of our own: those that people give to fonts
// are no part of the style.
func (f Fonts) css() string {
	var b, roles strings.Builder
	for _, role := range []struct {
		name  string
		files []FontFile
	}{{"text", f.Text}, {"heading", f.Heading}, {"code", f.Code}} {
		for _, file := range role.files {
			fmt.Fprintf(&b, `@font-face{font-family:octavo-%s;font-weight:%s;font-display:swap;src:url("%s") format("%s")`,
				role.name, file.Weights, cssURL(file.Href), formats[file.Format])
			if file.Range != "" {
				b.WriteString(";unicode-range:" + file.Range)
			}
			b.WriteByte('}')
		}
		if len(role.files) > 0 {
			fmt.Fprintf(&roles, "--%s-font:octavo-%s;", role.name, role.name)
		}
	}
	if roles.Len() > 0 {
		fmt.Fprintf(&b, ":root{%s}", strings.TrimSuffix(roles.String(), ";"))
	}
	return b.String()
}

// cssURL returns an address without characters that end a string of a style
// sheet, or the style sheet.
func cssURL(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`"'\<>()`, c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// css is the style of a site that differs from the style sheet. The page and its
// policy need it, so it is kept with the parts that they need it for.
func (f *Frame) css() string {
	return f.Parts.keep("css", func() string { return f.Colors.css() + f.Fonts.css() })
}
