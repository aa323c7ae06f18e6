package authz_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testservices"
	"github.com/octavo-docs/octavo/internal/web/services"
)

// A token ends when it says, although the guard has just let it in.
func TestTokensExpire(t *testing.T) {
	o := testdb.SQLite(t)
	later := time.Duration(0)
	o.Clock = func() time.Time { return time.Now().Add(later) }
	w := testservices.NewOrg(t, o, services.Settings{})
	end := docs.TimeOf(time.Now().Add(time.Hour))
	_, short, err := w.Orgs.Tokens.Create(t.Context(), w.Grant(w.Token, authz.FullToken()), orgs.NewToken{Label: "short", ExpiresAt: opt.Of(end)})
	if err != nil {
		t.Fatal(err)
	}
	before := w.Grant(short, authz.Org(authz.AdminOrg))
	for _, when := range []struct {
		later time.Duration
		ended bool
	}{{0, false}, {59 * time.Minute, false}, {61 * time.Minute, true}, {48 * time.Hour, true}} {
		later = when.later
		for _, rule := range []authz.Rule{authz.SignedIn(docs.ScopeRead), authz.Org(authz.ViewOrg), authz.Org(authz.AdminOrg)} {
			if _, err := w.Ask(short, rule); errs.Is(err, errs.Unauthenticated) != when.ended || !when.ended && err != nil {
				t.Errorf("%s after %s: %v", rule, when.later, err)
			}
		}
		// A request that was let in before the end changes nothing after it.
		err := authz.Do(t.Context(), w.Store, before, func(*store.Tx, *authz.Grant) error { return nil })
		if errs.Is(err, errs.Unauthenticated) != when.ended || !when.ended && err != nil {
			t.Errorf("a change after %s: %v", when.later, err)
		}
	}
	if _, err := w.Ask(w.Token, authz.Org(authz.ViewOrg)); err != nil {
		t.Errorf("a token without an end: %v", err)
	}
}

// A secret is taken in one form only, and a session is no token.
func TestWhatIsNoToken(t *testing.T) {
	w := testservices.NewOrg(t, testdb.SQLite(t), services.Settings{})
	session := w.SessionOf("ada@octavo.example")
	for _, header := range []string{
		"", "Basic " + w.Token, w.Token, "Bearer", "Bearer ", "Bearer octavo_", "Bearer " + w.Token + "x", "Bearer " + strings.Repeat("x", 5000),
		"Bearer " + session, "Bearer " + docs.TokenPrefix + strings.TrimPrefix(session, docs.SessionPrefix),
	} {
		if _, err := w.Guard.Authenticate(t.Context(), header, authz.Origin{}); !errs.Is(err, errs.Unauthenticated) {
			t.Errorf("%.40q: %v", header, err)
		}
	}
	for _, secret := range []string{"", w.Token, docs.SessionPrefix + strings.TrimPrefix(w.Token, docs.TokenPrefix), session + "x"} {
		if _, err := w.Guard.AuthenticateSession(t.Context(), secret, authz.Origin{}); !errs.Is(err, errs.Unauthenticated) {
			t.Errorf("the session %.40q: %v", secret, err)
		}
	}
	if _, err := w.Guard.Authenticate(t.Context(), "bearer  "+w.Token+" ", authz.Origin{}); err != nil {
		t.Errorf("another case, and spaces: %v", err)
	}
}

