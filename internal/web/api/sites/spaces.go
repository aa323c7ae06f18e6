package sites

import (
	"context"
	"net/http"
	"slices"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/spaces"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

func (h *handlers) spaces() {
	const tag, route, one = sitesTag, wire.SiteRoute + "/site-spaces", wire.SiteRoute + "/site-spaces/{siteSpaceId}"
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listSiteSpaces", Route: "GET " + route, Tag: tag, Allow: authz.Site(authz.ReadSite),
		Summary: "List the site spaces of a site, those in sections too.",
		About:   "Without those whose space you cannot see.",
	}, h.listSpaces)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "addSpaceToSite", Route: "POST " + route, Tag: tag, Allow: authz.Site(authz.EditSite), Status: 201,
		Summary: "Put a space on a site.",
		About:   "Needs the role create on the space, or in the organization for a new one.",
	}, h.addSpace)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "updateSiteSpaceById", Route: "PATCH " + one, Tag: tag, Allow: authz.Site(authz.EditSite),
		Also:    []int{http.StatusConflict},
		Summary: "Change a site space.",
		About:   "Needs the role create on a space that it is to point to.",
	}, h.updateSpace)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "deleteSiteSpaceById", Route: "DELETE " + one, Tag: tag, Allow: authz.Site(authz.EditSite),
		Summary: "Take a space off a site. The space stays.",
	}, h.deleteSpace)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "duplicateSiteSpace", Route: "POST " + one + "/duplicate", Tag: tag, Allow: authz.Site(authz.EditSite), Status: 201,
		Also:    []int{http.StatusPreconditionFailed},
		Summary: "Copy the space of a site space, and put the copy beside it.",
		About: "If the site space is the only one of its section, the copy gets a section of its own behind that one. Conditions are copied. " +
			"Needs the role create on the space and in the collection or organization that contains it. 412 if the space is in the trash.",
	}, h.duplicateSpace)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "moveSiteSpace", Route: "POST " + one + "/move", Tag: tag, Allow: authz.Site(authz.EditSite), Status: 200,
		Deprecated: "sortSiteStructure",
		Summary:    "Change the place of a site space among its siblings.",
	}, h.moveSpace)
}

type listSpacesIn struct {
	wire.SiteIn
	kernel.Paged
	wire.ShareKeyIn
	Default string `query:"default" enum:"true,false" doc:"Only defaults, or only others."`
}

func (h *handlers) listSpaces(ctx context.Context, in *listSpacesIn) (*kernel.Page[SiteSpace], error) {
	v, err := h.view(ctx, in.ShareKey)
	if err != nil {
		return nil, err
	}
	items := v.Structure.All(docs.SiteSpace)
	if in.Default != "" {
		items = slices.DeleteFunc(items, func(it docs.SiteItem) bool { return it.Default != (in.Default == "true") })
	}
	return itemsPage(ctx, h, in.Paged, v.Structure, items, v.space)
}

type addSiteSpaceIn struct {
	wire.SiteIn
	Body struct {
		NewSpace
		Section docs.SiteItemID `json:"sectionId,omitempty" minLength:"1" doc:"Default: the default section, or the site itself if it has no sections."`

		Condition opt.Val[string] `json:"condition,omitempty" nullable:"true" maxLength:"1024" format:"condition" doc:"Expression that decides whether a visitor sees it, from the beginning."`
		Draft     bool            `json:"draft,omitempty" doc:"Whether only previews show it, from the beginning."`
		Title     opt.Val[string] `json:"title,omitempty" maxLength:"128" doc:"Title of a new space. Ignored for one that exists: a site space has the title of its space."`
		Ignored
	}
}

// NewSpace is the space of a new part of a site: one that exists, or a new one.
type NewSpace struct {
	Space    opt.Val[docs.SpaceID]  `json:"spaceId" nullable:"true" minLength:"1" doc:"null: a new space."`
	Template opt.Val[wire.Template] `json:"template,omitempty" doc:"Content of a new space. Ignored for one that exists."`
}

// newSpace returns what makes the space, or nil if it exists.
func (h *handlers) newSpace(ctx context.Context, n NewSpace, title string) (sites.Maker, error) {
	if !n.Space.IsNull() {
		return nil, nil
	}
	first := spaces.NewSpace{Title: docs.FirstRunes(title, docs.MaxSpaceTitle)}
	if t, templated := n.Template.Get(); templated {
		choice := t.Choice()
		first.Template = &choice
	}
	return h.Spaces.Prepare(ctx, authz.FromContext(ctx), first)
}

