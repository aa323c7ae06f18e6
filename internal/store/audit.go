package store

import (
	"context"

	"github.com/octavo-docs/octavo/internal/docs"
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
// the transaction of the change itself.
func (tx *Tx) AddAudit(ctx context.Context, a AuditRow) error {
	a.ID, a.At = NewID[string](tx), tx.Now()
	err := tx.put(ctx, `
		INSERT INTO audit (id, at, org_id, actor_id, token_id, request_id, action, subject_kind, subject_id, data)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		a.ID, a.At, a.Org, a.Actor, a.Token, a.Request, a.Action, a.SubjectKind, a.SubjectID, a.Data)
	if err != nil {
		return err
	}
	return tx.put(ctx, `INSERT INTO outbox (id, org_id, at) VALUES ($1, $2, $3)`, a.ID, a.Org, a.At)
}

// Audit lists the log of an organization, newest first.
func (r Reader) Audit(ctx context.Context, org docs.OrgID, p Page) ([]AuditRow, Key, error) {
	before := lastText
	if len(p.After) > 0 {
		before = p.After[0]
	}
	items, err := many(ctx, r, func(s scanner) (a AuditRow, err error) {
		err = s.Scan(&a.ID, &a.At, &a.Org, &a.Actor, &a.Token, &a.Request, &a.Action, &a.SubjectKind, &a.SubjectID, &a.Data)
		return a, err
	}, `SELECT id, at, org_id, actor_id, token_id, request_id, action, subject_kind, subject_id, data
		FROM audit WHERE org_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3 + 0`, org, before, p.ask())
	items, next := cut(p, items, func(a AuditRow) Key { return Key{a.ID} })
	return items, next, err
}
