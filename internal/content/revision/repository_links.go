package revision

import (
	"context"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
)

// Pages of a repository that has more than documentation refer to its other files
// by paths that leave the folder. In the source and in exports, these paths are
// kept. For readers of a document, they are replaced by the web addresses of the
// files.

// repositoryLinks makes the web addresses of files in a repository.
type repositoryLinks struct {
	shown string // web address of the repository's files
	dir   string // of the source, in the repository
}

// repositoryLinksOf returns the repositoryLinks of a source of a space; ok is false
// if the web address of its repository is unknown.
func (t *Tree) repositoryLinksOf(ctx context.Context, sp docs.Space, file string) (o repositoryLinks, ok bool, err error) {
	if sp.Git == nil || sp.Git.TreeURL == "" {
		return o, false, nil
	}
	layout, err := t.Layout(ctx)
	return repositoryLinks{
		shown: strings.TrimSuffix(sp.Git.TreeURL, "/"),
		dir:   path.Join(sp.Git.Directory, path.Clean(layout.Root), path.Dir(file)),
	}, err == nil, err
}

// address returns the web address of dest, a path that leaves the folder. ok is
// false for paths that leave the repository.
func (o repositoryLinks) address(dest string) (string, bool) {
	if len(dest) > maxDestination {
		return "", false
	}
	u, err := url.Parse(dest)
	if err != nil || u.Scheme != "" || u.Host != "" || u.Path == "" || strings.HasPrefix(u.Path, "/") {
		return "", false
	}
	at := path.Join(o.dir, u.Path)
	if at == "." || at == ".." || strings.HasPrefix(at, "../") {
		return "", false
	}
	u.Path, u.RawPath = at, ""
	return o.shown + "/" + strings.TrimPrefix(u.String(), "./"), true
}

// readdressed returns the document of a file with web addresses in place of the
// paths that leave the folder.
func (v *View) readdressed(ctx context.Context, doc *markup.Document, file string) (*markup.Document, error) {
	o, ok, err := v.repositoryLinksOf(ctx, v.Space, file)
	if err != nil || !ok {
		return doc, err
	}
	return markup.ReplaceURLs(doc, v.leaving(ctx, file, o)), nil
}

// leaving returns a function that returns the web address of a destination that
// leaves the folder.
func (t *Tree) leaving(ctx context.Context, file string, o repositoryLinks) func(dest string) (string, bool) {
	l := &Linker{ctx: ctx, t: t, file: file}
	return func(dest string) (string, bool) {
		where, _, _ := strings.Cut(dest, "#")
		if plain, err := url.PathUnescape(where); err == nil {
			where = plain
		}
		if _, within := l.target(where); within {
			return "", false
		}
		return o.address(dest)
	}
}

// repositoryPaths is the inverse of readdressed: it returns doc, which a client read and
// changed, with the paths of the old source in place of the web addresses.
func (d *Draft) repositoryPaths(ctx context.Context, before, doc *markup.Document, file string) (*markup.Document, error) {
	o, ok, err := d.repositoryLinksOf(ctx, d.Space, file)
	if err != nil || !ok {
		return doc, err
	}
	// Several paths may have one address, and the source may contain the address
	// itself. If their number is unchanged, each is replaced by what it was before.
	paths, count := map[string][]string{}, map[string]int{}
	address := d.leaving(ctx, file, o)
	markup.ReplaceURLs(before, func(dest string) (string, bool) {
		at, leaves := address(dest)
		if !leaves {
			at = dest
		}
		paths[at] = append(paths[at], dest)
		return "", false
	})
	markup.ReplaceURLs(doc, func(at string) (string, bool) {
		count[at]++
		return "", false
	})
	next := map[string]int{}
	return markup.ReplaceURLs(doc, func(at string) (string, bool) {
		was, n := paths[at], next[at]
		next[at]++
		if len(was) == 0 {
			return "", false
		}
		if len(was) != count[at] {
			n = max(0, slices.IndexFunc(was, func(dest string) bool { return dest != at }))
		}
		return was[n], was[n] != at
	}), nil
}

// Read returns the blocks of a page as readers see them.
func (v *View) Read(ctx context.Context, p docs.Page) (*markup.Document, error) {
	x, err := v.PageText(ctx, p)
	if err != nil {
		return nil, err
	}
	return v.readText(ctx, x)
}

// ReadReusable returns the blocks of a reusable content as readers see them.
func (v *View) ReadReusable(ctx context.Context, r docs.Reusable) (*markup.Document, error) {
	return v.readText(ctx, ReusableText(r))
}

func (v *View) readText(ctx context.Context, x Text) (*markup.Document, error) {
	doc, err := v.DocumentOf(ctx, x)
	if err != nil {
		return nil, err
	}
	return v.readdressed(ctx, doc, x.File)
}

// SourceURL returns the web address of the source of a page in the repository of
// the space; ok is false if that is unknown.
func (v *View) SourceURL(ctx context.Context, p docs.Page) (at string, ok bool, err error) {
	file, err := v.FileOf(ctx, p)
	if err != nil {
		return "", false, err
	}
	o, ok, err := v.repositoryLinksOf(ctx, v.Space, file)
	if err != nil || !ok {
		return "", false, err
	}
	at, ok = o.address((&url.URL{Path: "./" + path.Base(file)}).String())
	return at, ok, nil
}
