package requests

import (
	"context"
	"net/http"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/merge"
	"github.com/octavo-docs/octavo/internal/content/reviews"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

func (h *handlers) requests() {
	const tag = "Change requests"
	view, edit := authz.Space(authz.ViewSpace), authz.Space(authz.EditSpace)
	state := []int{http.StatusPreconditionFailed}
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listChangeRequestsForSpace", Route: "GET /spaces/{spaceId}/change-requests", Tag: tag, Allow: view,
		Summary: "List the change requests of a space, most recently changed first.",
	}, h.list)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listChangeRequestsForOrganization", Route: "GET /orgs/{organizationId}/change-requests", Tag: tag, Allow: authz.Org(authz.ViewOrg),
		Summary: "List the change requests of all spaces that you can see, most recently changed first.",
	}, h.listOfOrg)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "createChangeRequest", Route: "POST /spaces/{spaceId}/change-requests", Tag: tag, Allow: edit, Status: 201,
		Summary: "Create a change request based on the newest revision of a space.",
		About:   "It starts as a draft. No content is copied.",
	}, h.create)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getChangeRequestById", Route: "GET /spaces/{spaceId}/change-requests/{changeRequestId}", Tag: tag, Allow: authz.Space(authz.ReadRequest),
		Summary: "Get a change request by its id or number.",
		About:   "The content token of a preview reads it without its description.",
	}, h.get)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "updateChangeRequestById", Route: "PATCH /spaces/{spaceId}/change-requests/{changeRequestId}", Tag: tag, Allow: edit, Also: state,
		Summary: "Change the subject, the description or the status of a change request.",
		About:   "A draft can be opened, and an open one made a draft again. Both can be archived, and an archived one reopened. 412 if it is merged.",
	}, h.update)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "mergeChangeRequest", Route: "POST /spaces/{spaceId}/change-requests/{changeRequestId}/merge", Tag: tag,
		Allow: authz.Space(authz.MergeSpace), Status: 200, Also: append(state, http.StatusConflict),
		Summary: "Merge a change request into its space.",
		About: "If the space and the request changed the same thing in different ways, nothing is published: result is conflicts, and conflicts lists them. " +
			"Update the request from the space, resolve the conflicts and merge again. 412 if merge rules do not allow it (with the rules that failed), or if the request is merged or archived. " +
			"409 while a git operation of the space finishes; try again after a moment.",
	}, h.merge)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "updateChangeRequest", Route: "POST /spaces/{spaceId}/change-requests/{changeRequestId}/update", Tag: tag, Allow: edit, Status: 200, Also: state,
		Summary: "Update a change request with what changed in its space.",
		About:   "Conflicts are recorded in the request. Until they are resolved, the request keeps its own version of what is in conflict.",
	}, h.bringUpToDate)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getContributorsByChangeRequestId", Route: "GET /spaces/{spaceId}/change-requests/{changeRequestId}/contributors", Tag: tag, Allow: view,
		Summary: "List who worked on a change request.",
	}, h.contributors)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listChangeRequestConflicts", Route: "GET /spaces/{spaceId}/change-requests/{changeRequestId}/conflicts", Tag: tag, Allow: view,
		Summary: "List where a change request and its space changed the same thing in different ways.",
	}, h.listConflicts)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "resolveChangeRequestConflict", Route: "POST /spaces/{spaceId}/change-requests/{changeRequestId}/conflicts/{conflictId}", Tag: tag, Allow: edit,
		Status: 200, Also: []int{http.StatusConflict, http.StatusPreconditionFailed},
		Summary: "Resolve a conflict: take the version of the space, that of the request, or your own.",
		About:   "409 if it is resolved already.",
	}, h.resolveConflict)
}

// Filter holds the filters of lists of change requests.
type Filter struct {
	Status      docs.ChangeRequestStatus `query:"status" enum:"draft,open,archived,merged" default:"open"`
	Creator     docs.UserID              `query:"creator" maxLength:"100" doc:"Only change requests that this user created."`
	Contributor docs.UserID              `query:"contributor" maxLength:"100" doc:"Only change requests that this user worked on."`
	Reviewer    docs.UserID              `query:"requestedReviewer" maxLength:"100" doc:"Only change requests that this user was asked to review."`
	Cluster     string                   `query:"conversationsIssuesCluster" maxLength:"100"`
	OrderBy     string                   `query:"orderBy" enum:"updatedAt,createdAt" default:"updatedAt"`
	Topic       string                   `query:"topic" maxLength:"100" doc:"Ignored: sites have no topics."`
}

