package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

// Access returns the role, teams and grants of a user in an organization: the input of
// docs.Access.Resolve. For users who are not members, and for everybody in a deleted
// organization, it returns the Access of a non-member.
func (r orgReads) Access(ctx context.Context, org docs.OrgID, user docs.UserID) (*docs.Access, error) {
	a := &docs.Access{
		Org: org, User: user,
		Teams: map[docs.TeamID]docs.TeamRole{}, UserGrants: map[string]docs.Role{}, TeamGrants: map[string]docs.TeamGrant{},
		Blocked: map[docs.TokenID]bool{},
	}
	_, err := engine.One(ctx, r, "member", func(s engine.Scanner) (bool, error) {
		return true, s.Scan(&a.Role, &a.Disabled, &a.SSO)
	}, `SELECT m.role, m.disabled, o.sso FROM members m JOIN organizations o ON o.id = m.org_id WHERE m.org_id = $1 AND m.user_id = $2 AND o.deleted_at = 0`, org, user)
	if errs.Is(err, errs.NotFound) {
		return a, nil
	}
	if err != nil {
		return nil, err
	}
	a.Member = true
	// One row for each team (kind t), own grant (u), refused token (b) and team grant (g).
	rows, err := engine.Query(ctx, r, `
		SELECT 't', tm.team_id, tm.role, '' FROM team_members tm JOIN teams t ON t.id = tm.team_id
		WHERE t.org_id = $1 AND tm.user_id = $2
		UNION ALL
		SELECT 'u', subject_id, role, '' FROM user_grants WHERE org_id = $1 AND user_id = $2
		UNION ALL
		SELECT 'b', x.token_id, '', '' FROM tokens t JOIN organization_tokens x ON x.token_id = t.id
		WHERE t.user_id = $2 AND x.org_id = $1 AND x.blocked_at > 0
		UNION ALL
		SELECT 'g', g.subject_id, g.role, g.team_id FROM team_grants g JOIN team_members tm ON tm.team_id = g.team_id
		WHERE g.org_id = $1 AND tm.user_id = $2`, org, user)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var kind, id, role, team string
		if err := rows.Scan(&kind, &id, &role, &team); err != nil {
			return nil, err
		}
		switch kind {
		case "t":
			a.Teams[docs.TeamID(id)] = docs.TeamRole(role)
		case "b":
			a.Blocked[docs.TokenID(id)] = true
		case "u":
			a.UserGrants[id] = docs.Role(role)
		default:
			have, ok := a.TeamGrants[id]
			better := docs.Role(role).Rank() - have.Role.Rank()
			// Equal grants: the lower id, so that explanations are stable.
			if !ok || better > 0 || better == 0 && docs.TeamID(team) < have.Team {
				a.TeamGrants[id] = docs.TeamGrant{Team: docs.TeamID(team), Role: docs.Role(role)}
			}
		}
	}
	return a, rows.Err()
}

// AccessOn returns the access of a page of members with the grants on a path only:
// enough to resolve the role of each member on that path.
func (r orgReads) AccessOn(ctx context.Context, org docs.OrgID, path []docs.Node, p Page) ([]MemberAccess, Key, error) {
	members, err := engine.Many(ctx, r, func(s engine.Scanner) (v MemberAccess, err error) {
		a := &docs.Access{Org: org, Member: true, UserGrants: map[string]docs.Role{}, TeamGrants: map[string]docs.TeamGrant{}}
		var seen docs.Time
		err = s.Scan(append(userDest(&v.User), &a.Role, &a.Disabled, &seen)...)
		v.User = v.User.Known(seen)
		a.User, v.Access = v.User.ID, a
		return v, err
	}, `SELECT `+userColumns+`, m.role, m.disabled, m.last_seen_at
		FROM members m JOIN users u ON u.id = m.user_id
		WHERE m.org_id = $1 AND m.user_id > $2
		ORDER BY m.user_id LIMIT $3 + 0`, org, p.Text(0), p.Ask())
	if err != nil {
		return nil, nil, err
	}
	members, next := engine.Cut(p, members, func(v MemberAccess) Key { return Key{string(v.User.ID)} })
	if len(members) == 0 {
		return members, nil, nil
	}
	at := map[docs.UserID]*docs.Access{}
	for _, m := range members {
		at[m.User.ID] = m.Access
	}
	first, last := members[0].User.ID, members[len(members)-1].User.ID
	for _, n := range path {
		rows, err := engine.Many(ctx, r, func(s engine.Scanner) (v [3]string, err error) {
			err = s.Scan(&v[0], &v[1], &v[2])
			return v, err
		}, `SELECT user_id, role, '' FROM user_grants WHERE subject_id = $1 AND user_id >= $2 AND user_id <= $3
			UNION ALL
			SELECT tm.user_id, g.role, g.team_id FROM team_grants g JOIN team_members tm ON tm.team_id = g.team_id
			WHERE g.subject_id = $1 AND tm.user_id >= $2 AND tm.user_id <= $3`, n.ID, first, last)
		if err != nil {
			return nil, nil, err
		}
		for _, v := range rows {
			a, role := at[docs.UserID(v[0])], docs.Role(v[1])
			switch {
			case a == nil:
			case v[2] == "":
				a.UserGrants[n.ID] = role
			case role.Rank() > a.TeamGrants[n.ID].Role.Rank():
				a.TeamGrants[n.ID] = docs.TeamGrant{Team: docs.TeamID(v[2]), Role: role}
			}
		}
	}
	return members, next, nil
}

