package translate

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// Client calls an engine with many texts: in batches, again after failures that
// may be over, and not faster than it may.
type Client struct {
	Engine Engine
	// Interval is the time from one call to the next; 0: no limit.
	Interval time.Duration
	// Wait waits between attempts; nil is a pause that doubles. Tests do not wait.
	Wait func(ctx context.Context, d time.Duration) error

	mu   sync.Mutex
	next time.Time
}

const (
	maxTexts    = 64       // of a batch
	maxBytes    = 16 << 10 // of a batch, unless one text has more
	maxAttempts = 4        // of a batch
	firstPause  = time.Second
	maxPause    = time.Minute
)

// Each translates texts and calls got for each batch, with where it begins and the
// answers, which are empty for texts that were not translated. If the engine fails
// for good, the rest is not sent, and the failure is returned. What got was called
// with remains.
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

// batchSize returns how many texts are sent at once.
func batchSize(texts []string) int {
	size := 0
	for i, t := range texts {
		if size += len(t); i > 0 && size > maxBytes || i == maxTexts {
			return i
		}
	}
	return len(texts)
}

// batch translates texts at once. If the answer makes no sense, the texts are sent
// in two halves, down to one, which is then left out: one text that an engine
// cannot bear does not keep the others from being translated.
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

// attempts calls the engine until it answers.
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

// turn waits until the next call may be made. Calls of several runs share the limit.
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

// Reason returns what an engine's failure is, for people; ok is false if the error
// is not one of the engine.
func Reason(err error) (reason string, ok bool) {
	var f *Failure
	if !errors.As(err, &f) {
		return "", false
	}
	return clip(f.Reason), true
}
