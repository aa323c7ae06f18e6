package budget

import (
	"cmp"
	"context"
	"math"
	"sync"
	"time"

	"github.com/octavo-docs/octavo/internal/errs"
)

// Pool shares an amount of something, such as bytes of memory or places at a
// time, among callers. A caller who has little gets before one who has much, and
// nobody can have all of it while others wait.
type Pool struct {
	what string // for people, such as "large bodies"
	size int64
	rank func(who string) time.Duration // of those who have as much of it; nil: in the order of arrival

	mu      sync.Mutex
	used    int64
	held    map[string]int64
	waiting []*waiter // in the order of arrival
	queued  map[string]int
}

// waiter is a caller who waits for a part of the pool.
type waiter struct {
	who   string
	n     int64
	ready chan struct{} // closed when it has its part
}

const (
	// maxQueued is how many requests of one caller may wait for a pool, and
	// maxWaiting those of all. A request that waits costs a goroutine and a
	// connection, no more.
	maxQueued  = 16
	maxWaiting = 512
	// maxWait is how long a request waits before it is refused.
	maxWait = 10 * time.Second
)

// NewPool returns a pool of an amount. What says what for, as in "the server is
// busy with large bodies".
func NewPool(what string, size int64) *Pool {
	return &Pool{what: what, size: size, held: map[string]int64{}, queued: map[string]int{}}
}

// share is how much one caller may have while others wait: half of the pool.
func (p *Pool) share() int64 { return max(1, p.size/2) }

// Take waits until who may have n of the pool and returns the function that puts it back, which
// may be called more than once. More than the whole pool counts as the whole. It returns an error
// of kind errs.Busy if that takes too long or too many wait already.
func (p *Pool) Take(ctx context.Context, who string, n int64) (release func(), err error) {
	return p.take(ctx, who, n, maxWait)
}

// Await is Take for work that nobody waits for at the other end of a connection: it waits until the
// context ends.
func (p *Pool) Await(ctx context.Context, who string, n int64) (release func(), err error) {
	return p.take(ctx, who, n, math.MaxInt64)
}

// Try is Take without waiting.
func (p *Pool) Try(who string, n int64) (release func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if release, ok := p.try(who, min(n, p.size)); ok {
		return release, nil
	}
	return nil, p.busy()
}

// try is Try for a caller that holds the lock.
func (p *Pool) try(who string, n int64) (release func(), ok bool) {
	if !p.fits(who, n) || !p.first(who) {
		return nil, false
	}
	p.grant(who, n)
	return p.releaser(who, n), true
}

func (p *Pool) take(ctx context.Context, who string, n int64, wait time.Duration) (release func(), err error) {
	n = min(n, p.size)
	p.mu.Lock()
	if release, ok := p.try(who, n); ok {
		p.mu.Unlock()
		return release, nil
	}
	if wait <= maxWait && (p.queued[who] >= maxQueued || len(p.waiting) >= maxWaiting) {
		p.mu.Unlock()
		return nil, p.busy()
	}
	w := &waiter{who, n, make(chan struct{})}
	p.waiting = append(p.waiting, w)
	p.queued[who]++
	p.mu.Unlock()

	began := time.Now()
	defer func() { ExcludeWait(ctx, time.Since(began)) }()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-w.ready:
		return p.releaser(who, n), nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-timer.C:
		err = p.busy()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.leave(w) { // it got its part meanwhile
		p.put(who, n)
	}
	p.wake()
	return nil, err
}

func (p *Pool) busy() error {
	return errs.E(errs.Busy, "the server is busy with %s; try again in a few seconds, with fewer at a time", p.what)
}

// fits reports whether the pool has n left for who. A caller without any part may have one that
// is larger than a share.
func (p *Pool) fits(who string, n int64) bool {
	has := p.held[who]
	return p.used+n <= p.size && (has == 0 || has+n <= p.share())
}

// first reports whether nobody waits who is served before who.
func (p *Pool) first(who string) bool {
	for _, w := range p.waiting {
		if p.compare(w.who, who) <= 0 {
			return false
		}
	}
	return true
}

// compare is negative if a is served before b: who has less of the pool, then who has the lower rank.
func (p *Pool) compare(a, b string) int {
	if c := cmp.Compare(p.held[a], p.held[b]); c != 0 || p.rank == nil || a == b {
		return c
	}
	return cmp.Compare(p.rank(a), p.rank(b))
}

func (p *Pool) grant(who string, n int64) {
	p.used += n
	p.held[who] += n
}

func (p *Pool) put(who string, n int64) {
	p.used -= n
	if p.held[who] -= n; p.held[who] == 0 {
		delete(p.held, who)
	}
}

// leave takes a waiter out of the queue and reports whether it was there.
func (p *Pool) leave(w *waiter) bool {
	for i, other := range p.waiting {
		if other == w {
			p.waiting = append(p.waiting[:i], p.waiting[i+1:]...)
			if p.queued[w.who]--; p.queued[w.who] == 0 {
				delete(p.queued, w.who)
			}
			return true
		}
	}
	return false
}

// wake serves those who wait, the one who has least first. It stops at the first who does not fit:
// a large part is not overtaken for ever by small ones.
func (p *Pool) wake() {
	for {
		var next *waiter
		for _, w := range p.waiting {
			blocked := p.held[w.who] > 0 && p.held[w.who]+w.n > p.share()
			if !blocked && (next == nil || p.compare(w.who, next.who) < 0) {
				next = w
			}
		}
		if next == nil || !p.fits(next.who, next.n) {
			return
		}
		p.leave(next)
		p.grant(next.who, next.n)
		close(next.ready)
	}
}

func (p *Pool) releaser(who string, n int64) func() {
	var once sync.Once
	return func() {
		once.Do(func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.put(who, n)
			p.wake()
		})
	}
}
