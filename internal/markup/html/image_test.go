package html_test

import (
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/html"
)

// written returns Markdown as HTML. Destinations that end with .png are files.
func written(t *testing.T, source string, o html.Options) string {
	t.Helper()
	refs := markup.Refs{Resolve: func(dest string, _ markup.Use) (markup.Ref, bool) {
		return docs.Ref{Kind: docs.RefFile, File: strings.TrimSuffix(dest, ".png")}, strings.HasSuffix(dest, ".png")
	}}
	o.Link = func(r docs.Ref) (string, bool) { return "/files/" + r.File, true }
	o.Extent = func(r docs.Ref) (int, int, bool) { return 2000, 1000, true }
	var b strings.Builder
	if err := html.Write(&b, markup.Parse([]byte(source), refs), o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Browsers choose a file by the width of the image on the screen. Images that are loaded late have
// their width in the layout; the first one is loaded at once.
func TestImagesNameTheirFiles(t *testing.T) {
	several := func(r docs.Ref) string {
		if r.Kind != docs.RefFile {
			t.Errorf("files of %+v", r)
		}
		return "/768/" + r.File + " 768w, /files/" + r.File + " 2000w"
	}
	const late, column = ` loading="lazy" decoding="async"`, `(max-width: 800px) calc(100vw - 32px), 768px`
	for _, c := range []struct {
		source string
		o      html.Options
		want   string
	}{
		{"![](a.png)", html.Options{}, `<img src="/files/a" width="2000" height="1000"` + late + ` alt="">`},
		{"![](a.png)", html.Options{Sources: several}, `<img src="/files/a" srcset="/768/a 768w, /files/a 2000w" sizes="auto, ` + column + `" width="2000" height="1000"` + late},
		{"![](a.png)", html.Options{Sources: several, Lead: true}, `sizes="` + column + `" width="2000" height="1000" fetchpriority="high" alt="">`},
		{"![](a.png)\n\n![](b.png)", html.Options{Sources: several, Lead: true}, `sizes="auto, ` + column + `" width="2000" height="1000"` + late},
		{strings.Repeat("Text.\n\n", 20) + "![](a.png)", html.Options{Lead: true}, late},
		{"![](a.png)", html.Options{Sources: several, Wide: true}, `calc(100vw - 32px), 1600px"`},
		{`<figure><img src="a.png" alt="" width="500"></figure>`, html.Options{Sources: several}, `sizes="auto, (max-width: 800px) calc(100vw - 32px), 500px" width="500" height="250"`},
		{`<figure><img src="a.png" alt="" width="300"></figure>`, html.Options{Sources: several}, `sizes="auto, 300px" width="300" height="150"`},
		{`<div data-full-width="true"><figure><img src="a.png" alt=""></figure></div>`, html.Options{Sources: several}, `calc(100vw - 32px), 1600px"`},
		{`<figure><picture><source srcset="d.png" media="(prefers-color-scheme: dark)"><img src="a.png" alt=""></picture></figure>`, html.Options{Sources: several},
			`<source media="(prefers-color-scheme: dark)" data-dark srcset="/768/d 768w, /files/d 2000w" sizes="auto, ` + column + `" width="2000" height="1000"><img src="/files/a" srcset="/768/a 768w`},
		{"![](https://example.com/a)", html.Options{Sources: several}, `<img src="https://example.com/a"` + late},
		{`<center><img src="https://example.com/a" width="50"></center>`, html.Options{Sources: several}, `src="https://example.com/a" width="50"` + late},
		{"Text ![](a.png) in the line.", html.Options{Sources: several}, `class="inline" src="/files/a" srcset=`},
	} {
		if got := written(t, c.source, c.o); !strings.Contains(got, c.want) {
			t.Errorf("%s:\n%s\nhas not: %s", c.source, got, c.want)
		}
	}
}

// What shows an embedded page is named beside the link to the page, and nothing of it is loaded.
func TestEmbedsNameTheirPlayer(t *testing.T) {
	const source = "{% embed url=\"https://example.com/\\\"><b>\" %}\nA film\n{% endembed %}\n"
	o := html.Options{Player: func(address string) (html.Player, bool) {
		return html.Player{Address: `https://player.test/"><b>`, Host: "player.test", Video: true}, true
	}}
	if got := written(t, source, html.Options{}); strings.Contains(got, "data-") || !strings.Contains(got, `<figure class="embed">`) {
		t.Errorf("without a player: %s", got)
	}
	got := written(t, source, o)
	if !strings.Contains(got, `<figure class="embed" data-player="https://player.test/&#34;&gt;&lt;b&gt;" data-host="player.test" data-video>`) || strings.Contains(got, "<iframe") {
		t.Errorf("with a player: %s", got)
	}
}
