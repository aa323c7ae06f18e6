// Package budget limits the resources that work may use. A Budget limits one request or job, in units
// that do not depend on the machine. A Pool is shared by all of them.
package budget

import (
	"cmp"
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

// byKind are generous for ordinary work: a request that reaches one is a mistake or an attack. Operators
// can change them.
var byKind = [kinds]limit{
	Words:   {"words", 1_000_000, "words of the index", "search for fewer words"},
	Steps:   {"steps", 10_000_000, "steps of expressions and conditions", "write simpler ones, or ask for fewer pages at once"},
	Values:  {"values", 1_000_000, "values", "send it in several requests"},
	Pixels:  {"pixels", 4 << 30, "pixels of pictures", "use smaller pictures"},
	Fetches: {"fetches", 8, "descriptions of APIs elsewhere", "ask again: those that were fetched are known then"},
}

// Limits are the amounts that a server lets each request or job use. The zero value has the
// defaults.
type Limits struct{ most [kinds]int64 }

// ParseLimits returns the limits with the given ones, by name, in place of the defaults.
func ParseLimits(most map[string]int64) (Limits, error) {
	var l Limits
	for name, n := range most {
		k := slices.IndexFunc(byKind[:], func(l limit) bool { return l.name == name })
		if k < 0 {
			return l, fmt.Errorf("there is no limit %q; there are words, steps, values, pixels and fetches", name)
		}
		if n <= 0 {
			return l, fmt.Errorf("the limit of %s must be positive", name)
		}
		l.most[k] = n
	}
	return l, nil
}

// Of returns the limit of a kind.
func (l Limits) Of(k Kind) int64 { return cmp.Or(l.most[k], byKind[k].most) }

// Budget is the amount that one request or job may still spend, and the parts of pools that it holds.
type Budget struct {
	limits  Limits
	missing bool // see FromContext
	left    [kinds]atomic.Int64
	turns   *Turns // nil: the work takes no turns
	who     string
	waited  atomic.Int64 // nanoseconds in queues

	mu      sync.Mutex
	turn    func()    // releases the turn; nil: the budget has none
	since   time.Time // when the turn began
	holding []func()
	places  []*place // that Yield gives up for others
}

// New returns a budget with the full limit of each kind, as the server of a context sets it.
func New(ctx context.Context) *Budget {
	b := &Budget{limits: scopeOf(ctx).limits}
	for k := range kinds {
		b.left[k].Store(b.limits.Of(k))
	}
	return b
}

// Hold makes End call release, which returns a part of a pool.
func (b *Budget) Hold(release func()) {
	if b.missing {
		release() // nobody will call End
		return
	}
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

// scope is what a server does in a context.
type scope struct {
	limits   Limits
	requests bool
}

type scopeKey struct{}

// ForRequests returns the context from which a server makes those of its requests. Each of them
// needs a budget.
func ForRequests(ctx context.Context, l Limits) context.Context {
	return context.WithValue(ctx, scopeKey{}, scope{limits: l, requests: true})
}

// ForJobs returns the context in which a server does its own work. Each part of it that has no
// budget gets a new one.
func ForJobs(ctx context.Context, l Limits) context.Context {
	return context.WithValue(ctx, scopeKey{}, scope{limits: l})
}

func scopeOf(ctx context.Context) scope {
	s, _ := ctx.Value(scopeKey{}).(scope)
	return s
}

// FromContext returns the budget of a context. A request without one is a defect: it can spend
// nothing, so that a test which makes the request finds it. Other work without a budget gets a new
// one.
func FromContext(ctx context.Context) *Budget {
	if b := of(ctx); b != nil {
		return b
	}
	if s := scopeOf(ctx); s.requests {
		return &Budget{limits: s.limits, missing: true}
	}
	return New(ctx)
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
	if b.missing {
		return errs.E(errs.Internal, "a request without a budget spends %s", byKind[k].name)
	}
	if b.left[k].Add(-n) >= 0 {
		return nil
	}
	b.left[k].Store(0)
	return errs.E(errs.Invalid, "this takes more than %d %s; %s", b.limits.Of(k), byKind[k].what, byKind[k].hint)
}

// Renew resets a kind to its full limit, for work in parts that may each use the limit.
func (b *Budget) Renew(k Kind) { b.left[k].Store(b.limits.Of(k)) }

// Limit returns the full limit of a kind.
func (b *Budget) Limit(k Kind) int64 { return b.limits.Of(k) }

// Left returns the number of units of a kind that are left.
func (b *Budget) Left(k Kind) int64 { return max(0, b.left[k].Load()) }
