package webhooks

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/outbound"
	"github.com/octavo-docs/octavo/internal/store"
)

const (
	fanOutAtOnce = 200  // events in one transaction
	dropAtOnce   = 5000 // events without a webhook that are deleted in one transaction

	maxSending = 32               // webhooks to which a node sends concurrently
	maxAtOnce  = 4                // concurrent requests to one webhook
	sendAtOnce = 64               // deliveries that are read at once
	turn       = 10 * time.Second // after that, other webhooks that wait go first

	lease = 20 * time.Second // after that, other nodes take over the webhooks of a node that has stopped
)

// Dispatcher sends events to the webhooks that listen to them. Any number of dispatchers can share
// a store: each event is queued once, and one node at a time sends to a webhook. If a node is
// killed, other nodes take over its webhooks and resend deliveries whose result was not stored. A
// receiver may therefore get a delivery twice, but none is lost.
type Dispatcher struct {
	Store *store.Store
	Log   *slog.Logger
	Poll  time.Duration // how often to read the queue; 0 means once a second

	post *outbound.Poster
	wake chan struct{}
}

// NewDispatcher returns a Dispatcher whose requests follow the policy.
func NewDispatcher(s *store.Store, out outbound.Policy, log *slog.Logger) *Dispatcher {
	return &Dispatcher{Store: s, Log: log, post: out.Poster(timeout), wake: make(chan struct{}, 1)}
}

