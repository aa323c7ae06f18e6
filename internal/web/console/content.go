package console

import (
	"cmp"
	"net/http"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/signin"
	"github.com/octavo-docs/octavo/internal/openapi/apispec"
	"github.com/octavo-docs/octavo/internal/store"
)

// registerContent registers the pages of the content of organizations. `urls.app` of the API, notices
// and mails link to them. The pages are read-only.
func (h *Handler) registerContent() {
	for pattern, page := range map[string]struct {
		rule authz.Rule
		show func(*visit) error
	}{
		"":                                        {authz.Org(authz.ViewOrg), h.organization},
		"/c/{collectionId}":                       {authz.Collection(authz.ViewCollection), h.collection},
		"/sites/{siteId}":                         {authz.Site(authz.ViewSite), h.site},
		"/conversations/{clusterId}":              {authz.Org(authz.ReadConvo), h.cluster},
		"/openapi/{slug}":                         {authz.Org(authz.ListOpenAPISpecs), h.specification},
		"/openapi/{slug}/{version}":               {authz.Org(authz.ListOpenAPISpecs), h.specificationChanges},
		"/s/{spaceId}":                            {authz.Space(authz.ViewSpace), h.space},
		"/s/{spaceId}/{path...}":                  {authz.Space(authz.ViewSpace), h.space},
		"/s/{spaceId}/~/changes/{number}":         {authz.Space(authz.ViewSpace), h.request},
		"/s/{spaceId}/~/revisions/{id}":           {authz.Space(authz.ViewSpace), h.space},
		"/s/{spaceId}/~/revisions/{id}/{path...}": {authz.Space(authz.ViewSpace), h.space},
	} {
		h.mux.HandleFunc("GET /o/{organizationId}"+pattern, h.allowed(page.rule, page.show))
	}
}

// maxRows is the maximum number of items of a kind on a page.
const maxRows = 200

// organizationURL returns the path of the page of an organization.
func organizationURL(id docs.OrgID) string { return "/o/" + string(id) }

// spaceURL returns the path of the page of a space.
func spaceURL(sp docs.Space) string { return organizationURL(sp.Org) + "/s/" + string(sp.ID) }

// contentData is the data of the page of an organization, a collection or a site.
type contentData struct {
	Up      *link // the organization that it belongs to
	Note    string
	Address string // URL for readers

	Collections []link
	Spaces      []link
	Sites       []link
	Requests    []link
	Specs       []link
}

// link is a link with its text and a note.
type link struct{ Title, To, Note string }

func (v *visit) page(title string, d any) page {
	return page{Title: title, CSRF: signin.CSRF(v.secret), Data: d, Wide: true}
}

// organizationOf returns the organization in the path.
func (h *Handler) organizationOf(v *visit) (docs.Organization, error) {
	return h.Orgs.Organizations.Get(v.r.Context(), docs.OrgID(v.r.PathValue("organizationId")))
}

// parentLink returns the link to the organization in the path. It returns an error if the resource
// belongs to another organization.
func (h *Handler) parentLink(v *visit, org docs.OrgID) (link, error) {
	if v.r.PathValue("organizationId") != string(org) {
		return link{}, errs.Missing("page")
	}
	o, err := h.organizationOf(v)
	return organizationLink(o), err
}

func organizationLink(o docs.Organization) link {
	return link{Title: o.Title, To: organizationURL(o.ID)}
}

func (h *Handler) organization(v *visit) (err error) {
	o, err := h.organizationOf(v)
	if err != nil {
		return err
	}
	var d contentData
	if d.Collections, err = h.collectionsIn(v, ""); err != nil {
		return err
	}
	if d.Spaces, err = h.spacesIn(v, ""); err != nil {
		return err
	}
	ctx, first := v.r.Context(), store.Page{Limit: maxRows}
	open, err := h.Reviews.OrgChangeRequests(ctx, v.grant, store.ChangeRequestFilter{Status: docs.ChangeOpen})
	if err != nil {
		return err
	}
	requests, _, err := open.Page(ctx, first)
	if err != nil {
		return err
	}
	for _, r := range requests {
		d.Requests = append(d.Requests, requestLink(r.Space, r.Request))
	}
	sites, err := h.Sites.List(ctx, v.grant, store.SiteFilter{})
	if err != nil {
		return err
	}
	shown, _, err := sites.Page(ctx, first)
	if err != nil {
		return err
	}
	for _, s := range shown {
		d.Sites = append(d.Sites, link{Title: s.It.Title, To: organizationURL(o.ID) + "/sites/" + string(s.It.ID)})
	}
	if v.grant.Allow(authz.ListOpenAPISpecs) == nil {
		specs, _, err := h.APISpecs.Specs(o.ID).Page(ctx, first)
		if err != nil {
			return err
		}
		for _, s := range specs {
			d.Specs = append(d.Specs, link{Title: string(s.Slug), To: organizationURL(o.ID) + "/openapi/" + string(s.Slug)})
		}
	}
	h.show(v.w, http.StatusOK, "content", v.page(o.Title, d))
	return nil
}

