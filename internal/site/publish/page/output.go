package page

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
type Output interface {
	// Edition returns a site space as the visitor sees it, with the addresses of the output.
	Edition(ctx context.Context, c *Composer, it docs.SiteItem) (*edition.Edition, error)
	// Href returns what menus have for the page at an address.
	Href(at string) string
	// Absolute returns the URL of an address that begins with the root.
	Absolute(c *Composer, at string) string
	// Scope returns the default scope of a search from a site space.
	Scope(from docs.SiteItemID) sites.SearchScope
	// SetUp sets the fields of a printer that are about caches and files.
	SetUp(p *Printer)
	// Dress completes the frame that all pages of an edition share.
	Dress(f *theme.Frame, c *Composer, e *edition.Edition)
	// Banner returns the banner above a page, or nil. The current page is nil for responses
	// that are not a page.
	Banner(f *theme.Frame, c *Composer, e *edition.Edition, current *edition.Node) (*theme.Draft, error)
	// Published reports whether the pages are the published ones. Only their addresses are
	// for search engines, and only their readers are counted and asked.
	Published() bool
	// Answered reports whether a server answers what pages link to: searches, forms,
	// downloads and pictures. Without a server, every address is that of a file.
	Answered() bool
	// Keeps reports whether settings, frames and pages are kept for the next visitor who sees the same.
	Keeps() bool
}

// Live is the output for readers of the published site.
type Live struct{}

var _ Output = Live{}

func (Live) Edition(ctx context.Context, c *Composer, it docs.SiteItem) (*edition.Edition, error) {
	view, err := c.View(ctx, it.Space)
	if err != nil {
		return nil, err
	}
	if c.read != nil {
		c.read[it.Space] = stampOf(view.Space)
	}
	if e, ok := c.own[it.ID]; ok {
		return e, nil
	}
	e, err := c.Cached(ctx, view.For(c.Seen.Reader), c.BaseOf(it))
	if err == nil && !c.Seen.Reader.Kept() {
		if c.own == nil {
			c.own = map[docs.SiteItemID]*edition.Edition{}
		}
		c.own[it.ID] = e
	}
	return e, err
}

func (Live) Href(at string) string { return at }

func (Live) Absolute(c *Composer, at string) string {
	return c.Sites.Hosts.URL(c.Site.Publication(), c.ShareKey) + at[len(c.Root):]
}

// Scope is one space of each section: other variants of the same content would only add
// duplicates. The current space is searched in any case.
func (Live) Scope(from docs.SiteItemID) sites.SearchScope {
	return sites.SearchScope{Current: from, Restrict: "otherSiteSpaces"}
}

func (Live) SetUp(p *Printer) { p.kept = p.texts }

func (Live) Dress(f *theme.Frame, c *Composer, e *edition.Edition) {
	f.Search = theme.Search{Action: e.Base + sites.OwnPrefix + "search", Live: e.Base + sites.OwnPrefix + "found", Section: c.Section(e)}
}

func (Live) Banner(*theme.Frame, *Composer, *edition.Edition, *edition.Node) (*theme.Draft, error) {
	return nil, nil
}

func (Live) Published() bool { return true }
func (Live) Answered() bool  { return true }
func (Live) Keeps() bool     { return true }

// Draft is the output for people who look at what is not published: at the whole site in a
// preview, or at a draft of one of its spaces.
type Draft struct {
	Live
	Preview bool    // the visitor has a preview token; not even texts of pages are kept
	Review  *Review // of the draft; nil if the content is the newest one
}

var _ Output = Draft{}

// Scope is the draft alone, because its readers look for what has changed in it.
func (o Draft) Scope(from docs.SiteItemID) sites.SearchScope {
	if o.Review == nil {
		return o.Live.Scope(from)
	}
	return sites.SearchScope{Current: from, Restrict: CurrentSpace}
}

func (o Draft) SetUp(p *Printer) {
	if !o.Preview {
		o.Live.SetUp(p)
	}
}

func (o Draft) Dress(f *theme.Frame, c *Composer, e *edition.Edition) {
	o.Live.Dress(f, c, e)
	if o.Review == nil {
		f.Mark = "preview"
	}
}

func (o Draft) Banner(f *theme.Frame, c *Composer, e *edition.Edition, current *edition.Node) (*theme.Draft, error) {
	if o.Review == nil {
		return nil, nil
	}
	return c.banner(f, o.Review, e, current)
}

func (Draft) Published() bool { return false }
func (Draft) Keeps() bool     { return false }
