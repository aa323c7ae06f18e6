package store

import (
	"context"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

// OutboxWaiting reports whether there are unprocessed events.
func (r integrationReads) OutboxWaiting(ctx context.Context) (bool, error) {
	n, err := engine.One(ctx, r, "count", engine.ScanInt, `SELECT COUNT(*) FROM (SELECT 1 FROM outbox LIMIT 1) AS waiting`)
	return n > 0, err
}

// DropEventsWithoutWebhook deletes at most limit events of organizations that have no webhook, and
// returns their number.
func (tx integrationWrites) DropEventsWithoutWebhook(ctx context.Context, limit int) (int64, error) {
	return engine.Exec(ctx, tx, `
		DELETE FROM outbox WHERE id IN (
			SELECT o.id FROM outbox o
			WHERE NOT EXISTS (SELECT 1 FROM webhooks w WHERE w.org_id = o.org_id AND w.enabled)
			ORDER BY o.id LIMIT $1 + 0)`, limit)
}

// TakeOutbox removes the oldest events and returns them in order. No event is returned
// to two transactions.
func (tx integrationWrites) TakeOutbox(ctx context.Context, limit int) ([]AuditRow, error) {
	rows, err := engine.Many(ctx, tx, func(s engine.Scanner) (a AuditRow, err error) {
		err = s.Scan(&a.ID, &a.Org, &a.At, &a.Actor, &a.Action, &a.SubjectKind, &a.SubjectID, &a.Data)
		return a, err
	}, `SELECT o.id, o.org_id, o.at, COALESCE(a.actor_id, ''), COALESCE(a.action, ''), COALESCE(a.subject_kind, ''),
			COALESCE(a.subject_id, ''), COALESCE(a.data, '{}')
		FROM (SELECT id, org_id, at FROM outbox ORDER BY id LIMIT $1 + 0) o
		LEFT JOIN audit a ON a.org_id = o.org_id AND a.id = o.id
		ORDER BY o.id`, limit)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	// The transaction sees the same rows here as above. Ids do not come in the
	// order of commits on PostgreSQL, so others may add smaller ones meanwhile:
	// those are seen, and taken, by the next one.
	return rows, engine.Put(ctx, tx, `DELETE FROM outbox WHERE id <= $1`, rows[len(rows)-1].ID)
}

// ListeningWebhooks returns the webhooks of an organization that are enabled.
func (r integrationReads) ListeningWebhooks(ctx context.Context, org docs.OrgID) ([]docs.Webhook, error) {
	return engine.Many(ctx, r, scanWebhook, `
		SELECT `+webhookColumns+` FROM webhooks w WHERE w.org_id = $1 AND w.enabled ORDER BY w.id`, org)
}

// SetWebhookDue marks a webhook as due now.
func (tx integrationWrites) SetWebhookDue(ctx context.Context, id docs.WebhookID) error {
	return engine.Put(ctx, tx, `
		UPDATE webhooks SET due_at = CASE WHEN resume_at > $2 THEN resume_at ELSE $2 END WHERE id = $1 AND due_at > $2`, id, tx.Now())
}

// ResumeWebhook is SetWebhookDue that also ends the pause after failures of the
// receiver.
func (tx integrationWrites) ResumeWebhook(ctx context.Context, id docs.WebhookID) error {
	return engine.Put(ctx, tx, `UPDATE webhooks SET resume_at = 0, due_at = CASE WHEN due_at > $2 THEN $2 ELSE due_at END WHERE id = $1`, id, tx.Now())
}

// A webhook is due when it has something to send and no node has leased it, unless an
// operator has suspended it.
const webhookDue = `w.due_at <= $1 AND w.lease_until <= $1 AND w.enabled
	AND NOT EXISTS (SELECT 1 FROM organizations o WHERE o.id = w.org_id AND (o.blocked_reason <> '' OR o.deleted_at > 0))`

// WebhookDue reports whether ClaimWebhook would find something; it takes no lock.
func (r integrationReads) WebhookDue(ctx context.Context, now docs.Time) (bool, error) {
	n, err := engine.One(ctx, r, "count", engine.ScanInt, `SELECT COUNT(*) FROM (SELECT 1 FROM webhooks w WHERE `+webhookDue+` LIMIT 1) AS due`, now)
	return n > 0, err
}

// ClaimWebhook leases the webhook that has waited longest. NotFound: none.
func (tx integrationWrites) ClaimWebhook(ctx context.Context, lease string, until docs.Time) (docs.Webhook, error) {
	return engine.One(ctx, tx, "webhook", scanWebhook, `
		UPDATE webhooks AS w SET leased_by = $2, lease_until = $3
		WHERE w.id = (SELECT w.id FROM webhooks w WHERE `+webhookDue+` ORDER BY w.due_at, w.id LIMIT 1 `+engine.SkipLocked(tx)+`)
		RETURNING `+webhookReturning, tx.Now(), lease, until)
}

// webhookReturning is webhookColumns where SQLite knows no alias.
const webhookReturning = `id, org_id, url, events, secret, enabled, disabled_reason, failures, failing_since, resume_at, created_by, created_at, updated_at`

// ExtendWebhook renews a lease. Conflict: the webhook was deleted, or another node has it.
func (tx integrationWrites) ExtendWebhook(ctx context.Context, id docs.WebhookID, lease string, until docs.Time) error {
	n, err := engine.Exec(ctx, tx, `UPDATE webhooks SET lease_until = $3 WHERE id = $1 AND leased_by = $2`, id, lease, until)
	if err == nil && n == 0 {
		err = errs.E(errs.Conflict, "another node has taken over the webhook")
	}
	return err
}

// ReleaseWebhook ends a lease and sets when there is something to send next. The
// webhook is placed after the others that are due.
func (tx integrationWrites) ReleaseWebhook(ctx context.Context, id docs.WebhookID, lease string) error {
	next, err := engine.One(ctx, tx, "delivery", engine.ScanInt, `
		SELECT COALESCE(MIN(next_at), $2) FROM webhook_deliveries WHERE webhook_id = $1 AND state = 'pending'`, id, never)
	if err != nil {
		return err
	}
	return engine.Put(ctx, tx, `
		UPDATE webhooks SET leased_by = '', lease_until = 0, due_at = CASE WHEN resume_at > $3 THEN resume_at ELSE $3 END
		WHERE id = $1 AND leased_by = $2`, id, lease, max(docs.Time(next), tx.Now()))
}

// DueDeliveries returns the deliveries of a webhook to be sent now, in order. The
// caller keeps the order within each lane, and stops a lane with HoldLane at the first
// delivery that has to be retried.
func (r integrationReads) DueDeliveries(ctx context.Context, id docs.WebhookID, now docs.Time, limit int) ([]docs.Delivery, error) {
	return engine.Many(ctx, r, scanDelivery, `
		SELECT `+deliveryColumns+` FROM webhook_deliveries d
		WHERE d.webhook_id = $1 AND d.state = 'pending' AND d.next_at <= $2
		ORDER BY d.event_id, d.id LIMIT $3 + 0`, id, now, limit)
}

// DueOnDemand is DueDeliveries for deliveries that users request: tests and replays.
func (r integrationReads) DueOnDemand(ctx context.Context, id docs.WebhookID, now docs.Time, limit int) ([]docs.Delivery, error) {
	return engine.Many(ctx, r, scanDelivery, `
		SELECT `+deliveryColumns+` FROM webhook_deliveries d
		WHERE d.webhook_id = $1 AND d.state = 'pending' AND d.next_at <= $2 AND d.kind <> 'event'
		ORDER BY d.id LIMIT $3 + 0`, id, now, limit)
}

// HoldLane postpones the deliveries after d in its lane until d is retried.
func (tx integrationWrites) HoldLane(ctx context.Context, d docs.Delivery) error {
	return engine.Put(ctx, tx, `
		UPDATE webhook_deliveries SET next_at = $4
		WHERE webhook_id = $1 AND lane = $2 AND state = 'pending' AND event_id > $3 AND next_at < $4`,
		d.Webhook, d.Lane, d.Event, d.NextAt)
}

// LaneHeldUntil returns the time until which a new delivery at the end of a lane has to
// wait for the last one before it, or 0 if it need not wait. It does not wait for a
// delivery that has failed at least attempts times.
func (r integrationReads) LaneHeldUntil(ctx context.Context, w docs.WebhookID, lane string, attempts int) (docs.Time, error) {
	at, err := engine.One(ctx, r, "delivery", engine.ScanInt, `
		SELECT CASE WHEN d.attempts < $3 THEN d.next_at ELSE 0 END FROM webhook_deliveries d
		WHERE d.webhook_id = $1 AND d.lane = $2 AND d.state = 'pending' ORDER BY d.event_id DESC LIMIT 1`, w, lane, attempts)
	if errs.Is(err, errs.NotFound) {
		return 0, nil
	}
	return docs.Time(at), err
}

// TrimDeliveries deletes at most limit deliveries that have ended and are older than
// a time, or whose webhook was deleted.
func (tx integrationWrites) TrimDeliveries(ctx context.Context, before docs.Time, limit int) (int64, error) {
	n, err := engine.Exec(ctx, tx, `
		DELETE FROM webhook_deliveries WHERE (webhook_id, id) IN (
			SELECT d.webhook_id, d.id FROM webhook_deliveries d
			WHERE d.created_at < $1 AND d.state <> 'pending' ORDER BY d.created_at LIMIT $2 + 0)`, before, limit)
	if err != nil {
		return n, err
	}
	gone, err := engine.Exec(ctx, tx, `
		DELETE FROM webhook_deliveries WHERE (webhook_id, id) IN (
			SELECT d.webhook_id, d.id FROM webhook_deliveries d
			WHERE NOT EXISTS (SELECT 1 FROM webhooks w WHERE w.id = d.webhook_id) LIMIT $1 + 0)`, limit)
	return n + gone, err
}

// Backlog counts the events and deliveries that wait, for metrics.
type Backlog struct{ Events, Deliveries int64 }

// Backlog returns the current backlog.
func (r integrationReads) Backlog(ctx context.Context) (Backlog, error) {
	return engine.One(ctx, r, "count", func(s engine.Scanner) (b Backlog, err error) {
		err = s.Scan(&b.Events, &b.Deliveries)
		return b, err
	}, `SELECT (SELECT COUNT(*) FROM outbox), (SELECT COUNT(*) FROM webhook_deliveries WHERE state = 'pending')`)
}
