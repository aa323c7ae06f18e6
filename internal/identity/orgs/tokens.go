package orgs

import (
	"context"
	"time"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/store"
)

// Tokens are the tokens of people, and those that are used in an organization.
type Tokens struct{ store *store.Store }

// NewToken is the input of Create.
type NewToken struct {
	Label     string
	Scopes    docs.Scopes
	ExpiresAt opt.Val[docs.Time] // if absent: never, or with the token of the request

	owner docs.UserID // user of the token
	org   docs.OrgID  // the only organization that it is valid for; empty for all of the owner
}

// Create creates a token for the caller and returns its secret, which is not stored.
// The token expires no later than the token of the request. That limit does not apply to
// sessions, in which a person decides.
func (s *Tokens) Create(ctx context.Context, g *authz.Grant, in NewToken) (docs.Token, string, error) {
	t, err := authz.InTx(ctx, s.store, g, func(tx *store.Tx, g *authz.Grant) (madeToken, error) {
		u, err := tx.User(ctx, g.Actor.User)
		if err != nil {
			return madeToken{}, err
		}
		if u.Kind != docs.Person {
			return madeToken{}, errs.E(errs.Forbidden, "tokens of a service account are made by the admins of its organization")
		}
		own := in
		own.owner, own.org = u.ID, g.Actor.Org
		return requestToken(ctx, tx, g.Actor, own)
	})
	return t.Token, t.secret, err
}

// madeToken is a new token with its secret, which is not stored.
type madeToken struct {
	docs.Token
	secret string
}

// requestToken creates a token for a request, within the limits of the token of the
// request.
func requestToken(ctx context.Context, tx *store.Tx, by authz.Actor, in NewToken) (madeToken, error) {
	var wrong errs.Mistakes
	if at, ok := in.ExpiresAt.Get(); ok && at <= tx.Now() {
		wrong.Field("expiresAt", "must be in the future")
	}
	if end := by.Expires; !end.IsZero() && !by.Session {
		if at := in.ExpiresAt.Or(end); at.IsZero() || at > end {
			wrong.Field("expiresAt", "must not be later than the end of the token of this request, which is %s", end.Std().Format(time.RFC3339))
		}
		in.ExpiresAt = opt.Of(in.ExpiresAt.Or(end))
	}
	if !by.Scopes.Cover(in.Scopes) {
		wrong.Field("scopes", "must be scopes that the token of this request has")
	}
	if err := wrong.Err(); err != nil {
		return madeToken{}, err
	}
	n, err := tx.CountTokens(ctx, store.TokenFilter{User: in.owner, Org: in.org})
	if err != nil {
		return madeToken{}, err
	}
	if n >= MaxTokens {
		return madeToken{}, errs.E(errs.Precondition, "there are %d tokens, which is the maximum; revoke some first", n)
	}
	t, secret, err := addToken(ctx, tx, by, in)
	if err == nil && !by.Session {
		err = tx.InheritBlocks(ctx, by.Token, t.ID)
	}
	return madeToken{t, secret}, err
}

func addToken(ctx context.Context, tx *store.Tx, by authz.Actor, in NewToken) (docs.Token, string, error) {
	secret := docs.NewSecret()
	t := docs.Token{
		ID: store.NewID[docs.TokenID](tx), User: in.owner, Org: in.org, Label: in.Label, Scopes: in.Scopes,
		CreatedAt: tx.Now(), ExpiresAt: in.ExpiresAt.Or(0),
	}
	if err := tx.AddToken(ctx, t, docs.HashSecret(secret)); err != nil {
		return t, "", err
	}
	if in.org != "" {
		if err := tx.AddOrgToken(ctx, in.org, t.ID); err != nil {
			return t, "", err
		}
	}
	return t, secret, audit.Record(ctx, tx, by, tokenEvent("create", in.org, t.ID, map[string]any{"label": t.Label, "owner": t.User, "scopes": t.Scopes}))
}

