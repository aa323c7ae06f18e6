// Package webhooks sends the events of an organization to other servers.
//
// Every change writes an event to the outbox, in the transaction of the change. The Dispatcher turns
// each event into one delivery for every webhook that listens, in one transaction that also
// removes the event. It signs and sends the deliveries, in order for each subject, and retries them
// for a day. Service manages the webhooks.
//
// Where a change goes:
//   - an event: the call of audit.Record in the service; webhooks deliver it without
//     further code. A form of the contract: event.go
package webhooks

import (
	"context"
	"errors"
	"net/netip"
	"net/url"
	"slices"
	"time"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/outbound"
	"github.com/octavo-docs/octavo/internal/seal"
	"github.com/octavo-docs/octavo/internal/store"
)

// maxWebhooks is the maximum number of webhooks of an organization. Each event is copied for each of
// them.
const maxWebhooks = 50

// Service manages the webhooks of organizations.
type Service struct {
	Store    *store.Store
	Outbound outbound.Policy
}

// New is the input of Create.
type New struct {
	URL     string
	Events  []string
	Secret  string // empty: generate one
	Enabled bool
}

// Create creates a webhook and returns its secret, which is never returned again.
func (s *Service) Create(ctx context.Context, g *authz.Grant, org docs.OrgID, in New) (docs.Webhook, string, error) {
	var secret string
	var wrong errs.Mistakes
	address, err := s.checkURL(ctx, in.URL)
	wrong.Add(err)
	events, err := checkPatterns(in.Events)
	wrong.Add(err)
	if in.Secret != "" {
		wrong.Add(seal.CheckShared("secret", in.Secret))
	}
	if err := wrong.Err(); err != nil {
		return docs.Webhook{}, "", err
	}
	secret = in.Secret
	if secret == "" {
		secret = seal.NewShared()
	}
	w, err := authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (docs.Webhook, error) {
		w := docs.Webhook{
			ID: store.NewID[docs.WebhookID](tx), Org: org, URL: address, Events: events, Enabled: in.Enabled,
			CreatedBy: g.Actor.User, CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
		}
		n, err := tx.CountWebhooks(ctx, org)
		if err != nil {
			return w, err
		}
		if n >= maxWebhooks {
			return w, errs.E(errs.Precondition, "an organization can have %d webhooks; delete one first", maxWebhooks)
		}
		if w.Sealed, err = lock(ctx, tx.Reader, w, secret); err != nil {
			return w, err
		}
		if err := tx.AddWebhook(ctx, w); err != nil {
			return w, err
		}
		return w, audit.Record(ctx, tx, g.Actor, hookEvent(w, "create", nil))
	})
	if err != nil {
		return w, "", err
	}
	return w, secret, nil
}

// logged returns a webhook as the audit log may have it.
func logged(w docs.Webhook) docs.Webhook {
	w.URL = audit.Host(w.URL)
	return w
}

// hookEvent returns the audit event of a change to a webhook. It omits the secret, and also the
// path and the query of the URL, which often contain secrets.
func hookEvent(w docs.Webhook, action string, more map[string]any) audit.Event {
	data := map[string]any{"events": w.Events, "enabled": w.Enabled}
	if u, err := url.Parse(w.URL); err == nil {
		data["host"] = u.Host
	}
	for k, v := range more {
		data[k] = v
	}
	return audit.Event{Org: w.Org, Action: "webhook." + action, Kind: "webhook", ID: string(w.ID), Data: data}
}

// checkURL returns an error for a URL that can never be called. A host name is resolved only when
// a delivery is sent.
func (s *Service) checkURL(ctx context.Context, raw string) (string, error) {
	u, err := outbound.CheckURL(raw)
	if err != nil {
		return "", errs.Field("url", "cannot be used: %s", publicMessage(err))
	}
	if _, err := netip.ParseAddr(u.Hostname()); err == nil {
		if _, err := s.Outbound.Resolve(ctx, u.Hostname()); err != nil {
			return "", errs.Field("url", "cannot be used: %s", publicMessage(err))
		}
	}
	return u.String(), nil
}

// publicMessage returns the part of an error that may be shown to users.
func publicMessage(err error) string {
	var e *errs.Error
	if errors.As(err, &e) {
		return e.Message
	}
	return "the server failed; its log has the reason"
}

// Patch is the input of Update. A null secret is replaced by a generated one.
type Patch struct {
	URL     opt.Val[string]
	Events  opt.Val[[]string]
	Secret  opt.Val[string]
	Enabled opt.Val[bool]
}

