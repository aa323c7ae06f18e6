package budget

import (
	"cmp"
	"context"
	"math"
	"sync"
	"time"

	"github.com/octavo-docs/octavo/internal/errs"
)

// Pool shares a limited amount of a resource, such as bytes of memory or concurrent requests, among
// callers. A caller who holds less is served before one who holds more. No caller can hold the whole
// pool while others wait, unless a single part is that large.
type Pool struct {
	what string // for messages, such as "large bodies"
	size int64
	rank func(who string) time.Duration // orders callers who hold the same amount; nil: in the order of arrival

	mu      sync.Mutex
	used    int64
	held    map[string]int64
	waiting []*waiter // in the order of arrival
	queued  map[string]int
}

// waiter is a request that waits for a part of the pool.
type waiter struct {
	who   string
	n     int64
	ready chan struct{} // closed when the part is granted
}

const (
	// maxQueued is the maximum number of waiting requests of one caller, and maxWaiting the
	// maximum of all callers. A waiting request costs only a goroutine and a connection.
	maxQueued  = 16
	maxWaiting = 512
	// maxWait is how long a request waits before it is rejected.
	maxWait = 10 * time.Second
)

// NewPool returns a pool of the given size. what completes the message "the server is busy with",
// such as "large bodies".
func NewPool(what string, size int64) *Pool {
	return &Pool{what: what, size: size, held: map[string]int64{}, queued: map[string]int{}}
}

// share returns the maximum that one caller may hold in several parts: half of the pool.
func (p *Pool) share() int64 { return max(1, p.size/2) }

// Take waits until who may hold n of the pool and returns the function that releases it. release may be
// called more than once. If n exceeds the pool, Take takes the whole pool. It returns an error of
// kind errs.Busy if the wait is too long or too many requests wait already.
func (p *Pool) Take(ctx context.Context, who string, n int64) (release func(), err error) {
	return p.take(ctx, who, n, maxWait)
}

// Await is Take for background work, for which no client waits: it waits until the context ends.
func (p *Pool) Await(ctx context.Context, who string, n int64) (release func(), err error) {
	return p.take(ctx, who, n, math.MaxInt64)
}

// Try is like Take, but does not wait.
func (p *Pool) Try(who string, n int64) (release func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if release, ok := p.try(who, min(n, p.size)); ok {
		return release, nil
	}
	return nil, p.busy()
}

// try implements Try. The caller holds the lock.
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
	if !p.leave(w) { // the part was granted meanwhile
		p.put(who, n)
	}
	p.wake()
	return nil, err
}

func (p *Pool) busy() error {
	return errs.E(errs.Busy, "the server is busy with %s; try again in a few seconds, with fewer at a time", p.what)
}

// fits reports whether who may take n more of the pool. A caller who holds nothing may take a part
// that is larger than a share.
func (p *Pool) fits(who string, n int64) bool {
	has := p.held[who]
	return p.used+n <= p.size && (has == 0 || has+n <= p.share())
}

// first reports whether no waiting request is served before one of who.
func (p *Pool) first(who string) bool {
	for _, w := range p.waiting {
		if p.compare(w.who, who) <= 0 {
			return false
		}
	}
	return true
}

// compare is negative if a is served before b. Less of the pool goes first, then the lower rank.
func (p *Pool) compare(a, b string) int {
	if c := cmp.Compare(p.held[a], p.held[b]); c != 0 || p.rank == nil || a == b {
		return c
	}
	return cmp.Compare(p.rank(a), p.rank(b))
}

// wanted reports whether anybody waits.
func (p *Pool) wanted() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.waiting) > 0
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

// leave removes a waiter from the queue and reports whether it was in the queue.
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

// wake serves waiting requests, starting with the caller who holds least. It stops at the first
// request that does not fit, so that small requests cannot overtake a large one forever.
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
