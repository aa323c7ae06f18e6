package store

import (
	"context"
	"fmt"

	"github.com/octavo-docs/octavo/internal/search"
)

// Filling is a layer that nobody reads yet. It is filled by one transaction
// after the other, so that others can write in between. What is searched for
// is collected beside the database and becomes segments that are large enough
// to stay.
type Filling struct {
	Layer string

	build *search.Segment
	made  segment // of build
}

const (
	// fillSegment is how many pages are collected for a segment,
	fillSegment = 8192
	// fillMemory is how much memory they may take: words that are on one page
	// only take more than their text.
	fillMemory = 64 << 20
)

// NewFilling begins to fill a layer that has just been added.
func NewFilling(layer string) *Filling { return &Filling{Layer: layer, build: search.NewSegment()} }

// Full tells whether there is enough for a segment.
func (f *Filling) Full() bool { return f.made.pages >= fillSegment || f.build.Size() >= fillMemory }

// Fill adds pages to the layer, none of which it has yet.
func (tx *Tx) Fill(ctx context.Context, f *Filling, pages []SearchPage, links []LayerPage) error {
	if err := tx.putLayerPages(ctx, f.Layer, links, true); err != nil {
		return err
	}
	if len(pages) == 0 {
		return nil
	}
	pages = analysed(pages)
	first, _, err := tx.reserveEntries(ctx, f.Layer, len(pages))
	if err != nil {
		return fmt.Errorf("index %s: %w", f.Layer, err)
	}
	rows := make([][]any, len(pages))
	for i, p := range pages {
		rows[i] = searchEntry(f.Layer, p, first+int64(i), p.state())
	}
	if err := tx.insert(ctx, searchEntryInsert, ``, rows); err != nil {
		return fmt.Errorf("index %s: %w", f.Layer, err)
	}
	tx.OnCommit(func() {
		for i, p := range pages {
			if !p.Hidden {
				f.add(entryTerms{first + int64(i), p.terms})
			}
		}
	})
	return nil
}

func (f *Filling) add(e entryTerms) {
	f.build.AddEncoded(e.id, e.terms)
	if f.made.pages++; f.made.pages == 1 {
		f.made.first = e.id
	}
	f.made.last = e.id
}

// Packed is what was collected, as it is written.
type Packed struct {
	segment segment
	rows    []search.Row
}

// Pack takes out what was collected.
func (f *Filling) Pack() Packed {
	out := Packed{segment: f.made, rows: f.build.Rows()}
	f.build, f.made = search.NewSegment(), segment{}
	return out
}

// PutPacked writes what was collected of a layer.
func (tx *Tx) PutPacked(ctx context.Context, f *Filling, p Packed) error {
	if p.segment.pages == 0 {
		return nil
	}
	p.segment.level = levelOf(p.segment.pages)
	if err := tx.newSegment(ctx, f.Layer, &p.segment, p.rows); err != nil {
		return fmt.Errorf("index %s: %w", f.Layer, err)
	}
	return nil
}
