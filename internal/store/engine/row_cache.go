package engine

import (
	"context"
	"sync/atomic"

	"github.com/octavo-docs/octavo/internal/cache"
)

// rowCache caches single rows until the next commit. Every commit to
// a SQLite file, by any process, changes a number that all processes share
// (see generation); a row that was read under another number is read again.
// PostgreSQL has no such number, so there is no row cache for it.
type rowCache struct {
	gen  *generation
	rows *cache.Cache[rowKey, cachedRow]
	// committing is set while a commit of this process may be visible but is
	// not counted yet. This can take long after a large transaction, because
	// SQLite copies its log into the file before COMMIT returns.
	committing atomic.Bool
}

type rowKey struct {
	kind string
	id   string
}

type cachedRow struct {
	gen   uint64
	value any
}

const (
	// maxCachedRows is the maximum number of cached rows.
	maxCachedRows = 20_000
	// generationSuffix is added to the path of the SQLite file.
	generationSuffix = "-generation"
)

func newRowCache(g *generation) *rowCache {
	return &rowCache{gen: g, rows: cache.New[rowKey](maxCachedRows, func(cachedRow) int { return 1 })}
}

// Generation returns a number that every commit of any process changes. Data that was
// read after the number was taken is current as long as the number is the same. It
// returns false if the number is not known: on PostgreSQL, and during a commit.
func (r *Reader) Generation() (uint64, bool) {
	if r.cache == nil || r.cache.committing.Load() {
		return 0, false
	}
	return r.cache.gen.now()
}

// Cached returns a row from memory if nobody has written since it was
// read, and calls read otherwise. The number is taken before read is called,
// so a row is never stored under a number that is newer than the row. Rows are
// shared: the caller must not change the elements of slices and maps in them.
func Cached[T any](ctx context.Context, from Querier, kind, id string, read func(context.Context) (T, error)) (T, error) {
	r := from.reader()
	now, counted := r.Generation()
	if !counted {
		return read(ctx)
	}
	key := rowKey{kind, id}
	if row, ok := r.cache.rows.Get(key); ok && row.gen == now {
		return row.value.(T), nil
	}
	value, err := read(ctx)
	if err == nil {
		r.cache.rows.Set(key, cachedRow{now, value})
	}
	return value, err
}
