package html_test

import (
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/html"
)

// Browsers reserve space for an image with a width and a height. These are the
// dimensions of the file unless the author set others.
func TestImagesHaveTheirExtent(t *testing.T) {
	refs := markup.Refs{Resolve: func(dest string, _ markup.Use) (markup.Ref, bool) {
		return docs.Ref{Kind: docs.RefFile, File: strings.TrimSuffix(dest, ".png")}, strings.HasSuffix(dest, ".png")
	}}
	o := html.Options{
		Link: func(r docs.Ref) (string, bool) { return "/files/" + r.File, true },
		Extent: func(r docs.Ref) (int, int, bool) {
			if r.File == "vector" {
				return 0, 0, true
			}
			return 600, 400, r.File == "a"
		},
	}
	for source, want := range map[string]string{
		"![](a.png)": `width="600" height="400"`,
		`<figure><img src="a.png" alt=""></figure>`:                        `width="600" height="400"`,
		`<figure><img src="a.png" alt="" width="300"></figure>`:            `width="300" height="200"`,
		`<figure><img src="a.png" alt="" width="10" height="20"></figure>`: `width="10" height="20"`,
		`<figure><img src="a.png" alt="" width="50%"></figure>`:            `class="width-50" src="/files/a" width="600" height="400"`,
		"![](unknown.png)":             `src="/files/unknown" loading`,
		"![](vector.png)":              `src="/files/vector" loading`,
		"![](https://example.com/a)":   `src="https://example.com/a" loading`,
		"Text ![](a.png) in the line.": `width="600" height="400"`,
	} {
		var b strings.Builder
		if err := html.Write(&b, markup.Parse([]byte(source), refs), o); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s:\n%s\nhas not: %s", source, b.String(), want)
		}
	}
}
