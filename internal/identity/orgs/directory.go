package orgs

import (
	"context"
	"maps"
	"slices"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/store"
)

// Directory is what the directory of an organization does with its members and teams, which
// it calls users and groups.
type Directory struct{ store *store.Store }

// Person holds the data of a directory about a person. Absent fields remain unchanged.
type Person struct {
	ExternalID opt.Val[string]
	Name       opt.Val[string]
	Active     opt.Val[bool]
	Role       opt.Val[docs.Role]
}

// Provision makes a person a member who signs in through the identity provider of the
// organization. An existing account with the address is not changed. No mail is sent: the
// directory informs its people.
func (s *Directory) Provision(ctx context.Context, g *authz.Grant, org docs.OrgID, e docs.Email, p Person) (docs.DirectoryUser, error) {
	return authz.InTx(ctx, s.store, g, func(tx *store.Tx, g *authz.Grant) (out docs.DirectoryUser, err error) {
		u, err := tx.UserByEmail(ctx, e)
		if errs.Is(err, errs.NotFound) {
			u, err = addUser(ctx, tx, e, false)
		}
		if err != nil {
			return out, err
		}
		active := p.Active.Or(true)
		m := docs.Member{Org: org, User: u, Role: p.Role.Or(docs.Read), Disabled: !active, SSO: true, JoinedAt: tx.Now()}
		if err := tx.AddMember(ctx, m); err != nil {
			return out, err
		}
		if err := audit.Record(ctx, tx, g.Actor, memberEvent(org, "provision", u.ID, map[string]any{"role": m.Role, "active": active})); err != nil {
			return out, err
		}
		rest := p
		rest.Active, rest.Role = opt.Val[bool]{}, opt.Val[docs.Role]{}
		return describe(ctx, tx, g.Actor, docs.DirectoryUser{Member: m}, rest)
	})
}

// UpdateUser updates a member with the data of a directory.
func (s *Directory) UpdateUser(ctx context.Context, g *authz.Grant, org docs.OrgID, user docs.UserID, p Person) (docs.DirectoryUser, error) {
	return authz.InTx(ctx, s.store, g, func(tx *store.Tx, g *authz.Grant) (docs.DirectoryUser, error) {
		d, err := tx.DirectoryUser(ctx, org, user)
		if err != nil {
			return d, err
		}
		return describe(ctx, tx, g.Actor, d, p)
	})
}

// RemoveUser removes a member from an organization, with all grants and teams.
func (s *Directory) RemoveUser(ctx context.Context, g *authz.Grant, org docs.OrgID, user docs.UserID) error {
	return authz.Do(ctx, s.store, g, func(tx *store.Tx, g *authz.Grant) error { return removeMember(ctx, tx, g.Actor, org, user) })
}

func describe(ctx context.Context, tx *store.Tx, by authz.Actor, d docs.DirectoryUser, p Person) (docs.DirectoryUser, error) {
	if err := setRole(ctx, tx, by, &d.Member, p.Role.Or(d.Member.Role)); err != nil {
		return d, err
	}
	if err := setDisabled(ctx, tx, by, &d.Member, !p.Active.Or(!d.Member.Disabled)); err != nil {
		return d, err
	}
	if err := rename(ctx, tx, by, d.Member, p.Name); err != nil {
		return d, err
	}
	id := string(d.Member.User.ID)
	if external, ok := p.ExternalID.Get(); ok && external != d.ExternalID {
		if err := setExternalID(ctx, tx, by, memberEvent(d.Member.Org, "external-id", d.Member.User.ID, nil), d.ExternalID, external); err != nil {
			return d, err
		}
	}
	return tx.DirectoryUser(ctx, d.Member.Org, docs.UserID(id))
}

