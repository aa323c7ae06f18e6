package openapi

import (
	"context"
	"errors"
	"sync"

	"github.com/octavo-docs/octavo/internal/cache"
)

const (
	// maxKept is the total memory of cached descriptions, in bytes. A description that is
	// larger is cached alone.
	maxKept = 128 << 20
	// nodeWeight is the approximate memory of one value, in bytes.
	nodeWeight = 128
	// maxLoads is how many descriptions are loaded concurrently.
	maxLoads = 2
)

// Cache caches loaded descriptions by name. A name must always mean the same description.
// Concurrent calls of Get for one name share a single load.
type Cache struct {
	kept  *cache.Cache[string, outcome]
	slots chan struct{}

	mu      sync.Mutex
	flights map[string]*flight
}

// outcome is a loaded description, or the error of loading it.
type outcome struct {
	d   *Description
	err error
}

// flight is a load in progress.
type flight struct {
	done chan struct{}
	outcome
	// ended is false if the caller that loaded was canceled, so that waiters must retry.
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

// Get returns the description with the given name. If it is not cached, read returns its
// files. An *Invalid error is cached like a description; other errors are not.
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

// join returns the cached outcome of a name and a nil flight, or the flight that loads
// it. mine reports whether the caller has to load it.
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

// load loads a description and passes the outcome to all callers that wait for the
// flight.
func (c *Cache) load(ctx context.Context, name string, f *flight, read func() (Bundle, error)) (*Description, error) {
	defer func() { // also if read panics
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