// spacesIn lists the spaces that the user may see in a collection, or at the top level.
func (h *Handler) spacesIn(v *visit, in docs.CollectionID) (out []link, err error) {
	list, _, err := h.Spaces.Spaces(v.grant, in).Page(v.r.Context(), store.Page{Limit: maxRows})
	for _, s := range list {
		out = append(out, link{Title: titleOf(s.It), To: spaceURL(s.It)})
	}
	return out, err
}

// collectionsIn lists the collections that the user may see directly in a collection, or at the
// top level.
func (h *Handler) collectionsIn(v *visit, in docs.CollectionID) (out []link, err error) {
	list := h.Spaces.Collections(v.grant, in != "")
	for p := (store.Page{Limit: maxRows}); len(out) < maxRows; {
		found, next, err := list.Page(v.r.Context(), p)
		if err != nil {
			return nil, err
		}
		for _, c := range found {
			if c.It.Parent == in || in == "" {
				out = append(out, link{Title: cmp.Or(c.It.Title, "Untitled collection"), To: organizationURL(c.It.Org) + "/c/" + string(c.It.ID)})
			}
		}
		if next == nil {
			break
		}
		p.After = next
	}
	return out[:min(len(out), maxRows)], nil
}

func titleOf(sp docs.Space) string { return cmp.Or(sp.Title, "Untitled space") }

func (h *Handler) collection(v *visit) error {
	c := v.grant.Collection
	up, err := h.parentLink(v, c.Org)
	if err != nil {
		return err
	}
	collections, err := h.collectionsIn(v, c.ID)
	if err != nil {
		return err
	}
	spaces, err := h.spacesIn(v, c.ID)
	if err != nil {
		return err
	}
	h.show(v.w, http.StatusOK, "content", v.page(c.Title, contentData{Up: &up, Collections: collections, Spaces: spaces}))
	return nil
}

func (h *Handler) site(v *visit) error {
	s := v.grant.Site
	up, err := h.parentLink(v, s.Org)
	if err != nil {
		return err
	}
	d := contentData{Up: &up, Address: h.Sites.URL(s)}
	if d.Address == "" {
		d.Note = "It is not published yet."
	}
	h.show(v.w, http.StatusOK, "content", v.page(s.Title, d))
	return nil
}

// specData is the data of the page of an OpenAPI specification.
type specData struct {
	Up       link
	Spec     docs.OpenAPISpec
	Versions []link
}

func (h *Handler) specification(v *visit) error {
	o, err := h.organizationOf(v)
	if err != nil {
		return err
	}
	spec, versions, err := h.APISpecs.Versions(v.r.Context(), o.ID, docs.OpenAPISlug(v.r.PathValue("slug")))
	if err != nil {
		return err
	}
	list, _, err := versions.Page(v.r.Context(), store.Page{Limit: maxRows})
	if err != nil {
		return err
	}
	d := specData{Up: organizationLink(o), Spec: spec}
	for _, x := range list {
		d.Versions = append(d.Versions, link{Title: day(x.CreatedAt), To: v.r.URL.Path + "/" + string(x.ID), Note: string(x.ID)})
	}
	h.show(v.w, http.StatusOK, "specification", v.page(string(spec.Slug), d))
	return nil
}

// changesData is the data of the page with the changes of a version of a specification.
type changesData struct {
	Up link
	apispec.Comparison
}

// specificationChanges shows the differences between a version and the version in the query parameter
// from, or else its predecessor.
func (h *Handler) specificationChanges(v *visit) error {
	org, slug := docs.OrgID(v.r.PathValue("organizationId")), docs.OpenAPISlug(v.r.PathValue("slug"))
	c, err := h.APISpecs.Changes(v.r.Context(), org, slug, docs.OpenAPIVersionID(v.r.PathValue("version")), docs.OpenAPIVersionID(v.r.URL.Query().Get("from")))
	if err != nil {
		return err
	}
	d := changesData{Up: link{Title: string(slug), To: organizationURL(org) + "/openapi/" + string(slug)}, Comparison: c}
	h.show(v.w, http.StatusOK, "specification-changes", v.page("Changes of "+string(slug), d))
	return nil
}
