package theme

import (
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
	}})
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
		Breadcrumbs: links, Below: links, Actions: links, Wide: true, Cover: Picture{Light: "/l.png", Dark: address}, Feed: "/a/feed+xml", Updated: time.Unix(1e9, 0),
		Outline:  []markup.Heading{{Level: 2, Anchor: "plain", Text: hostile}, {Level: 3, Anchor: "é/" + hostile, Text: "X"}, {Level: 3, Text: "no anchor"}},
		Previous: links[1], Next: links[2],
	}
	marked := &Page{Title: "A", Icon: "rocket", MarkedTitle: "<ins>A</ins>", MarkedDescription: "<del>B</del>", Description: "C", Next: links[3]}
	bare := &Frame{Title: "T", Home: "/", Style: "/s", Canonical: "http://host:8080/a?b=c#d", Icons: icons.Outlined}
	for _, f := range []*Frame{everything, full(), bare, {}} {
		for _, p := range []*Page{written, marked, page(), {}, {Title: "U", Untitled: true, Icon: "bell", Previous: links[0]}} {
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
		if got := strings.Contains(string(html), `<div class="frame bare">`); got != drawer {
			t.Errorf("drawer %t: the page is bare: %t", drawer, got)
		}
	}
}
