package spaces

import (
	"context"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
)

// VisibleCollection returns the grant of an actor to see a collection.
func (s *Service) VisibleCollection(ctx context.Context, by authz.Actor, id docs.CollectionID) (*authz.Grant, error) {
	g, _, err := authz.NewChecker(s.Store.Reader).Collection(ctx, by, authz.ViewCollection, id)
	return g, err
}

// VisibleSpace returns the grant of an actor to read the content of a space.
func (s *Service) VisibleSpace(ctx context.Context, by authz.Actor, id docs.SpaceID) (*authz.Grant, error) {
	g, _, err := authz.NewChecker(s.Store.Reader).Space(ctx, by, authz.ReadContent, id)
	return g, err
}

// VisibleSite returns the grant of an actor to see a site.
func (s *Service) VisibleSite(ctx context.Context, by authz.Actor, site docs.Site) (*authz.Grant, error) {
	g, _, err := authz.NewChecker(s.Store.Reader).Site(ctx, by, authz.ViewSite, site.Org, site.ID)
	return g, err
}
