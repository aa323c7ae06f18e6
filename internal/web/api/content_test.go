package api_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	_ "github.com/octavo-docs/octavo/internal/testing/testrapid"
)

// liveSpace makes a space that is edited live, with one page: $space, $page.
func (w *world) liveSpace() {
	w.t.Helper()
	w.must("admin", "POST", "/orgs/$org/spaces", `{"title":"Live","editMode":"live","empty":true}`, "space")
	w.vars["page"] = w.insert(`{"title":"Steady","document":{"markdown":"As it was.\n"}}`)
}

// insert adds a page to $space and returns its id.
func (w *world) insert(fields string) string {
	w.t.Helper()
	a := w.must("admin", "POST", "/spaces/$space/content", `{"changes":[{"operation":"insert_page",`+strings.TrimPrefix(fields, "{")+`]}`)
	var done struct {
		Changes []struct{ Page struct{ ID string } }
	}
	if err := json.Unmarshal(a.body, &done); err != nil || len(done.Changes) != 1 {
		w.t.Fatalf("%v: %s", err, a.body)
	}
	return done.Changes[0].Page.ID
}

// revision is the newest one of $space.
func (w *world) revision() string {
	w.t.Helper()
	return w.must("admin", "GET", "/spaces/$space", "").json().(map[string]any)["revision"].(string)
}

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func wrapped(nodes string) string { return `{"object":"document","data":{},"nodes":[` + nodes + `]}` }

// paragraph is a block with some text.
const paragraph = `{"object":"block","type":"paragraph","isVoid":false,"data":{},"nodes":[{"object":"text","leaves":[{"object":"leaf","text":"x","marks":[]}]}]}`

// nested puts a paragraph into n quotes.
func nested(n int) string {
	return strings.Repeat(`{"object":"block","type":"blockquote","isVoid":false,"data":{},"nodes":[`, n) + paragraph + strings.Repeat(`]}`, n)
}

// table is one of rows times columns cells, all of them empty or all with a
// text of their own.
func table(rows, columns int, filled bool) string {
	var ids, definition, records, fragments strings.Builder
	for c := range columns {
		fmt.Fprintf(&ids, `"c%d",`, c)
		fmt.Fprintf(&definition, `"c%d":{"id":"c%d","title":"","type":"text"},`, c, c)
	}
	for r := range rows {
		var values strings.Builder
		for c := range columns {
			if !filled {
				break
			}
			fmt.Fprintf(&values, `"c%d":"f%d-%d",`, c, r, c)
			fmt.Fprintf(&fragments, `{"object":"fragment","type":"table-cell","fragment":"f%d-%d","nodes":[]},`, r, c)
		}
		fmt.Fprintf(&records, `"r%d":{"orderIndex":"","values":{%s}},`, r, strings.TrimSuffix(values.String(), ","))
	}
	cut := func(b *strings.Builder) string { return strings.TrimSuffix(b.String(), ",") }
	return fmt.Sprintf(`{"object":"block","type":"table","isVoid":true,"data":{"view":{"type":"grid","columns":[%s]},"definition":{%s},"records":{%s}},"fragments":[%s]}`,
		cut(&ids), cut(&definition), cut(&records), cut(&fragments))
}

