package store

import (
	"context"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

// ServiceAccount returns a machine of an organization, which is a member of it.
func (r peopleReads) ServiceAccount(ctx context.Context, org docs.OrgID, id docs.UserID) (docs.Member, error) {
	return engine.One(ctx, r, "service account", scanMember, `
		SELECT `+memberColumns+`
		FROM members m JOIN users u ON u.id = m.user_id
		WHERE m.org_id = $1 AND m.user_id = $2 AND u.kind = 'service'`, org, id)
}

// ServiceAccounts lists the machines of an organization, oldest first.
func (r peopleReads) ServiceAccounts(ctx context.Context, org docs.OrgID, p Page) ([]docs.Member, Key, error) {
	items, err := engine.Many(ctx, r, scanMember, `
		SELECT `+memberColumns+`
		FROM members m JOIN users u ON u.id = m.user_id
		WHERE m.org_id = $1 AND m.user_id > $2 AND u.kind = 'service'
		ORDER BY m.user_id LIMIT $3 + 0`, org, p.Text(0), p.Ask())
	items, next := engine.Cut(p, items, func(m docs.Member) Key { return Key{string(m.User.ID)} })
	return items, next, err
}

// CountServiceAccounts counts what ServiceAccounts lists.
func (r peopleReads) CountServiceAccounts(ctx context.Context, org docs.OrgID) (int64, error) {
	return engine.One(ctx, r, "count", engine.ScanInt, `
		SELECT COUNT(*) FROM members m JOIN users u ON u.id = m.user_id WHERE m.org_id = $1 AND u.kind = 'service'`, org)
}
