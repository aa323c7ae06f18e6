package store

import (
	"context"
	"sync/atomic"

	"github.com/octavo-docs/octavo/internal/cache"
)

// memo keeps single rows in memory for as long as nobody has written. Every
// commit to a SQLite file, by whatever process, counts a number up that all
// of them share (see generation); what was read under another number is read
// again. PostgreSQL has no such number at hand, so there is no memo for it.
type memo struct {
	gen   *generation
	cache *cache.Cache[memoKey, memoValue]
	// committing is set while a commit of this process may be visible that
	// is not counted yet: SQLite goes on to fold its log into the file, which
	// takes long behind a large transaction.
	committing atomic.Bool
}

type memoKey struct {
	kind string
	id   string
}

type memoValue struct {
	gen uint64
	it  any
}

// maxMemo bounds the rows that are kept.
const maxMemo = 20_000

func newMemo(g *generation) *memo {
	return &memo{gen: g, cache: cache.New[memoKey](maxMemo, func(memoValue) int { return 1 })}
}

// memoized gives a row from memory if it is still what the database says.
// The number is taken before the row is read, so a value is never kept under
// a number that is newer than itself. Values are shared: nobody may change
// what a slice or a map in them holds.
func memoized[T any](ctx context.Context, r Reader, kind, id string, read func(context.Context) (T, error)) (T, error) {
	if r.memo == nil || r.memo.committing.Load() {
		return read(ctx)
	}
	key, now := memoKey{kind, id}, r.memo.gen.now()
	if v, ok := r.memo.cache.Get(key); ok && v.gen == now {
		return v.it.(T), nil
	}
	it, err := read(ctx)
	if err == nil {
		r.memo.cache.Set(key, memoValue{now, it})
	}
	return it, err
}
