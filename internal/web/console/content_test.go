package console_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// shows opens a page and checks that it contains texts.
func (b *browser) shows(path string, want ...string) shown {
	b.t.Helper()
	got := b.get(path)
	if got.status != http.StatusOK {
		b.t.Fatalf("%s: %d\n%s", path, got.status, got.text)
	}
	for _, text := range want {
		if !strings.Contains(got.text, text) {
			b.t.Errorf("%s has no %q:\n%s", path, text, got.text)
		}
	}
	return got
}

func (w *world) app(v map[string]any) string {
	w.t.Helper()
	return strings.TrimPrefix(v["urls"].(map[string]any)["app"].(string), w.srv.URL())
}

// Every `urls.app` is the URL of a page for users who may see the resource. Others get no page.
func TestContentPages(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		collection := w.api("POST", "/orgs/$org/collections", map[string]any{"title": "Guides"})
		space := w.api("POST", "/orgs/$org/spaces", map[string]any{"title": "Hand<book", "editMode": "live", "empty": true, "parent": collection["id"]})
		inner := w.api("POST", "/orgs/$org/collections", map[string]any{"title": "Recipes", "parent": collection["id"]})
		site := w.api("POST", "/orgs/$org/sites", map[string]any{"title": "Docs"})
		id := space["id"].(string)
		change := func(path string, changes ...map[string]any) {
			t.Helper()
			w.api("POST", path, map[string]any{"changes": changes})
		}
		page := func(title, text string) map[string]any {
			return map[string]any{"operation": "insert_page", "title": title, "document": map[string]any{"markdown": text}}
		}
		change("/spaces/"+id+"/content", page("Install", "Unpack it.\n\nThen **run** it.\n"), page("Use", "See [the start](install.md).\n"))
		request := w.api("POST", "/spaces/"+id+"/change-requests", map[string]any{"subject": "Say more"})
		number := "/spaces/" + id + "/change-requests/" + request["id"].(string)
		w.api("PATCH", number, map[string]any{"status": "open", "description": map[string]any{"object": "document", "data": map[string]any{}, "nodes": []any{
			map[string]any{"object": "block", "type": "paragraph", "data": map[string]any{}, "nodes": []any{
				map[string]any{"object": "text", "leaves": []any{map[string]any{"object": "leaf", "text": "people ask", "marks": []any{map[string]any{"object": "mark", "type": "italic", "data": map[string]any{}}}}}},
			}},
		}}})
		change(number+"/content", page("Upgrade", "New words.\n"))
		comment := w.api("POST", number+"/comments", map[string]any{"body": map[string]any{"markdown": "Which `version`, [you](/users/" + string(w.boot.User) + " \"mention\")?"}})
		w.api("POST", "/orgs/$org/openapi", map[string]any{"slug": "pets", "source": map[string]any{"text": "openapi: 3.0.0\ninfo: {title: Pets, version: '1'}\npaths: {}\n"}})

		org := "/o/" + string(w.boot.Organization)
		b := w.browser()
		if got := b.get(w.app(request)); got.path != "/login?next="+strings.NewReplacer("/", "%2F", "~", "~").Replace(w.app(request)) {
			t.Errorf("without a session: %d %s", got.status, got.path)
		}
		b.post("/login", nil, "email", "ada@octavo.example", "next", w.app(request))
		if got := b.open(w.await("ada@octavo.example", 0)); got.path != w.app(request) || got.status != 200 {
			t.Fatalf("after signing in: %d %s", got.status, got.path)
		}
		b.shows("/account", `href="`+org+`"`)
		b.shows(org, "Acme", `href="`+w.app(collection)+`"`, "Hand&lt;book", "Docs", "Say more", "pets")
		b.shows(w.app(collection), "Guides", `href="`+w.app(inner)+`"`, "Hand&lt;book")
		b.shows(w.app(site), "Docs", "not published yet")
		b.shows(w.app(space), "Install", "<strong>run</strong>", `aria-current="page"`, "Say more")
		b.shows(w.app(space)+"/use", `href="`+w.app(space)+`/install"`)
		b.shows(w.app(request), "Say more", "<em>people ask</em>", "Upgrade", "diff-added", "New words", "<code>version</code>", `<span class="mention">ada</span>`, `id="c-`+comment["id"].(string)+`"`, "added")
		revisions := w.api("GET", "/spaces/"+id+"/revisions", nil)["items"].([]any)
		b.shows(w.app(revisions[0].(map[string]any)), "Install", "earlier revision")
		b.shows(org+"/openapi/pets", "pets", "Versions")
		for _, path := range []string{w.app(space) + "/nowhere", org + "/s/absent", "/o/absent", org + "/openapi/absent", org + "/conversations/absent", w.app(space) + "/~/changes/99", w.app(space) + "/~/revisions/absent", strings.Replace(w.app(space), org, "/o/other", 1)} {
			if got := b.get(path); got.status != http.StatusNotFound || !strings.Contains(got.text, `href="/account"`) || strings.Contains(got.text, `href="/login"`) {
				t.Errorf("%s: %d\n%s", path, got.status, got.text)
			}
		}
		if _, err := w.srv.Orgs.Operator.Bootstrap(t.Context(), "mallory@octavo.example", "Other", "test"); err != nil {
			t.Fatal(err)
		}
		stranger := w.browser()
		w.signIn(stranger, "mallory@octavo.example")
		for _, path := range []string{org, w.app(collection), w.app(site), w.app(space), w.app(space) + "/use", w.app(request), org + "/openapi/pets", w.app(revisions[0].(map[string]any))} {
			if got := stranger.get(path); got.status != http.StatusNotFound || strings.Contains(got.text, "Hand") {
				t.Errorf("%s for a stranger: %d", path, got.status)
			}
		}
	})
}

