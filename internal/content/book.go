package content

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/octavo-docs/octavo/internal/blob"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/docs/emoji"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/openapi"
	"github.com/octavo-docs/octavo/internal/print/formula"
	"github.com/octavo-docs/octavo/internal/print/pdf"
	"github.com/octavo-docs/octavo/internal/reading"
)

// BookOptions are the contents and the reader of a book.
type BookOptions struct {
	Page docs.PageID // only this page and the pages below it; empty is all
	Only bool        // without the pages below Page
	// Members reports whether the reader may see the members and the name of the
	// organization.
	Members bool
	// FileURL returns an address for a file that the book refers to. Without it,
	// files have no addresses.
	FileURL func(docs.File) string
	// Link returns the address of a target that is not in the book; nil: addresses
	// of the application.
	Link func(docs.Ref) (string, bool)
}

// Book returns a revision as a book. It leaves out pages that are hidden or whose
// condition does not hold for the visitor of the view or for somebody without claims,
// and the pages below them, except for the page of the options. Chapters are read one
// after the other, while the book is written.
func (s *Service) Book(ctx context.Context, v *revision.View, o BookOptions) (pdf.Book, error) {
	v, err := s.WithComputedPages(ctx, v)
	if err != nil {
		return pdf.Book{}, err
	}
	b := &binder{s: s, v: v, o: o, ctx: ctx, pages: map[string]string{}, names: map[docs.UserID]string{}, specs: map[docs.Ref]*openapi.Description{}}
	title, err := b.collect()
	if err != nil {
		return pdf.Book{}, err
	}
	out := pdf.Book{
		Title: title, Date: v.Rev.CreatedAt.Std(),
		Facts:    []string{v.Rev.CreatedAt.Std().Format("2 January 2006"), "Revision " + string(v.Rev.ID)},
		Chapters: b.chapters, Within: b.within, Link: b.link, Name: b.name, Open: b.open, Size: b.size,
		Highlight: s.highlight, Formulas: s.formulas.Begin(ctx, string(v.Space.Org), formula.BookTime), Fonts: s.Fonts, Contents: len(b.list) > 1,
		Missing: func(runes []rune) { s.reportMissing(v, runes) },
	}
	if o.Members {
		org, err := s.Store.Organization(ctx, v.Space.Org)
		if err != nil {
			return out, err
		}
		out.Subtitle = org.Title
	}
	return out, nil
}

// binder puts a book together.
type binder struct {
	s     *Service
	v     *revision.View
	o     BookOptions
	ctx   context.Context
	list  []boundPage
	pages map[string]string // title by id
	names map[docs.UserID]string
	specs map[docs.Ref]*openapi.Description
	err   error // the first error of a callback that cannot return one
}

type boundPage struct {
	docs.Page
	depth int
}

// collect lists the pages of the book and returns its title.
func (b *binder) collect() (string, error) {
	if b.o.Page == "" {
		all, err := b.v.All(b.ctx)
		if err != nil {
			return "", err
		}
		return b.v.Space.Title, b.add(all)
	}
	p, err := b.v.Page(b.ctx, b.o.Page)
	if err != nil {
		return "", err
	}
	if !p.HasPath() {
		return "", errs.Field("page", "names a page without content of its own; choose a document or a group")
	}
	w := &revision.PageNode{Page: p}
	if !b.o.Only {
		if w, err = b.v.Subtree(b.ctx, p); err != nil {
			return "", err
		}
	}
	return p.Title, b.add([]*revision.PageNode{w})
}

// add lists the pages that readers see, and always the page of the options.
func (b *binder) add(top []*revision.PageNode) error {
	vars, err := b.v.Variables(b.ctx)
	if err != nil {
		return err
	}
	reader := cmp.Or(b.v.Visitor(), reading.Nobody)
	var failed error
	menu := reading.NewMenu(top, func(w *revision.PageNode) reading.Entry[*revision.PageNode] {
		seen := w.ID == b.o.Page
		if !seen && failed == nil {
			seen, failed = reader.Listed(b.ctx, w.Hidden, w.Condition, vars, w.Variables)
		}
		return reading.Entry[*revision.PageNode]{Document: w.Type == docs.PageDocument, Listed: w.HasPath() && seen, Children: w.Children}
	})
	menu.Walk(func(w *revision.PageNode, depth int) {
		if _, some := menu.First(w); w.Type == docs.PageGroup && !some && w.ID != b.o.Page {
			return // a title of nothing that readers see
		}
		b.list = append(b.list, boundPage{w.Page, depth})
		b.pages[string(w.ID)] = w.Title
	})
	return failed
}

