package webhooks

import (
	"context"

	"github.com/octavo-docs/octavo/internal/docs"
)

// Deliver sends the deliveries of one webhook that is due. It reports whether there was one.
func (d *Dispatcher) Deliver(ctx context.Context) (bool, error) {
	l, err := d.claim(ctx)
	if err != nil || l == nil {
		return false, err
	}
	l.run(ctx)
	return true, nil
}

// Attempt sends a delivery of a webhook, as a lane does.
func (d *Dispatcher) Attempt(ctx context.Context, hook docs.Webhook, dl docs.Delivery) (goOn bool) {
	return (&leasedWebhook{d: d, hook: hook}).attempt(ctx, dl)
}
