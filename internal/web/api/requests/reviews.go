package requests

import (
	"context"
	"net/http"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/reviews"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

func (h *handlers) reviews() {
	const tag = "Reviews"
	view, edit := authz.Space(authz.ViewSpace), authz.Space(authz.EditSpace)
	state := []int{http.StatusPreconditionFailed}
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getReviewsByChangeRequestId", Route: "GET /spaces/{spaceId}/change-requests/{changeRequestId}/reviews", Tag: tag, Allow: view,
		Summary: "List the reviews of a change request, newest first.",
	}, h.listReviews)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "submitChangeRequestReview", Route: "POST /spaces/{spaceId}/change-requests/{changeRequestId}/reviews", Tag: tag,
		Allow: authz.Space(authz.ReviewSpace), Status: 201, Also: state,
		Summary: "Review the newest revision of a change request.",
		About:   "Your earlier reviews no longer count. When the request changes, no review counts any more.",
	}, h.submitReview)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getChangeRequestReviewById", Route: "GET /spaces/{spaceId}/change-requests/{changeRequestId}/reviews/{reviewId}", Tag: tag, Allow: view,
		Summary: "Get a review.",
	}, h.getReview)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getRequestedReviewersByChangeRequestId", Route: "GET /spaces/{spaceId}/change-requests/{changeRequestId}/requested-reviewers", Tag: tag, Allow: view,
		Summary: "List the requested reviewers who have not submitted a review.",
	}, h.listRequestedReviewers)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "requestReviewersForChangeRequest", Route: "POST /spaces/{spaceId}/change-requests/{changeRequestId}/requested-reviewers", Tag: tag, Allow: edit,
		Status: 200, Also: state,
		Summary: "Request reviews. A draft is opened by this.",
		About:   "The reviewers need the role review on the space.",
	}, h.requestReviewers)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "removeRequestedReviewerFromChangeRequest", Route: "DELETE /spaces/{spaceId}/change-requests/{changeRequestId}/requested-reviewers/{userId}", Tag: tag, Allow: edit,
		Summary: "Withdraw the request for a review by a user.",
	}, h.removeReviewer)
}

// Review is the JSON form of a review.
type Review struct {
	Object      string            `json:"object" enum:"change-request-review"`
	ID          string            `json:"id"`
	Revision    string            `json:"revision" doc:"The revision that was reviewed."`
	Reviewer    wire.User         `json:"reviewer"`
	RequestedBy *wire.User        `json:"requestedBy,omitempty"`
	Status      docs.ReviewStatus `json:"status" enum:"approved,changes-requested,comment"`
	Outdated    bool              `json:"outdated" doc:"Whether the review no longer counts."`
	Comment     *Comment          `json:"comment,omitempty" doc:"The comment of the reviewer, unless it was deleted."`
	CreatedAt   docs.Time         `json:"createdAt"`
	UpdatedAt   docs.Time         `json:"updatedAt"`
	URLs        wire.Location     `json:"urls"`
}

func (h *handlers) review(g *authz.Grant, cr docs.ChangeRequest, v docs.SubmittedReview) Review {
	w := Review{
		Object: "change-request-review", ID: string(v.ID), Revision: string(v.Revision), Reviewer: h.Person(g, v.Reviewer),
		Status: v.Status, Outdated: v.Outdated(cr), CreatedAt: v.CreatedAt, UpdatedAt: v.UpdatedAt,
		URLs: wire.Location{Location: h.Location("spaces", string(cr.Space), "change-requests", string(cr.ID), "reviews", string(v.ID))},
	}
	if v.RequestedBy.ID != "" {
		shown := h.Person(g, v.RequestedBy)
		w.RequestedBy = &shown
	}
	return w
}

// reviewed returns the JSON form of reviews with their comments, which are read with a
// fixed number of statements.
func (h *handlers) reviewed(ctx context.Context, cr docs.ChangeRequest, f NoteFormat, all ...docs.SubmittedReview) ([]Review, error) {
	g := authz.FromContext(ctx)
	comments, err := h.reviewComments(ctx, cr, f, all)
	if err != nil {
		return nil, err
	}
	out := make([]Review, len(all))
	for i, v := range all {
		out[i] = h.review(g, cr, v)
		out[i].Comment = comments[v.Comment]
	}
	return out, nil
}

type listReviewsIn struct {
	wire.RequestIn
	kernel.Paged
	NoteFormat
	Outdated string `query:"outdated" enum:"true,false" doc:"Only reviews that no longer count, or only those that do."`
}

func (h *handlers) listReviews(ctx context.Context, in *listReviewsIn) (*kernel.Page[Review], error) {
	cr, err := h.FindRequest(ctx, in.Request)
	if err != nil {
		return nil, err
	}
	var outdated *bool
	if in.Outdated != "" {
		outdated = new(in.Outdated == "true")
	}
	list := h.Reviews.Reviews(cr, outdated)
	return kernel.ListOf(ctx, h.Kernel, in.Paged, store.List[Review]{
		Page: func(ctx context.Context, at store.Page) ([]Review, store.Key, error) {
			all, next, err := list.Page(ctx, at)
			if err != nil {
				return nil, nil, err
			}
			out, err := h.reviewed(ctx, cr, in.NoteFormat, all...)
			return out, next, err
		},
		Count: list.Count,
	}, kernel.Same[Review])
}

