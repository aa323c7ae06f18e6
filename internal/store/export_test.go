package store

import (
	"context"
	"time"

	"github.com/octavo-docs/octavo/internal/chunk"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

// ObjectBytes returns the size of all objects as they are stored.
func ObjectBytes(ctx context.Context, s *Store) (int, error) {
	n, err := engine.One(ctx, s, "size", engine.ScanInt, `SELECT COALESCE(SUM(LENGTH(data)), 0) FROM objects`)
	return int(n), err
}

// IsKnownBase reports whether a delta from an object is stored without asking
// for the object.
func IsKnownBase(s *Store, h chunk.Hash) bool {
	_, known := s.known.Get(h)
	return known
}

// Damage runs a statement.
func Damage(ctx context.Context, s *Store, statement string) error {
	return s.Do(ctx, func(tx *Tx) error { return engine.Put(ctx, tx, statement) })
}

// LimitBegun sets how many sign-ins may be under way, until the returned function is called.
func LimitBegun(byNetwork, all int) func() {
	wasByNetwork, was := maxBegunByNetwork, maxBegun
	maxBegunByNetwork, maxBegun = byNetwork, all
	return func() { maxBegunByNetwork, maxBegun = wasByNetwork, was }
}

// RowsChanged returns how many rows the writer of SQLite has changed so far.
func RowsChanged(ctx context.Context, tx *Tx) (int64, error) {
	return engine.One(ctx, tx, "changes", engine.ScanInt, `SELECT total_changes()`)
}

// WaitForFolds waits until the index is folded in the background.
func WaitForFolds(s *Store) { s.folds.work.Wait() }

// DelayFolds sets how long pending entries wait for more, until the returned function is called.
func DelayFolds(d time.Duration) (restore func()) {
	was := foldDelay
	foldDelay = d
	return func() { foldDelay = was }
}

// StopFolds ends the folding of the index in the background.
func StopFolds(s *Store) { s.folds.close() }

// Waiting returns how many pages of a layer wait for a segment, by their number and by their rows.
func Waiting(ctx context.Context, s *Store, layer string) (number, rows int64, err error) {
	number, err = engine.One(ctx, s, "index", engine.ScanInt, `SELECT pending FROM search_layers WHERE layer_id = $1`, layer)
	if err != nil {
		return 0, 0, err
	}
	rows, err = engine.One(ctx, s, "index", engine.ScanInt, `SELECT COUNT(*) FROM search_pending WHERE layer_id = $1`, layer)
	return number, rows, err
}

// ComputeFold computes the next fold of a layer. The function that it returns writes it.
func ComputeFold(ctx context.Context, s *Store, layer string) (write func() error, err error) {
	f, err := s.nextFold(ctx, layer)
	if err != nil {
		return nil, err
	}
	if err := f.compute(); err != nil {
		return nil, err
	}
	return func() error { return s.Do(ctx, func(tx *Tx) error { return tx.putFold(ctx, *f) }) }, nil
}

// LimitFolds sets how many bytes one fold reads, until the returned function is called.
func LimitFolds(bytes int) func() {
	was := foldBytes
	foldBytes = bytes
	return func() { foldBytes = was }
}

// Bounds and errors of folds.
const (
	FoldAt     = foldAt
	MaxPending = maxPending
)

var ErrFoldMoved = errFoldMoved

// FailFold logs that a fold failed.
func FailFold(s *Store, layer string, err error, now time.Time) { s.folds.logFailure(layer, err, now) }

// Exec executes a statement in a transaction.
func Exec(ctx context.Context, s *Store, query string) error {
	return s.Do(ctx, func(tx *Tx) error {
		_, err := engine.Exec(ctx, tx, query)
		return err
	})
}
