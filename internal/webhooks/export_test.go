package webhooks

import (
	"context"

	"github.com/octavo-docs/octavo/internal/docs"
)

// Deliver sends what is due to one webhook. It reports whether there was one.
func (d *Dispatcher) Deliver(ctx context.Context) (bool, error) {
	l, err := d.claim(ctx)
	if err != nil || l == nil {
		return false, err
	}
	l.run(ctx)
	return true, nil
}

// Attempt sends a delivery of a webhook that this node has begun to send to.
func (d *Dispatcher) Attempt(ctx context.Context, hook docs.Webhook, dl docs.Delivery) (goOn bool) {
	return (&lane{d: d, hook: hook}).attempt(ctx, dl)
}
