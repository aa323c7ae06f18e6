package store

import (
	"context"
	"slices"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

const reviewColumns = `v.id, v.change_request_id, v.revision_id, v.status, v.superseded, v.comment_id, v.created_at, v.updated_at, ` + userColumns + `, ` + askerColumns

// askerColumns are those of whoever asked for something, with the alias b; who
// nobody asked for has empty ones.
const askerColumns = `COALESCE(b.id, ''), CASE b.kind WHEN '' THEN b.email ELSE '' END, COALESCE(b.verified, FALSE), COALESCE(b.display_name, ''),
	COALESCE(b.photo_url, ''), COALESCE(b.created_at, 0), COALESCE(b.updated_at, 0), COALESCE(b.kind, '')`

func reviewDest(v *docs.SubmittedReview) []any {
	return slices.Concat([]any{
		&v.ID, &v.Request, &v.Revision, &v.Status, &v.Superseded, &v.Comment, &v.CreatedAt, &v.UpdatedAt,
	}, userDest(&v.Reviewer), userDest(&v.RequestedBy))
}

func scanReview(s engine.Scanner) (v docs.SubmittedReview, err error) {
	err = s.Scan(reviewDest(&v)...)
	return v, err
}

const reviewsFrom = ` FROM reviews v JOIN users u ON u.id = v.reviewer_id LEFT JOIN users b ON b.id = v.requested_by`

// Review returns a review of a change request.
func (r reviewReads) Review(ctx context.Context, cr docs.ChangeRequestID, id docs.ReviewID) (docs.SubmittedReview, error) {
	return engine.One(ctx, r, "review", scanReview,
		`SELECT `+reviewColumns+reviewsFrom+` WHERE v.change_request_id = $1 AND v.id = $2`, cr, id)
}

// ReviewFilter narrows a list of reviews: to those that count, or to those
// that no longer do. Nil is both.
type ReviewFilter struct {
	Outdated *bool
	Current  docs.RevisionID // what a review has to be about to count; empty: any
}

func (f ReviewFilter) where() string {
	switch {
	case f.Outdated == nil:
		return ` AND $2 = $2`
	case *f.Outdated:
		return ` AND (v.superseded OR ($2 <> '' AND v.revision_id <> $2))`
	}
	return ` AND NOT v.superseded AND ($2 = '' OR v.revision_id = $2)`
}

// Reviews lists the reviews of a change request, newest first.
func (r reviewReads) Reviews(ctx context.Context, cr docs.ChangeRequestID, f ReviewFilter, p Page) ([]docs.SubmittedReview, Key, error) {
	if len(p.After) == 0 {
		p.After = Key{engine.LastText}
	}
	// What reviews say is in their comments, which whoever lists them reads next.
	const length = `, COALESCE((SELECT LENGTH(c.body) FROM comments c WHERE c.id = v.comment_id), 0)`
	type sized struct {
		docs.SubmittedReview
		size int
	}
	scan := func(s engine.Scanner) (v sized, err error) {
		err = s.Scan(append(reviewDest(&v.SubmittedReview), &v.size)...)
		return v, err
	}
	items, next, err := engine.Bodies(ctx, r, p, scan,
		func(v sized) int { return 10 * v.size },
		func(v sized) Key { return Key{string(v.ID)} },
		`SELECT `+reviewColumns+length+reviewsFrom+`
		WHERE v.change_request_id = $1`+f.where()+` AND v.id < $3 ORDER BY v.id DESC LIMIT $4 + 0`, cr, f.Current, p.Text(0), p.Ask())
	out := make([]docs.SubmittedReview, len(items))
	for i, v := range items {
		out[i] = v.SubmittedReview
	}
	return out, next, err
}

// Vetoes returns the last review of each person if it requests changes, even if the
// change request has changed since. Reviews that only comment are ignored.
func (r reviewReads) Vetoes(ctx context.Context, cr docs.ChangeRequestID) ([]docs.SubmittedReview, error) {
	return engine.Many(ctx, r, scanReview, `SELECT `+reviewColumns+reviewsFrom+`
		WHERE v.change_request_id = $1 AND v.status = $2 AND NOT EXISTS (SELECT 1 FROM reviews n
			WHERE n.change_request_id = v.change_request_id AND n.reviewer_id = v.reviewer_id AND n.status <> $3 AND n.id > v.id)
		ORDER BY v.id`, cr, docs.ReviewChanges, docs.ReviewCommented)
}

// CountReviews counts what Reviews lists.
func (r reviewReads) CountReviews(ctx context.Context, cr docs.ChangeRequestID, f ReviewFilter) (int64, error) {
	return engine.One(ctx, r, "count", engine.ScanInt, `SELECT COUNT(*) FROM reviews v WHERE v.change_request_id = $1`+f.where(), cr, f.Current)
}

// AddReview stores a review; earlier ones of the same person no longer count.
func (tx reviewWrites) AddReview(ctx context.Context, v docs.SubmittedReview) error {
	if err := tx.supersede(ctx, v.Request, v.Reviewer.ID); err != nil {
		return err
	}
	return engine.Put(ctx, tx, `
		INSERT INTO reviews (id, change_request_id, revision_id, reviewer_id, requested_by, status, superseded, comment_id, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, FALSE, $7, $8, $9)`,
		v.ID, v.Request, v.Revision, v.Reviewer.ID, v.RequestedBy.ID, v.Status, v.Comment, v.CreatedAt, v.UpdatedAt)
}

func (tx reviewWrites) supersede(ctx context.Context, cr docs.ChangeRequestID, user docs.UserID) error {
	return engine.Put(ctx, tx, `UPDATE reviews SET superseded = TRUE, updated_at = $3
		WHERE change_request_id = $1 AND reviewer_id = $2 AND NOT superseded`, cr, user, tx.Now())
}

// RequestedReviewers lists who was asked for a review, in the order in which they were.
func (r reviewReads) RequestedReviewers(ctx context.Context, cr docs.ChangeRequestID, p Page) ([]docs.RequestedReviewer, Key, error) {
	after, err := p.Number(-1)
	if err != nil {
		return nil, nil, err
	}
	items, err := engine.Many(ctx, r, func(s engine.Scanner) (v docs.RequestedReviewer, err error) {
		var seen docs.Time
		err = s.Scan(slices.Concat([]any{&v.Request, &v.Revision, &v.CreatedAt, &seen}, userDest(&v.User), userDest(&v.RequestedBy))...)
		v.User = v.User.Known(seen)
		return v, err
	}, `SELECT q.change_request_id, q.revision_id, q.created_at, COALESCE(m.last_seen_at, 0), `+userColumns+`, `+askerColumns+`
		FROM requested_reviewers q JOIN users u ON u.id = q.user_id LEFT JOIN users b ON b.id = q.requested_by
		JOIN change_requests c ON c.id = q.change_request_id JOIN spaces s ON s.id = c.space_id
		LEFT JOIN members m ON m.org_id = s.org_id AND m.user_id = q.user_id
		WHERE q.change_request_id = $1 AND (q.created_at, u.email) > ($2, $3)
		ORDER BY q.created_at, u.email LIMIT $4 + 0`, cr, after, p.Text(1), p.Ask())
	items, next := engine.Cut(p, items, func(v docs.RequestedReviewer) Key { return Key{itoa(int64(v.CreatedAt)), string(v.User.Email)} })
	return items, next, err
}

// CountRequestedReviewers counts what RequestedReviewers lists.
func (r reviewReads) CountRequestedReviewers(ctx context.Context, cr docs.ChangeRequestID) (int64, error) {
	return engine.One(ctx, r, "count", engine.ScanInt, `SELECT COUNT(*) FROM requested_reviewers WHERE change_request_id = $1`, cr)
}

// AddRequestedReviewer asks somebody for a review; an earlier review no longer counts.
func (tx reviewWrites) AddRequestedReviewer(ctx context.Context, v docs.RequestedReviewer) error {
	if err := tx.supersede(ctx, v.Request, v.User.ID); err != nil {
		return err
	}
	return engine.Put(ctx, tx, `
		INSERT INTO requested_reviewers (change_request_id, user_id, revision_id, requested_by, created_at) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (change_request_id, user_id)
		DO UPDATE SET revision_id = excluded.revision_id, requested_by = excluded.requested_by, created_at = excluded.created_at`,
		v.Request, v.User.ID, v.Revision, v.RequestedBy.ID, v.CreatedAt)
}

// DropRequestedReviewer withdraws a request for a review. It returns who had made the
// request, or "".
func (tx reviewWrites) DropRequestedReviewer(ctx context.Context, cr docs.ChangeRequestID, user docs.UserID) (docs.UserID, error) {
	by, err := engine.Many(ctx, tx, engine.ScanText[docs.UserID],
		`SELECT requested_by FROM requested_reviewers WHERE change_request_id = $1 AND user_id = $2`, cr, user)
	if err != nil || len(by) == 0 {
		return "", err
	}
	return by[0], engine.Put(ctx, tx, `DELETE FROM requested_reviewers WHERE change_request_id = $1 AND user_id = $2`, cr, user)
}

// Conflict is something that both a space and a change request changed.
type Conflict struct {
	ID         string
	Data       string // JSON
	Resolution string // empty: open
	ResolvedBy docs.UserID
	CreatedAt  docs.Time
	UpdatedAt  docs.Time
}

const conflictColumns = `id, data, resolution, resolved_by, created_at, updated_at`

func scanConflict(s engine.Scanner) (c Conflict, err error) {
	err = s.Scan(&c.ID, &c.Data, &c.Resolution, &c.ResolvedBy, &c.CreatedAt, &c.UpdatedAt)
	return c, err
}

// Conflict returns a conflict of a change request.
func (r reviewReads) Conflict(ctx context.Context, cr docs.ChangeRequestID, id string) (Conflict, error) {
	return engine.One(ctx, r, "conflict", scanConflict,
		`SELECT `+conflictColumns+` FROM conflicts WHERE change_request_id = $1 AND id = $2`, cr, id)
}

// Conflicts lists the conflicts of a change request; open ones alone if asked.
func (r reviewReads) Conflicts(ctx context.Context, cr docs.ChangeRequestID, open bool, p Page) ([]Conflict, Key, error) {
	items, err := engine.Many(ctx, r, scanConflict, `SELECT `+conflictColumns+` FROM conflicts
		WHERE change_request_id = $1 AND id > $2 AND (resolution = '' OR NOT $4) ORDER BY id LIMIT $3 + 0`, cr, p.Text(0), p.Ask(), open)
	items, next := engine.Cut(p, items, ConflictKey)
	return items, next, err
}

// ConflictKey returns the key of a conflict in a list of conflicts.
func ConflictKey(c Conflict) Key { return Key{c.ID} }

// CountConflicts counts what Conflicts lists.
func (r reviewReads) CountConflicts(ctx context.Context, cr docs.ChangeRequestID, open bool) (int64, error) {
	return engine.One(ctx, r, "count", engine.ScanInt,
		`SELECT COUNT(*) FROM conflicts WHERE change_request_id = $1 AND (NOT $2 OR resolution = '')`, cr, open)
}

// PutConflicts stores conflicts as open and replaces existing ones.
func (tx reviewWrites) PutConflicts(ctx context.Context, cr docs.ChangeRequestID, all []Conflict) error {
	err := engine.InsertAll(ctx, tx, `INSERT INTO conflicts (change_request_id, id, data, resolution, resolved_by, created_at, updated_at)`,
		`ON CONFLICT (change_request_id, id) DO UPDATE SET data = excluded.data, resolution = '', resolved_by = '', updated_at = excluded.updated_at`, all,
		func(c Conflict) []any { return []any{cr, c.ID, c.Data, "", "", tx.Now(), tx.Now()} })
	if err != nil {
		return err
	}
	return tx.countConflicts(ctx, cr)
}

// ResolveConflicts stores how conflicts were resolved, and returns those that
// were open.
func (tx reviewWrites) ResolveConflicts(ctx context.Context, cr docs.ChangeRequestID, resolution string, by docs.UserID, ids ...string) (open []string, err error) {
	for _, id := range ids {
		n, err := engine.Exec(ctx, tx, `UPDATE conflicts SET resolution = $3, resolved_by = $4, updated_at = $5
			WHERE change_request_id = $1 AND id = $2 AND resolution = ''`, cr, id, resolution, by, tx.Now())
		if err != nil {
			return nil, err
		}
		if n > 0 {
			open = append(open, id)
		}
	}
	return open, tx.countConflicts(ctx, cr)
}

func (tx reviewWrites) countConflicts(ctx context.Context, cr docs.ChangeRequestID) error {
	return engine.Put(ctx, tx, `UPDATE change_requests
		SET open_conflicts = (SELECT COUNT(*) FROM conflicts WHERE change_request_id = $1 AND resolution = '') WHERE id = $1`, cr)
}