func (h *handlers) addSpace(ctx context.Context, in *addSiteSpaceIn) (*kernel.Created[SiteSpace], error) {
	b := in.Body
	made, err := h.newSpace(ctx, b.NewSpace, b.Title.Or(""))
	if err != nil {
		return nil, err
	}
	v, it, err := h.Sites.AddSpace(ctx, authz.FromContext(ctx), sites.NewSpace{
		Space: b.Space.Or(""), Make: made, Section: b.Section, Condition: b.Condition.Or(""), Draft: b.Draft,
	})
	if err != nil {
		return nil, err
	}
	return kernel.Made(h.location(v.Site, "site-spaces", string(it.ID)), view{View: v, a: h, by: authz.FromContext(ctx).Actor}.space(it)), nil
}

type SiteSpaceIn struct {
	wire.SiteIn
	SiteSpace docs.SiteItemID `path:"siteSpaceId"`
}

type updateSiteSpaceIn struct {
	SiteSpaceIn
	Body struct {
		Path      opt.Val[string]       `json:"path,omitempty" minLength:"1" maxLength:"100"`
		Condition opt.Val[string]       `json:"condition,omitempty" nullable:"true" maxLength:"1024" format:"condition" doc:"null removes it."`
		Space     opt.Val[docs.SpaceID] `json:"spaceId,omitempty" minLength:"1" doc:"Space that it points to."`
		Hidden    opt.Val[bool]         `json:"hidden,omitempty" doc:"Whether navigation leaves it out. Readers find it by its address."`
		Draft     opt.Val[bool]         `json:"draft,omitempty" doc:"Whether only previews show it."`

		LocalizedTitle opt.Val[map[string]string] `json:"localizedTitle,omitempty" doc:"Titles by language, for readers of variants in that language."`
		Ignored
	}
}

func (h *handlers) updateSpace(ctx context.Context, in *updateSiteSpaceIn) (*kernel.Out[SiteSpace], error) {
	b := in.Body
	v, it, err := h.Sites.UpdateSpace(ctx, authz.FromContext(ctx), in.SiteSpace, sites.SpacePatch{
		Path: b.Path, Condition: b.Condition, Space: b.Space, Hidden: b.Hidden, Draft: b.Draft, LocalizedTitle: b.LocalizedTitle,
	})
	if err != nil {
		return nil, err
	}
	return kernel.OK(view{View: v, a: h, by: authz.FromContext(ctx).Actor}.space(it)), nil
}

type duplicateSiteSpaceIn struct {
	SiteSpaceIn
	Body *struct {
		Draft bool `json:"draft,omitempty" doc:"Whether only previews show the copy."`
	}
}

func (h *handlers) duplicateSpace(ctx context.Context, in *duplicateSiteSpaceIn) (*kernel.Created[SiteSpace], error) {
	v, it, err := h.Sites.DuplicateSpace(ctx, authz.FromContext(ctx), in.SiteSpace, in.Body != nil && in.Body.Draft, h.Spaces.Copy)
	if err != nil {
		return nil, err
	}
	return kernel.Made(h.location(v.Site, "site-spaces", string(it.ID)), view{View: v, a: h, by: authz.FromContext(ctx).Actor}.space(it)), nil
}

func (h *handlers) deleteSpace(ctx context.Context, in *SiteSpaceIn) (*kernel.Done, error) {
	return nil, h.Sites.DeleteItem(ctx, authz.FromContext(ctx), docs.SiteSpace, in.SiteSpace)
}

// siteSpacePosition is a position among site spaces, in the format of the deprecated
// operation.
type siteSpacePosition struct {
	Before *siteSpacePointer `json:"before,omitempty"`
	After  *siteSpacePointer `json:"after,omitempty"`
}

type siteSpacePointer struct {
	Type  docs.SiteItemKind `json:"type" enum:"site-space"`
	Space docs.SiteItemID   `json:"siteSpace" minLength:"1"`
}

func (p *siteSpacePointer) plain() *sites.Pointer {
	if p == nil {
		return nil
	}
	return &sites.Pointer{Kind: p.Type, ID: p.Space}
}

type moveSiteSpaceIn struct {
	SiteSpaceIn
	Body *struct {
		Position *siteSpacePosition `json:"position,omitempty" doc:"Default: last."`
	}
}

func (h *handlers) moveSpace(ctx context.Context, in *moveSiteSpaceIn) (*kernel.Out[SiteSpace], error) {
	var to sites.Position
	if in.Body != nil && in.Body.Position != nil {
		to = sites.Position{Before: in.Body.Position.Before.plain(), After: in.Body.Position.After.plain()}
	}
	v, it, err := h.moved(ctx, sites.Pointer{Kind: docs.SiteSpace, ID: in.SiteSpace}, to)
	if err != nil {
		return nil, err
	}
	return kernel.OK(v.space(it)), nil
}
