package theme

import (
	"cmp"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/icons"
)

// pageTemplate returns a template that renders a page and its navigation, as a reference.
func pageTemplate(t testing.TB, style icons.Style) *template.Template {
	t.Helper()
	out := parse(style).Funcs(template.FuncMap{"part": func(name string, s shown) (template.HTML, error) {
		text, err := s.Parts.get(pages[style], name, s)
		return element(text), err
	}, "day": (*Texts).Day, "method": func(name string) string { return cmp.Or(methods[name], "method") }})
	return template.Must(out.ParseFiles("testdata/page.html"))
}

// A page that is written without templates equals the output of a template, which escapes
// automatically, for all texts and addresses.
func TestPagesAreWhatATemplateMakes(t *testing.T) {
	const address = "https://docs.example.com/é (1)/?a=b&c=" + hostile
	links := hostileLinks()
	everything := full()
	everything.Navigation, everything.Drawn, everything.Alert, everything.Feedback = links, true, hostile, address
	everything.Canonical, everything.Alternate, everything.Image, everything.Title = address, "/a b.md", address, hostile
	everything.Translations = []Translation{{"", address}, {hostile, "javascript:alert(1)"}}
	everything.Draft = &Draft{Name: hostile, Switch: &Link{Title: "Show", Href: "?changes"}}
	everything.Data = append(everything.Data, struct{ Name, Line string }{hostile, "a\u2028b"})
	written := &Page{
		Title: hostile, Emoji: "🙂", Anchor: hostile, Description: hostile, Body: "<p>Text.</p>", Tags: []string{"beta", hostile}, Notes: []string{hostile},
		Breadcrumbs: links, Below: links, Actions: links, Wide: true, Cover: Cover{Picture: Picture{Light: "/l.png", Dark: address}, DarkFiles: address + " 384w, /d.png 800w", Width: 800, Height: 300}, Feed: "/a/feed+xml", Updated: time.Unix(1e9, 0),
		Outline:  []markup.Heading{{Level: 2, Anchor: "plain", Text: hostile}, {Level: 3, Anchor: "é/" + hostile, Text: "X"}, {Level: 3, Text: "no anchor"}},
		Previous: links[1], Next: links[2],
	}
	marked := &Page{Title: "A", Icon: "rocket", FullWidth: true, Operations: true, MarkedTitle: "<ins>A</ins>", MarkedDescription: "<del>B</del>", Description: "C", Next: links[3]}
	bare := &Frame{Title: "T", Home: "/", Style: "/s", Canonical: "http://host:8080/a?b=c#d", Icons: icons.Outlined}
	for _, f := range []*Frame{everything, full(), bare, {}} {
		for _, p := range []*Page{written, marked, page(), {}, {Title: "U", Untitled: true, Icon: "bell", Operations: true, Previous: links[0]}, {NoOutline: true}} {
			var want strings.Builder
			if err := pageTemplate(t, f.Icons).ExecuteTemplate(&want, "page", show(f, p)); err != nil {
				t.Fatal(err)
			}
			got, err := Render(f, p)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != want.String() {
				at := 0
				for at < min(len(got), want.Len()) && got[at] == want.String()[at] {
					at++
				}
				t.Errorf("frame %q, page %q, by hand:\n%s\nby a template:\n%s", f.Title, p.Title, got[max(0, at-100):min(len(got), at+200)], want.String()[max(0, at-100):min(want.Len(), at+200)])
			}
		}
	}
}

