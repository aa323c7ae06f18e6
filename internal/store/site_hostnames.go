package store

import (
	"context"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

const siteHostnameColumns = `h.site_id, h.hostname, h.token, h.active, h.problem, h.created_at, h.verified_at, h.checked_at,
	h.failing_since, h.next_check`

func scanSiteHostname(s engine.Scanner) (v docs.SiteHostname, err error) {
	err = s.Scan(&v.Site, &v.Name, &v.Token, &v.Active, &v.Problem, &v.CreatedAt, &v.VerifiedAt, &v.CheckedAt,
		&v.FailingSince, &v.NextCheck)
	return v, err
}

// SiteHostname returns the host name that a site has or wants.
func (r siteReads) SiteHostname(ctx context.Context, site docs.SiteID) (docs.SiteHostname, error) {
	return engine.One(ctx, r, "host name", scanSiteHostname, `
		SELECT `+siteHostnameColumns+` FROM site_hostnames h WHERE h.site_id = $1`, site)
}

// maxClaims is the maximum number of sites that are read that want the same host name.
const maxClaims = 100

// SitesOfHostname returns the sites that have or want a host name, those that have it first.
func (r siteReads) SitesOfHostname(ctx context.Context, name string) ([]docs.Site, error) {
	return engine.Many(ctx, r, scanSite, `
		SELECT `+siteColumns+` FROM site_hostnames h JOIN sites w ON w.id = h.site_id
		WHERE h.hostname = $1 AND `+inPresentOrg("w")+` ORDER BY h.active DESC, w.id LIMIT $2 + 0`, name, maxClaims)
}

// DueHostnames returns the host names that must be checked at a time, those that
// wait longest first.
func (r siteReads) DueHostnames(ctx context.Context, now docs.Time, limit int) ([]docs.SiteHostname, error) {
	return engine.Many(ctx, r, scanSiteHostname, `
		SELECT `+siteHostnameColumns+` FROM site_hostnames h JOIN sites w ON w.id = h.site_id
		WHERE h.next_check <= $1 AND `+inPresentOrg("w")+` ORDER BY h.next_check, h.site_id LIMIT $2 + 0`, now, limit)
}

// PutSiteHostname stores the host name of a site in place of the one before.
func (tx siteWrites) PutSiteHostname(ctx context.Context, v docs.SiteHostname) error {
	return engine.Put(ctx, tx, `
		INSERT INTO site_hostnames (site_id, hostname, token, active, problem, created_at, verified_at, checked_at,
			failing_since, next_check)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
		ON CONFLICT (site_id) DO UPDATE SET hostname = excluded.hostname, token = excluded.token, active = excluded.active,
			problem = excluded.problem, created_at = excluded.created_at, verified_at = excluded.verified_at,
			checked_at = excluded.checked_at, failing_since = excluded.failing_since, next_check = excluded.next_check`,
		v.Site, v.Name, v.Token, v.Active, v.Problem, v.CreatedAt, v.VerifiedAt, v.CheckedAt, v.FailingSince, v.NextCheck)
}

// DropSiteHostname deletes the host name of a site.
func (tx siteWrites) DropSiteHostname(ctx context.Context, site docs.SiteID) error {
	return dropOne(ctx, tx, "host name", `DELETE FROM site_hostnames WHERE site_id = $1`, site)
}
