package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/octavo-docs/octavo/docs/manual"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/openapi/reference"
	"github.com/octavo-docs/octavo/internal/spaces"
	"github.com/octavo-docs/octavo/internal/web/server"
)

// manualTitle returns the title of the space of a book.
func manualTitle(b manual.Book) string { return demoTitle + " · " + b.Title }

// writeManual creates the spaces of the manual. It includes the API reference of this
// server.
func writeManual(ctx context.Context, srv *server.Server, top *authz.Grant, parent docs.CollectionID) error {
	made := map[string]docs.Space{}
	for _, b := range manual.Books {
		sp, _, err := srv.Spaces.Create(ctx, top, spaces.NewSpace{
			Title: manualTitle(b), Emoji: b.Emoji, Parent: parent, Language: "en", EditMode: docs.EditLive, Empty: true,
		})
		if err != nil {
			return err
		}
		made[b.Folder] = sp
	}
	// Import twice: a reference to a page of another book needs the ID of that page.
	for range 2 {
		for _, b := range manual.Books {
			if err := importBook(ctx, srv, top, b, made); err != nil {
				return fmt.Errorf("%s: %w", b.Title, err)
			}
		}
	}
	return nil
}

// importBook imports the files of a book into its space.
func importBook(ctx context.Context, srv *server.Server, top *authz.Grant, b manual.Book, made map[string]docs.Space) error {
	dir, err := os.MkdirTemp("", "octavo-manual-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	address := func(folder, file string) (string, bool) { return pageAddress(ctx, srv, made[folder].ID, file) }
	if err := layOut(dir, b, address); err != nil {
		return err
	}
	if b.Folder == "api" {
		if err := addReference(dir, srv); err != nil {
			return err
		}
	}
	tree, err := folder.Read(os.DirFS(dir), folder.Limits{})
	if err != nil {
		return err
	}
	sp, err := srv.Store.Space(ctx, made[b.Folder].ID)
	if err != nil {
		return err
	}
	op := authz.OperatorGrant(top.Actor.User)
	_, err = srv.Content.Import(ctx, op, sp.It, tree, func(string, int, int) {})
	return err
}

// layOut writes the files of a book to a folder.
func layOut(dir string, b manual.Book, address func(folder, file string) (string, bool)) error {
	files, err := b.Files()
	if err != nil {
		return err
	}
	return fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(dir, filepath.FromSlash(name))
		if d.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		if strings.HasSuffix(name, ".md") {
			text = []byte(b.Connected(string(text), address))
		}
		return os.WriteFile(to, text, 0o644)
	})
}

// addReference adds the pages of the API reference to a folder and to its SUMMARY.md.
func addReference(dir string, srv *server.Server) error {
	sections, err := reference.Read(srv.API.Description())
	if err != nil {
		return err
	}
	blocks, err := reference.Blocks()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(reference.Folder)), 0o755); err != nil {
		return err
	}
	summary := "\n## Reference\n\n"
	for _, p := range append(reference.Markdown(srv.URL(), sections), blocks) {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(p.File)), []byte(p.Text), 0o644); err != nil {
			return err
		}
		summary += fmt.Sprintf("* [%s](%s)\n", p.Title, p.File)
	}
	f, err := os.OpenFile(filepath.Join(dir, "SUMMARY.md"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if _, err := f.WriteString(summary); err != nil {
		return err
	}
	return f.Close()
}

// pageAddress returns the address of a page for references from other spaces.
func pageAddress(ctx context.Context, srv *server.Server, id docs.SpaceID, file string) (string, bool) {
	sp, err := srv.Store.Space(ctx, id)
	if err != nil {
		return "", false
	}
	v, err := srv.Content.Source.Head(ctx, sp.It)
	if err != nil {
		return "", false
	}
	kind, page, ok, err := v.Named(ctx, file)
	if err != nil || !ok || kind != "p" {
		return "", false
	}
	return "/spaces/" + string(id) + "/pages/" + page, true
}