// What nobody should send is refused with a reason and changes nothing.
// (security d7)
func TestContentBadInput(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t), nil)
	w.must("mallory", "POST", "/orgs/$beta/spaces", `{"title":"Theirs","editMode":"live"}`, "theirs")
	var foreign struct{ Pages []struct{ ID string } }
	if err := json.Unmarshal(w.must("mallory", "GET", "/spaces/$theirs/content/pages", "").body, &foreign); err != nil {
		t.Fatal(err)
	}
	w.vars["foreign"] = foreign.Pages[0].ID
	w.liveSpace()
	w.vars["child"] = w.insert(`{"into":"$page","title":"Child","slug":"child","document":{"markdown":""}}`)
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the server was called from inside") }))
	defer inside.Close()

	document := func(nodes string) string {
		return `{"operation":"update_page","page":"$page","document":{"document":` + wrapped(nodes) + `}}`
	}
	file := func(fields string) string {
		return `{"operation":"insert_files","files":[{"name":"x.txt",` + fields + `}]}`
	}
	change := `{"operation":"update_page","page":"$page","description":"changed"},`
	for _, c := range []struct {
		name, changes string
		status        int
		says          string
	}{
		{"1,000 levels of blocks", document(nested(1000)), 400, "nested deeper"},
		{"100 levels of blocks", document(nested(100)), 400, "document.document.nodes[0].nodes[0]"},
		{"1,000,000 empty cells", document(table(1000, 1000, false)), 400, "cells"},
		{"60,000 cells with a text", document(table(600, 100, true)), 400, "cells"},
		{"an unknown block", document(`{"object":"block","type":"marquee","isVoid":false,"data":{},"nodes":[]}`), 400, "document.document.nodes[0].type"},
		{"an unknown object", document(`{"object":"widget","type":"paragraph","nodes":[]}`), 400, "document.document.nodes[0].object"},
		{"a text among the blocks", document(`{"object":"text","leaves":[]}`), 400, "document.document.nodes[0]"},
		{"a link that runs", document(strings.Replace(paragraph, `{"object":"text"`, `{"object":"inline","type":"link","isVoid":false,"data":{"ref":{"kind":"url","url":"javascript:alert(1)"}},"nodes":[{"object":"text","leaves":[]}]},{"object":"text"`, 1)), 400, "ref.url"},
		{"a document that is a list", `{"operation":"update_page","page":"$page","document":{"document":[]}}`, 400, "document"},
		{"a page of 3 MB", `{"operation":"update_page","page":"$page","document":{"markdown":"` + strings.Repeat("word ", 600_000) + `"}}`, 400, "document.markdown"},
		{"a body of 33 MB", `{"operation":"update_page","page":"$page","document":{"markdown":"` + strings.Repeat("word ", 6_800_000) + `"}}`, 413, "at most 32 MB"},
		{"millions of values", strings.Repeat(`{},`, 2_000_000) + `{}`, 400, "more than 1000000 values"},
		{"a list that is far too long", strings.Repeat(`{},`, 200_000) + `{}`, 400, "body.changes expected array length <= 50"},
		{"a NUL", `{"operation":"update_page","page":"$page","document":{"markdown":"a\u0000b"}}`, 400, "NUL"},
		{"51 changes", strings.Repeat(change, 50) + `{"operation":"update_page","page":"$page","title":"x"}`, 400, "body.changes"},
		{"the 50th change is wrong", strings.Repeat(change, 49) + `{"operation":"update_page","page":"absent","title":"x"}`, 404, "body.changes[49].page"},
		{"base64 of more than 1 MB", file(`"contentType":"text/plain","base64":"` + base64.StdEncoding.EncodeToString(make([]byte, 1<<20+1)) + `"`), 400, "base64"},
		{"an address of this machine", file(`"url":"` + inside.URL + `/x"`), 400, "files[0].url"},
		{"an address of this machine by name", file(`"url":"` + strings.Replace(inside.URL, "127.0.0.1", "localhost", 1) + `/x"`), 400, "files[0].url"},
		{"an address of this machine in disguise", file(`"url":"` + strings.Replace(inside.URL, "127.0.0.1", "[::ffff:127.0.0.1]", 1) + `/x"`), 400, "files[0].url"},
		{"an address of the network", file(`"url":"http://169.254.169.254/latest/meta-data/"`), 400, "files[0].url"},
		{"an address with a password", file(`"url":"http://user:secret@example.com/"`), 400, "files[0].url"},
		{"an address of a file", file(`"url":"file:///etc/passwd"`), 400, "files[0].url"},
		{"a slug twice", `{"operation":"insert_page","into":"$page","slug":"child","document":{"markdown":""}}`, 409, "body.changes[0].slug"},
		{"a cycle", `{"operation":"update_page","page":"$page","into":"$child"}`, 400, "below itself"},
		{"a cycle in two steps", `{"operation":"insert_page","ref":"a","into":"$child","document":{"markdown":""}},{"operation":"update_page","page":"$page","into":"a"}`, 400, "below itself"},
		{"40 levels of pages", deepPages(40), 400, "into"},
		{"a page of another space", `{"operation":"update_page","page":"$foreign","title":"x"}`, 404, "page"},
		{"into a page of another space", `{"operation":"update_page","page":"$page","into":"$foreign"}`, 400, "body.changes[0].into"},
		{"back to a page of another space", `{"operation":"revert_page","page":"$foreign"}`, 404, "page"},
		{"a condition that never ends", `{"operation":"update_page","page":"$page","condition":"` + strings.Repeat("(", 500) + strings.Repeat(")", 500) + `"}`, 400, "condition"},
		{"a title with nothing to see", `{"operation":"update_page","page":"$page","title":"\u2003\t"}`, 400, "body.changes[0].title"},
		{"an emoji that is none", `{"operation":"update_page","page":"$page","emoji":"rocket"}`, 400, "body.changes[0].emoji"},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := w.revision()
			a := w.call("admin", "POST", w.expand("/spaces/$space/content"), w.expand(`{"changes":[`+c.changes+`]}`))
			if a.status != c.status || !strings.Contains(string(a.body), c.says) || len(a.body) > 5000 {
				t.Errorf("%d %.300s, want %d with %q", a.status, a.body, c.status, c.says)
			}
			if now := w.revision(); now != before {
				t.Errorf("there is a new revision")
			}
		})
	}
}

