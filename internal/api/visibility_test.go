package api_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testdb"
)

// The visibility of a site is tested against a model that knows nothing of how
// it is worked out: random sites, spaces, pages and blocks with conditions on two
// claims, and visitors with every combination of claims. Each piece of text is a
// word of its own; what a visitor reads in all ways has to contain exactly the
// words whose conditions all hold.

// claims of a visitor: absent, true or false.
type claims map[string]bool

// condition is an expression with what the model says about it.
type condition struct {
	source string
	holds  func(claims) bool
}

var conditions = []condition{
	{"", func(claims) bool { return true }},
	{"", func(claims) bool { return true }},
	{"visitor.claims.unsigned.a", func(c claims) bool { return c["a"] }},
	{"!visitor.claims.unsigned.a", func(c claims) bool { return !c["a"] }},
	{"visitor.claims.unsigned.a && !visitor.claims.unsigned.b", func(c claims) bool { return c["a"] && !c["b"] }},
	{"visitor.claims.unsigned.b || visitor.claims.unsigned.a", func(c claims) bool { return c["a"] || c["b"] }},
	{"visitor.claims.other.b", func(claims) bool { return false }}, // an error
}

// word is a piece of text, with the conditions that it depends on. A space may
// be on a site several times: one of its places is enough.
type word struct {
	text   string
	title  bool // of a page that is listed
	all    []condition
	places *[][]condition
}

func (w word) seen(c claims) bool {
	for _, on := range w.all {
		if !on.holds(c) {
			return false
		}
	}
	for _, place := range *w.places {
		ok := true
		for _, on := range place {
			ok = ok && on.holds(c)
		}
		if ok {
			return true
		}
	}
	return false
}

type visibilityModel struct {
	w     *world
	r     *rand.Rand
	words []word
}

func (m *visibilityModel) condition() condition { return conditions[m.r.IntN(len(conditions))] }

// word returns a new word.
func (m *visibilityModel) word(title bool, places *[][]condition, all ...condition) string {
	text := fmt.Sprintf("qx%dzv%c", len(m.words), 'a'+rune(len(m.words)%26))
	m.words = append(m.words, word{text, title, append([]condition(nil), all...), places})
	return text
}

// space makes a space of pages with conditions, some below others, and returns
// its id and its places, which are not known yet.
func (m *visibilityModel) space() (string, *[][]condition) {
	places := &[][]condition{}
	files := fstest.MapFS{}
	summary := "# Table of contents\n\n* [Home](README.md)\n"
	files["README.md"] = &fstest.MapFile{Data: []byte("# Home " + m.word(true, places) + "\n"), Mode: 0o644}
	var paths []string
	var page func(dir string, depth int, above []condition)
	page = func(dir string, depth int, above []condition) {
		on := m.condition()
		all := append(append([]condition(nil), above...), on)
		var text strings.Builder
		if on.source != "" {
			text.WriteString("---\nif: " + on.source + "\n---\n\n")
		}
		title := m.word(true, places, all...)
		path := dir + title
		text.WriteString("# Page " + title + "\n\nText " + m.word(false, places, all...) + " here.\n")
		for _, other := range paths { // a link must not name a page that is not seen
			from := strings.Repeat("../", strings.Count(path, "/"))
			text.WriteString("\n[Other](" + from + other + ".md), [there](/" + other + "#a)\n\n{% content-ref url=\"" + from + other + ".md\" %}\n[" + other + ".md](" + from + other + ".md)\n{% endcontent-ref %}\n")
		}
		paths = append(paths, path)
		if block := m.condition(); block.source != "" {
			text.WriteString("\n{% if " + block.source + " %}\nBlock " + m.word(false, places, append(all, block)...) + " there.\n{% endif %}\n")
		}
		files[path+".md"] = &fstest.MapFile{Data: []byte(text.String()), Mode: 0o644}
		summary += strings.Repeat("  ", depth) + "* [Page " + title + "](" + path + ".md)\n"
		for range m.r.IntN(3 - depth) {
			page(path+"/", depth+1, all)
		}
	}
	for range 2 + m.r.IntN(3) {
		page("", 0, nil)
	}
	files["SUMMARY.md"] = &fstest.MapFile{Data: []byte(summary), Mode: 0o644}
	m.w.must("admin", "POST", "/orgs/$org/spaces", `{"title":"Space","empty":true,"editMode":"live"}`, "space")
	m.w.importFolder(m.w.vars["space"], files)
	return m.w.vars["space"], places
}

