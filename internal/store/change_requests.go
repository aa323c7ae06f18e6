package store

import (
	"context"
	"fmt"
	"strconv"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

const changeRequestColumns = `c.id, c.space_id, c.number, c.status, c.subject, c.description, c.created_at, c.updated_at,
	c.revision_id, c.initial_id, c.ancestor_id, c.merged_id, c.merged_by, c.merged_at, c.cluster_id,
	c.openapi_spec, c.openapi_from, c.openapi_to, c.openapi_changes, c.openapi_breaking, c.open_comments, c.open_conflicts, ` + userColumns

func changeRequestDest(c *docs.ChangeRequest) []any {
	return append([]any{
		&c.ID, &c.Space, &c.Number, &c.Status, &c.Subject, &c.Description, &c.CreatedAt, &c.UpdatedAt,
		&c.Revision, &c.Initial, &c.Ancestor, &c.Merged, &c.MergedBy, &c.MergedAt, &c.Cluster,
		&c.API.Spec, &c.API.From, &c.API.To, &c.API.Changes, &c.API.Breaking, &c.OpenComments, &c.OpenConflicts,
	}, userDest(&c.CreatedBy)...)
}

func scanChangeRequest(s engine.Scanner) (c docs.ChangeRequest, err error) {
	err = s.Scan(changeRequestDest(&c)...)
	return c, err
}

const changeRequestsFrom = ` FROM change_requests c JOIN users u ON u.id = c.created_by`

// maxNumber is the maximum number of digits of the number of a change request; ids
// are longer.
const maxNumber = 15

// ChangeRequest returns a change request of a space by its id or its number.
func (r reviewReads) ChangeRequest(ctx context.Context, space docs.SpaceID, name string) (docs.ChangeRequest, error) {
	return engine.Cached(ctx, r, "change request", string(space)+"/"+name, func(ctx context.Context) (docs.ChangeRequest, error) {
		where, arg := `c.id = $2`, any(name)
		if n, err := strconv.ParseInt(name, 10, 64); err == nil && n > 0 && name == strconv.FormatInt(n, 10) && len(name) <= maxNumber {
			where, arg = `c.number = $2`, n
		}
		return engine.One(ctx, r, "change request", scanChangeRequest,
			`SELECT `+changeRequestColumns+changeRequestsFrom+` WHERE c.space_id = $1 AND `+where, space, arg)
	})
}

// ChangeRequestFilter selects change requests. Empty fields match everything.
type ChangeRequestFilter struct {
	Space       docs.SpaceID
	Site        docs.SiteID // that has the space
	Status      docs.ChangeRequestStatus
	Creator     docs.UserID
	Contributor docs.UserID
	Reviewer    docs.UserID // who was asked
	Cluster     string
	Spec        docs.OpenAPISpecID // the specification whose new version it is for
	ByCreation  bool               // in the order of creation, not of the last change
}

// where returns the conditions as SQL, and args with their arguments appended.
func (f ChangeRequestFilter) where(args []any) (string, []any) {
	text := ""
	and := func(condition string, arg any) {
		args = append(args, arg)
		text += fmt.Sprintf(" AND "+condition, len(args))
	}
	if f.Space != "" {
		and(`c.space_id = $%d`, f.Space)
	}
	if f.Site != "" {
		and(`EXISTS (SELECT 1 FROM site_items x WHERE x.site_id = $%d AND x.space_id = c.space_id)`, f.Site)
	}
	if f.Status != "" {
		and(`c.status = $%d`, f.Status)
	}
	if f.Creator != "" {
		and(`c.created_by = $%d`, f.Creator)
	}
	if f.Contributor != "" {
		and(`EXISTS (SELECT 1 FROM contributors x WHERE x.user_id = $%d AND x.change_request_id = c.id)`, f.Contributor)
	}
	if f.Reviewer != "" {
		and(`EXISTS (SELECT 1 FROM requested_reviewers x WHERE x.user_id = $%d AND x.change_request_id = c.id)`, f.Reviewer)
	}
	if f.Cluster != "" {
		and(`c.cluster_id = $%d`, f.Cluster)
	}
	if f.Spec != "" {
		and(`c.openapi_spec = $%d`, f.Spec)
	}
	return text, args
}

func (f ChangeRequestFilter) column() string {
	if f.ByCreation {
		return `c.created_at`
	}
	return `c.updated_at`
}

func (f ChangeRequestFilter) key(c docs.ChangeRequest) Key {
	at := c.UpdatedAt
	if f.ByCreation {
		at = c.CreatedAt
	}
	return Key{itoa(int64(at)), string(c.ID)}
}

// describedBy returns the approximate size of the description of a change request in
// a response.
func describedBy(c docs.ChangeRequest) int { return weightOf(c.Description) }

// ChangeRequests lists the change requests of a space, newest first.
func (r reviewReads) ChangeRequests(ctx context.Context, f ChangeRequestFilter, p Page) ([]docs.ChangeRequest, Key, error) {
	at, id, err := p.Down()
	if err != nil {
		return nil, nil, err
	}
	where, args := f.where([]any{at, id, p.Ask()})
	by := f.column()
	return engine.Bodies(ctx, r, p, scanChangeRequest, describedBy, f.key, `SELECT `+changeRequestColumns+changeRequestsFrom+`
		WHERE (`+by+`, c.id) < ($1, $2)`+where+`
		ORDER BY `+by+` DESC, c.id DESC LIMIT $3 + 0`, args...)
}

// CountChangeRequests counts what ChangeRequests lists.
func (r reviewReads) CountChangeRequests(ctx context.Context, f ChangeRequestFilter) (int64, error) {
	where, args := f.where(nil)
	return engine.One(ctx, r, "count", engine.ScanInt, `SELECT COUNT(*)`+changeRequestsFrom+` WHERE TRUE`+where, args...)
}

// ChangeRequestIn is a change request with its space.
type ChangeRequestIn struct {
	Request docs.ChangeRequest
	Space   docs.Space
}

// visibleSpaces are the spaces of the viewer in $1 to $3; $4 narrows them
// and is empty here.
var visibleSpaces = ranksCTE + `, visible AS (SELECT s.id AS visible_id` + spacesFrom + `)`

// ChangeRequestsVisible lists the change requests of all spaces that a viewer
// can see.
func (r reviewReads) ChangeRequestsVisible(ctx context.Context, v Viewer, f ChangeRequestFilter, p Page) ([]ChangeRequestIn, Key, error) {
	at, id, err := p.Down()
	if err != nil {
		return nil, nil, err
	}
	where, args := f.where(append(v.args(), "", at, id, p.Ask()))
	by := f.column()
	scan := func(s engine.Scanner) (it ChangeRequestIn, err error) {
		var row spaceRow
		if err = s.Scan(append(changeRequestDest(&it.Request), row.dest()...)...); err != nil {
			return it, err
		}
		it.Space, err = row.done()
		return it, err
	}
	return engine.Bodies(ctx, r, p, scan,
		func(it ChangeRequestIn) int { return describedBy(it.Request) },
		func(it ChangeRequestIn) Key { return f.key(it.Request) },
		visibleSpaces+` SELECT `+changeRequestColumns+`, `+spaceColumns+changeRequestsFrom+`
		JOIN visible ON visible.visible_id = c.space_id JOIN spaces s ON s.id = c.space_id
		WHERE (`+by+`, c.id) < ($5, $6)`+where+`
		ORDER BY `+by+` DESC, c.id DESC LIMIT $7 + 0`, args...)
}

// CountChangeRequestsVisible counts what ChangeRequestsVisible lists.
func (r reviewReads) CountChangeRequestsVisible(ctx context.Context, v Viewer, f ChangeRequestFilter) (int64, error) {
	where, args := f.where(append(v.args(), ""))
	return engine.One(ctx, r, "count", engine.ScanInt, visibleSpaces+` SELECT COUNT(*)`+changeRequestsFrom+`
		JOIN visible ON visible.visible_id = c.space_id WHERE TRUE`+where, args...)
}

// NextNumber returns the number of the next change request of a space, and
// increments it. Of two concurrent transactions, the second one is retried, so that
// it gets another number.
func (tx reviewWrites) NextNumber(ctx context.Context, space docs.SpaceID) (n int64, err error) {
	err = engine.Row(ctx, tx, `UPDATE spaces SET change_requests = change_requests + 1 WHERE id = $1 RETURNING change_requests`, space).Scan(&n)
	return n, err
}

// AddChangeRequest stores a new change request under a number of NextNumber.
func (tx reviewWrites) AddChangeRequest(ctx context.Context, c docs.ChangeRequest) error {
	err := engine.Put(ctx, tx, `
		INSERT INTO change_requests (id, space_id, number, status, subject, description, created_by, created_at, updated_at,
			revision_id, initial_id, ancestor_id, cluster_id, openapi_spec, openapi_from, openapi_to, openapi_changes, openapi_breaking)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`,
		c.ID, c.Space, c.Number, c.Status, c.Subject, c.Description, c.CreatedBy.ID, c.CreatedAt, c.UpdatedAt,
		c.Revision, c.Initial, c.Ancestor, c.Cluster, c.API.Spec, c.API.From, c.API.To, c.API.Changes, c.API.Breaking)
	if err != nil {
		return err
	}
	return tx.countChangeRequest(ctx, c.Space, "", c.Status)
}

// countChangeRequest updates the counters of a space when the status of a change
// request changes. from is empty for a new one.
func (tx reviewWrites) countChangeRequest(ctx context.Context, space docs.SpaceID, from, to docs.ChangeRequestStatus) error {
	if from == to {
		return nil
	}
	step := func(s docs.ChangeRequestStatus) int {
		switch s {
		case from:
			return -1
		case to:
			return 1
		}
		return 0
	}
	return engine.Put(ctx, tx, `UPDATE spaces SET change_requests_open = change_requests_open + $2,
		change_requests_draft = change_requests_draft + $3 WHERE id = $1`,
		space, step(docs.ChangeOpen), step(docs.ChangeDraft))
}

// PutChangeRequest stores a changed change request. was is the state that was read;
// it fails if the revision or the status of the request has changed since.
func (tx reviewWrites) PutChangeRequest(ctx context.Context, was, c docs.ChangeRequest) error {
	n, err := engine.Exec(ctx, tx, `
		UPDATE change_requests SET status = $4, subject = $5, description = $6, updated_at = $7, revision_id = $8, ancestor_id = $9,
			merged_id = $10, merged_by = $11, merged_at = $12, openapi_to = $13, openapi_changes = $14, openapi_breaking = $15
		WHERE id = $1 AND revision_id = $2 AND status = $3`,
		c.ID, was.Revision, was.Status, c.Status, c.Subject, c.Description, c.UpdatedAt, c.Revision, c.Ancestor,
		c.Merged, c.MergedBy, c.MergedAt, c.API.To, c.API.Changes, c.API.Breaking)
	if err == nil && n == 0 {
		err = errs.E(errs.Precondition, "the change request has changed in the meantime; read it again")
	}
	if err != nil {
		return err
	}
	return tx.countChangeRequest(ctx, c.Space, was.Status, c.Status)
}

// AddContribution notes that somebody worked on a change request.
func (tx reviewWrites) AddContribution(ctx context.Context, cr docs.ChangeRequestID, user docs.UserID, action docs.ContributorAction) error {
	return engine.Put(ctx, tx, `
		INSERT INTO contributors (change_request_id, user_id, action, times, updated_at) VALUES ($1, $2, $3, 1, $4)
		ON CONFLICT (change_request_id, user_id, action)
		DO UPDATE SET times = contributors.times + 1, updated_at = excluded.updated_at`, cr, user, action, tx.Now())
}

// Contributors returns the people who worked on a change request, the latest first.
func (r reviewReads) Contributors(ctx context.Context, cr docs.ChangeRequestID) ([]docs.Contributor, error) {
	return engine.Many(ctx, r, func(s engine.Scanner) (c docs.Contributor, err error) {
		err = s.Scan(append([]any{&c.Action, &c.Times, &c.UpdatedAt}, userDest(&c.User)...)...)
		return c, err
	}, `SELECT x.action, x.times, x.updated_at, `+userColumns+` FROM contributors x JOIN users u ON u.id = x.user_id
		WHERE x.change_request_id = $1 ORDER BY x.updated_at DESC, x.user_id, x.action`, cr)
}
