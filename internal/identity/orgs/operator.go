package orgs

import (
	"context"
	"errors"
	"maps"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
)

// Operator is what the operator of the server does at the command line. It needs no
// permission, because its caller owns the data folder.
type Operator struct{ store *store.Store }

// Bootstrapped is the result of Bootstrap, which the command line prints.
type Bootstrapped struct {
	User         docs.UserID `json:"user"`
	Organization docs.OrgID  `json:"organization"`
	Token        string      `json:"token"`
}

// Bootstrap ensures that a user with a verified address exists and is the admin of an
// organization with a title, and returns a new token of the user.
func (s *Operator) Bootstrap(ctx context.Context, address, title, label string) (Bootstrapped, error) {
	return store.InTx(ctx, s.store, func(tx *store.Tx) (Bootstrapped, error) {
		u, err := operatorUser(ctx, tx, address)
		if err != nil {
			return Bootstrapped{}, err
		}
		by := authz.AtCommandLine(u.ID)
		o, err := tx.OrganizationByTitle(ctx, u.ID, title)
		if errs.Is(err, errs.NotFound) {
			o, err = create(ctx, tx, by, NewOrganization{Title: title}, []string{})
		}
		if err != nil {
			return Bootstrapped{}, err
		}
		secret, err := addOperatorToken(ctx, tx, NewToken{Label: label, owner: u.ID})
		return Bootstrapped{User: u.ID, Organization: o.ID, Token: secret}, err
	})
}

// CreateUser creates an account with a verified address, for the operator. If there is
// one, the error is errs.Conflict.
func (s *Operator) CreateUser(ctx context.Context, address string) (docs.UserID, error) {
	return store.InTx(ctx, s.store, func(tx *store.Tx) (docs.UserID, error) {
		e, err := docs.ParseEmail(address)
		if err != nil {
			return "", err
		}
		u, err := tx.UserByEmail(ctx, e)
		if err == nil {
			return u.ID, errs.E(errs.Conflict, "%s has an account: %s", e, u.ID)
		}
		if !errs.Is(err, errs.NotFound) {
			return "", err
		}
		u, err = operatorUser(ctx, tx, address)
		return u.ID, err
	})
}

// operatorUser returns the user with an address that the operator vouches for, and
// creates the user if necessary.
func operatorUser(ctx context.Context, tx *store.Tx, address string) (docs.User, error) {
	e, err := docs.ParseEmail(address)
	if err != nil {
		return docs.User{}, err
	}
	u, err := knownUser(ctx, tx, address)
	if errs.Is(err, errs.NotFound) {
		u, err = addUser(ctx, tx, e, true)
		return u, errors.Join(err, recordUser(ctx, tx, u, "create"))
	}
	return u, err
}

// knownUser returns the user with an address that the operator vouches for, or
// errs.NotFound.
func knownUser(ctx context.Context, tx *store.Tx, address string) (docs.User, error) {
	e, err := docs.ParseEmail(address)
	if err != nil {
		return docs.User{}, err
	}
	u, err := tx.UserByEmail(ctx, e)
	if err != nil || u.Verified {
		return u, err
	}
	u.Verified, u.UpdatedAt = true, tx.Now()
	return u, errors.Join(tx.PutUser(ctx, u), recordUser(ctx, tx, u, "verify"))
}

func recordUser(ctx context.Context, tx *store.Tx, u docs.User, action string) error {
	return audit.Record(ctx, tx, authz.AtCommandLine(u.ID), audit.Event{
		Action: "user." + action, Kind: "user", ID: string(u.ID), Data: map[string]any{"email": u.Email},
	})
}

// FindUser returns a user by address or id, for the operator.
func (s *Operator) FindUser(ctx context.Context, who string) (docs.User, error) {
	if e, err := docs.ParseEmail(who); err == nil {
		return s.store.UserByEmail(ctx, e)
	}
	return s.store.User(ctx, docs.UserID(who))
}

// DeleteUser deletes the account of a person, for the operator. who is an address or an
// id.
func (s *Operator) DeleteUser(ctx context.Context, who string) (docs.UserID, error) {
	u, err := s.FindUser(ctx, who)
	if err != nil {
		return "", err
	}
	return u.ID, s.store.Do(ctx, func(tx *store.Tx) error {
		u, err := tx.User(ctx, u.ID)
		if err != nil {
			return err
		}
		return deleteUser(ctx, tx, authz.AtCommandLine(""), u)
	})
}