type submitReviewIn struct {
	wire.RequestIn
	Body struct {
		Status  docs.ReviewStatus `json:"status" enum:"approved,changes-requested,comment"`
		Comment *wire.ContentBody `json:"comment,omitempty"`
	}
}

func (h *handlers) submitReview(ctx context.Context, in *submitReviewIn) (*kernel.Created[Review], error) {
	g := authz.FromContext(ctx)
	var comment *revision.Body
	if c := in.Body.Comment; c != nil && (c.Markdown != nil || len(c.Document) > 0) {
		var err error
		if comment, err = c.RevisionBody("comment"); err != nil {
			return nil, err
		}
	}
	if in.Body.Status == docs.ReviewCommented && comment == nil {
		return nil, errs.Field("comment", "is required because the status is comment")
	}
	cr, v, err := h.Reviews.Submit(ctx, g, in.Request, in.Body.Status, comment)
	if err != nil {
		return nil, err
	}
	w, err := h.reviewed(ctx, cr, NoteFormat{}, v)
	if err != nil {
		return nil, err
	}
	return kernel.Made(w[0].URLs.Location, w[0]), nil
}

type reviewIn struct {
	wire.RequestIn
	Review docs.ReviewID `path:"reviewId" maxLength:"100"`
	NoteFormat
}

func (h *handlers) getReview(ctx context.Context, in *reviewIn) (*kernel.Out[Review], error) {
	cr, err := h.FindRequest(ctx, in.Request)
	if err != nil {
		return nil, err
	}
	v, err := h.Reviews.Review(ctx, cr, in.Review)
	if err != nil {
		return nil, err
	}
	w, err := h.reviewed(ctx, cr, in.NoteFormat, v)
	if err != nil {
		return nil, err
	}
	return kernel.OK(w[0]), nil
}

// RequestedReviewer is the JSON form of a requested reviewer.
type RequestedReviewer struct {
	Object      string    `json:"object" enum:"change-request-requested-reviewer"`
	Kind        string    `json:"kind" enum:"user"`
	User        wire.User `json:"user"`
	Revision    string    `json:"revision"`
	RequestedBy wire.User `json:"requestedBy"`
	CreatedAt   docs.Time `json:"createdAt"`
}

func (h *handlers) requestedReviewer(g *authz.Grant, q docs.RequestedReviewer) RequestedReviewer {
	return RequestedReviewer{
		"change-request-requested-reviewer", "user", h.Person(g, q.User), string(q.Revision), h.Person(g, q.RequestedBy), q.CreatedAt,
	}
}

type listRequestedIn struct {
	wire.RequestIn
	kernel.Paged
}

func (h *handlers) listRequestedReviewers(ctx context.Context, in *listRequestedIn) (*kernel.Page[RequestedReviewer], error) {
	cr, err := h.FindRequest(ctx, in.Request)
	if err != nil {
		return nil, err
	}
	g := authz.FromContext(ctx)
	return kernel.ListOf(ctx, h.Kernel, in.Paged, h.Reviews.RequestedReviewers(cr), func(q docs.RequestedReviewer) RequestedReviewer { return h.requestedReviewer(g, q) })
}

type requestReviewersIn struct {
	wire.RequestIn
	Body struct {
		Users       []docs.UserID    `json:"users" maxItems:"100"`
		Subject     opt.Val[string]  `json:"subject,omitempty" maxLength:"100"`
		Description wire.RawDocument `json:"description,omitempty"`
	}
}

type requestedUsers struct {
	Users []RequestedReviewer `json:"users"`
}

func (h *handlers) requestReviewers(ctx context.Context, in *requestReviewersIn) (*kernel.Out[requestedUsers], error) {
	g := authz.FromContext(ctx)
	description, err := noteOf("description", in.Body.Description)
	if err != nil {
		return nil, err
	}
	_, asked, err := h.Reviews.RequestReviews(ctx, g, in.Request, reviews.ReviewRequest{
		Users: in.Body.Users, Patch: reviews.Patch{Subject: in.Body.Subject, Description: description},
	})
	if err != nil {
		return nil, err
	}
	w := requestedUsers{[]RequestedReviewer{}}
	for _, q := range asked {
		w.Users = append(w.Users, h.requestedReviewer(g, q))
	}
	return kernel.OK(w), nil
}

type removeReviewerIn struct {
	wire.RequestIn
	User docs.UserID `path:"userId" maxLength:"100"`
}

func (h *handlers) removeReviewer(ctx context.Context, in *removeReviewerIn) (*kernel.Done, error) {
	there, err := h.Reviews.WithdrawReviewRequest(ctx, authz.FromContext(ctx), in.Request, in.User)
	if err == nil && !there {
		err = errs.Missing("requested reviewer")
	}
	return nil, err
}
