package index

import (
	"context"
	"maps"
	"slices"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/revision"
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
	Pages     int64                  // how many more there are
	Files     int64                  // bytes of those that came

	language string
	deleted  []string
	pages    []store.SearchPage
	links    []store.LayerPage
	partial  bool // it is too much to hold in memory: a job indexes the space anew
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
	t := d.Tree
	if whole, ok := d.Adopted(); ok {
		t = whole
	}
	ix := &indexer{r: r, space: d.Space, tree: t, parsed: d.Parsed, ready: w.ready}
	return ix.prepare(ctx, dl, w.bulk)
}

// DocumentsOf returns the documents that come or go with a draft, and how many
// things differ.
func DocumentsOf(ctx context.Context, d *revision.Draft) (*Update, error) {
	dl, err := draftDelta(ctx, d)
	if err != nil {
		return nil, err
	}
	return &Update{Changed: dl.count, Documents: dl.docs, Pages: dl.came, Files: dl.files}, nil
}

// prepare works out the update of a delta. bulk is a layer that was stored
// already; nil is none.
func (ix *indexer) prepare(ctx context.Context, dl *delta, bulk *Bulk) (*Update, error) {
	u := &Update{Changed: dl.count, Documents: dl.docs, Pages: dl.came, Files: dl.files, language: ix.space.Language, bulk: bulk}
	var err error
	if bulk != nil {
		err = bulk.rest(ctx, ix.tree, dl)
	} else {
		err = ix.affected(ctx, dl)
	}
	if err != nil {
		return nil, err
	}
	if err := ix.collect(ctx, dl, u); err != nil {
		return nil, err
	}
	u.pages = store.AnalysedPages(u.pages)
	return u, nil
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
	size := 0
	for _, id := range slices.Sorted(maps.Keys(dl.pages)) {
		if size > maxHeld {
			u.partial = true
			return nil
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
			if is.search, is.links, err = ix.page(ctx, p); err != nil {
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

// Stored returns the bytes of sources that were stored in advance.
func (u *Update) Stored() int64 {
	if u.bulk == nil {
		return 0
	}
	return u.bulk.stored
}

// Fits reports whether the update can still be written for a space: its words
// were counted by the rules of a language.
func (u *Update) Fits(sp docs.Space) bool { return u.language == sp.Language }

// Write writes an update into the layer that a space has now, for its newest
// revision.
func (u *Update) Write(ctx context.Context, tx *store.Tx, sp docs.Space) error {
	if err := tx.PutDocuments(ctx, sp.ID, u.Documents); err != nil {
		return err
	}
	if u.partial {
		if err := EnqueueRebuild(ctx, tx, sp.ID); err != nil {
			return err
		}
	}
	if u.bulk == nil {
		return u.writeLayer(ctx, tx, sp.Layer)
	}
	layer := u.bulk.layer.Layer
	if err := u.writeLayer(ctx, tx, layer); err != nil {
		return err
	}
	return replaceLayer(ctx, tx, sp, layer)
}

// replaceLayer lets a space read another layer.
func replaceLayer(ctx context.Context, tx *store.Tx, sp docs.Space, layer string) error {
	if err := tx.SetLayer(ctx, sp.ID, layer); err != nil {
		return err
	}
	return tx.DropLayer(ctx, sp.Layer)
}

// writeLayer writes the entries into a layer.
func (u *Update) writeLayer(ctx context.Context, tx *store.Tx, id string) error {
	links := u.links
	if len(u.deleted) > 0 {
		layer, err := tx.Layer(ctx, id)
		if err != nil {
			return err
		}
		for _, id := range u.deleted {
			gone, err := dropEntry(ctx, tx, layer, id)
			if err != nil {
				return err
			}
			links = append(links, gone...)
		}
	}
	return tx.PutSearchPagesAnd(ctx, id, u.pages, func() error { return tx.PutLayerPages(ctx, id, links) })
}

// dropEntry removes a page or a reusable content from a layer. Where a lower
// layer may know it, the row that hides that is returned.
func dropEntry(ctx context.Context, tx *store.Tx, layer store.Layer, id string) ([]store.LayerPage, error) {
	covered := layer.Parent != ""
	if err := tx.DropSearchPage(ctx, layer.ID, id, covered); err != nil {
		return nil, err
	}
	if covered {
		return []store.LayerPage{{ID: id, Gone: true}}, nil
	}
	return nil, tx.DropLayerPage(ctx, layer.ID, id)
}