// What an organization sees of a token is its use there, and refusing the token there leaves it
// good elsewhere.
func TestATokenIsBlockedInOneOrganization(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := testservices.NewOrg(t, o, services.Settings{})
		ctx, beta := t.Context(), w.Other("mallory@beta.example", "Beta")
		owner := w.Invite("both@acme.example", docs.Edit, false)
		if _, err := w.Orgs.Members.Invite(ctx, authz.OperatorGrant(beta.User), beta.Organization, []orgs.Invitee{{Email: "both@acme.example", Role: docs.Read}}, false); err != nil {
			t.Fatal(err)
		}
		token := w.TokenOf("both@acme.example")
		is := func(what, secret string, org docs.OrgID, want errs.Kind) {
			t.Helper()
			for _, a := range []authz.Action{authz.ViewOrg, authz.ListMembers} {
				_, err := w.Ask(secret, authz.Org(a), "organizationId", string(org))
				if want == errs.Internal && err != nil || want != errs.Internal && !errs.Is(err, want) {
					t.Errorf("%s: %s: %v", what, a.Name, err)
				}
			}
		}
		tokens := func(org docs.OrgID) []docs.UsedToken {
			t.Helper()
			if err := w.Guard.Flush(ctx); err != nil {
				t.Fatal(err)
			}
			list, _, err := w.Orgs.Tokens.OfOrg(org).Page(ctx, store.Page{Limit: 100})
			if err != nil {
				t.Fatal(err)
			}
			return list
		}
		of := func(list []docs.UsedToken) int {
			return slices.IndexFunc(list, func(u docs.UsedToken) bool { return u.Owner.ID == owner })
		}
		is("at first", token, w.ID, errs.Internal)
		ofAcme := tokens(w.ID)
		at := of(ofAcme)
		if at < 0 {
			t.Fatalf("a token that was used is not listed: %+v", ofAcme)
		}
		id := ofAcme[at].ID
		if of(tokens(beta.Organization)) >= 0 {
			t.Error("an organization sees a token that was not used in it")
		}
		is("at first", token, beta.Organization, errs.Internal)
		admin := w.Grant(w.Token, authz.Org(authz.AdminOrg))
		if err := w.Orgs.Tokens.RevokeForOrg(ctx, admin, w.ID, id); err != nil {
			t.Fatal(err)
		}
		is("refused", token, w.ID, errs.NotFound)
		is("elsewhere", token, beta.Organization, errs.Internal)
		// What a refused token makes is refused, too.
		_, again, err := w.Orgs.Tokens.Create(ctx, w.Grant(token, authz.FullToken()), orgs.NewToken{Label: "again"})
		if err != nil {
			t.Fatal(err)
		}
		is("of a refused one", again, w.ID, errs.NotFound)
		is("of a refused one, elsewhere", again, beta.Organization, errs.Internal)
		mine, _, err := w.Orgs.Organizations.List(w.Grant(token, authz.SignedIn(docs.ScopeRead))).Page(ctx, store.Page{Limit: 100})
		if err != nil || len(mine) != 1 || mine[0].Org.ID != beta.Organization {
			t.Errorf("the organizations of a refused token: %+v, %v", mine, err)
		}
		ofAcme = tokens(w.ID)
		if u := ofAcme[of(ofAcme)]; u.BlockedAt.IsZero() || u.LastAddress == "" {
			t.Errorf("%+v", u)
		}
		if err := w.Orgs.Tokens.RevokeForOrg(ctx, admin, w.ID, id); !errs.Is(err, errs.NotFound) {
			t.Errorf("again: %v", err)
		}
		// The admin changes their mind: the token is good again, and what it made meanwhile is not.
		for range 2 { // there is nothing to do the second time
			if u, err := w.Orgs.Tokens.Unblock(ctx, admin, w.ID, id); err != nil || !u.BlockedAt.IsZero() {
				t.Errorf("%+v, %v", u, err)
			}
		}
		is("good again", token, w.ID, errs.Internal)
		is("of one that was refused", again, w.ID, errs.NotFound)
		if rows := w.Logged(w.ID, "token.unblock"); len(rows) != 1 {
			t.Errorf("the log has %v", rows)
		}
	})
}

// A token that an organization refuses does not show its members, and cannot end the membership
// of its owner.
func TestARefusedTokenSeesNobody(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := testservices.NewOrg(t, o, services.Settings{})
		ctx := t.Context()
		ann, ben := w.Invite("ann@acme.example", docs.Edit, false), w.Invite("ben@acme.example", docs.Edit, false)
		token := w.TokenOf("ann@acme.example")
		sees := func(want errs.Kind) {
			t.Helper()
			g := w.Grant(token, authz.AnotherUser())
			if _, err := w.Orgs.Accounts.User(ctx, g, ben); want == errs.Internal && err != nil || want != errs.Internal && !errs.Is(err, want) {
				t.Errorf("somebody else: %v", err)
			}
		}
		sees(errs.Internal)
		id := w.Grant(token, authz.Org(authz.ViewOrg)).Actor.Token
		if err := w.Guard.Flush(ctx); err != nil {
			t.Fatal(err)
		}
		if err := w.Orgs.Tokens.RevokeForOrg(ctx, w.Grant(w.Token, authz.Org(authz.AdminOrg)), w.ID, id); err != nil {
			t.Fatal(err)
		}
		sees(errs.NotFound)
		// As of a membership that is not there.
		if _, err := w.Ask(token, authz.OrgOrLeaving(authz.AdminOrg), "userId", string(ann)); !errs.Is(err, errs.NotFound) {
			t.Errorf("leaving: %v", err)
		}
		if _, err := w.Orgs.Members.Get(ctx, w.ID, ann); err != nil {
			t.Errorf("the membership: %v", err)
		}
	})
}

// The audit log of an organization has a sign-in once the session is used in the organization.
func TestSessionsInTheLogOfAnOrganization(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := testservices.NewOrg(t, o, services.Settings{})
		other := w.Other("ada@octavo.example", "Other")
		session := w.SessionOf("ada@octavo.example")
		logged := func(org docs.OrgID, want int) {
			t.Helper()
			if err := w.Guard.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			got := w.Logged(org, "session.use")
			if len(got) != want || want > 0 && (!strings.Contains(got[0], `"address":"127.0.0.1"`) || !strings.Contains(got[0], `"method":"mail"`)) {
				t.Errorf("the log has %q", got)
			}
		}
		logged(w.ID, 0)
		for range 2 {
			w.Grant(session, authz.Org(authz.ViewOrg))
			logged(w.ID, 1)
		}
		logged(other.Organization, 0)
		if list, _, err := w.Orgs.Tokens.OfOrg(w.ID).Page(t.Context(), store.Page{Limit: 10}); err != nil || len(list) > 0 {
			t.Errorf("a session is listed as a token: %+v %v", list, err)
		}
	})
}
