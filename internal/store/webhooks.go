package store

import (
	"context"
	"math"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

const webhookColumns = `w.id, w.org_id, w.url, w.events, w.secret, w.enabled, w.disabled_reason, w.failures, w.failing_since,
	w.resume_at, w.created_by, w.created_at, w.updated_at`

func scanWebhook(s engine.Scanner) (w docs.Webhook, err error) {
	var events string
	err = s.Scan(&w.ID, &w.Org, &w.URL, &events, &w.Sealed, &w.Enabled, &w.DisabledReason, &w.Failures, &w.FailingSince,
		&w.ResumeAt, &w.CreatedBy, &w.CreatedAt, &w.UpdatedAt)
	w.Events = strings.Fields(events)
	return w, err
}

// Webhook returns a webhook of an organization.
func (r integrationReads) Webhook(ctx context.Context, org docs.OrgID, id docs.WebhookID) (docs.Webhook, error) {
	return engine.One(ctx, r, "webhook", scanWebhook, `SELECT `+webhookColumns+` FROM webhooks w WHERE w.id = $1 AND w.org_id = $2`, id, org)
}

// Webhooks lists the webhooks of an organization.
func (r integrationReads) Webhooks(ctx context.Context, org docs.OrgID, p Page) ([]docs.Webhook, Key, error) {
	items, err := engine.Many(ctx, r, scanWebhook, `
		SELECT `+webhookColumns+` FROM webhooks w WHERE w.org_id = $1 AND w.id > $2 ORDER BY w.id LIMIT $3 + 0`, org, p.Text(0), p.Ask())
	items, next := engine.Cut(p, items, func(w docs.Webhook) Key { return Key{string(w.ID)} })
	return items, next, err
}

// CountWebhooks counts what Webhooks lists.
func (r integrationReads) CountWebhooks(ctx context.Context, org docs.OrgID) (int64, error) {
	return engine.One(ctx, r, "count", engine.ScanInt, `SELECT COUNT(*) FROM webhooks WHERE org_id = $1`, org)
}

// never is the due time of a webhook that has nothing to send.
const never = docs.Time(math.MaxInt64)

// AddWebhook stores a new webhook.
func (tx integrationWrites) AddWebhook(ctx context.Context, w docs.Webhook) error {
	err := engine.Put(ctx, tx, `
		INSERT INTO webhooks (id, org_id, url, events, secret, enabled, disabled_reason, failures, failing_since, resume_at,
			due_at, leased_by, lease_until, created_by, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, '', 0, $12, $13, $14)`,
		w.ID, w.Org, w.URL, strings.Join(w.Events, " "), w.Sealed, w.Enabled, w.DisabledReason, w.Failures, w.FailingSince, w.ResumeAt,
		never, w.CreatedBy, w.CreatedAt, w.UpdatedAt)
	if err != nil {
		return err
	}
	return oneMore(ctx, tx, w.Org, docs.QuotaWebhooks)
}

// PutWebhook stores a changed webhook. Call SetWebhookDue if it may have something to
// send earlier than before.
func (tx integrationWrites) PutWebhook(ctx context.Context, w docs.Webhook) error {
	return engine.Put(ctx, tx, `
		UPDATE webhooks
		SET url = $2, events = $3, secret = $4, enabled = $5, disabled_reason = $6, failures = $7, failing_since = $8,
			resume_at = $9, updated_at = $10
		WHERE id = $1`,
		w.ID, w.URL, strings.Join(w.Events, " "), w.Sealed, w.Enabled, w.DisabledReason, w.Failures, w.FailingSince,
		w.ResumeAt, w.UpdatedAt)
}

// DropWebhook deletes a webhook; its deliveries are left to TrimDeliveries.
func (tx integrationWrites) DropWebhook(ctx context.Context, org docs.OrgID, id docs.WebhookID) error {
	n, err := engine.Exec(ctx, tx, `DELETE FROM webhooks WHERE id = $1 AND org_id = $2`, id, org)
	if err == nil && n == 0 {
		return errs.Missing("webhook")
	}
	return err
}

const deliveryColumns = `d.webhook_id, d.id, d.kind, d.replay_of, d.event_id, d.type, d.lane, d.payload, d.state, d.attempts,
	d.created_at, d.first_at, d.next_at, d.last_at, d.took_ms, d.status, d.answer, d.error`

func scanDelivery(s engine.Scanner) (d docs.Delivery, err error) {
	err = s.Scan(&d.Webhook, &d.ID, &d.Kind, &d.ReplayOf, &d.Event, &d.Type, &d.Lane, &d.Payload, &d.State, &d.Attempts,
		&d.CreatedAt, &d.FirstAt, &d.NextAt, &d.LastAt, &d.TookMS, &d.Status, &d.Answer, &d.Error)
	return d, err
}

// Delivery returns a delivery of a webhook.
func (r integrationReads) Delivery(ctx context.Context, w docs.WebhookID, id docs.DeliveryID) (docs.Delivery, error) {
	return engine.One(ctx, r, "delivery", scanDelivery, `
		SELECT `+deliveryColumns+` FROM webhook_deliveries d WHERE d.webhook_id = $1 AND d.id = $2`, w, id)
}

// Deliveries lists the deliveries of a webhook, newest first; an empty state is any.
func (r integrationReads) Deliveries(ctx context.Context, w docs.WebhookID, state docs.DeliveryState, p Page) ([]docs.Delivery, Key, error) {
	before := engine.LastText
	if len(p.After) > 0 {
		before = p.After[0]
	}
	items, err := engine.Many(ctx, r, scanDelivery, `
		SELECT `+deliveryColumns+` FROM webhook_deliveries d
		WHERE d.webhook_id = $1 AND d.id < $2 AND (CAST($3 AS TEXT) = '' OR d.state = $3)
		ORDER BY d.id DESC LIMIT $4 + 0`, w, before, state, p.Ask())
	items, next := engine.Cut(p, items, func(d docs.Delivery) Key { return Key{string(d.ID)} })
	return items, next, err
}

// CountDeliveries counts what Deliveries lists.
func (r integrationReads) CountDeliveries(ctx context.Context, w docs.WebhookID, state docs.DeliveryState) (int64, error) {
	return engine.One(ctx, r, "count", engine.ScanInt, `
		SELECT COUNT(*) FROM webhook_deliveries WHERE webhook_id = $1 AND (CAST($2 AS TEXT) = '' OR state = $2)`, w, state)
}

// AddDelivery queues a delivery.
func (tx integrationWrites) AddDelivery(ctx context.Context, d docs.Delivery) error {
	return engine.Put(ctx, tx, `
		INSERT INTO webhook_deliveries (webhook_id, id, kind, replay_of, event_id, type, lane, payload, state, attempts,
			created_at, first_at, last_at, next_at, took_ms, status, answer, error)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'pending', 0, $9, 0, 0, $10, 0, 0, '', '')`,
		d.Webhook, d.ID, d.Kind, d.ReplayOf, d.Event, d.Type, d.Lane, d.Payload, d.CreatedAt, d.NextAt)
}

// PutAttempt stores the result of an attempt. It reports false, and does nothing, if
// the delivery has changed since it was read.
func (tx integrationWrites) PutAttempt(ctx context.Context, d docs.Delivery) (bool, error) {
	n, err := engine.Exec(ctx, tx, `
		UPDATE webhook_deliveries
		SET state = $4, attempts = $3 + 1, first_at = $5, last_at = $6, next_at = $7, took_ms = $8, status = $9, answer = $10, error = $11
		WHERE webhook_id = $1 AND id = $2 AND state = 'pending' AND attempts = $3`,
		d.Webhook, d.ID, d.Attempts, d.State, d.FirstAt, d.LastAt, d.NextAt, d.TookMS, d.Status, d.Answer, d.Error)
	return n > 0, err
}

// FailPending marks all pending deliveries of a webhook as failed.
func (tx integrationWrites) FailPending(ctx context.Context, w docs.WebhookID, reason string) error {
	return engine.Put(ctx, tx, `
		UPDATE webhook_deliveries SET state = 'failed', next_at = 0, error = $2 WHERE webhook_id = $1 AND state = 'pending'`, w, reason)
}