func (f Filter) plain(g *authz.Grant) store.ChangeRequestFilter {
	return store.ChangeRequestFilter{
		Status: f.Status, Creator: wire.UserOf(g, f.Creator), Contributor: wire.UserOf(g, f.Contributor), Reviewer: wire.UserOf(g, f.Reviewer), Cluster: f.Cluster,
		ByCreation: f.OrderBy == "createdAt",
	}
}

type listIn struct {
	wire.SpaceIn
	kernel.Paged
	Filter
}

func (h *handlers) list(ctx context.Context, in *listIn) (*kernel.Page[wire.ChangeRequest], error) {
	g := authz.FromContext(ctx)
	return kernel.ListViews(ctx, h.Kernel, in.Paged, h.Reviews.ChangeRequests(g, in.plain(g)), func(ctx context.Context, c docs.ChangeRequest) (wire.ChangeRequest, error) {
		return h.ChangeRequest(ctx, g, g.Space, c)
	})
}

type listOfOrgIn struct {
	wire.OrgIn
	kernel.Paged
	Filter
	Site    docs.SiteID  `query:"site" maxLength:"100" doc:"Only change requests of spaces of this site."`
	Space   docs.SpaceID `query:"space" maxLength:"100" doc:"Only change requests of this space."`
	Run     string       `query:"styleguideRun" maxLength:"100" doc:"Ignored: nothing checks a style guide."`
	Finding string       `query:"finding" enum:"none,all" doc:"Ignored: nothing opens change requests for findings."`
}

func (h *handlers) listOfOrg(ctx context.Context, in *listOfOrgIn) (*kernel.Page[wire.ChangeRequest], error) {
	g, f := authz.FromContext(ctx), in.plain(authz.FromContext(ctx))
	f.Space, f.Site = in.Space, in.Site
	all, err := h.Reviews.OrgChangeRequests(ctx, g, f)
	if err != nil {
		return nil, err
	}
	return kernel.ListViews(ctx, h.Kernel, in.Paged, all, func(ctx context.Context, c store.ChangeRequestIn) (wire.ChangeRequest, error) {
		return h.ChangeRequest(ctx, g, c.Space, c.Request)
	})
}

type createChangeRequestIn struct {
	wire.SpaceIn
	Body struct {
		_           struct{}       `json:"-" additionalProperties:"true"` // the contract allows further properties
		Subject     string         `json:"subject,omitempty" maxLength:"100"`
		AgentTaskID string         `json:"agentTaskId,omitempty" maxLength:"100"`
		Template    *wire.Template `json:"template,omitempty" doc:"A template whose pages are added."`
	}
}

func (h *handlers) create(ctx context.Context, in *createChangeRequestIn) (*kernel.Created[wire.ChangeRequest], error) {
	g := authz.FromContext(ctx)
	if in.Body.AgentTaskID != "" {
		return nil, errs.E(errs.NotFound, "agent task %q not found", in.Body.AgentTaskID)
	}
	n := reviews.New{Subject: in.Body.Subject}
	if in.Body.Template != nil {
		choice := in.Body.Template.Choice()
		n.Template = &choice
	}
	cr, err := h.Reviews.Create(ctx, g, n)
	if err != nil {
		return nil, err
	}
	sp := g.Space
	sp.Revision = cr.Initial // the revision from which the request was created
	w, err := h.ChangeRequest(ctx, g, sp, cr)
	return kernel.Made(w.URLs.Location, w), err
}

type requestIn struct{ wire.RequestIn }

func (h *handlers) get(ctx context.Context, in *requestIn) (*kernel.Out[wire.ChangeRequest], error) {
	g := authz.FromContext(ctx)
	cr, err := h.FindRequest(ctx, in.Request)
	if err != nil {
		return nil, err
	}
	w, err := h.ChangeRequest(ctx, g, g.Space, cr)
	return kernel.OK(w), err
}

