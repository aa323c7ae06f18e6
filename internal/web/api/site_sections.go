package api

import (
	"context"
	"net/http"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

func (a *API) siteSections() {
	const tag, route, one = sitesTag, wire.SiteRoute + "/sections", wire.SiteRoute + "/sections/{siteSectionId}"
	kernel.Register(a.Kernel, kernel.Op{
		ID: "listSiteSections", Route: "GET " + route, Tag: tag, Allow: authz.Site(authz.ReadSite),
		Summary: "List the sections of a site, those in groups too.",
	}, a.listSections)
	kernel.Register(a.Kernel, kernel.Op{
		ID: "addSectionToSite", Route: "POST " + route, Tag: tag, Allow: authz.Site(authz.EditSite), Status: 201,
		Summary: "Add a section with a space.",
		About: "The first section of a site that has site spaces moves them into a section of their own, which is named after the site. " +
			"Needs the role create on the space, or in the organization for a new one.",
	}, a.addSection)
	kernel.Register(a.Kernel, kernel.Op{
		ID: "updateSiteSectionById", Route: "PATCH " + one, Tag: tag, Allow: authz.Site(authz.EditSite),
		Also:    []int{http.StatusConflict},
		Summary: "Change a section.",
	}, a.updateSection)
	kernel.Register(a.Kernel, kernel.Op{
		ID: "deleteSiteSectionById", Route: "DELETE " + one, Tag: tag, Allow: authz.Site(authz.EditSite),
		Summary: "Delete a section and its site spaces. The spaces stay.",
	}, a.deleteSection)
	kernel.Register(a.Kernel, kernel.Op{
		ID: "moveSiteSection", Route: "POST " + one + "/move", Tag: tag, Allow: authz.Site(authz.EditSite), Status: 200,
		Deprecated: "sortSiteStructure",
		Summary:    "Change the place of a section among its siblings.",
	}, a.moveSection)
}

type listSectionsIn struct {
	wire.SiteIn
	kernel.Paged
	wire.ShareKeyIn
}

func (a *API) listSections(ctx context.Context, in *listSectionsIn) (*kernel.Page[SiteSection], error) {
	v, err := a.siteView(ctx, in.ShareKey)
	if err != nil {
		return nil, err
	}
	return itemsPage(ctx, a, in.Paged, v.Structure, v.Structure.All(docs.SiteSection), v.section)
}

type addSectionIn struct {
	wire.SiteIn
	Body struct {
		NewSpace
		Title opt.Val[string] `json:"title,omitempty" nullable:"true" minLength:"2" maxLength:"128" doc:"Default: the title of the space."`
		Icon  opt.Val[string] `json:"icon,omitempty" nullable:"true" maxLength:"50"`

		Condition opt.Val[string] `json:"condition,omitempty" nullable:"true" maxLength:"1024" format:"condition" doc:"Expression that decides whether a visitor sees it, from the beginning."`
		Draft     bool            `json:"draft,omitempty" doc:"Whether only previews show it, from the beginning."`
		Group     docs.SiteItemID `json:"siteSectionGroupId,omitempty" maxLength:"64" doc:"Group that contains it; default: the site."`
		Ignored
	}
}

// Ignored are fields that clients of GitBook may send and that have no meaning here.
type Ignored struct {
	Page opt.Val[string] `json:"pageId,omitempty" nullable:"true" maxLength:"128" doc:"Ignored: a space begins with its first page."`
}

func (a *API) addSection(ctx context.Context, in *addSectionIn) (*kernel.Created[SiteSection], error) {
	b := in.Body
	made, err := a.newSpace(ctx, b.NewSpace, b.Title.Or(""))
	if err != nil {
		return nil, err
	}
	v, it, err := a.Sites.AddSection(ctx, authz.FromContext(ctx), sites.NewSection{
		Space: b.Space.Or(""), Make: made, Title: b.Title.Or(""), Icon: b.Icon.Or(""), Condition: b.Condition.Or(""), Draft: b.Draft, Group: b.Group,
	})
	if err != nil {
		return nil, err
	}
	return kernel.Made(a.siteLocation(v.Site, "sections", string(it.ID)), siteView{View: v, a: a, by: authz.FromContext(ctx).Actor}.section(it)), nil
}

type SectionIn struct {
	wire.SiteIn
	Section docs.SiteItemID `path:"siteSectionId"`
}

type updateSectionIn struct {
	SectionIn
	Body struct {
		Title        opt.Val[string]          `json:"title,omitempty" minLength:"2" maxLength:"128"`
		Path         opt.Val[string]          `json:"path,omitempty" minLength:"1" maxLength:"100"`
		DefaultSpace opt.Val[docs.SiteItemID] `json:"defaultSiteSpace,omitempty" minLength:"1"`
		Condition    opt.Val[string]          `json:"condition,omitempty" nullable:"true" maxLength:"1024" format:"condition" doc:"null removes it."`
		Icon         opt.Val[string]          `json:"icon,omitempty" nullable:"true" maxLength:"50"`
		Description  opt.Val[string]          `json:"description,omitempty" nullable:"true" maxLength:"256"`
		Draft        opt.Val[bool]            `json:"draft,omitempty" doc:"Whether only previews show it."`
		Group        opt.Val[docs.SiteItemID] `json:"siteSectionGroupId,omitempty" nullable:"true" maxLength:"64" doc:"Group to move it into; null: the site."`

		LocalizedTitle       opt.Val[map[string]string] `json:"localizedTitle,omitempty" doc:"Titles by language, for readers of variants in that language."`
		LocalizedDescription opt.Val[map[string]string] `json:"localizedDescription,omitempty"`
	}
}

func (a *API) updateSection(ctx context.Context, in *updateSectionIn) (*kernel.Out[SiteSection], error) {
	b := in.Body
	v, it, err := a.Sites.UpdateSection(ctx, authz.FromContext(ctx), in.Section, sites.SectionPatch{
		Title: b.Title, Path: b.Path, Icon: b.Icon, Description: b.Description, Condition: b.Condition, DefaultSpace: b.DefaultSpace,
		Draft: b.Draft, Group: b.Group, LocalizedTitle: b.LocalizedTitle, LocalizedDescription: b.LocalizedDescription,
	})
	if err != nil {
		return nil, err
	}
	return kernel.OK(siteView{View: v, a: a, by: authz.FromContext(ctx).Actor}.section(it)), nil
}

func (a *API) deleteSection(ctx context.Context, in *SectionIn) (*kernel.Done, error) {
	return nil, a.Sites.DeleteItem(ctx, authz.FromContext(ctx), docs.SiteSection, in.Section)
}

// sectionPosition is a position among sections, in the format of the deprecated
// operation.
type sectionPosition struct {
	Before *sectionPointer `json:"before,omitempty"`
	After  *sectionPointer `json:"after,omitempty"`
}

type sectionPointer struct {
	Type    docs.SiteItemKind `json:"type" enum:"site-section"`
	Section docs.SiteItemID   `json:"siteSection" minLength:"1"`
}

func (p *sectionPointer) plain() *sites.Pointer {
	if p == nil {
		return nil
	}
	return &sites.Pointer{Kind: p.Type, ID: p.Section}
}

type moveSectionIn struct {
	SectionIn
	Body *struct {
		Position *sectionPosition `json:"position,omitempty" doc:"Default: last."`
	}
}

func (a *API) moveSection(ctx context.Context, in *moveSectionIn) (*kernel.Out[SiteSection], error) {
	var to sites.Position
	if in.Body != nil && in.Body.Position != nil {
		to = sites.Position{Before: in.Body.Position.Before.plain(), After: in.Body.Position.After.plain()}
	}
	v, it, err := a.moved(ctx, sites.Pointer{Kind: docs.SiteSection, ID: in.Section}, to)
	if err != nil {
		return nil, err
	}
	return kernel.OK(v.section(it)), nil
}

func (a *API) siteGroups() {
	const tag, route, one = sitesTag, wire.SiteRoute + "/section-groups", wire.SiteRoute + "/section-groups/{siteSectionGroupId}"
	kernel.Register(a.Kernel, kernel.Op{
		ID: "listSiteSectionGroups", Route: "GET " + route, Tag: tag, Allow: authz.Site(authz.ReadSite),
		Summary: "List the groups of a site, those in other groups too.",
	}, a.listGroups)
	kernel.Register(a.Kernel, kernel.Op{
		ID: "addSectionGroupToSite", Route: "POST " + route, Tag: tag, Allow: authz.Site(authz.EditSite), Status: 201,
		Summary: "Add a group, and move sections into it.",
	}, a.addGroup)
	kernel.Register(a.Kernel, kernel.Op{
		ID: "updateSiteSectionGroupById", Route: "PATCH " + one, Tag: tag, Allow: authz.Site(authz.EditSite),
		Summary: "Change a group.",
	}, a.updateGroup)
	kernel.Register(a.Kernel, kernel.Op{
		ID: "deleteSiteSectionGroupById", Route: "DELETE " + one, Tag: tag, Allow: authz.Site(authz.EditSite),
		Summary: "Delete a group. Its sections and groups take its place.",
	}, a.deleteGroup)
	kernel.Register(a.Kernel, kernel.Op{
		ID: "moveSiteSectionGroup", Route: "POST " + one + "/move", Tag: tag, Allow: authz.Site(authz.EditSite), Status: 200,
		Deprecated: "sortSiteStructure",
		Summary:    "Change the place of a group among its siblings.",
	}, a.moveGroup)
	kernel.Register(a.Kernel, kernel.Op{
		ID: "addSectionToGroup", Route: "POST " + one + "/sections", Tag: tag, Allow: authz.Site(authz.EditSite), Status: 201,
		Summary: "Move a section to the end of a group.",
	}, a.addSectionToGroup)
	kernel.Register(a.Kernel, kernel.Op{
		ID: "removeSectionFromGroup", Route: "DELETE " + one + "/sections/{siteSectionId}", Tag: tag, Allow: authz.Site(authz.EditSite),
		Summary: "Move a section out of a group, to the place behind it.",
	}, a.removeSectionFromGroup)
}

type listGroupsIn struct {
	wire.SiteIn
	kernel.Paged
}

func (a *API) listGroups(ctx context.Context, in *listGroupsIn) (*kernel.Page[SiteSectionGroup], error) {
	v, err := a.siteView(ctx, "")
	if err != nil {
		return nil, err
	}
	return itemsPage(ctx, a, in.Paged, v.Structure, v.Structure.All(docs.SiteGroup), v.group)
}

type addGroupIn struct {
	wire.SiteIn
	Body struct {
		Title    string            `json:"title" minLength:"1" maxLength:"100"`
		Icon     opt.Val[string]   `json:"icon,omitempty" nullable:"true" maxLength:"50"`
		Sections []docs.SiteItemID `json:"sections,omitempty" maxItems:"1000" doc:"Sections to move into the group."`
		Parent   docs.SiteItemID   `json:"parent,omitempty" minLength:"1" doc:"Group that contains it; default: the site."`
		Draft    bool              `json:"draft,omitempty" doc:"Whether only previews show it."`
	}
}

func (a *API) addGroup(ctx context.Context, in *addGroupIn) (*kernel.Created[SiteSectionGroup], error) {
	b := in.Body
	v, it, err := a.Sites.AddGroup(ctx, authz.FromContext(ctx), sites.NewGroup{
		Title: b.Title, Icon: b.Icon.Or(""), Draft: b.Draft, Parent: b.Parent, Sections: b.Sections,
	})
	return a.madeGroup(ctx, v, it, err)
}

func (a *API) madeGroup(ctx context.Context, v *sites.View, it docs.SiteItem, err error) (*kernel.Created[SiteSectionGroup], error) {
	if err != nil {
		return nil, err
	}
	return kernel.Made(a.siteLocation(v.Site, "section-groups", string(it.ID)), siteView{View: v, a: a, by: authz.FromContext(ctx).Actor}.group(it)), nil
}

type GroupIn struct {
	wire.SiteIn
	Group docs.SiteItemID `path:"siteSectionGroupId"`
}

type updateGroupIn struct {
	GroupIn
	Body struct {
		Title          opt.Val[string]            `json:"title,omitempty" minLength:"1" maxLength:"100"`
		LocalizedTitle opt.Val[map[string]string] `json:"localizedTitle,omitempty" doc:"Titles by language, for readers of variants in that language."`
		Icon           opt.Val[string]            `json:"icon,omitempty" nullable:"true" maxLength:"50"`
		Draft          opt.Val[bool]              `json:"draft,omitempty" doc:"Whether only previews show it and what it contains."`
		Parent         opt.Val[docs.SiteItemID]   `json:"parentSectionGroupId,omitempty" nullable:"true" maxLength:"64" doc:"Group to move it into; null: the site."`
	}
}

func (a *API) updateGroup(ctx context.Context, in *updateGroupIn) (*kernel.Out[SiteSectionGroup], error) {
	v, it, err := a.Sites.UpdateGroup(ctx, authz.FromContext(ctx), in.Group, sites.GroupPatch(in.Body))
	if err != nil {
		return nil, err
	}
	return kernel.OK(siteView{View: v, a: a, by: authz.FromContext(ctx).Actor}.group(it)), nil
}

func (a *API) deleteGroup(ctx context.Context, in *GroupIn) (*kernel.Done, error) {
	return nil, a.Sites.DeleteItem(ctx, authz.FromContext(ctx), docs.SiteGroup, in.Group)
}

type moveGroupIn struct {
	GroupIn
	Body *struct {
		Position *itemPosition `json:"position,omitempty" doc:"Default: last."`
	}
}

func (a *API) moveGroup(ctx context.Context, in *moveGroupIn) (*kernel.Out[SiteSectionGroup], error) {
	var to sites.Position
	if in.Body != nil {
		to = in.Body.Position.plain()
	}
	v, it, err := a.moved(ctx, sites.Pointer{Kind: docs.SiteGroup, ID: in.Group}, to)
	if err != nil {
		return nil, err
	}
	return kernel.OK(v.group(it)), nil
}

type addSectionToGroupIn struct {
	GroupIn
	Body struct {
		Section docs.SiteItemID `json:"sectionId" minLength:"1"`
	}
}

func (a *API) addSectionToGroup(ctx context.Context, in *addSectionToGroupIn) (*kernel.Created[SiteSectionGroup], error) {
	v, it, err := a.Sites.MoveToGroup(ctx, authz.FromContext(ctx), in.Group, in.Body.Section, true)
	return a.madeGroup(ctx, v, it, err)
}

type groupSectionIn struct {
	GroupIn
	Section docs.SiteItemID `path:"siteSectionId"`
}

func (a *API) removeSectionFromGroup(ctx context.Context, in *groupSectionIn) (*kernel.Done, error) {
	_, _, err := a.Sites.MoveToGroup(ctx, authz.FromContext(ctx), in.Group, in.Section, false)
	return nil, err
}
