package api_test

import (
	"context"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/identity/signin"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/golden"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// credential is a way in which one person calls the API.
type credential struct {
	name string
	// make makes a new one and returns the headers that carry it: an operation may end the one it is called with.
	make func() []string
	// end ends the last one.
	end func()
	// answers are the answers of operations about the person that differ from those of about.
	answers map[string]int
}

// ofOneOrganization are the answers of operations that decide about the whole person to somebody who signed in for
// one organization.
var ofOneOrganization = map[string]int{
	"createOrganization":             http.StatusForbidden,
	"getOrganizationsForEmailDomain": http.StatusForbidden,
	"joinOrganization":               http.StatusForbidden,
	"joinOrganizationWithInvite":     http.StatusForbidden,
	"updateNotifications":            http.StatusForbidden,
}

func with(m map[string]int, more map[string]int) map[string]int {
	m = maps.Clone(m)
	maps.Copy(m, more)
	return m
}

// ofABlockedToken are the answers to a token that Acme does not accept any more: of a link of Acme as well.
var ofABlockedToken = map[string]int{
	"getOrganizationsForEmailDomain": http.StatusOK,
	"joinOrganizationWithInvite":     http.StatusNotFound,
}

// credentials returns the callers of a person that Acme does not accept, although the person is an admin of it.
func (w *world) credentials(who string) []credential {
	ctx := context.Background()
	var last docs.Token
	end := func() {
		w.t.Helper()
		err := w.srv.Store.Do(ctx, func(tx *store.Tx) error {
			// A token that a blocked one made is blocked, too, and so listed by Acme.
			if err := tx.DropTokensByLabel(ctx, last.User, "mine"); err != nil {
				return err
			}
			_, err := tx.DropToken(ctx, store.TokenFilter{User: last.User, Sessions: last.Session}, last.ID)
			return err
		})
		if err != nil {
			w.t.Fatal(err)
		}
	}
	add := func(t docs.Token, secret string, block bool) {
		w.t.Helper()
		end()
		err := w.srv.Store.Do(ctx, func(tx *store.Tx) error {
			t.ID, t.User, t.CreatedAt = store.NewID[docs.TokenID](tx), docs.UserID(w.vars["user_"+who]), tx.Now()
			t.ExpiresAt = tx.Now().Add(time.Hour)
			if err := tx.AddToken(ctx, t, docs.HashSecret(secret)); err != nil || !block {
				return err
			}
			if err := tx.AddOrgToken(ctx, docs.OrgID(w.vars["org"]), t.ID); err != nil {
				return err
			}
			return tx.BlockToken(ctx, docs.OrgID(w.vars["org"]), t.ID, tx.Now())
		})
		last = t
		if err != nil {
			w.t.Fatal(err)
		}
	}
	beta := docs.OrgID(w.vars["beta"])
	return []credential{
		{"a session for Beta", func() []string {
			secret := docs.NewSessionSecret()
			add(docs.Token{Org: beta, Session: true, Method: docs.SignInByOIDC}, secret, false)
			return []string{"Cookie: " + signin.Cookie(w.srv.URL()) + "=" + secret, "X-CSRF-Token: " + signin.CSRF(secret)}
		}, end, with(ofOneOrganization, map[string]int{"getSession": http.StatusOK, "endSessions": http.StatusResetContent})},
		{"a token for Beta", func() []string {
			secret := docs.NewSecret()
			add(docs.Token{Org: beta}, secret, false)
			return []string{"Authorization: Bearer " + secret}
		}, end, ofOneOrganization},
		{"a token that Acme has blocked", func() []string {
			secret := docs.NewSecret()
			add(docs.Token{}, secret, true)
			return []string{"Authorization: Bearer " + secret}
		}, end, ofABlockedToken},
	}
}

// TestNoOperationReachesAnotherOrganizationOfThePerson walks every declared operation as somebody who is an admin of Acme
// and of Beta, with a session and a token that are for Beta alone and with a token that Acme has blocked: it must look as if
// Acme were not there, show nothing of it and change nothing in it. So it is while Acme is deleted. (security: d11 case 3)
func TestNoOperationReachesAnotherOrganizationOfThePerson(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o, nil)
		f := newFixture(w)
		w.addUser("both", "admin")
		w.must("mallory", "POST", "/orgs/$beta/invites", `{"emails":["both@acme.test"],"role":"admin"}`)
		w.must("both", "GET", "/orgs/$beta", "")
		w.must("admin", "POST", "/spaces/$space/comments/$comment/replies", `{"body":{"markdown":"`+marker+` [Both](/users/$user_both)"}}`)
		w.notify()
		if a := w.must("both", "GET", "/user/inbox", ""); !strings.Contains(string(a.body), marker) {
			t.Fatalf("the person has no notice of Acme: %s", a.body)
		}
		domains, err := w.srv.Orgs.Domains.List(context.Background(), docs.OrgID(w.vars["org"]))
		if err != nil || len(domains) != 1 {
			t.Fatalf("%+v, %v", domains, err)
		}
		w.dns.Set(domains[0].Record, domains[0].Value)
		if a := w.must("both", "GET", "/email-domains/acme.test/orgs", ""); !strings.Contains(string(a.body), marker) {
			t.Fatalf("Acme is not listed for its domain: %s", a.body)
		}
		before := f.state()
		for _, c := range w.credentials("both") {
			f.walk(c)
		}
		if after := f.state(); after != before {
			t.Error("Acme was changed")
			golden.Equal(t, "the state of Acme", []byte(after), []byte(before))
		}

		w.must("both", "DELETE", "/orgs/$org", "")
		if a := w.must("both", "GET", "/user/deleted-orgs", ""); !strings.Contains(string(a.body), marker) {
			t.Fatalf("Acme cannot be restored: %s", a.body)
		}
		for _, c := range w.credentials("both") {
			f.walk(c)
			if a := w.call("admin", "GET", w.expand("/orgs/$org"), ""); a.status != http.StatusNotFound {
				t.Fatalf("%s has restored Acme: %d", c.name, a.status)
			}
		}
		w.must("both", "POST", "/user/deleted-orgs/$org/restore", "")
		w.must("both", "GET", "/orgs/$org", "")
	})
}

