package openapi

import (
	"context"
	"net/http"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/openapi/apispec"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

// maxSpecBody is the maximum size of a body that contains a specification. It exceeds the
// maximum size of the text, because JSON escapes quotes and line breaks.
const maxSpecBody = 2 * apispec.MaxText

func (h *handlers) specs() {
	const (
		tag      = "OpenAPI specifications"
		route    = "/orgs/{organizationId}/openapi"
		one      = route + "/{specSlug}"
		versions = one + "/versions"
		sources  = "The source is a URL or a text, in JSON or YAML: OpenAPI 3.0 or 3.1, or Swagger 2.0. It is processed after the answer: processingState is complete at the end, " +
			"and if it failed there is lastProcessErrorCode, while the newest version stays as it was. "
	)
	see, edit := authz.Org(authz.ListOpenAPISpecs), authz.Org(authz.CreateOpenAPISpec)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listOpenAPISpecs", Route: "GET " + route, Tag: tag, Allow: see,
		Summary: "List the OpenAPI specifications of an organization, by slug.",
	}, h.listSpecs)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "createOpenAPISpec", Route: "POST " + route, Tag: tag, Allow: edit, Status: 201, MaxBody: maxSpecBody, Time: kernel.TransferTime,
		Also:    []int{http.StatusConflict, http.StatusPreconditionFailed},
		Summary: "Add an OpenAPI specification under a slug of its own.",
		About:   sources + "An organization can have 1000 specifications.",
	}, h.createSpec)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getOpenAPISpecBySlug", Route: "GET " + one, Tag: tag, Allow: see,
		Summary: "Get an OpenAPI specification.",
	}, h.getSpec)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "createOrUpdateOpenAPISpecBySlug", Route: "PUT " + one, Tag: tag, Allow: edit, MaxBody: maxSpecBody, Time: kernel.TransferTime,
		Also:    []int{http.StatusPreconditionFailed},
		Summary: "Set the source of an OpenAPI specification, which is added if it does not exist.",
		About:   sources + "A URL is fetched again every six hours; the same URL fetches it now. A source that did not change makes no version.",
	}, h.putSpec)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "updateOpenAPISpecBySlug", Route: "PATCH " + one, Tag: tag, Allow: edit,
		Summary: "Decide whether everybody may read an OpenAPI specification, and whether new versions open change requests.",
		About: "A public one has urls.published, an address that needs no token. With changeRequestSpace, a version that changes something opens a change request in that space, " +
			"in the name of the caller, with the changes as its description. As long as it is not merged or archived, the next version updates it.",
	}, h.updateSpec)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "deleteOpenAPISpecBySlug", Route: "DELETE " + one, Tag: tag, Allow: edit,
		Summary: "Delete an OpenAPI specification with its versions.",
	}, h.deleteSpec)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listOpenAPISpecVersions", Route: "GET " + versions, Tag: tag, Allow: see,
		Summary: "List the versions of an OpenAPI specification, newest first.",
	}, h.listVersions)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getLatestOpenAPISpecVersion", Route: "GET " + versions + "/latest", Tag: tag, Allow: see,
		Summary: "Get the newest version of an OpenAPI specification.",
		About:   "404 as long as no source of it could be processed.",
	}, h.getLatestVersion)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getLatestOpenAPISpecVersionContent", Route: "GET " + versions + "/latest/content", Tag: tag, Allow: authz.Org(authz.ReadOpenAPISpec), Time: kernel.TransferTime,
		Summary: "Get the content of the newest version of an OpenAPI specification.",
		About:   "A visitor of a site reads the specifications that blocks and computed pages of the site show; all others are a 404.",
	}, h.getLatestContent)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getLatestOpenAPISpecVersionContentRaw", Route: "GET " + versions + "/latest/content/raw", Tag: tag, Allow: see, Time: kernel.TransferTime,
		Summary: "Get the root file of the newest version of an OpenAPI specification, as it was sent or fetched.",
	}, h.getLatestRaw)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getOpenAPISpecVersionById", Route: "GET " + versions + "/{versionId}", Tag: tag, Allow: see,
		Summary: "Get a version of an OpenAPI specification.",
	}, h.getVersion)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getOpenAPISpecVersionContentById", Route: "GET " + versions + "/{versionId}/content", Tag: tag, Allow: see, Time: kernel.TransferTime,
		Summary: "Get the content of a version of an OpenAPI specification.",
	}, h.getContent)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getOpenAPISpecVersionChanges", Route: "GET " + versions + "/{versionId}/changes", Tag: tag, Allow: see, Time: kernel.TransferTime,
		Summary: "Compare a version of an OpenAPI specification with the one before it, or with another one.",
		About:   "latest is the newest version. Changes that break clients are marked by rule. At most 1000 changes are listed.",
	}, h.getChanges)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listOrphanedOpenAPIProse", Route: "GET /spaces/{spaceId}/openapi-orphans", Tag: tag, Allow: authz.Space(authz.ViewSpace), Time: kernel.TransferTime,
		Summary: "List what was written beside operations that their specifications do not have any more.",
		About:   "It is kept until somebody deletes the reusable content, or the operation is back.",
	}, h.listOrphanedProse)
	h.downloads(tag)
}

