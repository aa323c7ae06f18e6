package sites

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

func (h *readers) redirects() {
	const tag, route, one = "Site redirects", wire.SiteRoute + "/redirects", wire.SiteRoute + "/redirects/{siteRedirectId}"
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listSiteRedirects", Route: "GET " + route, Tag: tag, Allow: authz.Site(authz.ViewSite),
		Summary: "List the redirects of a site.",
	}, h.listRedirects)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "createSiteRedirect", Route: "POST " + route, Tag: tag, Allow: authz.Site(authz.AdminSite), Status: 201,
		Also:    []int{http.StatusConflict, http.StatusPreconditionFailed},
		Summary: "Create a redirect from an address of a site that has no page.",
		About:   "409 if there is a redirect from the same source. A redirect that leads back to itself is refused.",
	}, h.createRedirect)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "bulkUpsertSiteRedirects", Route: "PUT " + route, Tag: tag, Allow: authz.Site(authz.AdminSite),
		Summary: "Create, change, publish and delete up to 500 redirects, each by its source.",
		About:   "A change that is not possible has the status error; the others happen.",
	}, h.setRedirects)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "updateSiteRedirectById", Route: "PATCH " + one, Tag: tag, Allow: authz.Site(authz.AdminSite),
		Also:    []int{http.StatusConflict, http.StatusPreconditionFailed},
		Summary: "Change a redirect.",
	}, h.updateRedirect)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "deleteSiteRedirectById", Route: "DELETE " + one, Tag: tag, Allow: authz.Site(authz.AdminSite),
		Summary: "Delete a redirect.",
	}, h.deleteRedirect)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getSiteRedirectBySource", Route: "GET " + wire.SiteRoute + "/redirect", Tag: tag, Allow: authz.Site(authz.ReadSite),
		Summary: "Get the live redirect of a path, and the address that it leads to.",
		About:   "404 if there is none, or if its destination does not exist any more.",
	}, h.getRedirect)
}

// SiteRedirect is the JSON form of a redirect of a site.
type SiteRedirect struct {
	Object          string              `json:"object" enum:"site-redirect"`
	ID              string              `json:"id"`
	Source          string              `json:"source"`
	Draft           bool                `json:"draft" doc:"Whether it is being prepared and leads nobody anywhere."`
	CaptureWildcard bool                `json:"captureWildcard" doc:"Whether what the wildcard matched is appended to the destination."`
	Permanent       bool                `json:"permanent"`
	Destination     redirectDestination `json:"destination"`
	CreatedAt       docs.Time           `json:"createdAt"`
	UpdatedAt       docs.Time           `json:"updatedAt"`
}

// redirectDestination is the JSON form of docs.RedirectDestination.
type redirectDestination struct {
	Kind    docs.RedirectKind `json:"kind" enum:"site-section,site-space,site-page,external"`
	Section string            `json:"siteSectionId,omitempty" maxLength:"64" doc:"Of the kind site-section."`
	Space   string            `json:"siteSpaceId,omitempty" maxLength:"64" doc:"Of the kinds site-space and site-page."`
	Page    docs.PageID       `json:"pageId,omitempty" maxLength:"64" doc:"Of the kind site-page."`
	URL     string            `json:"url,omitempty" format:"uri" maxLength:"2048" doc:"Of the kind external."`
}

// newDestination is a destination in a request. It can name a page by its path.
type newDestination struct {
	Kind    docs.RedirectKind `json:"kind" enum:"site-section,site-space,site-page,external,path"`
	Section string            `json:"siteSectionId,omitempty" maxLength:"64" doc:"Of the kind site-section."`
	Space   string            `json:"siteSpaceId,omitempty" maxLength:"64" doc:"Of the kinds site-space and site-page."`
	Page    docs.PageID       `json:"pageId,omitempty" maxLength:"64" doc:"Of the kind site-page."`
	URL     string            `json:"url,omitempty" format:"uri" maxLength:"2048" doc:"Of the kind external."`
	At      docs.SpaceID      `json:"spaceId,omitempty" maxLength:"64" doc:"Of the kind path: a space of the site."`
	Path    string            `json:"path,omitempty" maxLength:"1024" doc:"Of the kind path: the path of a page in the space. The redirect follows the page when it is moved."`
}

