package markup

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/jsontext"
	"github.com/octavo-docs/octavo/internal/markup/highlight"
	"github.com/octavo-docs/octavo/internal/testing/golden"
)

// viewRefs resolves the names of a few pages and files of a space.
func viewRefs() Refs {
	names := map[string]docs.Ref{
		"guide.md": {Kind: docs.RefPage, Page: "p1"}, "guide.md#setup": {Kind: docs.RefAnchor, Page: "p1", Anchor: "setup"},
		"#local": {Kind: docs.RefAnchor, Anchor: "local"}, "logo.png": {Kind: docs.RefFile, File: "f1"}, "dark.png": {Kind: docs.RefFile, File: "f2"},
		"manual.pdf": {Kind: docs.RefFile, File: "f3"}, "includes/note.md": {Kind: docs.RefReusable, ReusableContent: "rc1"},
	}
	return Refs{Resolve: func(dest string, _ Use) (docs.Ref, bool) { ref, ok := names[dest]; return ref, ok }}
}

var viewOptions = HTMLOptions{
	Link: func(r docs.Ref) (string, bool) {
		switch {
		case r.Kind == docs.RefPage && r.Page == "p1":
			return "/guide", true
		case r.Kind == docs.RefAnchor && r.Page == "p1":
			return "/guide#" + r.Anchor, true
		case r.Kind == docs.RefFile:
			return "/files/" + r.File, true
		}
		return "", false
	},
	Title: func(r docs.Ref) (string, bool) {
		title, ok := map[string]string{"p1": "The guide", "f3": "manual.pdf"}[r.Page+r.File]
		return title, ok
	},
	Highlight: highlight.New(1 << 20),
}

// drawing is the path of an icon.
var drawing = regexp.MustCompile(`<path d="[^"]*">`)

// The files in testdata/views contain pages and their views: HTML, text for
// search, and a list of references.
func TestViews(t *testing.T) {
	files, err := filepath.Glob("testdata/views/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			doc := Parse(archive.Files[0].Data, viewRefs())
			var b bytes.Buffer
			if err := HTML(&b, doc, viewOptions); err != nil {
				t.Fatal(err)
			}
			checkHTML(t, b.String())
			page := drawing.ReplaceAll(b.Bytes(), []byte("<path>"))
			got := &txtar.Archive{Comment: archive.Comment, Files: []txtar.File{
				archive.Files[0], {Name: "page.html", Data: page},
				{Name: "sections", Data: []byte(describeSections(doc))}, {Name: "references", Data: []byte(describeReferences(doc))},
			}}
			if golden.Update() {
				golden.Write(t, file, txtar.Format(got))
				return
			}
			for i, f := range got.Files {
				var want []byte
				if i < len(archive.Files) {
					want = archive.Files[i].Data
				}
				golden.Equal(t, f.Name, bytes.TrimRight(f.Data, "\n"), bytes.TrimRight(want, "\n"))
			}
		})
	}
}

func describeSections(doc *Document) string {
	var b strings.Builder
	for _, s := range Sections(doc) {
		fmt.Fprintf(&b, "# %s #%s\n%s\n", s.Title, s.Anchor, s.Body)
	}
	return b.String()
}

func describeReferences(doc *Document) string {
	var b strings.Builder
	for _, r := range References(doc) {
		ref, _ := jsontext.Marshal(r.Ref)
		fmt.Fprintf(&b, "%s %q depends=%t\n", ref, r.Text, r.Depends)
	}
	return b.String()
}

// Every document that the parser returns can be decoded and rendered.
func FuzzViews(f *testing.F) {
	files, _ := filepath.Glob("testdata/views/*.txtar")
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(archive.Files[0].Data)
	}
	for _, form := range markdownForms {
		f.Add([]byte(strings.ReplaceAll(form, "PAYLOAD", `x" onclick=`)))
	}
	for _, name := range attackFiles {
		for i, s := range attacks(f, name) {
			f.Add([]byte(strings.ReplaceAll(markdownForms[i%len(markdownForms)], "PAYLOAD", s)))
		}
	}
	f.Fuzz(func(t *testing.T, md []byte) {
		if len(md) < 64<<10 {
			checkViews(t, md)
		}
	})
}

// checkViews checks all views of a source.
func checkViews(t *testing.T, md []byte) {
	t.Helper()
	doc := Parse(md, viewRefs())
	checkHTML(t, render(t, hostileOptions, doc.Nodes...))
	Sections(doc)
	References(doc)
	if bytes.IndexByte(md, 0) >= 0 || !utf8.Valid(md) {
		return // JSON replaces these bytes
	}
	if _, err := Decode("body", marshal(t, doc)); err != nil {
		if !strings.Contains(err.Error(), "address") && !strings.Contains(err.Error(), "deep") {
			t.Errorf("Decode refuses what Parse made: %v", err)
		}
		return
	}
	checkSameAfterDecode(t, doc)
}

