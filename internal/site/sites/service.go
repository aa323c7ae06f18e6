// Package sites is where spaces are published. A site has an address, an audience, and an
// ordered tree of sections, groups and site spaces. Site spaces are pointers to spaces:
// publishing copies no content.
//
// Structure is the tree with its rules. Addresses are computed from it. Both depend neither
// on a store nor on HTTP. Service changes a site in one transaction, which reads the tree,
// changes it, writes the rows that differ, and increments the version of the site. What
// readers meet is derived from that, in package site/audience.
//
// Where a change goes:
//   - the site itself: service.go; its sections, groups, site spaces and links: items.go,
//     links.go; who may widen its audience: exposure.go
//   - what else belongs to a site, each a type of its own: Settings (settings.go, auth.go,
//     fonts.go), ShareLinks, Redirects, MCPServers, Hostnames (hostname.go, proxy.go)
//   - host names of sites: what is a name in hostname.go, when a site has it and loses it
//     in docs/site_hostname.go; certificates in site/certs
//   - what a visitor of a site may see: site/audience
//   - a rule of a site's structure: the rules in structure.go, an operation on the tree in
//     edit.go, addresses in address.go
package sites

import (
	"cmp"
	"context"
	"maps"
	"net"
	"slices"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/challenge"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/store"
)

// Service reads and changes sites and their structure. Its parts read and change what else
// belongs to a site.
type Service struct {
	Store *store.Store
	Hosts Hosts

	Views      *Views
	Settings   *Settings
	Hostnames  *Hostnames
	ShareLinks *ShareLinks
	Redirects  *Redirects
	MCPServers *MCPServers
}

// Config is what a Service is made of besides its store.
type Config struct {
	Hosts Hosts
	DNS   challenge.Resolver // verifies the ownership of host names; nil for the resolver of the system
}

// New returns a service for a store.
func New(s *store.Store, c Config) *Service {
	if c.DNS == nil {
		c.DNS = net.DefaultResolver
	}
	views := &Views{s, c.Hosts}
	return &Service{
		Store: s, Hosts: c.Hosts, Views: views,
		Settings:   &Settings{s, c.Hosts, views},
		Hostnames:  &Hostnames{s, c.Hosts, c.DNS},
		ShareLinks: &ShareLinks{s, c.Hosts},
		Redirects:  &Redirects{s, c.Hosts, views},
		MCPServers: &MCPServers{s},
	}
}

const untitled = "Untitled"

// change is a change of a site in a transaction.
type change struct {
	tx     *store.Tx
	grant  *authz.Grant
	was    docs.Site // before the change
	site   docs.Site
	tree   *Structure
	before map[docs.SiteItemID]docs.SiteItem
	spaces map[docs.SpaceID]docs.Space // spaces that the caller may add to a site
	touch  bool                        // increment the version even if no row differs
}

// edit runs a change of the site of a grant and stores the differences. The function fn
// returns the audit event, whose subject is filled in.
func edit(ctx context.Context, tx *store.Tx, g *authz.Grant, fn func(c *change) (audit.Event, error)) (*change, error) {
	c, err := begin(ctx, tx, g.Site)
	if err != nil {
		return nil, err
	}
	c.grant = g
	e, err := fn(c)
	if err == nil {
		err = c.checkReach(ctx)
	}
	if err != nil {
		return nil, err
	}
	return c, c.save(ctx, g.Actor, e)
}

// editSite runs edit in its own transaction.
func editSite(ctx context.Context, st *store.Store, g *authz.Grant, fn func(c *change) (audit.Event, error)) (docs.Site, error) {
	return authz.InTx(ctx, st, g, func(tx *store.Tx, g *authz.Grant) (docs.Site, error) {
		c, err := edit(ctx, tx, g, fn)
		if err != nil {
			return docs.Site{}, err
		}
		return c.site, nil
	})
}

// editLevel is editSite for a change that may also change the default level of the site.
func (s *Service) editLevel(ctx context.Context, g *authz.Grant, level opt.Val[docs.Level], fn func(c *change) (audit.Event, error)) (docs.Site, error) {
	return authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (site docs.Site, err error) {
		wanted, err := authz.NewLevel(g, g.Site.Level, level)
		if err != nil {
			return site, err
		}
		err = authz.KeepAboveLevel(ctx, tx, g, wanted, func() error {
			c, err := edit(ctx, tx, g, func(c *change) (audit.Event, error) {
				c.site.Level = wanted
				return fn(c)
			})
			if err == nil {
				site = c.site
			}
			return err
		})
		return site, err
	})
}

