package theme

import (
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/markup/icons"
)

// A navigation that is written without templates equals the output of a template, which
// escapes automatically.
func TestNavigationIsEscaped(t *testing.T) {
	links := hostileLinks()
	var want strings.Builder
	if err := pageTemplate(t, icons.Outlined).ExecuteTemplate(&want, "entries", links); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"own", "shared", "shared, drawn"} {
		var got markupWriter
		if got.navigation(links, icons.Outlined); got.String() != want.String() {
			t.Errorf("%s, by hand:\n%s\nby a template:\n%s", kind, got.String(), want.String())
		}
		if kind == "own" {
			shareAll(links)
		}
	}
}

// hostile is a text that would be interpreted as markup if it were not escaped.
const hostile = "\"><script>alert(1)</script>&amp;'+\x00 }}{{"

func hostileLinks() []*Link {
	return []*Link{
		{Title: "Home", Href: "/", Current: true},
		{Title: hostile, Icon: hostile, Href: "/a b/" + hostile + "?x=y&z#é"},
		{Title: "Script", Emoji: "🙂" + hostile, Href: "javascript:alert(1)"},
		{Title: "Other", Icon: "rocket", Href: "https://example.com/?a=b&c", External: true},
		{Title: "Host", Href: "//example.com/"},
		{Title: "Operation", Href: "/list", Method: "GET"}, {Title: "Odd operation", Href: "/odd", Method: hostile, Icon: "bell"},
		{Title: "Escaped", Href: "/a%20b%2Fc?q=d%3a", Children: []*Link{{Title: "Badly", Href: "/a%2"}, {Title: "Worse", Href: "/%20%zz"}, {Title: "Sign", Href: "https://example.com/100%"}}},
		{Title: "Query", Href: "https://example.com/?q=a+b&c=[1,2];$d*!@e'f(g)", Children: []*Link{{Title: "Plain query", Href: "https://example.com/?q=a+b&c=[1,2];$d*!@e"}}},
		{Title: "Mail", Href: "mailto:a@b.test", External: true},
		{Title: "Nowhere", Children: []*Link{{Title: "Below", Href: "/below", Open: true, Children: []*Link{{Title: "Deep", Href: "/below/deep.md"}}}}},
		{Title: "Group", Group: true, Children: []*Link{{Title: hostile, Group: true}, {Title: "In " + hostile, Href: "/%22%3E", Children: []*Link{{Title: hostile}}}}},
	}
}

// A shared link is open and current on one page only, and has the style of each site.
func TestSharedLinks(t *testing.T) {
	links := []*Link{{Title: "A", Icon: "bell", Href: "/a", Children: []*Link{{Title: "B", Href: "/a/b"}}}}
	draw := func(links []*Link, style icons.Style) string {
		var w markupWriter
		w.navigation(links, style)
		return w.String()
	}
	filled, outlined := draw(links, icons.Filled), draw(links, icons.Outlined)
	shareAll(links)
	for range 2 {
		opened := draw([]*Link{links[0].Opened(true, []*Link{{Title: "Other", Href: "/a/other"}})}, icons.Filled)
		for _, want := range []string{`<a href="/a" aria-current="page">`, "<details open>", ">Other</a>"} {
			if !strings.Contains(opened, want) {
				t.Errorf("the open link lacks %s: %s", want, opened)
			}
		}
		if draw(links, icons.Filled) != filled || draw(links, icons.Outlined) != outlined || filled == outlined {
			t.Error("a shared link is drawn in another way")
		}
	}
}

func shareAll(links []*Link) {
	for _, l := range links {
		Freeze(l)
	}
}