var attackFiles = []string{"schemes.txt", "html.txt", "attributes.txt", "svg.txt", "mermaid.txt", "katex.txt"}

// markdownForms are Markdown texts that put a payload into a document.
var markdownForms = []string{
	"PAYLOAD", "[x](PAYLOAD)", "[x](<PAYLOAD>)", "![x](PAYLOAD)", "![x](<PAYLOAD> \"PAYLOAD\")", "[x]\n\n[x]: PAYLOAD", "<PAYLOAD>", "[x](/y \"PAYLOAD\")",
	"[x](PAYLOAD \"mention\")", `<a href="PAYLOAD">x</a>`, `<a href="PAYLOAD" class="button primary" data-icon="PAYLOAD">x</a>`,
	`a <img src="PAYLOAD" alt="PAYLOAD"> b`, `<figure><img src="PAYLOAD" alt="PAYLOAD"><figcaption><p>PAYLOAD</p></figcaption></figure>`,
	`<img src="PAYLOAD" alt="PAYLOAD" class="gitbook-drawing">`,
	`<figure><picture><source srcset="PAYLOAD" media="(prefers-color-scheme: dark)"><img src="PAYLOAD" alt=""></picture></figure>`,
	`{% embed url="PAYLOAD" %}`, "{% content-ref url=\"PAYLOAD\" %}\n[x](PAYLOAD)\n{% endcontent-ref %}", `{% file src="PAYLOAD" %}`,
	`{% include "PAYLOAD" %}`, "{% openapi src=\"PAYLOAD\" path=\"PAYLOAD\" method=\"get\" %}\n{% endopenapi %}", `{% @a/b url="PAYLOAD" x="PAYLOAD" %}`,
	"{% tabs %}\n{% tab title=\"PAYLOAD\" icon=\"PAYLOAD\" %}\nx\n{% endtab %}\n{% endtabs %}", "{% hint style=\"PAYLOAD\" icon=\"PAYLOAD\" %}\nPAYLOAD\n{% endhint %}",
	"{% code title=\"PAYLOAD\" overflow=\"PAYLOAD\" %}\n```js\nPAYLOAD\n```\n{% endcode %}", "```PAYLOAD\nPAYLOAD\n```", "```mermaid\nPAYLOAD\n```",
	"## x <a href=\"#PAYLOAD\" id=\"PAYLOAD\"></a>", "## PAYLOAD", `<mark style="color:PAYLOAD;background-color:PAYLOAD">x</mark>`,
	`<i class="fa-PAYLOAD" style="color:PAYLOAD">:x:</i>`, ":PAYLOAD:", "a $$PAYLOAD$$ b", "$$\nPAYLOAD\n$$", "a[^1]\n\n[^1]: PAYLOAD",
	`<code class="expression">PAYLOAD</code>`, "{% if PAYLOAD %}\nPAYLOAD\n{% endif %}", "| PAYLOAD |\n| --- |\n| PAYLOAD |",
	`<table data-view="cards"><thead><tr><th>PAYLOAD</th><th data-hidden data-card-target data-type="content-ref"></th><th data-hidden data-card-cover data-type="image"></th></tr></thead><tbody><tr><td>PAYLOAD</td><td><a href="PAYLOAD">x</a></td><td><a href="PAYLOAD">x</a></td></tr></tbody></table>`,
	"<details>\n\n<summary>PAYLOAD</summary>\n\nPAYLOAD\n\n</details>", "{% updates format=\"PAYLOAD\" %}\n{% update date=\"PAYLOAD\" tags=\"PAYLOAD\" %}\nx\n{% endupdate %}\n{% endupdates %}",
	"{% prompt description=\"PAYLOAD\" icon=\"PAYLOAD\" %}\n```\nPAYLOAD\n```\n{% endprompt %}", "* PAYLOAD\n  * PAYLOAD", "> PAYLOAD", "<div align=\"PAYLOAD\">\n\nPAYLOAD\n\n</div>",
}

func TestMarkdownCarriesNoAttack(t *testing.T) {
	for _, name := range attackFiles {
		for _, s := range attacks(t, name) {
			for _, form := range markdownForms {
				md := strings.ReplaceAll(form, "PAYLOAD", s)
				checkViews(t, []byte(md))
				if t.Failed() {
					t.Fatalf("%q", md)
				}
			}
		}
	}
}

