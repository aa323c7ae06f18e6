package content

import (
	"context"
	"net/http"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

// requests declares the operations on the content of a change request. They
// share their code with the operations on the content of a space.
func (h *handlers) requests() {
	const tag = "Change requests"
	view, edit := authz.Space(authz.ViewSpace), authz.Space(authz.EditSpace)
	state := []int{http.StatusPreconditionFailed}
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getRevisionOfChangeRequestById", Route: "GET /spaces/{spaceId}/change-requests/{changeRequestId}/content", Tag: tag, Allow: view,
		Summary: "Get the newest revision of a change request.",
	}, func(ctx context.Context, in *requestIn) (*revised[Revision], error) {
		return h.revisionOut(ctx, h.request(in.Request), in.Flags)
	})
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listPagesInChangeRequest", Route: "GET /spaces/{spaceId}/change-requests/{changeRequestId}/content/pages", Tag: tag, Allow: view,
		Summary: "Get the page tree of a change request.",
	}, func(ctx context.Context, in *requestIn) (*revised[pageTree], error) {
		return h.pagesOut(ctx, h.request(in.Request), in.Flags)
	})
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listFilesInChangeRequestById", Route: "GET /spaces/{spaceId}/change-requests/{changeRequestId}/content/files", Tag: tag, Allow: view,
		Summary: "List the files of a change request.",
	}, func(ctx context.Context, in *requestFilesIn) (*kernel.Page[wire.File], error) {
		return h.filesOut(ctx, h.request(in.Request), in.Paged, in.Flags)
	})
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getFileInChangeRequestById", Route: "GET /spaces/{spaceId}/change-requests/{changeRequestId}/content/files/{fileId}", Tag: tag, Allow: view,
		Summary: "Get a file of a change request.",
	}, func(ctx context.Context, in *requestFileIn) (*kernel.Out[wire.File], error) {
		return h.fileOut(ctx, h.request(in.Request), in.File, in.Flags)
	})
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getPageInChangeRequestById", Route: "GET /spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId}", Tag: tag, Allow: view,
		Summary: "Get a page of a change request.",
	}, func(ctx context.Context, in *requestPageIn) (*pageOutput, error) {
		return h.pageOut(ctx, h.request(in.Request), byID(in.Page), in.PageOptions)
	})
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getPageInChangeRequestByPath", Route: "GET /spaces/{spaceId}/change-requests/{changeRequestId}/content/path/{pagePath}", Tag: tag, Allow: view,
		Summary: "Get a page of a change request by its path.",
	}, func(ctx context.Context, in *requestPathIn) (*pageOutput, error) {
		return h.pageOut(ctx, h.request(in.Request), byPath(in.Path), in.PageOptions)
	})
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getReusableContentInChangeRequestById", Tag: tag, Allow: view,
		Route:   "GET /spaces/{spaceId}/change-requests/{changeRequestId}/content/reusable-contents/{reusableContentId}",
		Summary: "Get a reusable content of a change request.",
	}, func(ctx context.Context, in *requestReusableIn) (*kernel.Out[ReusableContent], error) {
		return h.reusableOut(ctx, h.request(in.Request), in.Reusable, in.Flags)
	})
	kernel.Register(h.Kernel, kernel.Op{
		ID: "updateChangeRequestContent", Route: "POST /spaces/{spaceId}/change-requests/{changeRequestId}/content", Tag: tag, Allow: edit,
		Status: 200, Also: append(state, http.StatusConflict), MaxBody: maxBatch,
		Summary: "Change the content of a change request.",
		About: "The same batch as for a space in live edit mode: either all changes are applied, in one new revision of the request, or none. " +
			"The answer is the change request, or with compat=false the outcome for each page. 412 if the request is merged or archived, or if If-Match names another revision.",
	}, h.updateRequest)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "uploadFileToChangeRequest", Route: "POST /spaces/{spaceId}/change-requests/{changeRequestId}/content/files", Tag: tag, Allow: edit,
		Status: 201, Also: state, Time: kernel.TransferTime,
		Summary: "Upload a file to a change request, as multipart/form-data with one part that has a file name.",
	}, func(ctx context.Context, in *requestUploadIn) (*kernel.Created[wire.File], error) {
		if _, err := h.FindRequest(ctx, in.Request); err != nil {
			return nil, err
		}
		return h.upload(ctx, content.LineName(in.Request), &in.Upload)
	})
}

// request returns an opener of the newest revision of the change request with an id or
// number.
func (h *handlers) request(name string) wire.Opener {
	return func(ctx context.Context) (*revision.View, error) {
		cr, err := h.FindRequest(ctx, name)
		if err != nil {
			return nil, err
		}
		return h.at(cr.Revision)(ctx)
	}
}

type requestIn struct {
	wire.RequestIn
	Flags
}

type requestFilesIn struct {
	wire.RequestIn
	kernel.Paged
	Flags
}

type requestFileIn struct {
	wire.RequestIn
	File docs.FileID `path:"fileId"`
	Flags
}

type requestPageIn struct {
	wire.RequestIn
	Page docs.PageID `path:"pageId"`
	PageOptions
}

type requestPathIn struct {
	wire.RequestIn
	Path string `path:"pagePath"`
	PageOptions
	CachedMetadataIn
}

type requestReusableIn struct {
	wire.RequestIn
	Reusable docs.ReusableID `path:"reusableContentId"`
	Flags
}

type requestUploadIn struct {
	wire.RequestIn
	wire.Upload
}

type updateRequestIn struct {
	wire.RequestIn
	Compat  string `query:"compat" enum:"true,false" default:"true" doc:"Return only the change request."`
	IfMatch string `header:"If-Match" maxLength:"200"`
	StrictIn
	Body ContentBatch
}

// requestOutcome is the result of a batch of changes to a change request.
type requestOutcome struct {
	ChangeRequest wire.ChangeRequest `json:"changeRequest"`
	Changes       []changeOutcome    `json:"changes"`
	InsertedFiles []wire.File        `json:"insertedFiles"`
	Problems      []pageProblem      `json:"problems" doc:"Mistakes in the text of the pages that were written, as of updateContent."`
}

// editedRequest is a change request with the mistakes in the pages that were written.
type editedRequest struct {
	wire.ChangeRequest
	Problems []pageProblem `json:"problems"`
}

func (h *handlers) updateRequest(ctx context.Context, in *updateRequestIn) (*revised[any], error) {
	g := authz.FromContext(ctx)
	changes, err := in.Body.plain()
	if err != nil {
		return nil, err
	}
	done, err := h.apply(ctx, content.LineName(in.Request), in.IfMatch, in.Strict, changes)
	if err != nil {
		return nil, err
	}
	cr, err := h.ChangeRequest(ctx, g, g.Space, *done.Request)
	if err != nil {
		return nil, err
	}
	o := h.outcome(g, done)
	if in.Compat == "true" {
		return &revised[any]{etag(done.View), editedRequest{cr, o.Problems}}, nil
	}
	return &revised[any]{etag(done.View), requestOutcome{cr, o.Changes, o.InsertedFiles, o.Problems}}, nil
}
