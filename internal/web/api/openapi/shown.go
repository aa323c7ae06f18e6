package openapi

import (
	"context"
	"maps"
	"slices"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

// maxShownDrafts is the number of change requests of a site, the most recently changed ones
// of each space, whose pages count as shown by a preview of all drafts.
const maxShownDrafts = 50

// showing returns a space whose pages show a specification to the caller, a visitor of a
// site. The error is NotFound if the visitor sees no such page, whether the specification
// exists or not. For a member, it returns no space and no error.
func (h *handlers) showing(ctx context.Context, slug docs.OpenAPISlug) (docs.SpaceID, error) {
	g := authz.FromContext(ctx)
	if g.VisitorAccess() == nil {
		return "", nil
	}
	site, err := h.Audience.View(ctx, g)
	if err != nil {
		return "", err
	}
	spaces := slices.Sorted(maps.Keys(site.Spaces))
	for _, id := range spaces {
		sp := site.Spaces[id].It
		if ok, err := h.showsSpec(ctx, g, sp, sp.Revision, slug); ok || err != nil {
			return id, err
		}
	}
	left := maxShownDrafts
	for _, id := range spaces {
		drafts, err := h.Content.DraftsShown(ctx, g, id, left)
		if err != nil {
			return "", err
		}
		left -= len(drafts)
		for _, rev := range drafts {
			if ok, err := h.showsSpec(ctx, g, site.Spaces[id].It, rev, slug); ok || err != nil {
				return id, err
			}
		}
	}
	return "", errs.Missing("OpenAPI specification")
}

func (h *handlers) showsSpec(ctx context.Context, g *authz.Grant, sp docs.Space, rev docs.RevisionID, slug docs.OpenAPISlug) (bool, error) {
	v, err := h.Content.Revision(ctx, sp, rev)
	if err != nil {
		return false, err
	}
	return h.Content.ShowsSpec(ctx, wire.AsSeen(g, v), string(slug))
}
