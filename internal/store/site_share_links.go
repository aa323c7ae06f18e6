package store

import (
	"context"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/names"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

// SealedShareLink is a share link with its key as it is stored.
type SealedShareLink struct {
	docs.ShareLink
	Hash   string // of the key
	Sealed docs.Sealed
}

const shareLinkColumns = `l.id, l.site_id, l.name, l.active, l.key_hash, l.key_sealed, l.created_at`

func scanShareLink(s engine.Scanner) (v SealedShareLink, err error) {
	err = s.Scan(&v.ID, &v.Site, &v.Name, &v.Active, &v.Hash, &v.Sealed, &v.CreatedAt)
	return v, err
}

// ShareLink returns a share link of a site.
func (r siteReads) ShareLink(ctx context.Context, site docs.SiteID, id docs.ShareLinkID) (SealedShareLink, error) {
	return engine.One(ctx, r, "share link", scanShareLink, `
		SELECT `+shareLinkColumns+` FROM site_share_links l WHERE l.id = $1 AND l.site_id = $2`, id, site)
}

// ShareLinkByHash returns the share link of a site whose key has a hash.
func (r siteReads) ShareLinkByHash(ctx context.Context, site docs.SiteID, hash string) (SealedShareLink, error) {
	return engine.One(ctx, r, "share link", scanShareLink, `
		SELECT `+shareLinkColumns+` FROM site_share_links l WHERE l.site_id = $1 AND l.key_hash = $2`, site, hash)
}

// ShareLinks lists the share links of a site whose name contains a text, oldest
// first.
func (r siteReads) ShareLinks(ctx context.Context, site docs.SiteID, name string, p Page) ([]SealedShareLink, Key, error) {
	items, err := engine.Many(ctx, r, scanShareLink, `
		SELECT `+shareLinkColumns+` FROM site_share_links l
		WHERE l.site_id = $1 AND l.search LIKE $2 ESCAPE '\' AND l.id > $3
		ORDER BY l.id LIMIT $4 + 0`, site, like(name), p.Text(0), p.Ask())
	items, next := engine.Cut(p, items, func(v SealedShareLink) Key { return Key{string(v.ID)} })
	return items, next, err
}

// CountShareLinks counts what ShareLinks lists.
func (r siteReads) CountShareLinks(ctx context.Context, site docs.SiteID, name string) (int64, error) {
	return engine.One(ctx, r, "count", engine.ScanInt, `
		SELECT COUNT(*) FROM site_share_links WHERE site_id = $1 AND search LIKE $2 ESCAPE '\'`, site, like(name))
}

// AddShareLink stores a new share link.
func (tx siteWrites) AddShareLink(ctx context.Context, v SealedShareLink) error {
	return engine.Put(ctx, tx, `
		INSERT INTO site_share_links (id, site_id, name, search, active, key_hash, key_sealed, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		v.ID, v.Site, v.Name, names.Key(v.Name), v.Active, v.Hash, v.Sealed, v.CreatedAt)
}

// PutShareLink stores the name of a share link and whether it is active.
func (tx siteWrites) PutShareLink(ctx context.Context, v docs.ShareLink) error {
	return engine.Put(ctx, tx, `UPDATE site_share_links SET name = $2, search = $3, active = $4 WHERE id = $1`,
		v.ID, v.Name, names.Key(v.Name), v.Active)
}

// DropShareLink deletes a share link of a site.
func (tx siteWrites) DropShareLink(ctx context.Context, site docs.SiteID, id docs.ShareLinkID) error {
	return dropOne(ctx, tx, "share link", `DELETE FROM site_share_links WHERE id = $1 AND site_id = $2`, id, site)
}

// dropOne runs a DELETE; the error is NotFound if it deletes nothing.
func dropOne(ctx context.Context, tx engine.Writer, what, text string, args ...any) error {
	n, err := engine.Exec(ctx, tx, text, args...)
	if err == nil && n == 0 {
		return errs.Missing(what)
	}
	return err
}
