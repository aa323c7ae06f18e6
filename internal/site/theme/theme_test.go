package theme

import (
	"encoding/json"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/markup"
)

// full returns a frame with all parts.
func full() *Frame {
	return &Frame{
		Lang: "de", Title: "Acme & Co", Home: "/", Favicon: "/icon.png", Style: "/" + Style.Name, Script: "/" + Script.Name,
		Colors: Colors{Primary: Tone{Light: "#ff8800", Dark: "#ffcc00"}}, Hidden: true, Canonical: "https://docs.example.com/a", Alternate: "/a.md",
		Announcement: &Announcement{Style: "warning", Title: "Soon:", Message: "the old version ends.", Link: &Link{Title: "Read more", Href: "https://example.com/", External: true}},
		Links:        []*Link{{Title: "Blog", Href: "https://example.com/blog", External: true}, {Title: "More", Children: []*Link{{Title: "Status", Href: "/status"}}}},
		Sections: []*Link{
			{Title: "Guide", Href: "/", Current: true}, {Title: "Reference", Href: "/reference"},
			{Title: "Products", Children: []*Link{{Title: "One", Href: "/one"}, {Title: "Two", Href: "/two"}}},
		},
		Variants:   []*Link{{Title: "2.0", Href: "/", Current: true}, {Title: "1.0", Href: "/v1"}},
		Navigation: []*Link{{Title: "Start", Href: "/start"}, {Title: "Part", Group: true, Children: []*Link{{Title: "A <b>", Href: "/a", Current: true, Children: []*Link{{Title: "Below", Href: "/a/b"}}}}}, {Title: "Elsewhere", Href: "https://example.com/", External: true}},
		Search:     Search{Action: "/~octavo/search", Live: "/~octavo/found", Hint: "Search"},
		Footer:     Footer{Text: "© Acme", Groups: []*Link{{Title: "Company", Children: []*Link{{Title: "About", Href: "/about"}}}}},
		Image:      "https://example.com/card.png", Translations: []Translation{{"de", "https://docs.example.com/a"}, {"fr", "https://docs.example.com/fr/a"}},
		Data: []any{map[string]string{"headline": `</script><script>alert(1)</script><!--`}},
	}
}

func page() *Page {
	return &Page{
		Title: "A <b>", Anchor: "a", Description: "What it is", Body: "<p>Text.</p>", Tags: []string{"beta"},
		Breadcrumbs: []*Link{{Title: "Part"}, {Title: "Up", Href: "/up"}}, Outline: []markup.Heading{{Level: 2, Anchor: "x", Text: "X"}},
		Previous: &Link{Title: "Start", Href: "/start"}, Next: &Link{Title: "Below", Href: "/a/b"},
	}
}

