package translate

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// Client calls an engine with many texts. It sends them in batches, retries temporary
// failures and limits the rate of calls.
type Client struct {
	Engine Engine
	// Interval is the minimum time between the starts of two calls; 0 is no limit.
	Interval time.Duration
	// Wait waits for d, between attempts and before a call; nil uses a timer. Tests
	// replace it in order not to wait.
	Wait func(ctx context.Context, d time.Duration) error

	mu   sync.Mutex
	next time.Time
}

const (
	maxTexts    = 64       // per batch
	maxBytes    = 16 << 10 // per batch, unless a single text is larger
	maxAttempts = 4        // per batch
	firstPause  = time.Second
	maxPause    = time.Minute
)

// Each translates texts and calls got for each batch, with the index of its first text
// and the translations, which are empty for texts that were not translated. If a batch
// fails after all retries, Each does not send the rest and returns the failure. The
// batches that were passed to got before remain valid.
func (c *Client) Each(ctx context.Context, r Request, g *Glossary, texts []string, got func(at int, answers []string) error) error {
	for at := 0; at < len(texts); {
		n := batchSize(texts[at:])
		answers, err := c.batch(ctx, r, g, texts[at:at+n])
		if err != nil {
			return err
		}
		if err := got(at, answers); err != nil {
			return err
		}
		at += n
	}
	return nil
}

// batchSize returns how many of the first texts fit into one batch.
func batchSize(texts []string) int {
	size := 0
	for i, t := range texts {
		if size += len(t); i > 0 && size > maxBytes || i == maxTexts {
			return i
		}
	}
	return len(texts)
}

// batch translates texts with one call. If the answer is garbled, batch sends the texts
// in two halves, recursively. A single text with a garbled answer stays untranslated.
// So a text that breaks the engine does not prevent the translation of the others.
func (c *Client) batch(ctx context.Context, r Request, g *Glossary, texts []string) ([]string, error) {
	answers, err := c.attempts(ctx, r, g, texts)
	f, failed := asFailure(err)
	switch {
	case err == nil:
		return answers, nil
	case !failed || !f.Garbled:
		return nil, err
	case len(texts) == 1:
		return []string{""}, nil
	}
	half := len(texts) / 2
	first, err := c.batch(ctx, r, g, texts[:half])
	if err != nil {
		return nil, err
	}
	second, err := c.batch(ctx, r, g, texts[half:])
	return slices.Concat(first, second), err
}

// attempts calls the engine until it answers, fails permanently or maxAttempts is
// reached.
func (c *Client) attempts(ctx context.Context, r Request, g *Glossary, texts []string) ([]string, error) {
	r.Texts, r.Terms = texts, g.Terms(texts...)
	pause := firstPause
	for attempt := 1; ; attempt++ {
		if err := c.turn(ctx); err != nil {
			return nil, err
		}
		answers, err := c.Engine.Translate(ctx, r)
		if err == nil && len(answers) != len(texts) {
			err = garbled("the engine answered with %d texts instead of %d", len(answers), len(texts))
		}
		if err == nil {
			return answers, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		f, failed := asFailure(err)
		if !failed || f.Final || f.Garbled && len(texts) > 1 || attempt == maxAttempts {
			return nil, err
		}
		if err := c.wait(ctx, max(pause, min(f.After, maxPause))); err != nil {
			return nil, err
		}
		pause = min(2*pause, maxPause)
	}
}

// turn waits until the rate limit allows the next call. All users of the Client share
// the limit.
func (c *Client) turn(ctx context.Context) error {
	if c.Interval <= 0 {
		return ctx.Err()
	}
	c.mu.Lock()
	now := time.Now()
	at := c.next
	if at.Before(now) {
		at = now
	}
	c.next = at.Add(c.Interval)
	c.mu.Unlock()
	return c.wait(ctx, at.Sub(now))
}

func (c *Client) wait(ctx context.Context, d time.Duration) error {
	if c.Wait != nil {
		return c.Wait(ctx, d)
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// Reason returns the reason of an engine's failure as text for people. ok is false if err
// is not a Failure.
func Reason(err error) (reason string, ok bool) {
	var f *Failure
	if !errors.As(err, &f) {
		return "", false
	}
	return clip(f.Reason), true
}