// deepPages are pages in pages, n of them.
func deepPages(n int) string {
	var b strings.Builder
	into := "null"
	for i := range n {
		fmt.Fprintf(&b, `{"operation":"insert_page","into":%s,"ref":"level%d","document":{"markdown":""}},`, into, i)
		into = fmt.Sprintf(`"level%d"`, i)
	}
	return strings.TrimSuffix(b.String(), ",")
}

// Any text is Markdown. What makes parsers slow is kept as it is, and can be
// found, listed and written back. That the parser is linear is tested in
// internal/markup. (security d7)
func TestContentPathologicalMarkdown(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t), nil)
	w.liveSpace()
	for name, text := range map[string]string{
		"brackets that open":     strings.Repeat("[", 10_000),
		"links in links":         strings.Repeat("[a](", 5_000),
		"images in images":       strings.Repeat("![", 10_000) + strings.Repeat("](x)", 10_000),
		"quotes in quotes":       strings.Repeat(">", 10_000) + " a",
		"lists in lists":         nestedList(1_000),
		"stars":                  strings.Repeat("*a_", 20_000),
		"backticks":              backticks(400),
		"tags that open":         strings.Repeat("{% hint %}\n", 5_000),
		"details that open":      strings.Repeat("<details>\n<summary>a</summary>\n\n", 3_000),
		"HTML that opens":        strings.Repeat("<a ", 20_000),
		"comments that open":     strings.Repeat("<!--", 20_000),
		"entities":               strings.Repeat("&", 50_000),
		"references":             strings.Repeat("[a]: b\n", 20_000) + strings.Repeat("[a]", 5_000),
		"a wide table":           strings.Repeat("|a", 5_000) + "|\n" + strings.Repeat("|-", 5_000) + "|\n" + strings.Repeat(strings.Repeat("|", 100)+"\n", 1_000),
		"a table of 900k cells":  strings.Repeat("|a", 1_000) + "|\n" + strings.Repeat("|-", 1_000) + "|\n" + strings.Repeat(strings.Repeat("|", 1_001)+"\n", 900),
		"headings":               strings.Repeat("# a\n", 20_000),
		"links to headings":      linkedHeadings(10_000),
		"links to nothing":       linksToNothing(20_000),
		"one long line":          strings.Repeat("word ", 300_000),
		"front matter of dashes": strings.Repeat("---\n", 50_000),
		"front matter of bombs":  "---\na: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c,*c]\n---\n\ntext",
	} {
		t.Run(name, func(t *testing.T) {
			w.vars["hostile"] = w.insert(`{"title":"Hostile","document":{"markdown":` + quote("# Hostile\n\n"+text) + `}}`)
			back := w.pageMarkdown("hostile", "")
			if !strings.Contains(back, strings.TrimSpace(text)) && !strings.HasPrefix(text, "---") {
				t.Errorf("the text is not what it was: %.200q", back)
			}
			w.unchanged("hostile", `{"markdown":`+quote(back)+`}`)
			w.must("admin", "GET", "/spaces/$space/content/page/$hostile?evaluated=true&dereferenced=true", "")
			w.must("admin", "GET", "/spaces/$space/search?query=hostile", "")
			w.must("admin", "GET", "/spaces/$space/links", "")
			w.must("admin", "POST", "/spaces/$space/content", `{"changes":[{"operation":"delete_page","page":"$hostile"}]}`)
		})
	}
}

