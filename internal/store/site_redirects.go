package store

import (
	"context"
	"strconv"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

const redirectColumns = `d.id, d.source, d.draft, d.keep_suffix, d.permanent, d.destination, d.created_at, d.updated_at`

func scanRedirect(s engine.Scanner) (v docs.Redirect, err error) {
	var to string
	if err = s.Scan(&v.ID, &v.Source, &v.Draft, &v.KeepSuffix, &v.Permanent, &to, &v.CreatedAt, &v.UpdatedAt); err != nil {
		return v, err
	}
	return v, fromJSON(to, &v.Destination)
}

// Redirect returns a redirect of a site.
func (r siteReads) Redirect(ctx context.Context, site docs.SiteID, id docs.RedirectID) (docs.Redirect, error) {
	return engine.One(ctx, r, "redirect", scanRedirect, `
		SELECT `+redirectColumns+` FROM site_redirects d WHERE d.id = $1 AND d.site_id = $2`, id, site)
}

// RedirectBySource returns the redirect of a site with exactly a source, in any normal form.
func (r siteReads) RedirectBySource(ctx context.Context, site docs.SiteID, source docs.RedirectSource, draft bool) (docs.Redirect, error) {
	return engine.One(ctx, r, "redirect", scanRedirect, `
		SELECT `+redirectColumns+` FROM site_redirects d WHERE d.site_id = $1 AND d.draft = $2 AND d.source IN ($3, $4)
		ORDER BY d.source <> $3 LIMIT 1`, site, draft, source, source.Decomposed())
}

// RedirectFor returns the live redirect of a site that a normalized path has: its
// own, or the one with the longest text in front of the wildcard.
func (r siteReads) RedirectFor(ctx context.Context, site docs.SiteID, path string) (docs.Redirect, error) {
	v, err := r.RedirectBySource(ctx, site, docs.RedirectSource(path), false)
	if !errs.Is(err, errs.NotFound) {
		return v, err
	}
	return engine.One(ctx, r, "redirect", scanRedirect, `
		SELECT `+redirectColumns+` FROM site_redirects d
		WHERE d.site_id = $1 AND NOT d.draft AND d.wildcard
		AND (substr($2, 1, length(d.prefix)) = d.prefix OR substr($3, 1, length(d.prefix)) = d.prefix)
		ORDER BY length(d.prefix) DESC, d.id LIMIT 1`, site, path, docs.RedirectSource(path).Decomposed())
}

// RedirectOrder is the order of a list of redirects.
type RedirectOrder string

// Orders of redirects.
const (
	RedirectsByCreation RedirectOrder = "createdAt"
	RedirectsByUpdate   RedirectOrder = "updatedAt"
	RedirectsBySource   RedirectOrder = "source"
)

// RedirectFilter narrows and orders a list of redirects.
type RedirectFilter struct {
	Search string // a part of the source
	Draft  *bool
	Order  RedirectOrder
}

func (f RedirectFilter) draft() int {
	if f.Draft == nil {
		return -1
	}
	return flag(*f.Draft)
}

const redirectsFrom = ` FROM site_redirects d
	WHERE d.site_id = $1 AND d.source LIKE $2 ESCAPE '\' AND (cast($3 AS INTEGER) < 0 OR d.draft = (cast($3 AS INTEGER) = 1))`

// Redirects lists the redirects of a site: the oldest first, those that changed
// last first, or by source.
func (r siteReads) Redirects(ctx context.Context, site docs.SiteID, f RedirectFilter, p Page) ([]docs.Redirect, Key, error) {
	args := []any{site, like(f.Search), f.draft()}
	var items []docs.Redirect
	var err error
	key := func(v docs.Redirect) Key { return Key{string(v.ID)} }
	switch f.Order {
	case RedirectsBySource:
		key = func(v docs.Redirect) Key { return Key{string(v.Source), string(v.ID)} }
		items, err = engine.Many(ctx, r, scanRedirect, `SELECT `+redirectColumns+redirectsFrom+`
			AND (d.source > $4 OR d.source = $4 AND d.id > $5) ORDER BY d.source, d.id LIMIT $6 + 0`,
			append(args, p.Text(0), p.Text(1), p.Ask())...)
	case RedirectsByUpdate:
		at, id, bad := p.Down()
		if bad != nil {
			return nil, nil, bad
		}
		key = func(v docs.Redirect) Key { return Key{strconv.FormatInt(int64(v.UpdatedAt), 10), string(v.ID)} }
		items, err = engine.Many(ctx, r, scanRedirect, `SELECT `+redirectColumns+redirectsFrom+`
			AND (d.updated_at < $4 OR d.updated_at = $4 AND d.id < $5) ORDER BY d.updated_at DESC, d.id DESC LIMIT $6 + 0`,
			append(args, at, id, p.Ask())...)
	default:
		items, err = engine.Many(ctx, r, scanRedirect, `SELECT `+redirectColumns+redirectsFrom+`
			AND d.id > $4 ORDER BY d.id LIMIT $5 + 0`, append(args, p.Text(0), p.Ask())...)
	}
	items, next := engine.Cut(p, items, key)
	return items, next, err
}

// CountRedirects counts what Redirects lists.
func (r siteReads) CountRedirects(ctx context.Context, site docs.SiteID, f RedirectFilter) (int64, error) {
	return engine.One(ctx, r, "count", engine.ScanInt, `SELECT COUNT(*)`+redirectsFrom, site, like(f.Search), f.draft())
}

// PutRedirect stores a new or changed redirect of a site. It is a Conflict if
// another one has the source.
func (tx siteWrites) PutRedirect(ctx context.Context, site docs.SiteID, v docs.Redirect) error {
	prefix, wildcard := v.Source.Prefix()
	return engine.Taken(tx, engine.Put(ctx, tx, `
		INSERT INTO site_redirects (id, site_id, source, prefix, wildcard, draft, keep_suffix, permanent, destination, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
		ON CONFLICT (id) DO UPDATE SET source = excluded.source, prefix = excluded.prefix, wildcard = excluded.wildcard,
			draft = excluded.draft, keep_suffix = excluded.keep_suffix, permanent = excluded.permanent,
			destination = excluded.destination, updated_at = excluded.updated_at`,
		v.ID, site, v.Source, prefix, wildcard, v.Draft, v.KeepSuffix, v.Permanent, toJSON(v.Destination), v.CreatedAt, v.UpdatedAt),
		"there is already a redirect from %s; change that one", v.Source)
}

// DropRedirect deletes a redirect of a site.
func (tx siteWrites) DropRedirect(ctx context.Context, site docs.SiteID, id docs.RedirectID) error {
	return dropOne(ctx, tx, "redirect", `DELETE FROM site_redirects WHERE id = $1 AND site_id = $2`, id, site)
}
