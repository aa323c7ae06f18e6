package budget

import (
	"context"
	"sync"
	"time"
)

// Turns let few requests at a time keep a processor busy, so that short ones find one that is
// free. Work that is known to be expensive asks for a turn. Callers whose requests took long lately
// take turns for all of them, as long as others use the server too.
type Turns struct {
	pool *Pool

	mu     sync.Mutex
	long   *RecentUse // by how much requests took longer than shortWork
	latest seen       // who called last
	other  seen       // who called last before that, and is somebody else
}

type seen struct {
	who string
	at  time.Time
}

const (
	// shortWork of each request does not count. Nearly all requests are shorter.
	shortWork = 25 * time.Millisecond
	// maxLong is how much longer they may take before all requests of a caller take turns: a sixth of the
	// time, because half of it is forgotten after halfLife.
	maxLong  = 500 * time.Millisecond
	halfLife = 2 * time.Second
	// sendTime is how long a turn lasts while the answer is compressed and sent, which takes as long as the
	// reader likes.
	sendTime = 250 * time.Millisecond
	// recently is for how long a caller counts as somebody who uses the server.
	recently = time.Second
)

// NewTurns returns turns of which n are taken at a time.
func NewTurns(n int) *Turns {
	t := &Turns{pool: NewPool("expensive requests", int64(n)), long: NewRecentUse(halfLife)}
	t.pool.rank = t.longOf
	return t
}

// Budget returns a budget for work that takes turns with that of others. Who is whose turn it is. End
// must be called when the work is done.
func (t *Turns) Budget(who string) *Budget {
	b := New()
	b.turns, b.who = t, who
	return b
}

// longOf returns by how much the requests of who took longer than shortWork lately.
func (t *Turns) longOf(who string) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.long.Of(who, time.Now())
}

// begin notes that who uses the server, and reports whether they wait for their turn.
func (t *Turns) begin(who string, now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.see(who, now)
	return now.Sub(t.other.at) < recently && t.long.Of(who, now) > maxLong
}

// end counts work that took some time.
func (t *Turns) end(who string, took time.Duration, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.see(who, now)
	if took > shortWork {
		t.long.Add(who, took-shortWork, now)
	}
}

func (t *Turns) see(who string, now time.Time) {
	if t.latest.who != who {
		t.other = t.latest
	}
	t.latest = seen{who, now}
}

// Begin is called before the work of a request whose input was read. It waits for a turn if its
// caller must take one. The function that it returns is called when the answer is ready to be sent;
// the turn ends with the work of the context, or soon after that.
func Begin(ctx context.Context) (end func(), err error) {
	b := of(ctx)
	if b == nil || b.turns == nil {
		return func() {}, nil
	}
	began := time.Now()
	long := b.turns.begin(b.who, began)
	if long {
		if err := Turn(ctx); err != nil {
			return nil, err
		}
		began = time.Now()
	}
	waited := b.waited.Load()
	return func() {
		now := time.Now()
		b.turns.end(b.who, now.Sub(began)-time.Duration(b.waited.Load()-waited), now)
		if long {
			time.AfterFunc(sendTime, b.endTurn)
		}
	}, nil
}

// Turn is called before work that keeps a processor busy for more than some tens of milliseconds. It
// waits until few others do such work; the turn lasts until the work of the context ends. It is not
// called inside of a transaction.
func Turn(ctx context.Context) error {
	b := of(ctx)
	if b == nil || b.turns == nil || b.hasTurn() {
		return nil
	}
	release, err := b.turns.pool.Take(ctx, b.who, 1)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.turn != nil { // another goroutine of the same work was faster
		release()
		return nil
	}
	b.turn = release
	return nil
}

// EndTurn ends a turn before the work of the context ends, such as when the rest is sending.
func EndTurn(ctx context.Context) {
	if b := of(ctx); b != nil {
		b.endTurn()
	}
}

// Pause ends a turn while the work of the context waits for somebody else, such as another server. What
// it returns is called afterwards; it waits for a turn again if there was one.
func Pause(ctx context.Context) (resume func() error) {
	b := of(ctx)
	if b == nil {
		return func() error { return nil }
	}
	had, began := b.hasTurn(), time.Now()
	b.endTurn()
	return func() error {
		b.waited.Add(int64(time.Since(began)))
		if !had {
			return nil
		}
		return Turn(ctx)
	}
}

func (b *Budget) hasTurn() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.turn != nil
}

func (b *Budget) endTurn() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.turn != nil {
		b.turn()
		b.turn = nil
	}
}
