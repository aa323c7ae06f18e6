package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/site/publish/export"
	"github.com/octavo-docs/octavo/internal/site/publish/page"
	"github.com/octavo-docs/octavo/internal/web/services"
)

type epubCmd struct {
	storeFlags
	addressFlag
	Space string `help:"Id of a space. Either this or --site is needed." xor:"of"`
	Site  string `help:"Basename or id of a site: all its sections and variants." xor:"of"`
	File  string `arg:"" help:"File to write." placeholder:"FILE.epub" type:"path"`
}

// Validate reports that neither a space nor a site is named.
func (c *epubCmd) Validate() error {
	if c.Space == "" && c.Site == "" {
		return errors.New("name a space (--space) or a site (--site)")
	}
	return nil
}

func (c *epubCmd) Run(ctx context.Context, s streams) (err error) {
	base, err := c.address(c.storeFlags)
	if err := errors.Join(c.exists(), err); err != nil {
		return err
	}
	sv, err := c.openWithFiles(ctx, services.Settings{BaseURL: base})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sv.Store.Close()) }()
	pages := page.New(sv.Audience, sv.Sites, sv.Content, false)
	book, err := c.book(ctx, sv, pages)
	if err != nil {
		return err
	}
	if err := replaceFile(c.File, func(w io.Writer) error { return export.EPUB(ctx, pages, book, w) }); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "wrote %s to %s\n", book.Title, c.File)
	return err
}

// book returns the book of the space or the site in the flags.
func (c *epubCmd) book(ctx context.Context, sv *services.Services, pages *page.Shared) (export.Book, error) {
	if c.Space != "" {
		sp, err := findSpace(ctx, sv, c.Space)
		return export.Book{ID: string(sp.ID), Title: sp.Title, Spaces: []export.BookSpace{{Space: sp.ID}}}, err
	}
	site, err := sv.Store.SiteByBasename(ctx, c.Site)
	if errs.Is(err, errs.NotFound) {
		v, failed := sv.Store.Site(ctx, docs.SiteID(c.Site))
		site, err = v.It, failed
	}
	if errs.Is(err, errs.NotFound) {
		return export.Book{}, noSite(c.Site)
	}
	if err != nil {
		return export.Book{}, err
	}
	return export.BookOfSite(ctx, pages, site)
}

// replaceFile writes a file atomically: the file appears only after write completed. It
// has the usual permissions of new files.
func replaceFile(name string, write func(io.Writer) error) (err error) {
	f, err := os.OpenFile(filepath.Join(filepath.Dir(name), ".octavo-"+rand.Text()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666) //nolint:gosec // less the umask
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	if err := errors.Join(write(f), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
