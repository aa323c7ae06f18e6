package theme

import (
	"fmt"
	"html/template"
	"strings"
	"sync"

	"github.com/octavo-docs/octavo/internal/site/customization"
	"github.com/octavo-docs/octavo/internal/site/theme/fonts"
)

// Fonts are the font files of a site, served by its own host. Without them, the style sheet
// uses fonts of the system.
type Fonts struct {
	Text, Heading, Code []FontFile
	Late                bool // no preloading; browsers may not preload fonts of pages that are opened from a folder
}

// FontFile is a file of a font.
type FontFile struct {
	Weights string // a weight, or the first and the last one of a range
	Href    string // on the host of the site
	Format  string // woff2, woff, ttf or otf
	Range   string // of characters; empty for all
}

// FontFamily returns the files of a built-in font. The argument assets is the address of the
// assets of the site.
func FontFamily(name, assets string) (out []FontFile) {
	for _, f := range fonts.Family(name) {
		out = append(out, FontFile{Weights: f.Weights, Href: assets + hashedFonts().names[f.Name], Format: "woff2", Range: f.Range})
	}
	return out
}

// latin begins the range of the file that nearly every page needs.
const latin = "U+0000-00FF"

// Preload returns the addresses of the files that a browser should load at once.
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

// hashed maps the names of font files to names with a hash, and these to assets.
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

// mathFont are the files of the font of formulas, in the order of fonts.Math.
var mathFont = func() (out []Asset) {
	for _, f := range fonts.Math {
		b, _ := fonts.Read(f.Name)
		out = append(out, NewAsset(f.Name, "font/woff2", b))
	}
	return out
}()

// MathFont returns the assets that a page with formulas needs, besides those of its frame. The style
// sheet refers to them by names relative to its own, and a browser loads them for formulas alone.
func MathFont() []Asset { return mathFont }

// HasFormula reports whether the content of a page needs MathFont.
func HasFormula(body template.HTML) bool { return strings.Contains(string(body), "<math") }

// mathFaces declares the font of formulas.
func mathFaces() string {
	var b strings.Builder
	for i, f := range fonts.Math {
		fmt.Fprintf(&b, "@font-face { font-family: octavo-math; font-weight: %s; font-display: swap; src: url(%q) format(\"woff2\"); unicode-range: %s; }\n", f.Weights, mathFont[i].Name, f.Range)
	}
	return b.String()
}

// formats maps formats to their names in style sheets.
var formats = map[string]string{"woff2": "woff2", "woff": "woff", "ttf": "truetype", "otf": "opentype"}

// css declares the fonts under our own names, so that names chosen by users are not part of
// the style.
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

// cssURL escapes the characters of an address that could end a string in a style sheet, or the
// style sheet.
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

// css returns the styles of a site that differ from the style sheet. Both the page and its
// content security policy need them, so they are cached in Parts.
func (f *Frame) css() string {
	return f.Parts.keep("css", func() string { return f.Colors.css() + f.Fonts.css() })
}