func tokenEvent(action string, org docs.OrgID, id docs.TokenID, data map[string]any) audit.Event {
	return audit.Event{Org: org, Action: "token." + action, Kind: "token", ID: string(id), Data: data}
}

// listTokens lists the tokens that match a filter.
func listTokens(r store.Reader, f store.TokenFilter) store.List[docs.Token] {
	return store.List[docs.Token]{
		Page:  func(ctx context.Context, p store.Page) ([]docs.Token, store.Key, error) { return r.Tokens(ctx, f, p) },
		Count: func(ctx context.Context) (int64, error) { return r.CountTokens(ctx, f) },
	}
}

// List lists the caller's tokens.
func (s *Tokens) List(g *authz.Grant) store.List[docs.Token] {
	return listTokens(s.store.Reader, store.TokenFilter{User: g.Actor.User, Org: g.Actor.Org})
}

// Revoke revokes one of the caller's tokens at once.
func (s *Tokens) Revoke(ctx context.Context, g *authz.Grant, id docs.TokenID) error {
	return authz.Do(ctx, s.store, g, func(tx *store.Tx, g *authz.Grant) error {
		return revoke(ctx, tx, g.Actor, store.TokenFilter{User: g.Actor.User, Org: g.Actor.Org}, id)
	})
}

func revoke(ctx context.Context, tx *store.Tx, by authz.Actor, f store.TokenFilter, id docs.TokenID) error {
	had, err := tx.DropToken(ctx, f, id)
	if err != nil {
		return err
	}
	if !had {
		return errs.Missing("token")
	}
	return audit.Record(ctx, tx, by, tokenEvent("revoke", f.Org, id, map[string]any{"owner": f.User}))
}

// OfOrg lists the tokens of an organization's service accounts, and the tokens of
// members that were used in the organization.
func (s *Tokens) OfOrg(org docs.OrgID) store.List[docs.UsedToken] {
	return store.List[docs.UsedToken]{
		Page: func(ctx context.Context, p store.Page) ([]docs.UsedToken, store.Key, error) {
			return s.store.OrgTokens(ctx, org, p)
		},
		Count: func(ctx context.Context) (int64, error) { return s.store.CountOrgTokens(ctx, org) },
	}
}

// RevokeForOrg revokes a token for an organization. A token that is valid only for the
// organization is deleted. Any other token belongs to its owner, who may use it in other
// organizations, so it is only blocked in this one.
func (s *Tokens) RevokeForOrg(ctx context.Context, g *authz.Grant, org docs.OrgID, id docs.TokenID) error {
	return authz.Do(ctx, s.store, g, func(tx *store.Tx, g *authz.Grant) error {
		t, err := tx.OrgToken(ctx, org, id)
		switch {
		case err != nil:
			return err
		case t.Org == org:
			return revoke(ctx, tx, g.Actor, store.TokenFilter{User: t.User, Org: org}, id)
		case !t.BlockedAt.IsZero():
			return errs.Missing("token")
		}
		if err := tx.BlockToken(ctx, org, id, tx.Now()); err != nil {
			return err
		}
		return audit.Record(ctx, tx, g.Actor, tokenEvent("block", org, id, map[string]any{"owner": t.User, "label": t.Label}))
	})
}

// Unblock makes an organization accept a token again that it has blocked.
func (s *Tokens) Unblock(ctx context.Context, g *authz.Grant, org docs.OrgID, id docs.TokenID) (docs.UsedToken, error) {
	return authz.InTx(ctx, s.store, g, func(tx *store.Tx, g *authz.Grant) (docs.UsedToken, error) {
		t, err := tx.OrgToken(ctx, org, id)
		if err != nil || t.BlockedAt.IsZero() {
			return t, err
		}
		t.BlockedAt = 0
		if err := tx.BlockToken(ctx, org, id, t.BlockedAt); err != nil {
			return t, err
		}
		return t, audit.Record(ctx, tx, g.Actor, tokenEvent("unblock", org, id, map[string]any{"owner": t.User, "label": t.Label}))
	})
}
