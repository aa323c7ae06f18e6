package webhooks

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/outbound"
	"github.com/octavo-docs/octavo/internal/seal"
	"github.com/octavo-docs/octavo/internal/store"
)

const (
	timeout   = 10 * time.Second // of a request, until the response was read
	maxAnswer = 2 << 10          // bytes of a response that the log keeps

	// tryFor is how long a delivery is retried, counted from its first attempt. A webhook to which no
	// delivery succeeded for that long is disabled.
	tryFor = 24 * time.Hour

	maxRetryAfter = time.Hour // maximum that a receiver can request

	// holdAttempts limits how long a failing delivery blocks later deliveries in its lane: until its
	// fifth attempt, after about twelve minutes. Then later deliveries overtake it.
	holdAttempts = 5

	// After pauseAfter consecutive failures of any deliveries, a webhook is paused. After the pause,
	// a single delivery checks whether the receiver is back.
	pauseAfter = 5
	firstPause = 5 * time.Second
	maxPause   = 5 * time.Minute
)

// retryDelays are the times between attempts. The last one repeats.
var retryDelays = []time.Duration{
	5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 4 * time.Hour,
}

// retryDelay returns how long to wait after a number of attempts. It adds some jitter, so that
// deliveries that failed together are not retried together.
func retryDelay(attempts int) time.Duration {
	d := retryDelays[min(attempts, len(retryDelays))-1]
	return d + rand.N(d/10+1)
}

// pauseTime returns how long to pause a webhook after a number of consecutive failures.
func pauseTime(failures int) time.Duration {
	if failures < pauseAfter {
		return 0
	}
	return min(firstPause<<min(failures-pauseAfter, 20), maxPause)
}

// outcome is the result of one request.
type outcome struct {
	answer outbound.Answer
	err    error // if there is no response
	took   time.Duration
}

