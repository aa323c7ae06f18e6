package docs

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/chunk"
)

// fullPage returns a page with a value in every stored field.
func fullPage() Page {
	yes, no := true, false
	return Page{
		ID: "p1", Type: PageDocument, Parent: "p0", Rank: "a5", Title: "A <title> & more", Slug: "a-title", Pinned: true, Emoji: "1f680",
		Icon: "bolt", Description: "About", LinkTitle: "Short", Hidden: true, NoIndex: true, NoRobotsIndex: true, Condition: "visitor.beta",
		Body: chunk.Sum([]byte("body")), Sidecar: chunk.Sum([]byte("side")), File: "a/b.md", OID: "0123456789abcdef",
		Layout: &Layout{Preset: "docs", Width: "wide", CoverVisible: &yes, CoverSize: "hero", CoverMask: "radial", Title: &no, Description: &yes,
			TableOfContents: &no, Outline: &yes, Pagination: &no, Metadata: &yes, Tags: &no, Actions: &yes, Anchors: &no},
		Cover: &PageCover{Ref: &Ref{Kind: RefFile, File: "f1", Space: "s1"}, RefDark: &Ref{Kind: RefURL, URL: "https://example.com/?a=1&b=<2>"},
			YPos: -12.5, Height: 240},
		Variables: Variables{"name": "Octavo", "version": 2.0, "beta": false},
		Tags:      []PageTag{{Tag: "beta"}, {Tag: "api", Primary: true}},
		MetaLinks: &MetaLinks{Canonical: "https://example.com/a", Alternates: []string{"https://example.com/b"}},
		Target:    &Ref{Kind: RefAnchor, Anchor: "x", Page: "p2", Space: "s2"},
		Computed:  json.RawMessage(`{"a":1}`),
		Method:    "GET",
		CreatedAt: 1700000000000, UpdatedAt: 1700000001000,
	}
}

func TestFullPageSetsEveryField(t *testing.T) {
	v := reflect.ValueOf(fullPage())
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Errorf("fullPage does not set %s", v.Type().Field(i).Name)
		}
	}
}

// The newest version of the program reads the revisions of all earlier versions, and the
// hash of the bytes determines whether a page changed. The encoding must therefore not
// change.
func TestStoredPageKeepsItsBytes(t *testing.T) {
	for _, c := range []struct {
		name string
		page Page
		want string
	}{
		{"full", fullPage(), `{"t":"document","p":"p0","r":"a5","n":"A \u003ctitle\u003e \u0026 more","s":"a-title","sp":true,"e":"1f680","i":"bolt","d":"About","lt":"Short","h":true,"ni":true,"nr":true,"if":"visitor.beta","b":"Iw2DWNyOiJC0xY3utikS7i8gNXrpKlzI","bs":"6nv0u3IwQefWP-bHTcRsBIxhfrSaRUoc","f":"a/b.md","go":"0123456789abcdef","l":{"Preset":"docs","Width":"wide","CoverVisible":true,"CoverSize":"hero","CoverMask":"radial","Title":false,"Description":true,"TableOfContents":false,"Outline":true,"Pagination":false,"Metadata":true,"Tags":false,"Actions":true,"Anchors":false},"c":{"ref":{"kind":"file","file":"f1","space":"s1"},"refDark":{"kind":"url","url":"https://example.com/?a=1\u0026b=\u003c2\u003e"},"yPos":-12.5,"height":240},"v":{"beta":false,"name":"Octavo","version":2},"tg":[{"Tag":"beta","Primary":false},{"Tag":"api","Primary":true}],"ml":{"Canonical":"https://example.com/a","Alternates":["https://example.com/b"]},"to":{"kind":"anchor","anchor":"x","page":"p2","space":"s2"},"cs":{"a":1},"op":"GET","ca":"2023-11-14T22:13:20.000Z","ua":"2023-11-14T22:13:21.000Z"}`},
		{"smallest", Page{Type: PageGroup}, `{"t":"group","r":"","n":""}`},
		{"link without an address", Page{Type: PageLink, Title: "L", Target: &Ref{Kind: RefURL}}, `{"t":"link","r":"","n":"L","to":{"kind":"url","url":""}}`},
		{"empty parts", Page{Type: PageDocument, Layout: &Layout{}, MetaLinks: &MetaLinks{}, Cover: &PageCover{}}, `{"t":"document","r":"","n":"","l":{"Preset":"","Width":"","CoverVisible":null,"CoverSize":"","CoverMask":"","Title":null,"Description":null,"TableOfContents":null,"Outline":null,"Pagination":null,"Metadata":null,"Tags":null,"Actions":null,"Anchors":null},"c":{"yPos":0},"ml":{"Canonical":"","Alternates":null}}`},
	} {
		got, err := EncodePage(c.page)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %v\ngot  %s\nwant %s", c.name, err, got, c.want)
		}
		back, err := DecodePage(string(c.page.ID), got)
		if err != nil || !reflect.DeepEqual(back, c.page) {
			t.Errorf("%s: %v\nread back as %+v", c.name, err, back)
		}
	}
}

