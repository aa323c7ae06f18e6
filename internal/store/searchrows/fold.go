package searchrows

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/search"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

// A change adds its pages as pending entries. Later, a fold turns pending entries into
// a segment, or several segments into one. It is computed outside of the write
// transaction, which only checks that the layer is unchanged and writes the result.

// maxPending is the maximum number of pending entries. The change that reaches it
// folds them itself, because pending entries make searches slower.
const maxPending = 16 * foldAt

// foldDelay is how long pending entries wait for more, so that changes in quick
// succession are folded at once: each fold reads and writes what the ones before made.
// It ends early at half of maxPending.
var foldDelay = 250 * time.Millisecond

// foldBytes is the maximum size of the pending entries, and of the segments, that one
// fold reads into memory.
var foldBytes = 8 << 20

// foldWorker folds layers in the background, one at a time. It has no goroutine while
// no layer is due.
type foldWorker struct {
	work   sync.WaitGroup
	mu     sync.Mutex
	due    map[string]bool
	hurry  chan struct{} // ends foldDelay
	busy   bool
	cancel context.CancelFunc
	closed bool

	log    *slog.Logger // nil is slog.Default
	logged time.Time    // when a failure was last logged; used by the goroutine alone
	failed int          // failures since then
}

// foldLogInterval is the minimum time between two log entries about failed folds: a
// full disk makes every fold fail.
const foldLogInterval = time.Minute

// foldLater folds a layer in the background after the transaction. pending is the
// number of its pending entries.
func (tx IndexWrites) foldLater(layer string, pending int64) {
	tx.OnCommit(func() { tx.fold(layer, pending) })
}

// foldSoon folds a layer in the background.
func (x *Index) foldSoon(layer string, pending int64) {
	f := &x.folds
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return
	}
	if f.due == nil {
		f.due, f.hurry = map[string]bool{}, make(chan struct{}, 1)
	}
	f.due[layer] = true
	if pending >= maxPending/2 {
		select {
		case f.hurry <- struct{}{}:
		default:
		}
	}
	if !f.busy {
		f.busy = true
		var ctx context.Context
		ctx, f.cancel = context.WithCancel(context.Background())
		f.work.Go(func() { x.foldDue(ctx) })
	}
}

// foldDue folds the layers that are due. If that fails, it is logged, and the layer is
// due again after its next change; at maxPending, the change itself folds it and
// reports the error.
func (x *Index) foldDue(ctx context.Context) {
	for x.folds.wait(ctx) {
		for layer := range x.folds.take() {
			for more := true; more; {
				var err error
				more, err = x.foldLayer(ctx, layer)
				if err != nil && ctx.Err() == nil { // else the store is being closed
					x.folds.logFailure(layer, err, x.db.Clock())
				}
			}
		}
	}
}

// logFailure logs that a fold failed, at most once in foldLogInterval.
func (f *foldWorker) logFailure(layer string, err error, now time.Time) {
	f.failed++
	if !f.logged.IsZero() && now.Sub(f.logged) < foldLogInterval {
		return
	}
	log := f.log
	if log == nil {
		log = slog.Default()
	}
	log.Error("a fold of the search index failed", "layer", layer, "error", err, "failures", f.failed)
	f.logged, f.failed = now, 0
}

// wait waits until it is time to fold. It returns false if no layer is due, which ends
// the work.
func (f *foldWorker) wait(ctx context.Context) bool {
	f.mu.Lock()
	if len(f.due) == 0 {
		f.busy = false
		f.cancel()
		f.mu.Unlock()
		return false
	}
	f.mu.Unlock()
	select {
	case <-time.After(foldDelay):
	case <-f.hurry:
	case <-ctx.Done():
	}
	return true
}

// take removes and returns the layers that are due.
func (f *foldWorker) take() map[string]bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	due := f.due
	f.due = map[string]bool{}
	return due
}

// close ends the work.
func (f *foldWorker) close() {
	f.mu.Lock()
	f.closed = true
	clear(f.due)
	if f.busy {
		f.cancel()
	}
	f.mu.Unlock()
	f.work.Wait()
}

// fold is a segment that replaces pending entries, other segments, or both.
type fold struct {
	layer    string
	space    docs.SpaceID // a space with the layer; empty: there is none
	last     int64        // number of the newest segment when it was read
	waiting  []entryTerms // pending entries, without those of pages that have changed since
	upTo     int64        // the last pending entry that it replaces; 0: none
	segments []segment    // one of them may be made of waiting
	living   idSet        // entries that are not deleted
	large    bool         // the segments are too large for memory and are merged while they are written
	made     segment
}

// errFoldMoved means that the segments of a layer have changed since they were read.
var errFoldMoved = errors.New("the segments have changed")

// foldLayer does the next fold of a layer, and reports whether there may be more. It
// reads through the connection of the writer, which has recent pages in its cache.
func (x *Index) foldLayer(ctx context.Context, layer string) (more bool, err error) {
	var f *fold
	err = x.do(ctx, "", func(tx IndexWrites) (err error) {
		f, err = tx.nextFold(ctx, layer)
		return err
	})
	if err != nil || f == nil {
		return false, err
	}
	if err := f.compute(); err != nil {
		return false, err
	}
	err = x.do(ctx, f.space, func(tx IndexWrites) error { return tx.putFold(ctx, *f) })
	if errors.Is(err, errFoldMoved) {
		err = nil
	}
	return err == nil, err
}

// foldNow does the next fold of a layer in the transaction.
func (tx IndexWrites) foldNow(ctx context.Context, layer string) error {
	f, err := tx.nextFold(ctx, layer)
	if err != nil || f == nil {
		return err
	}
	if err := f.compute(); err != nil {
		return err
	}
	return tx.putFold(ctx, *f)
}

