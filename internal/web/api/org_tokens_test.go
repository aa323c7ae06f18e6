package api_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// orgTokens returns the tokens that an organization knows, after the guard has
// written what it noted.
func (w *world) orgTokens(who, org string) (items []struct {
	ID, LastAddress string
	Blocked         bool
	Owner           struct{ ID string }
}) {
	w.t.Helper()
	w.flushUses()
	var list struct{ Items any }
	list.Items = &items
	if err := json.Unmarshal(w.must(who, "GET", "/orgs/"+org+"/tokens", "").body, &list); err != nil {
		w.t.Fatal(err)
	}
	return items
}

// flushUses writes which tokens were used, as the server does now and then.
func (w *world) flushUses() {
	w.t.Helper()
	if err := w.srv.Guard.Flush(context.Background()); err != nil {
		w.t.Fatal(err)
	}
}

// TestATokenIsBlockedInOneOrganization shows that an organization sees no more of a token than its
// use in it, and that refusing the token there leaves it good elsewhere.
func TestATokenIsBlockedInOneOrganization(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o, nil)
		w.addUser("both", "edit")
		w.must("mallory", "POST", "/orgs/$beta/invites", `{"emails":["both@acme.test"],"role":"read"}`)
		w.must("both", "GET", "/orgs/$org", "")
		ofAcme := w.orgTokens("admin", "$org")
		id := ""
		for _, it := range ofAcme {
			if it.Owner.ID == w.vars["user_both"] {
				id = it.ID
			}
		}
		if id == "" {
			t.Fatalf("a token that was used is not listed: %+v", ofAcme)
		}
		for _, it := range w.orgTokens("mallory", "$beta") {
			if it.ID == id {
				t.Error("an organization sees a token that was not used in it")
			}
		}
		w.must("both", "GET", "/orgs/$beta", "")
		if a := w.call("admin", "DELETE", w.expand("/orgs/$org/tokens/"+id), ""); a.status != http.StatusResetContent {
			t.Fatalf("%d %s", a.status, a.body)
		}
		for _, path := range []string{"/orgs/$org", "/orgs/$org/members"} {
			if a := w.call("both", "GET", w.expand(path), ""); a.status != http.StatusNotFound {
				t.Errorf("%s with a refused token: %d", path, a.status)
			}
		}
		w.must("both", "GET", "/orgs/$beta", "")
		w.must("both", "GET", "/user", "")
		// What a refused token makes is refused, too.
		var made struct{ Token string }
		if err := json.Unmarshal(w.must("both", "POST", "/user/tokens", `{"label":"again"}`).body, &made); err != nil {
			t.Fatal(err)
		}
		w.tokens["again"] = made.Token
		if a := w.call("again", "GET", w.expand("/orgs/$org"), ""); a.status != http.StatusNotFound {
			t.Errorf("a token that a refused token made: %d", a.status)
		}
		w.must("again", "GET", "/orgs/$beta", "")
		if a := w.must("both", "GET", "/orgs", ""); strings.Contains(string(a.body), w.vars["org"]) {
			t.Errorf("an organization is listed for a token that it refuses: %s", a.body)
		}
		for _, it := range w.orgTokens("admin", "$org") {
			if it.ID == id && (!it.Blocked || it.LastAddress == "") {
				t.Errorf("%+v", it)
			}
		}
		if a := w.call("admin", "DELETE", w.expand("/orgs/$org/tokens/"+id), ""); a.status != http.StatusNoContent {
			t.Errorf("again: %d %s", a.status, a.body)
		}
		// The admin changes their mind: the token is good again, and what it made meanwhile is not.
		if got := w.must("admin", "POST", "/orgs/$org/tokens/"+id+"/unblock", "").json().(map[string]any); got["blocked"] != false {
			t.Errorf("%v", got)
		}
		w.must("both", "GET", "/orgs/$org", "")
		if a := w.call("again", "GET", w.expand("/orgs/$org"), ""); a.status != http.StatusNotFound {
			t.Errorf("a token that was made by a refused token: %d", a.status)
		}
		w.must("admin", "POST", "/orgs/$org/tokens/"+id+"/unblock", "") // nothing to do
		log := w.must("admin", "GET", "/orgs/$org/audit?action=token.unblock", "").json().(map[string]any)
		if rows := log["items"].([]any); len(rows) != 1 {
			t.Errorf("the log has %v", rows)
		}
	})
}
