package api_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
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
	kind   wordKind
	all    []condition
	places *[][]condition
}

// wordKind says where a word is.
type wordKind uint8

const (
	inText  wordKind = iota // of a page or of what it includes: shown, and found by searches
	inFile                  // name of a file that a page uses: shown, not searched
	inName                  // of what need not be shown: a reusable content, the target of a redirect
	inDraft                 // of a page in a change request: shown there, and nowhere else
	inGroup                 // title of a group: shown with any of its pages
)

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

	included  map[string][]string // reusable contents by space
	pages     map[string][]string // pages by space, whoever sees them
	titles    map[string]word     // those of pages with conditions, by the word in their title
	shown     map[string]word     // the same by id
	met       map[string]bool     // where some word was seen
	redirects int                 // their sources are /old-N
	led       int                 // how many were followed
}

func (m *visibilityModel) condition() condition { return conditions[m.r.IntN(len(conditions))] }

// word returns a new word.
func (m *visibilityModel) word(kind wordKind, places *[][]condition, all ...condition) string {
	text := fmt.Sprintf("qx%dzv%c", len(m.words), 'a'+rune(len(m.words)%26))
	m.words = append(m.words, word{text, kind, append([]condition(nil), all...), places})
	return text
}

// space makes a space of pages with conditions, some below others, and returns
// its id and its places, which are not known yet.
func (m *visibilityModel) space() (string, *[][]condition) {
	places := &[][]condition{}
	files := fstest.MapFS{}
	summary := "# Table of contents\n\n* [Home](README.md)\n"
	files["README.md"] = &fstest.MapFile{Data: []byte("# Home " + m.word(inText, places) + "\n"), Mode: 0o644}
	var paths []string
	var page func(dir string, depth int, above []condition)
	page = func(dir string, depth int, above []condition) {
		on := m.condition()
		all := append(append([]condition(nil), above...), on)
		var text strings.Builder
		if on.source != "" {
			text.WriteString("---\nif: " + on.source + "\n---\n\n")
		}
		title := m.word(inText, places, all...)
		m.titles["Page "+title] = m.words[len(m.words)-1]
		path := dir + title
		text.WriteString("# Page " + title + "\n\nText " + m.word(inText, places, all...) + " here.\n")
		for _, other := range paths { // a link must not name a page that is not seen
			from := strings.Repeat("../", strings.Count(path, "/"))
			text.WriteString("\n[Other](" + from + other + ".md), [there](/" + other + "#a)\n\n{% content-ref url=\"" + from + other + ".md\" %}\n[" + other + ".md](" + from + other + ".md)\n{% endcontent-ref %}\n")
		}
		paths = append(paths, path)
		text.WriteString(m.parts(files, path, places, all))
		if block := m.condition(); block.source != "" {
			inside := append(append([]condition(nil), all...), block)
			text.WriteString("\n{% if " + block.source + " %}\nBlock " + m.word(inText, places, inside...) + " there.\n" + m.parts(files, path, places, inside) + "\n{% endif %}\n")
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
	for range 2 { // a group is there for whoever sees one of its pages
		var some [][]condition
		title := m.word(inGroup, places, condition{holds: func(c claims) bool {
			return slices.ContainsFunc(some, func(all []condition) bool {
				return !slices.ContainsFunc(all, func(on condition) bool { return !on.holds(c) })
			})
		}})
		summary += "\n## Group " + title + "\n\n"
		for range m.r.IntN(3) {
			first := len(m.words)
			page("", 0, nil)
			some = append(some, m.words[first].all)
		}
	}
	files["SUMMARY.md"] = &fstest.MapFile{Data: []byte(summary), Mode: 0o644}
	m.w.must("admin", "POST", "/orgs/$org/spaces", `{"title":"Space","empty":true,"editMode":"live"}`, "space")
	m.w.importFolder(m.w.vars["space"], files)
	m.known(m.w.vars["space"])
	return m.w.vars["space"], places
}

// known notes what there is in a space.
func (m *visibilityModel) known(space string) {
	var rev struct {
		Pages            []visitedPage
		ReusableContents []struct{ ID string }
	}
	if err := json.Unmarshal(m.w.must("admin", "GET", "/spaces/"+space+"/content", "").body, &rev); err != nil || len(rev.ReusableContents) == 0 {
		m.w.t.Fatalf("%d reusable contents: %v", len(rev.ReusableContents), err)
	}
	for _, it := range rev.ReusableContents {
		m.included[space] = append(m.included[space], it.ID)
	}
	var changes []string
	for _, p := range flatten(rev.Pages) {
		m.pages[space] = append(m.pages[space], p.ID)
		if v, ok := m.titles[p.Title]; ok {
			m.shown[p.ID] = v
			changes = append(changes, fmt.Sprintf(`{"operation":"update_page","page":%q,"document":{"markdown":"Drafted %s."}}`, p.ID, m.word(inDraft, v.places, v.all...)))
		}
	}
	m.w.must("admin", "POST", "/spaces/"+space+"/change-requests", `{"subject":"Draft"}`, "request")
	m.w.must("admin", "POST", "/spaces/"+space+"/change-requests/$request/content", `{"changes":[`+strings.Join(changes, ",")+`]}`)
}

// redirectTo makes a redirect to each page of a space.
func (m *visibilityModel) redirectTo(item, space string) {
	for _, id := range m.pages[space] {
		m.w.must("admin", "POST", "/orgs/$org/sites/$site/redirects", fmt.Sprintf(
			`{"source":"/old-%d","destination":{"kind":"site-page","siteSpaceId":%q,"pageId":%q}}`, m.redirects, item, id))
		m.redirects++
	}
}

// parts returns Markdown that uses a file and a reusable content of its own, which
// exist for whoever sees the place.
func (m *visibilityModel) parts(files fstest.MapFS, path string, places *[][]condition, all []condition) string {
	up := strings.Repeat("../", strings.Count(path, "/"))
	image, include := m.word(inFile, places, all...), m.word(inName, places, all...)
	files[".gitbook/assets/"+image+".png"] = &fstest.MapFile{Data: tinyPNG(len(m.words)), Mode: 0o644}
	files[".gitbook/includes/"+include+".md"] = &fstest.MapFile{Data: []byte("Included " + m.word(inText, places, all...) + " text.\n"), Mode: 0o644}
	news := "\n{% updates format=\"full\" %}\n{% update date=\"2026-01-02\" %}\n## News " + m.word(inText, places, all...) + "\n\nNew.\n{% endupdate %}\n{% endupdates %}\n"
	return news + "\n![](" + up + ".gitbook/assets/" + image + ".png)\n\n{% include \"" + up + ".gitbook/includes/" + include + ".md\" %}\n"
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
		m.redirectTo(w.vars["item"], id)
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
	w.must("admin", "PUT", "/orgs/$org/sites/$site/customization", `{"pageActions":{"items":["markdown","mcp","pdf"]}}`)
	w.must("admin", "POST", "/orgs/$org/sites/$site/publish", "")
}

// read returns all that a visitor can read through the API and on the web pages,
// and what searches found by word.
func (m *visibilityModel) read(c claims) (all string, web browsed, found map[string]bool) {
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
		return "", m.browse(home, string(text)), found // the visitor sees no site space at all
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
		get("/spaces/" + space + "/content/files")
		get("/spaces/" + space + "/revisions/" + rev.ID + "/files")
		for _, id := range m.included[space] { // known to somebody who saw it once
			get("/spaces/" + space + "/content/reusable-contents/" + id)
			get("/spaces/" + space + "/revisions/" + rev.ID + "/reusable-contents/" + id + "/document")
		}
		for _, p := range flatten(rev.Pages) {
			get("/spaces/" + space + "/revisions/" + rev.ID + "/page/" + p.ID + "/meta-links")
			get("/spaces/" + space + "/revisions/" + rev.ID + "/page/" + p.ID + "/document?evaluated=deterministic-only&dereferenced=reusable-contents")
			get("/spaces/" + space + "/revisions/" + rev.ID + "/page/" + p.ID + "?format=markdown")
			get("/spaces/" + space + "/content/page/" + p.ID + "?evaluated=false")
		}
	}
	for i := range m.redirects {
		if get(fmt.Sprintf("/orgs/$org/sites/$site/redirect?source=/old-%d", i)).status == 200 {
			m.led++
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
	return out.String(), m.browse(home, string(text)), found
}

type visitedPage struct {
	ID, Type, Title string
	Pages           []visitedPage
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
		sites := uint64(3)
		if o.DatabaseURL != "" { // what differs between databases is the same for all sites
			sites = 1
		}
		for seed := range sites {
			m := &visibilityModel{
				w: w, r: rand.New(rand.NewPCG(seed, 1)),
				included: map[string][]string{}, pages: map[string][]string{}, titles: map[string]word{}, shown: map[string]word{}, met: map[string]bool{},
			}
			m.site()
			for _, c := range []claims{{}, {"a": true}, {"b": true}, {"a": true, "b": true}, {"a": false, "b": true}} {
				m.check(seed, c)
			}
			if len(m.met) < 4 || !m.met["in feeds"] || !m.met["in assistants"] {
				t.Errorf("seed %d: words were seen only %v", seed, m.met)
			}
			if m.led == 0 || m.led == 5*m.redirects {
				t.Errorf("seed %d: %d of %d redirects lead somewhere", seed, m.led, 5*m.redirects)
			}
		}
	})
}

func (m *visibilityModel) check(seed uint64, c claims) {
	m.w.t.Helper()
	all, web, found := m.read(c)
	wrong := func(v word, where string, got, want bool) {
		m.w.t.Helper()
		m.w.t.Errorf("seed %d, claims %v: %s is %s: %t, want %t", seed, c, v.text, where, got, want)
	}
	for _, v := range m.words {
		want := v.seen(c)
		if got := strings.Contains(web.drafts, v.text); got && !want || v.kind == inDraft && got != want {
			wrong(v, "in a draft", got, want)
		}
		if v.kind == inDraft {
			want = false
		}
		if got := strings.Contains(all, v.text); got != want && (got || v.kind != inName) {
			wrong(v, "seen", got, want)
		}
		for where, text := range map[string]string{"on the web pages": web.pages, "in the whole text": web.full, "in feeds": web.feeds, "in assistants": web.assistants, "on paper": web.paper} {
			got := strings.Contains(text, v.text)
			m.met[where] = m.met[where] || got
			if got && !want || !got && want && v.kind == inText && where == "on the web pages" {
				wrong(v, where, got, want)
			}
		}
		if v.kind == inText && found[v.text] != want {
			wrong(v, "found", found[v.text], want)
		}
	}
	for id, v := range m.shown {
		if want := v.seen(c); web.pictures[id] != want {
			wrong(v, "on a picture", web.pictures[id], want)
		}
	}
}
