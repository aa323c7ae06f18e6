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

// ServiceAccounts are the machines that act in an organization. Each is a user without an
// address and a member of exactly that organization, so that permissions, teams and
// authors need no special case for it. It cannot sign in: it has tokens, which admins
// create.
type ServiceAccounts struct{ store *store.Store }

// ServiceAccountPatch is the input of Update. Absent fields remain unchanged.
type ServiceAccountPatch struct {
	Name opt.Val[string]
	Role opt.Val[docs.Role] // null is a guest, who has only what was granted directly
}

// checkMayGive returns an error if a role is above that of the caller.
func checkMayGive(g *authz.Grant, role docs.Role) error {
	if !g.Role.AtLeast(role) {
		return errs.E(errs.Forbidden, "you cannot give the role %q: your own role is %q", role, g.Role)
	}
	return nil
}

// serviceEvent returns the event of a change to a service account.
func serviceEvent(action string, m docs.Member) audit.Event {
	return audit.Event{
		Org: m.Org, Action: "service-account." + action, Kind: "service-account", ID: string(m.User.ID),
		Data: map[string]any{"name": m.User.DisplayName, "role": m.Role},
	}
}

// Create creates a service account of an organization.
func (s *ServiceAccounts) Create(ctx context.Context, g *authz.Grant, org docs.OrgID, name string, role docs.Role) (docs.Member, error) {
	return authz.InTx(ctx, s.store, g, func(tx *store.Tx, g *authz.Grant) (docs.Member, error) {
		m := docs.Member{Org: org, Role: role, JoinedAt: tx.Now()}
		if err := checkMayGive(g, role); err != nil {
			return m, err
		}
		n, err := tx.CountServiceAccounts(ctx, org)
		if err != nil {
			return m, err
		}
		if n >= MaxServiceAccounts {
			return m, errs.E(errs.Precondition, "the organization has %d service accounts, which is the maximum; delete some first", n)
		}
		m.User = docs.User{
			ID: store.NewID[docs.UserID](tx), Kind: docs.ServiceAccount, DisplayName: name, CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
		}
		if err := tx.AddUser(ctx, m.User); err != nil {
			return m, err
		}
		if err := tx.AddMember(ctx, m); err != nil {
			return m, err
		}
		return m, audit.Record(ctx, tx, g.Actor, serviceEvent("create", m))
	})
}

// List lists the service accounts of an organization.
func (s *ServiceAccounts) List(org docs.OrgID) store.List[docs.Member] {
	return store.List[docs.Member]{
		Page: func(ctx context.Context, p store.Page) ([]docs.Member, store.Key, error) {
			return s.store.ServiceAccounts(ctx, org, p)
		},
		Count: func(ctx context.Context) (int64, error) { return s.store.CountServiceAccounts(ctx, org) },
	}
}

// Get returns a service account of an organization.
func (s *ServiceAccounts) Get(ctx context.Context, org docs.OrgID, id docs.UserID) (docs.Member, error) {
	return s.store.ServiceAccount(ctx, org, id)
}

// Update changes the name or the role of a service account.
func (s *ServiceAccounts) Update(ctx context.Context, g *authz.Grant, org docs.OrgID, id docs.UserID, p ServiceAccountPatch) (docs.Member, error) {
	return authz.InTx(ctx, s.store, g, func(tx *store.Tx, g *authz.Grant) (docs.Member, error) {
		m, err := tx.ServiceAccount(ctx, org, id)
		if err != nil {
			return m, err
		}
		before := m
		m.User.DisplayName = p.Name.Or(m.User.DisplayName)
		if p.Role.IsSet() {
			m.Role = p.Role.Or(docs.Guest)
		}
		if err := checkMayGive(g, m.Role); err != nil {
			return m, err
		}
		if audit.Same(before, m) {
			return before, nil
		}
		m.User.UpdatedAt = tx.Now()
		if err := tx.PutUser(ctx, m.User); err != nil {
			return m, err
		}
		if err := tx.PutMember(ctx, m); err != nil {
			return m, err
		}
		return m, audit.Record(ctx, tx, g.Actor, serviceEvent("update", m).Changed(before, m))
	})
}

// Delete revokes the tokens of a service account at once and removes it
// from the organization. What it wrote is kept, with its name.
func (s *ServiceAccounts) Delete(ctx context.Context, g *authz.Grant, org docs.OrgID, id docs.UserID) error {
	return authz.Do(ctx, s.store, g, func(tx *store.Tx, g *authz.Grant) error {
		m, err := tx.ServiceAccount(ctx, org, id)
		if err != nil {
			return err
		}
		n, err := tx.DropTokens(ctx, store.TokenFilter{User: id})
		if err != nil {
			return err
		}
		if _, err := tx.DropMember(ctx, org, id); err != nil {
			return err
		}
		e := serviceEvent("delete", m)
		e.Data["tokens"] = n
		return audit.Record(ctx, tx, g.Actor, e)
	})
}

// Tokens lists the tokens of a service account.
func (s *ServiceAccounts) Tokens(ctx context.Context, org docs.OrgID, id docs.UserID) (store.List[docs.Token], error) {
	_, err := s.store.ServiceAccount(ctx, org, id)
	return listTokens(s.store.Reader, store.TokenFilter{User: id}), err
}

// CreateToken creates a token of a service account. It has no more rights than the
// token of the request: it expires no later, and has no other scopes.
func (s *ServiceAccounts) CreateToken(ctx context.Context, g *authz.Grant, org docs.OrgID, id docs.UserID, in NewToken) (docs.Token, string, error) {
	in.owner, in.org = id, org
	t, err := authz.InTx(ctx, s.store, g, func(tx *store.Tx, g *authz.Grant) (madeToken, error) {
		if _, err := tx.ServiceAccount(ctx, org, id); err != nil {
			return madeToken{}, err
		}
		return requestToken(ctx, tx, g.Actor, in)
	})
	return t.Token, t.secret, err
}

// RevokeToken revokes a token of a service account at once.
func (s *ServiceAccounts) RevokeToken(ctx context.Context, g *authz.Grant, org docs.OrgID, id docs.UserID, token docs.TokenID) error {
	return authz.Do(ctx, s.store, g, func(tx *store.Tx, g *authz.Grant) error {
		if _, err := tx.ServiceAccount(ctx, org, id); err != nil {
			return err
		}
		return revoke(ctx, tx, g.Actor, store.TokenFilter{User: id, Org: org}, token)
	})
}
