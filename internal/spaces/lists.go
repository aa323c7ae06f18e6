package spaces

import (
	"context"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
)

// Spaces lists the spaces that the caller can see: all of the organization, or only those
// directly in a collection if in is set.
func (s *Service) Spaces(g *authz.Grant, in docs.CollectionID) store.List[store.Ranked[docs.Space]] {
	return s.visible(g.Viewer(), store.SpaceFilter{In: in}, s.Store.Spaces)
}

// SpacesOf lists the spaces that a member of an organization can see, in the order of
// their ranks or in reverse order.
func (s *Service) SpacesOf(ctx context.Context, org docs.OrgID, user docs.UserID, backward bool) (store.List[store.Ranked[docs.Space]], error) {
	m, err := s.Store.Member(ctx, org, user)
	read := s.Store.Spaces
	if backward {
		read = s.Store.SpacesBackward
	}
	return s.visible(store.Viewer{Org: org, User: user, Role: m.Role}, store.SpaceFilter{}, read), err
}

type spacesPage func(context.Context, store.Viewer, store.SpaceFilter, store.Page) ([]store.Ranked[docs.Space], store.Key, error)

func (s *Service) visible(v store.Viewer, f store.SpaceFilter, read spacesPage) store.List[store.Ranked[docs.Space]] {
	return store.List[store.Ranked[docs.Space]]{
		Page: func(ctx context.Context, p store.Page) ([]store.Ranked[docs.Space], store.Key, error) {
			return read(ctx, v, f, p)
		},
		Count: func(ctx context.Context) (int64, error) { return s.Store.CountSpaces(ctx, v, f) },
	}
}

// Collections lists the collections of the organization that the caller can see, with or
// without nested ones.
func (s *Service) Collections(g *authz.Grant, nested bool) store.List[store.Ranked[docs.Collection]] {
	v, f := g.Viewer(), store.CollectionFilter{TopLevel: !nested}
	return store.List[store.Ranked[docs.Collection]]{
		Page: func(ctx context.Context, p store.Page) ([]store.Ranked[docs.Collection], store.Key, error) {
			return s.Store.Collections(ctx, v, f, p)
		},
		Count: func(ctx context.Context) (int64, error) { return s.Store.CountCollections(ctx, v, f) },
	}
}

// UserGrants lists the direct grants to users on the resource of a grant.
func (s *Service) UserGrants(g *authz.Grant) store.List[store.UserGrant] {
	return authz.VisiblePeople(g, store.List[store.UserGrant]{
		Page: func(ctx context.Context, p store.Page) ([]store.UserGrant, store.Key, error) {
			return s.Store.UserGrants(ctx, g.Node(), p)
		},
	})
}

// TeamGrants lists the direct grants to teams on the resource of a grant.
func (s *Service) TeamGrants(g *authz.Grant) store.List[store.TeamGrant] {
	return authz.VisiblePeople(g, store.List[store.TeamGrant]{
		Page: func(ctx context.Context, p store.Page) ([]store.TeamGrant, store.Key, error) {
			return s.Store.TeamGrants(ctx, g.Node(), p)
		},
	})
}
