package openapi

import (
	"context"
	"errors"
	"sync"

	"github.com/octavo-docs/octavo/internal/cache"
)

const (
	// maxKept is how much memory descriptions take that are kept. One that is
	// larger is kept alone.
	maxKept = 128 << 20
	// nodeWeight is how much memory a value takes, roughly.
	nodeWeight = 128
	// maxLoads is how many descriptions are read at the same time.
	maxLoads = 2
)

// Cache keeps descriptions that were read, by names that never mean another one.
// Whoever asks for one that is being read waits for it.
type Cache struct {
	kept  *cache.Cache[string, outcome]
	slots chan struct{}

	mu      sync.Mutex
	flights map[string]*flight
}

// outcome is a description, or what is wrong with it.
type outcome struct {
	d   *Description
	err error
}

// flight is a description that is being read.
type flight struct {
	done chan struct{}
	outcome
	// ended is false if whoever read it went away before the end.
	ended bool
}

// NewCache returns an empty cache.
func NewCache() *Cache {
	weigh := func(o outcome) int {
		if o.d == nil {
			return 4 << 10
		}
		return min(maxKept, 1<<10+nodeWeight*o.d.src.nodes+o.d.src.bytes)
	}
	return &Cache{kept: cache.New[string](maxKept, weigh), slots: make(chan struct{}, maxLoads), flights: map[string]*flight{}}
}

// Get returns the description of a name. If it is not kept, read returns its
// files. What is wrong with a description is kept like a description.
func (c *Cache) Get(ctx context.Context, name string, read func() (Bundle, error)) (*Description, error) {
	for {
		known, f, mine := c.join(name)
		if f == nil {
			return known.d, known.err
		}
		if mine {
			return c.load(ctx, name, f, read)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-f.done:
			if f.ended {
				return f.d, f.err
			}
		}
	}
}

// join returns what is kept, or else the flight that reads it, and whether it is
// the caller who has to.
func (c *Cache) join(name string) (o outcome, f *flight, mine bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if o, ok := c.kept.Get(name); ok {
		return o, nil, false
	}
	if f := c.flights[name]; f != nil {
		return outcome{}, f, false
	}
	f = &flight{done: make(chan struct{})}
	c.flights[name] = f
	return outcome{}, f, true
}

// load reads a description for everybody who waits for it.
func (c *Cache) load(ctx context.Context, name string, f *flight, read func() (Bundle, error)) (*Description, error) {
	defer func() { // also if reading panics
		c.mu.Lock()
		delete(c.flights, name)
		c.mu.Unlock()
		close(f.done)
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case c.slots <- struct{}{}:
	}
	defer func() { <-c.slots }()
	b, err := read()
	if err == nil {
		f.d, err = Load(ctx, b)
	}
	f.err, f.ended = err, ctx.Err() == nil
	var invalid *Invalid
	if err == nil || errors.As(err, &invalid) {
		c.kept.Set(name, f.outcome)
	}
	return f.d, f.err
}
