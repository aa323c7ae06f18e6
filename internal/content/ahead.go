package content

import (
	"context"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/search"
)

// There is one writer at a time. What takes long, reading Markdown and
// counting words, is therefore done ahead of the transaction where there is
// much of it; if somebody else was faster, it is done again inside.

// aheadBytes is from how much text on a batch is worked out ahead.
const aheadBytes = 64 << 10

// ahead is a batch that was worked out on a revision.
type ahead struct {
	on      docs.RevisionID
	draft   *draft
	work    *Work
	applied *Applied
}

// Work is what was worked out for the index ahead of a transaction: what it
// says of some pages, or a layer that was stored already.
type Work struct {
	ready   map[docs.PageID]indexed
	filling *filling
}

// Prepare works out what the index will say of the pages of a draft.
func (x *Index) Prepare(ctx context.Context, d *draft) (*Work, error) {
	out := &Work{ready: map[docs.PageID]indexed{}}
	t := d.tree
	ids := map[docs.PageID]bool{}
	if d.whole != nil {
		t = d.at(*d.whole)
		dl, err := newDelta(ctx, t, d.base.Root)
		if err != nil {
			return nil, err
		}
		ids = dl.pages
	} else {
		for _, key := range d.over.from("") {
			if id, is := strings.CutPrefix(key, keyPage); is {
				ids[docs.PageID(id)] = d.over.values[key] != nil
			}
		}
	}
	ix := &indexer{space: d.space, tree: t, parsed: d.parsed}
	var a search.Analyser
	for id, there := range ids {
		if !there {
			continue
		}
		p, err := t.Page(ctx, id)
		if err != nil {
			return nil, err
		}
		var is indexed
		if is.search, is.links, err = ix.page(ctx, p); err != nil {
			return nil, err
		}
		is.search = is.search.Analysed(&a)
		out.ready[id] = is
	}
	return out, nil
}

// discard forgets the layer that was stored and that no space reads.
func (w *Work) discard(ctx context.Context) {
	if w != nil {
		w.filling.discard(ctx)
	}
}
