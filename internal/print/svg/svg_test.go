package svg

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// data formats a path with rounded coordinates.
func data(p Path) string {
	var b strings.Builder
	for _, s := range p {
		n := map[Op]int{Move: 1, Line: 1, Curve: 3}[s.Op]
		b.WriteByte("MLCZ"[s.Op])
		for _, q := range s.P[:n] {
			fmt.Fprintf(&b, "%g,%g ", math.Round(q.X), math.Round(q.Y))
		}
	}
	return strings.TrimSpace(b.String())
}

func TestPaths(t *testing.T) {
	for in, want := range map[string]string{
		"M1 2L3 4 5,6z":            "M1,2 L3,4 L5,6 Z",
		"m10 10 5-5-5-5":           "M10,10 L15,5 L10,0",
		"M0 0h10v5H1V2":            "M0,0 L10,0 L10,5 L1,5 L1,2",
		"M.5.5 1.5.5":              "M1,1 L2,1",
		"M0 0c1 1 2 2 3 3s2 2 3 3": "M0,0 C1,1 2,2 3,3 C4,4 5,5 6,6",
		"M0 0Q3 3 6 0T12 0":        "M0,0 C2,2 4,2 6,0 C8,-2 10,-2 12,0",
		"M0 0a10 10 0 0110 10":     "M0,0 C6,0 10,4 10,10",
		"M0 0A10 10 0 1 1 0 20":    "M0,0 C6,0 10,4 10,10 C10,16 6,20 0,20",
		"M0 0zm5 5l1 1":            "M0,0 ZM5,5 L6,6",
		"M1e1 2E1L-3-4":            "M10,20 L-3,-4",
		"M0 0L1 x 5 5":             "M0,0",
		"L1 1":                     "",
		"M0 0 A0 5 0 0 0 7 7":      "M0,0 L7,7",
		"M0 0L1e999 5":             "M0,0",
		"M 1,2 , 3 4":              "M1,2 L3,4",
		"":                         "",
		"M5 5":                     "M5,5",
		"M0 0 S1 1 2 2":            "M0,0 C0,0 1,1 2,2",
	} {
		if got := data(ParsePath(in)); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}

// parse parses the content of a picture of 100 by 100 pixels.
func parse(t *testing.T, inside string) []Item {
	t.Helper()
	d, err := Parse(strings.NewReader(`<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="100" height="100">` + inside + `</svg>`))
	if err != nil {
		t.Fatal(err)
	}
	return d.Items
}

func TestShapes(t *testing.T) {
	for in, want := range map[string]string{
		`<rect x="1" y="2" width="10%" height="5"/>`:                                                                    "M1,2 L11,2 L11,7 L1,7 L1,2 Z",
		`<polygon points="0,0 5,0 5,5"/>`:                                                                               "M0,0 L5,0 L5,5 Z",
		`<polyline points="0 0 5 0"/>`:                                                                                  "M0,0 L5,0",
		`<line x1="1" y1="1" x2="2" y2="2" stroke="red"/>`:                                                              "M1,1 L2,2",
		`<circle cx="10" cy="10" r="10"/>`:                                                                              "M10,0 L10,0 C16,0 20,4 20,10 L20,10 C20,16 16,20 10,20 L10,20 C4,20 0,16 0,10 L0,10 C0,4 4,0 10,0 Z",
		`<g transform="translate(5 5) scale(2)"><path d="M0 0L1 1"/></g>`:                                               "M5,5 L7,7",
		`<g transform="rotate(90)"><path d="M0 0L10 0"/></g>`:                                                           "M0,0 L0,10",
		`<defs><path id="a" d="M0 0L1 1"/></defs><use href="#a" x="10"/>`:                                               "M10,0 L11,1",
		`<symbol id="s" viewBox="0 0 10 10"><path d="M0 0L5 5"/></symbol><use xlink:href="#s" width="20" height="20"/>`: "M0,0 L10,10",
		`<svg x="50" width="50" height="50" viewBox="0 0 10 10"><path d="M0 0L1 1"/></svg>`:                             "M50,0 L55,5",
	} {
		items := parse(t, in)
		if len(items) != 1 || data(items[0].Path) != want {
			t.Errorf("%s is %d items: %v", in, len(items), items)
		}
	}
}

func TestPaints(t *testing.T) {
	for in, want := range map[string]string{
		`<rect width="1" height="1" fill="#f00"/>`:                                                                        "ff0000 1",
		`<rect width="1" height="1" fill="RGB(0, 255, 0)" opacity=".5"/>`:                                                 "00ff00 0.5",
		`<rect width="1" height="1" style="fill:rgba(0,0,255,50%)"/>`:                                                     "0000ff 0.5",
		`<style>.a, .b{fill:teal} /* x */ #c{fill:red}</style><rect class="x b" width="1" height="1"/>`:                   "008080 1",
		`<g color="navy" fill="currentColor"><rect width="1" height="1"/></g>`:                                            "000080 1",
		`<linearGradient id="g"><stop stop-color="#123456"/></linearGradient><rect width="1" height="1" fill="url(#g)"/>`: "123456 1",
		`<rect width="1" height="1" fill="url(#gone) lime"/>`:                                                             "00ff00 1",
		`<rect width="1" height="1"/>`:                                                                                    "000000 1",
	} {
		items := parse(t, in)
		if len(items) != 1 {
			t.Errorf("%s: %d items", in, len(items))
			continue
		}
		if got := fmt.Sprintf("%06x %.2g", items[0].Fill.Color, items[0].Fill.Opacity); got != want {
			t.Errorf("%s is %s, want %s", in, got, want)
		}
	}
	for _, name := range []string{"g", "a", "svg", "switch"} {
		in := "<" + name + ` visibility="hidden"><rect width="1" height="1" visibility="visible"/></` + name + ">"
		if items := parse(t, in); len(items) != 1 {
			t.Errorf("%s draws %v", in, items)
		}
	}
	for _, in := range []string{
		`<rect width="1" height="1" fill="none"/>`, `<rect width="1" height="1" display="none"/>`, `<g style="visibility:hidden"><rect width="1" height="1"/></g>`,
		`<defs><rect width="1" height="1"/></defs>`, `<rect width="1" height="1" fill="url(https://evil.example/#a)"/>`, `<image href="https://evil.example/x.png"/>`,
		`<use href="https://evil.example/x.svg#a"/>`, `<script>alert(1)</script>`,
		`<g display="none"><rect width="1" height="1" visibility="visible"/></g>`, `<g style="display:none"><rect width="1" height="1" visibility="visible"/></g>`,
		`<text x="1" y="1"><tspan display="none"><tspan visibility="visible">a</tspan></tspan></text>`,
	} {
		if items := parse(t, in); len(items) != 0 {
			t.Errorf("%s draws %v", in, items)
		}
	}
}

func TestTexts(t *testing.T) {
	for in, want := range map[string]string{
		`<text x="5" y="10" font-size="8" text-anchor="middle" font-weight="700">Hello
			<tspan>world</tspan></text>`: "Hello world@5,10 8 0.5 true",
		`<foreignObject width="40" height="20"><div xmlns="http://www.w3.org/1999/xhtml"><span>A label</span></div></foreignObject>`: "A label@20,15 16 0.5 false",
		`<switch><foreignObject width="9" height="9"><p>html</p></foreignObject><text x="1" y="2">svg</text></switch>`:               "svg@1,2 16 0 false",
		`<text><tspan x="1" y="1">a</tspan></text>`: "a@1,1 16 0 false",
	} {
		items := parse(t, in)
		if len(items) != 1 || items[0].Text == nil {
			t.Errorf("%s: %v", in, items)
			continue
		}
		x := items[0].Text
		if got := fmt.Sprintf("%s@%.0f,%.0f %g %g %v", x.Text, x.At.X, x.At.Y, x.Size, x.Anchor, x.Bold); got != want {
			t.Errorf("%s is %s, want %s", in, got, want)
		}
	}
}

func TestClips(t *testing.T) {
	items := parse(t, `<clipPath id="c"><rect width="5" height="5"/></clipPath><g clip-path="url(#c)"><rect width="50" height="50"/></g>`)
	if len(items) != 1 || len(items[0].Clip) != 1 || data(items[0].Clip[0].Path) != "M0,0 L5,0 L5,5 L0,5 L0,0 Z" {
		t.Errorf("%v", items)
	}
	for in, want := range map[string]bool{
		`<clipPath id="c"><path d="M0 0h9v9z"/></clipPath>`:                                                              false,
		`<clipPath id="c"><path d="M0 0h9v9z" fill-rule="evenodd"/></clipPath>`:                                          false,
		`<clipPath id="c"><path d="M0 0h9v9z" clip-rule="evenodd"/></clipPath>`:                                          true,
		`<clipPath id="c" clip-rule="evenodd"><path d="M0 0h9v9z"/></clipPath>`:                                          true,
		`<clipPath id="c"><path d="M0 0h9v9z" clip-rule="evenodd"/><path d="M0 0h5v5z" clip-rule="evenodd"/></clipPath>`: false,
	} {
		items := parse(t, in+`<rect width="50" height="50" clip-path="url(#c)"/>`)
		if len(items) != 1 || len(items[0].Clip) != 1 || items[0].Clip[0].EvenOdd != want {
			t.Errorf("%s: %v", in, items)
		}
	}
}

// The work for small pictures is bounded.
func TestWorkIsBounded(t *testing.T) {
	var lol strings.Builder
	lol.WriteString(`<defs><rect id="a0" width="1" height="1"/>`)
	for i := range 30 {
		fmt.Fprintf(&lol, `<g id="a%d">%s</g>`, i+1, strings.Repeat(fmt.Sprintf(`<use href="#a%d"/>`, i), 10))
	}
	lol.WriteString(`</defs><use href="#a30"/>`)
	for name, in := range map[string]string{
		"uses":  `<svg width="1" height="1">` + lol.String() + `</svg>`,
		"loop":  `<svg width="1" height="1"><g id="a"><use href="#a"/><use href="#a"/></g></svg>`,
		"deep":  `<svg width="1" height="1">` + strings.Repeat("<g>", 10_000) + `</svg>`,
		"wide":  `<svg width="1" height="1">` + strings.Repeat("<g/>", maxElements) + `</svg>`,
		"clips": `<svg width="1" height="1"><clipPath id="c"><path d="M0 0` + strings.Repeat("h1", 5000) + `"/></clipPath>` + strings.Repeat(`<rect clip-path="url(#c)" width="1" height="1"/>`, 2000) + `</svg>`,
		"huge":  `<svg width="1e8" height="1"/>`,
		"html":  `<html><svg/></html>`,
		"empty": ``,
	} {
		if d, err := Parse(strings.NewReader(in)); err == nil {
			t.Errorf("%s: %d items", name, len(d.Items))
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`<svg viewBox="0 0 10 10"><style>.a{fill:red}</style><path class="a" d="M0 0a1 1 0 0 1 2 2z" transform="rotate(1)"/><text>x</text></svg>`)
	f.Add(`<svg><defs><linearGradient id="g"><stop offset="1"/></linearGradient></defs><use href="#g"/><rect fill="url(#g)" width="1" height="2" rx="3"/></svg>`)
	f.Fuzz(func(t *testing.T, in string) {
		d, err := Parse(strings.NewReader(in))
		if err != nil {
			return
		}
		if !(d.Width > 0) || !(d.Height > 0) {
			t.Errorf("%g × %g", d.Width, d.Height)
		}
	})
}