// rename changes the name of an account if only this organization is entitled to: the
// member signs in through its identity provider, belongs to no other organization, and
// nobody has verified the address. Until the member uses the organization, only the log of
// the instance has the change.
func rename(ctx context.Context, tx *store.Tx, by authz.Actor, m docs.Member, name opt.Val[string]) error {
	to, ok := name.Get()
	if !ok || !m.SSO {
		return nil
	}
	u, err := tx.User(ctx, m.User.ID)
	if err != nil || u.Verified || u.DisplayName == to {
		return err
	}
	n, err := tx.CountMemberships(ctx, u.ID)
	if err != nil || n != 1 {
		return err
	}
	before := u
	u.DisplayName, u.UpdatedAt = to, tx.Now()
	if err := tx.PutUser(ctx, u); err != nil {
		return err
	}
	e := memberEvent(m.Org, "rename", u.ID, nil).Changed(before, u)
	if m.LastSeenAt.IsZero() {
		e.Org = "" // its own log must not show that nobody else has the account
	}
	return audit.Record(ctx, tx, by, e)
}

func setExternalID(ctx context.Context, tx *store.Tx, by authz.Actor, e audit.Event, from, to string) error {
	if err := tx.PutExternalID(ctx, e.Org, e.ID, to); err != nil {
		return err
	}
	e.Data = map[string]any{"from": from, "to": to}
	return audit.Record(ctx, tx, by, e)
}

// Users returns members from an offset on, and the number of all members.
func (s *Directory) Users(ctx context.Context, org docs.OrgID, f store.DirectoryFilter, from, limit int) ([]docs.DirectoryUser, int64, error) {
	n, err := s.store.CountDirectoryUsers(ctx, org, f)
	if err != nil || limit == 0 || int64(from) >= n {
		return nil, n, err
	}
	items, err := s.store.DirectoryUsers(ctx, org, f, from, limit)
	return items, n, err
}

// User returns a member.
func (s *Directory) User(ctx context.Context, org docs.OrgID, id docs.UserID) (docs.DirectoryUser, error) {
	return s.store.DirectoryUser(ctx, org, id)
}

// Groups returns teams from an offset on, and the number of all teams.
func (s *Directory) Groups(ctx context.Context, org docs.OrgID, f store.DirectoryFilter, from, limit int) ([]docs.DirectoryGroup, int64, error) {
	n, err := s.store.CountDirectoryGroups(ctx, org, f)
	if err != nil || limit == 0 || int64(from) >= n {
		return nil, n, err
	}
	items, err := s.store.DirectoryGroups(ctx, org, f, from, limit)
	return items, n, err
}

// Group returns a team.
func (s *Directory) Group(ctx context.Context, org docs.OrgID, id docs.TeamID) (docs.DirectoryGroup, error) {
	return s.store.DirectoryGroup(ctx, org, id)
}

// Members returns the members of a team, up to a limit.
func (s *Directory) Members(ctx context.Context, id docs.TeamID, limit int) ([]docs.UserID, error) {
	return s.store.DirectoryMembers(ctx, id, limit)
}

// Membership is one step of a change to the members of a team. It adds members, removes
// members, or replaces all members.
type Membership struct {
	Op    MembershipOp
	Users []docs.UserID
}

// MembershipOp is the operation of a step.
type MembershipOp uint8

// The operations of steps.
const (
	AddMembers MembershipOp = iota
	RemoveMembers
	ReplaceMembers
)

// Group holds the data of a directory about a team. Absent fields remain unchanged.
type Group struct {
	ExternalID opt.Val[string]
	Title      opt.Val[string]
	Steps      []Membership
}

// CreateGroup creates a team for a directory. Its title must be unique, because
// directories identify teams by their titles.
func (s *Directory) CreateGroup(ctx context.Context, g *authz.Grant, org docs.OrgID, title string, in Group) (docs.DirectoryGroup, error) {
	in.Title = opt.Val[string]{}
	return authz.InTx(ctx, s.store, g, func(tx *store.Tx, g *authz.Grant) (docs.DirectoryGroup, error) {
		t := docs.Team{ID: store.NewID[docs.TeamID](tx), Org: org, Title: title, CreatedAt: tx.Now()}
		n, err := tx.CountDirectoryGroups(ctx, org, store.DirectoryFilter{Name: title})
		if err == nil && n > 0 {
			err = errs.E(errs.Conflict, "there is a team with the title %q already", title)
		}
		if err != nil {
			return docs.DirectoryGroup{}, err
		}
		if err := tx.AddTeam(ctx, t); err != nil {
			return docs.DirectoryGroup{}, err
		}
		if err := audit.Record(ctx, tx, g.Actor, teamEvent(t, "create", map[string]any{"title": title})); err != nil {
			return docs.DirectoryGroup{}, err
		}
		return changeGroup(ctx, tx, g, docs.DirectoryGroup{Team: t}, in)
	})
}

