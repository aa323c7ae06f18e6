package authz_test

import (
	"testing"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testservices"
	"github.com/octavo-docs/octavo/internal/web/services"
)

// allowed is what a table expects of a request that is let in.
const allowed = errs.Internal

func kindOf(err error) errs.Kind {
	for _, k := range []errs.Kind{errs.NotFound, errs.Forbidden, errs.Unauthenticated, errs.Invalid} {
		if errs.Is(err, k) {
			return k
		}
	}
	return allowed
}

// A role and the scopes of the token have to allow an action, each for itself. Who may not see
// the thing learns of neither.
func TestRolesAndScopes(t *testing.T) {
	read, write, admin := docs.Scopes{docs.ScopeRead}, docs.Scopes{docs.ScopeWrite}, docs.Scopes{docs.ScopeAdmin}
	both := docs.Scopes{docs.ScopeRead, docs.ScopeWrite}
	in := func(role docs.Role) docs.Access { return docs.Access{Member: true, Role: role} }
	for name, c := range map[string]struct {
		access docs.Access
		scopes docs.Scopes
		action authz.Action
		want   errs.Kind
	}{
		"a guest":                           {in(docs.Guest), nil, authz.ViewOrg, allowed},
		"a guest beyond that":               {in(docs.Guest), nil, authz.ListMembers, errs.Forbidden},
		"a reader":                          {in(docs.Read), nil, authz.ListMembers, allowed},
		"one role below":                    {in(docs.Review), nil, authz.CreateContent, errs.Forbidden},
		"the role":                          {in(docs.Create), nil, authz.CreateContent, allowed},
		"one role above":                    {in(docs.Admin), nil, authz.CreateContent, allowed},
		"creators do not administer":        {in(docs.Create), nil, authz.AdminOrg, errs.Forbidden},
		"all scopes":                        {in(docs.Admin), nil, authz.AdminOrg, allowed},
		"the scope":                         {in(docs.Admin), admin, authz.AdminOrg, allowed},
		"writing is not administering":      {in(docs.Admin), both, authz.AdminOrg, errs.Forbidden},
		"administering is not writing":      {in(docs.Admin), admin, authz.CreateContent, errs.Forbidden},
		"writing is not reading":            {in(docs.Admin), write, authz.ViewOrg, errs.Forbidden},
		"reading is not writing":            {in(docs.Admin), read, authz.CreateContent, errs.Forbidden},
		"one of two scopes":                 {in(docs.Create), both, authz.CreateContent, allowed},
		"the scope without the role":        {in(docs.Edit), write, authz.CreateContent, errs.Forbidden},
		"an admin may read the secrets":     {in(docs.Admin), nil, authz.HookAddresses, allowed},
		"a token that reads does not":       {in(docs.Admin), read, authz.HookAddresses, errs.Forbidden},
		"an action within a smaller scope":  {in(docs.Admin), read, authz.HookAddresses.Within(docs.ScopeRead), allowed},
		"somebody from outside":             {docs.Access{}, nil, authz.ListMembers, errs.Forbidden},
		"a member who is disabled":          {docs.Access{Member: true, Disabled: true, Role: docs.Admin}, nil, authz.ListMembers, errs.Forbidden},
		"an admin who is disabled, as such": {docs.Access{Member: true, Disabled: true, Role: docs.Admin}, nil, authz.AdminOrg, errs.Forbidden},
	} {
		g := &authz.Grant{Actor: authz.Actor{User: "u", Scopes: c.scopes}, Access: &c.access}
		if got := kindOf(g.Allow(c.action)); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
		if c.access.Inside() && g.Actor.Can(c.access.OrgRole(), c.action) != (c.want == allowed) {
			t.Errorf("%s: Can says otherwise", name)
		}
	}
}

