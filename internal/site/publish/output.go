package publish

import (
	"context"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/site/publish/edition"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

// An output is where composed pages go: to readers of the published site (live), to people
// who look at what is not published (draft), or to files (export). What composes pages asks
// the output for everything in which these differ.
type output interface {
	// edition returns a site space as the visitor sees it, with the addresses of the output.
	edition(ctx context.Context, c *composer, it docs.SiteItem) (*edition.Edition, error)
	// href returns what menus have for the page at an address.
	href(at string) string
	// absolute returns the URL of an address that begins with the root.
	absolute(c *composer, at string) string
	// scope returns the default scope of a search from a site space.
	scope(from docs.SiteItemID) sites.SearchScope
	// setUp sets the fields of a printer that are about caches and files.
	setUp(p *printer)
	// dress completes the frame that all pages of an edition share.
	dress(f *theme.Frame, c *composer, e *edition.Edition)
	// banner returns the banner above a page, or nil. The current page is nil for responses
	// that are not a page.
	banner(f *theme.Frame, c *composer, e *edition.Edition, current *edition.Node) (*theme.Draft, error)
	// published reports whether the pages are the published ones. Only their addresses are
	// for search engines, and only their readers are counted and asked.
	published() bool
	// answered reports whether a server answers what pages link to: searches, forms,
	// downloads and pictures. Without a server, every address is that of a file.
	answered() bool
	// keeps reports whether settings, frames and pages are kept for the next visitor who sees the same.
	keeps() bool
}

// live is the output for readers of the published site.
type live struct{}

var _ output = live{}

func (live) edition(ctx context.Context, c *composer, it docs.SiteItem) (*edition.Edition, error) {
	view, err := c.view(ctx, it.Space)
	if err != nil {
		return nil, err
	}
	if c.read != nil {
		c.read[it.Space] = stampOf(view.Space)
	}
	if e, ok := c.own[it.ID]; ok {
		return e, nil
	}
	e, err := c.cached(ctx, view.For(c.seen.Reader), c.baseOf(it))
	if err == nil && !c.seen.Reader.Kept() {
		if c.own == nil {
			c.own = map[docs.SiteItemID]*edition.Edition{}
		}
		c.own[it.ID] = e
	}
	return e, err
}

func (live) href(at string) string { return at }

func (live) absolute(c *composer, at string) string {
	return c.Sites.Hosts.URL(c.site.Publication(), c.key) + at[len(c.root):]
}

// scope is one space of each section: other variants of the same content would only add
// duplicates. The current space is searched in any case.
func (live) scope(from docs.SiteItemID) sites.SearchScope {
	return sites.SearchScope{Current: from, Restrict: "otherSiteSpaces"}
}

func (live) setUp(p *printer) { p.kept = p.texts }

func (live) dress(f *theme.Frame, c *composer, e *edition.Edition) {
	f.Search = theme.Search{Action: e.Base + sites.OwnPrefix + "search", Live: e.Base + sites.OwnPrefix + "found", Section: c.section(e)}
}

func (live) banner(*theme.Frame, *composer, *edition.Edition, *edition.Node) (*theme.Draft, error) {
	return nil, nil
}

func (live) published() bool { return true }
func (live) answered() bool  { return true }
func (live) keeps() bool     { return true }

// draft is the output for people who look at what is not published: at the whole site in a
// preview, or at a draft of one of its spaces.
type draft struct {
	live
	preview bool    // the visitor has a preview token; not even texts of pages are kept
	review  *review // of the draft; nil if the content is the newest one
}

var _ output = draft{}

// scope is the draft alone, because its readers look for what has changed in it.
func (o draft) scope(from docs.SiteItemID) sites.SearchScope {
	if o.review == nil {
		return o.live.scope(from)
	}
	return sites.SearchScope{Current: from, Restrict: currentSpace}
}

func (o draft) setUp(p *printer) {
	if !o.preview {
		o.live.setUp(p)
	}
}

func (o draft) dress(f *theme.Frame, c *composer, e *edition.Edition) {
	o.live.dress(f, c, e)
	if o.review == nil {
		f.Mark = "preview"
	}
}

func (o draft) banner(f *theme.Frame, c *composer, e *edition.Edition, current *edition.Node) (*theme.Draft, error) {
	if o.review == nil {
		return nil, nil
	}
	return c.banner(f, o.review, e, current)
}

func (draft) published() bool { return false }
func (draft) keeps() bool     { return false }