// nextFold returns the next fold of a layer with its input, or nil if none is due.
func (r IndexReads) nextFold(ctx context.Context, layer string) (*fold, error) {
	f := &fold{layer: layer}
	pending, err := engine.One(ctx, r, "index", func(s engine.Scanner) (pending int64, err error) {
		err = s.Scan(&f.last, &pending, &f.space)
		return pending, err
	}, `
		SELECT l.last_segment, l.pending, COALESCE((SELECT MIN(s.id) FROM spaces s WHERE s.layer_id = l.layer_id), '')
		FROM search_layers l WHERE l.layer_id = $1`, layer)
	if errs.Is(err, errs.NotFound) {
		return nil, nil // the layer was dropped
	}
	if err != nil {
		return nil, err
	}
	all, err := r.searchSegments(ctx, layer)
	if err != nil {
		return nil, err
	}
	if pending >= foldAt {
		if err = r.readPending(ctx, f); err != nil {
			return nil, err
		}
	}
	if len(f.waiting) > 0 {
		all = append(all, segmentOf(f.waiting))
	}
	f.segments = dueSegments(all, mergeNow)
	if len(f.waiting) > 0 && !slices.ContainsFunc(f.segments, func(s segment) bool { return !s.isStored() }) {
		f.segments = nil // they are left to the next fold
		return f, nil
	}
	switch {
	case len(f.segments) > 0:
		return f, r.readSegments(ctx, f)
	case f.upTo > 0:
		return f, nil
	}
	return nil, nil
}

// readPending reads the first pending entries of the layer of a fold, up to foldBytes.
func (r IndexReads) readPending(ctx context.Context, f *fold) error {
	rows, err := engine.Query(ctx, r, `
		SELECT w.id, w.terms, EXISTS (SELECT 1 FROM search_pages p WHERE p.layer_id = w.layer_id AND p.id = w.id)
		FROM search_pending w WHERE w.layer_id = $1 ORDER BY w.id`, f.layer)
	if err != nil {
		return err
	}
	defer rows.Close()
	for size := 0; size < foldBytes && rows.Next(); {
		var e entryTerms
		var living bool
		if err := rows.Scan(&e.id, &e.terms, &living); err != nil {
			return err
		}
		f.upTo, size = e.id, size+len(e.terms)
		if living {
			f.waiting = append(f.waiting, e)
		}
	}
	return rows.Err()
}

// readSegments reads the rows of the segments of a fold, unless they are too many
// for memory.
func (r IndexReads) readSegments(ctx context.Context, f *fold) error {
	size, err := r.segmentBytes(ctx, f.layer, f.segments)
	if err != nil {
		return err
	}
	if f.large = size > int64(foldBytes) || pagesOf(f.segments) > mergeNow; f.large {
		return nil
	}
	for i, s := range f.segments {
		if f.segments[i].rows, err = r.indexRows(ctx, f.layer, s, "", search.After("")); err != nil {
			return err
		}
	}
	all := span(f.segments)
	f.living, err = r.livingEntries(ctx, f.layer, all.first, all.last)
	return err
}

// segmentBytes returns the size of stored segments.
func (r IndexReads) segmentBytes(ctx context.Context, layer string, some []segment) (int64, error) {
	var numbers []int64
	for _, s := range some {
		numbers = append(numbers, s.number) // 0 is none
	}
	args := []any{layer}
	in := engine.ListOf(&args, numbers)
	return engine.One(ctx, r, "index", engine.ScanInt, `SELECT COALESCE(SUM(LENGTH(data)), 0) FROM search_index WHERE layer_id = $1 AND segment IN `+in, args...)
}

// compute makes the new segment in memory, unless the fold is large.
func (f *fold) compute() error {
	if len(f.waiting) > 0 {
		f.made = segmentOf(f.waiting)
		f.made.rows = foldEntries(f.waiting)
	}
	if len(f.segments) == 0 {
		return nil
	}
	parts := make([][]search.Row, len(f.segments))
	for i, s := range f.segments {
		if !s.isStored() {
			f.segments[i] = f.made
		}
		parts[i] = f.segments[i].rows
	}
	if f.large {
		return nil
	}
	f.made = span(f.segments)
	seen := newIDSet(f.made.first, f.made.last)
	var err error
	if f.made.rows, err = search.Merge(parts, f.living.and(seen)); err != nil {
		return fmt.Errorf("merge the index of %s: %w", f.layer, err)
	}
	f.made.pages = seen.count()
	return nil
}

// putFold writes a fold if its segments are still those of the layer. Entries that
// were added meanwhile have higher ids.
func (tx IndexWrites) putFold(ctx context.Context, f fold) (err error) {
	taken := int64(0)
	if f.upTo > 0 {
		taken, err = engine.Exec(ctx, tx, `DELETE FROM search_pending WHERE layer_id = $1 AND id <= $2`, f.layer, f.upTo)
		if err != nil {
			return err
		}
	}
	same, err := engine.Exec(ctx, tx, `UPDATE search_layers SET pending = pending - $3 WHERE layer_id = $1 AND last_segment = $2`, f.layer, f.last, taken)
	switch {
	case err != nil:
		return err
	case same == 0:
		return errFoldMoved
	case len(f.waiting)+len(f.segments) == 0:
		return nil // no pending entry was left
	case f.large:
		return tx.mergeSegments(ctx, f.layer, f.segments)
	}
	if err := tx.newSegment(ctx, f.layer, &f.made); err != nil {
		return fmt.Errorf("index %s: %w", f.layer, err)
	}
	return tx.dropSegments(ctx, f.layer, f.segments)
}
