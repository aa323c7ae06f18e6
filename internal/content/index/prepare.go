package index

import (
	"context"
	"maps"
	"slices"

	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/store/searchrows"
)

// Work is the part of a change of the index that an import computes while it reads pages:
// entries in memory, or a layer that is already stored.
type Work struct {
	ready map[docs.PageID]Entry
	bulk  *Bulk
}

// Discard deletes the stored layer, if any, unless a space uses it.
func (w *Work) Discard(ctx context.Context) {
	if w != nil {
		w.bulk.discard(ctx)
	}
}

// Change is what a new revision changes in the index of its space. It is computed
// before the transaction that writes it.
type Change struct {
	Changed   int                    // number of changed pages, files, reusable contents and settings
	Documents []store.StoredDocument // documents before and after the change
	Pages     int64                  // number of new pages minus that of deleted ones
	Files     int64                  // bytes of new files

	language string
	deleted  []string
	pages    []searchrows.Page
	links    []store.LayerPage
	partial  bool // some entries are missing, because of maxHeld: a job rebuilds the index
	bulk     *Bulk
}

// maxHeld is the maximum size of a Change in memory, in bytes: thousands of pages
// may include a large reusable content that changes.
const maxHeld = 64 << 20

// Prepare computes the change of the index that a draft makes. w is the work of an
// import, or nil.
func (x *Index) Prepare(ctx context.Context, r store.Reader, d *revision.Draft, w *Work) (*Change, error) {
	if w == nil {
		w = &Work{}
	}
	dl, err := draftDelta(ctx, d)
	if err != nil {
		return nil, err
	}
	t := d.Tree
	if whole, ok := d.ReplacedTree(); ok {
		t = whole
	}
	ix := &indexer{r: r, space: d.Space, tree: t, parsed: d.Parsed, ready: w.ready}
	return ix.prepare(ctx, dl, w.bulk)
}

// DocumentsOf returns the change of a draft that is not indexed, such as one of a
// change request: it has the documents and the counts alone.
func DocumentsOf(ctx context.Context, d *revision.Draft) (*Change, error) {
	dl, err := draftDelta(ctx, d)
	if err != nil {
		return nil, err
	}
	return &Change{Changed: dl.count, Documents: dl.docs, Pages: dl.came, Files: dl.files}, nil
}

// prepare computes the change that a delta makes. bulk is a layer that is already stored,
// or nil.
func (ix *indexer) prepare(ctx context.Context, dl *delta, bulk *Bulk) (*Change, error) {
	c := &Change{Changed: dl.count, Documents: dl.docs, Pages: dl.came, Files: dl.files, language: ix.space.Language, bulk: bulk}
	var err error
	if bulk != nil {
		err = bulk.rest(ctx, ix.tree, dl)
	} else {
		err = ix.affected(ctx, dl)
	}
	if err != nil {
		return nil, err
	}
	if err := ix.collect(ctx, dl, c); err != nil {
		return nil, err
	}
	c.pages = searchrows.AnalysedPages(c.pages)
	return c, nil
}

// collect adds the entries of a delta to c.
func (ix *indexer) collect(ctx context.Context, dl *delta, c *Change) error {
	for _, id := range slices.Sorted(maps.Keys(dl.reuse)) {
		if !dl.reuse[id] {
			c.deleted = append(c.deleted, string(id))
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
		c.links = append(c.links, lp)
	}
	size := 0
	for _, id := range slices.Sorted(maps.Keys(dl.pages)) {
		if size > maxHeld {
			c.partial = true
			return nil
		}
		p, ok, err := ix.tree.Lookup(ctx, id)
		if err != nil {
			return err
		}
		if !ok {
			c.deleted = append(c.deleted, string(id))
			continue
		}
		is, made := ix.ready[id]
		if !made {
			if is.search, is.links, err = ix.page(ctx, p); err != nil {
				return err
			}
		}
		c.links = append(c.links, is.links)
		if p.Type == docs.PageDocument {
			c.pages = append(c.pages, is.search)
		}
		size += is.Size()
	}
	return nil
}

// Stored returns the number of bytes of sources that were stored in advance.
func (c *Change) Stored() int64 {
	if c.bulk == nil {
		return 0
	}
	return c.bulk.stored
}

// Fits reports whether the space still has the language by which the words of the
// change were analysed.
func (c *Change) Fits(sp docs.Space) bool { return c.language == sp.Language }

// Write writes the change into the current layer of a space, or replaces that layer
// by the one that was stored in advance.
func (c *Change) Write(ctx context.Context, tx *store.Tx, sp docs.Space) error {
	if err := tx.PutDocuments(ctx, sp.ID, c.Documents); err != nil {
		return err
	}
	if c.partial {
		if err := EnqueueRebuild(ctx, tx, sp.ID); err != nil {
			return err
		}
	}
	if c.bulk == nil {
		return c.writeLayer(ctx, tx, sp.Layer)
	}
	layer := c.bulk.layer.Layer
	if err := c.writeLayer(ctx, tx, layer); err != nil {
		return err
	}
	return replaceLayer(ctx, tx, sp, layer)
}

// replaceLayer makes a space use another layer and deletes its old one.
func replaceLayer(ctx context.Context, tx *store.Tx, sp docs.Space, layer string) error {
	if err := tx.SetLayer(ctx, sp.ID, layer); err != nil {
		return err
	}
	return tx.DropLayer(ctx, sp.Layer)
}

// writeLayer writes the entries into a layer.
func (c *Change) writeLayer(ctx context.Context, tx *store.Tx, id string) error {
	links := c.links
	if len(c.deleted) > 0 {
		layer, err := tx.Layer(ctx, id)
		if err != nil {
			return err
		}
		for _, id := range c.deleted {
			gone, err := dropEntry(ctx, tx, layer, id)
			if err != nil {
				return err
			}
			links = append(links, gone...)
		}
	}
	return tx.PutSearchPagesAnd(ctx, id, c.pages, func() error { return tx.PutLayerPages(ctx, id, links) })
}

// dropEntry removes a page or a reusable content from a layer. If the layer has a
// parent, which may have it too, the row that hides it there is returned.
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