func TestHTMLOfAnyDocumentIsOnTheList(t *testing.T) {
	highlight := highlight.New(1 << 20)
	rapid.Check(t, func(rt *rapid.T) {
		doc := genDocument(rt)
		o := viewOptions
		o.Highlight = highlight
		var b bytes.Buffer
		if err := HTML(&b, doc, o); err != nil {
			rt.Fatal(err)
		}
		checkHTML(t, b.String())
		if t.Failed() {
			rt.Fatal("not on the list")
		}
	})
}

func TestUnevaluatedConditionsShowNothing(t *testing.T) {
	out := render(t, HTMLOptions{}, aBlock("if", map[string]any{"expression": "secretClaim"}, para(words("secret text"))),
		para(anInline("expression", map[string]any{"expression": "secretClaim"})))
	if strings.Contains(out, "secret") {
		t.Error(out)
	}
}

func TestHeadingsBeginBelowTheTitle(t *testing.T) {
	for want, kinds := range map[string][]string{"<h2>": {"heading-1", "heading-3"}, "<h2> ": {"heading-2", "heading-3"}, "<h2>  ": {"heading-3"}} {
		var nodes []*Node
		for _, k := range kinds {
			nodes = append(nodes, aBlock(k, nil, words("x")))
		}
		if out := render(t, HTMLOptions{}, nodes...); !strings.HasPrefix(out, strings.TrimSpace(want)) {
			t.Errorf("%v: %s", kinds, out)
		}
	}
}

func TestMergedCells(t *testing.T) {
	n := aTable(grid(), "number", 7.0)
	n.Data["cellMerges"] = []any{
		map[string]any{"anchor": map[string]any{"record": "r", "column": "name"}, "rowSpan": 1.0, "colSpan": 2.0},
		map[string]any{"anchor": map[string]any{"record": "r", "column": "c"}, "rowSpan": 1.0, "colSpan": 2.0},
		map[string]any{"anchor": map[string]any{"record": "x", "column": "c"}},
	}
	out := render(t, HTMLOptions{}, n)
	if !strings.Contains(out, `<td colspan="2">`) || strings.Contains(out, "7") {
		t.Error(out)
	}
}

// A failed write ends the output with its error.
func TestHTMLTellsThatWritingFailed(t *testing.T) {
	gone := errors.New("gone")
	doc := &Document{Nodes: []*Node{para(words(strings.Repeat("x", 1<<20)))}}
	if err := HTML(failingWriter{gone}, doc, HTMLOptions{}); !errors.Is(err, gone) {
		t.Error(err)
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

func BenchmarkHTML(b *testing.B) {
	archive, err := txtar.ParseFile("testdata/views/blocks.txtar")
	if err != nil {
		b.Fatal(err)
	}
	doc := Parse(archive.Files[0].Data, Refs{})
	b.SetBytes(int64(len(archive.Files[0].Data)))
	b.ReportAllocs()
	for b.Loop() {
		if err := HTML(&bytes.Buffer{}, doc, viewOptions); err != nil {
			b.Fatal(err)
		}
	}
}

// Link is called for addresses in raw HTML. An address is kept if Link does not
// return a safe one.
func TestRawAddressesAreAsked(t *testing.T) {
	src := "<div><a href=\"a.md\">a</a><a href=\"b.md\">b</a><a href=\"c.md\">c</a><a href=\"https://example.com/a.md\">d</a></div>\n"
	doc := Parse([]byte(src), Refs{})
	var b bytes.Buffer
	err := HTML(&b, doc, HTMLOptions{Link: func(ref docs.Ref) (string, bool) {
		switch ref.URL {
		case "a.md":
			return "/shown", true
		case "c.md":
			return "javascript:alert(1)", true
		}
		return "", false
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := `<a href="/shown">a</a><a href="b.md">b</a><a href="c.md">c</a><a href="https://example.com/a.md">d</a>`
	if !strings.Contains(b.String(), want) {
		t.Errorf("%s lacks %s", b.String(), want)
	}
}

func TestHTMLHasLabelsInTheLanguageOfTheReader(t *testing.T) {
	doc := Parse([]byte("## A\n\n* [ ] b\n* [x] c\n\n{% hint style=\"danger\" %}\nd\n{% endhint %}\n\n{% hint style=\"odd\" %}\ne\n{% endhint %}\n"), Refs{})
	for _, labels := range []*Labels{nil, &EnglishLabels, {Anchor: "1", ToDo: "2", Done: "3", Danger: "4", Info: "5"}} {
		out, l := render(t, HTMLOptions{Labels: labels}, doc.Nodes...), labels
		if l == nil {
			l = &EnglishLabels
		}
		for _, want := range []string{l.Anchor, l.ToDo, l.Done, l.Danger, l.Info} {
			if !strings.Contains(out, `aria-label="`+want+`"`) {
				t.Errorf("no label %s in\n%s", want, out)
			}
		}
	}
}
