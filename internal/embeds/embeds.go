// Package embeds describes pages of other web sites in a few words, for the
// cards that show them in documents: title, description, name of the site,
// icon. It fetches a page at most once in a while, whoever asks for it, and
// never fails: what cannot be fetched is described by its address alone.
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
	keepCard    = 24 * time.Hour   // a description
	keepFailure = 10 * time.Minute // that there is none
	maxKept     = 8 << 20          // bytes of everything that is kept
	keptWeight  = 512              // bytes that each entry costs besides its texts, which bounds their number too

	fetchTime  = 8 * time.Second
	maxPage    = 16 << 20 // bytes that a page may have; only its beginning is read
	maxFetches = 8        // at the same time
	maxWaiting = 64       // fetches that run or wait to run; whoever comes later gets no description
	slotTime   = 2 * time.Second
)

// Card describes a page.
type Card struct {
	Title       string // never empty
	Site        string // name of the web site, or its host; never empty
	Description string // or ""
	Icon        string // an address with http or https, or ""
}

// Plain returns the card of a page of which only the address is known.
func Plain(u *url.URL) Card { return Card{Title: u.String(), Site: u.Hostname()} }

// Caller is who asks for a card.
type Caller struct {
	Name string // whose fetches are counted together
	// Member of an organization: for members, private addresses are fetched too
	// if the operator allows them. A visitor of a site may be anybody.
	Member bool
}

// Service fetches and keeps cards. It is safe for concurrent use. A nil
// Service fetches nothing.
type Service struct {
	members, visitors outbound.Policy
	clock             func() time.Time
	kept              *cache.Cache[key, kept]
	slots             chan struct{}
	allowance         *allowance

	mu      sync.Mutex
	flights map[key]*flight
}

// key is what a card is kept under. What members may see is kept apart.
type key struct {
	url    string
	member bool
}

type kept struct {
	card  Card // zero: the page could not be fetched
	until time.Time
	size  int
}

// flight is a fetch that callers wait for.
type flight struct {
	done chan struct{}
	card Card // set before done is closed
}

// New returns a service that calls what the policy allows.
func New(members outbound.Policy, clock func() time.Time) *Service {
	return &Service{
		members: members, clock: clock, slots: make(chan struct{}, maxFetches), flights: map[key]*flight{}, allowance: newAllowance(),
		kept: cache.New[key](maxKept, func(k kept) int { return k.size }),
	}
}

// Card returns what is known of a page, after fetching it if it has to and the
// caller has not fetched too much already.
func (s *Service) Card(ctx context.Context, by Caller, u *url.URL) Card {
	plain := Plain(u)
	if s == nil {
		return plain
	}
	target, err := outbound.CheckURL(u.String())
	if err != nil {
		return plain // a host or a port that is never called
	}
	k := key{target.String(), by.Member}
	if found, ok := s.kept.Get(k); ok && s.clock().Before(found.until) {
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

// or returns the card with what it lacks taken from another one.
func (c Card) or(plain Card) Card {
	c.Title, c.Site = cmp.Or(c.Title, plain.Title), cmp.Or(c.Site, plain.Site)
	return c
}

// join returns the fetch of a page, begun by somebody else or now. Nil if there
// are too many.
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
	go s.fly(k, f)
	return f
}

// fly fetches a page for everybody who waits. It does not end with the request
// that began it, only with its own time.
func (s *Service) fly(k key, f *flight) {
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
		return // the server is busy, which says nothing of the page
	}
	card, err := s.fetch(k)
	keep := keepCard
	if err != nil {
		keep = keepFailure
	}
	f.card = card
	size := keptWeight + len(k.url) + len(card.Title) + len(card.Site) + len(card.Description) + len(card.Icon)
	s.kept.Set(k, kept{card, s.clock().Add(keep), size})
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
