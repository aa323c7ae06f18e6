package orgs

import (
	"context"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/store"
)

// Accounts are the accounts of people: the caller's own, and those that the caller can see.
type Accounts struct{ store *store.Store }

// Me returns the caller's own account.
func (s *Accounts) Me(ctx context.Context, g *authz.Grant) (docs.User, error) {
	return s.store.User(ctx, g.Actor.User)
}

// User returns an account that the caller can see: their own, or that of a member of an
// organization in which they are more than a guest.
func (s *Accounts) User(ctx context.Context, g *authz.Grant, id docs.UserID) (docs.User, error) {
	return s.store.UserVisibleTo(ctx, id, caller(g))
}

// UserPatch is the input of Update.
type UserPatch struct {
	DisplayName opt.Val[string]
	PhotoURL    opt.Val[string]
}

// Update changes the caller's own account.
func (s *Accounts) Update(ctx context.Context, g *authz.Grant, id docs.UserID, p UserPatch) (docs.User, error) {
	if photo, ok := p.PhotoURL.Get(); ok {
		if err := docs.CheckWebURL("photoURL", photo); err != nil {
			return docs.User{}, err
		}
	}
	return authz.InTx(ctx, s.store, g, func(tx *store.Tx, g *authz.Grant) (docs.User, error) {
		u, err := tx.UserVisibleTo(ctx, id, caller(g))
		if err != nil {
			return u, err
		}
		if id != g.Actor.User {
			return u, errs.E(errs.Forbidden, "you can change only your own account")
		}
		if err := g.Actor.RequireFullAccount(); err != nil {
			return u, err
		}
		before := u
		u.DisplayName, u.PhotoURL = p.DisplayName.Or(u.DisplayName), p.PhotoURL.Or(u.PhotoURL)
		if audit.Same(before, u) {
			return before, nil
		}
		u.UpdatedAt = tx.Now()
		if err := tx.PutUser(ctx, u); err != nil {
			return u, err
		}
		return u, audit.Record(ctx, tx, g.Actor, audit.Event{Action: "user.update", Kind: "user", ID: string(id)}.Changed(before, u))
	})
}

func addUser(ctx context.Context, tx *store.Tx, e docs.Email, verified bool) (docs.User, error) {
	u := docs.User{
		ID: docs.NewUserID(), Email: e, Verified: verified, DisplayName: e.Name(),
		CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
	}
	return u, tx.AddUser(ctx, u)
}
