package webhooks

import "context"

// Deliver sends what is due to one webhook. It reports whether there was one.
func (d *Dispatcher) Deliver(ctx context.Context) (bool, error) {
	l, err := d.claim(ctx)
	if err != nil || l == nil {
		return false, err
	}
	l.run(ctx)
	return true, nil
}