// site makes a published site of random sections and variants.
func (m *visibilityModel) site() {
	w := m.w
	w.must("admin", "POST", "/orgs/$org/sites", `{"title":"Site"}`, "site")
	sectioned := m.r.IntN(3) > 0
	var spaces []string
	var places []*[][]condition
	for range 2 + m.r.IntN(3) {
		id, at := m.space()
		spaces, places = append(spaces, id), append(places, at)
	}
	put := func(path string, on condition) {
		if on.source != "" {
			text, _ := json.Marshal(map[string]string{"condition": on.source})
			w.must("admin", "PATCH", "/orgs/$org/sites/$site/"+path, string(text))
		}
	}
	for i, id := range spaces {
		section := condition{holds: func(claims) bool { return true }}
		if sectioned {
			section = m.condition()
			a := w.must("admin", "POST", "/orgs/$org/sites/$site/sections", `{"spaceId":"`+id+`","title":"Section"}`, "section")
			first, _ := a.json().(map[string]any)["siteSpaces"].([]any)
			w.vars["item"], _ = first[0].(map[string]any)["id"].(string)
			put("sections/$section", section)
		} else {
			w.must("admin", "POST", "/orgs/$org/sites/$site/site-spaces", `{"spaceId":"`+id+`"}`, "item")
		}
		own := m.condition()
		put("site-spaces/$item", own)
		*places[i] = append(*places[i], []condition{section, own})
		if again := m.r.IntN(len(spaces)); sectioned && again < i { // another space as a variant
			w.must("admin", "POST", "/orgs/$org/sites/$site/site-spaces", `{"spaceId":"`+spaces[again]+`","sectionId":"$section"}`, "item")
			own := m.condition()
			put("site-spaces/$item", own)
			*places[again] = append(*places[again], []condition{section, own})
		}
	}
	w.must("admin", "PUT", "/orgs/$org/sites/$site/adaptive-schema", `{"jsonSchema":{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","additionalProperties":false,"properties":{
		"unsigned":{"type":"object","description":"Unsigned claims of the site visitor.","additionalProperties":false,"properties":{
			"a":{"type":"boolean","description":"A."},"b":{"type":"boolean","description":"B."}}}}}}`)
	w.must("admin", "PATCH", "/orgs/$org/sites/$site", `{"adaptiveContent":{"enabled":true}}`)
	w.must("admin", "POST", "/orgs/$org/sites/$site/publish", "")
}

