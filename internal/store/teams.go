package store

import (
	"context"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/names"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

const teamColumns = `t.id, t.org_id, t.title, t.created_at,
	(SELECT COUNT(*) FROM team_members tm WHERE tm.team_id = t.id),
	(SELECT COUNT(*) FROM team_grants g JOIN spaces s ON s.id = g.subject_id WHERE g.team_id = t.id AND s.deleted_at = 0)`

func teamDest(t *docs.Team) []any {
	return []any{&t.ID, &t.Org, &t.Title, &t.CreatedAt, &t.Members, &t.Spaces}
}

func scanTeam(s engine.Scanner) (t docs.Team, err error) {
	err = s.Scan(teamDest(&t)...)
	return t, err
}

// Team returns a team of an organization.
func (r orgReads) Team(ctx context.Context, org docs.OrgID, id docs.TeamID) (docs.Team, error) {
	return engine.One(ctx, r, "team", scanTeam, `SELECT `+teamColumns+` FROM teams t WHERE t.id = $2 AND t.org_id = $1`, org, id)
}

// TeamFilter narrows a list of teams.
type TeamFilter struct {
	Owner docs.UserID // only teams that this member can manage
	All   bool        // Owner is an admin and can manage every team
	Title string
}

const teamWhere = `t.org_id = $1 AND t.search LIKE $2 ESCAPE '\'
	AND ($3 = '' OR EXISTS (SELECT 1 FROM team_members o WHERE o.team_id = t.id AND o.user_id = $3 AND o.role = 'owner'))`

func (f TeamFilter) args(org docs.OrgID) []any {
	if f.All {
		f.Owner = ""
	}
	return []any{org, like(f.Title), f.Owner}
}

// Teams lists the teams of an organization, oldest first.
func (r orgReads) Teams(ctx context.Context, org docs.OrgID, f TeamFilter, p Page) ([]docs.Team, Key, error) {
	items, err := engine.Many(ctx, r, scanTeam, `
		SELECT `+teamColumns+` FROM teams t
		WHERE `+teamWhere+` AND t.id > $4
		ORDER BY t.id LIMIT $5 + 0`, append(f.args(org), p.Text(0), p.Ask())...)
	items, next := engine.Cut(p, items, func(t docs.Team) Key { return Key{string(t.ID)} })
	return items, next, err
}

// CountTeams counts what Teams lists.
func (r orgReads) CountTeams(ctx context.Context, org docs.OrgID, f TeamFilter) (int64, error) {
	return engine.One(ctx, r, "count", engine.ScanInt, `SELECT COUNT(*) FROM teams t WHERE `+teamWhere, f.args(org)...)
}

// AddTeam stores a new team.
func (tx orgWrites) AddTeam(ctx context.Context, t docs.Team) error {
	return engine.Put(ctx, tx, `INSERT INTO teams (id, org_id, title, search, created_at) VALUES ($1, $2, $3, $4, $5)`,
		t.ID, t.Org, t.Title, names.Key(t.Title), t.CreatedAt)
}

// RenameTeam changes the title.
func (tx orgWrites) RenameTeam(ctx context.Context, id docs.TeamID, title string) error {
	return engine.Put(ctx, tx, `UPDATE teams SET title = $2, search = $3 WHERE id = $1`, id, title, names.Key(title))
}

// DropTeam deletes a team with its memberships and grants; it reports whether
// there was one.
func (tx orgWrites) DropTeam(ctx context.Context, org docs.OrgID, id docs.TeamID) (bool, error) {
	if _, err := tx.Team(ctx, org, id); err != nil {
		return false, err
	}
	for _, text := range []string{
		`DELETE FROM team_members WHERE team_id = $1`,
		`DELETE FROM team_grants WHERE team_id = $1`,
		`UPDATE saml_providers SET default_team = '' WHERE default_team = $1`,
		`UPDATE oidc_providers SET default_team = '' WHERE default_team = $1`,
		`DELETE FROM teams WHERE id = $1`,
	} {
		if err := engine.Put(ctx, tx, text, id); err != nil {
			return false, err
		}
	}
	if err := tx.PutExternalID(ctx, org, string(id), ""); err != nil {
		return false, err
	}
	return true, bumpAccess(ctx, tx, org)
}

// TeamMembers lists the members of a team.
func (r orgReads) TeamMembers(ctx context.Context, id docs.TeamID, p Page) ([]docs.TeamMembership, Key, error) {
	items, err := engine.Many(ctx, r, func(s engine.Scanner) (v docs.TeamMembership, err error) {
		err = s.Scan(append(memberDest(&v.Member), &v.Role)...)
		v.Member.User = v.Member.User.Known(v.Member.LastSeenAt)
		return v, err
	}, `SELECT `+memberColumns+`, x.role
		FROM team_members x
		JOIN teams xt ON xt.id = x.team_id
		JOIN members m ON m.org_id = xt.org_id AND m.user_id = x.user_id
		JOIN users u ON u.id = m.user_id
		WHERE x.team_id = $1 AND x.user_id > $2
		ORDER BY x.user_id LIMIT $3 + 0`, id, p.Text(0), p.Ask())
	items, next := engine.Cut(p, items, func(v docs.TeamMembership) Key { return Key{string(v.Member.User.ID)} })
	return items, next, err
}

// MemberTeam is a team and the role of a member in it.
type MemberTeam struct {
	Team docs.Team
	Role docs.TeamRole
}

// TeamsOf lists the teams of a member whose title contains a text.
func (r orgReads) TeamsOf(ctx context.Context, org docs.OrgID, user docs.UserID, title string, p Page) ([]MemberTeam, Key, error) {
	items, err := engine.Many(ctx, r, func(s engine.Scanner) (v MemberTeam, err error) {
		err = s.Scan(append(teamDest(&v.Team), &v.Role)...)
		return v, err
	}, `SELECT `+teamColumns+`, x.role
		FROM team_members x JOIN teams t ON t.id = x.team_id
		WHERE t.org_id = $1 AND x.user_id = $2 AND t.search LIKE $3 ESCAPE '\' AND t.id > $4
		ORDER BY t.id LIMIT $5 + 0`, org, user, like(title), p.Text(0), p.Ask())
	items, next := engine.Cut(p, items, func(v MemberTeam) Key { return Key{string(v.Team.ID)} })
	return items, next, err
}

// TeamRole returns the role of a user in a team, or "" if the user is not in it.
func (r orgReads) TeamRole(ctx context.Context, id docs.TeamID, user docs.UserID) (docs.TeamRole, error) {
	roles, err := engine.Many(ctx, r, engine.ScanText[docs.TeamRole],
		`SELECT role FROM team_members WHERE team_id = $1 AND user_id = $2`, id, user)
	if err != nil || len(roles) == 0 {
		return "", err
	}
	return roles[0], nil
}

// PutTeamMember adds a member to a team or changes its role. An empty role keeps the
// current one; for a new member it is that of an ordinary member.
func (tx orgWrites) PutTeamMember(ctx context.Context, org docs.OrgID, id docs.TeamID, user docs.UserID, role docs.TeamRole) error {
	err := engine.Put(ctx, tx, `
		INSERT INTO team_members (team_id, user_id, role) VALUES ($1, $2, CASE WHEN $3 = '' THEN 'member' ELSE $3 END)
		ON CONFLICT (team_id, user_id) DO UPDATE SET role = CASE WHEN $3 = '' THEN team_members.role ELSE excluded.role END`,
		id, user, role)
	if err != nil {
		return err
	}
	return bumpAccess(ctx, tx, org)
}

// DropTeamMember removes a member from a team; it reports whether it was there.
func (tx orgWrites) DropTeamMember(ctx context.Context, org docs.OrgID, id docs.TeamID, user docs.UserID) (bool, error) {
	n, err := engine.Exec(ctx, tx, `DELETE FROM team_members WHERE team_id = $1 AND user_id = $2`, id, user)
	if err != nil || n == 0 {
		return false, err
	}
	return true, bumpAccess(ctx, tx, org)
}
