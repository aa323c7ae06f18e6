package store

import (
	"context"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

// SiteSettings returns the settings of a site.
func (r siteReads) SiteSettings(ctx context.Context, site docs.SiteID) (docs.SiteSettings, error) {
	return engine.One(ctx, r, "site", func(s engine.Scanner) (v docs.SiteSettings, err error) {
		err = s.Scan(&v.Customization, &v.CustomizedAt, siteIcon{&v.Icon}, &v.Schema, &v.SchemaAt, inJSON{&v.Auth}, inJSON{&v.Ads})
		return v, err
	}, `SELECT w.customization, w.customized_at, `+siteIconColumn+`, w.adaptive_schema, w.schema_at, w.auth, w.ads FROM sites w WHERE w.id = $1`, site)
}

// PutSiteSettings stores the settings of a site.
func (tx siteWrites) PutSiteSettings(ctx context.Context, site docs.SiteID, v docs.SiteSettings) error {
	return engine.Put(ctx, tx, `
		UPDATE sites
		SET customization = $2, customized_at = $3, adaptive_schema = $4, schema_at = $5, auth = $6, ads = $7, icon = $8
		WHERE id = $1`,
		site, v.Customization, v.CustomizedAt, v.Schema, v.SchemaAt, toJSON(v.Auth), toJSON(v.Ads), toJSON(v.Icon))
}

// SiteOverrides returns the customization overrides of the site spaces of a site, as
// JSON by site space.
func (r siteReads) SiteOverrides(ctx context.Context, site docs.SiteID) (map[docs.SiteItemID]string, error) {
	type row struct {
		id   docs.SiteItemID
		text string
	}
	rows, err := engine.Many(ctx, r, func(s engine.Scanner) (v row, err error) {
		err = s.Scan(&v.id, &v.text)
		return v, err
	}, `SELECT id, customization FROM site_items WHERE site_id = $1 AND customization <> ''`, site)
	out := map[docs.SiteItemID]string{}
	for _, v := range rows {
		out[v.id] = v.text
	}
	return out, err
}

// PutSiteOverride stores the overrides of a site space; an empty text is none.
func (tx siteWrites) PutSiteOverride(ctx context.Context, item docs.SiteItemID, text string) error {
	return engine.Put(ctx, tx, `UPDATE site_items SET customization = $2 WHERE id = $1`, item, text)
}
