package store

import (
	"context"
	"time"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

// Write transactions are serialized, so a quota that is checked in the transaction of a change is
// exact, even if there are many concurrent changes.

func scanQuotas(s engine.Scanner) (docs.Quotas, error) {
	var text string
	if err := s.Scan(&text); err != nil {
		return nil, err
	}
	return quotasIn(text)
}

// quotasIn decodes the quotas of a row. An empty text is no quotas.
func quotasIn(text string) (q docs.Quotas, err error) {
	if text != "" {
		err = fromJSON(text, &q)
	}
	return q, err
}

// Quotas returns the quotas of an organization.
func (r orgReads) Quotas(ctx context.Context, org docs.OrgID) (docs.Quotas, error) {
	return quotasOf(ctx, r, org)
}

func quotasOf(ctx context.Context, r engine.Querier, org docs.OrgID) (docs.Quotas, error) {
	return engine.One(ctx, r, "organization", scanQuotas, `SELECT quotas FROM organizations WHERE id = $1`, org)
}

// SpaceQuotas returns the quotas of a space.
func (r orgReads) SpaceQuotas(ctx context.Context, space docs.SpaceID) (docs.Quotas, error) {
	return engine.One(ctx, r, "space", scanQuotas, `SELECT quotas FROM spaces WHERE id = $1`, space)
}

func quotasText(q docs.Quotas) string {
	if len(q) == 0 {
		return ""
	}
	return toJSON(q)
}

// SetQuotas changes the quotas of an organization.
func (tx orgWrites) SetQuotas(ctx context.Context, org docs.OrgID, q docs.Quotas) error {
	return engine.Put(ctx, tx, `UPDATE organizations SET quotas = $2 WHERE id = $1`, org, quotasText(q))
}

// SetSpaceQuotas changes the quotas of a space.
func (tx orgWrites) SetSpaceQuotas(ctx context.Context, space docs.SpaceID, q docs.Quotas) error {
	return engine.Put(ctx, tx, `UPDATE spaces SET quotas = $2 WHERE id = $1`, space, quotasText(q))
}

// scanContent scans the usage that is counted in spaces.
func scanContent(s engine.Scanner) (docs.Usage, error) {
	var content, files, pages int64
	err := s.Scan(&content, &files, &pages)
	return contentUsage(content, files, pages), err
}

func contentUsage(content, files, pages int64) docs.Usage {
	return docs.Usage{docs.QuotaContent: content, docs.QuotaFiles: files, docs.QuotaPages: pages}
}

// SpaceUsage returns what a space uses.
func (r orgReads) SpaceUsage(ctx context.Context, space docs.SpaceID) (docs.Usage, error) {
	return engine.One(ctx, r, "space", scanContent, `SELECT content_bytes, file_bytes, page_count FROM spaces WHERE id = $1`, space)
}

func (r orgReads) contentOfOrg(ctx context.Context, org docs.OrgID) (docs.Usage, error) {
	return engine.One(ctx, r, "usage", scanContent, `
		SELECT CAST(COALESCE(SUM(content_bytes), 0) AS BIGINT), CAST(COALESCE(SUM(file_bytes), 0) AS BIGINT), CAST(COALESCE(SUM(page_count), 0) AS BIGINT)
		FROM spaces WHERE org_id = $1`, org)
}

// counts holds the queries for the usage of an organization that is not counted in spaces.
var counts = map[docs.Quota]string{
	docs.QuotaMembers:  `SELECT COUNT(*) FROM members WHERE org_id = $1`,
	docs.QuotaWebhooks: `SELECT COUNT(*) FROM webhooks WHERE org_id = $1`,
}

// OrgUsage returns what an organization uses. Spaces in the trash count.
func (r orgReads) OrgUsage(ctx context.Context, org docs.OrgID, now docs.Time) (docs.Usage, error) {
	out, err := r.contentOfOrg(ctx, org)
	if err != nil {
		return nil, err
	}
	for quota, text := range counts {
		if out[quota], err = engine.One(ctx, r, "count", engine.ScanInt, text, org); err != nil {
			return nil, err
		}
	}
	out[docs.QuotaGitOperations], err = engine.One(ctx, r, "count", engine.ScanInt, `SELECT CAST(COALESCE(SUM(operations), 0) AS BIGINT) FROM git_days WHERE org_id = $1 AND day = $2`, org, dayOf(now))
	return out, err
}

// UsedBySpace is the usage of a space and its quotas.
type UsedBySpace struct {
	ID     docs.SpaceID
	Title  string
	Usage  docs.Usage
	Quotas docs.Quotas
}

// LargestSpaces returns at most limit spaces of an organization: spaces with their own quotas, then
// the largest of the others.
func (r orgReads) LargestSpaces(ctx context.Context, org docs.OrgID, limit int) ([]UsedBySpace, error) {
	return engine.Many(ctx, r, func(s engine.Scanner) (v UsedBySpace, err error) {
		var content, files, pages int64
		var text string
		if err = s.Scan(&v.ID, &v.Title, &content, &files, &pages, &text); err != nil {
			return v, err
		}
		v.Usage = contentUsage(content, files, pages)
		v.Quotas, err = quotasIn(text)
		return v, err
	}, `SELECT id, title, content_bytes, file_bytes, page_count, quotas FROM spaces WHERE org_id = $1
		ORDER BY CASE WHEN quotas = '' THEN 1 ELSE 0 END, content_bytes + file_bytes DESC, id LIMIT $2 + 0`, org, limit)
}

// AddUsage adds the usage of a revision beside the line of a space.
func (tx orgWrites) AddUsage(ctx context.Context, sp docs.Space, add docs.Usage) error {
	err := engine.Put(ctx, tx, `UPDATE spaces SET content_bytes = content_bytes + $2, file_bytes = file_bytes + $3 WHERE id = $1`,
		sp.ID, add[docs.QuotaContent], add[docs.QuotaFiles])
	if err != nil {
		return err
	}
	return tx.WithinQuotas(ctx, sp, add)
}

// WithinQuotas returns an error if added makes a space or its organization exceed a quota. It reads
// nothing if there are no quotas.
func (tx orgWrites) WithinQuotas(ctx context.Context, sp docs.Space, added docs.Usage) error {
	if !sp.Limited {
		return nil
	}
	q, err := tx.SpaceQuotas(ctx, sp.ID)
	if err != nil {
		return err
	}
	if len(q) > 0 {
		now, err := tx.SpaceUsage(ctx, sp.ID)
		if err != nil {
			return err
		}
		if of, over := q.Exceeded(now, added); over {
			return overQuota("space", of, q[of], now[of])
		}
	}
	if q, err = tx.Quotas(ctx, sp.Org); err != nil || len(q) == 0 {
		return err
	}
	return tx.orgWithin(ctx, sp.Org, q, added)
}

// orgWithin returns an error if added makes the spaces of an organization exceed a quota.
func (tx orgWrites) orgWithin(ctx context.Context, org docs.OrgID, q docs.Quotas, added docs.Usage) error {
	now, err := tx.contentOfOrg(ctx, org)
	if err != nil {
		return err
	}
	if of, over := q.Exceeded(now, added); over {
		return overQuota("organization", of, q[of], now[of])
	}
	return nil
}

// ReceivedWithinQuotas returns an error if spaces that an organization got make it exceed a quota.
func (tx orgWrites) ReceivedWithinQuotas(ctx context.Context, org docs.OrgID, spaces ...docs.Space) error {
	q, err := tx.Quotas(ctx, org)
	if err != nil || len(q) == 0 {
		return err
	}
	added := docs.Usage{}
	for _, sp := range spaces {
		used, err := tx.SpaceUsage(ctx, sp.ID)
		if err != nil {
			return err
		}
		for of, n := range used {
			added[of] += n
		}
	}
	return tx.orgWithin(ctx, org, q, added)
}

// oneMore returns an error if one more item makes an organization exceed a quota.
func oneMore(ctx context.Context, tx engine.Writer, org docs.OrgID, of docs.Quota) error {
	q, err := quotasOf(ctx, tx, org)
	most, limited := q[of]
	if err != nil || !limited {
		return err
	}
	n, err := engine.One(ctx, tx, "count", engine.ScanInt, counts[of], org)
	if err == nil && n > most {
		err = overQuota("organization", of, most, n)
	}
	return err
}

// CountGitOperation counts an operation that a user requested.
func (tx orgWrites) CountGitOperation(ctx context.Context, org docs.OrgID) error {
	day, n := dayOf(tx.Now()), int64(0)
	err := engine.Row(ctx, tx, `INSERT INTO git_days (org_id, day, operations) VALUES ($1, $2, 1)
		ON CONFLICT (org_id, day) DO UPDATE SET operations = git_days.operations + 1 RETURNING operations`, org, day).Scan(&n)
	if err != nil {
		return err
	}
	if n == 1 { // the first of a day
		if err := engine.Put(ctx, tx, `DELETE FROM git_days WHERE org_id = $1 AND day < $2`, org, day); err != nil {
			return err
		}
	}
	q, err := tx.Quotas(ctx, org)
	if most, limited := q[docs.QuotaGitOperations]; err == nil && limited && n > most {
		err = overQuota("organization", docs.QuotaGitOperations, most, n)
	}
	return err
}

// dayOf returns the day of a moment in UTC, as a number.
func dayOf(at docs.Time) int64 { return at.Std().UnixMilli() / (24 * time.Hour).Milliseconds() }

// quotaWords holds the words of error messages: the unit, its description, and what users can do.
var quotaWords = map[docs.Quota]struct{ one, rest, next string }{
	docs.QuotaContent:       {"byte", " of content, its history included", "delete spaces that you do not need, which count until they are purged"},
	docs.QuotaFiles:         {"byte", " of files, their history included", "add smaller files, or delete spaces that you do not need, which count until they are purged"},
	docs.QuotaPages:         {"page", "", "delete pages"},
	docs.QuotaMembers:       {"member", "", "remove members"},
	docs.QuotaWebhooks:      {"webhook", "", "delete webhooks"},
	docs.QuotaGitOperations: {"git operation", " in a day (UTC)", "wait until tomorrow"},
}

func overQuota(whose string, of docs.Quota, most, n int64) error {
	w := quotaWords[of]
	what := w.one + "s"
	if most == 1 {
		what = w.one
	}
	return errs.E(errs.Quota, "the quota %q of the %s is %d %s%s, and this would make %d; %s, or ask the operator of the server for more", of, whose, most, what, w.rest, n, w.next)
}

// SpacesToCount returns spaces whose pages and files are not counted yet.
func (r orgReads) SpacesToCount(ctx context.Context) ([]docs.SpaceID, error) {
	return engine.Many(ctx, r, engine.ScanText[docs.SpaceID], `SELECT s.id FROM spaces s WHERE s.counted = 0 AND `+inPresentOrg("s")+` ORDER BY s.id`)
}

// SetCounted stores the counts of a revision of a space, unless the space was counted already. It
// reports false if the revision is not the newest any more.
func (tx orgWrites) SetCounted(ctx context.Context, space docs.SpaceID, at docs.RevisionID, pages, files int64) (bool, error) {
	n, err := engine.Exec(ctx, tx, `UPDATE spaces SET page_count = $3, file_bytes = $4, counted = 1 WHERE id = $1 AND revision_id = $2 AND counted = 0`, space, at, pages, files)
	if err != nil || n > 0 {
		return n > 0, err
	}
	counted, err := engine.One(ctx, tx, "space", engine.ScanInt, `SELECT counted FROM spaces WHERE id = $1`, space)
	return counted == 1, err
}

// CopyUsage sets the usage of a copy to the usage of its original. Shared texts and files count for both,
// because the copy keeps them when the original is deleted.
func (tx orgWrites) CopyUsage(ctx context.Context, from docs.SpaceID, to docs.Space) error {
	err := engine.Put(ctx, tx, `
		UPDATE spaces SET (content_bytes, file_bytes, page_count, counted) = (SELECT o.content_bytes, o.file_bytes, o.page_count, o.counted FROM spaces o WHERE o.id = $1)
		WHERE id = $2`, from, to.ID)
	if err != nil {
		return err
	}
	return tx.ReceivedWithinQuotas(ctx, to.Org, to)
}
