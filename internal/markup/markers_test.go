package markup_test

import (
	"strings"
	"testing"
	"time"

	. "github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/html"
	"github.com/octavo-docs/octavo/internal/testing/testhtml"
)

func shownHTML(t *testing.T, source string) string {
	t.Helper()
	var b strings.Builder
	doc := Parse([]byte(source), Refs{})
	if err := html.Write(&b, doc, html.Options{NoAnchors: true}); err != nil {
		t.Fatal(err)
	}
	testhtml.Check(t, b.String())
	if again := string(Print(doc, Refs{})); outlineOfSource(t, again) != outlineOfSource(t, source) {
		t.Errorf("%q is printed as %q", source, again)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func outlineOfSource(t *testing.T, source string) string {
	t.Helper()
	return OutlineOf(Parse([]byte(source), Refs{}).Nodes)
}

// What other tools write around content is not shown to readers, and the content is.
func TestMarkersOfOtherToolsAreNotShown(t *testing.T) {
	for source, want := range map[string]string{
		"{% filename %}a/b.py{% endfilename %}":                            `<p>a/b.py</p>`,
		"{% filename %}\n*a*\n{% endfilename %}":                           `<p><em>a</em></p>`,
		"a\n{% include x.html %}\nb":                                       `<p>a</p> <p>b</p>`,
		"* a\n\n  {% unknown %}\n  b\n\n  {% endunknown %}":                `<ul><li><p>a</p> <p>b</p> </li> </ul>`,
		"{% highlight js %}\n*a*\n{% endhighlight %}":                      `data-language="js"`,
		"{% comment %}\na\n{% endcomment %}\n\nb":                          `<p>b</p>`,
		`{% include note.html content="**a**" %}`:                          `<p><strong>a</strong></p>`,
		"{{< table >}}\n|a|b|\n|-|-|\n|c|d|\n{{< /table >}}\nx":            `</tbody></table></div> <p>x</p>`,
		"{{% tab name=\"Helm\" %}}\na\n{{% /tab %}}":                       `<p><strong>Helm</strong></p> <p>a</p>`,
		"{{< see >}} a {{< /see >}}":                                       `<p> a </p>`,
		"v{{<nic-version>}}":                                               `<p>v{{&lt;nic-version&gt;}}</p>`,
		"a {{< x >}} `{{< x >}}` {{< /x >}}":                               `<p>a <code>{{&lt; x &gt;}}</code> </p>`,
		"{{< figure src=\"a.png\" alt=\"A\" >}}":                           `<img src="a.png" loading="lazy" decoding="async" alt="A"`,
		"{{</* note */>}}":                                                 `{{&lt;/* note */&gt;}}`,
		"::: code-group\na\n:::":                                           `<p>a</p>`,
		"```\n:::note\n{{< x >}}\n> [!NOTE]\n```":                          `> [!NOTE]`,
		"{% raw %}Between `{% for %}` and `{% endfor %}`: *a*{% endraw %}": `Between`,
	} {
		if got := shownHTML(t, source); !strings.Contains(got, want) && !strings.Contains(got, strings.ReplaceAll(want, ">", "&gt;")) {
			t.Errorf("%q is shown as\n%s, without\n%s", source, got, want)
		}
	}
}

func TestHintsOfOtherTools(t *testing.T) {
	for source, style := range map[string]string{
		":::note\ntext\n:::":                                  "info",
		"::: tip Title\ntext\n:::":                            "success",
		"::: {.warning}\ntext\n:::":                           "warning",
		"* a\n\n  :::danger\n  text\n  :::":                   "danger",
		"{% note %}\ntext\n{% endnote %}":                     "info",
		"{{< note >}}\ntext\n{{< /note >}}":                   "info",
		"{{% warning %}} text {{% /warning %}}":               "warning",
		"{{< callout \"important\" >}}\ntext\n{{</callout>}}": "warning",
		`{% include warning.html content="text" %}`:           "warning",
		"> [!NOTE]\n> text":                                   "info",
		"> [!CAUTION]\n>\n> text":                             "danger",
		"> [!tip] text":                                       "success",
	} {
		got := shownHTML(t, source)
		if !strings.Contains(got, "hint-"+style) && !strings.Contains(got, "hint "+style) || !strings.Contains(got, "text") || strings.ContainsAny(got, "[{!") || strings.Contains(got, ":::") {
			t.Errorf("%q is shown as\n%s, not as a hint of style %s", source, got, style)
		}
	}
	for _, source := range []string{"> [!x] text", "> [NOTE] text", ":::note\ntext", "{{< note >}}\ntext"} {
		if got := shownHTML(t, source); strings.Contains(got, "hint") || !strings.Contains(got, "NOTE") && !strings.Contains(got, "text") {
			t.Errorf("%q is shown as\n%s", source, got)
		}
	}
}

// The parts that readers see are found for the search and the outline too, and the document
// that clients read keeps every marker.
func TestMarkersRemainInTheDocument(t *testing.T) {
	doc := Parse([]byte("{% note %}\n\n## A\n\n[b](c.md)\n\n{% endnote %}\n\n{{< x >}}\n"), Refs{})
	if got := OutlineOf(doc.Nodes); strings.Count(got, `"block":"raw"`) != 3 || !strings.Contains(got, "link") {
		t.Errorf("the document is\n%s", got)
	}
	if s := Sections(doc); len(s) != 2 || s[1].Title != "A" || strings.Contains(s[0].Body+s[1].Body, "{") {
		t.Errorf("the sections are %+v", s)
	}
	if len(doc.Problems) != 2 || doc.Problems[0].Line != 1 || doc.Problems[1].Line != 7 && doc.Problems[1].Line != 9 {
		t.Errorf("the problems are %+v", doc.Problems)
	}
	if same := Parse([]byte("a\n\n> b {{ c }}\n"), Refs{}); ForReaders(same) != same {
		t.Error("a document without markers was copied")
	}
}

// Markers that are not closed, or closed in another order, take no more than linear time.
func TestManyMarkersTakeLinearTime(t *testing.T) {
	for name, source := range map[string]string{
		"open tags":       strings.Repeat("{% x %}\n\n", 8000),
		"ends":            strings.Repeat("{% endx %}\n\n", 8000),
		"open, then ends": strings.Repeat("{% x %}\n\n", 4000) + strings.Repeat("{% endx %}\n\n", 4000),
		"open colons":     strings.Repeat(":::note\n\n", 8000),
		"colons":          strings.Repeat(":::note\n\n", 4000) + strings.Repeat(":::\n\n", 4000),
		"crossed":         strings.Repeat("{{< a >}}\n\n{{< b >}}\n\n", 2000) + strings.Repeat("{{< /a >}}\n\n{{< /b >}}\n\n", 2000),
		"braces":          strings.Repeat("{{< ", 20000),
		"quotes":          strings.Repeat("{{< \"", 20000),
		"shortcodes":      strings.Repeat("{{<x>}}", 20000),
		"lines":           strings.Repeat("a {{< x \"\n", 20000),
		"quoted alerts":   strings.Repeat("> [!NOTE]\n\n", 8000),
		"nested alerts":   strings.Repeat("> ", 200) + "[!NOTE] a",
	} {
		start := time.Now()
		doc := Parse([]byte(source), Refs{})
		if err := html.Write(&strings.Builder{}, doc, html.Options{}); err != nil {
			t.Fatal(err)
		}
		Sections(doc)
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%s take %s", name, took)
		}
	}
}
