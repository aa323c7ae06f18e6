package theme

import (
	"strings"
	"testing"
)

func TestFonts(t *testing.T) {
	f := Fonts{
		Text: []FontFile{{Weights: "400", Href: "/f/a.woff2", Format: "woff2"}, {Weights: "700", Href: "/f/b.ttf", Format: "ttf"}},
		Code: []FontFile{{Weights: "400", Href: "/f/c.otf", Format: "otf"}},
	}
	const want = `@font-face{font-family:octavo-text;font-weight:400;font-display:swap;src:url("/f/a.woff2") format("woff2")}` +
		`@font-face{font-family:octavo-text;font-weight:700;font-display:swap;src:url("/f/b.ttf") format("truetype")}` +
		`@font-face{font-family:octavo-code;font-weight:400;font-display:swap;src:url("/f/c.otf") format("opentype")}` +
		`:root{--text-font:octavo-text;--code-font:octavo-code}`
	if got := f.css(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := (Fonts{}).css(); got != "" {
		t.Errorf("no fonts: %s", got)
	}
}

func TestAddressesOfFontsStayInside(t *testing.T) {
	f := Frame{Fonts: Fonts{Text: []FontFile{{Weights: "400", Href: "/\");}</style><script>alert(1)</script>\n\\", Format: "woff2"}}}}
	b, err := Render(&f, &Message{Title: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(b), "<script>") || strings.Count(string(b), "</style>") != 1 {
		t.Errorf("%s", b)
	}
}
