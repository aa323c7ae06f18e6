package main

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	demodocs "github.com/octavo-docs/octavo/docs/demo"
	"github.com/octavo-docs/octavo/docs/manual"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/spaces"
)

// A library is a set of folders that become spaces, and refer to each other. It has the file
// site.yaml, which describes the site that publishes them.
type library struct {
	files embed.FS
	books []*book
}

// A book is one of the folders.
type book struct {
	folder, collection string
	space              spaces.NewSpace
	made               docs.Space
	waiting            bool // some references lead to pages that did not exist when it was imported
}

// The collections of the demonstration. The last one is accessible to the writers only.
const manualCollection, productCollection, privateCollection = "Octavo", "Carillon", "Internal"

func demoLibraries() []*library {
	guide, product := &library{files: manual.Files}, &library{files: demodocs.Files}
	for _, b := range manual.Books {
		guide.add(b.Folder, manualCollection, spaces.NewSpace{Title: demoTitle + " · " + b.Title, Emoji: b.Emoji, Language: "en"})
	}
	for _, b := range demodocs.Books {
		collection := productCollection
		if b.Private {
			collection = privateCollection
		}
		product.add(b.Folder, collection, spaces.NewSpace{Title: b.Title, Emoji: b.Emoji, Language: b.Language})
	}
	return []*library{guide, product}
}

func (l *library) add(folder, collection string, sp spaces.NewSpace) {
	sp.EditMode, sp.Empty = docs.EditLive, true
	l.books = append(l.books, &book{folder: folder, collection: collection, space: sp})
}

// book returns the book in a folder, or nil.
func (l *library) book(folder string) *book {
	for _, b := range l.books {
		if b.folder == folder {
			return b
		}
	}
	return nil
}

// addSpaces adds the spaces and their content.
func (f *filling) addSpaces(ctx context.Context) error {
	there, err := listAll[named](ctx, f.api.client, apiPath("orgs", f.api.org, "spaces"))
	if err != nil {
		return err
	}
	for _, l := range f.libraries {
		for _, b := range l.books {
			if err := f.addSpace(ctx, b, there); err != nil {
				return fmt.Errorf("%s: %w", b.space.Title, err)
			}
		}
		if err := f.importBooks(ctx, l); err != nil {
			return err
		}
	}
	return nil
}

// addSpace makes the space of a book, unless it is there.
func (f *filling) addSpace(ctx context.Context, b *book, there []named) error {
	for _, sp := range there {
		if sp.Title == b.space.Title {
			found, err := f.Store.Space(ctx, docs.SpaceID(sp.ID))
			b.made = found.It
			return err
		}
	}
	in, err := f.collection(ctx, b.collection)
	if err == nil && b.collection == privateCollection {
		err = f.onlyFor(ctx, in, writersTeam)
	}
	if err != nil {
		return err
	}
	at, _, err := f.check().Collection(ctx, f.op.Actor, authz.CreateIn, in)
	if err != nil {
		return err
	}
	b.space.Parent = in
	b.made, _, err = f.Spaces.Create(ctx, at, b.space)
	return err
}

// importBooks imports all books of a library, and again those that refer to pages of books that
// were imported after them.
func (f *filling) importBooks(ctx context.Context, l *library) error {
	for _, again := range []bool{false, true} {
		for _, b := range l.books {
			if again && !b.waiting {
				continue
			}
			if err := f.importBook(ctx, l, b); err != nil {
				return fmt.Errorf("%s: %w", b.space.Title, err)
			}
		}
	}
	return nil
}

// importBook imports the files of a book into its space. The same files again change nothing.
func (f *filling) importBook(ctx context.Context, l *library, b *book) error {
	dir, err := os.MkdirTemp("", "octavo-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := f.layOut(ctx, dir, l, b); err != nil {
		return err
	}
	tree, err := folder.Read(os.DirFS(dir), folder.Limits{})
	if err != nil {
		return err
	}
	now, err := f.Store.Space(ctx, b.made.ID)
	if err != nil {
		return err
	}
	_, err = f.Content.Import(ctx, f.op, now.It, tree, func(string, int, int) {})
	return err
}

// layOut writes the files of a book to a folder.
func (f *filling) layOut(ctx context.Context, dir string, l *library, b *book) error {
	return fs.WalkDir(l.files, b.folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(dir, filepath.FromSlash(strings.TrimPrefix(name, b.folder)))
		if d.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		text, err := l.files.ReadFile(name)
		if err != nil {
			return err
		}
		if path.Ext(name) == ".md" {
			text = []byte(f.connected(ctx, l, b, string(text)))
		}
		return os.WriteFile(to, text, 0o644)
	})
}

// across matches references from a folder into another one, in Markdown and in HTML.
var across = regexp.MustCompile(`(\]\(|href=")((?:\.\./)+(\w+)/([\w./-]+\.md))(#[\w.-]+)?([)"])`)

// connected returns the text of a page with other addresses for pages of other books. A reference
// to a page that does not exist yet stays.
func (f *filling) connected(ctx context.Context, l *library, b *book, text string) string {
	return across.ReplaceAllStringFunc(text, func(link string) string {
		m := across.FindStringSubmatch(link)
		to := l.book(m[3])
		if to == nil || to == b {
			return link
		}
		id, ok := f.pageOf(ctx, to, m[4])
		if !ok {
			b.waiting = true
			return link
		}
		return m[1] + "/spaces/" + string(to.made.ID) + "/pages/" + id + m[5] + m[6]
	})
}

// pageOf returns the id of the page that a file of a book has become.
func (f *filling) pageOf(ctx context.Context, b *book, file string) (id string, ok bool) {
	sp, err := f.Store.Space(ctx, b.made.ID)
	if err != nil {
		return "", false
	}
	v, err := f.Content.Source.Head(ctx, sp.It)
	if err != nil {
		return "", false
	}
	kind, id, ok, err := v.Named(ctx, file)
	return id, err == nil && ok && kind == "p"
}