// destination returns what a request asks for. The kind path becomes the page that has the
// path now. field is its place in the request, and open returns the site.
func (h *readers) destination(ctx context.Context, open func() (view, error), field string, d newDestination) (docs.RedirectDestination, error) {
	if d.Kind != "path" {
		if d.At != "" || d.Path != "" {
			return docs.RedirectDestination{}, errs.Field(field, "has fields that do not belong to the kind %q", d.Kind)
		}
		return docs.RedirectDestination{Kind: d.Kind, Section: d.Section, Space: d.Space, Page: d.Page, URL: d.URL}, nil
	}
	if d.At == "" || d.Section != "" || d.Space != "" || d.Page != "" || d.URL != "" {
		return docs.RedirectDestination{}, errs.Field(field, "must have spaceId and path, and nothing else")
	}
	v, err := open()
	if err != nil {
		return docs.RedirectDestination{}, err
	}
	for _, it := range v.Structure.All(docs.SiteSpace) {
		if it.Space == d.At {
			page, err := h.pageIDAt(ctx, v.Spaces[it.Space].It, d.Path)
			if errs.Is(err, errs.NotFound) {
				err = errs.E(errs.NotFound, "%s.path: there is no page %q in the space", field, d.Path)
			}
			return docs.RedirectDestination{Kind: docs.RedirectPage, Space: string(it.ID), Page: page}, err
		}
	}
	return docs.RedirectDestination{}, errs.E(errs.NotFound, "%s.spaceId: there is no space %q on the site", field, d.At)
}

// viewOnce returns a function that reads the site of the request once, when it is needed.
func (h *readers) viewOnce(ctx context.Context) func() (view, error) {
	return sync.OnceValues(func() (view, error) { return h.view(ctx, "") })
}

// pageIDAt returns the page with a path in the newest revision of its space, as the caller
// sees it.
func (h *readers) pageIDAt(ctx context.Context, sp docs.Space, path string) (docs.PageID, error) {
	v, err := h.Content.Revision(ctx, sp, sp.Revision)
	if err != nil {
		return "", err
	}
	p, err := wire.AsSeen(authz.FromContext(ctx), v).ByPath(ctx, path)
	return p.ID, err
}

func redirect(r docs.Redirect) SiteRedirect {
	return SiteRedirect{
		Object: "site-redirect", ID: string(r.ID), Source: string(r.Source), Draft: r.Draft, CaptureWildcard: r.KeepSuffix, Permanent: r.Permanent,
		Destination: redirectDestination(r.Destination), CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
	}
}

// pagePath returns the path of a page in the newest revision of its space, as
// the caller sees it.
func (h *readers) pagePath(ctx context.Context, sp docs.Space, page docs.PageID) (string, error) {
	v, err := h.Content.Revision(ctx, sp, sp.Revision)
	if err != nil {
		return "", err
	}
	return wire.AsSeen(authz.FromContext(ctx), v).PathOf(ctx, page)
}

type listRedirectsIn struct {
	wire.SiteIn
	kernel.Paged
	Search  string `query:"search" maxLength:"512" doc:"Only redirects whose source contains this text."`
	Draft   string `query:"draft" enum:"true,false" doc:"Only drafts, or only live ones. Default: both."`
	OrderBy string `query:"orderBy" enum:"createdAt,updatedAt,source" default:"createdAt"`
}

func (h *readers) listRedirects(ctx context.Context, in *listRedirectsIn) (*kernel.Page[SiteRedirect], error) {
	f := store.RedirectFilter{Search: in.Search, Order: store.RedirectOrder(in.OrderBy)}
	if in.Draft != "" {
		f.Draft = new(in.Draft == "true")
	}
	return kernel.ListOf(ctx, h.Kernel, in.Paged, h.Sites.Redirects.List(authz.FromContext(ctx), f), redirect)
}

type createRedirectIn struct {
	wire.SiteIn
	Body struct {
		Source          string         `json:"source" minLength:"1" maxLength:"512" doc:"A path such as /old/page; it can end with a wildcard: /old/*."`
		CaptureWildcard bool           `json:"captureWildcard,omitempty"`
		Draft           bool           `json:"draft,omitempty"`
		Permanent       bool           `json:"permanent,omitempty"`
		Destination     newDestination `json:"destination"`
	}
}

func (h *readers) createRedirect(ctx context.Context, in *createRedirectIn) (*kernel.Created[SiteRedirect], error) {
	g, b := authz.FromContext(ctx), in.Body
	to, err := h.destination(ctx, h.viewOnce(ctx), "body.destination", b.Destination)
	if err != nil {
		return nil, err
	}
	r, err := h.Sites.Redirects.Add(ctx, g, sites.RedirectPatch{
		Source: opt.Of(b.Source), Draft: opt.Of(b.Draft), KeepSuffix: opt.Of(b.CaptureWildcard), Permanent: opt.Of(b.Permanent),
		Destination: opt.Of(to),
	}, h.pagePath)
	return kernel.Made(h.location(g.Site, "redirects", string(r.ID)), redirect(r)), err
}

type RedirectIn struct {
	wire.SiteIn
	Redirect docs.RedirectID `path:"siteRedirectId"`
}

type updateRedirectIn struct {
	RedirectIn
	Body struct {
		Source          opt.Val[string]         `json:"source,omitempty" minLength:"1" maxLength:"512"`
		CaptureWildcard opt.Val[bool]           `json:"captureWildcard,omitempty"`
		Draft           opt.Val[bool]           `json:"draft,omitempty"`
		Permanent       opt.Val[bool]           `json:"permanent,omitempty"`
		Destination     opt.Val[newDestination] `json:"destination,omitempty"`
	}
}

