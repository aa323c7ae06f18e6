package searchrows

import (
	"context"
	"time"

	"github.com/octavo-docs/octavo/internal/store/engine"
)

// WaitForFolds waits until the index is folded in the background.
func WaitForFolds(x *Index) { x.folds.work.Wait() }

// DelayFolds sets how long pending entries wait for more, until the returned function is called.
func DelayFolds(d time.Duration) (restore func()) {
	was := foldDelay
	foldDelay = d
	return func() { foldDelay = was }
}

// StopFolds ends the folding of the index in the background.
func StopFolds(x *Index) { x.folds.close() }

// Waiting returns how many pages of a layer wait for a segment, by their number and by their rows.
func Waiting(ctx context.Context, x *Index, layer string) (number, rows int64, err error) {
	number, err = engine.One(ctx, x.reads(), "index", engine.ScanInt, `SELECT pending FROM search_layers WHERE layer_id = $1`, layer)
	if err != nil {
		return 0, 0, err
	}
	rows, err = engine.One(ctx, x.reads(), "index", engine.ScanInt, `SELECT COUNT(*) FROM search_pending WHERE layer_id = $1`, layer)
	return number, rows, err
}

// ComputeFold computes the next fold of a layer. The function that it returns writes it.
func ComputeFold(ctx context.Context, x *Index, layer string) (write func() error, err error) {
	f, err := x.reads().nextFold(ctx, layer)
	if err != nil {
		return nil, err
	}
	if err := f.compute(); err != nil {
		return nil, err
	}
	return func() error { return x.do(ctx, "", func(tx IndexWrites) error { return tx.putFold(ctx, *f) }) }, nil
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
func FailFold(x *Index, layer string, err error, now time.Time) { x.folds.logFailure(layer, err, now) }

// Exec executes a statement in a transaction.
func Exec(ctx context.Context, x *Index, query string) error {
	return x.do(ctx, "", func(tx IndexWrites) error {
		_, err := engine.Exec(ctx, tx, query)
		return err
	})
}
