// Package embeds returns descriptions of pages of other web sites, for cards in
// documents: title, description, name of the site, icon. It caches descriptions for all
// callers. It never fails: a page that cannot be fetched is described by its address
// only.
//
// Where a change goes:
//   - what is found out about a page elsewhere: when it is fetched in embeds.go, what is
//     read of it in page.go
package embeds

import (
	"cmp"
	"context"
	"net/url"
	"sync"
	"time"

	"github.com/octavo-docs/octavo/internal/cache"
	"github.com/octavo-docs/octavo/internal/outbound"
)

const (
	keepCard    = 24 * time.Hour   // how long a description is cached
	keepFailure = 10 * time.Minute // how long a failure is cached
	maxCached   = 8 << 20          // bytes of the cache
	entryBytes  = 512              // bytes per entry besides its texts; also limits the number of entries

	fetchTime  = 8 * time.Second
	maxPage    = 16 << 20        // bytes of a page; only its beginning is read
	maxFetches = 8               // concurrent fetches
	maxWaiting = 64              // running and waiting fetches; further requests get no description
	slotTime   = 2 * time.Second // how long a fetch waits to run
)

// Card describes a page.
type Card struct {
	Title       string // never empty
	Site        string // name of the web site, or its host; never empty
	Description string // or ""
	Icon        string // an address with http or https, or ""
}

// Plain returns the card of a page for which only the address is available.
func Plain(u *url.URL) Card { return Card{Title: u.String(), Site: u.Hostname()} }

// Caller is the user or visitor who requests a card.
type Caller struct {
	Name string // key under which fetches are counted
	// Member reports whether the caller is a member of an organization. For members,
	// private addresses are fetched too if the operator allows them. A visitor of a site
	// may be anybody.
	Member bool
}

// Service fetches and caches cards. It is safe for concurrent use. A nil
// Service fetches nothing.
type Service struct {
	members, visitors outbound.Policy
	clock             func() time.Time
	cards             *cache.Cache[key, cachedCard]
	slots             chan struct{}
	allowance         *allowance

	mu      sync.Mutex
	flights map[key]*flight
}

// key is the cache key of a card. Cards for members and for visitors are separate,
// because members may see more.
type key struct {
	url    string
	member bool
}

type cachedCard struct {
	card  Card // zero: the page could not be fetched
	until time.Time
	size  int
}

// flight is a fetch that callers wait for.
type flight struct {
	done chan struct{}
	card Card // set before done is closed
}

// New returns a service that fetches pages for members under the policy members, and for
// visitors under the zero policy.
func New(members outbound.Policy, clock func() time.Time) *Service {
	return &Service{
		members: members, clock: clock, slots: make(chan struct{}, maxFetches), flights: map[key]*flight{}, allowance: newAllowance(),
		cards: cache.New[key](maxCached, func(k cachedCard) int { return k.size }),
	}
}

// Card returns the card of a page. It fetches the page if the card is not cached and the
// caller has not used up the allowance.
func (s *Service) Card(ctx context.Context, by Caller, u *url.URL) Card {
	plain := Plain(u)
	if s == nil {
		return plain
	}
	target, err := outbound.CheckURL(u.String())
	if err != nil {
		return plain // the policy never allows this host or port
	}
	k := key{target.String(), by.Member}
	if found, ok := s.cards.Get(k); ok && s.clock().Before(found.until) {
		return found.card.or(plain)
	}
	f := s.join(by.Name, k)
	if f == nil {
		return plain
	}
	select {
	case <-f.done:
		return f.card.or(plain)
	case <-ctx.Done():
		return plain
	}
}

// or returns the card, with an empty title or site taken from plain.
func (c Card) or(plain Card) Card {
	c.Title, c.Site = cmp.Or(c.Title, plain.Title), cmp.Or(c.Site, plain.Site)
	return c
}

// join returns the fetch of a page, which is already in progress or is started now. It
// returns nil if there are too many fetches.
func (s *Service) join(caller string, k key) *flight {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f, ok := s.flights[k]; ok {
		return f
	}
	if len(s.flights) >= maxWaiting || !s.allowance.take(caller, s.clock()) {
		return nil
	}
	f := &flight{done: make(chan struct{})}
	s.flights[k] = f
	go s.runFetch(k, f)
	return f
}

// runFetch fetches a page for all waiting callers. It does not end with the request that
// started it, only by its own timeout.
func (s *Service) runFetch(k key, f *flight) {
	defer func() {
		s.mu.Lock()
		delete(s.flights, k)
		s.mu.Unlock()
		close(f.done)
	}()
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-time.After(slotTime):
		return // the server is busy; do not cache this as a failure of the page
	}
	card, err := s.fetch(k)
	keep := keepCard
	if err != nil {
		keep = keepFailure
	}
	f.card = card
	size := entryBytes + len(k.url) + len(card.Title) + len(card.Site) + len(card.Description) + len(card.Icon)
	s.cards.Set(k, cachedCard{card, s.clock().Add(keep), size})
}

func (s *Service) fetch(k key) (Card, error) {
	policy := s.visitors
	if k.member {
		policy = s.members
	}
	limits := outbound.Limits{MaxBytes: maxPage, Timeout: fetchTime, ContentTypes: []string{"text/html", "application/xhtml+xml"}}
	got, err := policy.Fetch(context.Background(), k.url, limits)
	if err != nil {
		return Card{}, err
	}
	defer got.Body.Close()
	return readCard(got)
}
