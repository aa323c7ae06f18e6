// Package page composes what readers of a site get: pages in their frames, Markdown, feeds,
// sitemaps, results of searches, for one visitor at one place of the site. It knows no requests:
// who reads is said by package gate, and how a page is sent, or written to a file, by its users.
//
// Where a change goes:
//   - the text of a page: printer.go; what is kept of it, and what it was made of, in
//     rendered.go; descriptions of APIs in specs.go
//   - files and pictures: file.go
//   - what surrounds it: frame.go; variants and translations in variants.go; the menu of a page
//     in actions.go; what search engines and other services get in head.go and card.go
//   - what a site has besides pages: listings.go, feed.go, search.go; which of it there is in names.go
//   - in what published pages, drafts and files differ: output.go, and package export
//   - a draft and its changes: review.go
//   - what is kept for the next visitor, and when it is still right: shared.go, state.go, stamps.go
package page

import (
	"context"
	"strings"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup/icons"
	"github.com/octavo-docs/octavo/internal/reading"
	"github.com/octavo-docs/octavo/internal/site/audience"
	"github.com/octavo-docs/octavo/internal/site/customization"
	"github.com/octavo-docs/octavo/internal/site/publish/edition"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

// A Composer composes pages of a site, and texts about them, for one visitor. It is for one
// request, or for one file.
type Composer struct {
	*Shared
	Ctx      context.Context
	Site     docs.Site
	State    *State
	Root     string // address of the site, including the share key; ends with a slash
	ShareKey string // of a share link
	Private  bool   // what is composed depends on the visitor, and must not be shared
	Output   Output

	Seen     *audience.VisitorView  // the part of the site that the visitor sees
	Settings customization.Settings // of the site or of the site space, as the visitor sees them
	Target   sites.Target           // the section and the site space of the page

	counterparts map[pageIn]string // addresses of pages in other variants, filled by counterpart

	own  map[docs.SiteItemID]*edition.Edition // for a visitor for whom nothing is kept
	read map[docs.SpaceID]stamp               // spaces that were read for the response; nil if they are not recorded
}

// Open loads the part of the site that the visitor may see.
func (c *Composer) Open(as authz.Visitor) (err error) {
	if c.Seen, err = c.Audience.VisitorViewOf(c.Ctx, c.Site, as); err != nil {
		return err
	}
	return c.UseSettings("", c.State.Settings)
}

// settingsKey is the cache key of settings as a visitor sees them.
type settingsKey struct {
	site    stateKey
	place   docs.SiteItemID // empty: the settings of the site
	visitor string
}

// UseSettings filters settings by the conditions that the visitor meets.
func (c *Composer) UseSettings(place docs.SiteItemID, s customization.Settings) error {
	key := settingsKey{stateKey{c.Site.ID, c.Site.Version}, place, c.Seen.Reader.Key()}
	if kept, ok := c.filtered.Get(key); ok {
		c.Settings = *kept
		return nil
	}
	check := c.Seen.Reader.Check(c.Ctx)
	c.Settings = s.ForVisitor(check.Holds)
	if check.Err == nil && c.Keeps() {
		kept := c.Settings
		c.filtered.Set(key, &kept)
	}
	return check.Err
}

// Keeps reports whether caches may keep what is made for the visitor.
func (c *Composer) Keeps() bool { return c.Output.Keeps() && c.Seen.Reader.Kept() }

// BaseOf returns the address of a site space, with a final slash.
func (c *Composer) BaseOf(it docs.SiteItem) string {
	if it.Address == "" {
		return c.Root
	}
	return c.Root + reading.EscapePath(it.Address) + "/"
}

// Edition returns a site space as the visitor sees it.
func (c *Composer) Edition(ctx context.Context, it docs.SiteItem) (*edition.Edition, error) {
	return c.Output.Edition(ctx, c, it)
}

// elsewhere returns the edition of another space of the site, or nil if the visitor does
// not see that space. If the site has the space several times, the first place is used.
func (c *Composer) elsewhere(ctx context.Context, space docs.SpaceID) (*edition.Edition, error) {
	for _, it := range c.Seen.Structure.All(docs.SiteSpace) {
		if it.Space == space {
			return c.Edition(ctx, it)
		}
	}
	return nil, nil
}

// PagePath returns the path of a page in its space. The error is NotFound if the visitor
// does not see the page.
func (c *Composer) PagePath(ctx context.Context, space docs.Space, page docs.PageID) (string, error) {
	e, err := c.elsewhere(ctx, space.ID)
	if err != nil {
		return "", err
	}
	if e == nil {
		return "", errs.Missing("page")
	}
	n, err := e.Page(ctx, page)
	switch {
	case err != nil:
		return "", err
	case n == nil:
		return "", errs.Missing("page")
	case page == e.Home:
		return "", nil
	}
	return n.Path, nil
}

const maxHops = 4 // redirects that are followed to a page

// Lookup returns the page at a path of the site, following redirects. It does not find
// pages of drafts.
func (c *Composer) Lookup(path string) (*edition.Edition, *edition.Node, error) {
	for range maxHops {
		target, ok := c.Seen.Paths.Resolve(path, false)
		if !ok || strings.HasPrefix(target.Rest, audience.DraftPrefix) {
			break
		}
		name, _ := MarkdownName(target.Rest)
		plain, ok := Unescape(name)
		if !ok {
			break
		}
		e, err := c.Edition(c.Ctx, target.Space)
		if err != nil {
			return nil, nil, err
		}
		page, moved, err := e.Find(c.Ctx, plain)
		if err != nil || page != nil {
			return e, page, err
		}
		if path, ok = strings.CutPrefix(moved, c.Root); !ok {
			break
		}
	}
	return nil, nil, errs.Missing("page")
}

// Printer returns a printer of the pages of an edition.
func (c *Composer) Printer(e *edition.Edition) *Printer {
	p := &Printer{Shared: c.Shared, ctx: c.Ctx, e: e, look: c.look(e), alone: !c.Settings.Pagination.Enabled, elsewhere: c.elsewhere}
	if c.Output.SetUp(p); !c.Seen.Reader.Kept() {
		p.kept = nil
	}
	return p
}

// look returns how the site renders the pages of an edition, which may be nil.
func (c *Composer) look(e *edition.Edition) look {
	return look{
		highlight: c.highlight, formulas: c.formulas, dark: c.scheme().Dark(),
		icons: c.IconStyle(), newTab: c.Settings.ExternalLinks.Target == "blank",
		texts: theme.TextsIn(c.lang(e)), canTry: c.CanTry(),
		pictures: c.Pictures && c.Output.Answered(), embeds: strings.Join(c.Settings.Embeds.Providers, ","),
	}
}

// IconStyle returns the style of the icons of the site.
func (c *Composer) IconStyle() icons.Style {
	return c.Settings.Styling.Icons != "solid" && c.Settings.Styling.Icons != "duotone"
}

// Title returns the title of the site as its readers see it.
func (c *Composer) Title() string {
	if c.Settings.Title != "" {
		return c.Settings.Title
	}
	return c.Site.Title
}

// KnownEdition returns the edition of the current site space if it is cached.
func (c *Composer) KnownEdition() (*edition.Edition, error) {
	view, err := c.View(c.Ctx, c.Target.Space.Space)
	if err == nil {
		view, err = c.Content.WithComputedPages(c.Ctx, view.For(c.Seen.Reader))
	}
	if err != nil {
		return nil, err
	}
	e, _ := c.editions.Known(view, c.BaseOf(c.Target.Space))
	return e, nil
}
