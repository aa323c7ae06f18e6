package publish

import (
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/site/publish/edition"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

// Pages of an export have relative links. Every address begins with the root of the visit.
// For an export the root is the relative path from the folder of the page to the folder of
// the site. Links name the file of a page, because folders do not serve an index file.

// indexFile is the name of the file of a page, in the folder of that page.
const indexFile = "index.html"

// relativeRoot returns the relative path to the folder of a site from a folder that is depth
// levels below it.
func relativeRoot(depth int) string {
	if depth == 0 {
		return "./"
	}
	return strings.Repeat("../", depth)
}

// depthOf returns the number of segments of a path.
func depthOf(path string) int {
	if path == "" {
		return 0
	}
	return strings.Count(path, "/") + 1
}

// href returns the link to the page at an address of the site.
func (v *visit) href(at string) string {
	if v.files {
		return edition.FileOf(at, indexFile)
	}
	return at
}

// finder returns the search of the site: by the server, or by a script with a static index.
func (v *visit) finder(e *edition.Edition) theme.Search {
	if v.export == nil {
		return theme.Search{Action: e.Base + ownPrefix + "search", Live: e.Base + ownPrefix + "found", Section: v.section(e)}
	}
	own := v.root + ownPrefix
	return theme.Search{
		Action: own + "search/" + indexFile, Live: own + "search/" + v.export.version + "/",
		Script: own + "assets/" + theme.Finder.Name, Scope: v.export.scope(v), Section: v.section(e),
	}
}

// scope returns the numbers of the site spaces that a search from the current page covers.
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

// edition returns a space with addresses relative to a visit. The pages of a space are
// loaded once for all visits.
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
