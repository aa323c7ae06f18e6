package publish_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/octavo-docs/octavo/internal/budget/costly"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/site/publish/export"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// referenced is a space whose pages are computed from the specification pets.
var referenced = map[string]string{
	"SUMMARY.md": "* [Home](README.md)\n* ```yaml\n  type: builtin:openapi\n  props:\n    models: true\n    downloadLink: true\n    grouping: GROUPING\n  dependencies:\n    spec:\n      ref:\n        kind: openapi\n        spec: pets\n  ```\n* [Last](last.md)\n",
	"README.md":  "# Home\n\nWelcome.\n",
	"last.md":    "# Last\n\nThe end.\n",
	".gitbook/includes/openapi/pets/listPets.md": "# List pets\n\nWhat we know about lists.\n",
	".gitbook/includes/openapi/pets/gone.md":     "# Gone\n\nOf an operation that was there once.\n",
}

func (w *world) refer(space docs.SpaceID, grouping string) {
	w.Helper()
	files := map[string]string{}
	for name, text := range referenced {
		files[name] = strings.Replace(text, "GROUPING", grouping, 1)
	}
	w.imported(space, files)
}

// petAPI returns a description with some operations. The argument words is the summary of
// the first one.
func petAPI(words string) string {
	var b strings.Builder
	b.WriteString(`{"openapi": "3.1.0", "info": {"title": "Pets", "version": "1"}, "tags": [{"name": "pets", "x-page-title": "All pets", "description": "About *pets*."}, {"name": "owners", "parent": "pets"}],
"components": {"schemas": {"Pet": {"type": "object", "properties": {"nickname": {"type": "string"}}}}}, "paths": {`)
	fmt.Fprintf(&b, `"/pets": {"get": {"operationId": "listPets", "summary": %q, "tags": ["pets"], "responses": {"200": {"description": "Pets"}}}}`, words)
	for _, id := range []string{"buyPet", "feedPet", "sellPet"} {
		fmt.Fprintf(&b, `, "/%s": {"post": {"operationId": %q, "summary": "Now %s", "tags": ["owners"], "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}}}, "responses": {"200": {"description": "OK"}}}}`, id, id, id)
	}
	return b.String() + "}}"
}

