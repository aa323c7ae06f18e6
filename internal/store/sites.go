package store

import (
	"context"
	"fmt"
	"hash/maphash"
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/names"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

// siteIconColumn is what siteIcon reads.
const siteIconColumn = `CASE WHEN w.icon IN ('', '{}') THEN w.customization ELSE w.icon END`

const siteColumns = `w.id, w.org_id, w.title, w.type, w.visibility, w.published, COALESCE(w.basename, ''), COALESCE(w.hostname, ''),
	w.proxy, w.proxy_problem, w.proxy_failures, w.proxy_check, w.adaptive, w.agents_context, w.keeps_questions, ` + siteIconColumn + `, w.ads, w.default_level, w.site_spaces, w.version, w.created_by, w.created_at, w.updated_at`

func siteDest(s *docs.Site) []any {
	return []any{
		&s.ID, &s.Org, &s.Title, &s.Type, &s.Visibility, &s.Published, &s.Basename, &s.Hostname,
		&s.Proxy, &s.ProxyState.Problem, &s.ProxyState.Failures, &s.ProxyState.NextCheck, &s.Adaptive, &s.AgentsContext, &s.KeepsQuestions, siteIcon{&s.Icon}, inJSON{&s.Ads}, &s.Level, &s.SiteSpaces, &s.Version, &s.CreatedBy, &s.CreatedAt, &s.UpdatedAt,
	}
}

// siteIcon scans the icon of a site, or takes it from the customization if that was
// stored by a version of Octavo that did not store icons.
type siteIcon struct{ v *docs.SiteIcon }

// Scan implements sql.Scanner.
func (i siteIcon) Scan(column any) error {
	var both struct {
		docs.SiteIcon
		Favicon struct {
			Emoji string
			Icon  struct{ Light, Dark string }
		}
	}
	err := inJSON{&both}.Scan(column)
	*i.v = both.SiteIcon
	if f := both.Favicon; both.SiteIcon == (docs.SiteIcon{}) {
		*i.v = docs.SiteIcon{Emoji: f.Emoji, Light: f.Icon.Light, Dark: f.Icon.Dark}
	}
	return err
}

func scanSite(s engine.Scanner) (v docs.Site, err error) {
	err = s.Scan(siteDest(&v)...)
	return v, err
}

// Site returns a site by id.
func (r siteReads) Site(ctx context.Context, id docs.SiteID) (Stamped[docs.Site], error) {
	return engine.Cached(ctx, r, "site", string(id), func(ctx context.Context) (Stamped[docs.Site], error) {
		return engine.One(ctx, r, "site", func(s engine.Scanner) (v Stamped[docs.Site], err error) {
			err = s.Scan(append(siteDest(&v.It), &v.Stamp.Access, &v.Stamp.Auth)...)
			return v, err
		}, `SELECT `+siteColumns+`, o.access_version, i.auth_version
			FROM sites w JOIN organizations o ON o.id = w.org_id CROSS JOIN instance i
			WHERE w.id = $1 AND o.deleted_at = 0`, id)
	})
}

// SiteByBasename returns the site with a basename.
func (r siteReads) SiteByBasename(ctx context.Context, name string) (docs.Site, error) {
	return engine.Cached(ctx, r, "site basename", name, func(ctx context.Context) (docs.Site, error) {
		return engine.One(ctx, r, "site", scanSite, `SELECT `+siteColumns+` FROM sites w WHERE w.basename = $1 AND `+inPresentOrg("w"), name)
	})
}

// SiteByHostname returns the site that has a host name.
func (r siteReads) SiteByHostname(ctx context.Context, name string) (docs.Site, error) {
	return engine.Cached(ctx, r, "site hostname", name, func(ctx context.Context) (docs.Site, error) {
		return engine.One(ctx, r, "site", scanSite, `SELECT `+siteColumns+` FROM sites w WHERE w.hostname = $1 AND `+inPresentOrg("w"), name)
	})
}

// SiteFilter narrows a list of sites.
type SiteFilter struct {
	Space     docs.SpaceID // only sites that have it; empty: all
	Title     string       // a part of the title
	Published *bool
	Types     []string // empty: all
}

// args are the parameters of sitesFrom behind those of the viewer.
func (f SiteFilter) args() []any {
	published := -1
	if f.Published != nil {
		published = flag(*f.Published)
	}
	types := ""
	if len(f.Types) > 0 {
		types = " " + strings.Join(f.Types, " ") + " "
	}
	return []any{like(f.Title), f.Space, published, types}
}

var sitesFrom = ` FROM (
		SELECT n.id, ` + nodeRank("cast($3 AS INTEGER)") + ` AS access
		FROM sites n LEFT JOIN granted g ON g.subject_id = n.id
		WHERE n.org_id = $1
	) AS ranked JOIN sites w ON w.id = ranked.id
	WHERE ranked.access > 0 AND w.search LIKE $4 ESCAPE '\'
	AND ($5 = '' OR EXISTS (SELECT 1 FROM site_items x WHERE x.site_id = w.id AND x.space_id = $5))
	AND (cast($6 AS INTEGER) < 0 OR w.published = (cast($6 AS INTEGER) = 1))
	AND ($7 = '' OR $7 LIKE '% ' || w.type || ' %')`

// Sites lists the sites of an organization that a viewer can see, with the viewer's role,
// oldest first.
func (r siteReads) Sites(ctx context.Context, v Viewer, f SiteFilter, p Page) ([]Ranked[docs.Site], Key, error) {
	items, err := engine.Many(ctx, r, func(s engine.Scanner) (v Ranked[docs.Site], err error) {
		var rank int
		err = s.Scan(append(siteDest(&v.It), &rank)...)
		v.Role = docs.RoleOfRank(rank)
		return v, err
	}, ranksCTE+` SELECT `+siteColumns+`, ranked.access`+sitesFrom+` AND w.id > $8
		ORDER BY w.id LIMIT $9 + 0`, append(append(v.args(), f.args()...), p.Text(0), p.Ask())...)
	items, next := engine.Cut(p, items, func(s Ranked[docs.Site]) Key { return Key{string(s.It.ID)} })
	return items, next, err
}

// CountSites counts what Sites lists.
func (r siteReads) CountSites(ctx context.Context, v Viewer, f SiteFilter) (int64, error) {
	return engine.One(ctx, r, "count", engine.ScanInt, ranksCTE+` SELECT COUNT(*)`+sitesFrom, append(v.args(), f.args()...)...)
}

// SiteItems returns the sections, groups, site spaces and links of a site by rank.
func (r siteReads) SiteItems(ctx context.Context, site docs.SiteID) ([]docs.SiteItem, error) {
	return engine.Many(ctx, r, func(s engine.Scanner) (v docs.SiteItem, err error) {
		err = s.Scan(&v.ID, &v.Kind, &v.Parent, &v.Rank, &v.Title, &v.Path, &v.Icon, &v.Description, &v.Condition,
			&v.Default, &v.Space, &v.Address, &v.URL, &v.Draft, &v.Withheld,
			&v.Drafted, &v.Hidden, &v.LocalizedTitle, &v.LocalizedDescription, &v.Trashed)
		return v, err
	}, `SELECT x.id, x.kind, x.parent_id, x.rank, COALESCE(s.title, x.title), x.path, x.icon, x.description, x.condition,
			x.is_default, COALESCE(x.space_id, ''), x.address, x.url, x.draft, x.withheld,
			x.drafted, x.hidden, x.localized_title, x.localized_description, COALESCE(s.deleted_at, 0) > 0
		FROM site_items x LEFT JOIN spaces s ON s.id = x.space_id
		WHERE x.site_id = $1 ORDER BY x.rank, x.id`, site)
}

// SpacesOnSite returns the spaces of a site that a viewer can see, with the
// viewer's role. Spaces in the trash are visible to viewers who can restore them.
func (r siteReads) SpacesOnSite(ctx context.Context, v Viewer, site docs.SiteID) ([]Ranked[docs.Space], error) {
	return engine.Many(ctx, r, func(s engine.Scanner) (it Ranked[docs.Space], err error) {
		var row spaceRow
		var rank int
		if err = s.Scan(append(row.dest(), &rank)...); err != nil {
			return it, err
		}
		it.It, err = row.done()
		it.Role = docs.RoleOfRank(rank)
		return it, err
	}, ranksCTE+` SELECT `+spaceColumns+`, ranked.access FROM (
			SELECT n.id, `+nodeRank("COALESCE(up.rank, cast($3 AS INTEGER))")+` AS access
			FROM spaces n LEFT JOIN tree up ON up.id = n.parent_id LEFT JOIN granted g ON g.subject_id = n.id
			WHERE n.id IN (SELECT x.space_id FROM site_items x WHERE x.site_id = $4)
		) AS ranked JOIN spaces s ON s.id = ranked.id
		WHERE ranked.access > 0 AND (s.deleted_at = 0 OR ranked.access >= $5 + 0)
		ORDER BY s.id`, append(v.args(), site, docs.Create.Rank())...)
}

// PresentSpacesOnSite returns the spaces of a site that are not in the trash.
func (r siteReads) PresentSpacesOnSite(ctx context.Context, site docs.SiteID) ([]docs.Space, error) {
	return engine.Cached(ctx, r, "spaces of site", string(site), func(ctx context.Context) ([]docs.Space, error) {
		return engine.Many(ctx, r, scanSpace, `SELECT `+spaceColumns+` FROM spaces s
			WHERE s.id IN (SELECT x.space_id FROM site_items x WHERE x.site_id = $1) AND s.deleted_at = 0 ORDER BY s.id`, site)
	})
}

// MarkOfSpacesOnSite returns a number that differs when PresentSpacesOnSite would
// return anything else. It is the same only within this process.
func (r siteReads) MarkOfSpacesOnSite(ctx context.Context, site docs.SiteID) (uint64, error) {
	return engine.Cached(ctx, r, "mark of spaces of site", string(site), func(ctx context.Context) (uint64, error) {
		var h maphash.Hash
		h.SetSeed(markSeed)
		err := engine.Each(ctx, r, func(s engine.Scanner) (line string, err error) {
			var space, revision string
			var updated int64
			err = s.Scan(&space, &revision, &updated)
			return fmt.Sprintln(space, revision, updated), err
		}, func(line string) { _, _ = h.WriteString(line) }, // a hash takes everything
			`SELECT s.id, s.revision_id, s.updated_at FROM spaces s
			WHERE s.id IN (SELECT x.space_id FROM site_items x WHERE x.site_id = $1) AND s.deleted_at = 0 ORDER BY s.id`, site)
		return h.Sum64(), err
	})
}

var markSeed = maphash.MakeSeed()

// SitesWith returns the sites that have a space, oldest first.
func (r siteReads) SitesWith(ctx context.Context, space docs.SpaceID) ([]docs.Site, error) {
	return engine.Many(ctx, r, scanSite, `SELECT `+siteColumns+` FROM sites w
		WHERE w.id IN (SELECT x.site_id FROM site_items x WHERE x.space_id = $1) ORDER BY w.id`, space)
}

// Publications returns every place on a published site where readers find a space,
// unless it is in the trash or a draft there. The shortest address of each site comes first.
func (r siteReads) Publications(ctx context.Context, space docs.SpaceID) ([]docs.Publication, error) {
	return engine.Many(ctx, r, func(s engine.Scanner) (p docs.Publication, err error) {
		err = s.Scan(&p.Site, &p.Basename, &p.Hostname, &p.Proxy, &p.Visibility, &p.Path)
		return p, err
	}, `SELECT w.id, COALESCE(w.basename, ''), COALESCE(w.hostname, ''), w.proxy, w.visibility, x.address
		FROM site_items x JOIN sites w ON w.id = x.site_id JOIN spaces s ON s.id = x.space_id
		WHERE x.space_id = $1 AND w.published AND NOT x.withheld AND NOT x.drafted AND s.deleted_at = 0
		ORDER BY w.id, LENGTH(x.address), x.address, x.id`, space)
}

// PublicSites returns the first sites that anybody can find, oldest first: they are public, and have
// content that no condition hides.
func (r siteReads) PublicSites(ctx context.Context, limit int) ([]docs.Site, error) {
	return engine.Cached(ctx, r, "public sites", strconv.Itoa(limit), func(ctx context.Context) ([]docs.Site, error) {
		return engine.Many(ctx, r, scanSite, `SELECT `+siteColumns+` FROM sites w
			WHERE w.published AND w.visibility = 'public' AND `+inPresentOrg("w")+` AND EXISTS (
				SELECT 1 FROM site_items x JOIN spaces s ON s.id = x.space_id
				WHERE x.site_id = w.id AND x.condition = '' AND NOT x.withheld AND NOT x.drafted AND s.deleted_at = 0
				AND NOT EXISTS (SELECT 1 FROM site_items up WHERE up.id = x.parent_id AND up.condition <> ''))
			ORDER BY w.id LIMIT $1 + 0`, limit)
	})
}

// PutPublication stores where a space is published; nil is nowhere.
func (tx siteWrites) PutPublication(ctx context.Context, space docs.SpaceID, p *docs.Publication) error {
	text := ""
	if p != nil {
		text = toJSON(p)
	}
	return engine.Put(ctx, tx, `UPDATE spaces SET published = $2 WHERE id = $1`, space, text)
}

// AddSite stores a new site.
func (tx siteWrites) AddSite(ctx context.Context, s docs.Site) error {
	return engine.Put(ctx, tx, `
		INSERT INTO sites (id, org_id, title, search, type, visibility, published, basename, hostname, proxy, adaptive,
			agents_context, default_level, site_spaces, version, created_by, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, NULLIF($8, ''), NULLIF($9, ''), $10, $11, $12, $13, $14, $15, $16, $17, $18)`,
		s.ID, s.Org, s.Title, names.Key(s.Title), s.Type, s.Visibility, s.Published, s.Basename, s.Hostname, s.Proxy,
		s.Adaptive, s.AgentsContext, s.Level, s.SiteSpaces, s.Version, s.CreatedBy, s.CreatedAt, s.UpdatedAt)
}

// PutSite stores a changed site without its settings.
func (tx siteWrites) PutSite(ctx context.Context, s docs.Site) error {
	return engine.Taken(tx, engine.Put(ctx, tx, `
		UPDATE sites
		SET title = $2, search = $3, visibility = $4, published = $5, basename = NULLIF($6, ''), hostname = NULLIF($7, ''),
			proxy = $8, adaptive = $9, agents_context = $10, default_level = $11, site_spaces = $12, version = $13, updated_at = $14,
			proxy_problem = $15, proxy_failures = $16, proxy_check = $17, keeps_questions = $18
		WHERE id = $1`,
		s.ID, s.Title, names.Key(s.Title), s.Visibility, s.Published, s.Basename, s.Hostname,
		s.Proxy, s.Adaptive, s.AgentsContext, s.Level, s.SiteSpaces, s.Version, s.UpdatedAt,
		s.ProxyState.Problem, s.ProxyState.Failures, s.ProxyState.NextCheck, s.KeepsQuestions),
		"the basename %q is taken; choose another", s.Basename)
}

// PutProxyState stores the result of a check of the proxy, without a new version of
// the site.
func (tx siteWrites) PutProxyState(ctx context.Context, id docs.SiteID, s docs.ProxyState) error {
	return engine.Put(ctx, tx, `UPDATE sites SET proxy_problem = $2, proxy_failures = $3, proxy_check = $4 WHERE id = $1`, id, s.Problem, s.Failures, s.NextCheck)
}

// DueProxies returns the first sites whose proxies are to be checked.
func (r siteReads) DueProxies(ctx context.Context, now docs.Time, limit int) ([]docs.Site, error) {
	return engine.Many(ctx, r, scanSite, `
		SELECT `+siteColumns+` FROM sites w
		WHERE w.proxy_check > 0 AND w.proxy_check <= $1 AND `+inPresentOrg("w")+` ORDER BY w.proxy_check, w.id LIMIT $2 + 0`, now, limit)
}

// DropSite deletes a site, its items and the rows that refer to it.
func (tx siteWrites) DropSite(ctx context.Context, s docs.Site) error {
	if err := dropGrants(ctx, tx, s.Org, s.Node()); err != nil {
		return err
	}
	for _, text := range []string{
		`DELETE FROM site_items WHERE site_id = $1`,
		`DELETE FROM site_hostnames WHERE site_id = $1`,
		`DELETE FROM site_share_links WHERE site_id = $1`,
		`DELETE FROM site_redirects WHERE site_id = $1`,
		`DELETE FROM site_mcp_servers WHERE site_id = $1`,
		`DELETE FROM site_events WHERE site_id = $1`,
		`DELETE FROM site_questions WHERE site_id = $1`,
		`UPDATE organizations SET default_content = '' WHERE default_content = $1`,
		`DELETE FROM sites WHERE id = $1`,
	} {
		if err := engine.Put(ctx, tx, text, s.ID); err != nil {
			return err
		}
	}
	return nil
}

// PutSiteItem stores a new or changed item of a site. The title of a site space
// is that of its space.
func (tx siteWrites) PutSiteItem(ctx context.Context, site docs.SiteID, v docs.SiteItem) error {
	if v.Kind == docs.SiteSpace {
		v.Title = ""
	}
	return engine.Put(ctx, tx, `
		INSERT INTO site_items (id, site_id, kind, parent_id, rank, title, path, icon, description, condition, is_default, space_id, address, url, draft, withheld,
			drafted, hidden, localized_title, localized_description)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, NULLIF($12, ''), $13, $14, $15, $16, $17, $18, $19, $20)
		ON CONFLICT (id) DO UPDATE SET parent_id = excluded.parent_id, rank = excluded.rank, title = excluded.title,
			path = excluded.path, icon = excluded.icon, description = excluded.description, condition = excluded.condition,
			is_default = excluded.is_default, space_id = excluded.space_id, address = excluded.address,
			url = excluded.url, draft = excluded.draft, withheld = excluded.withheld,
			drafted = excluded.drafted, hidden = excluded.hidden, localized_title = excluded.localized_title,
			localized_description = excluded.localized_description`,
		v.ID, site, v.Kind, v.Parent, v.Rank, v.Title, v.Path, v.Icon, v.Description, v.Condition, v.Default, v.Space, v.Address,
		v.URL, v.Draft, v.Withheld, v.Drafted, v.Hidden, v.LocalizedTitle, v.LocalizedDescription)
}

// DropSiteItem deletes an item of a site.
func (tx siteWrites) DropSiteItem(ctx context.Context, id docs.SiteItemID) error {
	return engine.Put(ctx, tx, `DELETE FROM site_items WHERE id = $1`, id)
}

// SitesToPurge returns some sites of an organization.
func (r siteReads) SitesToPurge(ctx context.Context, org docs.OrgID, limit int) ([]docs.Site, error) {
	return engine.Many(ctx, r, scanSite, `SELECT `+siteColumns+` FROM sites w WHERE w.org_id = $1 ORDER BY w.id LIMIT $2 + 0`, org, limit)
}

// PurgeSite removes a site, and the certificates of its host name.
func (tx siteWrites) PurgeSite(ctx context.Context, s docs.Site) error {
	err := engine.Put(ctx, tx, `
		DELETE FROM certificates WHERE name IN (SELECT hostname FROM site_hostnames WHERE site_id = $1)
			OR name IN (SELECT hostname || '+rsa' FROM site_hostnames WHERE site_id = $1)`, s.ID)
	if err != nil {
		return err
	}
	return tx.DropSite(ctx, s)
}
