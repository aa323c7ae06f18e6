package budget

import (
	"context"
	"sync"
	"time"
)

// Turns limits how many requests keep a processor busy at the same time, so that short requests find
// a free one. Work that is known to be expensive takes a turn. Callers whose requests took long
// recently need a turn for every request, while other callers use the server too.
type Turns struct {
	pool *Pool

	mu     sync.Mutex
	excess *RecentUse // time beyond shortWork that requests took
	latest seen       // the latest caller
	other  seen       // the latest caller other than that
}

type seen struct {
	who string
	at  time.Time
}

const (
	// shortWork is the part of each request that is not counted. Nearly all requests are shorter.
	shortWork = 25 * time.Millisecond
	// maxExcess is the time beyond shortWork after which every request of a caller needs a turn. With
	// halfLife, a caller reaches it by using about a sixth of the time.
	maxExcess = 500 * time.Millisecond
	halfLife  = 2 * time.Second
	// sendTime is how long a turn lasts while the response is compressed and sent. The limit exists
	// because a client may read slowly.
	sendTime = 250 * time.Millisecond
	// recently is how long a caller counts as active after a request.
	recently = time.Second
)

// NewTurns returns a Turns with n turns at a time.
func NewTurns(n int) *Turns {
	t := &Turns{pool: NewPool("expensive requests", int64(n)), excess: NewRecentUse(halfLife)}
	t.pool.rank = t.excessOf
	return t
}

// ProcessTurns returns the Turns of a process: one turn fewer than there are processors.
func ProcessTurns() *Turns { return NewTurns(max(1, Processors()-1)) }

// Budget returns a budget for work of who that takes turns with other work, with the limits of the
// server of a context. The caller must call End when the work is done.
func (t *Turns) Budget(ctx context.Context, who string) *Budget {
	b := New(ctx)
	b.turns, b.who = t, who
	return b
}

// PaidBy sets for whom the work is, which is known only when a request is admitted. It is called
// before the work takes turns.
func (b *Budget) PaidBy(who string) { b.who = who }

// excessOf returns the time beyond shortWork that requests of who took recently.
func (t *Turns) excessOf(who string) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.excess.Of(who, time.Now())
}

// begin records a request of who and reports whether it needs a turn.
func (t *Turns) begin(who string, now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.see(who, now)
	return now.Sub(t.other.at) < recently && t.excess.Of(who, now) > maxExcess
}

// end records that a request of who took some time.
func (t *Turns) end(who string, took time.Duration, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.see(who, now)
	if took > shortWork {
		t.excess.Add(who, took-shortWork, now)
	}
}

// recordPart records the time since the work got its turn, which is not recorded again at its end.
func (t *Turns) recordPart(b *Budget) {
	now := time.Now()
	b.mu.Lock()
	took := now.Sub(b.since)
	b.mu.Unlock()
	b.waited.Add(int64(took))
	t.mu.Lock()
	defer t.mu.Unlock()
	t.excess.Add(b.who, took, now)
}

func (t *Turns) see(who string, now time.Time) {
	if t.latest.who != who {
		t.other = t.latest
	}
	t.latest = seen{who, now}
}

// Begin is called after the input of a request was read and before its work. It waits for a turn if the
// caller needs one. The caller calls end when the response is ready to be sent. The turn ends with
// the work of the context, at most sendTime after the call of end.
func Begin(ctx context.Context) (end func(), err error) {
	b := of(ctx)
	if b == nil || b.turns == nil {
		return func() {}, nil
	}
	began := time.Now()
	needsTurn := b.turns.begin(b.who, began)
	if needsTurn {
		if err := Turn(ctx); err != nil {
			return nil, err
		}
		began = time.Now()
	}
	waited := b.waited.Load()
	return func() {
		now := time.Now()
		b.turns.end(b.who, now.Sub(began)-time.Duration(b.waited.Load()-waited), now)
		if needsTurn {
			time.AfterFunc(sendTime, b.endTurn)
		}
	}, nil
}

// Turn is called before work that keeps a processor busy for more than some tens of milliseconds. It
// waits until few other requests do such work. The turn lasts until the work of the context ends. It
// must not be called inside a transaction.
func Turn(ctx context.Context) error {
	b := of(ctx)
	if b == nil || b.turns == nil || b.hasTurn() {
		return nil
	}
	release, err := b.turns.pool.Take(ctx, b.who, 1)
	if err != nil {
		return err
	}
	b.keepTurn(release)
	return nil
}

// Yield is called between the parts of work that may take long. If the work of the context has a turn
// for which anybody waits, it ends the turn and waits for the next one. The time of the turn is
// recorded then, so that a caller with many such requests does not get each second turn. If the work
// holds parts of pools that it got from Enter, and somebody waits who goes first, it gives them up in the
// same way.
func Yield(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	b := of(ctx)
	if b == nil {
		return nil
	}
	for _, p := range b.entered() {
		if err := p.yield(ctx, b); err != nil {
			return err
		}
	}
	if b.turns == nil || !b.hasTurn() || !b.turns.pool.wanted() {
		return nil
	}
	return b.withoutTurn(ctx, func() error { return nil })
}

// withoutTurn ends the turn of the work, calls wait, and waits for the next turn. Work that has no turn
// gets none.
func (b *Budget) withoutTurn(ctx context.Context, wait func() error) error {
	had := b.turns != nil && b.hasTurn()
	if had {
		b.turns.recordPart(b)
		b.endTurn()
	}
	if err := wait(); err != nil || !had {
		return err
	}
	release, err := b.turns.pool.Await(ctx, b.who, 1) // the work was admitted, so it is not refused any more
	if err == nil {
		b.keepTurn(release)
	}
	return err
}

// Enter is Take for pools whose users may wait for turns while they hold a part. It ends the turn of
// the work of the context while it waits, so that these users get theirs, and takes one again afterwards.
// Yield may give the part up for a while.
func (p *Pool) Enter(ctx context.Context, who string, n int64) (release func(), err error) {
	p.mu.Lock()
	t := p.try(who, min(n, p.size))
	p.mu.Unlock()
	b := of(ctx)
	if t == nil {
		had := b != nil && b.hasTurn()
		if had {
			b.endTurn()
		}
		if t, err = p.take(ctx, who, n, maxWait); err != nil {
			return nil, err
		}
		if had {
			if err := Turn(ctx); err != nil {
				t.release()
				return nil, err
			}
		}
	}
	if b == nil {
		return t.release, nil
	}
	return b.hold(t), nil
}

// EndTurn ends a turn before the work of the context ends, such as before sending the response.
func EndTurn(ctx context.Context) {
	if b := of(ctx); b != nil {
		b.endTurn()
	}
}

// Pause ends a turn while the work of the context waits for something else, such as another server. The
// caller calls resume afterwards, which waits for a turn again if there was one.
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

// keepTurn stores the function that releases the turn of the work.
func (b *Budget) keepTurn(release func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.turn != nil { // another goroutine of the same work was faster
		release()
		return
	}
	b.turn, b.since = release, time.Now()
}

func (b *Budget) endTurn() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.turn != nil {
		b.turn()
		b.turn = nil
	}
}
