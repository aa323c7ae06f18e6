package spaces

import (
	"context"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/store"
)

// grantEvent returns the event of a change of a grant.
func grantEvent(org docs.OrgID, g docs.Grant, action string) audit.Event {
	return audit.Event{Org: org, Action: "permission." + action, Kind: string(g.Node.Kind), ID: g.Node.ID, Data: map[string]any{
		"user": g.User, "team": g.Team, "role": g.Role,
	}}
}

// Share grants a role on the resource of g to users and teams of its organization. Users
// are identified by id or address. The empty role revokes grants, so that the users and
// teams inherit again. Either all grants are changed or none.
func (s *Service) Share(ctx context.Context, g *authz.Grant, users []string, teams []docs.TeamID, role docs.Role) error {
	return authz.Do(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) error {
		org := g.Access.Org
		var grants []docs.Grant
		for _, who := range users {
			u, err := orgs.FindMember(ctx, tx, g, org, who)
			if err != nil {
				return err
			}
			grants = append(grants, docs.Grant{Node: g.Node(), User: u, Role: role})
		}
		for _, t := range teams {
			if _, err := tx.Team(ctx, org, t); errs.Is(err, errs.NotFound) {
				return errs.At(errs.NotFound, "teams", "there is no team %q in the organization", t)
			} else if err != nil {
				return err
			}
			grants = append(grants, docs.Grant{Node: g.Node(), Team: t, Role: role})
		}
		return authz.KeepAbove(ctx, tx, g, g.Node().Level, func() error {
			for _, grant := range grants {
				if err := share(ctx, tx, g, grant); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// share sets one grant. Callers can neither grant a role above their own, nor change the
// grant of a user or team with a higher role.
func share(ctx context.Context, tx *store.Tx, g *authz.Grant, grant docs.Grant) error {
	has, err := effective(ctx, tx, g, grant)
	if err != nil {
		return err
	}
	if !g.Role.AtLeast(grant.Role) || !g.Role.AtLeast(has) {
		return errs.E(errs.Forbidden, "you cannot grant or revoke a role above your own, which is %q here", g.Role)
	}
	was := grant
	if was.Role, err = tx.GrantRole(ctx, grant); errs.Is(err, errs.NotFound) {
		was.Role = docs.Guest
	} else if err != nil {
		return err
	}
	if audit.Same(was, grant) {
		return nil
	}
	if grant.Role == docs.Guest {
		if _, err := tx.DropGrant(ctx, g.Access.Org, grant); err != nil {
			return err
		}
		return audit.Record(ctx, tx, g.Actor, grantEvent(g.Access.Org, grant, "remove").Changed(was, grant))
	}
	if err := tx.PutGrant(ctx, g.Access.Org, grant); err != nil {
		return err
	}
	return audit.Record(ctx, tx, g.Actor, grantEvent(g.Access.Org, grant, "set").Changed(was, grant))
}

// effective returns the role that a grant would replace. For a user it is the role by any
// rule, for a team the role of the nearest grant on the path.
func effective(ctx context.Context, tx *store.Tx, g *authz.Grant, grant docs.Grant) (docs.Role, error) {
	if grant.User != "" {
		access, err := tx.Access(ctx, g.Access.Org, grant.User)
		if err != nil {
			return docs.Guest, err
		}
		if access.OrgRole() == docs.Admin {
			return docs.Guest, nil // no grant reduces the rights of an admin of the organization
		}
		return access.Resolve(g.Path).Role, nil
	}
	for _, n := range g.Path {
		role, err := tx.GrantRole(ctx, docs.Grant{Node: n, Team: grant.Team})
		if !errs.Is(err, errs.NotFound) {
			return role, err
		}
	}
	return docs.Guest, nil
}

// UpdateGrant changes a grant; it returns NotFound if there is none.
func (s *Service) UpdateGrant(ctx context.Context, g *authz.Grant, grant docs.Grant) error {
	return authz.Do(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) error {
		if _, err := tx.GrantRole(ctx, grant); err != nil {
			return err
		}
		return authz.KeepAbove(ctx, tx, g, g.Node().Level, func() error { return share(ctx, tx, g, grant) })
	})
}

// Unshare revokes a grant; it returns NotFound if there is none.
func (s *Service) Unshare(ctx context.Context, g *authz.Grant, grant docs.Grant) error {
	grant.Role = docs.Guest
	return s.UpdateGrant(ctx, g, grant)
}

// EffectiveRole is a user with access to a resource, and the role.
type EffectiveRole struct {
	User docs.User
	Role docs.Role
}

// Aggregate lists all users with access to the resource of a grant, by any rule. If role
// is set, it lists only users with that role.
func (s *Service) Aggregate(g *authz.Grant, role docs.Role) store.List[EffectiveRole] {
	return authz.VisiblePeople(g, store.List[EffectiveRole]{
		Page: func(ctx context.Context, p store.Page) ([]EffectiveRole, store.Key, error) {
			return s.aggregate(ctx, g, role, p)
		},
	})
}

func (s *Service) aggregate(ctx context.Context, g *authz.Grant, role docs.Role, p store.Page) ([]EffectiveRole, store.Key, error) {
	out := []EffectiveRole{}
	batch := store.Page{After: p.After, Limit: 500}
	for p.Limit > 0 {
		members, next, err := s.Store.AccessOn(ctx, g.Access.Org, g.Path, batch)
		if err != nil {
			return nil, nil, err
		}
		for i, m := range members {
			why := m.Access.Resolve(g.Path)
			if !why.Role.Valid() || (role != docs.Guest && why.Role != role) {
				continue
			}
			if len(out) == p.Limit { // there is at least one more: the next page begins after the last item
				return out, store.Key{string(out[len(out)-1].User.ID)}, nil
			}
			out = append(out, EffectiveRole{User: members[i].User, Role: why.Role})
		}
		if next == nil {
			break
		}
		batch.After = next
	}
	return out, nil, nil
}

// Explain returns the rule that determines the role of a user on the resource of a grant.
// Everybody may ask about themselves; to ask about others, the caller must administer the
// resource.
func (s *Service) Explain(ctx context.Context, g *authz.Grant, user docs.UserID) (docs.Why, error) {
	if user == g.Actor.User {
		return g.Why, nil
	}
	admin := authz.AdminSpace
	switch g.Node().Kind {
	case docs.NodeCollection:
		admin = authz.AdminCollection
	case docs.NodeSite:
		admin = authz.AdminSite
	}
	if !authz.Can(g.Role, admin) || !g.SeesPeople() {
		return docs.Why{}, errs.E(errs.Forbidden, "you need the role %q to see the access of other people", admin.Least)
	}
	access, err := s.Store.Access(ctx, g.Access.Org, user)
	if err != nil {
		return docs.Why{}, err
	}
	if !access.Member {
		return docs.Why{}, errs.Missing("user")
	}
	return access.Resolve(g.Path), nil
}
