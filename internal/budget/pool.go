package budget

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/octavo-docs/octavo/internal/errs"
)

// Pool shares a limited amount of a resource, such as bytes of memory or concurrent requests, among
// callers. A caller who holds less is served before one who holds more, and among those who hold the
// same amount the one who held parts for less time recently: several callers who send many requests do
// not make another one wait for all of them. No caller can hold the whole pool while others wait, unless
// a single part is that large.
type Pool struct {
	what string // for messages, such as "large bodies"
	size int64
	rank func(who string) time.Duration // orders callers who hold the same amount; nil: by recent

	mu      sync.Mutex
	used    int64
	held    map[string]int64
	waiting []*waiter // in the order of arrival
	queued  map[string]int
	recent  *RecentUse // for how long callers held parts
	away    int64      // parts that their work has given up for others, see Yield
}

// part is a part of a pool that a caller holds.
type part struct {
	pool  *Pool
	who   string
	n     int64
	since time.Time
	once  sync.Once
}

// release returns the part to its pool. It may be called more than once.
func (t *part) release() {
	t.once.Do(func() {
		t.pool.mu.Lock()
		defer t.pool.mu.Unlock()
		t.pool.put(t)
		t.pool.wake()
	})
}

// waiter is a request that waits for a part of the pool.
type waiter struct {
	who   string
	n     int64
	part  *part         // once it is granted
	ready chan struct{} // closed when the part is granted
}

const (
	// maxQueued is the maximum number of waiting requests of one caller, and maxWaiting the
	// maximum of all callers. A waiting request costs only a goroutine and a connection.
	maxQueued  = 16
	maxWaiting = 512
	// maxWait is how long a request waits before it is rejected.
	maxWait = 10 * time.Second
	// poolHalfLife is that of the time for which callers held parts. It is longer than most parts are held.
	poolHalfLife = 30 * time.Second
)

// NewPool returns a pool of the given size. what completes the message "the server is busy with",
// such as "large bodies".
func NewPool(what string, size int64) *Pool {
	return &Pool{what: what, size: size, held: map[string]int64{}, queued: map[string]int{}, recent: NewRecentUse(poolHalfLife)}
}

// share returns the maximum that one caller may hold in several parts: half of the pool.
func (p *Pool) share() int64 { return max(1, p.size/2) }

// Take waits until who may hold n of the pool and returns the function that releases it. release may be
// called more than once. If n exceeds the pool, Take takes the whole pool. It returns an error of
// kind errs.Busy if the wait is too long or too many requests wait already.
func (p *Pool) Take(ctx context.Context, who string, n int64) (release func(), err error) {
	return releaser(p.take(ctx, who, n, maxWait))
}

// Await is Take for background work, for which no client waits: it waits until the context ends.
func (p *Pool) Await(ctx context.Context, who string, n int64) (release func(), err error) {
	return releaser(p.take(ctx, who, n, math.MaxInt64))
}

// Try is like Take, but does not wait.
func (p *Pool) Try(who string, n int64) (release func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t := p.try(who, min(n, p.size)); t != nil {
		return t.release, nil
	}
	return nil, p.busy()
}

func releaser(t *part, err error) (func(), error) {
	if err != nil {
		return nil, err
	}
	return t.release, nil
}

// try implements Try. The caller holds the lock.
func (p *Pool) try(who string, n int64) *part {
	if !p.fits(who, n) || !p.first(who) {
		return nil
	}
	return p.grant(who, n)
}

func (p *Pool) take(ctx context.Context, who string, n int64, wait time.Duration) (*part, error) {
	n = min(n, p.size)
	p.mu.Lock()
	if t := p.try(who, n); t != nil {
		p.mu.Unlock()
		return t, nil
	}
	if wait <= maxWait && (p.queued[who] >= maxQueued || len(p.waiting) >= maxWaiting) {
		p.mu.Unlock()
		return nil, p.busy()
	}
	w := &waiter{who: who, n: n, ready: make(chan struct{})}
	p.waiting = append(p.waiting, w)
	p.queued[who]++
	p.mu.Unlock()
	return p.await(ctx, w, wait)
}

// await waits until a part is granted to a waiter in the queue.
func (p *Pool) await(ctx context.Context, w *waiter, wait time.Duration) (*part, error) {
	began := time.Now()
	defer func() { ExcludeWait(ctx, time.Since(began)) }()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	var err error
	select {
	case <-w.ready:
		return w.part, nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-timer.C:
		err = p.busy()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.leave(w) { // the part was granted meanwhile
		p.put(w.part)
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
	if c := cmp.Compare(p.held[a], p.held[b]); c != 0 || a == b {
		return c
	}
	if p.rank != nil {
		return cmp.Compare(p.rank(a), p.rank(b))
	}
	now := time.Now()
	return cmp.Compare(p.recent.Of(a, now), p.recent.Of(b, now))
}

// giveUp returns a part to the pool for a while if somebody waits who goes first, and returns the waiter for
// getting it back, or nil. At most as much as the pool is given up at a time, because such work keeps what it
// has made so far.
func (p *Pool) giveUp(t *part) *waiter {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.away+t.n > p.size || len(p.waiting) == 0 {
		return nil
	}
	p.put(t) // its time counts for the comparison, too
	first := slices.ContainsFunc(p.waiting, func(w *waiter) bool { return p.fits(w.who, w.n) && p.compare(w.who, t.who) < 0 })
	if !first {
		p.used += t.n
		p.held[t.who] += t.n
		t.since = time.Now()
		return nil
	}
	t.once.Do(func() {}) // there is nothing to release
	p.away += t.n
	w := &waiter{who: t.who, n: t.n, ready: make(chan struct{})}
	p.waiting = slices.Insert(p.waiting, 0, w) // before those of the same caller that have not begun
	p.queued[w.who]++
	p.wake()
	return w
}

// takeBack waits for a part that giveUp has returned.
func (p *Pool) takeBack(ctx context.Context, w *waiter) (*part, error) {
	back, err := p.await(ctx, w, math.MaxInt64)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.away -= w.n
	return back, err
}

// wanted reports whether anybody waits.
func (p *Pool) wanted() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.waiting) > 0
}

func (p *Pool) grant(who string, n int64) *part {
	p.used += n
	p.held[who] += n
	return &part{pool: p, who: who, n: n, since: time.Now()}
}

func (p *Pool) put(t *part) {
	p.used -= t.n
	if p.held[t.who] -= t.n; p.held[t.who] == 0 {
		delete(p.held, t.who)
	}
	if p.rank == nil {
		now := time.Now()
		p.recent.Add(t.who, now.Sub(t.since), now)
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
		next.part = p.grant(next.who, next.n)
		close(next.ready)
	}
}