func TestSourceOfAStoredPage(t *testing.T) {
	full := fullPage()
	tricky := full
	tricky.Title, tricky.Description = `","f":"title.md","b":"`, `{"f":"description.md"}`
	tricky.Variables = Variables{"f": "variable.md", "b": "x", "t": "link"}
	tricky.File = `a "quoted" <é>\b.md`
	for _, p := range []Page{full, tricky, {Type: PageGroup}, {Type: PageDocument, Variables: Variables{"f": "v.md"}}} {
		b, err := EncodePage(p)
		if err != nil {
			t.Fatal(err)
		}
		want := PageSource{Type: p.Type, Body: p.Body, File: p.File}
		if got, err := DecodePageSource(b); err != nil || got != want {
			t.Errorf("got %+v, want %+v: %v", got, want, err)
		}
		if _, err := DecodePageSource(b[:len(b)-1]); err == nil {
			t.Errorf("%s without its end is read", b)
		}
	}
}

func BenchmarkDecodePage(b *testing.B) {
	p := Page{Type: PageDocument, Parent: "Zk3pXb0aQm", Rank: "a5", Title: "Page 1", Slug: "page-1", Body: chunk.Sum([]byte("body")),
		Sidecar: chunk.Sum([]byte("side")), File: "s1/p100.md", OID: "0123456789abcdef0123456789abcdef01234567", CreatedAt: 1700000000000, UpdatedAt: 1700000001000}
	stored, err := EncodePage(p)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("page", func(b *testing.B) {
		for b.Loop() {
			if _, err := DecodePage("p1", stored); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("source", func(b *testing.B) {
		for b.Loop() {
			if _, err := DecodePageSource(stored); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// mergedOtherwise are the fields of a page that MergeFields does not merge, with the rule
// that applies to them instead.
var mergedOtherwise = map[string]string{
	"ID":        "the key of the page: pages with different ids are not merged",
	"Parent":    "the place of a page is its parent and its rank together, and depends on the tree",
	"Rank":      "see Parent",
	"Slug":      "follows the title unless it is pinned, and must be unique among the siblings",
	"Pinned":    "see Slug",
	"Body":      "merged block by block",
	"Sidecar":   "belongs to the body",
	"OID":       "belongs to the body",
	"File":      "a place in a folder: the side that moved the file wins, and it must be unique",
	"Variables": "merged one variable at a time",
	"Method":    "of generated pages, which are in no revision",
	"CreatedAt": "never changes",
	"UpdatedAt": "the later one",
}

func TestEveryFieldOfAPageIsMerged(t *testing.T) {
	keys := map[string]bool{}
	for i, f := range mergedFields {
		if i > 0 && mergedFields[i-1].key >= f.key {
			t.Errorf("mergedFields: %s is not in order", f.key)
		}
		keys[f.key] = true
	}
	page := reflect.TypeFor[Page]()
	for i := range page.NumField() {
		f := page.Field(i)
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		_, otherwise := mergedOtherwise[f.Name]
		if keys[key] == otherwise {
			t.Errorf("Page.%s must be either in mergedFields or in mergedOtherwise", f.Name)
		}
		delete(keys, key)
	}
	for key := range keys {
		t.Errorf("mergedFields has %s, which is not a field of Page", key)
	}
}

func TestMergeFields(t *testing.T) {
	base := fullPage()
	ours, theirs := base, base
	ours.Title, theirs.Icon = "Ours", ""           // changed by one side each
	ours.Emoji, theirs.Emoji = "1f4d8", "1f4d8"    // the same change on both sides
	ours.Description, theirs.Description = "A", "" // different changes on both sides
	theirs.Layout, theirs.Body = nil, ""
	merged, conflicts, err := MergeFields(&base, ours, theirs)
	want := ours
	want.Icon, want.Layout = "", nil
	if err != nil || !reflect.DeepEqual(merged, want) || !slices.Equal(conflicts, []string{"description"}) {
		t.Errorf("%v, conflicts %v\ngot  %+v\nwant %+v", err, conflicts, merged, want)
	}

	// Without a common ancestor, a field that only one side sets keeps its value.
	ours.Icon, theirs.Icon = "", "star"
	merged, conflicts, err = MergeFields(nil, ours, theirs)
	if err != nil || merged.Icon != "star" || merged.Description != "A" || !slices.Equal(conflicts, []string{"title"}) {
		t.Errorf("%v, conflicts %v, icon %q", err, conflicts, merged.Icon)
	}
}

func TestWithField(t *testing.T) {
	mine, theirs := fullPage(), fullPage()
	theirs.Title, theirs.Tags, theirs.Slug = "Theirs", nil, "theirs"
	want := mine
	for _, name := range []string{"title", "tags", "slug"} {
		var err error
		if mine, err = WithField(mine, theirs, name); err != nil {
			t.Fatal(err)
		}
	}
	want.Title, want.Tags = "Theirs", nil // the slug has its own rules
	if !reflect.DeepEqual(mine, want) {
		t.Errorf("got  %+v\nwant %+v", mine, want)
	}
}

func TestFieldValue(t *testing.T) {
	p := Page{Type: PageDocument, Title: "T", Hidden: true, Slug: "t"}
	for name, want := range map[string]any{"title": "T", "hidden": true, "type": "document", "icon": nil, "slug": nil} {
		got, ok, err := FieldValue(p, name)
		if err != nil || got != want || ok != (want != nil) {
			t.Errorf("%s: %v, %v, %v; want %v", name, got, ok, err, want)
		}
	}
}