// A space without pages has a page. A space in the trash has none.
func TestAnEmptySpace(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t))
	space := w.api("POST", "/orgs/$org/spaces", map[string]any{"title": "Bare", "empty": true})
	b := w.browser()
	w.signIn(b, "ada@octavo.example")
	b.shows(w.app(space), "Bare", "no pages yet")
	w.api("DELETE", "/spaces/"+space["id"].(string), nil)
	if got := b.get(w.app(space)); got.status != http.StatusNotFound {
		t.Errorf("in the trash: %d", got.status)
	}
}

// Groups are headings in the table of contents and have no page. Reviews are shown as sentences.
func TestContentsAndReviews(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t))
	space := w.api("POST", "/orgs/$org/spaces", map[string]any{"title": "Handbook", "editMode": "live", "empty": true})
	id := space["id"].(string)
	page := func(title, text string) map[string]any {
		return map[string]any{"operation": "insert_page", "title": title, "document": map[string]any{"markdown": text}}
	}
	change := func(path string, c map[string]any) {
		w.api("POST", path, map[string]any{"changes": []any{c}})
	}
	change("/spaces/"+id+"/content", page("Ports", "One.\n"))
	pages := w.api("GET", "/spaces/"+id+"/content/pages", nil)["pages"].([]any)
	ports := pages[0].(map[string]any)["id"]
	request := w.api("POST", "/spaces/"+id+"/change-requests", map[string]any{"subject": "Ports"})
	number := "/spaces/" + id + "/change-requests/" + request["id"].(string)
	write := func(path, text string) {
		change(path+"/content", map[string]any{"operation": "update_page", "page": ports, "document": map[string]any{"markdown": text}})
	}
	write(number, "Two.\n")
	write("/spaces/"+id, "Three.\n")
	w.api("POST", number+"/update", nil)
	w.api("PATCH", number, map[string]any{"status": "open"})
	w.api("POST", number+"/reviews", map[string]any{"status": "changes-requested"})
	b := w.browser()
	w.signIn(b, "ada@octavo.example")
	b.shows(w.app(request), "1 conflict with the space", "asks for changes")
	b.shows(w.app(space), `href="#pages"`, `id="pages"`)
	guided := w.api("POST", "/orgs/$org/spaces", map[string]any{"title": "Product", "template": map[string]any{"id": "product-docs"}})
	b.shows(w.app(guided), `<span class="group">Guides</span>`)
}

// A page lists at most 200 collections, also if the first of them are elsewhere.
func TestCollectionsOnAPageAreBounded(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t))
	top := w.api("POST", "/orgs/$org/collections", map[string]any{"title": "Top"})
	for i := range 204 {
		w.api("POST", "/orgs/$org/collections", map[string]any{"title": fmt.Sprint("Inner ", i), "parent": top["id"]})
	}
	b := w.browser()
	w.signIn(b, "ada@octavo.example")
	if n := strings.Count(b.get(w.app(top)).text, ">Inner "); n != 200 {
		t.Errorf("%d collections", n)
	}
}
