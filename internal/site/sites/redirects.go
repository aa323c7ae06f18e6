package sites

import (
	"context"
	"net/url"
	"strings"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/store"
)

// Limits of redirects.
const (
	maxRedirects = 10_000 // of a site
	maxHops      = 10     // redirects in a chain
)

// PagePath returns the path of a page in its space. The error is NotFound if there is no
// such page. Callers provide it, because this package does not read content.
type PagePath func(ctx context.Context, space docs.Space, page docs.PageID) (string, error)

// Redirects reads and changes the redirects of sites.
type Redirects struct {
	Store *store.Store
	hosts Hosts
	views *Views
}

// List lists the redirects of the site of a grant.
func (s *Redirects) List(g *authz.Grant, f store.RedirectFilter) store.List[docs.Redirect] {
	return store.List[docs.Redirect]{
		Page: func(ctx context.Context, p store.Page) ([]docs.Redirect, store.Key, error) {
			return s.Store.Redirects(ctx, g.Site.ID, f, p)
		},
		Count: func(ctx context.Context) (int64, error) { return s.Store.CountRedirects(ctx, g.Site.ID, f) },
	}
}

// Find returns the live redirect for a path of a site, and its target address. The
// error is NotFound if there is no redirect, or if its destination is not in the tree. The
// tree is filtered for the visitor, so that no redirect reveals hidden content.
func (s *Redirects) Find(ctx context.Context, site docs.Site, tree *Structure, path, shareKey string, page PagePath) (docs.Redirect, string, error) {
	path, ok := docs.NormalSitePath(path)
	if !ok {
		return docs.Redirect{}, "", errs.Missing("redirect")
	}
	r, err := s.Store.RedirectFor(ctx, site.ID, path)
	if err != nil {
		return r, "", err
	}
	suffix, _ := r.Source.Match(path)
	if !r.KeepSuffix {
		suffix = ""
	}
	to, err := s.target(ctx, site, tree, r.Destination, shareKey, page)
	if errs.Is(err, errs.NotFound) { // whether the page exists must not be revealed
		err = errs.Missing("redirect")
	}
	if err != nil {
		return docs.Redirect{}, "", err
	}
	to = appendPath(to, suffix)
	if at, inside := tree.ownPath(s.hosts, site, to); inside && at == path {
		return docs.Redirect{}, "", errs.Missing("redirect") // it leads to itself, because something was moved or renamed
	}
	return r, to, nil
}

// Each calls fn for each published redirect of a site, by its source.
func (s *Redirects) Each(ctx context.Context, site docs.SiteID, fn func(docs.Redirect) error) error {
	drafts := false
	page := store.Page{Limit: 1000}
	for {
		items, next, err := s.Store.Redirects(ctx, site, store.RedirectFilter{Draft: &drafts, Order: store.RedirectsBySource}, page)
		if err != nil {
			return err
		}
		for _, r := range items {
			if err := fn(r); err != nil {
				return err
			}
		}
		if next == nil {
			return nil
		}
		page.After = next
	}
}

// Destination returns the address of a destination. The error is NotFound if it is not in the
// tree.
func (s *Redirects) Destination(ctx context.Context, site docs.Site, tree *Structure, d docs.RedirectDestination, page PagePath) (string, error) {
	return s.target(ctx, site, tree, d, "", page)
}

// target returns the address of a destination, with a share key. The error is NotFound if it
// is not in the tree.
func (s *Redirects) target(ctx context.Context, site docs.Site, tree *Structure, d docs.RedirectDestination, shareKey string, page PagePath) (string, error) {
	if d.Kind == docs.RedirectExternal {
		return d.URL, nil
	}
	place, err := tree.destination(d)
	if err != nil {
		return "", err
	}
	where := site.Publication()
	where.Path = place.Address
	to := s.hosts.URL(where, shareKey)
	if d.Kind != docs.RedirectPage {
		return to, nil
	}
	sp, err := s.Store.Space(ctx, place.Space)
	if err != nil {
		return "", err
	}
	p, err := page(ctx, sp.It, d.Page)
	return to + EscapePath(p), err
}

func joinPath(a, b string) string { return strings.Trim(a+"/"+b, "/") }

// appendPath appends the suffix that a wildcard matched to the path of an address.
func appendPath(address, suffix string) string {
	u, err := url.Parse(address)
	if err != nil || suffix == "" {
		return address
	}
	return u.JoinPath(suffix).String()
}

