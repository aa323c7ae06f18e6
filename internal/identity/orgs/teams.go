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

// Teams are the teams of organizations.
type Teams struct{ store *store.Store }

func teamEvent(t docs.Team, action string, data map[string]any) audit.Event {
	return audit.Event{Org: t.Org, Action: "team." + action, Kind: "team", ID: string(t.ID), Data: data}
}

// Create creates a team with members.
func (s *Teams) Create(ctx context.Context, g *authz.Grant, org docs.OrgID, title string, members []docs.UserID) (docs.Team, error) {
	return authz.InTx(ctx, s.store, g, func(tx *store.Tx, g *authz.Grant) (docs.Team, error) {
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

// FindMember returns a member by user id or address. For people outside of the
// organization it returns NotFound, whether there is such a user or not. Guests can use
// only ids, so that they cannot probe addresses.
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

// Rename changes the title of a team.
func (s *Teams) Rename(ctx context.Context, g *authz.Grant, t docs.Team, title string) (docs.Team, error) {
	return authz.InTx(ctx, s.store, g, func(tx *store.Tx, g *authz.Grant) (docs.Team, error) {
		if err := renameTeam(ctx, tx, g.Actor, t, title); err != nil {
			return t, err
		}
		return tx.Team(ctx, t.Org, t.ID)
	})
}

func renameTeam(ctx context.Context, tx *store.Tx, by authz.Actor, t docs.Team, title string) error {
	after := t
	if after.Title = title; audit.Same(t, after) {
		return nil
	}
	if err := tx.RenameTeam(ctx, t.ID, title); err != nil {
		return err
	}
	return audit.Record(ctx, tx, by, teamEvent(t, "rename", map[string]any{"from": t.Title, "to": title}).Changed(t, after))
}

// Delete deletes a team and the grants to it. Its members stay in the organization.
func (s *Teams) Delete(ctx context.Context, g *authz.Grant, t docs.Team) error {
	return authz.Do(ctx, s.store, g, func(tx *store.Tx, g *authz.Grant) error { return deleteTeam(ctx, tx, g.Actor, t) })
}

func deleteTeam(ctx context.Context, tx *store.Tx, by authz.Actor, t docs.Team) error {
	if _, err := tx.DropTeam(ctx, t.Org, t.ID); err != nil {
		return err
	}
	return audit.Record(ctx, tx, by, teamEvent(t, "delete", map[string]any{"title": t.Title}))
}

// TeamChange is a change to the members of a team. Add and Remove contain user ids or
// addresses.
type TeamChange struct {
	Add         []string
	Remove      []string
	Memberships map[docs.UserID]docs.TeamRole
}

// Change adds, changes and removes members of a team in one transaction. A user who
// is both added and removed is removed. The audit log has the numbers of members that were
// added, changed and removed by it.
func (s *Teams) Change(ctx context.Context, g *authz.Grant, t docs.Team, c TeamChange) error {
	return authz.Do(ctx, s.store, g, func(tx *store.Tx, g *authz.Grant) error {
		removed, added, changed, left := map[docs.UserID]bool{}, map[docs.UserID]bool{}, map[docs.UserID]bool{}, 0
		for _, who := range c.Remove {
			u, err := FindMember(ctx, tx, g, t.Org, who)
			if errs.Is(err, errs.NotFound) {
				continue // somebody who is not a member need not be removed
			}
			if err != nil {
				return err
			}
			removed[u] = true
			if err := changeMembership(ctx, tx, g, t, u, func() error {
				had, err := tx.DropTeamMember(ctx, t.Org, t.ID, u)
				if had {
					left++
				}
				return err
			}); err != nil {
				return err
			}
		}
		put := func(who string, role docs.TeamRole) error {
			u, err := FindMember(ctx, tx, g, t.Org, who)
			if err != nil || removed[u] {
				return err
			}
			was, err := tx.TeamRole(ctx, t.ID, u)
			if err != nil {
				return err
			}
			switch {
			case was == "":
				added[u] = true
			case role == "" || role == was:
				return nil
			case !added[u]:
				changed[u] = true
			}
			return changeMembership(ctx, tx, g, t, u, func() error { return tx.PutTeamMember(ctx, t.Org, t.ID, u, role) })
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
		if len(added)+len(changed)+left == 0 {
			return nil
		}
		return audit.Record(ctx, tx, g.Actor, teamEvent(t, "members", map[string]any{
			"added": len(added), "changed": len(changed), "removed": left,
		}))
	})
}

// changeMembership changes the membership of a user in a team by calling change, and
// returns an error if that bypasses access rules: a grant to the team on a resource
// overrides what its members inherit there. Joining must not lower the role of a user,
// leaving must not restore a higher role, and nobody may raise their own role by either.
// A caller who may grant that role on the resource is allowed to.
func changeMembership(ctx context.Context, tx *store.Tx, g *authz.Grant, t docs.Team, user docs.UserID, change func() error) error {
	if g.Access.OrgRole() == docs.Admin {
		return change()
	}
	before, err := tx.Access(ctx, t.Org, user)
	if err != nil {
		return err
	}
	if err := change(); err != nil {
		return err
	}
	after, err := tx.Access(ctx, t.Org, user)
	if err != nil {
		return err
	}
	_, stays := after.Teams[t.ID]
	things := maps.Clone(before.TeamGrants)
	maps.Copy(things, after.TeamGrants)
	for _, id := range slices.Sorted(maps.Keys(things)) {
		if before.TeamGrants[id] == after.TeamGrants[id] {
			continue // no effect here: the highest role of all teams counts
		}
		path, err := tx.TeamGrantPath(ctx, t.ID, id)
		if err != nil {
			return err
		}
		was, now, own := before.Resolve(path).Role, after.Resolve(path).Role, g.Access.Resolve(path).Role
		gives := func(role docs.Role) bool { return own.AtLeast(role) && authz.Can(own, authz.AdminSpace) }
		switch {
		case stays && !now.AtLeast(was) && !gives(was):
			return errs.E(errs.Forbidden, "the team would give the new member the role %q where they have %q now; ask an admin of the organization, or of those spaces, to add them", now, was)
		case (!stays || user == g.Actor.User) && !was.AtLeast(now) && !gives(now):
			return errs.E(errs.Forbidden, "without the team the member would have the role %q where they have %q now; ask an admin of the organization, or of those spaces, to remove them", now, was)
		}
	}
	return nil
}

// RemoveMember removes one member from a team.
func (s *Teams) RemoveMember(ctx context.Context, g *authz.Grant, t docs.Team, user docs.UserID) error {
	return authz.Do(ctx, s.store, g, func(tx *store.Tx, g *authz.Grant) error {
		err := changeMembership(ctx, tx, g, t, user, func() error {
			had, err := tx.DropTeamMember(ctx, t.Org, t.ID, user)
			if err == nil && !had {
				err = errs.Missing("team member")
			}
			return err
		})
		if err != nil {
			return err
		}
		return audit.Record(ctx, tx, g.Actor, teamEvent(t, "members", map[string]any{"removed": 1}))
	})
}

// List lists the teams of an organization whose title contains a text. If owner is set,
// it lists only the teams that this member can manage.
func (s *Teams) List(ctx context.Context, g *authz.Grant, org docs.OrgID, owner docs.UserID, title string) (store.List[docs.Team], error) {
	f := store.TeamFilter{Owner: owner, Title: title}
	if owner != "" {
		access, err := s.store.Access(ctx, org, owner)
		if err != nil {
			return store.List[docs.Team]{}, err
		}
		f.All = authz.Can(access.OrgRole(), authz.ManageTeam)
	}
	return authz.VisiblePeople(g, store.List[docs.Team]{
		Page: func(ctx context.Context, p store.Page) ([]docs.Team, store.Key, error) {
			return s.store.Teams(ctx, org, f, p)
		},
		Count: func(ctx context.Context) (int64, error) { return s.store.CountTeams(ctx, org, f) },
	}), nil
}

// Of lists the teams of a member whose title contains a text.
func (s *Teams) Of(ctx context.Context, org docs.OrgID, user docs.UserID, title string) (store.List[store.MemberTeam], error) {
	_, err := s.store.Member(ctx, org, user)
	return store.List[store.MemberTeam]{Page: func(ctx context.Context, p store.Page) ([]store.MemberTeam, store.Key, error) {
		return s.store.TeamsOf(ctx, org, user, title, p)
	}}, err
}

// Members lists the members of a team. A guest who belongs to the team can see the
// team, but not its other members.
func (s *Teams) Members(g *authz.Grant, team docs.TeamID) store.List[docs.TeamMembership] {
	return authz.VisiblePeople(g, store.List[docs.TeamMembership]{
		Page: func(ctx context.Context, p store.Page) ([]docs.TeamMembership, store.Key, error) {
			return s.store.TeamMembers(ctx, team, p)
		},
	})
}
