// Package budget limits the resources that work may use. A Budget limits one request or job, in units
// that do not depend on the machine. A Pool is shared by all of them.
package budget

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/octavo-docs/octavo/internal/errs"
)

// Kind is a unit in which work is counted.
type Kind int

// The kinds of units. docs/manual/operating/limits.md lists them for operators, with their reasons.
const (
	Words   Kind = iota // of the search index that a query compares with misspelled words
	Steps               // of expressions in documents, and of conditions of pages and sites
	Values              // of JSON in a body
	Pixels              // of images that are read for a PDF
	Fetches             // of API descriptions at external addresses that pages refer to
	kinds
)

// limit is the amount of one kind that one request or job may use.
type limit struct {
	name string // in the configuration
	most int64
	what string
	hint string
}

// limits are generous for ordinary work: a request that reaches one is a mistake or an attack. Operators
// can change them.
var limits = [kinds]limit{
	Words:   {"words", 1_000_000, "words of the index", "search for fewer words"},
	Steps:   {"steps", 10_000_000, "steps of expressions and conditions", "write simpler ones, or ask for fewer pages at once"},
	Values:  {"values", 1_000_000, "values", "send it in several requests"},
	Pixels:  {"pixels", 4 << 30, "pixels of pictures", "use smaller pictures"},
	Fetches: {"fetches", 8, "descriptions of APIs elsewhere", "ask again: those that were fetched are known then"},
}

// Limit returns the amount of a kind that one request or job may use.
func Limit(k Kind) int64 { return limits[k].most }

// SetLimits changes limits by name. It must be called before any work begins.
func SetLimits(most map[string]int64) error {
	for name, n := range most {
		k := slices.IndexFunc(limits[:], func(l limit) bool { return l.name == name })
		if k < 0 {
			return fmt.Errorf("there is no limit %q; there are words, steps, values, pixels and fetches", name)
		}
		if n <= 0 {
			return fmt.Errorf("the limit of %s must be positive", name)
		}
		limits[k].most = n
	}
	return nil
}

// Budget is the amount that one request or job may still spend, and the parts of pools that it holds.
type Budget struct {
	left   [kinds]atomic.Int64
	turns  *Turns // nil: the work takes no turns
	who    string
	waited atomic.Int64 // nanoseconds in queues

	mu      sync.Mutex
	turn    func()    // releases the turn; nil: the budget has none
	since   time.Time // when the turn began
	holding []func()
	places  []*place // that Yield gives up for others
}

// New returns a budget with the full limit of each kind.
func New() *Budget {
	b := &Budget{}
	for k := range kinds {
		b.left[k].Store(limits[k].most)
	}
	return b
}

// Hold makes End call release, which returns a part of a pool.
func (b *Budget) Hold(release func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.holding = append(b.holding, release)
}

// End releases the turn and the parts of pools that the work holds.
func (b *Budget) End() {
	b.endTurn()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, release := range b.holding {
		release()
	}
	b.holding = nil
}

type key struct{}

// NewContext returns a context that carries a budget.
func NewContext(ctx context.Context, b *Budget) context.Context {
	return context.WithValue(ctx, key{}, b)
}

// FromContext returns the budget of a context. If the context has none, it returns a new one.
func FromContext(ctx context.Context) *Budget {
	if b := of(ctx); b != nil {
		return b
	}
	return New()
}

func of(ctx context.Context) *Budget {
	b, _ := ctx.Value(key{}).(*Budget)
	return b
}

// Payer returns the party for which the work of a context is done: an organization, an account or an
// address. It is empty for the server's own work.
func Payer(ctx context.Context) string {
	if b := of(ctx); b != nil {
		return b.who
	}
	return ""
}

// ExcludeWait subtracts time in a queue from the measured duration of the work of a context.
func ExcludeWait(ctx context.Context, d time.Duration) {
	if b := of(ctx); b != nil {
		b.waited.Add(int64(d))
	}
}

// Spend takes n units of a kind. If fewer are left, it returns an error of kind errs.Invalid that
// contains the limit, and nothing is left afterwards.
func (b *Budget) Spend(k Kind, n int64) error {
	if b.left[k].Add(-n) >= 0 {
		return nil
	}
	b.left[k].Store(0)
	return errs.E(errs.Invalid, "this takes more than %d %s; %s", limits[k].most, limits[k].what, limits[k].hint)
}

// Renew resets a kind to its full limit, for work in parts that may each use the limit.
func (b *Budget) Renew(k Kind) { b.left[k].Store(limits[k].most) }

// Left returns the number of units of a kind that are left.
func (b *Budget) Left(k Kind) int64 { return max(0, b.left[k].Load()) }