// destination returns the site space of a destination within the site.
func (s *Structure) destination(d docs.RedirectDestination) (docs.SiteItem, error) {
	if d.Kind != docs.RedirectSection {
		return s.itemInField("destination.siteSpaceId", docs.SiteSpace, docs.SiteItemID(d.Space))
	}
	sec, err := s.itemInField("destination.siteSectionId", docs.SiteSection, docs.SiteItemID(d.Section))
	if err != nil {
		return sec, err
	}
	it, ok := s.Default(sec.ID)
	if !ok {
		err = errs.At(errs.NotFound, "destination.siteSectionId", "the section has no content")
	}
	return it, err
}

// RedirectPatch is the input of Redirects.Add and Redirects.Update.
type RedirectPatch struct {
	Source      opt.Val[string]
	Draft       opt.Val[bool]
	KeepSuffix  opt.Val[bool]
	Permanent   opt.Val[bool]
	Destination opt.Val[docs.RedirectDestination]
}

// apply returns a redirect after a change.
func (p RedirectPatch) apply(r docs.Redirect) (docs.Redirect, error) {
	var wrong errs.Mistakes
	if text, ok := p.Source.Get(); ok {
		source, err := docs.ParseRedirectSource("source", text)
		wrong.Add(err)
		r.Source = source
	}
	r.Draft, r.KeepSuffix, r.Permanent = p.Draft.Or(r.Draft), p.KeepSuffix.Or(r.KeepSuffix), p.Permanent.Or(r.Permanent)
	r.Destination = p.Destination.Or(r.Destination)
	if wrong.Err() == nil {
		wrong.Add(r.Source.CheckCapture("captureWildcard", r.KeepSuffix))
	}
	wrong.Add(r.Destination.Check("destination"))
	return r, wrong.Err()
}

// checkPage returns an error if the destination is a page that does not exist. It runs before
// the transaction.
func (s *Redirects) checkPage(ctx context.Context, g *authz.Grant, d docs.RedirectDestination, page PagePath) error {
	if d.Kind != docs.RedirectPage {
		return nil
	}
	v, err := s.views.Member(ctx, g)
	if err != nil {
		return err
	}
	it, err := v.Structure.destination(d)
	if err != nil {
		return err
	}
	if _, err := page(ctx, v.Spaces[it.Space].It, d.Page); errs.Is(err, errs.NotFound) {
		return errs.At(errs.NotFound, "destination.pageId", "there is no page %q in the site space", d.Page)
	} else if err != nil {
		return err
	}
	return nil
}

func redirectEvent(action string, r docs.Redirect) audit.Event {
	return audit.Event{Action: "site.redirect." + action, Data: map[string]any{"redirect": r.ID, "source": r.Source, "draft": r.Draft}}
}

// Add creates a redirect.
func (s *Redirects) Add(ctx context.Context, g *authz.Grant, p RedirectPatch, page PagePath) (docs.Redirect, error) {
	r, err := p.apply(docs.Redirect{})
	if err != nil {
		return r, err
	}
	if err := s.checkPage(ctx, g, r.Destination, page); err != nil {
		return r, err
	}
	_, err = editSite(ctx, s.Store, g, func(c *change) (audit.Event, error) {
		if n, err := c.tx.CountRedirects(ctx, c.site.ID, store.RedirectFilter{}); err != nil {
			return audit.Event{}, err
		} else if n >= maxRedirects {
			return audit.Event{}, errs.E(errs.Precondition, "a site can have %d redirects; delete some first", maxRedirects)
		}
		r.ID, r.CreatedAt = store.NewID[docs.RedirectID](c.tx), c.tx.Now()
		return redirectEvent("create", r), c.putRedirect(ctx, s.hosts, docs.Redirect{}, &r)
	})
	return r, err
}

// Update changes a redirect.
func (s *Redirects) Update(ctx context.Context, g *authz.Grant, id docs.RedirectID, p RedirectPatch, page PagePath) (docs.Redirect, error) {
	if d, ok := p.Destination.Get(); ok {
		if err := s.checkPage(ctx, g, d, page); err != nil {
			return docs.Redirect{}, err
		}
	}
	var r docs.Redirect
	_, err := editSite(ctx, s.Store, g, func(c *change) (audit.Event, error) {
		old, err := c.tx.Redirect(ctx, c.site.ID, id)
		if err != nil {
			return audit.Event{}, err
		}
		if r, err = p.apply(old); err != nil {
			return audit.Event{}, err
		}
		return redirectEvent("update", r).Changed(old, r), c.putRedirect(ctx, s.hosts, old, &r)
	})
	return r, err
}