// The guard tells who may not see an organization that there is none, before it looks at roles and
// scopes.
func TestWhoIsOutsideLearnsNothing(t *testing.T) {
	w := testservices.NewOrg(t, testdb.SQLite(t), services.Settings{})
	off := w.Invite("off@acme.example", docs.Admin, false)
	w.Invite("low@acme.example", docs.Guest, false)
	if _, err := w.Orgs.Members.SetDisabled(t.Context(), authz.OperatorGrant(w.Admin), w.ID, off, true); err != nil {
		t.Fatal(err)
	}
	w.Other("out@beta.example", "Beta")
	for who, c := range map[string]struct {
		secret string
		rule   authz.Rule
		want   errs.Kind
	}{
		"an outsider":                     {w.TokenOf("out@beta.example"), authz.Org(authz.ViewOrg), errs.NotFound},
		"an outsider without the scope":   {w.TokenOf("out@beta.example", docs.ScopeRead), authz.Org(authz.AdminOrg), errs.NotFound},
		"an outsider about themselves":    {w.TokenOf("out@beta.example"), authz.OrgOrSelf(authz.AdminOrg), errs.NotFound},
		"an admin who is disabled":        {w.TokenOf("off@acme.example"), authz.Org(authz.ViewOrg), errs.NotFound},
		"a guest":                         {w.TokenOf("low@acme.example"), authz.Org(authz.ViewOrg), allowed},
		"a guest who may not":             {w.TokenOf("low@acme.example"), authz.Org(authz.AdminOrg), errs.Forbidden},
		"a guest about themselves":        {w.TokenOf("low@acme.example"), authz.OrgOrSelf(authz.AdminOrg), allowed},
		"a guest who leaves":              {w.TokenOf("low@acme.example"), authz.OrgOrLeaving(authz.AdminOrg), allowed},
		"themselves, without the scope":   {w.TokenOf("low@acme.example", docs.ScopeRead), authz.OrgOrSelf(authz.AdminOrg), errs.Forbidden},
		"a token with scopes, for tokens": {w.TokenOf("ada@octavo.example", docs.ScopeAdmin), authz.FullToken(), errs.Forbidden},
		"a rule that says nothing":        {w.Token, authz.Rule{}, errs.Forbidden},
	} {
		id := ""
		if g, err := w.Ask(c.secret, authz.SignedIn(docs.ScopeRead)); err == nil {
			id = string(g.Actor.User)
		}
		if _, err := w.Ask(c.secret, c.rule, "userId", id); kindOf(err) != c.want || c.want == allowed && err != nil {
			t.Errorf("%s: %v", who, err)
		}
	}
}

// An organization that requires its provider asks everybody who did not come from there, but for
// those who could be locked out by it, and for what is not a token.
func TestAsksProvider(t *testing.T) {
	member := docs.Access{Org: "acme", Member: true, SSO: true, Role: docs.Create}
	with := func(change func(a *docs.Access)) *docs.Access {
		a := member
		change(&a)
		return &a
	}
	for name, c := range map[string]struct {
		actor  authz.Actor
		access *docs.Access
		want   bool
	}{
		"a token":                         {authz.Actor{Token: "t"}, &member, true},
		"a session by mail":               {authz.Actor{Token: "t", Session: true}, &member, true},
		"a session of its provider":       {authz.Actor{Token: "t", Session: true, Org: "acme"}, &member, false},
		"a session of another provider":   {authz.Actor{Token: "t", Session: true, Org: "beta"}, &member, true},
		"background work":                 {authz.Actor{}, &member, false},
		"an admin":                        {authz.Actor{Token: "t"}, with(func(a *docs.Access) { a.Role = docs.Admin }), false},
		"an admin who is disabled":        {authz.Actor{Token: "t"}, with(func(a *docs.Access) { a.Role, a.Disabled = docs.Admin, true }), false},
		"somebody from outside":           {authz.Actor{Token: "t"}, with(func(a *docs.Access) { a.Member = false }), false},
		"where no provider is required":   {authz.Actor{Token: "t"}, with(func(a *docs.Access) { a.SSO = false }), false},
		"a guest, who is a member as all": {authz.Actor{Token: "t"}, with(func(a *docs.Access) { a.Role = docs.Guest }), true},
	} {
		if got := authz.AsksProvider(c.actor, c.access); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Members of a team see it and owners manage it, whatever they are in the organization.
func TestTeamRole(t *testing.T) {
	for name, c := range map[string]struct {
		access docs.Access
		want   docs.Role
	}{
		"an owner who is a guest":       {docs.Access{Member: true, Role: docs.Guest, Teams: map[docs.TeamID]docs.TeamRole{"t": docs.TeamOwner}}, docs.Admin},
		"a member who is a guest":       {docs.Access{Member: true, Role: docs.Guest, Teams: map[docs.TeamID]docs.TeamRole{"t": docs.TeamMember}}, docs.Read},
		"a member with a role":          {docs.Access{Member: true, Role: docs.Edit, Teams: map[docs.TeamID]docs.TeamRole{"t": docs.TeamMember}}, docs.Edit},
		"an owner of another team":      {docs.Access{Member: true, Role: docs.Read, Teams: map[docs.TeamID]docs.TeamRole{"u": docs.TeamOwner}}, docs.Read},
		"a guest who is in no team":     {docs.Access{Member: true, Role: docs.Guest}, docs.Guest},
		"an admin who is in no team":    {docs.Access{Member: true, Role: docs.Admin}, docs.Admin},
		"an admin, by name in the team": {docs.Access{Member: true, Role: docs.Admin, Teams: map[docs.TeamID]docs.TeamRole{"t": docs.TeamMember}}, docs.Admin},
	} {
		if got := authz.TeamRole(&c.access, "t"); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