func linkedHeadings(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "# a\n\n[b](#a-%d)\n\n", i)
	}
	return b.String()
}

func linksToNothing(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "[a](b%d.md) ", i)
	}
	return b.String()
}

func nestedList(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", 2*min(i, 400)) + "* a\n")
	}
	return b.String()
}

func backticks(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat("`", i+1) + " ")
	}
	return b.String()
}

// pageMarkdown reads a page ($name) as Markdown.
func (w *world) pageMarkdown(name, options string) string {
	w.t.Helper()
	text, ok := w.must("admin", "GET", "/spaces/$space/content/page/$"+name+"?format=markdown"+options, "").json().(map[string]any)["markdown"].(string)
	if !ok {
		w.t.Fatal("the page has no Markdown")
	}
	return text
}

// unchanged writes a page and asks that there is no new revision.
func (w *world) unchanged(name, document string) {
	w.t.Helper()
	before := w.revision()
	w.must("admin", "POST", "/spaces/$space/content", `{"changes":[{"operation":"update_page","page":"$`+name+`","document":`+document+`}]}`)
	if now := w.revision(); now != before {
		w.t.Errorf("writing back what was read made a revision: %.300s", document)
	}
}

// A page that is read in any form and written back is the page that it was:
// no revision, whatever is in its title and in its text.
func TestContentWritingBackChangesNothing(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o, nil)
		w.liveSpace()
		w.must("admin", "POST", "/spaces/$space/content/template", `{"id":"product-docs"}`)
		w.must("admin", "POST", "/spaces/$space/content/template", `{"id":"api-reference"}`)
		w.must("admin", "POST", "/spaces/$space/content/template", `{"id":"changelog"}`)
		var tree struct{ Pages []wirePage }
		if err := json.Unmarshal(w.must("admin", "GET", "/spaces/$space/content/pages", "").body, &tree); err != nil {
			t.Fatal(err)
		}
		read := 0
		var visit func([]wirePage)
		visit = func(pages []wirePage) {
			for _, p := range pages {
				if p.Type == "document" {
					read++
					w.writeBack(p.ID)
				}
				visit(p.Pages)
			}
		}
		visit(tree.Pages)
		if read < 15 {
			t.Errorf("only %d pages were read", read)
		}
	})
}

type wirePage struct {
	ID, Type string
	Pages    []wirePage
}

// writeBack reads a page as Markdown and as a document and writes each back.
func (w *world) writeBack(id string) {
	w.t.Helper()
	w.vars["again"] = id
	w.unchanged("again", `{"markdown":`+quote(w.pageMarkdown("again", ""))+`}`)
	var page struct{ Document json.RawMessage }
	if err := json.Unmarshal(w.must("admin", "GET", "/spaces/$space/content/page/$again", "").body, &page); err != nil {
		w.t.Fatal(err)
	}
	w.unchanged("again", `{"document":`+string(page.Document)+`}`)
}