// Computed pages follow the newest version of their specification in all outputs: the site,
// Markdown, lists of pages, exports and books. A change of one operation renders the text of
// one page.
func TestComputedPages(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorldIn(t, o)
		w.acme()
		space, _ := w.titled("v2")
		w.refer(space.ID, "by-operation")
		if _, page := w.get(root); strings.Contains(page, "All pets") {
			t.Error("there are pages before there is a specification")
		}
		w.specify(petAPI("List all pets"))
		at := []string{"pets", "pets/listpets", "pets/owners", "pets/owners/buypet", "pets/owners/feedpet", "pets/owners/sellpet", "models", "last", ""}
		all := func() map[string]string {
			t.Helper()
			out := map[string]string{}
			for _, name := range at {
				r, page := w.get(root + name)
				if r.StatusCode != http.StatusOK {
					t.Errorf("%s is %d", name, r.StatusCode)
				}
				out[name] = page
			}
			return out
		}
		pages := all()
		for name, want := range map[string][]string{
			"pets":               {"About <em>pets</em>."},
			"pets/listpets":      {"<h1", "List all pets", "What we know about lists.", "curl"},
			"pets/owners/buypet": {"Now buyPet", "nickname", `href="/pets">`},
			"models":             {"nickname"},
			"":                   {"All pets", "/pets/owners/sellpet", "/models", `<span class="method api-get">GET</span> List all pets</a>`, `<span class="method api-post">POST</span> Now buyPet</a>`},
		} {
			for _, text := range want {
				if !strings.Contains(pages[name], text) {
					t.Errorf("%q is missing in %s: %s", text, name, pages[name])
				}
			}
		}
		if page := pages["pets/owners/buypet"]; strings.Count(page, ">Now buyPet</h") != 1 || !strings.Contains(page, `id="post-buypet"`) {
			t.Errorf("the title is shown %d times, or the operation has no anchor: %s", strings.Count(page, ">Now buyPet</h"), page)
		}
		if first, rest, _ := strings.Cut(pages[""], "All pets"); strings.Contains(first, ">Last<") || !strings.Contains(rest, ">Last<") {
			t.Error("computed pages are not where they were asked for")
		}
		if _, text := w.get(root + "pets/owners/buypet.md"); !strings.Contains(text, "`POST /buyPet`") || !strings.Contains(text, "`nickname`") {
			t.Errorf("the Markdown is %s", text)
		}
		for query, want := range map[string]string{"nickname": "/pets/owners/buypet", "/feedPet": "/pets/owners/feedpet", "sellpet": "/pets/owners/sellpet", "list+pets": "/pets/listpets"} {
			if _, found := w.get(root + "~octavo/found?q=" + query); !strings.Contains(found, want+`"`) {
				t.Errorf("%s finds %s", query, found)
			}
		}
		if _, text := w.get(root + "sitemap-pages.xml"); !strings.Contains(text, "pets/owners/buypet") {
			t.Errorf("the sitemap is %s", text)
		}
		made := w.handler.Rendered()
		w.specify(petAPI("List some pets"))
		pages = all()
		if !strings.Contains(pages["pets/listpets"], "List some pets") || !strings.Contains(pages[""], "List some pets") {
			t.Error("the page or the navigation does not follow the specification")
		}
		if now := w.handler.Rendered(); now != made+1 {
			t.Errorf("%d texts were made for one operation", now-made)
		}
		view, err := w.content.Source.Head(t.Context(), w.spaceNow(space.ID))
		must(t, err)
		orphans, err := w.content.OrphanedProse(t.Context(), view)
		must(t, err)
		if len(orphans) != 1 || orphans[0].Spec != "pets" || orphans[0].Operation != "gone" {
			t.Errorf("orphans are %+v", orphans)
		}
		files, _ := w.exported("")
		if !strings.Contains(files["pets/owners/feedpet/index.html"], "Now feedPet") {
			t.Error("the page is not exported")
		}
		var book bytes.Buffer
		must(t, export.EPUB(t.Context(), w.handler.Pages, export.Book{ID: "b", Title: "B", Spaces: []export.BookSpace{{Space: space.ID}}}, &book))
		w.refer(space.ID, "by-tag")
		if r, page := w.get(root + "pets/owners"); r.StatusCode != http.StatusOK || !strings.Contains(page, "Now buyPet") || !strings.Contains(page, "Now sellPet") {
			t.Errorf("the page of a tag is %d: %s", r.StatusCode, page)
		}
		if r, _ := w.get(root + "pets/owners/buypet"); r.StatusCode != http.StatusNotFound {
			t.Errorf("the page of an operation is %d", r.StatusCode)
		}
	})
}

