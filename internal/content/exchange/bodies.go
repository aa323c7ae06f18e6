package exchange

import (
	"context"
	"slices"

	"github.com/octavo-docs/octavo/internal/budget"
	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/content/git"
	"github.com/octavo-docs/octavo/internal/content/index"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
)

// bodies composes the source of every page. Parsing takes most of the time of an import, so all
// processors take part.
func (im *importer) bodies(ctx context.Context) error {
	for _, in := range im.tree.Includes {
		_, id, _, err := im.draft.Named(ctx, in.File)
		if err != nil {
			return err
		}
		r, err := im.draft.Reusable(ctx, docs.ReusableID(id))
		if err != nil {
			return err
		}
		if r.Body != "" && im.same(in.File) {
			continue
		}
		if r.Body, r.Sidecar, _, err = im.draft.Compose(ctx, revision.ReusableText(r), &revision.Writing{Path: in.File, Markdown: in.Source, Whole: true, Written: im.paired}); err != nil {
			return err
		}
		if err := im.draft.PutReusable(r); err != nil {
			return err
		}
	}
	var err error
	if im.taken, err = im.takesPlaces(ctx); err != nil {
		return err
	}
	if err := im.refer(ctx); err != nil {
		return err
	}
	work := im.todo
	slices.SortFunc(work, func(a, b *folder.Page) int { return compareIDs(im.ids[a], im.ids[b]) })
	im.draft.Keys() // sort now: it must not happen while several goroutines read
	if im.work, err = im.x.Index.Begin(ctx, im.draft, len(work)); err != nil {
		return err
	}
	pages, err := im.composeAll(ctx, work)
	if err != nil {
		im.work.Stop()
		return err
	}
	for id, data := range pages {
		im.draft.Set(revision.PageKey(id), data) // the keys of its place are already set
	}
	return im.work.Finish(ctx)
}

// composeAll composes the bodies of pages, several at once, and returns the pages in their stored
// form. Pages are indexed in their order, which decides between results of equal rank.
func (im *importer) composeAll(ctx context.Context, work []*folder.Page) (map[docs.PageID][]byte, error) {
	type making struct {
		fp      *folder.Page
		made    chan composed
		release func()
	}
	whole := ctx // the context of the whole import
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	next, order := make(chan making), make(chan making, 64)
	for range budget.Processors() {
		go func() {
			for m := range next {
				m.made <- im.body(ctx, m.fp)
			}
		}()
	}
	go func() {
		defer close(next)
		for _, fp := range work {
			// Wait here, in the order of the pages. If each page waited in its own goroutine,
			// later pages could hold the budget that an earlier one waits for, while they
			// wait for it to be collected: a deadlock.
			release, err := im.x.parse(ctx, im.draft.Space.Org, len(fp.Source))
			m := making{fp, make(chan composed, 1), release}
			order <- m
			if err != nil {
				m.made <- composed{err: err}
				continue
			}
			next <- m
		}
	}()
	out := make(map[docs.PageID][]byte, len(work))
	var failed error
	for i := range work {
		if i%100 == 0 {
			im.step("pages", i, len(work))
		}
		m := <-order
		r := <-m.made
		if failed == nil {
			failed = r.err
		}
		if failed != nil {
			stop() // the loop goes on until all goroutines have ended
		} else {
			out[r.page.ID] = r.data
			if r.ready != nil {
				failed = im.work.Add(whole, r.page, *r.ready, r.size)
			}
		}
		if m.release != nil {
			m.release()
		}
	}
	return out, failed
}

func compareIDs(a, b docs.PageID) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// hasWork reports whether a page has a source or a target.
func hasWork(fp *folder.Page) bool { return fp.Type == folder.Document || fp.Type == folder.Link }

// composed is a page with its source in its stored form, and its entries for the index.
type composed struct {
	page  docs.Page
	data  []byte
	size  int // of the text
	ready *index.Entry
	err   error
}

// body composes the source of a page. It only reads the draft, so that several bodies can be made
// at once.
func (im *importer) body(ctx context.Context, fp *folder.Page) composed {
	out := im.compose(ctx, fp)
	if out.err == nil {
		out.data, out.err = im.draft.StampPage(ctx, &out.page)
	}
	return out
}

func (im *importer) compose(ctx context.Context, fp *folder.Page) (out composed) {
	if out.err = ctx.Err(); out.err != nil {
		return out
	}
	out.page, out.err = im.draft.Page(ctx, im.ids[fp])
	if out.err != nil {
		return out
	}
	p := &out.page
	file := fp.File
	l := im.draft.Linker(ctx, file)
	if fp.Type == folder.Link {
		if ref, ok := l.Current(fp.Target, markup.UseLink); ok && (ref.Kind != markup.RefAnchor || ref.Page != "") {
			p.Target = &ref
		}
		out.err = l.Err
		return out
	}
	if fp.Source == nil { // the file and the places of its targets are unchanged
		return out
	}
	if im.where[file] == p.ID && im.same(file) && !im.tied[p.ID] {
		if stays, err := im.asWritten(ctx, fp, *p); stays || err != nil {
			out.err = err
			return out
		}
	}
	p.Cover = revision.CoverOf(fp.Head, l)
	old, err := im.draft.Bytes(ctx, p.Body)
	if err != nil {
		out.err = err
		return out
	}
	if !im.paired && p.Body != "" && string(old) == string(fp.Source) && im.moved[file] == "" {
		lost, err := im.refersToDeleted(ctx, *p)
		if err == nil && !lost {
			lost, err = im.refersElsewhere(ctx, fp, *p)
		}
		if !lost || err != nil {
			out.err = err
			return out // unchanged: its references keep their targets
		}
	}
	var doc *markup.Document
	x := revision.Text{Owner: string(p.ID), File: file}
	if p.Body != "" {
		x.Body, x.Sidecar = p.Body, p.Sidecar
	}
	if p.Body, p.Sidecar, doc, out.err = im.draft.Compose(ctx, x, &revision.Writing{Path: file, Markdown: fp.Source, Whole: true, Given: &fp.Head, Written: im.paired}); out.err != nil {
		return out
	}
	p.OID = git.BlobOID(fp.Source)
	ready, err := index.PageEntry(ctx, im.draft.Tree, im.draft.Space, *p, doc)
	if out.err = err; err == nil {
		out.ready, out.size = &ready, max(len(fp.Source), ready.Size()) // included content may be larger than the page
		fp.Source = nil                                                 // free the memory
	}
	return out
}

// refersElsewhere reports whether a path on an unchanged page led to something whose place
// something else took.
func (im *importer) refersElsewhere(ctx context.Context, fp *folder.Page, p docs.Page) (bool, error) {
	if !im.taken || im.where[fp.File] != p.ID {
		return false, nil
	}
	stays, err := im.asWritten(ctx, fp, p)
	return !stays, err
}

// refersToDeleted reports whether a page refers to something that was deleted. Its references are
// resolved again, because a file of the folder in the same place is a new one.
func (im *importer) refersToDeleted(ctx context.Context, p docs.Page) (bool, error) {
	s, err := im.draft.Sidecar(ctx, p.Sidecar)
	if err != nil {
		return false, err
	}
	l := im.draft.Linker(ctx, "")
	for _, ref := range s.Links {
		if _, gone := l.Tombstone(ref); gone {
			return true, l.Err
		}
	}
	return false, l.Err
}
