package signin

import (
	"context"
	"strings"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
)

// Arrival is somebody whom an identity provider of an organization has sent. What the
// provider asserts was verified before.
type Arrival struct {
	Org      docs.OrgID
	Provider string // its id
	Method   docs.SignInMethod
	Subject  string // what the provider calls the person
	Email    string
	Proved   bool // the provider is sure that the address is theirs
	Name     string
	Role     docs.Role   // of who is new in the organization
	Team     docs.TeamID // of who is new in the organization; empty: none
	Agent    string
	Request  string
	Next     string
}

// maxSubject is the greatest length of a name for a person, in bytes.
const maxSubject = 1024

// Arrive opens a session for whom a provider of an organization vouches. The session is good
// for that organization only: others do not trust its provider.
func (s *Service) Arrive(ctx context.Context, in Arrival) (Opened, error) {
	email, err := docs.ParseEmail(in.Email)
	switch {
	case err != nil:
		return Opened{}, errs.E(errs.Forbidden, "the identity provider sent no e-mail address; ask an admin to make it send one")
	case in.Subject == "" || len(in.Subject) > maxSubject:
		return Opened{}, errs.E(errs.Forbidden, "the identity provider did not say who you are; ask an admin to check its configuration")
	}
	out := Opened{Secret: docs.NewSessionSecret(), Next: LocalPath(in.Next)}
	err = s.Store.Do(ctx, func(tx *store.Tx) error {
		u, err := s.whoArrives(ctx, tx, in, email)
		if err != nil {
			return err
		}
		by := authz.Actor{User: u.ID, Org: in.Org, Request: in.Request, Session: true}
		if err := s.admit(ctx, tx, by, in, u); err != nil {
			return err
		}
		t, err := s.open(ctx, tx, by, in.Method, in.Agent, out.Secret)
		out.Until = t.ExpiresAt.Std()
		return err
	})
	return out, err
}

// errNotLinked is the error of somebody whose address belongs to an account that the provider
// may not sign in.
var errNotLinked = errs.E(errs.Forbidden, "there is an account with your address that does not sign in this way; sign in as you did before, or ask an admin of the organization to mark you as a member of single sign-on")

// errNotProved is the error of somebody whose address the provider does not vouch for.
var errNotProved = errs.E(errs.Forbidden, "there is an account with your address, and the identity provider does not say that the address is proved (email_verified); ask an admin to make it say so")

// whoArrives returns the account of somebody who arrives. An account that exists is not
// taken over because a provider knows its address: an admin has marked the member for single
// sign-on, and the person has either used the organization or proved the address nowhere.
func (s *Service) whoArrives(ctx context.Context, tx *store.Tx, in Arrival, email docs.Email) (docs.User, error) {
	known, err := tx.Identity(ctx, in.Provider, in.Subject)
	if err == nil {
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

// displayName returns the name of a new account.
func displayName(name string, e docs.Email) string {
	name = strings.TrimSpace(clip(strings.Join(strings.Fields(name), " "), 64))
	if name == "" {
		name, _, _ = strings.Cut(string(e), "@")
	}
	return name
}

// admit makes sure that somebody who arrives is a member.
func (s *Service) admit(ctx context.Context, tx *store.Tx, by authz.Actor, in Arrival, u docs.User) error {
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