// A change of one operation out of 1,000 renders and indexes the text of one page.
func TestOneOperationOfAThousand(t *testing.T) {
	w := newWorld(t)
	w.acme()
	space, _ := w.titled("v2")
	w.refer(space.ID, "by-operation")
	const operations = 1000
	specify := func(words string) {
		var b strings.Builder
		b.WriteString(`{"openapi": "3.1.0", "info": {"title": "Large", "version": "1"}, "paths": {`)
		for i := range operations {
			summary := fmt.Sprintf("Operation %d", i)
			if i == 500 {
				summary = words
			}
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, `"/things/%d": {"get": {"operationId": "op%d", "summary": %q, "tags": ["things"], "responses": {"200": {"description": "OK"}}}}`, i, i, summary)
		}
		w.specify(b.String() + "}}")
	}
	var analysed atomic.Int64
	end := costly.Observe(func(kind string) {
		if kind == costly.Analyse {
			analysed.Add(1)
		}
	})
	defer end()
	read := func(want string) (texts, words int64) {
		t.Helper()
		before, analysedBefore := w.handler.Rendered(), analysed.Load()
		for i := range operations {
			r, page := w.get(fmt.Sprintf("%sthings/op%d", root, i))
			if r.StatusCode != http.StatusOK || i == 500 && !strings.Contains(page, want) {
				t.Fatalf("operation %d: %d", i, r.StatusCode)
			}
		}
		if _, found := w.get(root + "~octavo/found?q=" + want); !strings.Contains(found, "/things/op500") {
			t.Errorf("%s finds %s", want, found)
		}
		return w.handler.Rendered() - before, analysed.Load() - analysedBefore
	}
	specify("Polish")
	if texts, words := read("Polish"); texts != operations || words != operations {
		t.Errorf("%d texts and the words of %d operations were made", texts, words)
	}
	specify("Varnish")
	if texts, words := read("Varnish"); texts != 1 || words != 1 {
		t.Errorf("one operation changed: %d texts and the words of %d operations were made", texts, words)
	}
}

// A search finds the operations of all sections that it searches, and computed pages by
// their titles.
func TestOperationsOfOtherSections(t *testing.T) {
	w := newWorld(t)
	w.acme()
	api, _ := w.titled("API")
	w.refer(api.ID, "by-tag")
	w.specify(petAPI("List all pets"))
	for query, want := range map[string]string{
		"sellpet":    `{"title":["owners"],"heading":["Now ","sellPet"],"method":"POST","where":"API › All pets","text":["/","sellPet"],"href":"/api/pets/owners#now-sellpet"}`,
		"about+pets": `{"title":["All ","pets"],"where":"API","href":"/api/pets"}`,
	} {
		if _, found := w.get(root + "~octavo/found?q=" + query); !strings.Contains(found, want) {
			t.Errorf("%s finds %s", query, found)
		}
		if _, found := w.get(root + "~octavo/found?in=section&q=" + query); strings.Contains(found, want) {
			t.Errorf("in another section, %s finds %s", query, found)
		}
	}
}

// A space that includes the same computed pages many times has a bounded number of them, so
// that they fit into the cache.
func TestComputedPagesAreBounded(t *testing.T) {
	w := newWorld(t)
	w.acme()
	space, _ := w.titled("v2")
	ask := strings.Replace(referenced["SUMMARY.md"][strings.Index(referenced["SUMMARY.md"], "* ```"):strings.Index(referenced["SUMMARY.md"], "* [Last]")], "GROUPING", "by-operation", 1)
	w.imported(space.ID, map[string]string{"SUMMARY.md": "* [Home](README.md)\n" + strings.Repeat(ask, 4), "README.md": "# Home\n"})
	var b strings.Builder
	b.WriteString(`{"openapi": "3.1.0", "info": {"title": "Pets", "version": "1"}, "paths": {"/last": {"get": {"operationId": "last", "responses": {"200": {"description": "OK"}}}}`)
	for i := range 4900 {
		fmt.Fprintf(&b, `, "/p%d": {"get": {"operationId": "p%d", "responses": {"200": {"description": "OK"}}}}`, i, i)
	}
	w.specify(b.String() + "}}")
	_, list := w.get(root + "sitemap.xml")
	if n := strings.Count(list, "<loc>"); n < 3*4900 || n > 15_100 {
		t.Errorf("the site lists %d pages", n)
	}
	if _, found := w.get(root + "~octavo/found?q=p4899"); !strings.Contains(found, "/p4899") {
		t.Errorf("the view was not kept: %s", found)
	}
}

func (w *world) spaceNow(id docs.SpaceID) docs.Space {
	w.Helper()
	sp, err := w.sites.Store.Space(w.Context(), id)
	must(w.T, err)
	return sp.It
}
