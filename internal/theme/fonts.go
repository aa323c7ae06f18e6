package theme

import (
	"fmt"
	"strings"
)

// Fonts are the files of fonts that a site brings itself, from its own host.
// Without them the style sheet uses those of the system.
type Fonts struct {
	Text, Heading, Code []FontFile
}

// FontFile is one weight of a font.
type FontFile struct {
	Weight int
	Href   string // of this host
	Format string // woff2, woff, ttf or otf
}

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
			fmt.Fprintf(&b, `@font-face{font-family:octavo-%s;font-weight:%d;font-display:swap;src:url("%s") format("%s")}`,
				role.name, file.Weight, cssURL(file.Href), formats[file.Format])
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

// css is the style of a site that differs from the style sheet.
func (f *Frame) css() string { return f.Colors.css() + f.Fonts.css() }