// read returns all that a visitor can read, and what searches found by word.
func (m *visibilityModel) read(c claims) (all string, found map[string]bool) {
	w := m.w
	text, _ := json.Marshal(c)
	home := "http://" + w.srv.Addr() + "/s/" + w.vars["site"] + "/"
	arrive := func(url string) answer {
		return w.call("nobody", "POST", "/urls/published", `{"url":"`+url+`","visitor":{"unsignedClaims":`+string(text)+`}}`)
	}
	a := arrive(home)
	if to, ok := a.json().(map[string]any)["redirect"].(string); ok { // the default is not for this visitor
		a = arrive(to)
	}
	found = map[string]bool{}
	if a.status == 404 {
		return "", found // the visitor sees no site space at all
	}
	token, _ := a.json().(map[string]any)["apiToken"].(string)
	auth := "Authorization: Bearer " + token
	var out strings.Builder
	get := func(path string) answer {
		a := w.call("nobody", "GET", w.expand(path), "", auth)
		out.Write(a.body)
		return a
	}
	var site struct {
		Structure struct {
			Structure []json.RawMessage
		}
	}
	if err := json.Unmarshal(get("/orgs/$org/sites/$site/published").body, &site); err != nil {
		w.t.Fatal(err)
	}
	get("/orgs/$org/sites/$site/structure")
	for _, space := range spacesIn(w.t, site.Structure.Structure) {
		var rev struct {
			ID    string
			Pages []visitedPage
		}
		if err := json.Unmarshal(get("/spaces/"+space+"/content").body, &rev); err != nil || rev.ID == "" {
			w.t.Fatalf("%s: %v", space, err)
		}
		for _, p := range flatten(rev.Pages) {
			get("/spaces/" + space + "/revisions/" + rev.ID + "/page/" + p.ID + "/document?evaluated=deterministic-only&dereferenced=reusable-contents")
			get("/spaces/" + space + "/revisions/" + rev.ID + "/page/" + p.ID + "?format=markdown")
			get("/spaces/" + space + "/content/page/" + p.ID + "?evaluated=false")
		}
	}
	for _, v := range m.words {
		a := w.call("nobody", "POST", w.expand("/orgs/$org/sites/$site/search"), `{"query":"`+v.text+`","mode":"all"}`, auth)
		if a.status != 200 {
			w.t.Fatalf("search: %d %s", a.status, a.body)
		}
		found[v.text] = strings.Contains(string(a.body), v.text)
		ask := w.call("nobody", "POST", w.expand("/orgs/$org/sites/$site/ask"), `{"question":"`+v.text+`","scope":{"mode":"all"}}`, auth)
		if strings.Contains(string(ask.body), v.text) != found[v.text] {
			w.t.Errorf("search and ask differ about %s: %s", v.text, ask.body)
		}
		out.Write(a.body)
		out.Write(ask.body)
	}
	return out.String(), found
}

type visitedPage struct {
	ID, Type string
	Pages    []visitedPage
}

func flatten(pages []visitedPage) (out []visitedPage) {
	for _, p := range pages {
		if p.Type == "document" {
			out = append(out, p)
		}
		out = append(out, flatten(p.Pages)...)
	}
	return out
}

// spacesIn returns the spaces of a structure.
func spacesIn(t *testing.T, items []json.RawMessage) (out []string) {
	t.Helper()
	for _, raw := range items {
		var it struct {
			Space      *struct{ ID string }
			SiteSpaces []json.RawMessage
			Children   []json.RawMessage
		}
		if err := json.Unmarshal(raw, &it); err != nil {
			t.Fatal(err)
		}
		if it.Space != nil {
			out = append(out, it.Space.ID)
		}
		out = append(out, spacesIn(t, it.SiteSpaces)...)
		out = append(out, spacesIn(t, it.Children)...)
	}
	return out
}

func TestVisitorsSeeExactlyWhatConditionsAllow(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o, nil)
		for seed := range uint64(4) {
			m := &visibilityModel{w: w, r: rand.New(rand.NewPCG(seed, 1))}
			m.site()
			for _, c := range []claims{{}, {"a": true}, {"b": true}, {"a": true, "b": true}, {"a": false, "b": true}} {
				m.check(seed, c)
			}
		}
	})
}

func (m *visibilityModel) check(seed uint64, c claims) {
	m.w.t.Helper()
	all, found := m.read(c)
	for _, v := range m.words {
		want := v.seen(c)
		if got := strings.Contains(all, v.text); got != want {
			m.w.t.Errorf("seed %d, claims %v: %s is seen: %t, want %t", seed, c, v.text, got, want)
		}
		if found[v.text] != want {
			m.w.t.Errorf("seed %d, claims %v: %s is found: %t, want %t", seed, c, v.text, found[v.text], want)
		}
	}
}