func TestEverythingIsInThePage(t *testing.T) {
	b, err := Render(full(), page())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<html lang="de" data-sections data-announcement="[a-z0-9]+">`, `<title>A &lt;b&gt; · Acme &amp; Co</title>`, `<meta name="robots" content="noindex">`, `<link rel="canonical" href="https://docs.example.com/a">`,
		`<link rel="alternate" type="text/markdown" href="/a.md">`, `<link rel="icon" href="/icon.png">`, `<style>:root{--primary:light-dark\(#ff8800,#ffcc00\)`,
		`<a class="skip" href="#~content">`, `(?s)<aside class="announcement hint-warning".*Soon:.*Read more</a>`, `<form class="search" action="/~octavo/search" data-live="/~octavo/found"><button id="~search"><svg`,
		`(?s)<nav class="links".*<a href="https://example.com/blog" rel="noreferrer">Blog</a>.*<summary>More<svg`,
		`(?s)<nav class="sections".*<a href="/" aria-current="true">Guide</a>.*<summary>Products<svg.*</summary>\s*<ul><li><a href="/one">One</a>`,
		`(?s)Version: </span><span>2.0</span><svg.*<a href="/v1">1.0</a>`, `<a href="/a" aria-current="page">A &lt;b&gt;</a><details>`,
		`(?s)<nav class="crumbs".*<li>Part</li><li><a href="/up">Up</a></li>`, `<h1 id="a">A &lt;b&gt;</h1>`, `<a rel="prev" href="/start">`, `<a rel="next" href="/a/b">`,
		`<meta property="og:title" content="A &lt;b&gt;">`, `<meta property="og:site_name" content="Acme &amp; Co">`, `<meta property="og:description" content="What it is">`,
		`<meta property="og:url" content="https://docs.example.com/a">`, `<meta property="og:image" content="https://example.com/card.png">`, `<meta name="twitter:card" content="summary_large_image">`,
		`<link rel="alternate" hreflang="fr" href="https://docs.example.com/fr/a">`, `<link rel="prev" href="/start">`, `<link rel="next" href="/a/b">`,
		`<script type="application/ld\+json">\{"headline":"\\u003c/script\\u003e\\u003cscript\\u003ealert\(1\)\\u003c/script\\u003e\\u003c!--"\}</script>`,
		`(?s)<footer class="foot">.*© Acme.*<a href="/about">About</a>`,
	} {
		if !regexp.MustCompile(want).Match(b) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if t.Failed() {
		t.Logf("%s", b)
	}
}

// Empty parts are omitted: there is no landmark without content.
func TestAnEmptyFrameHasNoEmptyParts(t *testing.T) {
	for _, v := range []View{&Page{Title: "A"}, &Results{}, &Message{Title: "Not found"}} {
		b, err := Render(&Frame{Title: "T", Home: "/", Style: "/s", Sections: []*Link{{Title: "only"}}, Variants: []*Link{{Title: "only"}}}, v)
		if err != nil {
			t.Fatal(err)
		}
		if found := regexp.MustCompile(`<(nav|aside|footer|form|script|style)\b`).Find(b); found != nil || strings.Contains(string(b), "noindex") {
			t.Errorf("%T: %s in\n%s", v, found, b)
		}
		if n := strings.Count(string(b), "<main id=\"~content\""); n != 1 || strings.Count(string(b), "<h1") != 1 {
			t.Errorf("%T has %d main parts:\n%s", v, n, b)
		}
	}
}

func hits(h Hit) *Results { return &Results{Query: "x", Found: Found{Hits: []Hit{h}}} }

func TestViews(t *testing.T) {
	for _, c := range []struct {
		view View
		want string
	}{
		{&Results{}, `Type some words`},
		{&Results{Query: "<x>"}, `Nothing was found for <strong>&lt;x&gt;</strong>`},
		{&Results{Query: "<x>"}, `<p>Check the spelling`},
		{&Results{Query: "<x>"}, ` value="&lt;x&gt;">`},
		{&Results{Query: "x", In: "section"}, `<input type="hidden" name="in" value="section">`},
		{&Results{Found: Found{Suggested: []Hit{{Title: Plain("First"), Href: "/first"}}}}, `<h2>Suggested pages</h2>`},
		{hits(Hit{Title: Marked{"T <b>", "x"}, Where: "W", Text: Marked{"", "x", " S"}, Href: "/t"}), `<div><a href="/t">T &lt;b&gt;<mark>x</mark></a> <small>W</small><p><mark>x</mark> S</p></div></li>`},
		{hits(Hit{Title: Plain("T"), Heading: Marked{"On ", "x"}, Where: "W", Href: "/t#x"}), `<a href="/t#x">On <mark>x</mark></a> <small>W › T</small></div>`},
		{hits(Hit{Title: Plain("T"), Method: "GET", Href: "/t"}), `T</a> <span class="api-method api-get">GET</span></div>`},
		{hits(Hit{Title: Plain("T"), Emoji: "☕", Href: "/t"}), `<li class="hit"><span class="emoji">☕</span><div>`},
		{hits(Hit{Title: Plain("T"), Icon: &Shape{"0 0 1 1", "M0"}, Href: "/t"}), `<li class="hit"><svg class="icon" viewBox="0 0 1 1" aria-hidden="true"><path d="M0"></path></svg>`},
		{hits(Hit{Title: Plain("T"), Href: "javascript:alert(1)"}), `href="#ZgotmplZ"`},
		{&Message{Title: "Sign in", Text: "Readers must sign in.", Next: &Link{Title: "Sign in", Href: "/login"}}, `<a class="button primary" href="/login">Sign in</a>`},
		{&Message{Title: "Not found", Text: "Nothing at", At: "/<x>", Near: []*Link{{Title: "X", Href: "/x"}}}, `<code>/&lt;x&gt;</code>`},
		{&Message{Title: "x", Next: &Link{Title: "y", Href: "javascript:alert(1)"}}, `href="#ZgotmplZ"`},
	} {
		f := full()
		f.Lang = "en"
		b, err := Render(f, c.view)
		if err != nil || !strings.Contains(string(b), c.want) {
			t.Errorf("%T lacks %s: %v\n%s", c.view, c.want, err, b)
		}
	}
}

// The policy allows the assets and the colours of the site, and no other inline content.
func TestPolicy(t *testing.T) {
	w := httptest.NewRecorder()
	if err := Write(w, 200, full(), page()); err != nil {
		t.Fatal(err)
	}
	policy := w.Header().Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "script-src 'self' " + hashOf(early) + ";", "style-src 'self' 'sha256-", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"} {
		if !strings.Contains(policy, want) {
			t.Errorf("the policy lacks %s: %s", want, policy)
		}
	}
	if strings.Contains(policy, "unsafe") || w.Header().Get("X-Content-Type-Options") != "nosniff" || w.Header().Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("headers: %v", w.Header())
	}
	if got := Policy(&Frame{Nonce: "abc"}); strings.Contains(got, "script-src 'self'") || !strings.Contains(got, "script-src 'nonce-abc'; style-src 'nonce-abc';") {
		t.Errorf("the policy with a nonce: %s", got)
	}
}

