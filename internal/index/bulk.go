package index

import (
	"context"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/revision"
	"github.com/octavo-docs/octavo/internal/store"
)

// Bulk stores what a large import makes while it is being made: sources,
// and a layer of the index that the space reads from the commit on. Writing
// goes on beside reading, others write between two portions, and memory holds
// no more than some of them. An import of less than a portion leaves all to
// the commit.
type Bulk struct {
	s       *Index
	space   docs.Space
	unsaved *revision.Unsaved
	layer   *store.BulkIndex
	pages   map[docs.PageID]bool // that the layer has

	next  portion
	links int          // of the pages of next
	queue chan portion // nil: nothing was stored yet
	ended chan error

	stored int64 // bytes of the sources; complete when the layer is
}

// portion is what one transaction stores.
type portion struct {
	search []store.SearchPage
	links  []store.LayerPage
	size   int
}

const (
	// maxPortion is how many bytes of text make a portion.
	maxPortion = 2 << 20
	// maxWaiting is how many portions may wait to be stored: some take longer
	// than others.
	maxWaiting = 4
	// manyLinks is how many of them are stored together. They are found by
	// their targets, which are all over the database.
	manyLinks = 16 << 10
)

// fewBefore is how small a part of an import the pages may be that were there
// before: a new layer is for all of them, changed or not.
const fewBefore = 8

// Begin begins to store what the index is going to say of so many pages, if
// there were few before.
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

// add takes what the index says of a page with so many bytes of text.
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

// begin makes the layer.
func (f *Bulk) begin(ctx context.Context) error {
	if f.queue != nil {
		return nil
	}
	f.layer = store.NewBulkIndex(docs.NewID[string](f.s.Store.Clock()))
	err := f.s.Store.Do(ctx, func(tx *store.Tx) error { return tx.AddLayer(ctx, store.Layer{ID: f.layer.Layer}) })
	if err != nil {
		return err
	}
	f.queue, f.ended = make(chan portion, maxWaiting), make(chan error, 1)
	go func() { f.ended <- f.run(ctx) }()
	return nil
}

// run stores the portions that come.
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

// store stores a portion, and the sources that are there by now.
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
		return tx.PutBulk(ctx, f.layer, p.search, p.links)
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

// Finish ends what Begin began. What fits one portion waits for the commit.
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

// finish stores the rest.
func (f *Bulk) finish(ctx context.Context) error {
	f.queue <- f.next
	f.next = portion{}
	close(f.queue)
	if err := <-f.ended; err != nil {
		return err
	}
	return f.pack(ctx)
}

// stop ends without the rest, because of an error.
func (f *Bulk) stop() {
	if f != nil && f.queue != nil {
		close(f.queue)
		<-f.ended
	}
}

// rest returns what the layer lacks of a tree.
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

// discard forgets the layer unless a space reads it. Where that fails, TidySearch
// does it: whatever came before has succeeded or failed without it.
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

// Add takes what the index says of a page with so many bytes of text.
func (w *Work) Add(ctx context.Context, p docs.Page, is Entry, size int) error {
	if w.bulk != nil {
		return w.bulk.add(ctx, p, is, size)
	}
	w.ready[p.ID] = is
	return nil
}

// Stop ends without the rest, because of an error.
func (w *Work) Stop() { w.bulk.stop() }