// OpenAPISpec is the JSON form of an OpenAPI specification.
type OpenAPISpec struct {
	Object          string                  `json:"object" enum:"openapi-spec"`
	ID              string                  `json:"id"`
	CreatedAt       docs.Time               `json:"createdAt"`
	UpdatedAt       docs.Time               `json:"updatedAt" doc:"Time of the last change of its source, its visibility or its newest version."`
	Slug            string                  `json:"slug"`
	SourceURL       string                  `json:"sourceURL,omitempty" format:"uri" doc:"Absent if the source was sent as text."`
	ProcessingState docs.OpenAPIState       `json:"processingState" enum:"pending,progress,complete"`
	Visibility      docs.OpenAPIVisibility  `json:"visibility" enum:"private,public"`
	LastVersion     string                  `json:"lastVersion,omitempty" doc:"Id of the newest version."`
	LastProcessedAt docs.Time               `json:"lastProcessedAt,omitzero"`
	LastError       docs.OpenAPIError       `json:"lastProcessErrorCode,omitempty" enum:"FETCH_TIMEOUT,FETCH_ERROR,PARSE_ERROR" doc:"Absent if the last processing succeeded."`
	LastErrors      []openAPIProblem        `json:"lastProcessedErrors,omitempty"`
	LastErrorCount  int                     `json:"lastProcessedErrorCount"`
	RequestSpace    string                  `json:"changeRequestSpace,omitempty" doc:"Id of the space in which new versions open change requests."`
	Permissions     wire.OpenAPIPermissions `json:"permissions"`
	URLs            openAPIURLs             `json:"urls"`
}

type openAPIProblem struct {
	Message string `json:"message" doc:"File, line and place in the specification, and what is wrong there."`
	Code    string `json:"code,omitempty"`
}

type openAPIURLs struct {
	Location  string `json:"location" format:"uri"`
	App       string `json:"app" format:"uri"`
	Published string `json:"published,omitempty" format:"uri" doc:"Address of the newest version that needs no token; absent if the specification is private."`
}

func (h *handlers) spec(g *authz.Grant, v docs.OpenAPISpec) OpenAPISpec {
	out := OpenAPISpec{
		Object: "openapi-spec", ID: string(v.ID), CreatedAt: v.CreatedAt, UpdatedAt: v.UpdatedAt, Slug: string(v.Slug), SourceURL: v.SourceURL,
		ProcessingState: v.State, Visibility: v.Visibility, LastVersion: string(v.LastVersion), LastProcessedAt: v.ProcessedAt, LastError: v.Error,
		LastErrorCount: len(v.Problems), RequestSpace: string(v.RequestSpace),
		Permissions: wire.OpenAPIPermissions{View: g.Can(authz.ListOpenAPISpecs), Edit: g.Can(authz.CreateOpenAPISpec)},
		URLs: openAPIURLs{
			Location: h.Location("orgs", string(v.Org), "openapi", string(v.Slug)),
			App:      h.BaseURL + "/o/" + string(v.Org) + "/openapi/" + string(v.Slug),
		},
	}
	for _, p := range v.Problems {
		out.LastErrors = append(out.LastErrors, openAPIProblem(p))
	}
	if v.Visibility == docs.OpenAPIPublic {
		out.URLs.Published = h.Location("openapi", string(v.Org), string(v.Slug))
	}
	return out
}