// The scripts in a page are those that the policy names. There are none for a page without scripts.
func TestScriptsInThePage(t *testing.T) {
	for _, c := range []struct {
		frame   *Frame
		element string
		policy  string
	}{
		{&Frame{Script: "/s"}, "<script>" + early + "</script>", "script-src 'self' " + hashOf(early) + ";"},
		{&Frame{Script: "/s", Ahead: true}, "<script>" + early + "</script>", "script-src 'self' " + hashOf(early) + " " + hashOf(rules) + ";"},
		{&Frame{Script: "/s", Nonce: "abc"}, `<script nonce="abc">` + early + "</script>", "script-src 'nonce-abc';"},
		{&Frame{}, "", "script-src 'self';"},
	} {
		html, err := Render(c.frame, &Message{})
		if err != nil || !strings.Contains(string(html), c.element) || !strings.Contains(Policy(c.frame), c.policy) {
			t.Errorf("%v\n%s\n%s", err, Policy(c.frame), html)
		}
		if c.element == "" && strings.Contains(string(html), "<script") {
			t.Errorf("a page without scripts has one: %s", html)
		}
	}
	if !json.Valid([]byte(rules)) || strings.Contains(early, "//") || strings.Contains(early, "\n") {
		t.Errorf("early: %s\nrules: %s", early, rules)
	}
}

// A site without an icon has one with its first letter, in its colour.
func TestIconOfASite(t *testing.T) {
	for title, want := range map[string]string{"«acme» docs": ">A<", "42 lines": ">4<", "文档": ">文<", "": ">•<", "<b>": ">B<"} {
		f := &Frame{Title: title, Colors: Colors{Primary: Tone{Light: "#ffdd00"}}}
		icon, err := url.PathUnescape(strings.TrimPrefix(f.initial(), "data:image/svg+xml,"))
		if err != nil || !strings.Contains(icon, want) || !strings.Contains(icon, "fill='#ffdd00'") || !strings.Contains(icon, "fill='#000000'") {
			t.Errorf("%q: %v %s", title, err, icon)
		}
		if html, err := Render(f, &Message{}); err != nil || !strings.Contains(string(html), `<link rel="icon" href="data:image/svg&#43;xml,%3Csvg%20`) {
			t.Errorf("%q: %v\n%s", title, err, html)
		}
	}
}

// An announcement that was closed is known by its content.
func TestKeyOfAnAnnouncement(t *testing.T) {
	a := Announcement{Style: "info", Message: "New"}
	same, other, linked := a, a, a
	other.Message, linked.Link = "Newer", &Link{Title: "Read", Href: "/new"}
	if a.Key() != same.Key() || a.Key() == other.Key() || a.Key() == linked.Key() || a.Key() == "" {
		t.Errorf("keys: %s %s %s", a.Key(), other.Key(), linked.Key())
	}
}

