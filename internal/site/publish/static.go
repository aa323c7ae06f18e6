package publish

import (
	"context"
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/site/publish/edition"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

// Pages of an export have relative links. Every address begins with the root of the composer.
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

// export is the output of an exporter. Links in frames name the file of a page, because
// folders on plain web servers do not always lead to it.
type export struct {
	x     *exporter
	files bool // links name index files
}

var _ output = export{}

func (o export) edition(ctx context.Context, c *composer, it docs.SiteItem) (*edition.Edition, error) {
	return o.x.edition(ctx, c.baseOf(it), it, when(o.files, indexFile))
}

func (o export) href(at string) string {
	if o.files {
		return edition.FileOf(at, indexFile)
	}
	return at
}

func (o export) absolute(c *composer, at string) string { return o.x.address + at[len(c.root):] }

func (o export) scope(from docs.SiteItemID) sites.SearchScope { return live{}.scope(from) }

// setUp keeps no texts, because an export reads every page once.
func (o export) setUp(p *printer) { p.used = o.x.use }

// dress adds the search by a script with a static index.
func (o export) dress(f *theme.Frame, c *composer, e *edition.Edition) {
	own := c.root + sites.OwnPrefix
	f.Search = theme.Search{
		Action: own + "search/" + indexFile, Live: own + "search/" + o.x.version + "/",
		Script: own + "assets/" + theme.Finder.Name, Scope: o.x.scope(c), Section: c.section(e),
	}
}

func (export) banner(*theme.Frame, *composer, *edition.Edition, *edition.Node) (*theme.Draft, error) {
	return nil, nil
}

func (export) published() bool { return true }
func (export) answered() bool  { return false }
func (export) keeps() bool     { return false }

// scope returns the numbers of the site spaces that a search from the current page covers.
func (x *exporter) scope(c *composer) string {
	numbers := []string{strconv.Itoa(x.number[c.target.Space.ID])}
	for _, it := range x.seen.Structure.Searched(c.scope(), x.language) {
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

// composer returns a composer whose addresses are relative to a folder of the site.
func (x *exporter) composer(it docs.SiteItem, depth int, files bool) *composer {
	c := &composer{
		shared: x.shared, ctx: x.ctx, site: x.site, state: x.state, seen: x.seen, root: relativeRoot(depth),
		out: export{x, files}, target: sites.Target{Space: it},
	}
	c.settings = x.state.settings
	if own, ok := x.state.overrides[it.ID]; ok {
		c.settings = own
	}
	if sec, err := x.seen.Structure.Item(docs.SiteSection, it.Parent); err == nil {
		c.target.Section = sec
	}
	return c
}

// edition returns a space with addresses relative to base, and with the file name of pages,
// which may be empty. The pages of a space are loaded once for all composers.
func (x *exporter) edition(ctx context.Context, base string, it docs.SiteItem, file string) (*edition.Edition, error) {
	e := x.spaces[it.Space]
	if e == nil {
		view, err := x.shared.view(ctx, it.Space)
		if err != nil {
			return nil, err
		}
		if view, err = x.Content.WithComputedPages(ctx, view); err != nil {
			return nil, err
		}
		if e, err = edition.New(ctx, view.For(x.seen.Reader), ""); err != nil {
			return nil, err
		}
		x.spaces[it.Space] = e
	}
	return e.Relative(base, file), nil
}