type listSpecsIn struct {
	wire.OrgIn
	kernel.Paged
}

func (h *handlers) listSpecs(ctx context.Context, in *listSpecsIn) (*kernel.Page[OpenAPISpec], error) {
	g := authz.FromContext(ctx)
	return kernel.ListOf(ctx, h.Kernel, in.Paged, h.APISpecs.Specs(in.Org), func(v docs.OpenAPISpec) OpenAPISpec { return h.spec(g, v) })
}

// openAPISource is the JSON form of the source of a specification.
type openAPISource struct {
	URL  string `json:"url,omitempty" minLength:"1" maxLength:"2048" doc:"http or https. Files that it refers to are fetched too. Private addresses must be allowed by the operator."`
	Text string `json:"text,omitempty" minLength:"1" doc:"The specification itself, at most 16 MB."`
}

type createOpenAPISpecIn struct {
	wire.OrgIn
	Body struct {
		Slug   docs.OpenAPISlug `json:"slug" minLength:"1" maxLength:"100" pattern:"^[a-zA-Z0-9]+(?:-[a-zA-Z0-9]+)*$" patternDescription:"Latin letters and digits, with single hyphens between them"`
		Source openAPISource    `json:"source" doc:"Either url or text."`
	}
}

func (h *handlers) createSpec(ctx context.Context, in *createOpenAPISpecIn) (*kernel.Out[OpenAPISpec], error) {
	g := authz.FromContext(ctx)
	v, err := h.APISpecs.Create(ctx, g, in.Body.Slug, apispec.Source(in.Body.Source))
	return kernel.OK(h.spec(g, v)), err
}

// SpecIn is part of the input of operations on a specification.
type SpecIn struct {
	wire.OrgIn
	Slug docs.OpenAPISlug `path:"specSlug"`
}

func (h *handlers) getSpec(ctx context.Context, in *SpecIn) (*kernel.Out[OpenAPISpec], error) {
	v, err := h.APISpecs.Spec(ctx, in.Org, in.Slug)
	return kernel.OK(h.spec(authz.FromContext(ctx), v)), err
}

type putOpenAPISpecIn struct {
	wire.OrgIn
	Slug docs.OpenAPISlug `path:"specSlug" minLength:"1" maxLength:"100" pattern:"^[a-zA-Z0-9]+(?:-[a-zA-Z0-9]+)*$" patternDescription:"Latin letters and digits, with single hyphens between them"`
	Body struct {
		Source openAPISource `json:"source" doc:"Either url or text."`
	}
}

func (h *handlers) putSpec(ctx context.Context, in *putOpenAPISpecIn) (*kernel.Put[OpenAPISpec], error) {
	g := authz.FromContext(ctx)
	v, made, err := h.APISpecs.Put(ctx, g, in.Slug, apispec.Source(in.Body.Source))
	return &kernel.Put[OpenAPISpec]{Made: made, Body: h.spec(g, v)}, err
}

type updateOpenAPISpecIn struct {
	SpecIn
	Body struct {
		Visibility         opt.Val[docs.OpenAPIVisibility] `json:"visibility,omitempty" enum:"private,public"`
		ChangeRequestSpace opt.Val[docs.SpaceID]           `json:"changeRequestSpace,omitempty" nullable:"true" doc:"Id of a space that the caller can edit; null: new versions open no change requests."`
	}
}

func (h *handlers) updateSpec(ctx context.Context, in *updateOpenAPISpecIn) (*kernel.Out[OpenAPISpec], error) {
	g := authz.FromContext(ctx)
	v, err := h.APISpecs.Update(ctx, g, in.Slug, apispec.Patch{Visibility: in.Body.Visibility, RequestSpace: in.Body.ChangeRequestSpace})
	return kernel.OK(h.spec(g, v)), err
}

func (h *handlers) deleteSpec(ctx context.Context, in *SpecIn) (*kernel.Done, error) {
	return nil, h.APISpecs.Delete(ctx, authz.FromContext(ctx), in.Slug)
}
