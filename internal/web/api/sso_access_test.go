package api_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// listed returns an organization as GET /orgs shows it to somebody; nil if it does not.
func (w *world) listed(who, org string) map[string]any {
	w.t.Helper()
	var list struct{ Items []map[string]any }
	if err := json.Unmarshal(w.must(who, "GET", "/orgs", "").body, &list); err != nil {
		w.t.Fatal(err)
	}
	for _, it := range list.Items {
		if it["id"] == w.vars[org] {
			return it
		}
	}
	return nil
}

// TestWhoIsAskedForTheProvider shows that an organization that enforces single sign-on is closed to a token
// that was made elsewhere also where no organization is in the path, and that its member can leave.
func TestWhoIsAskedForTheProvider(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o, nil)
		w.addUser("ann", "edit")
		w.addUser("ben", "edit")
		w.must("admin", "PATCH", "/orgs/$org", `{"hostname":"acme-inc"}`)
		if it := w.listed("ann", "org"); it["hostname"] != "acme-inc" || it["billing"] == nil {
			t.Fatalf("before: %v", it)
		}
		w.must("ann", "GET", "/users/$user_ben", "")

		w.must("admin", "PATCH", "/orgs/$org", `{"sso":true}`)
		it := w.listed("ann", "org")
		if it == nil || it["sso"] != true || it["hostname"] != nil || it["billing"] != nil || it["permissions"].(map[string]any)["view"] != false {
			t.Errorf("who has not signed in at the provider sees %v", it)
		}
		for path, status := range map[string]int{
			"/users/$user_ben": http.StatusNotFound, "/users/$user_ann": http.StatusOK, "/subdomains/acme-inc": http.StatusNotFound,
			"/orgs/$org/members/$user_ann": http.StatusForbidden, "/orgs/$org": http.StatusForbidden,
		} {
			if a := w.call("ann", "GET", w.expand(path), ""); a.status != status {
				t.Errorf("GET %s: %d %s", path, a.status, a.body)
			}
		}
		if it := w.listed("admin", "org"); it["hostname"] != "acme-inc" {
			t.Errorf("an admin, who is always let in, sees %v", it)
		}
		w.must("admin", "GET", "/users/$user_ben", "")

		if a := w.call("ann", "DELETE", w.expand("/orgs/$org/members/$user_ben"), ""); a.status != http.StatusForbidden {
			t.Errorf("removing somebody else: %d %s", a.status, a.body)
		}
		w.must("ann", "DELETE", "/orgs/$org/members/$user_ann", "")
		if it := w.listed("ann", "org"); it != nil {
			t.Errorf("who has left is still listed: %v", it)
		}
	})
}
