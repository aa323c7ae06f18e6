package store

import (
	"context"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/names"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

// DirectoryFilter narrows what a directory sees of an organization. Empty fields match
// everything.
type DirectoryFilter struct {
	Name       string // the address of a user or the title of a team, in any case
	ExternalID string
}

func (f DirectoryFilter) args(org docs.OrgID) []any {
	return []any{org, names.Key(f.Name), f.ExternalID}
}

// directoryUsers has people only: no directory knows the machines of an organization.
const directoryUsers = `
	FROM members m JOIN users u ON u.id = m.user_id
	LEFT JOIN external_ids x ON x.org_id = m.org_id AND x.thing_id = m.user_id
	WHERE m.org_id = $1 AND u.kind = '' AND ($2 = '' OR u.email = $2) AND ($3 = '' OR x.external_id = $3)`

func scanDirectoryUser(s engine.Scanner) (d docs.DirectoryUser, err error) {
	err = s.Scan(append(memberDest(&d.Member), &d.ExternalID)...)
	d.Member.User = d.Member.User.Known(d.Member.LastSeenAt)
	return d, err
}

// DirectoryUser returns a member with what the directory calls it.
func (r orgReads) DirectoryUser(ctx context.Context, org docs.OrgID, user docs.UserID) (docs.DirectoryUser, error) {
	return engine.One(ctx, r, "user", scanDirectoryUser, `
		SELECT `+memberColumns+`, COALESCE(x.external_id, '')`+directoryUsers+` AND m.user_id = $4`,
		append(DirectoryFilter{}.args(org), user)...)
}

// DirectoryUsers lists members from a place on: directories count places, not pages.
func (r orgReads) DirectoryUsers(ctx context.Context, org docs.OrgID, f DirectoryFilter, from, limit int) ([]docs.DirectoryUser, error) {
	return engine.Many(ctx, r, scanDirectoryUser, `
		SELECT `+memberColumns+`, COALESCE(x.external_id, '')`+directoryUsers+`
		ORDER BY m.joined_at, m.user_id LIMIT $4 + 0 OFFSET $5 + 0`, append(f.args(org), limit, from)...)
}

// CountDirectoryUsers counts what DirectoryUsers lists.
func (r orgReads) CountDirectoryUsers(ctx context.Context, org docs.OrgID, f DirectoryFilter) (int64, error) {
	return engine.One(ctx, r, "count", engine.ScanInt, `SELECT COUNT(*)`+directoryUsers, f.args(org)...)
}

const directoryGroups = `
	FROM teams t LEFT JOIN external_ids x ON x.org_id = t.org_id AND x.thing_id = t.id
	WHERE t.org_id = $1 AND ($2 = '' OR t.search = $2) AND ($3 = '' OR x.external_id = $3)`

func scanDirectoryGroup(s engine.Scanner) (d docs.DirectoryGroup, err error) {
	err = s.Scan(append(teamDest(&d.Team), &d.ExternalID)...)
	return d, err
}

// DirectoryGroup returns a team with what the directory calls it.
func (r orgReads) DirectoryGroup(ctx context.Context, org docs.OrgID, id docs.TeamID) (docs.DirectoryGroup, error) {
	return engine.One(ctx, r, "group", scanDirectoryGroup, `
		SELECT `+teamColumns+`, COALESCE(x.external_id, '')`+directoryGroups+` AND t.id = $4`,
		append(DirectoryFilter{}.args(org), id)...)
}

// DirectoryGroups lists teams from a place on.
func (r orgReads) DirectoryGroups(ctx context.Context, org docs.OrgID, f DirectoryFilter, from, limit int) ([]docs.DirectoryGroup, error) {
	return engine.Many(ctx, r, scanDirectoryGroup, `
		SELECT `+teamColumns+`, COALESCE(x.external_id, '')`+directoryGroups+`
		ORDER BY t.id LIMIT $4 + 0 OFFSET $5 + 0`, append(f.args(org), limit, from)...)
}

// CountDirectoryGroups counts what DirectoryGroups lists.
func (r orgReads) CountDirectoryGroups(ctx context.Context, org docs.OrgID, f DirectoryFilter) (int64, error) {
	return engine.One(ctx, r, "count", engine.ScanInt, `SELECT COUNT(*)`+directoryGroups, f.args(org)...)
}

// DirectoryMembers lists the people in a team, up to a number.
func (r orgReads) DirectoryMembers(ctx context.Context, id docs.TeamID, limit int) ([]docs.UserID, error) {
	return engine.Many(ctx, r, func(s engine.Scanner) (u docs.UserID, err error) { err = s.Scan(&u); return u, err },
		`SELECT x.user_id FROM team_members x JOIN users u ON u.id = x.user_id
		WHERE x.team_id = $1 AND u.kind = '' ORDER BY x.user_id LIMIT $2 + 0`, id, limit)
}

// CountMemberships counts the organizations of a user.
func (r orgReads) CountMemberships(ctx context.Context, user docs.UserID) (int64, error) {
	return engine.One(ctx, r, "count", engine.ScanInt, `SELECT COUNT(*) FROM members WHERE user_id = $1`, user)
}

// PutExternalID stores what the directory calls a user or a team; empty: nothing.
func (tx orgWrites) PutExternalID(ctx context.Context, org docs.OrgID, id, external string) error {
	if external == "" {
		return engine.Put(ctx, tx, `DELETE FROM external_ids WHERE org_id = $1 AND thing_id = $2`, org, id)
	}
	return engine.Put(ctx, tx, `
		INSERT INTO external_ids (org_id, thing_id, external_id) VALUES ($1, $2, $3)
		ON CONFLICT (org_id, thing_id) DO UPDATE SET external_id = excluded.external_id`, org, id, external)
}
