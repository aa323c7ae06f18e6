package audience

import (
	"context"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/site/sites"
)

// maxVariants is the maximum number of variants of a space that are returned.
const maxVariants = 50

// Translations returns the variants of the space of a grant in other languages that the caller
// can see. These are its siblings on the site of a visitor. For a member, they are its
// siblings on the site on which the space is published.
func (s *Service) Translations(ctx context.Context, g *authz.Grant) ([]docs.Space, error) {
	v, err := s.siteOfSpace(ctx, g)
	if err != nil || v == nil {
		return nil, err
	}
	var out []docs.Space
	seen := map[string]bool{"": true, g.Space.Language: true} // one for each language
	for _, it := range siblings(v.Structure, g.Space.ID) {
		sp, ok := v.Spaces[it.Space]
		if !ok || seen[sp.It.Language] || it.Trashed || it.Withheld || it.Drafted || it.Hidden {
			continue
		}
		seen[sp.It.Language] = true
		if out = append(out, sp.It); len(out) == maxVariants {
			break
		}
	}
	return out, nil
}

// siteOfSpace returns the site on which the space of a grant is published, as the caller sees
// it. It returns nil if there is none.
func (s *Service) siteOfSpace(ctx context.Context, g *authz.Grant) (*sites.View, error) {
	if by := g.Actor.Visitor; by != nil {
		return s.visitorSite(ctx, *by)
	}
	if g.Space.Published == nil {
		return nil, nil
	}
	site, err := s.store.Site(ctx, g.Space.Published.Site)
	if errs.Is(err, errs.NotFound) {
		return nil, nil // deleted meanwhile
	}
	if err != nil {
		return nil, err
	}
	tree, err := s.PublicStructure(ctx, site.It)
	if err != nil {
		return nil, err
	}
	return s.sites.Views.Of(ctx, s.store.Reader, g.Viewer(), site.It, tree)
}

// siblings returns the site spaces of the section that has a space, or nil. If several sections
// have the space, it is the first one.
func siblings(s *sites.Structure, space docs.SpaceID) []docs.SiteItem {
	for _, it := range s.All(docs.SiteSpace) {
		if it.Space == space {
			return s.Children(it.Parent)
		}
	}
	return nil
}