type updateChangeRequestIn struct {
	wire.RequestIn
	Body struct {
		Subject     opt.Val[string]          `json:"subject,omitempty" maxLength:"100"`
		Description wire.RawDocument         `json:"description,omitempty"`
		Status      docs.ChangeRequestStatus `json:"status,omitempty" enum:"draft,open,archived"`
		Links       []any                    `json:"links,omitempty" maxItems:"10" doc:"Ignored: put links into the description."`
	}
}

// noteOf parses a document in the body of a request, or returns nil if there is none.
// path is the path of the field, for error messages.
func noteOf(path string, raw wire.RawDocument) (*revision.Body, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	doc, err := markup.Decode(path, raw)
	return &revision.Body{Document: doc}, err
}

func (h *handlers) update(ctx context.Context, in *updateChangeRequestIn) (*kernel.Out[wire.ChangeRequest], error) {
	g := authz.FromContext(ctx)
	description, err := noteOf("description", in.Body.Description)
	if err != nil {
		return nil, err
	}
	cr, err := h.Reviews.Update(ctx, g, in.Request, reviews.Patch{Subject: in.Body.Subject, Description: description, Status: in.Body.Status})
	if err != nil {
		return nil, err
	}
	w, err := h.ChangeRequest(ctx, g, g.Space, cr)
	return kernel.OK(w), err
}

// mergeOutcome is the result of a merge or an update.
type mergeOutcome struct {
	Revision  string     `json:"revision" doc:"The newest revision: of the space after a merge, of the request after an update."`
	Result    string     `json:"result" enum:"merge,update,conflicts"`
	Conflicts []conflict `json:"conflicts,omitempty" doc:"Present if the result is conflicts; if there are very many, only the first of them."`
}

func (h *handlers) merge(ctx context.Context, in *requestIn) (*kernel.Out[mergeOutcome], error) {
	return h.merged(ctx, in.Request, "merge", h.Reviews.Merge)
}

func (h *handlers) bringUpToDate(ctx context.Context, in *requestIn) (*kernel.Out[mergeOutcome], error) {
	return h.merged(ctx, in.Request, "update", h.Reviews.BringUpToDate)
}

func (h *handlers) merged(ctx context.Context, name, result string, do func(context.Context, *authz.Grant, string) (reviews.Result, error)) (*kernel.Out[mergeOutcome], error) {
	g := authz.FromContext(ctx)
	done, err := do(ctx, g, name)
	if err != nil {
		return nil, err
	}
	w := mergeOutcome{Revision: string(done.Revision), Result: result}
	forms := merge.FormsOf(h.Content.Source, g.Space)
	for i, c := range done.Conflicts {
		if forms.Full() || i == content.MaxConflicts {
			break
		}
		shown, err := h.conflict(ctx, g.Space, forms, reviews.RecordedConflict{ID: c.Name(), Conflict: c, CreatedAt: docs.TimeOf(h.Clock())})
		if err != nil {
			return nil, err
		}
		w.Result = "conflicts"
		w.Conflicts = append(w.Conflicts, shown)
	}
	return kernel.OK(w), nil
}

// contributor is a user who edited a change request or commented on it.
type contributor struct {
	User      wire.User              `json:"user"`
	Count     int                    `json:"count"`
	UpdatedAt docs.Time              `json:"updatedAt"`
	Action    docs.ContributorAction `json:"actionType" enum:"edit,comment"`
}

func (h *handlers) contributors(ctx context.Context, in *requestIn) (*kernel.Page[contributor], error) {
	cr, err := h.FindRequest(ctx, in.Request)
	if err != nil {
		return nil, err
	}
	all, err := h.Reviews.Contributors(ctx, cr)
	w := &kernel.Page[contributor]{}
	w.Body.Items = []contributor{}
	for _, c := range all {
		w.Body.Items = append(w.Body.Items, contributor{h.Person(authz.FromContext(ctx), c.User), c.Times, c.UpdatedAt, c.Action})
	}
	return w, err
}
