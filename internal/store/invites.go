package store

import (
	"context"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

const inviteColumns = `id, org_id, role, COALESCE(space_id, ''), COALESCE(collection_id, ''), created_by, created_at, revoked_at`

func scanInvite(s engine.Scanner) (v docs.InviteLink, err error) {
	err = s.Scan(&v.ID, &v.Org, &v.Role, &v.Space, &v.Collection, &v.CreatedBy, &v.CreatedAt, &v.RevokedAt)
	return v, err
}

// InviteLink returns an invite link, a revoked one too.
func (r orgReads) InviteLink(ctx context.Context, org docs.OrgID, id docs.InviteID) (docs.InviteLink, error) {
	return engine.One(ctx, r, "invite link", scanInvite, `SELECT `+inviteColumns+` FROM invite_links WHERE id = $2 AND org_id = $1`, org, id)
}

// InviteLinks lists the links to the organization itself, oldest first.
func (r orgReads) InviteLinks(ctx context.Context, org docs.OrgID, p Page) ([]docs.InviteLink, Key, error) {
	items, err := engine.Many(ctx, r, scanInvite, `
		SELECT `+inviteColumns+` FROM invite_links
		WHERE org_id = $1 AND space_id IS NULL AND collection_id IS NULL AND revoked_at = 0 AND id > $2
		ORDER BY id LIMIT $3 + 0`, org, p.Text(0), p.Ask())
	items, next := engine.Cut(p, items, func(v docs.InviteLink) Key { return Key{string(v.ID)} })
	return items, next, err
}

// AddInviteLink stores a new link.
func (tx orgWrites) AddInviteLink(ctx context.Context, v docs.InviteLink) error {
	return engine.Put(ctx, tx, `
		INSERT INTO invite_links (id, org_id, role, space_id, collection_id, created_by, created_at, revoked_at)
		VALUES ($1, $2, $3, NULLIF($4, ''), NULLIF($5, ''), $6, $7, $8)`,
		v.ID, v.Org, v.Role, v.Space, v.Collection, v.CreatedBy, v.CreatedAt, v.RevokedAt)
}

// PutInviteLink stores a changed link.
func (tx orgWrites) PutInviteLink(ctx context.Context, v docs.InviteLink) error {
	return engine.Put(ctx, tx, `UPDATE invite_links SET role = $2, revoked_at = $3 WHERE id = $1`, v.ID, v.Role, v.RevokedAt)
}

// DropInviteLinks forgets the links to a collection or a space.
func (tx orgWrites) DropInviteLinks(ctx context.Context, c docs.CollectionID, s docs.SpaceID) error {
	return engine.Put(ctx, tx, `DELETE FROM invite_links WHERE collection_id = $1 OR space_id = $2`, c, s)
}
