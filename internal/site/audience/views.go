package audience

import (
	"context"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/reading"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/store"
)

// treeKey identifies a version of a site, with or without its drafts.
type treeKey struct {
	site    docs.SiteID
	version int64
	staged  bool
}

// maxTrees is the maximum number of items in all cached structures.
const maxTrees = 100_000

// PublicStructure returns the structure of a site for readers, before conditions are
// applied. It has no spaces in the trash, no withheld translations and no drafts. It is
// cached by the version of the site and shared, so it must not be modified.
func (s *Service) PublicStructure(ctx context.Context, site docs.Site) (*sites.Structure, error) {
	return s.structure(ctx, site, false)
}

// structure is PublicStructure; with staged, as if all drafts were live.
func (s *Service) structure(ctx context.Context, site docs.Site, staged bool) (*sites.Structure, error) {
	key := treeKey{site.ID, site.Version, staged}
	if tree, ok := s.trees.Get(key); ok {
		return tree, nil
	}
	items, err := s.store.SiteItems(ctx, site.ID)
	if err != nil {
		return nil, err
	}
	tree := sites.NewStructure(site.Title, items, nil)
	if staged {
		tree = tree.Staged()
	} else {
		tree = tree.Present()
	}
	s.trees.Set(key, tree)
	return tree, nil
}

// View returns the site of a grant as the caller sees it: a member, or a visitor.
func (s *Service) View(ctx context.Context, g *authz.Grant) (*sites.View, error) {
	if v := g.Actor.Visitor; v != nil {
		return s.visitorSite(ctx, *v)
	}
	return s.sites.Views.Member(ctx, g)
}

// visitorSite returns the site as a visitor sees it.
func (s *Service) visitorSite(ctx context.Context, by authz.Visitor) (*sites.View, error) {
	seen, err := s.VisitorView(ctx, s.store.Reader, by)
	if err != nil {
		return nil, err
	}
	v := &sites.View{Site: seen.Site, Structure: seen.Structure, Spaces: map[docs.SpaceID]store.Ranked[docs.Space]{}, Hosts: s.sites.Hosts, Readers: seen.Structure}
	all, err := s.store.PresentSpacesOnSite(ctx, seen.Site.ID)
	for _, sp := range all {
		if seen.Spaces[sp.ID] {
			v.Spaces[sp.ID] = store.Ranked[docs.Space]{It: by.Readable(sp), Role: docs.Read}
		}
	}
	return v, err
}

// Visible returns a structure without items whose conditions do not hold for a visitor.
func Visible(ctx context.Context, s *sites.Structure, reader *reading.Visitor) (*sites.Structure, error) {
	check := reader.Check(ctx)
	out := s.Filter(func(it docs.SiteItem) bool { return check.Holds(it.Condition) })
	return out, check.Err
}
