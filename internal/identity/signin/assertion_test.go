package signin_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/identity/signin"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testservices"
	"github.com/octavo-docs/octavo/internal/web/services"
)

// arrival returns the assertion of a provider of the organization.
func arrival(t *testing.T, w *testservices.Org, subject, email string) signin.Assertion {
	t.Helper()
	err := w.Store.Do(t.Context(), func(tx *store.Tx) error {
		return tx.PutSAMLProvider(t.Context(), docs.SAMLProvider{ID: "idp", Org: w.ID, Label: "Test", Groups: map[string]docs.TeamID{}})
	})
	if err != nil {
		t.Fatal(err)
	}
	return signin.Assertion{
		Org: w.ID, Provider: "idp", Method: docs.SignInBySAML, Subject: subject, Email: email, Proved: true, Name: "Grace  Hopper",
		Role: docs.Edit, Request: "test", Next: "/account",
	}
}

func TestWhoArrivesFromAProviderIsBoundToItsOrganization(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := testservices.NewOrg(t, o, services.Settings{})
		ctx, other := t.Context(), w.Other("eve@evil.example", "Evil")
		in, err := w.SignIn.SignInToOrganization(ctx, arrival(t, w, "g1", "Grace@Acme.example"))
		if err != nil {
			t.Fatal(err)
		}
		self, elsewhere := authz.SignedIn(docs.ScopeRead), []string{"organizationId", string(other.Organization)}
		g := w.Grant(in.Secret, self)
		me, err := w.Orgs.Accounts.Me(ctx, g)
		if err != nil || me.Email != "grace@acme.example" || me.DisplayName != "Grace Hopper" {
			t.Errorf("the new account is %+v, %v", me, err)
		}
		w.Grant(in.Secret, authz.Org(authz.ListMembers))
		if m, err := w.Orgs.Members.Get(ctx, w.ID, me.ID); err != nil || m.Role != docs.Edit || !m.SSO {
			t.Errorf("the new member is %+v, %v", m, err)
		}
		// Another organization invites the user. This session has no access there.
		admin := w.Grant(other.Token, authz.Org(authz.AdminOrg), elsewhere...)
		if _, err := w.Orgs.Members.Invite(ctx, admin, other.Organization, []orgs.Invitee{{Email: "grace@acme.example", Role: docs.Admin}}, false); err != nil {
			t.Fatal(err)
		}
		absent := func(what string, err error) {
			t.Helper()
			if !errs.Is(err, errs.NotFound) {
				t.Errorf("%s: %v", what, err)
			}
		}
		_, err = w.Ask(in.Secret, authz.Org(authz.ViewOrg), elsewhere...)
		absent("another organization", err)
		if all, _, err := w.Orgs.Organizations.List(g).Page(ctx, store.Page{Limit: 10}); err != nil || len(all) != 1 {
			t.Errorf("%d organizations are listed, %v", len(all), err)
		}
		_, err = w.Orgs.Accounts.User(ctx, g, other.User)
		absent("somebody of another organization", err)
		_, made, err := w.Orgs.Tokens.Create(ctx, w.Grant(in.Secret, authz.FullToken()), orgs.NewToken{Label: "ci"})
		if err != nil {
			t.Fatal(err)
		}
		w.Grant(made, authz.Org(authz.ViewOrg))
		_, err = w.Ask(made, authz.Org(authz.ViewOrg), elsewhere...)
		absent("another organization, with a token", err)
		refused := func(what string, err error) {
			t.Helper()
			if !errs.Is(err, errs.Forbidden) {
				t.Errorf("%s: %v", what, err)
			}
		}
		_, err = w.Orgs.Organizations.Create(ctx, g, orgs.NewOrganization{Title: "Mine"})
		refused("a new organization", err)
		refused("joining another organization", w.Orgs.Domains.Join(ctx, g, other.Organization))
		_, err = w.Orgs.Accounts.Update(ctx, g, me.ID, orgs.UserPatch{DisplayName: opt.Of("Other")})
		refused("another name", err)
		refused("another address", w.SignIn.ChangeEmail(ctx, g, "mine@acme.example"))
		// A session by mail has full access. The session for one organization neither sees nor
		// ends it.
		whole := w.SessionOf("grace@acme.example")
		w.Grant(whole, authz.Org(authz.ViewOrg), elsewhere...)
		if err := w.SignIn.EndAllSessions(ctx, g); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Ask(in.Secret, self); !errs.Is(err, errs.Unauthenticated) {
			t.Errorf("a session that has ended: %v", err)
		}
		w.Grant(whole, self)
	})
}