// chapters reads the pages in order.
func (b *binder) chapters(yield func(pdf.Chapter, error) bool) {
	for _, p := range b.list {
		ch, err := b.chapter(p)
		if err == nil {
			err = b.err
		}
		if !yield(ch, err) || err != nil {
			return
		}
	}
	if b.err != nil {
		yield(pdf.Chapter{}, b.err)
	}
}

func (b *binder) chapter(p boundPage) (pdf.Chapter, error) {
	ch := pdf.Chapter{ID: string(p.ID), Title: p.Title, Description: p.Description, Depth: p.depth, Icon: p.Icon}
	if emoji := emoji.FromCode(p.Emoji); emoji != "" {
		ch.Title, ch.Icon = emoji+" "+p.Title, ""
	}
	if p.Type != docs.PageDocument {
		return ch, nil
	}
	doc, err := reading.Document(b.ctx, b.v.Reading(p.Page), reading.Form{Includes: true, Evaluation: reading.EvaluateAll})
	if err != nil {
		return ch, err
	}
	ch.Document = b.withSpecs(doc)
	return ch, nil
}

func (b *binder) within(page string) bool {
	_, ok := b.pages[page]
	return ok
}

// note keeps the first error that is not errs.NotFound. It reports whether err is nil.
func (b *binder) note(err error) bool {
	if err != nil && b.err == nil && !errs.Is(err, errs.NotFound) {
		b.err = err
	}
	return err == nil
}

// link returns the address of a target that is not in the book.
func (b *binder) link(ref markup.Ref) (string, bool) {
	if b.o.Link != nil {
		return b.o.Link(ref)
	}
	base, space := b.s.BaseURL, string(b.v.Space.ID)
	if ref.Space != "" {
		space = ref.Space
	}
	if base == "" {
		return "", false
	}
	switch ref.Kind {
	case markup.RefSpace:
		return reading.SpaceURL(base, ref.Space), true
	case markup.RefPage, markup.RefAnchor:
		return reading.PageURL(base, space, ref.Page), ref.Page != ""
	case markup.RefFile:
		if b.o.FileURL == nil || ref.Space != "" {
			return "", false
		}
		f, err := b.v.File(b.ctx, docs.FileID(ref.File))
		if !b.note(err) {
			return "", false
		}
		return b.o.FileURL(f), true
	}
	return "", false
}

// name returns the title of the target of a reference.
func (b *binder) name(ref markup.Ref) (string, bool) {
	if ref.Space != "" && ref.Kind != markup.RefSpace {
		return "", false // of another space, which the reader may not see
	}
	switch ref.Kind {
	case markup.RefPage, markup.RefAnchor:
		if title, ok := b.pages[ref.Page]; ok {
			return title, true
		}
		p, err := b.v.Page(b.ctx, docs.PageID(ref.Page))
		return p.Title, b.note(err)
	case markup.RefFile:
		f, err := b.v.File(b.ctx, docs.FileID(ref.File))
		return f.Name, b.note(err)
	case markup.RefUser:
		return b.user(docs.UserID(ref.User))
	}
	return "", false
}

func (b *binder) user(id docs.UserID) (string, bool) {
	if !b.o.Members {
		return "", false
	}
	name, ok := b.names[id]
	if !ok {
		m, err := b.s.Store.Member(b.ctx, b.v.Space.Org, id)
		if b.note(err) {
			name = m.User.DisplayName
		}
		b.names[id] = name
	}
	return name, name != ""
}

// open opens a file of the space.
func (b *binder) open(ref markup.Ref) (io.ReadCloser, error) {
	if ref.Kind != markup.RefFile || ref.Space != "" {
		return nil, errs.Missing("file")
	}
	f, err := b.v.File(b.ctx, docs.FileID(ref.File))
	if !b.note(err) {
		return nil, err
	}
	h, err := blob.ParseHash(f.Blob)
	if err != nil {
		return nil, err
	}
	return b.s.Blobs.Open(b.ctx, h)
}

// size returns the size of a file of the space.
func (b *binder) size(ref markup.Ref) (int64, bool) {
	if ref.Kind != markup.RefFile || ref.Space != "" {
		return 0, false
	}
	f, err := b.v.File(b.ctx, docs.FileID(ref.File))
	return f.Size, b.note(err)
}

// maxReported is the maximum number of characters in one line of the log.
const maxReported = 40

// reportMissing logs the characters of a book that no font has.
func (s *Service) reportMissing(v *revision.View, runes []rune) {
	if s.Log == nil {
		return
	}
	codes := make([]string, 0, maxReported)
	for _, r := range runes[:min(len(runes), maxReported)] {
		codes = append(codes, fmt.Sprintf("U+%04X", r))
	}
	s.Log.Warn("a PDF has characters that no font has; they are shown as boxes; name a font with --pdf-font",
		"space", v.Space.ID, "revision", v.Rev.ID, "characters", len(runes), "code points", codes)
}
