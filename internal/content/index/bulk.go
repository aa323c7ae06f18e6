package index

import (
	"context"

	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/store/searchrows"
)

// Bulk stores the result of a large import while the import is running: sources,
// and a new layer of the index, which the space uses from the commit on. Portions
// are stored in the background, each in its own transaction, so that memory is
// bounded and other writers do not wait for the whole import. An import of less
// than one portion is written by the commit alone.
type Bulk struct {
	s       *Index
	space   docs.Space
	unsaved *revision.Unsaved
	layer   *searchrows.Bulk
	pages   map[docs.PageID]bool // pages of the layer

	next  portion
	links int          // number of links in next
	queue chan portion // nil before the first portion
	ended chan error

	stored int64 // bytes of the stored sources; valid after finish
}

// portion is what one transaction stores.
type portion struct {
	search []searchrows.Page
	links  []store.LayerPage
	size   int
}

const (
	// maxPortion is the size of a portion in bytes of text.
	maxPortion = 2 << 20
	// maxWaiting is the number of portions that may wait to be stored, because
	// some take longer than others.
	maxWaiting = 4
	// manyLinks is the least number of links that are stored together. The database
	// sorts them by target, so a small batch writes to as many places as a large one.
	manyLinks = 16 << 10
)

// fewBefore is how many times as many pages as before an import must have to be
// written to a new layer, which has to hold the unchanged pages too.
const fewBefore = 8

// Begin returns the work of an import of so many pages. If the space had few pages
// before, their entries are stored in a new layer while they are added.
func (x *Index) Begin(ctx context.Context, d *revision.Draft, pages int) (*Work, error) {
	w := &Work{ready: map[docs.PageID]Entry{}}
	before := 0
	err := d.Before().Scan(ctx, revision.KeyPage, "", func(string, []byte) (bool, error) {
		before++
		return before*fewBefore <= pages, nil
	})
	if err != nil || before*fewBefore > pages {
		return w, err
	}
	w.bulk = newBulk(x, d.Space)
	w.bulk.unsaved, d.Uncached = d.Unsaved, true
	return w, nil
}

func newBulk(s *Index, sp docs.Space) *Bulk {
	return &Bulk{s: s, space: sp, unsaved: &revision.Unsaved{}, pages: map[docs.PageID]bool{}}
}

// add adds the entry of a page whose text has size bytes.
func (f *Bulk) add(ctx context.Context, p docs.Page, is Entry, size int) error {
	f.pages[p.ID] = true
	f.next.links = append(f.next.links, is.links)
	f.links += len(is.links.Links)
	if p.Type == docs.PageDocument {
		f.next.search = append(f.next.search, is.search)
	}
	if f.next.size += size; f.next.size < maxPortion {
		return nil
	}
	if err := f.begin(ctx); err != nil {
		return err
	}
	send := f.next
	f.next = portion{}
	if f.links < manyLinks {
		send.links, f.next.links = nil, send.links
	} else {
		f.links = 0
	}
	f.queue <- send
	return nil
}

// begin creates the layer and starts to store portions, unless it has done so.
func (f *Bulk) begin(ctx context.Context) error {
	if f.queue != nil {
		return nil
	}
	f.layer = searchrows.NewBulk(docs.NewID[string](f.s.Store.Clock()))
	err := f.s.Store.Do(ctx, func(tx *store.Tx) error { return tx.AddLayer(ctx, store.Layer{ID: f.layer.Layer}) })
	if err != nil {
		return err
	}
	f.queue, f.ended = make(chan portion, maxWaiting), make(chan error, 1)
	go func() { f.ended <- f.run(ctx) }()
	return nil
}

// run stores the portions of the queue.
func (f *Bulk) run(ctx context.Context) (err error) {
	for p := range f.queue {
		if err == nil {
			err = f.store(ctx, p)
		}
		if err == nil && f.layer.Full() {
			err = f.pack(ctx)
		}
	}
	return err
}

// store stores a portion and the sources composed so far.
func (f *Bulk) store(ctx context.Context, p portion) error {
	objects := f.unsaved.All()
	stored, err := f.s.Store.PrepareObjects(ctx, objects)
	if err != nil {
		return err
	}
	err = f.s.Store.Do(ctx, func(tx *store.Tx) error {
		if err := tx.PutObjects(ctx, stored); err != nil {
			return err
		}
		if err := tx.PutNewLayerPages(ctx, f.layer.Layer, p.links); err != nil {
			return err
		}
		return tx.PutBulk(ctx, f.layer, p.search)
	})
	if err == nil {
		f.unsaved.Drop(objects)
		f.stored += stored.Size()
	}
	return err
}

func (f *Bulk) pack(ctx context.Context) error {
	packed := f.layer.TakeSegment()
	return f.s.Store.Do(ctx, func(tx *store.Tx) error { return tx.PutBulkSegment(ctx, f.layer, packed) })
}

// Finish ends the work after all pages were added. Less than one portion is left
// to the commit.
func (w *Work) Finish(ctx context.Context) error {
	f := w.bulk
	switch {
	case f == nil:
		return nil
	case f.queue != nil:
		return f.finish(ctx)
	}
	w.bulk = nil
	for _, is := range f.next.links {
		w.ready[docs.PageID(is.ID)] = Entry{links: is}
	}
	for _, is := range f.next.search {
		known := w.ready[docs.PageID(is.Page)]
		known.search = is
		w.ready[docs.PageID(is.Page)] = known
	}
	return nil
}

// finish stores the last portion and waits for those before it.
func (f *Bulk) finish(ctx context.Context) error {
	f.queue <- f.next
	f.next = portion{}
	close(f.queue)
	if err := <-f.ended; err != nil {
		return err
	}
	return f.pack(ctx)
}

// stop ends the work after an error, without the last portion.
func (f *Bulk) stop() {
	if f != nil && f.queue != nil {
		close(f.queue)
		<-f.ended
	}
}

// rest sets dl to the pages and reusable contents of a tree that the layer lacks.
func (f *Bulk) rest(ctx context.Context, t *revision.Tree, dl *delta) error {
	clear(dl.pages)
	clear(dl.reuse)
	all, err := t.Reusables(ctx)
	if err != nil {
		return err
	}
	for _, r := range all {
		dl.reuse[r.ID] = true
	}
	return t.Scan(ctx, revision.KeyPage, "", func(id string, _ []byte) (bool, error) {
		if !f.pages[docs.PageID(id)] {
			dl.pages[docs.PageID(id)] = true
		}
		return true, nil
	})
}

// discard deletes the layer unless a space uses it. An error is only logged, because
// the result of the import does not depend on it: TidySearch tries again.
func (f *Bulk) discard(ctx context.Context) {
	if f == nil || f.layer == nil {
		return
	}
	ctx = context.WithoutCancel(ctx)
	err := f.s.Store.Do(ctx, func(tx *store.Tx) error { return tx.DropLayer(ctx, f.layer.Layer) })
	if err != nil && !errs.Is(err, errs.NotFound) && f.s.Log != nil {
		f.s.Log.Warn("the prepared index of an import could not be deleted; the job search.tidy will try again", "layer", f.layer.Layer, "error", err)
	}
}

// Add adds the entry of a page whose text has size bytes.
func (w *Work) Add(ctx context.Context, p docs.Page, is Entry, size int) error {
	if w.bulk != nil {
		return w.bulk.add(ctx, p, is, size)
	}
	w.ready[p.ID] = is
	return nil
}

// Stop ends the work after an error.
func (w *Work) Stop() { w.bulk.stop() }
