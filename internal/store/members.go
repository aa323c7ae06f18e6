package store

import (
	"context"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/names"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

// memberColumns counts with subselects on indexes, so that a page of members
// is one statement.
const memberColumns = `m.org_id, m.role, m.disabled, m.sso, m.joined_at, m.last_seen_at, ` + userColumns + `,
	(SELECT COUNT(*) FROM team_members tm JOIN teams t ON t.id = tm.team_id WHERE tm.user_id = m.user_id AND t.org_id = m.org_id),
	(SELECT COUNT(*) FROM spaces s WHERE s.deleted_at = 0 AND s.id IN (
		SELECT g.subject_id FROM user_grants g WHERE g.org_id = m.org_id AND g.user_id = m.user_id
		UNION
		SELECT tg.subject_id FROM team_grants tg JOIN team_members tm ON tm.team_id = tg.team_id
		WHERE tg.org_id = m.org_id AND tm.user_id = m.user_id)),
	(SELECT COUNT(*) FROM sites w WHERE w.id IN (
		SELECT g.subject_id FROM user_grants g WHERE g.org_id = m.org_id AND g.user_id = m.user_id
		UNION
		SELECT tg.subject_id FROM team_grants tg JOIN team_members tm ON tm.team_id = tg.team_id
		WHERE tg.org_id = m.org_id AND tm.user_id = m.user_id))`

func memberDest(m *docs.Member) []any {
	d := []any{&m.Org, &m.Role, &m.Disabled, &m.SSO, &m.JoinedAt, &m.LastSeenAt}
	d = append(d, userDest(&m.User)...)
	return append(d, &m.Teams, &m.Spaces, &m.Sites)
}

func scanMember(s engine.Scanner) (m docs.Member, err error) {
	err = s.Scan(memberDest(&m)...)
	m.User = m.User.Known(m.LastSeenAt)
	return m, err
}

// Member returns a member of an organization.
func (r orgReads) Member(ctx context.Context, org docs.OrgID, user docs.UserID) (docs.Member, error) {
	return engine.One(ctx, r, "member", scanMember, `
		SELECT `+memberColumns+`
		FROM members m JOIN users u ON u.id = m.user_id
		WHERE m.org_id = $1 AND m.user_id = $2`, org, user)
}

// MemberFilter narrows and sorts a list of members.
type MemberFilter struct {
	Role     *docs.Role // nil: any; Guest: guests only
	Search   string     // part of the name or the address, in any case
	LastSeen bool       // sort by when they were last seen, and only those who were
	Named    bool       // sort by name
	Asc      bool
}

// memberName is what members are searched and sorted by. The name of somebody who was never
// here is left out: it belongs to an account that the organization does not know yet.
const memberName = `(CASE WHEN m.last_seen_at > 0 THEN u.search ELSE u.email END)`

// Members lists the people who are members of an organization.
func (r orgReads) Members(ctx context.Context, org docs.OrgID, f MemberFilter, p Page) ([]docs.Member, Key, error) {
	if f.Named {
		return r.membersByName(ctx, org, f, p)
	}
	column := "m.joined_at"
	if f.LastSeen {
		column = "m.last_seen_at"
	}
	by, err := p.Sorted(f.Asc)
	if err != nil {
		return nil, nil, err
	}
	where, args := f.where(org)
	// The order is one of four fixed texts; all values are parameters.
	items, err := engine.Many(ctx, r, scanMember, `
		SELECT `+memberColumns+`
		FROM members m JOIN users u ON u.id = m.user_id
		WHERE `+where+` AND (`+column+`, m.user_id) `+by.Compare+` ($5, $6)
		ORDER BY `+column+` `+by.Direction+`, m.user_id `+by.Direction+` LIMIT $7 + 0`,
		append(args, by.At, by.ID, p.Ask())...)
	items, next := engine.Cut(p, items, func(m docs.Member) Key {
		if f.LastSeen {
			return Key{itoa(int64(m.LastSeenAt)), string(m.User.ID)}
		}
		return Key{itoa(int64(m.JoinedAt)), string(m.User.ID)}
	})
	return items, next, err
}

// membersByName is Members in the order of names, as the database compares texts.
func (r orgReads) membersByName(ctx context.Context, org docs.OrgID, f MemberFilter, p Page) ([]docs.Member, Key, error) {
	compare, direction := engine.Directed(f.Asc)
	where, args := f.where(org)
	items, err := engine.Many(ctx, r, scanMember, `
		SELECT `+memberColumns+`
		FROM members m JOIN users u ON u.id = m.user_id
		WHERE `+where+` AND ($6 = '' OR (`+memberName+`, m.user_id) `+compare+` ($5, $6))
		ORDER BY `+memberName+` `+direction+`, m.user_id `+direction+` LIMIT $7 + 0`,
		append(args, p.Text(0), p.Text(1), p.Ask())...)
	items, next := engine.Cut(p, items, memberNameKey)
	return items, next, err
}

// memberNameKey returns the key of a member in a list that is sorted by memberName.
func memberNameKey(m docs.Member) Key {
	name := string(m.User.Email)
	if m.LastSeenAt > 0 {
		name = userSearch(m.User)
	}
	return Key{name, string(m.User.ID)}
}

// CountMembers counts what Members lists.
func (r orgReads) CountMembers(ctx context.Context, org docs.OrgID, f MemberFilter) (int64, error) {
	where, args := f.where(org)
	return engine.One(ctx, r, "count", engine.ScanInt, `
		SELECT COUNT(*) FROM members m JOIN users u ON u.id = m.user_id WHERE `+where, args...)
}

// where uses the parameters $1 to $4.
func (f MemberFilter) where(org docs.OrgID) (string, []any) {
	role := "*"
	if f.Role != nil {
		role = string(*f.Role)
	}
	seen := int64(0)
	if f.LastSeen {
		seen = 1
	}
	return `m.org_id = $1 AND u.kind = '' AND ($2 = '*' OR m.role = $2) AND m.last_seen_at >= $3
		AND ` + memberName + ` LIKE $4 ESCAPE '\'`,
		[]any{org, role, seen, like(f.Search)}
}

// like returns a pattern for texts that contain s, without regard to case.
func like(s string) string {
	s = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(names.Key(s))
	return "%" + s + "%"
}

// CountAdmins counts the people who are enabled admins of an organization. Service accounts do
// not count, because they cannot restore access.
func (r orgReads) CountAdmins(ctx context.Context, org docs.OrgID) (int64, error) {
	return engine.One(ctx, r, "count", engine.ScanInt, `
		SELECT COUNT(*) FROM members m JOIN users u ON u.id = m.user_id
		WHERE m.org_id = $1 AND m.role = 'admin' AND NOT m.disabled AND u.kind = ''`, org)
}

// MembersAmong returns the users that are members. It stops at the first one that is
// not.
func (r orgReads) MembersAmong(ctx context.Context, org docs.OrgID, users []docs.UserID) (map[docs.UserID]bool, error) {
	found := map[docs.UserID]bool{}
	for _, u := range users {
		n, err := engine.One(ctx, r, "count", engine.ScanInt, `SELECT COUNT(*) FROM members WHERE org_id = $1 AND user_id = $2`, org, u)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			return found, nil // callers only need to know that one is missing
		}
		found[u] = true
	}
	return found, nil
}

