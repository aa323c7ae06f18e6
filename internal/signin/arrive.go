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

// Assertion is somebody whom an identity provider of an organization has sent. What the
// provider asserts was verified before.
type Assertion struct {
	Org      docs.OrgID
	Provider string // its id
	Method   docs.SignInMethod
	Subject  string // what the provider calls the person
	Email    string
	Proved   bool // the provider is sure that the address is theirs
	// Recyclable reports that the subject is an address, which may be of another person later.
	Recyclable bool
	Name       string
	Role       docs.Role            // of who is new in the organization
	Team       docs.TeamID          // of who is new in the organization; empty: none
	Teams      map[docs.TeamID]bool // whether the person is in a team, as the provider says; others are left alone
	AsOf       docs.Time            // when the provider was last changed before it vouched
	Agent      string
	Request    string
	Next       string
}

// TeamsOf returns which teams somebody is in and which not, from the teams of groups and the groups of the
// person. Without groups (nil) the provider says nothing.
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

// maxSubject is the greatest length of a name for a person, in bytes.
const maxSubject = 1024

// SignInToOrganization opens a session for whom a provider of an organization vouches. The session is good
// for that organization only: others do not trust its provider.
func (s *Service) SignInToOrganization(ctx context.Context, in Assertion) (NewSession, error) {
	email, err := docs.ParseEmail(in.Email)
	switch {
	case err != nil:
		return NewSession{}, errs.E(errs.Forbidden, "the identity provider sent no e-mail address; ask an admin to make it send one")
	case in.Subject == "" || len(in.Subject) > maxSubject:
		return NewSession{}, errs.E(errs.Forbidden, "the identity provider did not say who you are; ask an admin to check its configuration")
	}
	out := NewSession{Secret: docs.NewSessionSecret(), Next: LocalPath(in.Next)}
	err = s.Store.Do(ctx, func(tx *store.Tx) error {
		if err := stillVouches(ctx, tx, in); err != nil {
			return err
		}
		u, err := s.whoArrives(ctx, tx, in, email)
		if err != nil {
			return err
		}
		by := authz.Actor{User: u.ID, Org: in.Org, Request: in.Request, Session: true}
		if err := s.admit(ctx, tx, by, in, u); err != nil {
			return err
		}
		if err := syncTeams(ctx, tx, by, in); err != nil {
			return err
		}
		t, err := s.open(ctx, tx, by, in.Method, in.Agent, out.Secret)
		out.Until = t.ExpiresAt.Std()
		return err
	})
	return out, err
}

// errChanged is the error of somebody whose provider is not what it was when it vouched.
var errChanged = errs.E(errs.Conflict, "the identity provider was changed or removed while you signed in; begin again")

// stillVouches reads the provider again: an admin may have deleted it, or changed whom it trusts, since
// it was asked.
func stillVouches(ctx context.Context, tx *store.Tx, in Assertion) error {
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

// errNotLinked is the error of somebody whose address belongs to an account that the provider
// may not sign in.
var errNotLinked = errs.E(errs.Forbidden, "there is an account with your address that does not sign in this way; sign in as you did before, or ask an admin of the organization to mark you as a member of single sign-on")

// errNotProved is the error of somebody whose address the provider does not vouch for.
var errNotProved = errs.E(errs.Forbidden, "there is an account with your address, and the identity provider does not say that the address is proved (email_verified); ask an admin to make it say so")

// whoArrives returns the account of somebody who arrives. An account that exists is not
// taken over because a provider knows its address: an admin has marked the member for single
// sign-on, and the person has either used the organization or proved the address nowhere.
func (s *Service) whoArrives(ctx context.Context, tx *store.Tx, in Assertion, email docs.Email) (docs.User, error) {
	known, err := tx.Identity(ctx, in.Provider, in.Subject)
	if err == nil {
		if err := s.sameAgain(ctx, tx, in, known); err != nil {
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
			ID: store.NewID[docs.UserID](tx), Email: email, DisplayName: displayName(in.Name, email), CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
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

// errRecycled is the error of somebody with an address that another person may have had before.
var errRecycled = errs.E(errs.Forbidden, "you were removed from this organization and added again, and your address may have been somebody else's before; sign in once with a link by mail, and then here again")

// sameAgain asks for a new proof if the subject is an address and the membership is younger than what
// is known of the subject: the organization has removed whoever had the address, and given it
// perhaps to somebody else. Who reads its mail now has the account.
func (s *Service) sameAgain(ctx context.Context, tx *store.Tx, in Assertion, known docs.Identity) error {
	if !in.Recyclable {
		return nil
	}
	m, err := tx.Member(ctx, in.Org, known.User)
	if errs.Is(err, errs.NotFound) || err == nil && m.JoinedAt <= known.CreatedAt {
		return nil // admit decides
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

// maxLooked is how many sessions are looked at, which is more than somebody can have.
const maxLooked = 1000

// displayName returns the name of a new account.
func displayName(name string, e docs.Email) string {
	name = strings.TrimSpace(clip(strings.Join(strings.Fields(name), " "), 64))
	if name == "" {
		name, _, _ = strings.Cut(string(e), "@")
	}
	return name
}

// admit makes sure that somebody who arrives is a member.
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

// syncTeams makes somebody a member of the teams whose groups the provider names, and takes them
// out of those whose groups it does not name.
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
		return nil // it was deleted since the group was mapped to it
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
