package orgs

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

func teamEvent(t docs.Team, action string, data map[string]any) audit.Event {
	return audit.Event{Org: t.Org, Action: "team." + action, Kind: "team", ID: string(t.ID), Data: data}
}

// CreateTeam makes a team of members.
func (s *Service) CreateTeam(ctx context.Context, g *authz.Grant, org docs.OrgID, title string, members []docs.UserID) (docs.Team, error) {
	return authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (docs.Team, error) {
		t := docs.Team{ID: store.NewID[docs.TeamID](tx), Org: org, Title: title, CreatedAt: tx.Now()}
		if err := tx.AddTeam(ctx, t); err != nil {
			return t, err
		}
		for _, who := range members {
			u, err := FindMember(ctx, tx, g, org, string(who))
			if err != nil {
				return t, err
			}
			if err := tx.PutTeamMember(ctx, org, t.ID, u, docs.TeamMember); err != nil {
				return t, err
			}
		}
		if err := audit.Record(ctx, tx, g.Actor, teamEvent(t, "create", map[string]any{"title": title})); err != nil {
			return t, err
		}
		return tx.Team(ctx, org, t.ID)
	})
}

// FindMember returns a member by user id or address. To those outside of the
// organization it is NotFound, whether there is such a user or not. Guests name
// people by id: they cannot try addresses.
func FindMember(ctx context.Context, tx *store.Tx, g *authz.Grant, org docs.OrgID, who string) (docs.UserID, error) {
	id := docs.UserID(who)
	missing := notMember(who)
	if strings.Contains(who, "@") {
		e, err := docs.ParseEmail(who)
		if err != nil || !g.SeesPeople() {
			return "", missing
		}
		u, err := tx.UserByEmail(ctx, e)
		if errs.Is(err, errs.NotFound) {
			return "", missing
		}
		if err != nil {
			return "", err
		}
		id = u.ID
	}
	in, err := tx.MembersAmong(ctx, org, []docs.UserID{id})
	if err != nil {
		return "", err
	}
	if !in[id] {
		return "", missing
	}
	return id, nil
}

func notMember(who string) error {
	return errs.E(errs.NotFound, "%q is not a member of the organization", who)
}

// RenameTeam changes the title of a team.
func (s *Service) RenameTeam(ctx context.Context, g *authz.Grant, t docs.Team, title string) (docs.Team, error) {
	return authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (docs.Team, error) {
		if err := tx.RenameTeam(ctx, t.ID, title); err != nil {
			return t, err
		}
		if err := audit.Record(ctx, tx, g.Actor, teamEvent(t, "rename", map[string]any{"from": t.Title, "to": title}).Changed(t, docs.Team{ID: t.ID, Org: t.Org, Title: title, Members: t.Members, Spaces: t.Spaces, CreatedAt: t.CreatedAt})); err != nil {
			return t, err
		}
		return tx.Team(ctx, t.Org, t.ID)
	})
}

// DeleteTeam removes a team and what was granted to it. Its members stay.
func (s *Service) DeleteTeam(ctx context.Context, g *authz.Grant, t docs.Team) error {
	return authz.Do(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) error {
		if _, err := tx.DropTeam(ctx, t.Org, t.ID); err != nil {
			return err
		}
		return audit.Record(ctx, tx, g.Actor, teamEvent(t, "delete", map[string]any{"title": t.Title}))
	})
}

// TeamChange is a change to the members of a team; people are named by user
// id or address.
type TeamChange struct {
	Add         []string
	Remove      []string
	Memberships map[docs.UserID]docs.TeamRole
}

// ChangeTeam adds, changes and removes members of a team at once. Who is
// both added and removed is removed.
func (s *Service) ChangeTeam(ctx context.Context, g *authz.Grant, t docs.Team, c TeamChange) error {
	return authz.Do(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) error {
		removed := map[docs.UserID]bool{}
		for _, who := range c.Remove {
			u, err := FindMember(ctx, tx, g, t.Org, who)
			if errs.Is(err, errs.NotFound) {
				continue // removing somebody who is not there is done already
			}
			if err != nil {
				return err
			}
			removed[u] = true
			if _, err := tx.DropTeamMember(ctx, t.Org, t.ID, u); err != nil {
				return err
			}
		}
		put := func(who string, role docs.TeamRole) error {
			u, err := FindMember(ctx, tx, g, t.Org, who)
			if err != nil || removed[u] {
				return err
			}
			return keepRoles(ctx, tx, g, t, u, func() error { return tx.PutTeamMember(ctx, t.Org, t.ID, u, role) })
		}
		for _, who := range c.Add {
			if err := put(who, ""); err != nil {
				return err
			}
		}
		for _, u := range slices.Sorted(maps.Keys(c.Memberships)) {
			if err := put(string(u), c.Memberships[u]); err != nil {
				return err
			}
		}
		return audit.Record(ctx, tx, g.Actor, teamEvent(t, "members", map[string]any{
			"added": len(c.Add), "changed": len(c.Memberships), "removed": len(c.Remove),
		}))
	})
}

// keepRoles puts somebody into a team, and refuses it if they would have a lower role
// then: what a team was granted on a thing counts before what its members inherit
// there. Whoever may say who has access to that thing may do so.
func keepRoles(ctx context.Context, tx *store.Tx, g *authz.Grant, t docs.Team, user docs.UserID, put func() error) error {
	if g.Access.OrgRole() == docs.Admin {
		return put()
	}
	before, err := tx.Access(ctx, t.Org, user)
	if err != nil {
		return err
	}
	if err := put(); err != nil {
		return err
	}
	after, err := tx.Access(ctx, t.Org, user)
	if err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(after.TeamGrants)) {
		if _, had := before.TeamGrants[id]; had {
			continue // of several teams the highest role counts
		}
		path, err := tx.TeamGrantPath(ctx, t.ID, id)
		if err != nil {
			return err
		}
		was, now, own := before.Resolve(path).Role, after.Resolve(path).Role, g.Access.Resolve(path).Role
		if !now.AtLeast(was) && !(own.AtLeast(was) && authz.Can(own, authz.AdminSpace)) {
			return errs.E(errs.Forbidden, "in the team somebody would have the role %q instead of %q on what the team has access to; ask an admin, or whoever manages access there, to add them", now, was)
		}
	}
	return nil
}

// RemoveFromTeam takes one member out of a team.
func (s *Service) RemoveFromTeam(ctx context.Context, g *authz.Grant, t docs.Team, user docs.UserID) error {
	return authz.Do(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) error {
		had, err := tx.DropTeamMember(ctx, t.Org, t.ID, user)
		if err != nil {
			return err
		}
		if !had {
			return errs.Missing("team member")
		}
		return audit.Record(ctx, tx, g.Actor, teamEvent(t, "members", map[string]any{"removed": 1}))
	})
}
