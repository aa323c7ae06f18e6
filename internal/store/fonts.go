package store

import (
	"context"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

// Upload returns an uploaded file of an organization.
func (r orgReads) Upload(ctx context.Context, org docs.OrgID, key docs.UploadKey) (docs.Upload, error) {
	return engine.One(ctx, r, "uploaded file", func(s engine.Scanner) (v docs.Upload, err error) {
		err = s.Scan(&v.Key, &v.Org, &v.Kind, &v.Name, &v.ContentType, &v.Size, &v.Blob, &v.CreatedBy, &v.CreatedAt)
		return v, err
	}, `SELECT key, org_id, kind, name, content_type, size, blob, created_by, created_at FROM uploads WHERE key = $1 AND org_id = $2`, key, org)
}

// CountUploads counts the uploaded files of an organization.
func (r orgReads) CountUploads(ctx context.Context, org docs.OrgID) (int64, error) {
	return engine.One(ctx, r, "count", engine.ScanInt, `SELECT COUNT(*) FROM uploads WHERE org_id = $1`, org)
}

// AddUpload stores an uploaded file. Conflict if there is one with its key.
func (tx orgWrites) AddUpload(ctx context.Context, v docs.Upload) error {
	return engine.Taken(tx, engine.Put(ctx, tx, `
		INSERT INTO uploads (key, org_id, kind, name, content_type, size, blob, created_by, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		v.Key, v.Org, v.Kind, v.Name, v.ContentType, v.Size, v.Blob, v.CreatedBy, v.CreatedAt),
		"the file was uploaded already")
}

// TrimUploads deletes at most limit uploaded files that are older than a time, and
// returns their number.
func (tx orgWrites) TrimUploads(ctx context.Context, before docs.Time, limit int) (int64, error) {
	return engine.Exec(ctx, tx, `
		DELETE FROM uploads
		WHERE key IN (SELECT key FROM uploads WHERE created_at < $1 ORDER BY created_at LIMIT $2 + 0)`, before, limit)
}

const fontColumns = `id, org_id, family, faces, created_at, updated_at`

func scanFont(s engine.Scanner) (v docs.Font, err error) {
	err = s.Scan(&v.ID, &v.Org, &v.Family, inJSON{&v.Faces}, &v.CreatedAt, &v.UpdatedAt)
	return v, err
}

// Font returns a font of an organization.
func (r orgReads) Font(ctx context.Context, org docs.OrgID, id docs.FontID) (docs.Font, error) {
	return engine.One(ctx, r, "font", scanFont, `SELECT `+fontColumns+` FROM fonts WHERE id = $1 AND org_id = $2`, id, org)
}

// Fonts returns the fonts of an organization, oldest first. Their number is
// bounded when they are made.
func (r orgReads) Fonts(ctx context.Context, org docs.OrgID) ([]docs.Font, error) {
	return engine.Many(ctx, r, scanFont, `SELECT `+fontColumns+` FROM fonts WHERE org_id = $1 ORDER BY id`, org)
}

// PutFont stores a new or changed font.
func (tx orgWrites) PutFont(ctx context.Context, v docs.Font) error {
	return engine.Put(ctx, tx, `
		INSERT INTO fonts (id, org_id, family, faces, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (id) DO UPDATE SET family = excluded.family, faces = excluded.faces, updated_at = excluded.updated_at`,
		v.ID, v.Org, v.Family, toJSON(v.Faces), v.CreatedAt, v.UpdatedAt)
}

// DropFont deletes a font of an organization.
func (tx orgWrites) DropFont(ctx context.Context, org docs.OrgID, id docs.FontID) error {
	return dropOne(ctx, tx, "font", `DELETE FROM fonts WHERE id = $1 AND org_id = $2`, id, org)
}

// SitesWithFont returns the sites of an organization that use a font, themselves
// or in one of their site spaces. The customization is looked through as text:
// inside of a JSON string the quotes would be escaped.
func (r orgReads) SitesWithFont(ctx context.Context, org docs.OrgID, id docs.FontID) ([]docs.SiteID, error) {
	return engine.Many(ctx, r, engine.ScanText[docs.SiteID], `
		SELECT w.id FROM sites w WHERE w.org_id = $1 AND w.customization LIKE $2
		UNION
		SELECT w.id FROM sites w JOIN site_items i ON i.site_id = w.id WHERE w.org_id = $1 AND i.customization LIKE $2
		ORDER BY 1`, org, `%"id":"`+string(id)+`"%`)
}
