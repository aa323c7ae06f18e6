package export

import (
	"context"
	"fmt"
	"html"
	"io"
	"strings"
	"time"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/docs/emoji"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/reading"
	"github.com/octavo-docs/octavo/internal/site/audience"
	"github.com/octavo-docs/octavo/internal/site/publish/edition"
	"github.com/octavo-docs/octavo/internal/site/publish/export/epub"
	"github.com/octavo-docs/octavo/internal/site/publish/page"
)

// chapterFile is the name of the file of a page, in the folder of that page.
const chapterFile = "index.xhtml"

// Book describes the content of a book: one space, or the spaces of a site that a visitor
// without claims sees.
type Book struct {
	ID     string
	Title  string
	Spaces []BookSpace
}

// BookSpace is a part of a book.
type BookSpace struct {
	Title string // empty for the only part of a book
	Path  string // folder of the part in the book
	Space docs.SpaceID
}

// BookOfSite returns the book of a site.
func BookOfSite(ctx context.Context, pages *page.Shared, site docs.Site) (Book, error) {
	b := Book{ID: string(site.ID), Title: site.Title}
	s, err := pages.StateOf(ctx, site)
	if err != nil {
		return b, err
	}
	if s.Settings.Title != "" {
		b.Title = s.Settings.Title
	}
	tree, err := pages.Audience.PublicStructure(ctx, site)
	if err != nil {
		return b, err
	}
	if tree, err = audience.Visible(ctx, tree, reading.Nobody); err != nil {
		return b, err
	}
	language, err := pages.Audience.Languages(ctx, site.ID)
	if err != nil {
		return b, err
	}
	for _, it := range tree.AllListed() {
		lang := language[it.Space]
		part := BookSpace{Title: it.TitleIn(lang), Path: it.Address, Space: it.Space}
		if sec, err := tree.Item(docs.SiteSection, it.Parent); err == nil {
			part.Title = sec.TitleIn(lang)
			if len(tree.Listed(sec.ID, "")) > 1 {
				part.Title += ": " + it.TitleIn(lang)
			}
		}
		b.Spaces = append(b.Spaces, part)
	}
	if len(b.Spaces) == 1 {
		b.Spaces[0].Title = ""
	}
	return b, nil
}

// binder renders pages as chapters of a book.
type binder struct {
	*page.Shared
	ctx   context.Context
	book  Book
	parts []*edition.Edition
	used  map[string]usedFile
}

// EPUB writes a book in the format EPUB.
func EPUB(ctx context.Context, pages *page.Shared, b Book, w io.Writer) error {
	if len(b.Spaces) == 0 {
		return errs.E(errs.Precondition, "there is no content for a book; add a space to the site first")
	}
	x := &binder{Shared: pages, ctx: ctx, book: b, used: map[string]usedFile{}}
	about := epub.Book{ID: "urn:octavo:" + b.ID, Title: b.Title}
	for _, part := range b.Spaces {
		view, err := pages.View(ctx, part.Space)
		if err != nil {
			return err
		}
		if view, err = pages.Content.WithComputedPages(ctx, view); err != nil {
			return err
		}
		e, err := edition.New(ctx, view.For(reading.Nobody), "")
		if err != nil {
			return err
		}
		x.parts = append(x.parts, e)
		if about.Language == "" {
			about.Language = e.Space.Language
		}
		if at := view.Rev.CreatedAt.Std(); at.After(about.Modified) {
			about.Modified = at
		}
	}
	about.Subtitle = about.Modified.UTC().Format(time.DateOnly)
	return epub.Write(w, about, epub.Source{Chapters: x.chapters, Open: x.open})
}

// chapters calls fn for each chapter in order.
func (x *binder) chapters(fn func(epub.Chapter) error) error {
	for i, part := range x.book.Spaces {
		depth := 0
		if part.Title != "" && x.parts[i].Home != "" {
			if err := fn(epub.Chapter{Title: part.Title}); err != nil {
				return err
			}
			depth = 1
		}
		if err := x.below(i, nil, depth, fn); err != nil {
			return err
		}
	}
	return nil
}

func (x *binder) below(i int, n *edition.Node, depth int, fn func(epub.Chapter) error) error {
	e := x.parts[i]
	return e.EachBelow(x.ctx, n, func(c *edition.Node) (bool, error) {
		var ch epub.Chapter
		var err error
		switch c.Type {
		case docs.PageDocument:
			ch, err = x.chapter(i, c)
		case docs.PageGroup:
			if some, err := e.First(x.ctx, c); err != nil || some == nil {
				return true, err // no document to list
			}
			ch = epub.Chapter{Title: c.Title}
		default:
			return true, nil
		}
		ch.Depth, ch.Unlisted = depth, !c.Listed
		if err == nil {
			err = fn(ch)
		}
		if err == nil {
			err = x.below(i, c, depth+1, fn)
		}
		return true, err
	})
}

// chapter renders a page as a chapter.
func (x *binder) chapter(i int, n *edition.Node) (epub.Chapter, error) {
	dir := pageFolder(docs.SiteItem{Address: x.book.Spaces[i].Path}, x.parts[i], n)
	root := relativeRoot(depthOf(dir))
	p := x.printer(i, root)
	shown, err := p.Page(n)
	if err != nil {
		return epub.Chapter{}, fmt.Errorf("page %s: %w", n.ID, err)
	}
	var b strings.Builder
	title := strings.TrimSpace(emoji.FromCode(n.Emoji) + " " + n.Title)
	fmt.Fprintf(&b, "<h1 id=%q>%s</h1>\n", html.EscapeString(shown.Anchor), html.EscapeString(title))
	if shown.Description != "" {
		fmt.Fprintf(&b, "<p class=\"description\">%s</p>\n", html.EscapeString(shown.Description))
	}
	b.WriteString(string(shown.Body))
	return epub.Chapter{File: under(dir, chapterFile), Title: title, HTML: b.String()}, nil
}

// printer returns a printer for a part of the book. Links are relative to a folder of the
// book, and lead to chapters.
func (x *binder) printer(i int, root string) *page.Printer {
	at := func(i int) *edition.Edition {
		base := root
		if path := x.book.Spaces[i].Path; path != "" {
			base += reading.EscapePath(path) + "/"
		}
		return x.parts[i].Relative(base, chapterFile)
	}
	elsewhere := func(_ context.Context, space docs.SpaceID) (*edition.Edition, error) {
		for j, part := range x.book.Spaces {
			if part.Space == space {
				return at(j), nil
			}
		}
		return nil, nil
	}
	p := x.BookPrinter(x.ctx, at(i), elsewhere)
	p.Used = func(e *edition.Edition, f docs.File) {
		x.used[pathBelow(page.FileAddress(e, f))] = usedFile{e.Space.ID, f}
	}
	return p
}

// open opens a file that a chapter refers to.
func (x *binder) open(name string) (io.ReadCloser, string, error) {
	u, ok := x.used[name]
	if !ok {
		return nil, "", errs.Missing("file")
	}
	o, err := x.Content.OpenFile(x.ctx, u.space, u.file.Blob)
	return o, u.file.ContentType, err
}