// begin reads the structure of a site, for a change.
func begin(ctx context.Context, tx *store.Tx, site docs.Site) (*change, error) {
	items, err := tx.SiteItems(ctx, site.ID)
	c := &change{tx: tx, was: site, site: site, spaces: map[docs.SpaceID]docs.Space{}}
	c.tree = NewStructure(site.Title, items, func(kind docs.SiteItemKind) docs.SiteItemID {
		return docs.NewSiteItemID(kind, store.NewID[string](tx))
	})
	c.before = maps.Clone(c.tree.items)
	return c, err
}

// save writes the differences and the audit event, if there are any.
func (c *change) save(ctx context.Context, by authz.Actor, e audit.Event) error {
	c.tree.readdress()
	changed, err := c.saveItems(ctx)
	if err != nil {
		return err
	}
	c.site.SiteSpaces = len(c.tree.All(docs.SiteSpace))
	old, err := c.tx.Site(ctx, c.site.ID)
	if err != nil || len(changed) == 0 && old.It == c.site && !c.touch {
		return err
	}
	if old.It.Publication() != c.site.Publication() || old.It.Published != c.site.Published {
		for _, it := range c.tree.items {
			changed[it.Space] = true
		}
	}
	c.site.Version, c.site.UpdatedAt = old.It.Version+1, c.tx.Now()
	if err := c.tx.PutSite(ctx, c.site); err != nil {
		return err
	}
	if err := republish(ctx, c.tx, changed); err != nil {
		return err
	}
	if e.Action == "" { // the audit event of the space describes the change
		return nil
	}
	e = e.Changed(old.It, c.site)
	for id, it := range c.tree.items {
		if was, ok := c.before[id]; ok {
			e = e.ChangedAt(string(id), was, it)
		}
	}
	e.Org, e.Kind, e.ID = c.site.Org, "site", string(c.site.ID)
	return audit.Record(ctx, c.tx, by, e)
}

// saveItems writes the rows of items that differ. It returns the spaces that these items
// refer to, before or after the change. Sections and groups count as the empty space.
func (c *change) saveItems(ctx context.Context) (map[docs.SpaceID]bool, error) {
	changed := map[docs.SpaceID]bool{}
	for id, it := range c.tree.items {
		old := c.before[id]
		if old == it {
			continue
		}
		changed[it.Space], changed[old.Space] = true, true
		if err := c.tx.PutSiteItem(ctx, c.site.ID, it); err != nil {
			return nil, err
		}
	}
	for id, old := range c.before {
		if _, ok := c.tree.items[id]; ok {
			continue
		}
		changed[old.Space] = true
		if err := c.tx.DropSiteItem(ctx, id); err != nil {
			return nil, err
		}
	}
	return changed, nil
}

// space returns a space that the caller wants to add to the site. It must belong to the
// organization of the site, and the caller must administer it, because publishing shows it
// to others. The field is its place in the request, for errors.
func (c *change) space(ctx context.Context, field string, id docs.SpaceID) (docs.Space, error) {
	if sp, ok := c.spaces[id]; ok {
		return sp, nil
	}
	g, _, err := authz.NewChecker(c.tx.Reader).Space(ctx, c.grant.Actor, authz.AdminSpace, id)
	if errs.Is(err, errs.NotFound) || err == nil && g.Space.Org != c.site.Org {
		return docs.Space{}, errs.At(errs.NotFound, field, "there is no space %q in the organization", id)
	}
	if err != nil {
		return docs.Space{}, err
	}
	c.spaces[id] = g.Space
	return g.Space, nil
}

// spaceOr is space, or makes one.
func (c *change) spaceOr(ctx context.Context, id docs.SpaceID, made Maker) (docs.Space, error) {
	if made == nil {
		return c.space(ctx, "spaceId", id)
	}
	sp, err := made(ctx, c.tx, c.grant)
	if err == nil {
		c.spaces[sp.ID] = sp
	}
	return sp, err
}

// item returns an item of the site. The error is NotFound for a site space whose space the
// caller cannot see.
func (c *change) item(ctx context.Context, kind docs.SiteItemKind, id docs.SiteItemID) (docs.SiteItem, error) {
	it, err := c.tree.Item(kind, id)
	if err != nil || kind != docs.SiteSpace {
		return it, err
	}
	_, _, err = authz.NewChecker(c.tx.Reader).AnySpace(ctx, c.grant.Actor, authz.ViewSpace.Within(docs.ScopeWrite), it.Space)
	if authz.Denied(err) {
		err = errs.Missing(nouns[kind])
	}
	return it, err
}