// Run works until ctx ends, then waits for the requests in progress. It writes to the store only if
// there is work.
func (d *Dispatcher) Run(ctx context.Context) {
	poll := d.Poll
	if poll == 0 {
		poll = time.Second
	}
	var sending sync.WaitGroup
	defer d.post.Close()
	defer sending.Wait()
	free := make(chan struct{}, maxSending)
	for ctx.Err() == nil {
		if err := d.round(ctx, free, &sending); err != nil && ctx.Err() == nil {
			d.Log.Error("webhooks: the queue cannot be read", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-d.wake: // a leased webhook was released
		case <-time.After(poll/2 + rand.N(poll)): // spreads the nodes
		}
	}
}

// round queues the waiting events. Then it leases every webhook that is due and sends to it, while
// there are free places.
func (d *Dispatcher) round(ctx context.Context, free chan struct{}, sending *sync.WaitGroup) error {
	for more := true; more && ctx.Err() == nil; {
		var err error
		if more, err = d.FanOut(ctx); err != nil {
			return err
		}
	}
	// Deliveries are queued, but not sent, while the installation is paused.
	if paused, err := d.Store.PausedAt(ctx); err != nil || !paused.IsZero() {
		return err
	}
	for ctx.Err() == nil {
		select {
		case free <- struct{}{}:
		default:
			return nil
		}
		l, err := d.claim(ctx)
		if err != nil || l == nil {
			<-free
			return err
		}
		sending.Go(func() {
			l.run(ctx)
			<-free
			select {
			case d.wake <- struct{}{}:
			default:
			}
		})
	}
	return nil
}

// FanOut turns events of the outbox into deliveries. It reports whether there may be more events.
func (d *Dispatcher) FanOut(ctx context.Context) (bool, error) {
	waiting, err := d.Store.OutboxWaiting(ctx)
	if err != nil || !waiting {
		return false, err
	}
	return store.InTx(ctx, d.Store, func(tx *store.Tx) (bool, error) {
		n, err := tx.DropEventsWithoutWebhook(ctx, dropAtOnce)
		if err != nil || n == dropAtOnce {
			return true, err
		}
		events, err := tx.TakeOutbox(ctx, fanOutAtOnce)
		if err != nil {
			return false, err
		}
		listening := map[docs.OrgID][]docs.Webhook{}
		due := map[docs.WebhookID]bool{}
		for _, e := range events {
			hooks, known := listening[e.Org]
			if !known {
				if hooks, err = tx.ListeningWebhooks(ctx, e.Org); err != nil {
					return false, err
				}
				listening[e.Org] = hooks
			}
			if err := fanOut(ctx, tx, hooks, e, due); err != nil {
				return false, err
			}
		}
		for id := range due {
			if err := tx.SetWebhookDue(ctx, id); err != nil {
				return false, err
			}
		}
		return len(events) == fanOutAtOnce, nil
	})
}

// fanOut queues an event for the webhooks that listen to it, and adds them to due. If a delivery
// in the same lane waits for a retry, the event is due after that.
func fanOut(ctx context.Context, tx *store.Tx, hooks []docs.Webhook, e store.AuditRow, due map[docs.WebhookID]bool) error {
	lane := e.SubjectKind + " " + e.SubjectID
	for _, w := range hooks {
		list, err := messages(w, e)
		if err != nil {
			return err
		}
		for _, m := range list {
			held, err := tx.LaneHeldUntil(ctx, w.ID, lane, holdAttempts)
			if err != nil {
				return err
			}
			err = tx.AddDelivery(ctx, docs.Delivery{
				Webhook: w.ID, ID: store.NewID[docs.DeliveryID](tx), Kind: docs.DeliveryEvent, Event: m.event, Type: m.kind,
				Payload: m.body, Lane: lane, CreatedAt: tx.Now(), NextAt: max(held, tx.Now()),
			})
			if err != nil {
				return err
			}
			due[w.ID] = true
		}
	}
	return nil
}

// leasedWebhook is a webhook to which this node sends. It holds the lease of the webhook.
type leasedWebhook struct {
	d     *Dispatcher
	hook  docs.Webhook
	lease string
	over  atomic.Bool // the lease is lost, or the webhook is paused, disabled or deleted
}

// claim leases the webhook that has waited longest. It returns nil if none is due.
func (d *Dispatcher) claim(ctx context.Context) (*leasedWebhook, error) {
	due, err := d.Store.WebhookDue(ctx, docs.TimeOf(d.Store.Clock()))
	if err != nil || !due {
		return nil, err
	}
	l := &leasedWebhook{d: d, lease: docs.NewID[string](time.Now())}
	l.hook, err = store.InTx(ctx, d.Store, func(tx *store.Tx) (docs.Webhook, error) {
		return tx.ClaimWebhook(ctx, l.lease, tx.Now().Add(lease))
	})
	if errs.Is(err, errs.NotFound) {
		return nil, nil // another node was faster
	}
	if err != nil {
		return nil, err
	}
	return l, nil
}

// run sends until nothing is due, the turn is over or ctx ends. Meanwhile it renews the lease.
func (l *leasedWebhook) run(ctx context.Context) {
	done := make(chan struct{})
	var renewing sync.WaitGroup
	renewing.Go(func() { l.renew(done) })
	l.send(ctx)
	close(done)
	renewing.Wait()
	// Release the lease even if the program is about to stop, so that no other node has to wait until
	// the lease expires.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	err := l.d.Store.Do(ctx, func(tx *store.Tx) error { return tx.ReleaseWebhook(ctx, l.hook.ID, l.lease) })
	if err != nil {
		l.d.Log.Error("webhooks: a lease could not be released; it will expire", "webhook", l.hook.ID, "error", err)
	}
}

func (l *leasedWebhook) renew(done <-chan struct{}) {
	for {
		select {
		case <-done:
			return
		case <-time.After(lease / 4):
		}
		ctx, cancel := context.WithTimeout(context.Background(), lease/4)
		err := l.d.Store.Do(ctx, func(tx *store.Tx) error {
			return tx.ExtendWebhook(ctx, l.hook.ID, l.lease, tx.Now().Add(lease))
		})
		cancel()
		if errs.Is(err, errs.Conflict) {
			l.over.Store(true) // the webhook was deleted, or another node has it
			return
		}
	}
}

func (l *leasedWebhook) send(ctx context.Context) {
	s := l.d.Store
	for end := s.Clock().Add(turn); ctx.Err() == nil && !l.over.Load(); {
		now := docs.TimeOf(s.Clock())
		limit := sendAtOnce
		var due []docs.Delivery
		var err error
		if l.hook.Failures >= pauseAfter { // check whether the receiver is back
			limit = 1
			due, err = s.DueOnDemand(ctx, l.hook.ID, now, limit)
		}
		if err == nil && len(due) == 0 {
			due, err = s.DueDeliveries(ctx, l.hook.ID, now, limit)
		}
		if err != nil {
			l.d.Log.Error("webhooks: deliveries cannot be read", "webhook", l.hook.ID, "error", err)
			return
		}
		if len(due) == 0 {
			return
		}
		l.sendAll(ctx, due)
		if limit == 1 || s.Clock().After(end) {
			return
		}
	}
}

// sendAll sends deliveries: sequentially within a lane, which is one subject, and in parallel across
// lanes.
func (l *leasedWebhook) sendAll(ctx context.Context, due []docs.Delivery) {
	byLane := map[string][]docs.Delivery{}
	var order []string
	for _, d := range due {
		if byLane[d.Lane] == nil {
			order = append(order, d.Lane)
		}
		byLane[d.Lane] = append(byLane[d.Lane], d)
	}
	var wg sync.WaitGroup
	slots := make(chan struct{}, maxAtOnce)
	for _, name := range order {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			for _, d := range byLane[name] {
				if ctx.Err() != nil || l.over.Load() || !l.attempt(ctx, d) {
					return
				}
			}
		})
	}
	wg.Wait()
}
