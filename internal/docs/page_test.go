package docs

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/octavo-docs/octavo/internal/chunk"
)

// fullPage has a value in every field that is stored.
func fullPage() Page {
	yes, no := true, false
	return Page{
		ID: "p1", Type: PageDocument, Parent: "p0", Rank: "a5", Title: "A <title> & more", Slug: "a-title", Pinned: true, Emoji: "1f680",
		Icon: "bolt", Description: "About", LinkTitle: "Short", Hidden: true, NoIndex: true, NoRobotsIndex: true, Condition: "visitor.beta",
		Body: chunk.Sum([]byte("body")), Side: chunk.Sum([]byte("side")), File: "a/b.md", OID: "0123456789abcdef",
		Layout: &Layout{Preset: "docs", Width: "wide", CoverVisible: &yes, CoverSize: "hero", CoverMask: "radial", Title: &no, Description: &yes,
			TableOfContents: &no, Outline: &yes, Pagination: &no, Metadata: &yes, Tags: &no, Actions: &yes, Anchors: &no},
		Cover: &PageCover{Ref: &Ref{Kind: RefFile, File: "f1", Space: "s1"}, RefDark: &Ref{Kind: RefURL, URL: "https://example.com/?a=1&b=<2>"},
			YPos: -12.5, Height: 240},
		Variables: Variables{"name": "Octavo", "version": 2.0, "beta": false},
		Tags:      []PageTag{{Tag: "beta"}, {Tag: "api", Primary: true}},
		MetaLinks: &MetaLinks{Canonical: "https://example.com/a", Alternates: []string{"https://example.com/b"}},
		Target:    &Ref{Kind: RefAnchor, Anchor: "x", Page: "p2", Space: "s2"},
		Computed:  json.RawMessage(`{"a":1}`),
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

// Revisions of every version of the program are read by the newest one, and the
// hash of a page's bytes decides whether it changed: the bytes must not change.
func TestStoredPageKeepsItsBytes(t *testing.T) {
	for _, c := range []struct {
		name string
		page Page
		want string
	}{
		{"full", fullPage(), `{"t":"document","p":"p0","r":"a5","n":"A \u003ctitle\u003e \u0026 more","s":"a-title","sp":true,"e":"1f680","i":"bolt","d":"About","lt":"Short","h":true,"ni":true,"nr":true,"if":"visitor.beta","b":"Iw2DWNyOiJC0xY3utikS7i8gNXrpKlzI","bs":"6nv0u3IwQefWP-bHTcRsBIxhfrSaRUoc","f":"a/b.md","go":"0123456789abcdef","l":{"Preset":"docs","Width":"wide","CoverVisible":true,"CoverSize":"hero","CoverMask":"radial","Title":false,"Description":true,"TableOfContents":false,"Outline":true,"Pagination":false,"Metadata":true,"Tags":false,"Actions":true,"Anchors":false},"c":{"ref":{"kind":"file","file":"f1","space":"s1"},"refDark":{"kind":"url","url":"https://example.com/?a=1\u0026b=\u003c2\u003e"},"yPos":-12.5,"height":240},"v":{"beta":false,"name":"Octavo","version":2},"tg":[{"Tag":"beta","Primary":false},{"Tag":"api","Primary":true}],"ml":{"Canonical":"https://example.com/a","Alternates":["https://example.com/b"]},"to":{"kind":"anchor","anchor":"x","page":"p2","space":"s2"},"cs":{"a":1},"ca":"2023-11-14T22:13:20.000Z","ua":"2023-11-14T22:13:21.000Z"}`},
		{"smallest", Page{Type: PageGroup}, `{"t":"group","r":"","n":""}`},
		{"link without an address", Page{Type: PageLink, Title: "L", Target: &Ref{Kind: RefURL}}, `{"t":"link","r":"","n":"L","to":{"kind":"url","url":""}}`},
		{"empty parts", Page{Type: PageDocument, Layout: &Layout{}, MetaLinks: &MetaLinks{}, Cover: &PageCover{}}, `{"t":"document","r":"","n":"","l":{"Preset":"","Width":"","CoverVisible":null,"CoverSize":"","CoverMask":"","Title":null,"Description":null,"TableOfContents":null,"Outline":null,"Pagination":null,"Metadata":null,"Tags":null,"Actions":null,"Anchors":null},"c":{"yPos":0},"ml":{"Canonical":"","Alternates":null}}`},
	} {
		got, err := json.Marshal(c.page)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %v\ngot  %s\nwant %s", c.name, err, got, c.want)
		}
		back := Page{ID: c.page.ID}
		if err := json.Unmarshal(got, &back); err != nil || !reflect.DeepEqual(back, c.page) {
			t.Errorf("%s: %v\nread back as %+v", c.name, err, back)
		}
	}
}
