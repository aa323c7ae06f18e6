package index

import (
	"context"
	"maps"
	"slices"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/revision"
	"github.com/octavo-docs/octavo/internal/search"
	"github.com/octavo-docs/octavo/internal/store"
)

// Work is what an import worked out for the index while it read pages: what the
// index says of some of them, or a layer that was stored already.
type Work struct {
	ready map[docs.PageID]Entry
	bulk  *Bulk
}

// Discard forgets the layer that was stored and that no space reads.
func (w *Work) Discard(ctx context.Context) {
	if w != nil {
		w.bulk.discard(ctx)
	}
}

// Update is what a new revision changes in the index of its space. It is worked
// out before the transaction that writes it.
type Update struct {
	Changed   int                    // how many pages, files and contents differ
	Documents []store.StoredDocument // those that came or went

	language string
	deleted  []string
	pages    []store.SearchPage
	links    []store.LayerPage
	rest     *delta // what is too much to hold in memory: it is worked out while it is written
	bulk     *Bulk
}

// maxHeld is how much of an update is held in memory, in bytes: a reusable
// content that changes may be large, and thousands of pages may include it.
const maxHeld = 64 << 20

// Prepare works out what the index will say of a draft. w is what an import
// knows already; nil is nothing.
func (x *Index) Prepare(ctx context.Context, r store.Reader, d *revision.Draft, w *Work) (*Update, error) {
	if w == nil {
		w = &Work{}
	}
	dl, err := draftDelta(ctx, d)
	if err != nil {
		return nil, err
	}
	u := &Update{Changed: dl.count, Documents: dl.docs, language: d.Space.Language, bulk: w.bulk}
	if w.bulk != nil {
		return u, nil // what the layer lacks is looked for when it becomes that of the space
	}
	t := d.Tree
	if whole, ok := d.Adopted(); ok {
		t = whole
	}
	ix := &indexer{r: r, space: d.Space, tree: t, parsed: d.Parsed, ready: w.ready}
	if err := ix.affected(ctx, dl); err != nil {
		return nil, err
	}
	return u, ix.collect(ctx, dl, u)
}

// DocumentsOf returns the documents that come or go with a draft, and how many
// things differ.
func DocumentsOf(ctx context.Context, d *revision.Draft) (*Update, error) {
	dl, err := draftDelta(ctx, d)
	if err != nil {
		return nil, err
	}
	return &Update{Changed: dl.count, Documents: dl.docs}, nil
}

// collect works out the entries of a delta.
func (ix *indexer) collect(ctx context.Context, dl *delta, u *Update) error {
	for _, id := range slices.Sorted(maps.Keys(dl.reuse)) {
		if !dl.reuse[id] {
			u.deleted = append(u.deleted, string(id))
			continue
		}
		r, err := ix.tree.Reusable(ctx, id)
		if err != nil {
			return err
		}
		lp, err := ix.reusable(ctx, r)
		if err != nil {
			return err
		}
		u.links = append(u.links, lp)
	}
	var a search.Analyser
	size := 0
	for _, id := range slices.Sorted(maps.Keys(dl.pages)) {
		if size > maxHeld {
			if u.rest == nil {
				u.rest = &delta{pages: map[docs.PageID]bool{}}
			}
			u.rest.pages[id] = true
			continue
		}
		p, ok, err := ix.tree.Lookup(ctx, id)
		if err != nil {
			return err
		}
		if !ok {
			u.deleted = append(u.deleted, string(id))
			continue
		}
		is, made := ix.ready[id]
		if !made {
			if is, err = ix.entry(ctx, p, &a); err != nil {
				return err
			}
		}
		u.links = append(u.links, is.links)
		if p.Type == docs.PageDocument {
			u.pages = append(u.pages, is.search)
		}
		size += is.Size()
	}
	return nil
}

// Fits reports whether the update can still be written for a space: its words
// were counted by the rules of a language.
func (u *Update) Fits(sp docs.Space) bool { return u.language == sp.Language }

// Write writes an update into the layer that the space has now. rev is the
// revision that the update leads to, from its base.
func (x *Index) Write(ctx context.Context, tx *store.Tx, u *Update, base, rev docs.Revision) error {
	if err := tx.PutDocuments(ctx, rev.Space, u.Documents); err != nil {
		return err
	}
	now, err := tx.Space(ctx, rev.Space) // it may read through another layer since the draft was begun
	if err != nil {
		return err
	}
	sp := now.It
	ix := &indexer{r: tx.Reader, tx: tx, space: sp, tree: x.Source.Tree(tx.Reader, rev.Root)}
	if u.bulk != nil {
		return ix.useBulk(ctx, u.bulk, base)
	}
	if err := ix.write(ctx, u); err != nil || u.rest == nil {
		return err
	}
	return ix.apply(ctx, u.rest)
}

// write writes what was worked out.
func (ix *indexer) write(ctx context.Context, u *Update) error {
	layer, err := ix.tx.Layer(ctx, ix.space.Layer)
	if err != nil {
		return err
	}
	links := u.links
	for _, id := range u.deleted {
		gone, err := ix.drop(ctx, layer, id)
		if err != nil {
			return err
		}
		links = append(links, gone...)
	}
	return ix.tx.PutSearchPagesAnd(ctx, layer.ID, u.pages, func() error { return ix.tx.PutLayerPages(ctx, layer.ID, links) })
}

// drop removes a page or a reusable content from a layer. Where a lower layer
// may know it, the row that hides that is returned.
func (ix *indexer) drop(ctx context.Context, layer store.Layer, id string) ([]store.LayerPage, error) {
	covered := layer.Parent != ""
	if err := ix.tx.DropSearchPage(ctx, layer.ID, id, covered); err != nil {
		return nil, err
	}
	if covered {
		return []store.LayerPage{{ID: id, Gone: true}}, nil
	}
	return nil, ix.tx.DropLayerPage(ctx, layer.ID, id)
}

// useBulk makes a layer that was stored beside the one of the space.
func (ix *indexer) useBulk(ctx context.Context, b *Bulk, base docs.Revision) error {
	if !b.fits(ix.space) {
		return ix.update(ctx, base.Root)
	}
	old := ix.space.Layer
	ix.space.Layer, ix.bulk = b.layer.Layer, b
	if err := ix.update(ctx, base.Root); err != nil {
		return err
	}
	if err := ix.tx.SetLayer(ctx, ix.space.ID, ix.space.Layer); err != nil {
		return err
	}
	return ix.tx.DropLayer(ctx, old)
}