// Titles are texts of people: with marks of Markdown, emoji and spaces in
// them. None of them is read back as another one.
func TestContentTitlesAreReadBack(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t), nil)
	w.liveSpace()
	w.vars["titled"] = w.insert(`{"title":"x","document":{"markdown":"Text\n"}}`)
	piece := rapid.SampledFrom([]string{
		"a", "B", " ", "  ", "#", "# ", " #", "*", "**", "_", "`", "[", "]", "(x)", "<b>", "&amp;", "&", "\\", "~", "!", ":", "{% if %}", "---", "1.", "- ",
		"📘", "📘 ", "❤️", "👩‍🚀", "é", "中", "\t", "|", "\u00a0", "<a href=\"#x\" id=\"x\"></a>", "https://example.com",
	})
	emoji := rapid.SampledFrom([]string{"", "", "1f4d8", "📘", "2764", "1f468-200d-1f680"})
	rapid.Check(t, func(rt *rapid.T) {
		title := strings.Join(rapid.SliceOfN(piece, 1, 8).Draw(rt, "title"), "")
		change := w.expand(`{"changes":[{"operation":"update_page","page":"$titled","title":` + quote(title) + `,"emoji":` + quote(emoji.Draw(rt, "emoji")) + `}]}`)
		if a := w.call("admin", "POST", w.expand("/spaces/$space/content"), change); a.status != 200 {
			if strings.Contains(string(a.body), "body.changes[0].title") {
				return // blank
			}
			rt.Fatalf("%d %s", a.status, a.body)
		}
		before, text := w.revision(), w.pageMarkdown("titled", "")
		w.must("admin", "POST", "/spaces/$space/content", `{"changes":[{"operation":"update_page","page":"$titled","document":{"markdown":`+quote(text)+`}}]}`)
		if now := w.revision(); now != before {
			rt.Fatalf("title %q is %q in Markdown, which is read as %s", title, text, w.must("admin", "GET", "/spaces/$space/content/page/$titled", "").body)
		}
	})
}

// A batch is whole or nothing for everybody who reads meanwhile, and two that
// saw the same revision do not both win.
func TestContentRacesHaveOneWinner(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o, nil)
		w.liveSpace()
		for round := range 5 {
			seen := w.revision()
			body := w.expand(fmt.Sprintf(`{"changes":[{"operation":"update_page","page":"$page","title":"Round %d by %%d"}]}`, round))
			var won, lost atomic.Int32
			done := make(chan struct{})
			for i := range 4 {
				go func() {
					defer func() { done <- struct{}{} }()
					switch a := w.call("admin", "POST", w.expand("/spaces/$space/content"), fmt.Sprintf(body, i), `If-Match: "`+seen+`"`); a.status {
					case http.StatusOK:
						won.Add(1)
					case http.StatusPreconditionFailed:
						lost.Add(1)
					default:
						t.Errorf("%d %s", a.status, a.body)
					}
				}()
			}
			for range 4 {
				<-done
			}
			if won.Load() != 1 || lost.Load() != 3 {
				t.Errorf("%d won and %d lost", won.Load(), lost.Load())
			}
		}
	})
}

