package publish

import (
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/edition"
	"github.com/octavo-docs/octavo/internal/sites"
	"github.com/octavo-docs/octavo/internal/theme"
)

// A page that is written to a file has relative links. They come from the root of the
// visit, which is then the way from the folder of the page up to that of the site: every
// address begins with the root. The rest is what folders do not do by themselves: a link
// names the file of a page.

// indexFile is the file of a page in the folder that has the name of the page.
const indexFile = "index.html"

// relativeRoot returns the way to the folder of a site from one so many levels below it.
func relativeRoot(depth int) string {
	if depth == 0 {
		return "./"
	}
	return strings.Repeat("../", depth)
}

// depthOf returns how many folders a path has.
func depthOf(path string) int {
	if path == "" {
		return 0
	}
	return strings.Count(path, "/") + 1
}

// href returns how a link to the page at an address of the site is written.
func (v *visit) href(at string) string {
	if v.files {
		return edition.FileOf(at, indexFile)
	}
	return at
}

// finder says where the site is searched: by the server, or by a script with an index.
func (v *visit) finder(e *edition.Edition) theme.Search {
	if v.export == nil {
		return theme.Search{Action: e.Base + ownPrefix + "search", Live: e.Base + ownPrefix + "found", Section: v.section()}
	}
	own := v.root + ownPrefix
	return theme.Search{
		Action: own + "search/" + indexFile, Live: own + "search/" + v.export.version + "/",
		Script: own + "assets/" + theme.Finder.Name, Scope: v.export.scope(v), Section: v.section(),
	}
}

// scope returns the numbers of the site spaces that the readers of a page search.
func (x *exporter) scope(v *visit) string {
	numbers := []string{strconv.Itoa(x.number[v.target.Space.ID])}
	for _, it := range x.seen.Structure.Searched(v.scope(), x.language) {
		numbers = append(numbers, strconv.Itoa(x.number[it.ID]))
	}
	return strings.Join(numbers, " ")
}

// language returns the language of a space.
func (x *exporter) language(id docs.SpaceID) string {
	if s := x.spaces[id]; s != nil {
		return s.Space.Language
	}
	return ""
}

// visit returns a visit whose addresses are relative to a folder of the site.
func (x *exporter) visit(it docs.SiteItem, depth int, files bool) *visit {
	v := &visit{
		h: x.h, ctx: x.ctx, site: x.site, state: x.state, seen: x.seen, root: relativeRoot(depth), as: x.as,
		export: x, files: files, target: sites.Target{Space: it},
	}
	v.settings = x.state.settings
	if own, ok := x.state.overrides[it.ID]; ok {
		v.settings = own
	}
	if sec, err := x.seen.Structure.Item(docs.SiteSection, it.Parent); err == nil {
		v.target.Section = sec
	}
	return v
}

// edition returns a space as the pages of a visit refer to it. What is known of its pages is
// shared by all.
func (x *exporter) edition(v *visit, it docs.SiteItem) (*edition.Edition, error) {
	e := x.spaces[it.Space]
	if e == nil {
		view, err := x.h.view(x.ctx, it.Space)
		if err != nil {
			return nil, err
		}
		if view, err = x.h.Content.WithComputedPages(x.ctx, view); err != nil {
			return nil, err
		}
		if e, err = edition.New(x.ctx, view.For(x.seen.Reader), ""); err != nil {
			return nil, err
		}
		x.spaces[it.Space] = e
	}
	name := ""
	if v.files {
		name = indexFile
	}
	return e.Relative(v.baseOf(it), name), nil
}
