package index

import (
	"context"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/revision"
	"github.com/octavo-docs/octavo/internal/search"
)

// Work is what was worked out for the index ahead of a transaction: what it
// says of some pages, or a layer that was stored already.
type Work struct {
	ready map[docs.PageID]Entry
	bulk  *Bulk
}

// Prepare works out what the index will say of the pages of a draft.
func (x *Index) Prepare(ctx context.Context, d *revision.Draft) (*Work, error) {
	out := &Work{ready: map[docs.PageID]Entry{}}
	t := d.Tree
	ids := map[docs.PageID]bool{}
	if whole, ok := d.Adopted(); ok {
		t = whole
		dl, err := newDelta(ctx, t, d.Base.Root)
		if err != nil {
			return nil, err
		}
		ids = dl.pages
	} else {
		for _, key := range d.Keys() {
			if id, is := strings.CutPrefix(key, revision.KeyPage); is {
				value, _ := d.Changed(key)
				ids[docs.PageID(id)] = value != nil
			}
		}
	}
	ix := &indexer{space: d.Space, tree: t, parsed: d.Parsed}
	var a search.Analyser
	for id, there := range ids {
		if !there {
			continue
		}
		p, err := t.Page(ctx, id)
		if err != nil {
			return nil, err
		}
		if out.ready[id], err = ix.entry(ctx, p, &a); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// discard forgets the layer that was stored and that no space reads.
func (w *Work) Discard(ctx context.Context) {
	if w != nil {
		w.bulk.discard(ctx)
	}
}
