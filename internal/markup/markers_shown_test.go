package markup_test

import (
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
	. "github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/html"
)

// fileRefs resolves files and pages by their name, and writes them in a folder.
func fileRefs(folder string) Refs {
	return Refs{
		Resolve: func(dest string, use Use) (docs.Ref, bool) {
			name := dest[strings.LastIndexByte(dest, '/')+1:]
			switch {
			case use == UseImage && strings.HasSuffix(name, ".png"):
				return docs.Ref{Kind: docs.RefFile, File: name}, true
			case use == UseLink && strings.HasSuffix(name, ".md"):
				return docs.Ref{Kind: docs.RefPage, Page: name}, true
			}
			return docs.Ref{}, false
		},
		Locate: func(ref docs.Ref, _ Use) (string, bool) { return folder + ref.Target(), true },
	}
}

// The image, the text and the page that a mark names are resolved as others are, and follow
// their targets.
func TestMarkersHaveReferences(t *testing.T) {
	for source, want := range map[string]string{
		`{{< figure src="a.png" alt="A" caption="*b*" >}}`:                `<img src="/at/a.png" loading="lazy" decoding="async" alt="A"`,
		`{% include note.html content="see [b](b.md)" %}`:                 `<a href="/at/b.md">b</a>`,
		`{% include note.html content="- a\n- see [b](b.md)" %}`:          `<li><p>see <a href="/at/b.md">b</a>`,
		"* a\n\n  {{< img src=\"a.png\" >}}":                              `<img src="/at/a.png"`,
		`{% include_relative b.md %}`:                                     `href="/at/b.md"`,
		`{{% include "/b.md" %}}`:                                         `href="/at/b.md"`,
		`{{< figure src="a.png" >}} {{< figure src="b.png" >}}`:           `<img src="/at/b.png"`,
		`{% include a.html content="{% include b.html content='c' %}" %}`: ``,
	} {
		doc := Parse([]byte(source), fileRefs(""))
		var b strings.Builder
		err := html.Write(&b, doc, html.Options{Link: func(ref docs.Ref) (string, bool) { return "/at/" + ref.Target(), true }})
		if err != nil || !strings.Contains(strings.ReplaceAll(b.String(), "\n", ""), want) || strings.Contains(b.String(), "{") {
			t.Errorf("%q is shown as\n%s, without\n%s", source, b.String(), want)
		}
		if want != "" && len(References(doc)) == 0 {
			t.Errorf("%q has no references", source)
		}
		CheckLaws(t, []byte(source), fileRefs(""))
	}
	source := "{{< figure src=\"a.png\" >}}\n\n1) {% include x.html content=\"[b](b.md)\" %}\n"
	doc := Parse([]byte(source), fileRefs(""))
	want := "{{< figure src=\"c/a.png\" >}}\n\n1) {% include x.html content=\"[b](c/b.md)\" %}\n"
	if got := string(Relocate([]byte(source), doc, fileRefs("c/"))); got != want {
		t.Errorf("after a move:\n%s", got)
	}
}

// What is literal for another tool is Markdown for its readers.
func TestLiteralTextIsMarkdown(t *testing.T) {
	for source, want := range map[string]string{
		"a {% raw %}`{{ x }}` *b*{% endraw %} c":    `<p>a <code>{{ x }}</code> <em>b</em> c</p>`,
		"**a {% raw %}`{{ x }}`{% endraw %}**":      `<strong>a </strong><strong><code>{{ x }}</code></strong>`,
		"{% raw %}<b>a</b> <x-y>{% endraw %}":       `<p><strong>a</strong> &lt;x-y&gt;</p>`,
		"{% raw %}# a{% endraw %}":                  `<p># a</p>`,
		"{% raw %} [a](https://x.org) {% endraw %}": `<p> <a href="https://x.org">a</a> </p>`,
		"`{% raw %}{{ x }}{% endraw %}`":            `{% raw %}`,
		"{% raw %}{% if x %}*a*{% endraw %}":        `<p>{% if x %}<em>a</em></p>`,
	} {
		if got := shownHTML(t, source); !strings.Contains(got, want) {
			t.Errorf("%q is shown as\n%s, without\n%s", source, got, want)
		}
	}
}

// A page of which readers see nothing says why.
func TestPagesOfMarkersAlone(t *testing.T) {
	for source, noted := range map[string]bool{
		"{% include x.html %}":           true,
		"{{< shared \"a\" >}}":           true,
		"<Component />":                  true,
		"{% include x.html %}\n\ntext":   false,
		"<!-- nothing -->":               false,
		"":                               false,
		"{{< note >}}\na\n{{< /note >}}": false,
		"<div>a</div>\n\n{% x %}":        false,
	} {
		if got := shownHTML(t, source); strings.Contains(got, html.EnglishLabels.Elsewhere) != noted {
			t.Errorf("%q is shown as\n%s", source, got)
		}
	}
}
