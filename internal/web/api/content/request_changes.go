package content

import (
	"context"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

// requestHistory declares the operations on the revisions of a change request, and on
// their differences. They share their code with the operations on the revisions of a space.
func (h *handlers) requestHistory() {
	const tag = "Change requests"
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getChangeRequestChanges", Route: "GET /spaces/{spaceId}/change-requests/{changeRequestId}/changes", Tag: tag, Allow: authz.Space(authz.ReadRequest),
		Summary: "List what a change request changes.",
		About:   "The content token of a preview lists what the preview shows of it, without the differences in the documents.",
	}, h.changeRequestChanges)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listChangeRequestRevisions", Route: "GET /spaces/{spaceId}/change-requests/{changeRequestId}/revisions", Tag: tag, Allow: authz.Space(authz.ViewSpace),
		Summary: "List the revisions of a change request, newest first.",
	}, h.changeRequestRevisions)
}

type changeRequestChangesIn struct {
	wire.RequestIn
	kernel.ChangesPaged
}

func (h *handlers) changeRequestChanges(ctx context.Context, in *changeRequestChangesIn) (*kernel.Out[semanticChanges], error) {
	cr, err := h.FindRequest(ctx, in.Request)
	if err != nil {
		return nil, err
	}
	w, err := h.changesOut(ctx, cr.Ancestor, cr.Revision, in.ChangesPaged, h.base)
	return kernel.OK(w), err
}

type requestRevisionsIn struct {
	wire.RequestIn
	kernel.Paged
}

func (h *handlers) changeRequestRevisions(ctx context.Context, in *requestRevisionsIn) (*kernel.Page[revisionEntry], error) {
	cr, err := h.FindRequest(ctx, in.Request)
	if err != nil {
		return nil, err
	}
	return h.revisionsOut(ctx, cr.ID, in.Paged)
}
