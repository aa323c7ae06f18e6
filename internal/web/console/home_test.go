package console_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// home returns the page of the server for a browser, or the text for a program.
func (b *browser) home(accept string) shown {
	b.t.Helper()
	req, err := http.NewRequest(http.MethodGet, b.at("/"), nil)
	if err != nil {
		b.t.Fatal(err)
	}
	req.Header.Set("Accept", accept)
	return b.do(req)
}

const asBrowser = "text/html,application/xhtml+xml,*/*;q=0.8"

// The page at the root URL says what the server is. Programs get text.
func TestAddressOfTheServer(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t))
	b := w.browser()
	if got := b.home("*/*"); got.status != 200 || got.path != "/" || !strings.HasPrefix(got.text, "Octavo test\nAPI reference: "+w.srv.URL()+"/v1/reference\n") || !strings.HasPrefix(got.header.Get("Content-Type"), "text/plain") {
		t.Errorf("for a program: %d %s %v\n%s", got.status, got.path, got.header, got.text)
	}
	got := b.home(asBrowser)
	for _, want := range []string{"<h1>", `href="/login"`, `href="/v1/reference"`} {
		if got.status != 200 || got.path != "/" || !strings.Contains(got.text, want) {
			t.Errorf("no %s: %d %s\n%s", want, got.status, got.path, got.text)
		}
	}
	w.signIn(b, "ada@octavo.example")
	if got := b.home(asBrowser); !strings.Contains(got.text, "Your account") || !strings.Contains(got.text, "Sign out") || strings.Contains(got.text, "/login") {
		t.Errorf("signed in:\n%s", got.text)
	}
}

// Only sites that anybody may find and read are listed on the page of the server.
func TestPublicSitesAreListed(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		space := w.api("POST", "/orgs/$org/spaces", map[string]any{"title": "Handbook", "empty": true})
		add := func(title, visibility string, published bool, condition string) string {
			t.Helper()
			site := w.api("POST", "/orgs/$org/sites", map[string]any{"title": title, "visibility": visibility})
			path := "/orgs/$org/sites/" + site["id"].(string)
			w.api("POST", path+"/site-spaces", map[string]any{"spaceId": space["id"], "condition": condition})
			if published {
				w.api("POST", path+"/publish", map[string]any{})
			}
			return path
		}
		add("The guide <1>", "public", true, "")
		add("Hidden draft", "public", false, "")
		add("Hidden link", "share-link", true, "")
		add("Hidden list", "unlisted", true, "")
		add("Hidden people", "visitor-auth", true, "")
		empty := w.api("POST", "/orgs/$org/spaces", map[string]any{"title": "Gone", "empty": true})
		add("Hidden beta", "public", true, "visitor.claims.beta == true")
		gone := add("Hidden later", "public", true, "")
		trashed := w.api("POST", "/orgs/$org/sites", map[string]any{"title": "Hidden trash", "visibility": "public"})["id"].(string)
		w.api("POST", "/orgs/$org/sites/"+trashed+"/site-spaces", map[string]any{"spaceId": empty["id"]})
		w.api("POST", "/orgs/$org/sites/"+trashed+"/publish", map[string]any{})
		w.api("DELETE", "/spaces/"+empty["id"].(string), nil)
		b := w.browser()
		if got := b.home(asBrowser); !strings.Contains(got.text, "Hidden later") || strings.Count(got.text, "Hidden") != 1 || !strings.Contains(got.text, "<strong dir=\"auto\">The guide &lt;1&gt;</strong>") || !strings.Contains(got.text, w.srv.URL()+"/s/") {
			t.Errorf("\n%s", got.text)
		}
		w.api("POST", gone+"/unpublish", map[string]any{})
		if got := b.home(asBrowser); strings.Contains(got.text, "Hidden") {
			t.Errorf("not published any more:\n%s", got.text)
		}
		for i := range 51 {
			add(fmt.Sprint("Another ", i), "public", true, "")
		}
		if got := b.home(asBrowser); strings.Count(got.text, "<li>") != 50 || !strings.Contains(got.text, "only the oldest ones are listed") {
			t.Errorf("%d sites are listed", strings.Count(got.text, "<li>"))
		}
		if err := w.srv.Orgs.Operator.DeleteOrganization(t.Context(), w.boot.Organization); err != nil {
			t.Fatal(err)
		}
		if got := b.home(asBrowser); strings.Contains(got.text, "Another") {
			t.Errorf("the organization is deleted:\n%s", got.text)
		}
	})
}