// Without a script, a picture has the variant for the colour scheme of the page.
func TestPictures(t *testing.T) {
	for scheme, want := range map[Scheme]string{Auto: "(prefers-color-scheme: dark)", Light: "not all", Dark: "all"} {
		b, err := Render(&Frame{Scheme: scheme, Logo: Picture{"l.png", "d.png"}}, &Message{})
		if err != nil || !strings.Contains(string(b), `<source media="`+want+`" data-dark srcset="d.png"><img src="l.png"`) {
			t.Errorf("%q: %v\n%s", scheme, err, b)
		}
	}
}

// Links and buttons are readable with every colour of a site.
func TestColors(t *testing.T) {
	light, _ := parseColor(lightPaper)
	dark, _ := parseColor(darkPaper)
	for _, s := range []string{"#000", "#fff", "#ffff00", "#1a5fb4", "#808080", "#ff0000", "#00ff00", "#0000ff"} {
		c, ok := parseColor(s)
		if !ok {
			t.Fatal(s)
		}
		if contrast(c.readable(lightPaper), light) < minContrast || contrast(c.readable(darkPaper), dark) < minContrast || contrast(c, c.over()) < minContrast {
			t.Errorf("%s cannot be read", s)
		}
	}
	for _, s := range []string{"", "red", "#12345", "#gggggg", "#+1+1+1", "#fff}</style><script>"} {
		if css := (Colors{Primary: Tone{Light: s}}).css(); css != "" {
			t.Errorf("%q: %s", s, css)
		}
	}
}

func TestAssets(t *testing.T) {
	for _, a := range []Asset{Style, Script} {
		w := httptest.NewRecorder()
		if !Serve(w, httptest.NewRequest("GET", "/", nil), a.Name) || !strings.Contains(w.Header().Get("Cache-Control"), "immutable") || w.Body.Len() != len(a.Data) {
			t.Errorf("%s: %v", a.Name, w.Header())
		}
	}
	if Serve(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil), "style.css") {
		t.Error("an asset without its hash can be kept for good")
	}
}

// Pages with shared parts equal those without. The query of a search is shown on its own page
// only.
func TestPartsChangeNothing(t *testing.T) {
	kept := &Parts{}
	for range 2 {
		for _, v := range []View{&Results{Query: "first"}, page(), &Message{Title: "Gone"}, &Results{Query: "second"}, &Page{Title: "B"}} {
			plain, shared := full(), full()
			shared.Parts = kept
			shared.Variants, plain.Variants = nil, nil
			want, err := Render(plain, v)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := Render(shared, v); err != nil || string(got) != string(want) {
				t.Errorf("%T: %v\n%s\nwant\n%s", v, err, got, want)
			}
			if Policy(shared) != Policy(plain) {
				t.Errorf("%T has another policy", v)
			}
		}
	}
	if len(kept.kept) < 5 {
		t.Errorf("%d parts are kept", len(kept.kept))
	}
}

// BenchmarkRender measures a page with and without cached parts.
func BenchmarkRender(b *testing.B) {
	for name, parts := range map[string]*Parts{"kept": {}, "alone": nil} {
		b.Run(name, func(b *testing.B) {
			f, p := full(), page()
			f.Parts, f.Data = parts, nil
			for b.Loop() {
				if _, err := Render(f, p); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A page may have frames of the hosts that it embeds, and of no other.
func TestFramesOfAPage(t *testing.T) {
	f := full()
	f.Diagrams = ""
	for _, c := range []struct {
		frames   []string
		diagrams string
		want     string
	}{
		{nil, "", "img-src"}, {nil, "/d.html", "frame-src 'self'; img-src"}, {[]string{"https://a.test"}, "", "frame-src https://a.test; img-src"},
		{[]string{"https://a.test", "https://b.test"}, "/d.html", "frame-src https://a.test https://b.test 'self'; img-src"},
	} {
		f.Frames, f.Diagrams, f.Parts = c.frames, c.diagrams, new(Parts)
		if got := Policy(f); !strings.Contains(got, "; "+c.want) {
			t.Errorf("%v: %s", c.frames, got)
		}
	}
}
