package api_test

import (
	"context"
	"testing"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// Who joins by the domain of an address has proved to have the address, and was not
// removed before.
func TestWhoJoinsByDomain(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t), nil)
	ctx := context.Background()
	org := docs.OrgID(w.vars["org"])
	w.must("admin", "PATCH", "/orgs/$org", `{"emailDomains":["acme.test"]}`)
	member := func(user docs.UserID) bool {
		_, err := w.srv.Store.Member(ctx, org, user)
		return err == nil
	}

	w.must("mallory", "POST", "/orgs/$beta/invites", `{"emails":["unverified@acme.test"]}`)
	u, err := w.srv.Store.UserByEmail(ctx, "unverified@acme.test")
	if err != nil || u.Verified {
		t.Fatalf("%+v, %v", u, err)
	}
	if err := w.srv.Orgs.Domains.Join(ctx, authz.OperatorGrant(u.ID), org); !errs.Is(err, errs.Invalid) || member(u.ID) {
		t.Errorf("somebody with an unverified address joins: %v", err)
	}

	domains, err := w.srv.Orgs.Domains.List(ctx, org)
	if err != nil || len(domains) != 1 || domains[0].Proved {
		t.Fatalf("%+v, %v", domains, err)
	}
	w.addUser("eve", "-")
	if a := w.call("eve", "POST", w.expand("/orgs/$org/join"), ""); a.status != 404 || member(docs.UserID(w.vars["user_eve"])) {
		t.Errorf("somebody joins by a domain that is not proved: %d %s", a.status, a.body)
	}
	w.dns.Set(domains[0].Record, domains[0].Value)
	w.dns.Break(true)
	if a := w.call("eve", "POST", w.expand("/orgs/$org/join"), ""); a.status != 404 {
		t.Errorf("somebody joins while name servers do not answer: %d %s", a.status, a.body)
	}
	w.dns.Break(false)
	eve := docs.UserID(w.vars["user_eve"])
	w.must("eve", "POST", "/orgs/$org/join", "")
	if !member(eve) {
		t.Fatal("nobody joins")
	}
	w.must("admin", "DELETE", "/orgs/$org/members/$user_eve", "")
	if a := w.call("eve", "POST", w.expand("/orgs/$org/join"), ""); a.status != 400 || member(eve) {
		t.Errorf("somebody who was removed joins again: %d %s", a.status, a.body)
	}
}
