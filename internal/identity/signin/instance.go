package signin

import (
	"context"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
)

// SignInByOperator opens a session for a person whom the operator's provider has authenticated. The
// session has the same rights as one by mail. proved reports that the operator trusts the provider
// to verify addresses, and that the provider asserts that this address is verified.
func (s *Service) SignInByOperator(ctx context.Context, in Assertion, proved bool) (NewSession, error) {
	email, err := docs.ParseEmail(in.Email)
	if err != nil {
		return NewSession{}, errs.E(errs.Forbidden, "the identity provider sent no e-mail address; ask the operator of this server")
	}
	secret := docs.NewSessionSecret()
	t, err := store.InTx(ctx, s.Store, func(tx *store.Tx) (docs.Token, error) {
		u, err := s.accountForInstance(ctx, tx, in, email, proved)
		if err != nil {
			return docs.Token{}, err
		}
		return s.open(ctx, tx, authz.Actor{User: u.ID, Request: in.Request, Session: true}, in.Method, in.Agent, secret)
	})
	return NewSession{Secret: secret, Until: t.ExpiresAt.Std(), Next: LocalPath(in.Next)}, err
}

// errUnproved is returned if the address is not verified and has no account. Without this check,
// a person could create an account for the address of somebody else and wait in it for the owner.
var errUnproved = errs.E(errs.Forbidden, "your address is not proved yet; sign in by mail first, and link the provider on the page of your account")

var errNotLinkedHere = errs.E(errs.Forbidden, "there is an account with your address that does not sign in this way yet; sign in as you did before, and link the provider on the page of your account")

// accountForInstance returns the account of the person in an assertion, and creates one if the
// address has none. Unless the identity is linked already, the address must be proved.
func (s *Service) accountForInstance(ctx context.Context, tx *store.Tx, in Assertion, email docs.Email, proved bool) (docs.User, error) {
	known, err := tx.Identity(ctx, in.Provider, in.Subject)
	if err == nil {
		return tx.User(ctx, known.User)
	}
	if !errs.Is(err, errs.NotFound) {
		return docs.User{}, err
	}
	u, err := tx.UserByEmail(ctx, email)
	switch {
	case errs.Is(err, errs.NotFound) && !proved:
		err = errUnproved
	case errs.Is(err, errs.NotFound):
		u = docs.User{
			ID: docs.NewUserID(), Email: email, Verified: true, DisplayName: displayName(in.Name, email), CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
		}
		err = tx.AddUser(ctx, u)
	case err == nil && !proved:
		err = errNotLinkedHere
	case err == nil:
		err = s.verifyEmail(ctx, tx, authz.Actor{User: u.ID, Request: in.Request, Session: true}, u, email)
	}
	if err != nil {
		return u, err
	}
	return u, addIdentity(ctx, tx, in, u.ID)
}

// LinkIdentity links an identity of the operator's provider to the account of a signed-in user, who
// can then sign in through that provider.
func (s *Service) LinkIdentity(ctx context.Context, in Assertion, user docs.UserID) error {
	return s.Store.Do(ctx, func(tx *store.Tx) error {
		known, err := tx.Identity(ctx, in.Provider, in.Subject)
		switch {
		case err == nil && known.User == user:
			return nil
		case err == nil:
			return errs.E(errs.Conflict, "this identity signs in to another account already")
		case !errs.Is(err, errs.NotFound):
			return err
		}
		have, err := tx.IdentitiesOf(ctx, user, MaxIdentities)
		if err != nil {
			return err
		}
		if len(have) >= MaxIdentities {
			return errs.E(errs.Precondition, "your account is linked with %d identities, which is the maximum; unlink one first", len(have))
		}
		if err := addIdentity(ctx, tx, in, user); err != nil {
			return err
		}
		return enqueueAdded(ctx, tx, user, "identity "+in.Provider+" "+in.Subject, "can be signed in to through an identity provider that was linked with it")
	})
}

// MaxIdentities is the maximum number of identities of the operator's provider in one account.
const MaxIdentities = 20

// Identities lists the identities of the operator's provider that are linked to the caller's account.
func (s *Service) Identities(ctx context.Context, g *authz.Grant) ([]docs.Identity, error) {
	if g.Actor.RequireFullAccount() != nil {
		return nil, nil
	}
	return s.Store.IdentitiesOf(ctx, g.Actor.User, MaxIdentities)
}

// Unlink removes an identity from the caller's account. It ends the caller's sessions that were
// opened by OIDC and are not limited to an organization, except the session of the request.
func (s *Service) Unlink(ctx context.Context, g *authz.Grant, provider, subject string) error {
	if !g.Actor.Session {
		return errs.E(errs.Forbidden, "sign in to unlink an identity; a token cannot do it")
	}
	if err := g.Actor.RequireFullAccount(); err != nil {
		return err
	}
	return authz.Do(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) error {
		had, err := tx.DropIdentity(ctx, g.Actor.User, provider, subject)
		if err != nil {
			return err
		}
		if !had {
			return errs.Missing("identity")
		}
		if err := endOthers(ctx, tx, g.Actor, docs.SignInByOIDC); err != nil {
			return err
		}
		return audit.Record(ctx, tx, g.Actor, audit.Event{
			Action: "user.unlink", Kind: "user", ID: string(g.Actor.User), Data: map[string]any{"provider": provider},
		})
	})
}

// endOthers ends the user's sessions with the given method, except the session of the request.
// Sessions that are limited to an organization continue.
func endOthers(ctx context.Context, tx *store.Tx, by authz.Actor, how docs.SignInMethod) error {
	all := store.TokenFilter{User: by.User, Sessions: true}
	n, err := tx.CountTokens(ctx, all)
	if err != nil {
		return err
	}
	sessions, _, err := tx.Tokens(ctx, all, store.Page{Limit: int(n)})
	if err != nil {
		return err
	}
	for _, t := range sessions {
		if t.Org != "" || t.Method != how || t.ID == by.Token {
			continue
		}
		if _, err := tx.DropToken(ctx, all, t.ID); err != nil {
			return err
		}
	}
	return nil
}

func addIdentity(ctx context.Context, tx *store.Tx, in Assertion, user docs.UserID) error {
	if err := tx.AddIdentity(ctx, docs.Identity{Provider: in.Provider, Subject: in.Subject, User: user, CreatedAt: tx.Now()}); err != nil {
		return err
	}
	return audit.Record(ctx, tx, authz.Actor{User: user, Request: in.Request, Session: true}, audit.Event{
		Action: "user.link", Kind: "user", ID: string(user), Data: map[string]any{"provider": in.Provider},
	})
}