// attempt sends a delivery once and stores the result. It reports whether the next delivery in the
// lane may be sent.
func (l *leasedWebhook) attempt(ctx context.Context, dl docs.Delivery) (goOn bool) {
	d := l.d
	log := d.Log.With("webhook", l.hook.ID, "delivery", dl.ID)
	defer func() {
		if p := recover(); p != nil {
			log.Error("webhooks: panic", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			l.over.Store(true)
			goOn = false
		}
	}()
	// Stopping the program does not cancel a request: it would be unknown whether the receiver has
	// seen it.
	ctx = context.WithoutCancel(ctx)
	// Read the webhook for each attempt, so that changing, disabling or deleting it takes effect
	// before the queue is empty.
	w, err := d.Store.Webhook(ctx, l.hook.Org, l.hook.ID)
	if errs.Is(err, errs.NotFound) || err == nil && !w.Enabled {
		l.over.Store(true)
		return false
	}
	if err != nil {
		log.Error("webhooks: the webhook cannot be read", "error", err)
		l.over.Store(true)
		return false
	}
	o := d.try(ctx, w, dl)
	result, err := store.InTx(ctx, d.Store, func(tx *store.Tx) (attemptResult, error) { return recordAttempt(ctx, tx, w, dl, o) })
	if err != nil {
		log.Error("webhooks: the result of a delivery could not be stored; it will be sent again", "error", err)
		l.over.Store(true)
		return false
	}
	if result.disabled {
		log.Warn("webhook disabled: no delivery succeeded for a day", "organization", w.Org)
	}
	if result.paused {
		l.over.Store(true)
	}
	return result.state != docs.DeliveryPending
}

// try sends the request of a delivery.
func (d *Dispatcher) try(ctx context.Context, w docs.Webhook, dl docs.Delivery) outcome {
	secret, err := open(ctx, d.Store.Reader, w)
	if err != nil {
		if errors.Is(err, seal.ErrSealed) {
			err = errs.E(errs.Invalid, "the secret of the webhook cannot be decrypted, so deliveries cannot be signed; set a new secret")
		}
		return outcome{err: err}
	}
	start := time.Now()
	answer, err := d.post.Post(ctx, w.URL, map[string]string{
		"Content-Type":        "application/json",
		"User-Agent":          "Octavo-Webhook",
		"X-GitBook-Signature": signature(secret, docs.TimeOf(d.Store.Clock()), dl.Payload),
		"X-Octavo-Event":      dl.Type,
		"X-Octavo-Event-Id":   dl.Event,
		"X-Octavo-Delivery":   string(dl.ID),
		"X-Octavo-Attempt":    strconv.Itoa(dl.Attempts + 1),
	}, []byte(dl.Payload), maxAnswer)
	if err != nil && errs.Is(err, errs.Internal) {
		d.Log.Warn("webhooks: a request failed", "webhook", w.ID, "error", err)
	}
	return outcome{answer, err, time.Since(start)}
}

// verdict interprets an outcome: whether the delivery succeeded, and whether to retry it. why is the
// reason of a failure, for users.
func (o outcome) verdict() (delivered, again bool, why string) {
	switch s := o.answer.Status; {
	case o.err != nil:
		return false, true, publicMessage(o.err)
	case 200 <= s && s < 300:
		return true, false, ""
	case s == 429 || s >= 500:
		return false, true, fmt.Sprintf("the receiver answered %d", s)
	case 300 <= s && s < 400:
		return false, false, fmt.Sprintf("the receiver redirects (%d), which is not followed; set the URL that it redirects to", s)
	default:
		return false, false, fmt.Sprintf("the receiver refused it with %d; it is not sent again", s)
	}
}

// attemptResult is the state after an attempt.
type attemptResult struct {
	state    docs.DeliveryState
	paused   bool
	disabled bool
}

// recordAttempt stores an attempt, and updates the failure state of the webhook.
func recordAttempt(ctx context.Context, tx *store.Tx, sentTo docs.Webhook, dl docs.Delivery, o outcome) (attemptResult, error) {
	now := tx.Now()
	delivered, again, why := o.verdict()
	if dl.FirstAt.IsZero() {
		dl.FirstAt = now
	}
	dl.LastAt, dl.TookMS, dl.Status, dl.Answer, dl.Error = now, o.took.Milliseconds(), o.answer.Status, o.answer.Text, why
	end := dl.FirstAt.Add(tryFor)
	dl.NextAt = 0
	switch {
	case delivered:
		dl.State = docs.DeliveryDelivered
	case again && now < end && dl.Kind != docs.DeliveryTest:
		wait := max(retryDelay(dl.Attempts+1), outbound.Wait(o.answer.RetryAfter, now.Std(), maxRetryAfter))
		dl.NextAt = min(now.Add(wait), end) // the last attempt is at the end
	default:
		dl.State = docs.DeliveryFailed
	}
	noted, err := tx.PutAttempt(ctx, dl)
	if err != nil || !noted {
		return attemptResult{state: dl.State}, err
	}
	if dl.State == docs.DeliveryPending && dl.Attempts+1 < holdAttempts {
		if err := tx.HoldLane(ctx, dl); err != nil {
			return attemptResult{}, err
		}
	}
	w, err := tx.Webhook(ctx, sentTo.Org, sentTo.ID)
	if errs.Is(err, errs.NotFound) {
		return attemptResult{state: dl.State, paused: true}, nil
	}
	if err != nil {
		return attemptResult{}, err
	}
	switch {
	case !w.Enabled || w.URL != sentTo.URL:
		return attemptResult{state: dl.State, paused: true}, nil // the webhook was changed since
	case delivered && w.FailingSince.IsZero():
		return attemptResult{state: dl.State}, nil // the usual case: only one row is written
	case delivered:
		w.Failures, w.FailingSince, w.ResumeAt = 0, 0, 0
		return attemptResult{state: dl.State}, tx.PutWebhook(ctx, w)
	case dl.Kind == docs.DeliveryTest:
		return attemptResult{state: dl.State}, nil // a failed test does not count as a failure of the webhook
	}
	w.Failures++
	if w.FailingSince.IsZero() {
		w.FailingSince = now
	}
	if now >= w.FailingSince.Add(tryFor) {
		return attemptResult{state: docs.DeliveryFailed, paused: true, disabled: true}, disable(ctx, tx, w, why)
	}
	w.ResumeAt = 0
	if q := pauseTime(w.Failures); q > 0 {
		w.ResumeAt = now.Add(q)
	}
	return attemptResult{state: dl.State, paused: w.ResumeAt > 0}, tx.PutWebhook(ctx, w)
}

// disable disables a webhook to which no delivery succeeds.
func disable(ctx context.Context, tx *store.Tx, w docs.Webhook, why string) error {
	w.Enabled, w.UpdatedAt = false, tx.Now()
	w.DisabledReason = fmt.Sprintf("no delivery has succeeded since %s: %s; repair the receiver, enable the webhook, and replay the deliveries that it needs",
		w.FailingSince, why)
	if err := tx.PutWebhook(ctx, w); err != nil {
		return err
	}
	if err := tx.FailPending(ctx, w.ID, "the webhook was disabled because no delivery succeeded for a day; enable it and replay this delivery"); err != nil {
		return err
	}
	return audit.Record(ctx, tx, authz.System, hookEvent(w, "disable", map[string]any{"reason": w.DisabledReason}))
}