// Delete deletes a redirect.
func (s *Redirects) Delete(ctx context.Context, g *authz.Grant, id docs.RedirectID) error {
	_, err := editSite(ctx, s.Store, g, func(c *change) (audit.Event, error) {
		r, err := c.tx.Redirect(ctx, c.site.ID, id)
		if err != nil {
			return audit.Event{}, err
		}
		c.touch = true
		return redirectEvent("delete", r), c.tx.DropRedirect(ctx, c.site.ID, id)
	})
	return err
}

// putRedirect stores a new or changed redirect, unless it is the same as before.
func (c *change) putRedirect(ctx context.Context, hosts Hosts, before docs.Redirect, r *docs.Redirect) error {
	if err := c.checkDestination(ctx, r.Destination); err != nil {
		return err
	}
	if err := c.checkLoop(ctx, hosts, *r); err != nil {
		return err
	}
	switch other, err := c.tx.RedirectBySource(ctx, c.site.ID, r.Source, r.Draft); {
	case err == nil && other.ID != r.ID:
		return errs.Taken("source", "is taken: there is already a redirect from %s; change that one", r.Source)
	case err != nil && !errs.Is(err, errs.NotFound):
		return err
	}
	if audit.Same(before, *r) {
		return nil
	}
	r.UpdatedAt = c.tx.Now()
	c.touch = true
	return c.tx.PutRedirect(ctx, c.site.ID, *r)
}

// checkDestination returns an error unless a destination is on the site and the caller sees
// its content. The error is the same for hidden and for missing content.
func (c *change) checkDestination(ctx context.Context, d docs.RedirectDestination) error {
	if d.Kind == docs.RedirectExternal {
		return nil
	}
	it, err := c.tree.destination(d)
	if err != nil {
		return err
	}
	_, err = c.item(ctx, docs.SiteSpace, it.ID)
	if !errs.Is(err, errs.NotFound) {
		return err
	}
	_, err = NewStructure(c.site.Title, c.tree.All(docs.SiteSection), nil).destination(d)
	return err
}

// checkLoop follows a redirect, and returns an error if it leads back to its own source.
func (c *change) checkLoop(ctx context.Context, hosts Hosts, r docs.Redirect) error {
	if r.Draft {
		return nil
	}
	at, path := r, r.Source.Example()
	for range maxHops {
		next, inside := c.tree.follow(hosts, c.site, at, path)
		if !inside {
			return nil
		}
		if _, back := r.Source.Match(next); back {
			return errs.Field("destination", "leads back to %s", r.Source)
		}
		var err error
		if at, err = c.tx.RedirectFor(ctx, c.site.ID, next); errs.Is(err, errs.NotFound) {
			return nil
		} else if err != nil {
			return err
		}
		if at.ID == r.ID { // the stored version of r, from before this change
			return nil
		}
		path = next
	}
	return errs.Field("destination", "leads to more than %d other redirects, one after the other", maxHops)
}

// follow returns the path of the site that a redirect leads to from a path. It returns false
// if the target is content, for which no redirect is looked up, or if it is outside of the
// site.
func (s *Structure) follow(hosts Hosts, site docs.Site, r docs.Redirect, path string) (string, bool) {
	suffix, _ := r.Source.Match(path)
	if !r.KeepSuffix {
		suffix = ""
	}
	if r.Destination.Kind != docs.RedirectExternal {
		it, err := s.destination(r.Destination)
		if err != nil || suffix == "" || r.Destination.Kind == docs.RedirectPage {
			return "", false
		}
		return docs.NormalSitePath("/" + joinPath(EscapePath(it.Address), suffix))
	}
	return s.ownPath(hosts, site, appendPath(r.Destination.URL, suffix))
}

// ownPath returns the path of a site that an address names, in the form in which redirects
// are looked up. It returns false for addresses outside of the site, and for the root of the
// site.
func (s *Structure) ownPath(hosts Hosts, site docs.Site, address string) (string, bool) {
	u, err := url.Parse(address)
	if err != nil {
		return "", false
	}
	path, ok := docs.CleanSitePath(u.EscapedPath())
	if !ok {
		return "", false
	}
	rest, own := strings.CutPrefix(strings.ToLower(hostOf(u.Host)+path+"/"), strings.ToLower(site.Proxy)+"/")
	if site.Proxy == "" || !own {
		var name Name
		name, rest, ok = hosts.locate(u.Host, path)
		if !ok || name != (Name{ID: site.ID}) && name != (Name{Basename: site.Basename}) && name != (Name{Hostname: site.Hostname}) {
			return "", false
		}
	}
	_, rest = ShareKey(site, rest)
	if t, ok := s.Paths().Resolve(rest, false); ok { // map the long form of an address to the short one
		rest = EscapePath(t.Space.Address) + "/" + t.Rest
	}
	return docs.NormalSitePath(rest)
}
