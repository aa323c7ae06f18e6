package orgs

import (
	"context"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
)

// Members are the people of an organization.
type Members struct {
	store  *store.Store
	limits Limits
}

// memberEvent returns the event of a change to a member.
func memberEvent(org docs.OrgID, action string, user docs.UserID, data map[string]any) audit.Event {
	return audit.Event{Org: org, Action: "member." + action, Kind: "user", ID: string(user), Data: data}
}

// member returns a member who is a person. Service accounts have their own methods.
func member(ctx context.Context, r store.Reader, org docs.OrgID, user docs.UserID) (docs.Member, error) {
	m, err := r.Member(ctx, org, user)
	if err == nil && m.User.Kind != docs.Person {
		return docs.Member{}, errs.Missing("member")
	}
	return m, err
}

// checkOtherAdmin returns an error if the organization would have no admin without m.
func checkOtherAdmin(ctx context.Context, tx *store.Tx, m docs.Member) error {
	if m.Role != docs.Admin || m.Disabled {
		return nil
	}
	n, err := tx.CountAdmins(ctx, m.Org)
	if err != nil || n > 1 {
		return err
	}
	return errs.E(errs.Precondition, "%s is the last admin of the organization; make somebody else admin first", m.User.DisplayName)
}

// SetRole changes the role of a member.
func (s *Members) SetRole(ctx context.Context, g *authz.Grant, org docs.OrgID, user docs.UserID, role docs.Role) (docs.Member, error) {
	return authz.InTx(ctx, s.store, g, func(tx *store.Tx, g *authz.Grant) (docs.Member, error) {
		m, err := member(ctx, tx.Reader, org, user)
		if err != nil {
			return m, err
		}
		err = setRole(ctx, tx, g.Actor, &m, role)
		return m, err
	})
}

func setRole(ctx context.Context, tx *store.Tx, by authz.Actor, m *docs.Member, role docs.Role) error {
	if m.Role == role {
		return nil
	}
	if err := checkOtherAdmin(ctx, tx, *m); err != nil {
		return err
	}
	before := *m
	m.Role = role
	if err := tx.PutMember(ctx, *m); err != nil {
		return err
	}
	return audit.Record(ctx, tx, by, memberEvent(m.Org, "role", m.User.ID, map[string]any{"from": before.Role, "to": role}).Changed(before, *m))
}

// SetDisabled withdraws the access of a member at once, or restores it. The member's
// content, teams and grants are kept.
func (s *Members) SetDisabled(ctx context.Context, g *authz.Grant, org docs.OrgID, user docs.UserID, disabled bool) (docs.Member, error) {
	return authz.InTx(ctx, s.store, g, func(tx *store.Tx, g *authz.Grant) (docs.Member, error) {
		m, err := member(ctx, tx.Reader, org, user)
		if err != nil {
			return m, err
		}
		err = setDisabled(ctx, tx, g.Actor, &m, disabled)
		return m, err
	})
}

func setDisabled(ctx context.Context, tx *store.Tx, by authz.Actor, m *docs.Member, disabled bool) error {
	if m.Disabled == disabled {
		return nil
	}
	action := "reactivate"
	if disabled {
		action = "deactivate"
		if err := checkOtherAdmin(ctx, tx, *m); err != nil {
			return err
		}
	}
	before := *m
	m.Disabled = disabled
	if err := tx.PutMember(ctx, *m); err != nil {
		return err
	}
	if disabled {
		if err := tx.DropTokensOfOrg(ctx, m.Org, m.User.ID); err != nil {
			return err
		}
	}
	return audit.Record(ctx, tx, by, memberEvent(m.Org, action, m.User.ID, nil).Changed(before, *m))
}

// MarkSSO allows a member to sign in through the organization's identity provider.
func (s *Members) MarkSSO(ctx context.Context, g *authz.Grant, org docs.OrgID, user docs.UserID) (docs.Member, error) {
	return authz.InTx(ctx, s.store, g, func(tx *store.Tx, g *authz.Grant) (docs.Member, error) {
		m, err := member(ctx, tx.Reader, org, user)
		if err != nil || m.SSO {
			return m, err
		}
		m.SSO = true
		if err := tx.PutMember(ctx, m); err != nil {
			return m, err
		}
		return m, audit.Record(ctx, tx, g.Actor, memberEvent(org, "sso", user, nil))
	})
}

// Remove removes a member from an organization, with all grants and teams.
func (s *Members) Remove(ctx context.Context, g *authz.Grant, org docs.OrgID, user docs.UserID) error {
	return authz.Do(ctx, s.store, g, func(tx *store.Tx, g *authz.Grant) error { return removeMember(ctx, tx, g.Actor, org, user) })
}

func removeMember(ctx context.Context, tx *store.Tx, by authz.Actor, org docs.OrgID, user docs.UserID) error {
	m, err := member(ctx, tx.Reader, org, user)
	if err != nil {
		return err
	}
	if err := checkOtherAdmin(ctx, tx, m); err != nil {
		return err
	}
	if _, err := tx.DropMember(ctx, org, user); err != nil {
		return err
	}
	if err := tx.DropTokensOfOrg(ctx, org, user); err != nil {
		return err
	}
	return audit.Record(ctx, tx, by, memberEvent(org, "remove", user, map[string]any{"role": m.Role}))
}

// Ping records that the caller is active.
func (s *Members) Ping(ctx context.Context, g *authz.Grant, org docs.OrgID) error {
	return authz.Do(ctx, s.store, g, func(tx *store.Tx, g *authz.Grant) error { return tx.TouchMember(ctx, org, g.Actor.User, tx.Now()) })
}

// List lists the members of an organization; for guests the list is empty.
func (s *Members) List(g *authz.Grant, org docs.OrgID, f store.MemberFilter) store.List[docs.Member] {
	return authz.VisiblePeople(g, store.List[docs.Member]{
		Page: func(ctx context.Context, p store.Page) ([]docs.Member, store.Key, error) {
			return s.store.Members(ctx, org, f, p)
		},
		Count: func(ctx context.Context) (int64, error) { return s.store.CountMembers(ctx, org, f) },
	})
}

// Get returns a member of an organization.
func (s *Members) Get(ctx context.Context, org docs.OrgID, user docs.UserID) (docs.Member, error) {
	return member(ctx, s.store.Reader, org, user)
}
