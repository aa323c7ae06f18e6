package export

import (
	"context"
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/site/publish/edition"
	"github.com/octavo-docs/octavo/internal/site/publish/page"
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

// files is the output of an exporter. Links in frames name the file of a page, because
// folders on plain web servers do not always lead to it.
type files struct {
	x     *exporter
	named bool // links name index files
}

var _ page.Output = files{}

func (o files) Edition(ctx context.Context, c *page.Composer, it docs.SiteItem) (*edition.Edition, error) {
	name := ""
	if o.named {
		name = indexFile
	}
	return o.x.edition(ctx, c.BaseOf(it), it, name)
}

func (o files) Href(at string) string {
	if o.named {
		return edition.FileOf(at, indexFile)
	}
	return at
}

func (o files) Absolute(c *page.Composer, at string) string { return o.x.address + at[len(c.Root):] }

func (o files) Scope(from docs.SiteItemID) sites.SearchScope { return page.Live{}.Scope(from) }

// SetUp keeps no texts, because an export reads every page once.
func (o files) SetUp(p *page.Printer) { p.Used = o.x.use }

// Dress adds the search by a script with a static index.
func (o files) Dress(f *theme.Frame, c *page.Composer, e *edition.Edition) {
	own := c.Root + sites.OwnPrefix
	f.Search = theme.Search{
		Action: own + "search/" + indexFile, Live: own + "search/" + o.x.version + "/",
		Script: own + "assets/" + theme.Finder.Name, Scope: o.x.scope(c), Section: c.Section(e),
	}
}

func (files) Banner(*theme.Frame, *page.Composer, *edition.Edition, *edition.Node) (*theme.Draft, error) {
	return nil, nil
}

func (files) Published() bool { return true }
func (files) Answered() bool  { return false }
func (files) Keeps() bool     { return false }

// scope returns the numbers of the site spaces that a search from the current page covers.
func (x *exporter) scope(c *page.Composer) string {
	numbers := []string{strconv.Itoa(x.number[c.Target.Space.ID])}
	for _, it := range x.seen.Structure.Searched(c.Scope(), x.language) {
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
func (x *exporter) composer(it docs.SiteItem, depth int, named bool) *page.Composer {
	c := &page.Composer{
		Shared: x.Shared, Ctx: x.ctx, Site: x.site, State: x.state, Seen: x.seen, Root: relativeRoot(depth),
		Output: files{x, named}, Target: sites.Target{Space: it},
	}
	c.Settings = x.state.Settings
	if own, ok := x.state.Overrides[it.ID]; ok {
		c.Settings = own
	}
	if sec, err := x.seen.Structure.Item(docs.SiteSection, it.Parent); err == nil {
		c.Target.Section = sec
	}
	return c
}

// edition returns a space with addresses relative to base, and with the file name of pages,
// which may be empty. The pages of a space are loaded once for all composers.
func (x *exporter) edition(ctx context.Context, base string, it docs.SiteItem, file string) (*edition.Edition, error) {
	e := x.spaces[it.Space]
	if e == nil {
		view, err := x.Shared.View(ctx, it.Space)
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
