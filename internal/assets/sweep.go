package assets

import (
	"context"
	"time"

	"github.com/octavo-docs/octavo/internal/blob"
	"github.com/octavo-docs/octavo/internal/store"
)

// Sweeping of bytes that nothing names.
const (
	SweepEvery = 7 * 24 * time.Hour
	SweepJob   = "blob.sweep"

	// sweepAfter is how long ago bytes must have been put. Whatever is made of
	// them refers to them within minutes, or within a day if they are an upload.
	sweepAfter = 7 * 24 * time.Hour
	// maxSwept bounds the memory of one sweep; the next one finds the rest.
	maxSwept = 1 << 20
)

// Swept is what a sweep deleted.
type Swept struct {
	Files int
	Bytes int64
}

// Sweep deletes bytes that nothing in the database names: those that came with a
// change that was refused, and those of fonts and API descriptions that were
// deleted. Bytes are in use if their hash occurs in any text or object at all. So
// nothing here has to know who keeps files, and no revision, however old, loses one.
func (s *Service) Sweep(ctx context.Context) (Swept, error) {
	var done Swept
	before := s.Store.Clock().Add(-sweepAfter)
	unused, err := s.old(ctx, before)
	if err != nil || len(unused) == 0 {
		return done, err
	}
	err = s.Store.Snapshot(ctx, func(r store.Reader) error {
		return r.EachText(ctx, func(text []byte) { forget(unused, text) })
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

// old returns the sizes of bytes that nobody put since a moment.
func (s *Service) old(ctx context.Context, before time.Time) (map[blob.Hash]int64, error) {
	out := map[blob.Hash]int64{}
	err := s.Blobs.Walk(ctx, func(i blob.Info) error {
		if i.LastPut.Before(before) && len(out) < maxSwept {
			out[i.Hash] = i.Size
		}
		return nil
	})
	return out, err
}

// forget removes from a set every hash that occurs in a text.
func forget(set map[blob.Hash]int64, text []byte) {
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