// A space moves to another organization with all that is in it, and says
// nothing of where it came from.
func TestContentMovesWithItsSpace(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o, nil)
		w.must("admin", "POST", "/orgs", `{"title":"Second"}`, "second")
		w.must("admin", "POST", "/orgs/$org/spaces", `{"title":"Stays","editMode":"live","empty":true}`, "stays")
		w.liveSpace()
		w.must("admin", "POST", "/spaces/$stays/content", `{"changes":[{"operation":"insert_page","title":"Here","document":{"markdown":"See [steady](/spaces/$space/pages/$page).\n"}}]}`)
		w.vars["other"] = w.insert(`{"title":"Other","document":{"markdown":"See [steady](/pages/$page).\n"}}`)
		paths := []string{"/spaces/$space/content", "/spaces/$space/content/page/$page", "/spaces/$space/links", "/spaces/$space/content/page/$page/backlinks", "/spaces/$space/search?query=steady"}
		for _, p := range paths {
			if a := w.must("admin", "GET", p, ""); !strings.Contains(string(a.body), w.vars["org"]) {
				t.Errorf("%s does not name the organization: %s", p, a.body)
			}
		}
		w.must("admin", "POST", "/spaces/$space/transfer", `{"organization":"$second"}`)
		for _, p := range paths {
			a := w.must("admin", "GET", p, "")
			if strings.Contains(string(a.body), w.vars["org"]) || strings.Contains(string(a.body), w.vars["stays"]) || !strings.Contains(string(a.body), w.vars["second"]) {
				t.Errorf("%s still names the old organization: %s", p, a.body)
			}
		}
		if a := w.must("admin", "GET", "/spaces/$stays/links?status=broken", ""); !strings.Contains(string(a.body), `"broken":{"total":1}`) {
			t.Errorf("a link to another organization: %s", a.body)
		}
		w.verify()
	})
}

// A copy has what it reads: the original can be deleted for good.
func TestContentOfACopyOutlivesTheOriginal(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		later := new(atomic.Int64)
		o.Clock = func() time.Time { return time.Now().Add(time.Duration(later.Load())) }
		w := newWorld(t, o, nil)
		w.liveSpace()
		w.vars["first"] = w.vars["space"]
		file := w.upload("admin", "a.txt", []byte("bytes")).json().(map[string]any)["id"].(string)
		w.vars["file"] = file
		w.must("admin", "POST", "/spaces/$first/content", `{"changes":[{"operation":"update_page","page":"$page","document":{"markdown":"Durable [file](/files/$file) and [itself](/pages/$page).\n"}}]}`)
		w.must("admin", "POST", "/spaces/$first/duplicate", "", "space")
		w.must("admin", "POST", "/spaces/$space/duplicate", "", "third")
		w.must("admin", "DELETE", "/spaces/$first", "")
		later.Store(int64(8 * 24 * time.Hour))
		if err := w.srv.Spaces.Purge(context.Background(), []byte(w.expand(`{"space":"$first"}`))); err != nil {
			t.Fatal(err)
		}
		if all, err := w.srv.Store.AllSpaces(context.Background()); err != nil || len(all) != 2 {
			t.Fatalf("%v %v: the original is still there", all, err)
		}
		for _, copied := range []string{"space", "third"} {
			for path, want := range map[string]string{
				"/content/page/$page?format=markdown": "Durable", "/search?query=durable": w.vars["page"], "/content/files/$file/backlinks": w.vars["page"],
				"/links?limit=0": `"broken":{"total":0}`,
			} {
				if a := w.must("admin", "GET", "/spaces/$"+copied+path, ""); !strings.Contains(string(a.body), want) {
					t.Errorf("%s: %s", path, a.body)
				}
			}
			at := w.must("admin", "GET", "/spaces/$"+copied+"/content/files/$file", "").json().(map[string]any)["downloadURL"].(string)
			if got := fetch(t, "GET", at); got.status != 200 || got.body != "bytes" {
				t.Errorf("the file: %d %s", got.status, got.body)
			}
		}
		w.must("admin", "POST", "/spaces/$space/content", `{"changes":[{"operation":"delete_page","page":"$page"}]}`)
		if a := w.must("admin", "GET", "/spaces/$third/search?query=durable", ""); !strings.Contains(string(a.body), w.vars["page"]) {
			t.Errorf("the copy of the copy: %s", a.body)
		}
		w.verify()
	})
}
