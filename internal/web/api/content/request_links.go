package content

import (
	"context"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/index"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

// requestLinks declares the operations on the links of change requests. They share
// their code with the operations on the links of spaces, see links.go.
func (h *handlers) requestLinks() {
	const tag = "Change requests"
	view := authz.Space(authz.ViewSpace)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listChangeRequestLinks", Route: "GET /spaces/{spaceId}/change-requests/{changeRequestId}/links", Tag: tag, Allow: view,
		Summary: "List the links of all pages of a change request, and whether they work.",
	}, func(ctx context.Context, in *requestLinksIn) (*kernel.Out[linkList], error) {
		return h.linksOut(ctx, h.request(in.Request), true, index.LinkFilter{Status: in.Status, Broken: in.Broken}, in.Paged)
	})
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listPageLinksInChangeRequest", Route: "GET /spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId}/links", Tag: tag, Allow: view,
		Summary: "List the links of a page of a change request.",
	}, func(ctx context.Context, in *requestPagedPageIn) (*kernel.Out[linkList], error) {
		return h.linksOut(ctx, h.request(in.Request), true, index.LinkFilter{Page: in.Page}, in.Paged)
	})
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listChangeRequestPageBacklinks", Route: "GET /spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId}/backlinks", Tag: tag, Allow: view,
		Summary: "List where a page of a change request is linked.",
	}, func(ctx context.Context, in *requestPagedPageIn) (*kernel.Page[contentLocation], error) {
		return h.backlinksOut(ctx, h.request(in.Request), docs.RefPage, string(in.Page), in.Paged)
	})
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listChangeRequestFileBacklinks", Route: "GET /spaces/{spaceId}/change-requests/{changeRequestId}/content/files/{fileId}/backlinks", Tag: tag, Allow: view,
		Summary: "List where a file of a change request is used.",
	}, func(ctx context.Context, in *requestPagedFileIn) (*kernel.Page[contentLocation], error) {
		return h.backlinksOut(ctx, h.request(in.Request), docs.RefFile, string(in.File), in.Paged)
	})
}

type requestLinksIn struct {
	wire.RequestIn
	kernel.Paged
	Status index.LinkStatus `query:"status" enum:"ok,broken,in-app" doc:"Only links with this status."`
	Broken index.BrokenIn   `query:"brokenContext" enum:"change-request,space" doc:"Only broken links: those that the request broke, or those that are broken in the space, too."`
}

type requestPagedPageIn struct {
	wire.RequestIn
	Page docs.PageID `path:"pageId"`
	kernel.Paged
}

type requestPagedFileIn struct {
	wire.RequestIn
	File docs.FileID `path:"fileId"`
	kernel.Paged
}
