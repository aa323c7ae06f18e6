package sites

import (
	"context"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
)

// View is a site as one caller sees it: a member of its organization, or a visitor.
type View struct {
	Site docs.Site
	// Structure is the tree without the items that the caller cannot see. For a member
	// these are the site spaces whose space the member cannot see.
	Structure *Structure
	// Spaces are the spaces of the site that the caller can see, with the role of the
	// caller.
	Spaces map[docs.SpaceID]store.Ranked[docs.Space]

	Readers *Structure // the part of the structure that readers can see
	Hosts   Hosts
}

// Views has what members see of sites.
type Views struct {
	store *store.Store
	hosts Hosts
}

// Member returns the site of a grant, as the member of the grant sees it.
func (s *Views) Member(ctx context.Context, g *authz.Grant) (*View, error) {
	items, err := s.store.SiteItems(ctx, g.Site.ID)
	if err != nil {
		return nil, err
	}
	return s.Of(ctx, s.store.Reader, g.Viewer(), g.Site, NewStructure(g.Site.Title, items, nil))
}

// Of returns the part of a structure of a site that a member sees.
func (s *Views) Of(ctx context.Context, r store.Reader, who store.Viewer, site docs.Site, tree *Structure) (*View, error) {
	v := &View{Site: site, Spaces: map[docs.SpaceID]store.Ranked[docs.Space]{}, Hosts: s.hosts, Readers: tree.Present()}
	visible, err := r.SpacesOnSite(ctx, who, site.ID)
	for _, sp := range visible {
		v.Spaces[sp.It.ID] = sp
	}
	v.Structure = NewStructure(site.Title, nil, nil)
	for id, it := range tree.items {
		if _, ok := v.Spaces[it.Space]; ok || it.Kind != docs.SiteSpace {
			v.Structure.items[id] = it
		}
	}
	for parent, children := range tree.children {
		for _, id := range children {
			if _, ok := v.Structure.items[id]; ok {
				v.Structure.children[parent] = append(v.Structure.children[parent], id)
			}
		}
	}
	return v, err
}

// Live returns the view without what only editors see of the structure: drafts, and spaces that
// readers do not find.
func (v *View) Live() *View {
	live := *v
	live.Structure = v.Structure.Present()
	return &live
}

// URL returns the address of a section or a site space for readers, with a share key of
// ShareLinks.AddressKey. It is empty if the site is not published or has no content there.
func (v *View) URL(it docs.SiteItem, shareKey string) string {
	space, ok := v.Readers.items[it.ID]
	if it.Kind == docs.SiteSection {
		space, ok = v.Readers.Default(it.ID)
	}
	if !ok || !v.Site.Published {
		return ""
	}
	p := v.Site.Publication()
	p.Path = space.Address
	return v.Hosts.URL(p, shareKey)
}

// URL returns the address of a published site. It is empty if the site is not published.
func (s *Service) URL(site docs.Site) string { return s.SharedURL(site, "") }

// SharedURL is URL with a share key of ShareLinks.AddressKey.
func (s *Service) SharedURL(site docs.Site, shareKey string) string {
	if !site.Published {
		return ""
	}
	return s.Hosts.URL(site.Publication(), shareKey)
}

// ProxyTarget returns the address that a proxy on the domain of the owner must forward to.
func (s *Service) ProxyTarget(site docs.Site) string { return s.Hosts.ServerURL(site.Publication()) }

// List lists the sites of an organization that the caller can see. The list is empty if the
// filter names a space that the caller cannot see.
func (s *Service) List(ctx context.Context, g *authz.Grant, f store.SiteFilter) (store.List[store.Ranked[docs.Site]], error) {
	if f.Space != "" {
		_, _, err := authz.NewChecker(s.Store.Reader).Space(ctx, g.Actor, authz.ViewSpace, f.Space)
		if authz.Denied(err) {
			return store.List[store.Ranked[docs.Site]]{}, nil
		}
		if err != nil {
			return store.List[store.Ranked[docs.Site]]{}, err
		}
	}
	return store.List[store.Ranked[docs.Site]]{
		Page: func(ctx context.Context, p store.Page) ([]store.Ranked[docs.Site], store.Key, error) {
			return s.Store.Sites(ctx, g.Viewer(), f, p)
		},
		Count: func(ctx context.Context) (int64, error) { return s.Store.CountSites(ctx, g.Viewer(), f) },
	}, nil
}
