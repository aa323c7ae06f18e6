package main

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/octavo-docs/octavo/internal/site/publish/export"
)

type siteExportCmd struct {
	apiFlags
	Address string `help:"Where the files will be read, such as https://docs.example.com/guide/; for sitemaps, feeds and the page of missing pages. Links work without it." placeholder:"URL"`
	Site    string `arg:"" help:"Basename or id of the site." placeholder:"SITE"`
	Dir     string `arg:"" help:"Folder for the files; a folder of an earlier export is replaced." placeholder:"DIR"`
}

func (c *siteExportCmd) Run(ctx context.Context, s streams) error {
	server, err := c.connect(ctx)
	if err != nil {
		return err
	}
	return server.exportPages(ctx, s, c.Site, c.Address, c.Dir)
}

// exportPages writes a site as static files to a folder.
func (s *orgClient) exportPages(ctx context.Context, to streams, name, address, dir string) error {
	if err := exportable(dir); err != nil {
		return err
	}
	site, err := s.find(ctx, name)
	if err != nil {
		return err
	}
	if site.ID == "" {
		return noSite(name)
	}
	at := apiPath("orgs", s.org, "sites", site.ID, "export")
	if address != "" {
		at += "?url=" + url.QueryEscape(address)
	}
	archive, err := s.download(ctx, at)
	if err != nil {
		return err
	}
	defer archive.Close()
	p := &progress{w: to.err, last: time.Now()}
	if err := replaceFolder(dir, func(tmp string) error { return unpackSite(archive, tmp, p) }); err != nil {
		return err
	}
	_, err = fmt.Fprintf(to.out, "wrote %d pages and %d other files to %s\n", p.pages, p.files-p.pages, dir)
	return err
}

// exportable returns an error if a folder is not empty and was not written by an earlier
// export.
func exportable(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, export.Marker)); err != nil {
		return fmt.Errorf("%s is not empty, and was not made by octavo site export; choose another folder, or empty it first", dir)
	}
	return nil
}

// replaceFolder replaces a folder with a new one that fn fills. The old folder is not
// changed until the new one is complete.
func replaceFolder(dir string, fn func(tmp string) error) (err error) {
	dir = filepath.Clean(dir)
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), ".octavo-export-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	next, before := filepath.Join(tmp, "next"), filepath.Join(tmp, "before")
	if err := os.Mkdir(next, 0o755); err != nil {
		return err
	}
	if err := fn(next); err != nil {
		return err
	}
	if err := os.Rename(dir, before); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(next, dir); err != nil {
		return errors.Join(err, os.Rename(before, dir))
	}
	return nil
}

// unpackSite writes the files of an archive to a folder. The archive must end with the
// marker of a complete export.
func unpackSite(r io.Reader, dir string, p *progress) error {
	archive := tar.NewReader(r)
	whole := false
	for {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return interrupted(err)
		}
		if !filepath.IsLocal(filepath.FromSlash(h.Name)) || h.Typeflag != tar.TypeReg {
			return fmt.Errorf("the server sent a file with the name %q, which is not one of a site", h.Name)
		}
		if err := unpackFile(filepath.Join(dir, filepath.FromSlash(h.Name)), archive); err != nil {
			return interrupted(err)
		}
		whole = h.Name == export.Marker
		p.file(h.Name)
	}
	if !whole {
		return interrupted(errors.New("the archive is not whole; see the log of the server"))
	}
	return nil
}

func interrupted(err error) error {
	return fmt.Errorf("the export was interrupted, and the folder is as it was: %w", err)
}

func unpackFile(name string, r io.Reader) (err error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Close())
}

// progressEvery is the minimum interval at which progress is printed.
const progressEvery = 2 * time.Second

// progress counts the exported files and prints the progress.
type progress struct {
	w            io.Writer
	last         time.Time
	pages, files int
}

func (p *progress) file(name string) {
	p.files++
	if strings.HasSuffix(name, ".html") {
		p.pages++
	}
	if now := time.Now(); now.Sub(p.last) >= progressEvery {
		p.last = now
		fmt.Fprintf(p.w, "octavo: %d pages, %d files\n", p.pages, p.files)
	}
}
