package publish

import (
	"context"
	"strings"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/reading"
	"github.com/octavo-docs/octavo/internal/site/customization"
	"github.com/octavo-docs/octavo/internal/site/publish/edition"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

// composer composes pages of a site, and texts about them, for one visitor.
type composer struct {
	*shared
	ctx      context.Context
	site     docs.Site
	state    *state
	root     string // address of the site, including the share key; ends with a slash
	key      string // of a share link
	private  bool   // what is composed depends on the visitor, and must not be shared
	out      output
	seen     *sites.VisitorView
	settings customization.Settings
	target   sites.Target

	counterparts map[pageIn]string // addresses of pages in other variants, filled by counterpart

	own  map[docs.SiteItemID]*edition.Edition // for a visitor for whom nothing is kept
	read map[docs.SpaceID]stamp               // spaces that were read for the response; nil if they are not recorded
}

// open loads the part of the site that the visitor may see.
func (c *composer) open(as authz.Visitor) (err error) {
	if c.seen, err = c.Sites.VisitorViewOf(c.ctx, c.Sites.Store.Reader, c.site, as); err != nil {
		return err
	}
	return c.useSettings("", c.state.settings)
}

// settingsKey is the cache key of settings as a visitor sees them.
type settingsKey struct {
	site    stateKey
	place   docs.SiteItemID // empty: the settings of the site
	visitor string
}

// useSettings filters settings by the conditions that the visitor meets.
func (c *composer) useSettings(place docs.SiteItemID, s customization.Settings) error {
	key := settingsKey{stateKey{c.site.ID, c.site.Version}, place, c.seen.Reader.Key()}
	if kept, ok := c.filtered.Get(key); ok {
		c.settings = *kept
		return nil
	}
	check := c.seen.Reader.Check(c.ctx)
	c.settings = s.ForVisitor(check.Holds)
	if check.Err == nil && c.keeps() {
		kept := c.settings
		c.filtered.Set(key, &kept)
	}
	return check.Err
}

// keeps reports whether caches may keep what is made for the visitor.
func (c *composer) keeps() bool { return c.out.keeps() && c.seen.Reader.Kept() }

// baseOf returns the address of a site space, with a final slash.
func (c *composer) baseOf(it docs.SiteItem) string {
	if it.Address == "" {
		return c.root
	}
	return c.root + reading.EscapePath(it.Address) + "/"
}

// edition returns a site space as the visitor sees it.
func (c *composer) edition(ctx context.Context, it docs.SiteItem) (*edition.Edition, error) {
	return c.out.edition(ctx, c, it)
}

// elsewhere returns the edition of another space of the site, or nil if the visitor does
// not see that space. If the site has the space several times, the first place is used.
func (c *composer) elsewhere(ctx context.Context, space docs.SpaceID) (*edition.Edition, error) {
	for _, it := range c.seen.Structure.All(docs.SiteSpace) {
		if it.Space == space {
			return c.edition(ctx, it)
		}
	}
	return nil, nil
}

// pagePath returns the path of a page in its space. The error is NotFound if the visitor
// does not see the page.
func (c *composer) pagePath(ctx context.Context, space docs.Space, page docs.PageID) (string, error) {
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

// lookup returns the page at a path of the site, following redirects. It does not find
// pages of drafts.
func (c *composer) lookup(path string) (*edition.Edition, *edition.Node, error) {
	for range maxHops {
		target, ok := c.seen.Paths.Resolve(path, false)
		if !ok || strings.HasPrefix(target.Rest, sites.DraftPrefix) {
			break
		}
		name, _ := markdownName(target.Rest)
		plain, ok := unescape(name)
		if !ok {
			break
		}
		e, err := c.edition(c.ctx, target.Space)
		if err != nil {
			return nil, nil, err
		}
		page, moved, err := e.Find(c.ctx, plain)
		if err != nil || page != nil {
			return e, page, err
		}
		if path, ok = strings.CutPrefix(moved, c.root); !ok {
			break
		}
	}
	return nil, nil, errs.Missing("page")
}

func (c *composer) printer(e *edition.Edition) *printer {
	p := &printer{shared: c.shared, ctx: c.ctx, e: e, look: c.look(e), alone: !c.settings.Pagination.Enabled, elsewhere: c.elsewhere}
	if c.out.setUp(p); !c.seen.Reader.Kept() {
		p.kept = nil
	}
	return p
}

// look returns how the site renders the pages of an edition, which may be nil.
func (c *composer) look(e *edition.Edition) look {
	return look{
		highlight: c.highlight, formulas: c.formulas, dark: c.scheme().Dark(),
		icons: c.settings.Styling.Icons != "solid" && c.settings.Styling.Icons != "duotone", newTab: c.settings.ExternalLinks.Target == "blank",
		texts: theme.TextsIn(c.lang(e)), canTry: c.canTry(),
	}
}

// title returns the title of the site as its readers see it.
func (c *composer) title() string {
	if c.settings.Title != "" {
		return c.settings.Title
	}
	return c.site.Title
}

// knownEdition returns the edition of the current site space if it is cached.
func (c *composer) knownEdition() (*edition.Edition, error) {
	view, err := c.view(c.ctx, c.target.Space.Space)
	if err == nil {
		view, err = c.Content.WithComputedPages(c.ctx, view.For(c.seen.Reader))
	}
	if err != nil {
		return nil, err
	}
	e, _ := c.editions.Known(view, c.baseOf(c.target.Space))
	return e, nil
}
