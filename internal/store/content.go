package store

import (
	"context"
	"errors"

	"github.com/octavo-docs/octavo/internal/chunk"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

// The commit of an exported revision is in another table, because it was made after
// the revision.
const revisionColumns = `r.id, r.space_id, r.type, r.parents, r.root, r.author_id, r.message, COALESCE(NULLIF(r.git, ''), g.data, ''), r.created_at,
	r.change_request_id, r.merged_from, r.aside`

const revisionsFrom = ` FROM revisions r LEFT JOIN git_commits g ON g.space_id = r.space_id AND g.revision_id = r.id`

func scanRevision(s engine.Scanner) (v docs.Revision, err error) {
	var parents, git string
	if err = s.Scan(&v.ID, &v.Space, &v.Type, &parents, &v.Root, &v.Author, &v.Message, &git, &v.CreatedAt,
		&v.ChangeRequest, &v.MergedFrom, &v.Aside); err != nil {
		return v, err
	}
	if err = fromJSON(parents, &v.Parents); err == nil && git != "" {
		err = fromJSON(git, &v.Git)
	}
	return v, err
}

// Revision returns a revision of a space.
func (r contentReads) Revision(ctx context.Context, space docs.SpaceID, id docs.RevisionID) (docs.Revision, error) {
	return engine.Cached(ctx, r, "revision", string(space)+"/"+string(id), func(ctx context.Context) (docs.Revision, error) {
		return engine.One(ctx, r, "revision", scanRevision,
			`SELECT `+revisionColumns+revisionsFrom+` WHERE r.space_id = $1 AND r.id = $2`, space, id)
	})
}

// Revisions lists the history of a space, or of one of its change requests, newest
// first. Revisions beside the line are left out.
func (r contentReads) Revisions(ctx context.Context, space docs.SpaceID, cr docs.ChangeRequestID, p Page) ([]docs.Revision, Key, error) {
	if len(p.After) == 0 {
		p.After = Key{engine.LastText}
	}
	items, err := engine.Many(ctx, r, scanRevision, `SELECT `+revisionColumns+revisionsFrom+`
		WHERE r.space_id = $1 AND r.change_request_id = $2 AND r.id < $3 AND NOT r.aside ORDER BY r.id DESC LIMIT $4 + 0`, space, cr, p.Text(0), p.Ask())
	items, next := engine.Cut(p, items, func(v docs.Revision) Key { return Key{string(v.ID)} })
	return items, next, err
}

// CountRevisions counts what Revisions lists.
func (r contentReads) CountRevisions(ctx context.Context, space docs.SpaceID, cr docs.ChangeRequestID) (int64, error) {
	return engine.One(ctx, r, "count", engine.ScanInt, `SELECT COUNT(*) FROM revisions WHERE space_id = $1 AND change_request_id = $2 AND NOT aside`, space, cr)
}

// AddRevision stores a revision.
func (tx contentWrites) AddRevision(ctx context.Context, v docs.Revision) error {
	git := ""
	if v.Git != nil {
		git = toJSON(v.Git)
	}
	if v.Parents == nil {
		v.Parents = []docs.RevisionID{}
	}
	return engine.Put(ctx, tx, `
		INSERT INTO revisions (id, space_id, type, parents, root, author_id, message, git, created_at, change_request_id, merged_from, aside)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
		v.ID, v.Space, v.Type, toJSON(v.Parents), v.Root, v.Author, v.Message, git, v.CreatedAt, v.ChangeRequest, v.MergedFrom, v.Aside)
}

// MoveHead makes a revision the newest of its space, if the newest is still
// the one that it was made from. It reports whether a git connection or a
// translation may follow the change.
func (tx contentWrites) MoveHead(ctx context.Context, space docs.SpaceID, from, to docs.RevisionID, add docs.Usage) (followed bool, err error) {
	err = engine.Row(ctx, tx, `
		UPDATE spaces SET revision_id = $3, updated_at = $4, content_bytes = content_bytes + $5, file_bytes = file_bytes + $6, page_count = page_count + $7
		WHERE id = $1 AND revision_id = $2
		RETURNING EXISTS (SELECT 1 FROM git_connections WHERE space_id = $1) OR EXISTS (SELECT 1 FROM translations WHERE source_space = $1)`,
		space, from, to, tx.Now(), add[docs.QuotaContent], add[docs.QuotaFiles], add[docs.QuotaPages]).Scan(&followed)
	if errors.Is(err, engine.ErrNoRow) {
		err = errs.E(errs.Precondition, "the content of the space has changed in the meantime; read it again")
	}
	return followed, err
}

// StoredDocument is a source that a page had at some time.
type StoredDocument struct {
	ID      string
	Page    string // page or reusable content
	Body    chunk.Hash
	Sidecar chunk.Hash
}

// Document returns a document of a space by its id.
func (r contentReads) Document(ctx context.Context, space docs.SpaceID, id string) (StoredDocument, error) {
	return engine.One(ctx, r, "document", func(s engine.Scanner) (d StoredDocument, err error) {
		err = s.Scan(&d.ID, &d.Page, &d.Body, &d.Sidecar)
		return d, err
	}, `SELECT id, page_id, body, side FROM documents WHERE space_id = $1 AND id = $2`, space, id)
}

// PutDocuments stores documents of a space, so that they can be found by id.
func (tx contentWrites) PutDocuments(ctx context.Context, space docs.SpaceID, all []StoredDocument) error {
	return engine.InsertAll(ctx, tx, `INSERT INTO documents (space_id, id, page_id, body, side)`,
		`ON CONFLICT (space_id, id) DO UPDATE SET side = excluded.side WHERE documents.side <> excluded.side`, all,
		func(d StoredDocument) []any { return []any{space, d.ID, d.Page, d.Body, d.Sidecar} })
}

// ConditionsRead returns the time since which the conditions of pages are read from
// damaged front matter too. Pages stored before may lack their condition.
func (r contentReads) ConditionsRead(ctx context.Context) (docs.Time, error) {
	at, err := engine.One(ctx, r, "migration", engine.ScanInt, `SELECT applied_at FROM schema_migrations WHERE name = $1`, "0020_conditions_read")
	return docs.Time(at), err
}
