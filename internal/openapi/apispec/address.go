package apispec

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/octavo-docs/octavo/internal/budget"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/openapi"
)

const (
	// maxAddresses is the maximum number of cached descriptions from external URLs.
	maxAddresses = 200
	// addressTime is the timeout for fetching one description: a reader waits for it.
	addressTime = 10 * time.Second
	// addressEvery is the interval between fetches of a description, addressRetry the
	// interval after a failure.
	addressEvery = time.Hour
	addressRetry = 5 * time.Minute
	// maxFetches is the maximum number of fetches for an organization within
	// addressEvery. It is limited because anonymous readers cause these requests.
	maxFetches = 60
)

// addresses caches descriptions from external URLs that pages show.
type addresses struct {
	mu      sync.Mutex
	known   map[string]*address
	fetched map[docs.OrgID]int // fetches per organization, counted from since
	since   time.Time
}

// address is a cached description. A goroutine must hold turn to fetch it.
type address struct {
	turn chan struct{}
	used time.Time // guarded by addresses.mu

	until time.Time // when it is fetched again; guarded by turn, like d and err
	d     *openapi.Description
	err   error
}

// AtAddress returns the description at an external URL that a page names. It is fetched
// on demand, at most once an hour; if a later fetch fails, the old description is kept.
// The error is NotFound if there is no description. That includes the case that the
// request or the organization has exceeded its number of fetches and nothing is cached.
func (s *Service) AtAddress(ctx context.Context, org docs.OrgID, url string) (*openapi.Description, error) {
	at, err := s.checkURL(ctx, url)
	if err != nil {
		return nil, errs.Missing("OpenAPI specification")
	}
	a := s.addresses.of(at, s.Store.Clock())
	select {
	case a.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-a.turn }()
	now := s.Store.Clock()
	if now.Before(a.until) {
		return a.d, a.err
	}
	if budget.FromContext(ctx).Spend(budget.Fetches, 1) != nil || !s.addresses.mayFetch(org, now) {
		return a.d, a.unfetched()
	}
	d, err := s.fetchAddress(ctx, at)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err == nil:
		a.d, a.err, a.until = d, nil, now.Add(addressEvery)
	default:
		a.until = now.Add(addressRetry)
		a.err = a.unfetched()
	}
	return a.d, a.err
}

// unfetched returns NotFound if there is no cached description, or nil.
func (a *address) unfetched() error {
	if a.d == nil {
		return errs.Missing("OpenAPI specification")
	}
	return nil
}

// mayFetch counts a fetch for an organization, and reports whether it is within the
// limit.
func (k *addresses) mayFetch(org docs.OrgID, now time.Time) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.fetched == nil || now.Sub(k.since) >= addressEvery {
		k.fetched, k.since = map[docs.OrgID]int{}, now
	}
	k.fetched[org]++
	return k.fetched[org] <= maxFetches
}

// of returns the entry of a URL, and adds it if necessary. It evicts the least recently
// used entry if there are too many.
func (k *addresses) of(url string, now time.Time) *address {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.known == nil {
		k.known = map[string]*address{}
	}
	a := k.known[url]
	if a == nil {
		if len(k.known) >= maxAddresses {
			oldest := ""
			for name, other := range k.known {
				if oldest == "" || other.used.Before(k.known[oldest].used) {
					oldest = name
				}
			}
			delete(k.known, oldest)
		}
		a = &address{turn: make(chan struct{}, 1)}
		k.known[url] = a
	}
	a.used = now
	return a
}

// fetchAddress fetches and loads a description.
func (s *Service) fetchAddress(ctx context.Context, url string) (*openapi.Description, error) {
	ctx, cancel := context.WithTimeout(ctx, addressTime)
	defer cancel()
	g, err := s.gather(ctx, docs.OpenAPISpec{SourceURL: url})
	if err != nil {
		return nil, err
	}
	b, err := g.bundle(ctx)
	if err != nil {
		return nil, err
	}
	d, err := s.described.kept().Get(ctx, g.hash(), func() (openapi.Bundle, error) { return b, nil })
	if err == nil && d == nil {
		err = errors.New("there is no description")
	}
	return d, err
}
