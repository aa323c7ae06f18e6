package orgs_test

import (
	"testing"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testdns"
	"github.com/octavo-docs/octavo/internal/testing/testservices"
	"github.com/octavo-docs/octavo/internal/web/services"
)

// Who joins by the domain of an address has proved to have the address, and was not
// removed before.
func TestWhoJoinsByDomain(t *testing.T) {
	dns := testdns.Start(t)
	w := testservices.NewOrg(t, testdb.SQLite(t), services.Settings{DNS: dns.Addr})
	ctx, beta := t.Context(), w.Other("mallory@beta.test", "Beta")
	by := w.Grant(w.Token, authz.Org(authz.AdminOrg))
	if _, err := w.Orgs.Organizations.Update(ctx, by, w.ID, orgs.OrganizationPatch{EmailDomains: opt.Of([]string{"acme.test"})}); err != nil {
		t.Fatal(err)
	}
	member := func(user docs.UserID) bool {
		_, err := w.Store.Member(ctx, w.ID, user)
		return err == nil
	}

	in, err := w.Orgs.Members.Invite(ctx, authz.OperatorGrant(beta.User), beta.Organization, []orgs.Invitee{{Email: "unverified@acme.test"}}, false)
	if err != nil {
		t.Fatal(err)
	}
	u, err := w.Store.User(ctx, in.Users[0])
	if err != nil || u.Verified {
		t.Fatalf("%+v, %v", u, err)
	}
	if err := w.Orgs.Domains.Join(ctx, authz.OperatorGrant(u.ID), w.ID); !errs.Is(err, errs.Invalid) || member(u.ID) {
		t.Errorf("somebody with an unverified address joins: %v", err)
	}

	domains, err := w.Orgs.Domains.List(ctx, w.ID)
	if err != nil || len(domains) != 1 || domains[0].Proved {
		t.Fatalf("%+v, %v", domains, err)
	}
	eve, err := w.Orgs.Operator.CreateUser(ctx, "eve@acme.test")
	if err != nil {
		t.Fatal(err)
	}
	token := w.TokenOf("eve@acme.test")
	join := func() error { return w.Orgs.Domains.Join(ctx, w.Grant(token, authz.SignedIn(docs.ScopeWrite)), w.ID) }
	if err := join(); !errs.Is(err, errs.NotFound) || member(eve) {
		t.Errorf("somebody joins by a domain that is not proved: %v", err)
	}
	dns.Set(domains[0].Record, domains[0].Value)
	dns.Break(true)
	if err := join(); !errs.Is(err, errs.NotFound) || member(eve) {
		t.Errorf("somebody joins while name servers do not answer: %v", err)
	}
	dns.Break(false)
	if err := join(); err != nil || !member(eve) {
		t.Fatalf("nobody joins: %v", err)
	}
	if err := w.Orgs.Members.Remove(ctx, by, w.ID, eve); err != nil {
		t.Fatal(err)
	}
	if err := join(); !errs.Is(err, errs.Invalid) || member(eve) {
		t.Errorf("somebody who was removed joins again: %v", err)
	}
}
