// Package searchrows stores the search index: the words of pages in segments, by index layer,
// and the pages that wait for one. How words are found in texts, and how segments are
// encoded and pages ranked, is known by package search.
//
// A transaction adds the words of a changed page to the pending rows of its layer (pages.go,
// index.go). In the background they are folded into segments, and segments into larger ones
// (fold.go). A layer that nobody reads yet gets its segments directly (bulk.go). A search
// reads the rows of its words from all layers (query.go, rows.go, scopes.go), and a place in
// its results holds what was returned (place.go).
package searchrows

import (
	"context"
	"log/slog"

	"golang.org/x/sync/semaphore"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

// Index searches the rows of a database, and folds them in the background.
type Index struct {
	db    *engine.DB
	folds foldWorker
	// searches limits how many searches read snapshots at the same time.
	searches *semaphore.Weighted
}

// IndexReads are the reads of the search index. They are part of store.Reader.
type IndexReads struct{ *engine.Reader }

// IndexWrites are the writes of the search index. They are part of store.Tx.
type IndexWrites struct {
	IndexReads
	*engine.Tx
	fold func(layer string, pending int64)
}

// New returns the index of a database. A failure to fold is logged; a nil log is
// slog.Default.
func New(db *engine.DB, log *slog.Logger) *Index {
	return &Index{
		db: db, folds: foldWorker{log: log},
		// What a search asks of its readers needs other connections than its snapshot.
		searches: semaphore.NewWeighted(max(1, int64(db.Stats().MaxOpenConnections/4))),
	}
}

// Close ends the folding.
func (x *Index) Close() { x.folds.close() }

// In returns the writes of a transaction. What they leave to be folded is folded after it.
func (x *Index) In(tx *engine.Tx) IndexWrites {
	return IndexWrites{IndexReads{tx.Reads()}, tx, x.foldSoon}
}

func (x *Index) reads() IndexReads { return IndexReads{x.db.Pool()} }

// do runs fn in a transaction of a space; an empty space is none.
func (x *Index) do(ctx context.Context, space docs.SpaceID, fn func(tx IndexWrites) error) error {
	return engine.Do(ctx, x.db, string(space), func() {}, func(tx *engine.Tx) error { return fn(x.In(tx)) })
}