// Update changes a webhook. It returns the secret if it changed. Disabling a webhook fails its
// pending deliveries. Enabling it, or changing its URL, resets its failure state.
func (s *Service) Update(ctx context.Context, g *authz.Grant, org docs.OrgID, id docs.WebhookID, p Patch) (docs.Webhook, string, error) {
	var secret string
	address, moved := p.URL.Get()
	var wrong errs.Mistakes
	if moved {
		var err error
		address, err = s.checkURL(ctx, address)
		wrong.Add(err)
	}
	var events []string
	if in, ok := p.Events.Get(); ok {
		var err error
		events, err = checkPatterns(in)
		wrong.Add(err)
	}
	if given, ok := p.Secret.Get(); ok {
		wrong.Add(seal.CheckShared("secret", given))
	}
	if err := wrong.Err(); err != nil {
		return docs.Webhook{}, "", err
	}
	if p.Secret.IsSet() {
		if secret = p.Secret.Or(""); secret == "" {
			secret = seal.NewShared()
		}
	}
	w, err := authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (docs.Webhook, error) {
		w, err := tx.Webhook(ctx, org, id)
		if err != nil {
			return w, err
		}
		before := w
		if moved {
			w.URL = address
		}
		if events != nil {
			w.Events = events
		}
		w.Enabled = p.Enabled.Or(w.Enabled)
		if p.Secret.IsSet() {
			if w.Sealed, err = lock(ctx, tx.Reader, w, secret); err != nil {
				return w, err
			}
		}
		if audit.Same(before, w) {
			return before, nil
		}
		fresh := w.Enabled && (!before.Enabled || w.URL != before.URL)
		if fresh {
			w.DisabledReason, w.Failures, w.FailingSince, w.ResumeAt = "", 0, 0, 0
		}
		w.UpdatedAt = tx.Now()
		if err := tx.PutWebhook(ctx, w); err != nil {
			return w, err
		}
		switch {
		case fresh:
			err = tx.SetWebhookDue(ctx, w.ID)
		case before.Enabled && !w.Enabled:
			err = tx.FailPending(ctx, w.ID, "the webhook was disabled before this was delivered; enable it and replay this delivery")
		}
		if err != nil {
			return w, err
		}
		return w, audit.Record(ctx, tx, g.Actor, hookEvent(w, "update", map[string]any{
			"moved": w.URL != before.URL, "secret": p.Secret.IsSet(), "listens": !slices.Equal(w.Events, before.Events),
		}).Changed(logged(before), logged(w)))
	})
	if err != nil {
		return w, "", err
	}
	return w, secret, nil
}

// Delete removes a webhook. The log of its deliveries is removed later.
func (s *Service) Delete(ctx context.Context, g *authz.Grant, org docs.OrgID, id docs.WebhookID) error {
	return authz.Do(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) error {
		w, err := tx.Webhook(ctx, org, id)
		if err != nil {
			return err
		}
		if err := tx.DropWebhook(ctx, org, id); err != nil {
			return err
		}
		return audit.Record(ctx, tx, g.Actor, hookEvent(w, "delete", nil))
	})
}

// Test queues a test event without content. It is not retried.
func (s *Service) Test(ctx context.Context, g *authz.Grant, org docs.OrgID, id docs.WebhookID) (docs.Delivery, error) {
	return authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (docs.Delivery, error) {
		w, err := enabled(ctx, tx, org, id)
		if err != nil {
			return docs.Delivery{}, err
		}
		m, err := auditMessage(store.AuditRow{
			ID: store.NewID[string](tx), Org: org, Actor: g.Actor.User, At: tx.Now(), Action: testAction,
			SubjectKind: "webhook", SubjectID: string(id), Data: "{}",
		})
		if err != nil {
			return docs.Delivery{}, err
		}
		d, err := queue(ctx, tx, docs.Delivery{Webhook: id, Kind: docs.DeliveryTest, Event: m.event, Type: m.kind, Payload: m.body})
		if err != nil {
			return d, err
		}
		return d, audit.Record(ctx, tx, g.Actor, hookEvent(w, "test", nil))
	})
}

// Replay queues a completed delivery again, with the same payload. Receivers recognize the event
// by its id.
func (s *Service) Replay(ctx context.Context, g *authz.Grant, org docs.OrgID, id docs.WebhookID, delivery docs.DeliveryID) (docs.Delivery, error) {
	return authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (docs.Delivery, error) {
		if _, err := tx.Webhook(ctx, org, id); err != nil {
			return docs.Delivery{}, err
		}
		was, err := tx.Delivery(ctx, id, delivery)
		if err != nil {
			return docs.Delivery{}, err
		}
		w, err := enabled(ctx, tx, org, id)
		if err != nil {
			return docs.Delivery{}, err
		}
		if was.State == docs.DeliveryPending {
			return docs.Delivery{}, errs.E(errs.Precondition, "the delivery is still pending; the server will repeat it")
		}
		d, err := queue(ctx, tx, docs.Delivery{
			Webhook: id, Kind: docs.DeliveryReplay, ReplayOf: was.ID, Event: was.Event, Type: was.Type, Payload: was.Payload,
		})
		if err != nil {
			return d, err
		}
		return d, audit.Record(ctx, tx, g.Actor, hookEvent(w, "replay", map[string]any{"delivery": was.ID, "event": was.Event}))
	})
}

func enabled(ctx context.Context, tx *store.Tx, org docs.OrgID, id docs.WebhookID) (docs.Webhook, error) {
	w, err := tx.Webhook(ctx, org, id)
	if err == nil && !w.Enabled {
		err = errs.E(errs.Precondition, "the webhook is disabled; enable it first")
	}
	return w, err
}

// queue adds a delivery that a user has requested. It is due now, in a lane of its own, so it neither
// waits for other deliveries nor delays them.
func queue(ctx context.Context, tx *store.Tx, d docs.Delivery) (docs.Delivery, error) {
	d.ID, d.State, d.CreatedAt, d.NextAt = store.NewID[docs.DeliveryID](tx), docs.DeliveryPending, tx.Now(), tx.Now()
	d.Lane = string(d.ID)
	if err := tx.AddDelivery(ctx, d); err != nil {
		return d, err
	}
	return d, tx.ResumeWebhook(ctx, d.Webhook)
}

const (
	logRetention = 7 * 24 * time.Hour // how long deliveries can be viewed and replayed
	trimAtOnce   = 2000               // rows in one transaction, so that other transactions do not wait long
)

// Tidy is the handler of a job that deletes old deliveries.
func (s *Service) Tidy(ctx context.Context, _ []byte) error {
	for ctx.Err() == nil {
		n, err := store.InTx(ctx, s.Store, func(tx *store.Tx) (int64, error) {
			return tx.TrimDeliveries(ctx, tx.Now().Add(-logRetention), trimAtOnce)
		})
		if err != nil || n == 0 {
			return err
		}
	}
	return ctx.Err()
}
