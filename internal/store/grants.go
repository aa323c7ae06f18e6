package store

import (
	"context"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

// UserGrant and TeamGrant are direct grants as people see them.
type (
	UserGrant struct {
		User docs.User
		Role docs.Role
	}
	TeamGrant struct {
		Team docs.Team
		Role docs.Role
	}
)

// UserGrants lists the direct grants to users on a node.
func (r containerReads) UserGrants(ctx context.Context, n docs.Node, p Page) ([]UserGrant, Key, error) {
	items, err := engine.Many(ctx, r, func(s engine.Scanner) (g UserGrant, err error) {
		var seen docs.Time
		err = s.Scan(append(userDest(&g.User), &g.Role, &seen)...)
		g.User = g.User.Known(seen)
		return g, err
	}, `SELECT `+userColumns+`, g.role, COALESCE(m.last_seen_at, 0)
		FROM user_grants g JOIN users u ON u.id = g.user_id LEFT JOIN members m ON m.org_id = g.org_id AND m.user_id = g.user_id
		WHERE g.subject_id = $1 AND g.user_id > $2
		ORDER BY g.user_id LIMIT $3 + 0`, n.ID, p.Text(0), p.Ask())
	items, next := engine.Cut(p, items, func(g UserGrant) Key { return Key{string(g.User.ID)} })
	return items, next, err
}

// TeamGrants lists the direct grants to teams on a node.
func (r containerReads) TeamGrants(ctx context.Context, n docs.Node, p Page) ([]TeamGrant, Key, error) {
	items, err := engine.Many(ctx, r, func(s engine.Scanner) (g TeamGrant, err error) {
		err = s.Scan(append(teamDest(&g.Team), &g.Role)...)
		return g, err
	}, `SELECT `+teamColumns+`, tg.role
		FROM team_grants tg JOIN teams t ON t.id = tg.team_id
		WHERE tg.subject_id = $1 AND tg.team_id > $2
		ORDER BY tg.team_id LIMIT $3 + 0`, n.ID, p.Text(0), p.Ask())
	items, next := engine.Cut(p, items, func(g TeamGrant) Key { return Key{string(g.Team.ID)} })
	return items, next, err
}

// HasGrants reports whether somebody was granted a role on a node.
func (r containerReads) HasGrants(ctx context.Context, n docs.Node) (bool, error) {
	found, err := engine.One(ctx, r, "grant", engine.ScanInt, `
		SELECT COUNT(*) FROM (SELECT 1 FROM user_grants WHERE subject_id = $1 UNION ALL SELECT 1 FROM team_grants WHERE subject_id = $1) AS all_grants`, n.ID)
	return found > 0, err
}

// GrantRole returns the role of a direct grant, NotFound when there is none.
func (r containerReads) GrantRole(ctx context.Context, g docs.Grant) (docs.Role, error) {
	if g.Team != "" {
		return engine.One(ctx, r, "permission", engine.ScanText[docs.Role], `
			SELECT role FROM team_grants WHERE subject_id = $1 AND team_id = $2`, g.Node.ID, g.Team)
	}
	return engine.One(ctx, r, "permission", engine.ScanText[docs.Role], `
		SELECT role FROM user_grants WHERE subject_id = $1 AND user_id = $2`, g.Node.ID, g.User)
}

// TeamGrantPath returns the node that a team was granted a role on, and what contains
// it.
func (r containerReads) TeamGrantPath(ctx context.Context, team docs.TeamID, id string) ([]docs.Node, error) {
	kind, err := engine.One(ctx, r, "permission", engine.ScanText[docs.NodeKind], `
		SELECT subject_kind FROM team_grants WHERE subject_id = $1 AND team_id = $2`, id, team)
	if err != nil {
		return nil, err
	}
	var n docs.Node
	var parent docs.CollectionID
	switch kind {
	case docs.NodeSpace:
		v, err := r.Space(ctx, docs.SpaceID(id))
		if err != nil {
			return nil, err
		}
		n, parent = v.It.Node(), v.It.Parent
	case docs.NodeCollection:
		v, err := r.Collection(ctx, docs.CollectionID(id))
		if err != nil {
			return nil, err
		}
		n, parent = v.It.Node(), v.It.Parent
	default:
		v, err := siteReads(r).Site(ctx, docs.SiteID(id))
		if err != nil {
			return nil, err
		}
		n = v.It.Node()
	}
	above, err := r.Path(ctx, parent)
	return append([]docs.Node{n}, above...), err
}

// PutGrant grants a role or changes a grant.
func (tx containerWrites) PutGrant(ctx context.Context, org docs.OrgID, g docs.Grant) error {
	var err error
	if g.Team != "" {
		err = engine.Put(ctx, tx, `
			INSERT INTO team_grants (subject_id, subject_kind, org_id, team_id, role) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (subject_id, team_id) DO UPDATE SET role = excluded.role`, g.Node.ID, g.Node.Kind, org, g.Team, g.Role)
	} else {
		err = engine.Put(ctx, tx, `
			INSERT INTO user_grants (subject_id, subject_kind, org_id, user_id, role) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (subject_id, user_id) DO UPDATE SET role = excluded.role`, g.Node.ID, g.Node.Kind, org, g.User, g.Role)
	}
	if err != nil {
		return err
	}
	return bumpAccess(ctx, tx, org)
}

// DropGrant takes a grant back; it reports whether there was one.
func (tx containerWrites) DropGrant(ctx context.Context, org docs.OrgID, g docs.Grant) (bool, error) {
	var n int64
	var err error
	if g.Team != "" {
		n, err = engine.Exec(ctx, tx, `DELETE FROM team_grants WHERE subject_id = $1 AND team_id = $2`, g.Node.ID, g.Team)
	} else {
		n, err = engine.Exec(ctx, tx, `DELETE FROM user_grants WHERE subject_id = $1 AND user_id = $2`, g.Node.ID, g.User)
	}
	if err != nil || n == 0 {
		return false, err
	}
	return true, bumpAccess(ctx, tx, org)
}

// DropGrants takes back every grant on a node.
func (tx containerWrites) DropGrants(ctx context.Context, org docs.OrgID, n docs.Node) error {
	return dropGrants(ctx, tx, org, n)
}

func dropGrants(ctx context.Context, tx engine.Writer, org docs.OrgID, n docs.Node) error {
	if err := engine.Put(ctx, tx, `DELETE FROM user_grants WHERE subject_id = $1`, n.ID); err != nil {
		return err
	}
	if err := engine.Put(ctx, tx, `DELETE FROM team_grants WHERE subject_id = $1`, n.ID); err != nil {
		return err
	}
	return bumpAccess(ctx, tx, org)
}