func TestNoAccountIsTakenOverByAnAddress(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := testservices.NewOrg(t, o, services.Settings{})
		arrive := func(subject, email string) error {
			_, err := w.SignIn.SignInToOrganization(t.Context(), arrival(t, w, subject, email))
			return err
		}
		refused := func(what string, err error) {
			t.Helper()
			if !errs.Is(err, errs.Forbidden) {
				t.Errorf("%s is let in: %v", what, err)
			}
		}
		victim := w.Other("vic@other.example", "Other")
		refused("an account of nobody here", arrive("v", "vic@other.example"))
		refused("another case of it", arrive("v", "VIC@other.example"))
		w.Invite("vic@other.example", docs.Read, true)
		refused("somebody who never used the organization", arrive("v", "vic@other.example"))
		w.Grant(victim.Token, authz.Org(authz.ViewOrg))
		if err := w.Guard.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := arrive("v", "vic@other.example"); err != nil {
			t.Errorf("a member of single sign-on: %v", err)
		}
		refused("an admin who is not marked", arrive("a", "ada@octavo.example"))
		// A user who was invited for single sign-on and has no account yet can sign in.
		user := w.Invite("new@acme.example", docs.Read, true)
		if err := arrive("n", "new@acme.example"); err != nil {
			t.Errorf("somebody who was invited for single sign-on: %v", err)
		}
		// The same subject signs in to the same account, even with another address.
		if err := arrive("n", "renamed@acme.example"); err != nil {
			t.Errorf("a known subject: %v", err)
		}
		if err := w.Orgs.Members.Remove(t.Context(), authz.OperatorGrant(w.Admin), w.ID, user); err != nil {
			t.Fatal(err)
		}
		refused("somebody who was removed", arrive("n", "new@acme.example"))
		refused("no address", arrive("x", "nothing"))
		refused("no subject", arrive("", "x@acme.example"))
		refused("an endless subject", arrive(strings.Repeat("x", 1025), "x@acme.example"))
	})
}

func TestAnOrganizationAsksForItsProvider(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := testservices.NewOrg(t, o, services.Settings{})
		in, err := w.SignIn.SignInToOrganization(t.Context(), arrival(t, w, "g1", "grace@acme.example"))
		if err != nil {
			t.Fatal(err)
		}
		byMail, view := w.TokenOf("grace@acme.example"), authz.Org(authz.ViewOrg)
		require := func(sso bool) {
			t.Helper()
			g := w.Grant(w.Token, authz.Org(authz.AdminOrg))
			if _, err := w.Orgs.Organizations.Update(t.Context(), g, w.ID, orgs.OrganizationPatch{SSO: opt.Of(sso)}); err != nil {
				t.Fatal(err)
			}
		}
		w.Grant(byMail, view)
		require(true)
		w.Grant(in.Secret, view)
		if _, err := w.Ask(byMail, view); !errs.Is(err, errs.Forbidden) || !strings.Contains(err.Error(), "identity provider") {
			t.Errorf("the answer is %v", err)
		}
		require(false)
		w.Grant(byMail, view)
	})
}

// What a provider asserted counts only as long as the provider is the one that did.
func TestAProviderThatIsAnotherByNow(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := testservices.NewOrg(t, o, services.Settings{})
		beta := w.Other("eve@evil.example", "Evil")
		for what, change := range map[string]func(in *signin.Assertion){
			"a provider that was changed":           func(in *signin.Assertion) { in.AsOf = 1 },
			"a provider that was deleted":           func(in *signin.Assertion) { in.Provider = "deleted" },
			"a provider of another kind":            func(in *signin.Assertion) { in.Method = docs.SignInByOIDC },
			"a provider of another organization":    func(in *signin.Assertion) { in.Org = beta.Organization },
			"a provider of no organization at all":  func(in *signin.Assertion) { in.Org = "" },
			"a deleted provider, of the other kind": func(in *signin.Assertion) { in.Provider, in.Method = "deleted", docs.SignInByOIDC },
		} {
			in := arrival(t, w, "g1", "linus@octavo.example")
			change(&in)
			if _, err := w.SignIn.SignInToOrganization(t.Context(), in); !errs.Is(err, errs.Conflict) {
				t.Errorf("%s: %v", what, err)
			}
		}
		if _, err := w.Store.UserByEmail(t.Context(), "linus@octavo.example"); !errs.Is(err, errs.NotFound) {
			t.Errorf("there is an account: %v", err)
		}
	})
}

// A team that one of its groups leads to has the person; without groups, nothing is said of teams.
func TestTeamsOf(t *testing.T) {
	mapped := map[string]docs.TeamID{"a": "one", "b": "one", "c": "two"}
	for _, c := range []struct {
		groups []string
		want   map[docs.TeamID]bool
	}{
		{nil, nil},
		{[]string{}, map[docs.TeamID]bool{"one": false, "two": false}},
		{[]string{"b", "other"}, map[docs.TeamID]bool{"one": true, "two": false}},
		{[]string{"c", "a", "c"}, map[docs.TeamID]bool{"one": true, "two": true}},
		{[]string{"A"}, map[docs.TeamID]bool{"one": false, "two": false}},
	} {
		if got := signin.TeamsOf(mapped, c.groups); !maps.Equal(got, c.want) || (got == nil) != (c.want == nil) {
			t.Errorf("%q: %v, want %v", c.groups, got, c.want)
		}
	}
}
