package store

import (
	"context"

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
