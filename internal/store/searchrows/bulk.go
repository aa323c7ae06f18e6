package searchrows

import (
	"context"
	"fmt"

	"github.com/octavo-docs/octavo/internal/search"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

// Bulk builds a layer that nobody reads yet. Its rows are written by many
// short transactions, so that others can write in between. The postings are
// collected in memory and become segments that are large enough to stay.
type Bulk struct {
	Layer string

	build *search.Segment
	made  segment // metadata of the segment that build makes
}

const (
	// bulkPages is the number of pages of a segment.
	bulkPages = 8192
	// bulkMemory is the size of the postings in memory at which a segment is
	// complete even if it has fewer pages. A word that only one page has takes
	// more memory than its text.
	bulkMemory = 64 << 20
)

// NewBulk returns an index for a layer that has just been added.
func NewBulk(layer string) *Bulk {
	return &Bulk{Layer: layer, build: search.NewSegment()}
}

// Full reports whether the collected pages are enough for a segment.
func (b *Bulk) Full() bool { return b.made.pages >= bulkPages || b.build.Size() >= bulkMemory }

// PutBulk adds pages to the layer, which must not have them yet.
func (tx IndexWrites) PutBulk(ctx context.Context, b *Bulk, pages []Page) error {
	if len(pages) == 0 {
		return nil
	}
	pages = AnalysedPages(pages)
	first, _, err := tx.reserveEntries(ctx, b.Layer, len(pages), 0)
	if err != nil {
		return fmt.Errorf("index %s: %w", b.Layer, err)
	}
	rows := make([][]any, len(pages))
	for i, p := range pages {
		rows[i] = searchEntry(b.Layer, p, first+int64(i), p.state())
	}
	if _, err := engine.Insert(ctx, tx, searchEntryInsert, ``, rows); err != nil {
		return fmt.Errorf("index %s: %w", b.Layer, err)
	}
	tx.OnCommit(func() {
		for i, p := range pages {
			if !p.Hidden {
				b.add(entryTerms{first + int64(i), p.terms})
			}
		}
	})
	return nil
}

func (b *Bulk) add(e entryTerms) {
	b.build.AddEncoded(e.id, e.terms)
	if b.made.pages++; b.made.pages == 1 {
		b.made.first = e.id
	}
	b.made.last = e.id
}

// BulkSegment is a segment that is ready to be written.
type BulkSegment struct{ segment segment }

// TakeSegment returns the collected postings as a segment and starts a new
// one.
func (b *Bulk) TakeSegment() BulkSegment {
	out := BulkSegment{segment: b.made}
	out.segment.rows = b.build.Rows()
	b.build, b.made = search.NewSegment(), segment{}
	return out
}

// PutBulkSegment writes a segment of a layer.
func (tx IndexWrites) PutBulkSegment(ctx context.Context, b *Bulk, s BulkSegment) error {
	if s.segment.pages == 0 {
		return nil
	}
	s.segment.level = levelOf(s.segment.pages)
	if err := tx.newSegment(ctx, b.Layer, &s.segment); err != nil {
		return fmt.Errorf("index %s: %w", b.Layer, err)
	}
	return nil
}