// walk calls every operation about Acme with a credential that Acme does not accept.
func (f fixture) walk(c credential) {
	w := f.w
	w.t.Helper()
	defer c.end()
	for _, op := range w.srv.API.Operations() {
		body := ""
		if op.Method != http.MethodGet && op.Method != http.MethodDelete {
			if body = bodies[op.ID]; body == "" {
				body = "{}"
			}
		}
		want := http.StatusNotFound
		if op.Method == http.MethodDelete {
			want = http.StatusNoContent
		}
		for _, table := range []map[string]int{about, c.answers} {
			if special, ok := table[op.ID]; ok {
				want = special
			}
		}
		a := w.call("nobody", op.Method, f.path(op.Path)+queries[op.ID], w.expand(body), c.make()...)
		if a.status != want {
			w.t.Errorf("%s with %s: %d, want %d: %s", op.ID, c.name, a.status, want, a.body)
		}
		if s := string(a.body); strings.Contains(s, marker) || strings.Contains(s, w.vars["org"]) {
			w.t.Errorf("%s with %s shows Acme: %s", op.ID, c.name, a.body)
		}
		if !strings.Contains(op.Path, "{organizationId}") || !strings.Contains(op.Path, "{userId}") {
			continue
		}
		// The person about themself, who may do more in an organization that accepts them.
		own := strings.ReplaceAll(op.Path, "{userId}", w.vars["user_both"])
		if a := w.call("nobody", op.Method, f.path(own), w.expand(body), c.make()...); a.status != want || strings.Contains(string(a.body), marker) {
			w.t.Errorf("%s with %s about themself: %d, want %d: %s", op.ID, c.name, a.status, want, a.body)
		}
	}
}
