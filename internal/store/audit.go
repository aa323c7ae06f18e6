package store

import (
	"context"
	"math"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

// AuditRow is one line of the log of who did what.
type AuditRow struct {
	ID          string
	At          docs.Time
	Org         docs.OrgID
	Actor       docs.UserID
	Token       docs.TokenID
	Request     string
	Action      string
	SubjectKind string
	SubjectID   string
	Data        string // JSON
}

// AddAudit writes a line of the log and the event for webhooks, in
// the transaction of the change itself. It returns the id of both.
func (tx serverWrites) AddAudit(ctx context.Context, a AuditRow) (string, error) {
	a.ID, a.At = engine.NewID[string](tx), tx.Now()
	err := engine.Put(ctx, tx, `
		INSERT INTO audit (id, at, org_id, actor_id, token_id, request_id, action, subject_kind, subject_id, data)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		a.ID, a.At, a.Org, a.Actor, a.Token, a.Request, a.Action, a.SubjectKind, a.SubjectID, a.Data)
	if err != nil {
		return "", err
	}
	return a.ID, engine.Put(ctx, tx, `INSERT INTO outbox (id, org_id, at) VALUES ($1, $2, $3)`, a.ID, a.Org, a.At)
}

// AuditFilter selects lines of the log. Empty fields match everything.
type AuditFilter struct {
	Actor       docs.UserID
	Action      string // such as space.delete
	SubjectKind string
	SubjectID   string
	From, Until docs.Time // From is included, Until is not
}

// maxAuditRead is the maximum number of lines that are read for a page of the log. If
// the filter matches few of them, the page is short, and the next page follows the
// lines that were read.
const maxAuditRead = 5_000

// Audit lists the log of an organization, newest first.
func (r serverReads) Audit(ctx context.Context, org docs.OrgID, f AuditFilter, p Page) ([]AuditRow, Key, error) {
	before := engine.LastText
	if len(p.After) > 0 {
		before = p.After[0]
	}
	until := f.Until
	if until.IsZero() {
		until = math.MaxInt64
	}
	looked, err := engine.Many(ctx, r, scanAudit, `
		SELECT id, at, org_id, actor_id, token_id, request_id, action, subject_kind, subject_id, data
		FROM (SELECT * FROM audit WHERE org_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3 + 0) newest
		WHERE ($4 = '' OR actor_id = $4) AND ($5 = '' OR action = $5) AND ($6 = '' OR subject_kind = $6) AND ($7 = '' OR subject_id = $7)
			AND at >= $8 AND at < $9
		ORDER BY id DESC LIMIT $10 + 0`,
		org, before, maxAuditRead, f.Actor, f.Action, f.SubjectKind, f.SubjectID, f.From, until, p.Ask())
	items, next := engine.Cut(p, looked, func(a AuditRow) Key { return Key{a.ID} })
	if err != nil || len(next) > 0 {
		return items, next, err
	}
	last, err := r.lastLooked(ctx, org, before, f.From)
	if last != "" {
		next = Key{last}
	}
	return items, next, err
}

// lastLooked returns the id of the last line that a page of the log has read, or "" if no line
// after it can be in the time range.
func (r serverReads) lastLooked(ctx context.Context, org docs.OrgID, before string, from docs.Time) (string, error) {
	rows, err := engine.Many(ctx, r, func(s engine.Scanner) (id string, err error) { err = s.Scan(&id); return id, err }, `
		SELECT id FROM (SELECT id, at FROM audit WHERE org_id = $1 AND id < $2 ORDER BY id DESC LIMIT 1 OFFSET $4 - 1) looked
		WHERE at >= $3`, org, before, from, maxAuditRead)
	if err != nil || len(rows) == 0 {
		return "", err
	}
	return rows[0], nil
}

// AuditEvents returns the lines of an organization whose ids begin with a text.
func (r serverReads) AuditEvents(ctx context.Context, org docs.OrgID, prefix string) ([]AuditRow, error) {
	return engine.Many(ctx, r, scanAudit, `
		SELECT id, at, org_id, actor_id, token_id, request_id, action, subject_kind, subject_id, data
		FROM audit WHERE org_id = $1 AND id >= $2 AND id <= $3 ORDER BY id LIMIT $4 + 0`, org, prefix, prefix+engine.LastText, maxAuditRead)
}

// AuditActions returns the actions of the newest lines of an organization.
func (r serverReads) AuditActions(ctx context.Context, org docs.OrgID) ([]string, error) {
	return engine.Many(ctx, r, func(s engine.Scanner) (name string, err error) { err = s.Scan(&name); return name, err }, `
		SELECT DISTINCT action FROM (SELECT action FROM audit WHERE org_id = $1 ORDER BY id DESC LIMIT $2 + 0) newest ORDER BY action`, org, maxAuditRead)
}

func scanAudit(s engine.Scanner) (a AuditRow, err error) {
	err = s.Scan(&a.ID, &a.At, &a.Org, &a.Actor, &a.Token, &a.Request, &a.Action, &a.SubjectKind, &a.SubjectID, &a.Data)
	return a, err
}

// FirstAudit returns the first line of an organization since a time that has an action.
func (r serverReads) FirstAudit(ctx context.Context, org docs.OrgID, from docs.Time, action string) (AuditRow, error) {
	return engine.One(ctx, r, "line", scanAudit, `
		SELECT id, at, org_id, actor_id, token_id, request_id, action, subject_kind, subject_id, data
		FROM audit WHERE org_id = $1 AND id >= $2 AND action = $3 ORDER BY id LIMIT 1`, org, docs.MinID(from.Std()), action)
}