// BenchmarkByHandOrTemplate measures what a template would cost instead (ADR 0051), with
// navigations of several sizes.
func BenchmarkByHandOrTemplate(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		f, p := full(), page()
		f.Navigation = nil
		for i := range n {
			f.Navigation = append(f.Navigation, &Link{Title: fmt.Sprint("Page ", i), Href: fmt.Sprint("/guide/page-", i)})
		}
		b.Run(fmt.Sprint("hand/", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := Render(f, p); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprint("template/", n), func(b *testing.B) {
			t := pageTemplate(b, f.Icons)
			for b.Loop() {
				if err := t.ExecuteTemplate(io.Discard, "page", show(f, p)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A heading is one step below the heading that it belongs to.
func TestStepsOfTheOutline(t *testing.T) {
	p := &Page{Title: "T"}
	for i, level := range []int{4, 2, 4, 5, 3, 4, 2, 6} {
		p.Outline = append(p.Outline, markup.Heading{Level: level, Anchor: string(rune('a' + i)), Text: "X"})
	}
	b, err := Render(full(), p)
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, m := range regexp.MustCompile(`<li class="level-(\d)"><a href="#(\w)"`).FindAllStringSubmatch(string(b), -1) {
		got += m[2] + m[1] + " "
	}
	if got != "a2 b2 c3 d4 e3 f4 g2 h3 " {
		t.Errorf("the steps are %s", got)
	}
}

// On a small screen the menu has the sections and the links of the header, on pages without a
// navigation too.
func TestMenuOfSmallScreens(t *testing.T) {
	f := full()
	for _, links := range [][]*Link{f.Navigation, nil} {
		f.Navigation = links
		html, err := Render(f, &Message{Title: "Not found"})
		if err != nil {
			t.Fatal(err)
		}
		_, menu, _ := strings.Cut(string(html), `<nav class="pages"`)
		menu, after, _ := strings.Cut(menu, "</nav>\n")
		for _, want := range []string{
			`(?s)<details class="places"><summary><span class="visually-hidden">Bereiche: </span>Guide<svg.*<a href="/" aria-current="true">Guide</a>.*<p class="group">Products</p><ul><li><a href="/one">One</a>`,
			`<a class="tool menu-close" href="#~content" aria-label="Schließen">`, `(?s)<div class="more">.*<a href="https://example.com/blog" rel="noreferrer">Blog</a>.*<a href="/status">Status</a>`,
		} {
			if !regexp.MustCompile(want).MatchString(menu) {
				t.Errorf("the menu lacks %s:\n%s", want, menu)
			}
		}
		if !strings.HasPrefix(after, `<a class="scrim"`) || !strings.Contains(string(html), `class="tool menu-open"`) {
			t.Errorf("the menu cannot be opened or closed:\n%s", html)
		}
	}
}

// The tab of a group has the name of the section that is shown, of those behind it.
func TestTabOfAGroup(t *testing.T) {
	f := full()
	f.Sections[0].Current, f.Sections[2].Current, f.Sections[2].Children[1].Current = false, true, true
	html, err := Render(f, page())
	if err != nil || !strings.Contains(string(html), `<summary class="current">Two<svg`) || !strings.Contains(string(html), `<p class="group">Products</p>`) {
		t.Errorf("%v:\n%s", err, html)
	}
}

// A page says in words when it was changed, and its frame what is in it.
func TestWhatAPageSays(t *testing.T) {
	for lang, want := range map[string]string{"": "September 9, 2001", "de": "9. September 2001", "ja": "2001年9月9日"} {
		html, err := Render(&Frame{Lang: lang}, &Page{Updated: time.Unix(1e9, 0)})
		if err != nil || !strings.Contains(string(html), `<time datetime="2001-09-09T01:46:40Z">`+want+"</time>") {
			t.Errorf("%q: %v\n%s", lang, err, html)
		}
	}
	outline := []markup.Heading{{Level: 2, Anchor: "x", Text: "X"}}
	for want, p := range map[string]*Page{
		"frame bare alone": {}, "frame bare": {Outline: outline}, "frame bare alone long": {Body: template.HTML(strings.Repeat("<p>x</p>", longBody/8+1))},
	} {
		html, err := Render(&Frame{}, p)
		if err != nil || !strings.Contains(string(html), `<div class="`+want+`">`) {
			t.Errorf("not %s: %v\n%.3000s", want, err, html)
		}
	}
}

// A page that hides its table of contents keeps the menu of small screens.
func TestDrawer(t *testing.T) {
	f := &Frame{Title: "Docs", Navigation: []*Link{{Title: "Start", Href: "/start"}}}
	for _, drawer := range []bool{false, true} {
		f.Drawer = drawer
		html, err := Render(f, &Page{Title: "Home"})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(html), `class="tool menu-open"`) || !strings.Contains(string(html), `<a href="/start">Start</a>`) {
			t.Errorf("drawer %t: there is no menu", drawer)
		}
		if got := strings.Contains(string(html), `<div class="frame bare alone">`); got != drawer {
			t.Errorf("drawer %t: the page is bare: %t", drawer, got)
		}
	}
}
