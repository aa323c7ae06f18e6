package assets

import (
	"context"
	"time"

	"github.com/octavo-docs/octavo/internal/blob"
	"github.com/octavo-docs/octavo/internal/store"
)

// Settings of the sweep of unreferenced blobs.
const (
	SweepEvery = 7 * 24 * time.Hour
	SweepJob   = "blob.sweep"

	// sweepAfter is the minimum age of a blob that is deleted. A new blob is referenced
	// within minutes, or within a day if it is an upload.
	sweepAfter = 7 * 24 * time.Hour
	// maxSwept limits the memory of one sweep; the next sweep finds the rest.
	maxSwept = 1 << 20
)

// Swept counts what a sweep deleted.
type Swept struct {
	Files int
	Bytes int64
}

// Sweep deletes blobs that nothing in the database references, such as those of refused
// changes and of deleted fonts and API descriptions. A blob is in use if its hash occurs
// in any text or object of the database. So Sweep does not depend on where references are
// stored, and no revision loses a file, however old it is.
func (s *Service) Sweep(ctx context.Context) (Swept, error) {
	var done Swept
	before := s.Store.Clock().Add(-sweepAfter)
	unused, err := s.putBefore(ctx, before)
	if err != nil || len(unused) == 0 {
		return done, err
	}
	err = s.Store.Snapshot(ctx, func(r store.Reader) error {
		return r.EachText(ctx, func(text []byte) { removeHashesIn(unused, text) })
	})
	if err != nil {
		return done, err
	}
	for h, size := range unused {
		deleted, err := s.Blobs.Delete(ctx, h, before)
		if err != nil {
			return done, err
		}
		if deleted {
			done.Files++
			done.Bytes += size
		}
	}
	return done, nil
}

// putBefore returns the blobs that were last put before a time, with their sizes.
func (s *Service) putBefore(ctx context.Context, before time.Time) (map[blob.Hash]int64, error) {
	out := map[blob.Hash]int64{}
	err := s.Blobs.Walk(ctx, func(i blob.Info) error {
		if i.LastPut.Before(before) && len(out) < maxSwept {
			out[i.Hash] = i.Size
		}
		return nil
	})
	return out, err
}

// removeHashesIn removes every hash that occurs in a text from a set.
func removeHashesIn(set map[blob.Hash]int64, text []byte) {
	const digits = 2 * len(blob.Hash{})
	run := 0
	for i, c := range text {
		if c < '0' || c > '9' && c < 'a' || c > 'f' {
			run = 0
			continue
		}
		if run++; run < digits {
			continue
		}
		if h, err := blob.ParseHash(string(text[i+1-digits : i+1])); err == nil {
			delete(set, h)
		}
	}
}
