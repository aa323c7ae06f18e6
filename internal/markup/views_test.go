package markup_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/jsontext"
	. "github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/highlight"
	"github.com/octavo-docs/octavo/internal/markup/html"
	"github.com/octavo-docs/octavo/internal/testing/golden"
	"github.com/octavo-docs/octavo/internal/testing/testhtml"
	"github.com/octavo-docs/octavo/internal/testing/testmarkup"
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

var viewOptions = html.Options{
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
			if err := html.Write(&b, doc, viewOptions); err != nil {
				t.Fatal(err)
			}
			testhtml.Check(t, b.String())
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
	for _, name := range AttackFiles {
		for i, s := range Attacks(f, name) {
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
	testhtml.Check(t, viewOf(t, echoOptions, doc.Nodes...))
	Sections(doc)
	References(doc)
	if bytes.IndexByte(md, 0) >= 0 || !utf8.Valid(md) {
		return // JSON replaces these bytes
	}
	if _, err := Decode("body", Marshal(t, doc)); err != nil {
		if !strings.Contains(err.Error(), "address") && !strings.Contains(err.Error(), "deep") {
			t.Errorf("Decode refuses what Parse made: %v", err)
		}
		return
	}
	CheckSameAfterDecode(t, doc)
}

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
	for _, name := range AttackFiles {
		for _, s := range Attacks(t, name) {
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
		doc := testmarkup.Document(rt)
		o := viewOptions
		o.Highlight = highlight
		var b bytes.Buffer
		if err := html.Write(&b, doc, o); err != nil {
			rt.Fatal(err)
		}
		testhtml.Check(t, b.String())
		if t.Failed() {
			rt.Fatal("not on the list")
		}
	})
}

func BenchmarkHTML(b *testing.B) {
	archive, err := txtar.ParseFile("testdata/views/blocks.txtar")
	if err != nil {
		b.Fatal(err)
	}
	doc := Parse(archive.Files[0].Data, Refs{})
	b.SetBytes(int64(len(archive.Files[0].Data)))
	b.ReportAllocs()
	for b.Loop() {
		if err := html.Write(&bytes.Buffer{}, doc, viewOptions); err != nil {
			b.Fatal(err)
		}
	}
}

// The cost of a table with many columns and rows but few values depends on its
// values.
func TestSparseTablesAreCheap(t *testing.T) {
	definition, records, columns := map[string]any{}, map[string]any{}, []any{}
	for i := range 20_000 {
		id := "c" + strconv.Itoa(i)
		definition[id] = map[string]any{"id": id, "title": "", "type": "number"}
		columns = append(columns, id)
		records["r"+id] = map[string]any{"orderIndex": "", "values": map[string]any{id: 1.0}}
	}
	doc := &Document{Nodes: []*Node{{Object: ObjectBlock, Type: "table", Data: map[string]any{
		"view": map[string]any{"type": "grid", "columns": columns}, "definition": definition, "records": records,
	}}}}
	if got := strings.Count(Sections(doc)[0].Body, "1"); got != 20_000 {
		t.Error(got)
	}
	References(doc)
	if out := viewOf(t, html.Options{}, doc.Nodes...); len(out) > 8<<20 {
		t.Errorf("%d bytes of HTML", len(out))
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(Wrap(`{"object":"block","type":"paragraph","nodes":[` + TextJSON + `]}`)))
	f.Add([]byte(TableJSON("image", `{"ref":{"kind":"file","file":"f"},"alt":"a","objectFit":"cover"}`)))
	f.Add([]byte(InParagraph(`{"object":"inline","type":"link","isVoid":false,"data":{"ref":{"kind":"page","page":"p"}},"nodes":[` + TextJSON + `]}`)))
	f.Add([]byte(Wrap(`{"object":"block","type":"expandable","data":{},"fragments":[{"object":"fragment","type":"expandable-title","nodes":[]},{"object":"fragment","fragment":"expandable-body","nodes":[]}]}`)))
	f.Fuzz(func(t *testing.T, raw []byte) {
		doc, err := Decode("body", raw)
		if err != nil {
			if !errs.Is(err, errs.Invalid) {
				t.Fatal(err)
			}
			return
		}
		CheckSameAfterDecode(t, doc)
		Sections(doc)
		References(doc)
		if err := html.Write(&bytes.Buffer{}, doc, html.Options{}); err != nil {
			t.Fatal(err)
		}
	})
}

// An unsafe address that came with the source is kept; a client cannot add
// another one.
func TestAddressesThatWereThere(t *testing.T) {
	src := []byte("[x](vscode:extension/y)\n\ntext\n")
	old := Parse(src, Refs{})
	doc := SentBack(t, old)
	Edit(doc.Nodes, "text", "other text")
	if err := doc.CheckAddresses(old); err != nil {
		t.Errorf("what was read cannot be written back: %v", err)
	}
	if out := string(Reprint(src, old, doc, Refs{})); out != "[x](vscode:extension/y)\n\nother text\n" {
		t.Errorf("it became %q", out)
	}
	if err := doc.CheckAddresses(nil); err == nil || !strings.Contains(err.Error(), "nodes[0].nodes[0].data.ref.url") {
		t.Errorf("in a new document it is refused with %v", err)
	}
	var out strings.Builder
	if err := html.Write(&out, old, html.Options{}); err != nil || strings.Contains(out.String(), "vscode:") {
		t.Errorf("it is a link for readers: %s, %v", &out, err)
	}
	other := SentBack(t, Parse([]byte("[x](javascript:alert)\n"), Refs{}))
	if other.CheckAddresses(old) == nil {
		t.Error("a client brought a scheme of its own")
	}
}

// echoOptions return the values of references unchanged as addresses and
// titles.
var echoOptions = html.Options{
	Link: func(r docs.Ref) (string, bool) {
		switch r.Kind {
		case docs.RefPage:
			return r.Page, true
		case docs.RefFile:
			return r.File, true
		case docs.RefUser:
			return r.User, true
		}
		return "", false
	},
	Title: func(r docs.Ref) (string, bool) { return r.Page + r.File + r.URL, true },
}

func viewOf(t testing.TB, o html.Options, nodes ...*Node) string {
	t.Helper()
	var b bytes.Buffer
	if err := html.Write(&b, &Document{Nodes: nodes}, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