// AddMember makes a user a member.
func (tx orgWrites) AddMember(ctx context.Context, m docs.Member) error {
	err := engine.Put(ctx, tx, `
		INSERT INTO members (org_id, user_id, role, disabled, sso, joined_at, last_seen_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		m.Org, m.User.ID, m.Role, m.Disabled, m.SSO, m.JoinedAt, m.LastSeenAt)
	if err != nil {
		return engine.Taken(tx, err, "%s is a member already", m.User.Email)
	}
	if err := oneMore(ctx, tx, m.Org, docs.QuotaMembers); err != nil {
		return err
	}
	return bumpAccess(ctx, tx, m.Org)
}

// PutMember stores a changed member.
func (tx orgWrites) PutMember(ctx context.Context, m docs.Member) error {
	err := engine.Put(ctx, tx, `
		UPDATE members SET role = $3, disabled = $4, sso = $5, last_seen_at = $6
		WHERE org_id = $1 AND user_id = $2`,
		m.Org, m.User.ID, m.Role, m.Disabled, m.SSO, m.LastSeenAt)
	if err != nil {
		return err
	}
	return bumpAccess(ctx, tx, m.Org)
}

// DropMember removes a user from an organization, its teams and its grants;
// it reports whether the user was a member.
func (tx orgWrites) DropMember(ctx context.Context, org docs.OrgID, user docs.UserID) (bool, error) {
	n, err := engine.Exec(ctx, tx, `DELETE FROM members WHERE org_id = $1 AND user_id = $2`, org, user)
	if err != nil || n == 0 {
		return false, err
	}
	if err := engine.Put(ctx, tx, `DELETE FROM user_grants WHERE org_id = $1 AND user_id = $2`, org, user); err != nil {
		return false, err
	}
	if err := tx.PutExternalID(ctx, org, string(user), ""); err != nil {
		return false, err
	}
	err = engine.Put(ctx, tx, `
		DELETE FROM team_members
		WHERE user_id = $2 AND team_id IN (SELECT id FROM teams WHERE org_id = $1)`, org, user)
	if err != nil {
		return false, err
	}
	err = engine.Put(ctx, tx, `
		INSERT INTO removals (org_id, user_id, removed_at) VALUES ($1, $2, $3)
		ON CONFLICT (org_id, user_id) DO UPDATE SET removed_at = excluded.removed_at`, org, user, tx.Now())
	if err != nil {
		return false, err
	}
	return true, bumpAccess(ctx, tx, org)
}

// RemovedAt returns when a user was removed from an organization; zero: never.
func (r orgReads) RemovedAt(ctx context.Context, org docs.OrgID, user docs.UserID) (docs.Time, error) {
	at, err := engine.Many(ctx, r, engine.ScanInt, `SELECT removed_at FROM removals WHERE org_id = $1 AND user_id = $2`, org, user)
	if err != nil || len(at) == 0 {
		return 0, err
	}
	return docs.Time(at[0]), nil
}

// TouchMember notes that a member was seen.
func (tx orgWrites) TouchMember(ctx context.Context, org docs.OrgID, user docs.UserID, at docs.Time) error {
	return engine.Put(ctx, tx, `
		UPDATE members SET last_seen_at = $3
		WHERE org_id = $1 AND user_id = $2 AND last_seen_at < $3`, org, user, at)
}