func (h *readers) updateRedirect(ctx context.Context, in *updateRedirectIn) (*kernel.Out[SiteRedirect], error) {
	b := in.Body
	p := sites.RedirectPatch{Source: b.Source, Draft: b.Draft, KeepSuffix: b.CaptureWildcard, Permanent: b.Permanent}
	if d, set := b.Destination.Get(); set {
		to, err := h.destination(ctx, h.viewOnce(ctx), "body.destination", d)
		if err != nil {
			return nil, err
		}
		p.Destination = opt.Of(to)
	}
	r, err := h.Sites.Redirects.Update(ctx, authz.FromContext(ctx), in.Redirect, p, h.pagePath)
	return kernel.OK(redirect(r)), err
}

func (h *readers) deleteRedirect(ctx context.Context, in *RedirectIn) (*kernel.Done, error) {
	return nil, h.Sites.Redirects.Delete(ctx, authz.FromContext(ctx), in.Redirect)
}

// redirectChange is one entry of a bulk change.
type redirectChange struct {
	Source          string            `json:"source" minLength:"1" maxLength:"512"`
	Intent          string            `json:"intent,omitempty" enum:"live,draft,publish" doc:"Which redirect of the source is meant, or publish: the draft becomes the live one. Default: live."`
	CaptureWildcard bool              `json:"captureWildcard,omitempty"`
	Permanent       bool              `json:"permanent,omitempty"`
	Destination     destinationOrNull `json:"destination,omitempty"`
}

// destinationOrNull is a destination, null or absent.
type destinationOrNull struct {
	to  *newDestination
	set bool
}

// UnmarshalJSON implements json.Unmarshaler.
func (d *destinationOrNull) UnmarshalJSON(b []byte) error {
	d.set = true
	return json.Unmarshal(b, &d.to)
}

// Schema implements huma.SchemaProvider.
func (destinationOrNull) Schema(r huma.Registry) *huma.Schema {
	s := *kernel.Resolved(r, r.Schema(reflect.TypeFor[newDestination](), true, "NewDestination"))
	s.Nullable, s.Description = true, "null deletes the redirect."
	return &s
}

type setRedirectsIn struct {
	wire.SiteIn
	Body struct {
		Redirects []redirectChange `json:"redirects" minItems:"1" maxItems:"500"`
	}
}

// redirectResult is the result of one entry of a bulk change.
type redirectResult struct {
	Status string `json:"status" enum:"created,updated,deleted,published,error"`
	Source string `json:"source"`
	Draft  bool   `json:"draft"`
	ID     string `json:"id,omitempty" doc:"Absent if the redirect was deleted, or nothing happened."`
	Error  string `json:"error,omitempty"`
}

type redirectResults struct {
	Results []redirectResult `json:"results" doc:"In the order of the request."`
}

func (h *readers) setRedirects(ctx context.Context, in *setRedirectsIn) (*kernel.Out[redirectResults], error) {
	view := h.viewOnce(ctx)
	changes := make([]sites.RedirectChange, len(in.Body.Redirects))
	for i, c := range in.Body.Redirects {
		if !c.Destination.set && c.Intent != "publish" {
			return nil, errs.Field(fmt.Sprintf("body.redirects[%d].destination", i), "is required; null deletes the redirect")
		}
		changes[i] = sites.RedirectChange{
			Source: c.Source, Draft: c.Intent == "draft", Publish: c.Intent == "publish", KeepSuffix: c.CaptureWildcard, Permanent: c.Permanent,
		}
		if c.Destination.to != nil {
			to, err := h.destination(ctx, view, "destination", *c.Destination.to)
			changes[i].Destination, changes[i].Problem = &to, err
		}
	}
	results, err := h.Sites.Redirects.Set(ctx, authz.FromContext(ctx), changes, h.pagePath)
	w := redirectResults{Results: []redirectResult{}}
	for _, r := range results {
		w.Results = append(w.Results, redirectResult{r.Status, r.Source, r.Draft, string(r.ID), r.Error})
	}
	return kernel.OK(w), err
}

type getRedirectIn struct {
	wire.SiteIn
	wire.ShareKeyIn
	Source string `query:"source" required:"true" minLength:"1" maxLength:"512" doc:"A path of the site."`
}

// foundRedirect is a redirect with the address of its target.
type foundRedirect struct {
	Redirect SiteRedirect `json:"redirect"`
	Target   string       `json:"target" format:"uri"`
}

func (h *readers) getRedirect(ctx context.Context, in *getRedirectIn) (*kernel.Out[foundRedirect], error) {
	v, err := h.view(ctx, in.ShareKey)
	if err != nil {
		return nil, err
	}
	r, target, err := h.Sites.Redirects.Find(ctx, v.Site, v.Structure, in.Source, v.shareKey, h.pagePath)
	return kernel.OK(foundRedirect{redirect(r), target}), err
}