// NewSite is the input of Create. A zero field has a default.
type NewSite struct {
	Title      string
	Type       string
	Visibility docs.Visibility
	Spaces     []docs.SpaceID
}

// Create creates an unpublished site with the given spaces in order.
func (s *Service) Create(ctx context.Context, g *authz.Grant, in NewSite) (docs.Site, error) {
	return authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (docs.Site, error) {
		return Create(ctx, tx, g, in)
	})
}

// Create is Service.Create in the transaction of a caller that also changes something else.
func Create(ctx context.Context, tx *store.Tx, g *authz.Grant, in NewSite) (docs.Site, error) {
	site := docs.Site{
		ID: docs.SiteID(docs.SiteIDPrefix + store.NewID[string](tx)), Org: g.Access.Org,
		Title: cmp.Or(in.Title, untitled), Type: cmp.Or(in.Type, docs.SiteTypes[0]), Visibility: cmp.Or(in.Visibility, docs.VisibilityPublic),
		AgentsContext: "included", Level: docs.LevelInherit, CreatedBy: g.Actor.User, CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
	}
	if err := tx.AddSite(ctx, site); err != nil {
		return site, err
	}
	settings := docs.SiteSettings{Auth: docs.SiteAuth{Backend: docs.AuthCustom}}
	if err := setKey(ctx, tx.Reader, site.ID, &settings.Auth); err != nil {
		return site, err
	}
	if err := tx.PutSiteSettings(ctx, site.ID, settings); err != nil {
		return site, err
	}
	c, err := begin(ctx, tx, site)
	if err != nil {
		return site, err
	}
	c.grant = g
	for _, id := range in.Spaces {
		sp, err := c.space(ctx, "spaces", id)
		if err != nil {
			return site, err
		}
		if _, err := c.tree.AddSpace("", sp); err != nil {
			return site, err
		}
	}
	c.touch = true
	err = c.save(ctx, g.Actor, audit.Event{Action: "site.create", Data: map[string]any{"title": site.Title}})
	return c.site, err
}

// First returns a function that makes the first site of an organization, in the transaction that
// makes the organization. The site has the title of the organization, as far as it fits.
func First(title string) func(ctx context.Context, tx *store.Tx, g *authz.Grant) error {
	return func(ctx context.Context, tx *store.Tx, g *authz.Grant) error {
		_, err := Create(ctx, tx, g, NewSite{Title: docs.FirstRunes(title, docs.MaxSiteTitle)})
		return err
	}
}

// SitePatch is the input of Update.
type SitePatch struct {
	Title          opt.Val[string]
	Visibility     opt.Val[docs.Visibility]
	Basename       opt.Val[string]
	Proxy          opt.Val[string]
	Adaptive       opt.Val[bool]
	AgentsContext  opt.Val[string]
	KeepsQuestions opt.Val[bool]
	DefaultSpace   opt.Val[docs.SiteItemID]
	DefaultSection opt.Val[docs.SiteItemID]
	Level          opt.Val[docs.Level] // role of members of the organization; null: none
}

// Update changes the settings of a site.
func (s *Service) Update(ctx context.Context, g *authz.Grant, p SitePatch) (docs.Site, error) {
	var wrong errs.Mistakes
	if name, ok := p.Basename.Get(); ok && !docs.ValidBasename(name) {
		wrong.Field("basename", "must be 1 to 100 lower-case letters, digits or inner hyphens, and not a reserved name")
	}
	if proxy, ok := p.Proxy.Get(); ok && proxy != g.Site.Proxy {
		wrong.Add(s.Hostnames.checkProxy(ctx, g.Site, proxy))
	}
	if err := wrong.Err(); err != nil {
		return docs.Site{}, err
	}
	return s.editLevel(ctx, g, p.Level, func(c *change) (audit.Event, error) {
		w := &c.site
		w.Title, w.Visibility, w.Basename = p.Title.Or(w.Title), p.Visibility.Or(w.Visibility), p.Basename.Or(w.Basename)
		if p.Proxy.IsSet() {
			*w = w.WithProxy(p.Proxy.Or(""), c.tx.Now())
		}
		if w.KeepsQuestions = p.KeepsQuestions.Or(w.KeepsQuestions); c.was.KeepsQuestions && !w.KeepsQuestions {
			if err := c.tx.DropQuestions(ctx, w.ID); err != nil {
				return audit.Event{}, err
			}
		}
		w.Adaptive, w.AgentsContext = p.Adaptive.Or(w.Adaptive), p.AgentsContext.Or(w.AgentsContext)
		return audit.Event{Action: "site.update", Data: map[string]any{
			"title": w.Title, "visibility": w.Visibility, "basename": w.Basename, "level": w.Level, "keepsQuestions": w.KeepsQuestions,
		}}, c.tree.SetDefaults(p.DefaultSection.Or(""), p.DefaultSpace.Or(""))
	})
}

