package signin

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
)

// Assertion identifies a person who signs in through an identity provider. The caller has
// verified the response of the provider.
type Assertion struct {
	Org      docs.OrgID
	Provider string // id of the provider
	Method   docs.SignInMethod
	Subject  string // the provider's identifier of the person
	Email    string
	Proved   bool // the provider asserts that the address belongs to the person
	// Recyclable reports that the subject is an e-mail address. It may belong to another person
	// later.
	Recyclable bool
	Name       string
	Role       docs.Role            // of a person who joins the organization by this sign-in
	Team       docs.TeamID          // of a person who joins the organization by this sign-in; empty: none
	Teams      map[docs.TeamID]bool // whether the person is in each of these teams, according to the provider; other teams are not changed
	AsOf       docs.Time            // when the provider's settings were last changed before it answered
	Agent      string
	Request    string
	Next       string
}

// TeamsOf returns, for each team in mapped, whether a person with the given groups belongs to it. mapped
// holds the team of each group. The result is nil if groups is nil: the provider sent no groups.
func TeamsOf(mapped map[string]docs.TeamID, groups []string) map[docs.TeamID]bool {
	if groups == nil {
		return nil
	}
	teams := map[docs.TeamID]bool{}
	for name, team := range mapped {
		teams[team] = teams[team] || slices.Contains(groups, name)
	}
	return teams
}

// maxSubject is the maximum length of a subject in bytes.
const maxSubject = 1024

// SignInToOrganization opens a session for a person whom a provider of an organization has
// authenticated. The session is valid for that organization only, because other organizations do
// not trust the provider.
func (s *Service) SignInToOrganization(ctx context.Context, in Assertion) (NewSession, error) {
	email, err := docs.ParseEmail(in.Email)
	switch {
	case err != nil:
		return NewSession{}, errs.E(errs.Forbidden, "the identity provider sent no e-mail address; ask an admin to make it send one")
	case in.Subject == "" || len(in.Subject) > maxSubject:
		return NewSession{}, errs.E(errs.Forbidden, "the identity provider did not say who you are; ask an admin to check its configuration")
	}
	secret := docs.NewSessionSecret()
	t, err := store.InTx(ctx, s.Store, func(tx *store.Tx) (docs.Token, error) {
		if err := checkProvider(ctx, tx, in); err != nil {
			return docs.Token{}, err
		}
		u, err := s.accountForOrg(ctx, tx, in, email)
		if err != nil {
			return docs.Token{}, err
		}
		by := authz.Actor{User: u.ID, Org: in.Org, Request: in.Request, Session: true}
		if err := s.admit(ctx, tx, by, in, u); err != nil {
			return docs.Token{}, err
		}
		if err := syncTeams(ctx, tx, by, in); err != nil {
			return docs.Token{}, err
		}
		return s.open(ctx, tx, by, in.Method, in.Agent, secret)
	})
	return NewSession{Secret: secret, Until: t.ExpiresAt.Std(), Next: LocalPath(in.Next)}, err
}

// errChanged is returned if the provider was changed or removed after it authenticated the person.
var errChanged = errs.E(errs.Conflict, "the identity provider was changed or removed while you signed in; begin again")

// checkProvider reads the provider again and returns errChanged if it is not the one that answered.
// An admin may have deleted it, or changed its settings, since the sign-in began.
func checkProvider(ctx context.Context, tx *store.Tx, in Assertion) error {
	var org docs.OrgID
	var at docs.Time
	var err error
	if in.Method == docs.SignInBySAML {
		var p docs.SAMLProvider
		p, err = tx.AnySAMLProvider(ctx, docs.SAMLProviderID(in.Provider))
		org, at = p.Org, p.UpdatedAt
	} else {
		var p docs.OIDCProvider
		p, err = tx.OIDCProviderByID(ctx, docs.OIDCProviderID(in.Provider))
		org, at = p.Org, p.UpdatedAt
	}
	if errs.Is(err, errs.NotFound) || err == nil && (org != in.Org || at != in.AsOf) {
		return errChanged
	}
	return err
}

// errNotLinked is returned if the address belongs to an account that the provider may not sign in
// to.
var errNotLinked = errs.E(errs.Forbidden, "there is an account with your address that does not sign in this way; sign in as you did before, or ask an admin of the organization to mark you as a member of single sign-on")

// errNotProved is returned if the provider does not assert that the address was verified.
var errNotProved = errs.E(errs.Forbidden, "there is an account with your address, and the identity provider does not say that the address is proved (email_verified); ask an admin to make it say so")

// accountForOrg returns the account of the person in an assertion, and creates one if the address has
// none. A provider cannot take over an existing account by sending its address. An admin must have
// marked the member for single sign-on. In addition, the member must have used the organization
// before, or the account's address must be unverified.
func (s *Service) accountForOrg(ctx context.Context, tx *store.Tx, in Assertion, email docs.Email) (docs.User, error) {
	known, err := tx.Identity(ctx, in.Provider, in.Subject)
	if err == nil {
		if err := s.checkRecycled(ctx, tx, in, known); err != nil {
			return docs.User{}, err
		}
		return tx.User(ctx, known.User)
	}
	if !errs.Is(err, errs.NotFound) {
		return docs.User{}, err
	}
	u, err := tx.UserByEmail(ctx, email)
	switch {
	case errs.Is(err, errs.NotFound):
		u = docs.User{
			ID: docs.NewUserID(), Email: email, DisplayName: displayName(in.Name, email), CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
		}
		err = tx.AddUser(ctx, u)
	case err == nil && !in.Proved:
		err = errNotProved
	case err == nil:
		var m docs.Member
		m, err = tx.Member(ctx, in.Org, u.ID)
		if errs.Is(err, errs.NotFound) || err == nil && (!m.SSO || m.LastSeenAt.IsZero() && u.Verified) {
			err = errNotLinked
		}
	}
	if err != nil {
		return u, err
	}
	return u, tx.AddIdentity(ctx, docs.Identity{Provider: in.Provider, Subject: in.Subject, User: u.ID, Org: in.Org, CreatedAt: tx.Now()})
}

