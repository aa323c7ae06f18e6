// Package budget bounds what work may use. A Budget is what one request or job may spend, in
// units that do not depend on the machine; a Pool is what all of them share.
package budget

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/octavo-docs/octavo/internal/errs"
)

// Kind is a unit that work is counted in.
type Kind int

// The kinds, with the limit of each. docs/manual/operating/limits.md lists them for operators.
const (
	Words Kind = iota // of the search index that a query compares with misspelled ones
	kinds
)

// limits are generous for ordinary work: a request that reaches one is a mistake or an attack.
var limits = [kinds]struct {
	most int64
	what string
	hint string
}{
	Words: {1_000_000, "words of the index", "search for fewer words"},
}

// Budget is what one piece of work may still spend, and what it holds of pools.
type Budget struct {
	left  [kinds]atomic.Int64
	turns *Pool // of expensive work; nil: it need not wait
	who   string

	mu      sync.Mutex
	turn    bool // it has one
	holding []func()
}

// New returns a budget with all of every limit.
func New() *Budget { return Shared(nil, "") }

// Shared returns a budget whose expensive work takes turns with that of others. Who is whose turn it
// is. End must be called when the work is done.
func Shared(turns *Pool, who string) *Budget {
	b := &Budget{turns: turns, who: who}
	for k := range kinds {
		b.left[k].Store(limits[k].most)
	}
	return b
}

// Hold keeps a part of a pool until the work ends.
func (b *Budget) Hold(release func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.holding = append(b.holding, release)
}

// End returns what the work holds to its pools.
func (b *Budget) End() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, release := range b.holding {
		release()
	}
	b.holding, b.turn = nil, false
}

// Turn is called before work that keeps a processor busy for more than some tens of milliseconds. It
// waits until few others do such work; the turn lasts until the work of the context ends. It is not
// called inside of a transaction.
func Turn(ctx context.Context) error {
	b := Of(ctx)
	b.mu.Lock()
	has := b.turn || b.turns == nil
	b.mu.Unlock()
	if has {
		return nil
	}
	release, err := b.turns.Take(ctx, b.who, 1)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.turn { // another goroutine of the same work was faster
		release()
		return nil
	}
	b.turn, b.holding = true, append(b.holding, release)
	return nil
}

type key struct{}

// With returns a context whose work draws from a budget.
func With(ctx context.Context, b *Budget) context.Context { return context.WithValue(ctx, key{}, b) }

// Of returns the budget of a context. Work that has none gets one of its own.
func Of(ctx context.Context) *Budget {
	if b, ok := ctx.Value(key{}).(*Budget); ok {
		return b
	}
	return New()
}

// Spend takes n of a kind. It returns an error of kind errs.Invalid that names the limit if less is left;
// everything that is left is spent then.
func (b *Budget) Spend(k Kind, n int64) error {
	if b.left[k].Add(-n) >= 0 {
		return nil
	}
	b.left[k].Store(0)
	return errs.E(errs.Invalid, "this takes more than %d %s; %s", limits[k].most, limits[k].what, limits[k].hint)
}

// Left returns how much of a kind is left.
func (b *Budget) Left(k Kind) int64 { return max(0, b.left[k].Load()) }