// Publish publishes or unpublishes a site. All settings are kept.
func (s *Service) Publish(ctx context.Context, g *authz.Grant, published bool) (docs.Site, error) {
	return editSite(ctx, s.Store, g, func(c *change) (audit.Event, error) {
		if published && len(c.tree.Present().All(docs.SiteSpace)) == 0 {
			return audit.Event{}, errs.E(errs.Precondition, "the site has no content; add a space to it first")
		}
		c.site.Published = published
		action := map[bool]string{true: "site.publish", false: "site.unpublish"}[published]
		return audit.Event{Action: action, Data: map[string]any{"title": c.site.Title}}, nil
	})
}

// Delete deletes a site. The content remains in its spaces.
func (s *Service) Delete(ctx context.Context, g *authz.Grant) error {
	return authz.Do(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) error {
		items, err := tx.SiteItems(ctx, g.Site.ID)
		if err != nil {
			return err
		}
		if err := tx.DropSite(ctx, g.Site); err != nil {
			return err
		}
		freed := map[docs.SpaceID]bool{}
		for _, it := range items {
			freed[it.Space] = true
		}
		if err := republish(ctx, tx, freed); err != nil {
			return err
		}
		return audit.Record(ctx, tx, g.Actor, audit.Event{
			Org: g.Site.Org, Action: "site.delete", Kind: "site", ID: string(g.Site.ID), Data: map[string]any{"title": g.Site.Title},
		})
	})
}

// republish updates the stored publication of each space.
func republish(ctx context.Context, tx *store.Tx, spaces map[docs.SpaceID]bool) error {
	for _, id := range slices.Sorted(maps.Keys(spaces)) {
		if id == "" {
			continue
		}
		all, err := tx.Publications(ctx, id)
		if err != nil {
			return err
		}
		var widest *docs.Publication
		for i := range all {
			if widest == nil || all[i].Visibility.Wider(widest.Visibility) {
				widest = &all[i]
			}
		}
		v, exists, err := store.Maybe(tx.Space(ctx, id))
		if err != nil {
			return err
		}
		if err := tx.PutPublication(ctx, id, widest); err != nil {
			return err
		}
		if exists && v.It.DeletedAt.IsZero() { // a space in the trash is not unpublished: it is restored, or purged
			if err := followSource(ctx, tx, id, v.It.Published, widest); err != nil {
				return err
			}
		}
	}
	return nil
}

// SpaceChanged must be called in a transaction that changes the title, the icon or the language
// of a space, or moves it to or from the trash. It updates all sites that have the space.
func SpaceChanged(ctx context.Context, tx *store.Tx, by authz.Actor, sp docs.Space) error {
	return eachSite(ctx, tx, by, sp, "", func(*Structure) {})
}

// SpacePurged must be called in the transaction that permanently deletes a space, before the
// space is deleted.
func SpacePurged(ctx context.Context, tx *store.Tx, by authz.Actor, sp docs.Space) error {
	return eachSite(ctx, tx, by, sp, "site_space.delete", func(s *Structure) { s.DropSpace(sp.ID) })
}

// eachSite applies a change to every site that has a space, and increments its version.
func eachSite(ctx context.Context, tx *store.Tx, by authz.Actor, sp docs.Space, action string, fn func(*Structure)) error {
	all, err := tx.SitesWith(ctx, sp.ID)
	if err != nil {
		return err
	}
	for _, site := range all {
		c, err := begin(ctx, tx, site)
		if err != nil {
			return err
		}
		fn(c.tree)
		c.touch = true
		if err := c.save(ctx, by, audit.Event{Action: action, Data: map[string]any{"space": sp.ID}}); err != nil {
			return err
		}
	}
	return republish(ctx, tx, map[docs.SpaceID]bool{sp.ID: true})
}