// ChangeGroup updates a team with the data of a directory.
func (s *Directory) ChangeGroup(ctx context.Context, g *authz.Grant, org docs.OrgID, id docs.TeamID, in Group) (docs.DirectoryGroup, error) {
	return authz.InTx(ctx, s.store, g, func(tx *store.Tx, g *authz.Grant) (docs.DirectoryGroup, error) {
		d, err := tx.DirectoryGroup(ctx, org, id)
		if err != nil {
			return d, err
		}
		return changeGroup(ctx, tx, g, d, in)
	})
}

// DeleteGroup deletes a team of an organization. Its members stay.
func (s *Directory) DeleteGroup(ctx context.Context, g *authz.Grant, org docs.OrgID, id docs.TeamID) error {
	return authz.Do(ctx, s.store, g, func(tx *store.Tx, g *authz.Grant) error {
		t, err := tx.Team(ctx, org, id)
		if err != nil {
			return err
		}
		return deleteTeam(ctx, tx, g.Actor, t)
	})
}

func changeGroup(ctx context.Context, tx *store.Tx, g *authz.Grant, d docs.DirectoryGroup, in Group) (docs.DirectoryGroup, error) {
	t := d.Team
	if title := in.Title.Or(t.Title); title != t.Title {
		if err := renameTeam(ctx, tx, g.Actor, t, title); err != nil {
			return d, err
		}
	}
	if external, ok := in.ExternalID.Get(); ok && external != d.ExternalID {
		if err := setExternalID(ctx, tx, g.Actor, teamEvent(t, "external-id", nil), d.ExternalID, external); err != nil {
			return d, err
		}
	}
	added, removed, err := applySteps(ctx, tx, t, in.Steps)
	if err != nil {
		return d, err
	}
	if added+removed > 0 {
		if err := audit.Record(ctx, tx, g.Actor, teamEvent(t, "members", map[string]any{"added": added, "changed": 0, "removed": removed})); err != nil {
			return d, err
		}
	}
	return tx.DirectoryGroup(ctx, t.Org, t.ID)
}

// applySteps applies steps in order, and returns the numbers of members that were added
// and removed by all of them together. The members are read once, and only the difference
// is written. Owners of the team who are still members at the end remain owners.
func applySteps(ctx context.Context, tx *store.Tx, t docs.Team, steps []Membership) (added, removed int, err error) {
	if len(steps) == 0 {
		return 0, 0, nil
	}
	in, err := tx.DirectoryMembers(ctx, t.ID, maxTeam)
	if err != nil {
		return 0, 0, err
	}
	had := setOf(in)
	wanted := maps.Clone(had)
	for _, step := range steps {
		if step.Op == ReplaceMembers {
			wanted = map[docs.UserID]bool{}
		}
		for _, u := range step.Users {
			wanted[u] = step.Op != RemoveMembers
		}
	}
	for _, u := range in {
		if wanted[u] {
			continue
		}
		if _, err := tx.DropTeamMember(ctx, t.Org, t.ID, u); err != nil {
			return 0, 0, err
		}
		removed++
	}
	for _, u := range slices.Sorted(maps.Keys(wanted)) {
		if !wanted[u] || had[u] {
			continue
		}
		if err := joinTeam(ctx, tx, t, u); err != nil {
			return 0, 0, err
		}
		added++
	}
	return added, removed, nil
}

func joinTeam(ctx context.Context, tx *store.Tx, t docs.Team, u docs.UserID) error {
	if _, err := tx.DirectoryUser(ctx, t.Org, u); errs.Is(err, errs.NotFound) {
		return errs.E(errs.Invalid, "%q is not a member of the organization", u)
	} else if err != nil {
		return err
	}
	return tx.PutTeamMember(ctx, t.Org, t.ID, u, docs.TeamMember)
}

func setOf(users []docs.UserID) map[docs.UserID]bool {
	set := make(map[docs.UserID]bool, len(users))
	for _, u := range users {
		set[u] = true
	}
	return set
}

// maxTeam is the maximum number of members of a team that applySteps reads.
const maxTeam = 100_000