// errRecycled is returned if the address may have belonged to another person before.
var errRecycled = errs.E(errs.Forbidden, "you were removed from this organization and added again, and your address may have been somebody else's before; sign in once with a link by mail, and then here again")

// checkRecycled requires a new proof if the subject is an address and the membership is newer than the
// stored identity. The organization has then removed the member and added the address again,
// perhaps for another person. The proof is a session by mail since then: the account belongs to
// the person who reads the mail of the address now.
func (s *Service) checkRecycled(ctx context.Context, tx *store.Tx, in Assertion, known docs.Identity) error {
	if !in.Recyclable {
		return nil
	}
	m, err := tx.Member(ctx, in.Org, known.User)
	if errs.Is(err, errs.NotFound) || err == nil && m.JoinedAt <= known.CreatedAt {
		return nil // admit checks the membership
	}
	if err != nil {
		return err
	}
	sessions, _, err := tx.Tokens(ctx, store.TokenFilter{User: known.User, Sessions: true}, store.Page{Limit: maxLooked})
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(sessions, func(t docs.Token) bool { return t.Method == docs.SignInByMail && t.CreatedAt >= m.JoinedAt }) {
		return errRecycled
	}
	known.CreatedAt = tx.Now()
	return tx.PutIdentity(ctx, known)
}

// maxLooked is the number of sessions that checkRecycled reads. It is more than a user can have.
const maxLooked = 1000

// displayName returns the display name of a new account: name, or the local part of the address.
func displayName(name string, e docs.Email) string {
	name = strings.TrimSpace(docs.FirstBytes(strings.Join(strings.Fields(name), " "), 64))
	if name == "" {
		name, _, _ = strings.Cut(string(e), "@")
	}
	return name
}

// admit makes the person a member of the organization, unless they are one already. It returns an
// error for a member who is disabled or was removed.
func (s *Service) admit(ctx context.Context, tx *store.Tx, by authz.Actor, in Assertion, u docs.User) error {
	m, err := tx.Member(ctx, in.Org, u.ID)
	switch {
	case err == nil && m.Disabled:
		return errs.E(errs.Forbidden, "your access to this organization was taken away; ask one of its admins")
	case err == nil:
		return tx.TouchMember(ctx, in.Org, u.ID, tx.Now())
	case !errs.Is(err, errs.NotFound):
		return err
	}
	removed, err := tx.RemovedAt(ctx, in.Org, u.ID)
	if err != nil {
		return err
	}
	if !removed.IsZero() {
		return errs.E(errs.Forbidden, "you were removed from this organization; ask one of its admins to invite you again")
	}
	m = docs.Member{Org: in.Org, User: u, Role: in.Role, SSO: true, JoinedAt: tx.Now(), LastSeenAt: tx.Now()}
	if err := tx.AddMember(ctx, m); err != nil {
		return err
	}
	if in.Team != "" {
		if err := tx.PutTeamMember(ctx, in.Org, in.Team, u.ID, docs.TeamMember); err != nil {
			return err
		}
	}
	return audit.Record(ctx, tx, by, audit.Event{
		Org: in.Org, Action: "member.add", Kind: "user", ID: string(u.ID),
		Data: map[string]any{"role": in.Role, "team": in.Team, "provider": in.Provider},
	})
}

// syncTeams adds the user to each team whose value in in.Teams is true, and removes the user from
// each team whose value is false.
func syncTeams(ctx context.Context, tx *store.Tx, by authz.Actor, in Assertion) error {
	if len(in.Teams) == 0 {
		return nil
	}
	access, err := tx.Access(ctx, in.Org, by.User)
	if err != nil {
		return err
	}
	for _, team := range slices.Sorted(maps.Keys(in.Teams)) {
		if _, is := access.Teams[team]; is == in.Teams[team] {
			continue
		}
		if err := setTeam(ctx, tx, by, in, team); err != nil {
			return err
		}
	}
	return nil
}

func setTeam(ctx context.Context, tx *store.Tx, by authz.Actor, in Assertion, team docs.TeamID) error {
	if _, err := tx.Team(ctx, in.Org, team); errs.Is(err, errs.NotFound) {
		return nil // the team was deleted after the group was mapped to it
	} else if err != nil {
		return err
	}
	change := map[string]any{"provider": in.Provider, "added": 1}
	if in.Teams[team] {
		if err := tx.PutTeamMember(ctx, in.Org, team, by.User, docs.TeamMember); err != nil {
			return err
		}
	} else {
		change = map[string]any{"provider": in.Provider, "removed": 1}
		if _, err := tx.DropTeamMember(ctx, in.Org, team, by.User); err != nil {
			return err
		}
	}
	return audit.Record(ctx, tx, by, audit.Event{Org: in.Org, Action: "team.members", Kind: "team", ID: string(team), Data: change})
}
