package theme

import (
	"html/template"
	"net/http/httptest"
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

// The style sheet declares the font of formulas next to itself, and a page with one loads it early.
func TestFontOfFormulas(t *testing.T) {
	for _, a := range MathFont() {
		w := httptest.NewRecorder()
		if !strings.Contains(string(Style.Data), `src: url("`+a.Name+`")`) || !Serve(w, httptest.NewRequest("GET", "/", nil), a.Name) || w.Header().Get("Content-Type") != "font/woff2" {
			t.Errorf("%s is not declared, or not served: %v", a.Name, w.Header())
		}
	}
	preload := `crossorigin href="/assets/` + MathFont()[0].Name + `"`
	for _, c := range []struct {
		body string
		late bool
		want bool
	}{{"<p>a</p>", false, false}, {`<p><math></math></p>`, false, true}, {`<p><math></math></p>`, true, false}} {
		b, err := Render(&Frame{Style: "/assets/" + Style.Name, Fonts: Fonts{Late: c.late}}, &Page{Title: "x", Body: template.HTML(c.body)})
		if err != nil || strings.Contains(string(b), preload) != c.want {
			t.Errorf("%+v: %v\n%s", c, err, b)
		}
	}
	if csp := Policy(&Frame{}); !strings.Contains(csp, "font-src 'self';") {
		t.Errorf("%s", csp)
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
