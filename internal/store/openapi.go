package store

import (
	"context"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

const openAPIColumns = `a.id, a.org_id, a.slug, a.source_url, a.source_blob, a.visibility, a.state, a.run, a.last_version, a.processed_at,
	a.error_code, a.problems, a.fetched, a.check_at, a.request_space, a.request_by, a.created_by, a.created_at, a.updated_at`

func scanOpenAPISpec(s engine.Scanner) (v docs.OpenAPISpec, err error) {
	err = s.Scan(&v.ID, &v.Org, &v.Slug, &v.SourceURL, &v.SourceBlob, &v.Visibility, &v.State, &v.Run, &v.LastVersion, &v.ProcessedAt,
		&v.Error, inJSON{&v.Problems}, inJSON{&v.Fetched}, &v.CheckAt, &v.RequestSpace, &v.RequestBy, &v.CreatedBy, &v.CreatedAt, &v.UpdatedAt)
	return v, err
}

// OpenAPISpec returns a description of an organization by its slug.
func (r integrationReads) OpenAPISpec(ctx context.Context, org docs.OrgID, slug docs.OpenAPISlug) (docs.OpenAPISpec, error) {
	return engine.One(ctx, r, "OpenAPI specification", scanOpenAPISpec, `
		SELECT `+openAPIColumns+` FROM openapi_specs a WHERE a.org_id = $1 AND a.slug = $2 AND `+inPresentOrg("a"), org, slug)
}

// OpenAPISpecByID returns a description of any organization.
func (r integrationReads) OpenAPISpecByID(ctx context.Context, id docs.OpenAPISpecID) (docs.OpenAPISpec, error) {
	return engine.One(ctx, r, "OpenAPI specification", scanOpenAPISpec, `SELECT `+openAPIColumns+` FROM openapi_specs a WHERE a.id = $1 AND `+inPresentOrg("a"), id)
}

// OpenAPISpecs lists the descriptions of an organization by slug.
func (r integrationReads) OpenAPISpecs(ctx context.Context, org docs.OrgID, p Page) ([]docs.OpenAPISpec, Key, error) {
	items, err := engine.Many(ctx, r, scanOpenAPISpec, `
		SELECT `+openAPIColumns+` FROM openapi_specs a WHERE a.org_id = $1 AND a.slug > $2 ORDER BY a.slug LIMIT $3 + 0`, org, p.Text(0), p.Ask())
	items, next := engine.Cut(p, items, func(v docs.OpenAPISpec) Key { return Key{string(v.Slug)} })
	return items, next, err
}

// CountOpenAPISpecs counts what OpenAPISpecs lists.
func (r integrationReads) CountOpenAPISpecs(ctx context.Context, org docs.OrgID) (int64, error) {
	return engine.One(ctx, r, "count", engine.ScanInt, `SELECT COUNT(*) FROM openapi_specs WHERE org_id = $1`, org)
}

// DueOpenAPISpecs returns at most limit descriptions whose URL is due to be fetched
// again, the most overdue first.
func (r integrationReads) DueOpenAPISpecs(ctx context.Context, now docs.Time, limit int) ([]docs.OpenAPISpecID, error) {
	return engine.Many(ctx, r, engine.ScanText[docs.OpenAPISpecID], `
		SELECT a.id FROM openapi_specs a WHERE a.check_at > 0 AND a.check_at <= $1 AND `+inPresentOrg("a")+` ORDER BY a.check_at, a.id LIMIT $2 + 0`, now, limit)
}

// AddOpenAPISpec stores a new description. Conflict if its slug is taken.
func (tx integrationWrites) AddOpenAPISpec(ctx context.Context, v docs.OpenAPISpec) error {
	return engine.Taken(tx, engine.Put(ctx, tx, `
		INSERT INTO openapi_specs (id, org_id, slug, source_url, source_blob, visibility, state, run, last_version, processed_at,
			error_code, problems, fetched, check_at, created_by, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`,
		v.ID, v.Org, v.Slug, v.SourceURL, v.SourceBlob, v.Visibility, v.State, v.Run, v.LastVersion, v.ProcessedAt,
		v.Error, toJSON(v.Problems), toJSON(v.Fetched), v.CheckAt, v.CreatedBy, v.CreatedAt, v.UpdatedAt),
		"the organization has an OpenAPI specification with the slug %s already", v.Slug)
}

// PutOpenAPISpec stores a changed description.
func (tx integrationWrites) PutOpenAPISpec(ctx context.Context, v docs.OpenAPISpec) error {
	return engine.Put(ctx, tx, `
		UPDATE openapi_specs
		SET source_url = $2, source_blob = $3, visibility = $4, state = $5, run = $6, last_version = $7, processed_at = $8,
			error_code = $9, problems = $10, fetched = $11, check_at = $12, updated_at = $13, request_space = $14, request_by = $15
		WHERE id = $1`,
		v.ID, v.SourceURL, v.SourceBlob, v.Visibility, v.State, v.Run, v.LastVersion, v.ProcessedAt,
		v.Error, toJSON(v.Problems), toJSON(v.Fetched), v.CheckAt, v.UpdatedAt, v.RequestSpace, v.RequestBy)
}

// DropOpenAPISpec deletes a description with its versions.
func (tx integrationWrites) DropOpenAPISpec(ctx context.Context, id docs.OpenAPISpecID) error {
	if err := engine.Put(ctx, tx, `DELETE FROM openapi_versions WHERE spec_id = $1`, id); err != nil {
		return err
	}
	return dropOne(ctx, tx, "OpenAPI specification", `DELETE FROM openapi_specs WHERE id = $1`, id)
}

const openAPIVersionColumns = `v.spec_id, v.id, v.hash, v.root, v.files, v.document, v.parsed, v.created_at`

func scanOpenAPIVersion(s engine.Scanner) (v docs.OpenAPIVersion, err error) {
	err = s.Scan(&v.Spec, &v.ID, &v.Hash, &v.Root, inJSON{&v.Files}, &v.Document, &v.Parsed, &v.CreatedAt)
	return v, err
}

// OpenAPIVersion returns a version of a description.
func (r integrationReads) OpenAPIVersion(ctx context.Context, spec docs.OpenAPISpecID, id docs.OpenAPIVersionID) (docs.OpenAPIVersion, error) {
	return engine.One(ctx, r, "version of the OpenAPI specification", scanOpenAPIVersion, `
		SELECT `+openAPIVersionColumns+` FROM openapi_versions v WHERE v.spec_id = $1 AND v.id = $2`, spec, id)
}

// OpenAPIVersions lists the versions of a description, newest first.
func (r integrationReads) OpenAPIVersions(ctx context.Context, spec docs.OpenAPISpecID, p Page) ([]docs.OpenAPIVersion, Key, error) {
	before := engine.LastText
	if len(p.After) > 0 {
		before = p.After[0]
	}
	items, err := engine.Many(ctx, r, scanOpenAPIVersion, `
		SELECT `+openAPIVersionColumns+` FROM openapi_versions v WHERE v.spec_id = $1 AND v.id < $2 ORDER BY v.id DESC LIMIT $3 + 0`,
		spec, before, p.Ask())
	items, next := engine.Cut(p, items, func(v docs.OpenAPIVersion) Key { return Key{string(v.ID)} })
	return items, next, err
}

// CountOpenAPIVersions counts what OpenAPIVersions lists.
func (r integrationReads) CountOpenAPIVersions(ctx context.Context, spec docs.OpenAPISpecID) (int64, error) {
	return engine.One(ctx, r, "count", engine.ScanInt, `SELECT COUNT(*) FROM openapi_versions WHERE spec_id = $1`, spec)
}

// AddOpenAPIVersion stores a version.
func (tx integrationWrites) AddOpenAPIVersion(ctx context.Context, v docs.OpenAPIVersion) error {
	return engine.Put(ctx, tx, `
		INSERT INTO openapi_versions (spec_id, id, hash, root, files, document, parsed, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		v.Spec, v.ID, v.Hash, v.Root, toJSON(v.Files), v.Document, v.Parsed, v.CreatedAt)
}