// CreateToken creates a token for the user with an address that the operator vouches
// for. If there is no such user, the error is errs.NotFound: a misspelled address must not
// become an account.
func (s *Operator) CreateToken(ctx context.Context, address string, in NewToken) (string, error) {
	return store.InTx(ctx, s.store, func(tx *store.Tx) (string, error) {
		u, err := knownUser(ctx, tx, address)
		if err != nil {
			return "", err
		}
		of := in
		of.owner = u.ID
		return addOperatorToken(ctx, tx, of)
	})
}

// addOperatorToken adds a token that the operator creates for a user.
func addOperatorToken(ctx context.Context, tx *store.Tx, in NewToken) (string, error) {
	by := authz.AtCommandLine("")
	t, secret, err := addToken(ctx, tx, by, in)
	if err != nil {
		return "", err
	}
	return secret, RecordInAll(ctx, tx, by, in.owner, tokenEvent("create", "", t.ID, map[string]any{"label": t.Label, "owner": t.User, "scopes": t.Scopes}))
}

// RevokeToken revokes a token of a user at once, for the command line.
func (s *Operator) RevokeToken(ctx context.Context, user docs.UserID, id docs.TokenID) error {
	return s.store.Do(ctx, func(tx *store.Tx) error {
		by := authz.AtCommandLine("")
		if err := revoke(ctx, tx, by, store.TokenFilter{User: user}, id); err != nil {
			return err
		}
		return RecordInAll(ctx, tx, by, user, tokenEvent("revoke", "", id, map[string]any{"owner": user}))
	})
}

// RecordInAll records an event in the log of each organization of a user: what the
// operator does with an account concerns all of them.
func RecordInAll(ctx context.Context, tx *store.Tx, by authz.Actor, user docs.UserID, e audit.Event) error {
	all, err := tx.Memberships(ctx, user)
	for _, m := range all {
		if err == nil {
			e.Org = m.Org
			err = audit.Record(ctx, tx, by, e)
		}
	}
	return err
}

// DeleteOrganization deletes an organization, for the command line.
func (s *Operator) DeleteOrganization(ctx context.Context, id docs.OrgID) error {
	return s.store.Do(ctx, func(tx *store.Tx) error { return deleteOrg(ctx, tx, authz.AtCommandLine(""), id) })
}

// RestoreOrganization restores an organization, for the command line.
func (s *Operator) RestoreOrganization(ctx context.Context, id docs.OrgID) (docs.Organization, error) {
	return store.InTx(ctx, s.store, func(tx *store.Tx) (docs.Organization, error) {
		return restoreOrg(ctx, tx, authz.AtCommandLine(""), id)
	})
}

// SetQuotas changes the quotas of an organization, or of one of its spaces, for
// the command line. The quotas in unlimited are removed.
func (s *Operator) SetQuotas(ctx context.Context, org docs.OrgID, space docs.SpaceID, set docs.Quotas, unlimited []docs.Quota) error {
	return s.store.Do(ctx, func(tx *store.Tx) error {
		o, err := tx.Organization(ctx, org)
		if err != nil {
			return err
		}
		event := audit.Event{Org: org, Action: "organization.quota", Kind: "organization", ID: string(org)}
		var was docs.Quotas
		if space == "" {
			was, err = tx.Quotas(ctx, o.ID)
		} else {
			var sp store.Stamped[docs.Space]
			if sp, err = tx.Space(ctx, space); err == nil && sp.It.Org != org {
				err = errs.Missing("space")
			}
			if err != nil {
				return err
			}
			event.Action, event.Kind, event.ID = "space.quota", "space", string(space)
			was, err = tx.SpaceQuotas(ctx, space)
		}
		if err != nil {
			return err
		}
		now := changed(was, set, unlimited)
		event.Data = map[string]any{"before": was, "quotas": now}
		if err := audit.Record(ctx, tx, authz.AtCommandLine(""), event); err != nil {
			return err
		}
		if space == "" {
			return tx.SetQuotas(ctx, org, now)
		}
		return tx.SetSpaceQuotas(ctx, space, now)
	})
}

// changed returns quotas with some set and others removed.
func changed(was, set docs.Quotas, unlimited []docs.Quota) docs.Quotas {
	now := docs.Quotas{}
	maps.Copy(now, was)
	maps.Copy(now, set)
	for _, of := range unlimited {
		delete(now, of)
	}
	return now
}