// MemberAccess is a member with its grants on a path.
type MemberAccess struct {
	User   docs.User
	Access *docs.Access
}

// Viewer is the user that a list is made for, with its role in the organization.
type Viewer struct {
	Org  docs.OrgID
	User docs.UserID
	Role docs.Role
}

func (v Viewer) args() []any { return []any{v.Org, v.User, v.Role.Rank()} }

// rankOf returns SQL for the rank of a role column, from the one table in docs.
func rankOf(column string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "CASE %s", column)
	for _, r := range docs.Roles {
		fmt.Fprintf(&b, " WHEN '%s' THEN %d", r, r.Rank())
	}
	b.WriteString(" ELSE 0 END")
	return b.String()
}

// nodeRank is rules 2 to 6 of internal/docs/access.go in SQL, for a node
// with the alias n, a grant g and the rank that it would inherit.
func nodeRank(inherited string) string {
	return `CASE
		WHEN cast($3 AS INTEGER) = 6 THEN 6
		WHEN g.rank IS NOT NULL THEN g.rank
		WHEN n.default_level = 'inherit' THEN ` + inherited + `
		WHEN n.default_level = 'none' AND n.created_by = $2 THEN CASE WHEN ` + inherited + ` < 1 THEN 1 ELSE ` + inherited + ` END
		WHEN n.default_level = 'none' THEN 0
		ELSE ` + rankOf("n.default_level") + ` END`
}

// ranksCTE returns, for the viewer in $1 to $3, the table granted (rules 3 and
// 4: a grant to the user beats those to teams, of which the highest counts)
// and the table tree with the rank of every collection of the organization.
var ranksCTE = `
	WITH RECURSIVE granted (subject_id, rank) AS MATERIALIZED (
		SELECT subject_id, ` + rankOf("role") + ` FROM user_grants WHERE org_id = $1 AND user_id = $2
		UNION ALL
		SELECT tg.subject_id, MAX(` + rankOf("tg.role") + `)
		FROM team_members tm JOIN team_grants tg ON tg.team_id = tm.team_id
		WHERE tm.user_id = $2 AND tg.org_id = $1 AND NOT EXISTS (
			SELECT 1 FROM user_grants ug WHERE ug.subject_id = tg.subject_id AND ug.user_id = $2)
		GROUP BY tg.subject_id
	), tree (id, rank) AS (
		SELECT n.id, ` + nodeRank("cast($3 AS INTEGER)") + `
		FROM collections n LEFT JOIN granted g ON g.subject_id = n.id
		WHERE n.org_id = $1 AND n.parent_id IS NULL
		UNION ALL
		SELECT n.id, ` + nodeRank("up.rank") + `
		FROM tree up JOIN collections n ON n.parent_id = up.id AND n.org_id = $1 LEFT JOIN granted g ON g.subject_id = n.id
	)`

// Ranked is an item of a list and the viewer's role on it.
type Ranked[T any] struct {
	It   T
	Role docs.Role
}
