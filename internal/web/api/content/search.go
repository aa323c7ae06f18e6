package content

import (
	"context"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/index"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/store/searchrows"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

func (h *handlers) search() {
	const tag = "Search"
	kernel.Register(h.Kernel, kernel.Op{
		ID: "searchSpaceContent", Route: "GET /spaces/{spaceId}/search", Tag: tag, Allow: authz.Space(authz.ReadContent),
		Summary: "Search the pages of a space, best matches first.",
		About: "The last word of the query can be incomplete. Words of five or more letters can be misspelled. " +
			"The best ten operations of API references come first, as sections of the computed pages that show them.",
	}, h.searchSpace)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "searchOrganizationContent", Route: "GET /orgs/{organizationId}/search", Tag: tag, Allow: authz.Org(authz.ViewOrg),
		Summary: "Search the pages of all spaces that you can see, grouped by space.",
		About:   wire.AboutSpaces,
	}, h.searchOrganization)
}

// Queried is part of the input of a search.
type Queried struct {
	Query string `query:"query" required:"true" minLength:"1" maxLength:"512" doc:"The words to search for."`
	kernel.Paged
}

type searchSpaceIn struct {
	wire.SpaceIn
	Queried
}

func (h *handlers) searchSpace(ctx context.Context, in *searchSpaceIn) (*kernel.Page[wire.PageResult], error) {
	v, err := h.Head(ctx)
	if err != nil {
		return nil, err
	}
	return kernel.ListOf(ctx, h.Kernel, in.Paged, wire.ByPlace(func(limit int, at *searchrows.Place) ([]index.Found, bool, error) {
		return h.Content.Search(ctx, []*revision.View{v}, in.Query, limit, at)
	}), h.PageResult)
}

type searchOrgIn struct {
	wire.OrgIn
	Queried
}

func (h *handlers) searchOrganization(ctx context.Context, in *searchOrgIn) (*kernel.Page[wire.SpaceResult], error) {
	return h.SearchViews(ctx, in.Paged, in.Query, func() ([]*revision.View, error) {
		return h.Content.Index.VisibleSpaces(ctx, authz.FromContext(ctx))
	})
}
