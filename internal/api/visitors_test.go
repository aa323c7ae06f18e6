package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testdb"
)

// visitorOf returns an actor with a content token of a published site, for the
// header Authorization.
func (w *world) visitorOf(who, org, site string) string {
	w.t.Helper()
	a := w.must(who, "GET", "/orgs/"+org+"/sites/"+site, "")
	urls, _ := a.json().(map[string]any)["urls"].(map[string]any)
	home, _ := urls["published"].(string)
	a = w.must("nobody", "POST", "/urls/published", `{"url":"`+home+`"}`)
	token, _ := a.json().(map[string]any)["apiToken"].(string)
	if token == "" {
		w.t.Fatalf("%s: %s", home, a.body)
	}
	return "Authorization: Bearer " + token
}

// TestIsolationOfVisitors walks every operation with the content token of
// another site and Acme's ids, and then with one of Acme's own site: the first
// sees nothing of Acme, the second only what the site shows.
func TestIsolationOfVisitors(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o, nil)
		f := newFixture(w)
		w.must("mallory", "POST", "/orgs/$beta/spaces", `{"title":"Theirs"}`, "theirs")
		w.must("mallory", "POST", "/orgs/$beta/sites", `{"title":"Theirs","spaces":["$theirs"]}`, "foreign")
		w.must("mallory", "POST", "/orgs/$beta/sites/$foreign/publish", "")
		foreign, own := w.visitorOf("mallory", "$beta", "$foreign"), w.visitorOf("admin", "$org", "$site")
		before := f.state()
		for _, op := range w.srv.API.Operations() {
			if op.Public {
				continue
			}
			body := ""
			if op.Method != http.MethodGet && op.Method != http.MethodDelete {
				if body = bodies[op.ID]; body == "" {
					body = "{}"
				}
			}
			refused := func(who string, a answer) {
				switch a.status {
				case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound:
				case http.StatusNoContent:
					if op.Method == http.MethodDelete {
						return
					}
					fallthrough
				default:
					t.Errorf("%s: %s got %d: %s", op.ID, who, a.status, a.body)
				}
			}
			path := f.path(op.Path) + queries[op.ID]
			a := w.call("nobody", op.Method, path, w.expand(body), foreign)
			refused("a visitor of another site", a)
			if strings.Contains(string(a.body), marker) || strings.Contains(string(a.body), "acme.test") {
				t.Errorf("%s shows Acme to a visitor of another site: %s", op.ID, a.body)
			}
			a = w.call("nobody", op.Method, path, w.expand(body), own)
			if !strings.Contains(op.Needs, "visitor") {
				refused("a visitor", a)
			}
			if strings.Contains(string(a.body), "acme.test") || strings.Contains(string(a.body), w.vars["user_victim"]) {
				t.Errorf("%s shows people to a visitor: %s", op.ID, a.body)
			}
		}
		if after := f.state(); after != before {
			t.Errorf("a visitor has changed Acme:\nbefore %s\nafter  %s", before, after)
		}
	})
}
