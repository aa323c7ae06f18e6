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
	applied *Applied
}

// prepareIndex works out what the index will say of the pages of a draft.
func (d *draft) prepareIndex(ctx context.Context) error {
	t := &d.tree
	ids := map[docs.PageID]bool{}
	if d.whole != nil {
		t = &tree{src: d.src, root: *d.whole}
		dl, err := newDelta(ctx, d.src, d.base.Root, *d.whole)
		if err != nil {
			return err
		}
		ids = dl.pages
	} else {
		for _, key := range d.over.from("") {
			if id, is := strings.CutPrefix(key, keyPage); is {
				ids[docs.PageID(id)] = d.over.values[key] != nil
			}
		}
	}
	ix := &indexer{s: d.s, space: d.space, tree: t, parsed: d.parsed}
	var a search.Analyser
	for id, there := range ids {
		if !there {
			continue
		}
		p, err := t.Page(ctx, id)
		if err != nil {
			return err
		}
		var is indexed
		if is.search, is.links, err = ix.page(ctx, p); err != nil {
			return err
		}
		is.search = is.search.Analysed(&a)
		d.ready[id] = is
	}
	return nil
}
