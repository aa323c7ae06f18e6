// Package budget bounds what work may use. A Budget is what one request or job may spend, in
// units that do not depend on the machine; a Pool is what all of them share.
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

// Kind is a unit that work is counted in.
type Kind int

// The kinds. docs/manual/operating/limits.md lists them for operators, with the reason of each.
const (
	Words   Kind = iota // of the search index that a query compares with misspelled ones
	Steps               // of expressions: of documents, and of conditions of pages and sites
	Values              // of JSON in a body
	Pixels              // of pictures that are read for a PDF
	Fetches             // of descriptions of APIs at addresses elsewhere that pages name
	kinds
)

// limit is how much of a kind one piece of work may use.
type limit struct {
	name string // in the configuration
	most int64
	what string
	hint string
}

// limits are generous for ordinary work: a request that reaches one is a mistake or an attack. Operators
// can set them.
var limits = [kinds]limit{
	Words:   {"words", 1_000_000, "words of the index", "search for fewer words"},
	Steps:   {"steps", 10_000_000, "steps of expressions and conditions", "write simpler ones, or ask for fewer pages at once"},
	Values:  {"values", 1_000_000, "values", "send it in several requests"},
	Pixels:  {"pixels", 4 << 30, "pixels of pictures", "use smaller pictures"},
	Fetches: {"fetches", 8, "descriptions of APIs elsewhere", "ask again: those that were fetched are known then"},
}

// Limit returns how much of a kind one piece of work may use.
func Limit(k Kind) int64 { return limits[k].most }

// SetLimits changes limits by their names, before any work begins.
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

// Budget is what one piece of work may still spend, and what it holds of pools.
type Budget struct {
	left   [kinds]atomic.Int64
	turns  *Turns // nil: its work need not wait
	who    string
	waited atomic.Int64 // nanoseconds in queues

	mu      sync.Mutex
	turn    func() // puts its turn back; nil: it has none
	holding []func()
}

// New returns a budget with all of every limit.
func New() *Budget {
	b := &Budget{}
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
	b.endTurn()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, release := range b.holding {
		release()
	}
	b.holding = nil
}

type key struct{}

// NewContext returns a context whose work draws from a budget.
func NewContext(ctx context.Context, b *Budget) context.Context {
	return context.WithValue(ctx, key{}, b)
}

// FromContext returns the budget of a context. Work that has none gets one of its own.
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

// Payer returns for whom the work of a context is done: an organization, an account or an address.
// It is empty for work of the server itself.
func Payer(ctx context.Context) string {
	if b := of(ctx); b != nil {
		return b.who
	}
	return ""
}

// ExcludeWait excludes time that the work of a context waited in a queue: it does not
// count as work.
func ExcludeWait(ctx context.Context, d time.Duration) {
	if b := of(ctx); b != nil {
		b.waited.Add(int64(d))
	}
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

// Renew lets work spend all of a kind again: work in parts, each of which may spend as much.
func (b *Budget) Renew(k Kind) { b.left[k].Store(limits[k].most) }

// Left returns how much of a kind is left.
func (b *Budget) Left(k Kind) int64 { return max(0, b.left[k].Load()) }
