package sites

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

func (h *handlers) sections() {
	const tag, route, one = sitesTag, wire.SiteRoute + "/sections", wire.SiteRoute + "/sections/{siteSectionId}"
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listSiteSections", Route: "GET " + route, Tag: tag, Allow: authz.Site(authz.ReadSite),
		Summary: "List the sections of a site, those in groups too.",
	}, h.listSections)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "addSectionToSite", Route: "POST " + route, Tag: tag, Allow: authz.Site(authz.EditSite), Status: 201,
		Summary: "Add a section with a space.",
		About: "The first section of a site that has site spaces moves them into a section of their own, which is named after the site. " +
			"Needs the role create on the space, or in the organization for a new one.",
	}, h.addSection)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "updateSiteSectionById", Route: "PATCH " + one, Tag: tag, Allow: authz.Site(authz.EditSite),
		Also:    []int{http.StatusConflict},
		Summary: "Change a section.",
	}, h.updateSection)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "deleteSiteSectionById", Route: "DELETE " + one, Tag: tag, Allow: authz.Site(authz.EditSite),
		Summary: "Delete a section and its site spaces. The spaces stay.",
	}, h.deleteSection)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "moveSiteSection", Route: "POST " + one + "/move", Tag: tag, Allow: authz.Site(authz.EditSite), Status: 200,
		Deprecated: "sortSiteStructure",
		Summary:    "Change the place of a section among its siblings.",
	}, h.moveSection)
}

type listSectionsIn struct {
	wire.SiteIn
	kernel.Paged
	wire.ShareKeyIn
}

func (h *handlers) listSections(ctx context.Context, in *listSectionsIn) (*kernel.Page[SiteSection], error) {
	v, err := h.view(ctx, in.ShareKey)
	if err != nil {
		return nil, err
	}
	return itemsPage(ctx, h, in.Paged, v.Structure, v.Structure.All(docs.SiteSection), v.section)
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

func (h *handlers) addSection(ctx context.Context, in *addSectionIn) (*kernel.Created[SiteSection], error) {
	b := in.Body
	made, err := h.newSpace(ctx, b.NewSpace, b.Title.Or(""))
	if err != nil {
		return nil, err
	}
	v, it, err := h.Sites.AddSection(ctx, authz.FromContext(ctx), sites.NewSection{
		Space: b.Space.Or(""), Make: made, Title: b.Title.Or(""), Icon: b.Icon.Or(""), Condition: b.Condition.Or(""), Draft: b.Draft, Group: b.Group,
	})
	if err != nil {
		return nil, err
	}
	return kernel.Made(h.location(v.Site, "sections", string(it.ID)), view{View: v, a: h, by: authz.FromContext(ctx).Actor}.section(it)), nil
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

func (h *handlers) updateSection(ctx context.Context, in *updateSectionIn) (*kernel.Out[SiteSection], error) {
	b := in.Body
	v, it, err := h.Sites.UpdateSection(ctx, authz.FromContext(ctx), in.Section, sites.SectionPatch{
		Title: b.Title, Path: b.Path, Icon: b.Icon, Description: b.Description, Condition: b.Condition, DefaultSpace: b.DefaultSpace,
		Draft: b.Draft, Group: b.Group, LocalizedTitle: b.LocalizedTitle, LocalizedDescription: b.LocalizedDescription,
	})
	if err != nil {
		return nil, err
	}
	return kernel.OK(view{View: v, a: h, by: authz.FromContext(ctx).Actor}.section(it)), nil
}

func (h *handlers) deleteSection(ctx context.Context, in *SectionIn) (*kernel.Done, error) {
	return nil, h.Sites.DeleteItem(ctx, authz.FromContext(ctx), docs.SiteSection, in.Section)
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

func (h *handlers) moveSection(ctx context.Context, in *moveSectionIn) (*kernel.Out[SiteSection], error) {
	var to sites.Position
	if in.Body != nil && in.Body.Position != nil {
		to = sites.Position{Before: in.Body.Position.Before.plain(), After: in.Body.Position.After.plain()}
	}
	v, it, err := h.moved(ctx, sites.Pointer{Kind: docs.SiteSection, ID: in.Section}, to)
	if err != nil {
		return nil, err
	}
	return kernel.OK(v.section(it)), nil
}

func (h *handlers) groups() {
	const tag, route, one = sitesTag, wire.SiteRoute + "/section-groups", wire.SiteRoute + "/section-groups/{siteSectionGroupId}"
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listSiteSectionGroups", Route: "GET " + route, Tag: tag, Allow: authz.Site(authz.ReadSite),
		Summary: "List the groups of a site, those in other groups too.",
	}, h.listGroups)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "addSectionGroupToSite", Route: "POST " + route, Tag: tag, Allow: authz.Site(authz.EditSite), Status: 201,
		Summary: "Add a group, and move sections into it.",
	}, h.addGroup)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "updateSiteSectionGroupById", Route: "PATCH " + one, Tag: tag, Allow: authz.Site(authz.EditSite),
		Summary: "Change a group.",
	}, h.updateGroup)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "deleteSiteSectionGroupById", Route: "DELETE " + one, Tag: tag, Allow: authz.Site(authz.EditSite),
		Summary: "Delete a group. Its sections and groups take its place.",
	}, h.deleteGroup)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "moveSiteSectionGroup", Route: "POST " + one + "/move", Tag: tag, Allow: authz.Site(authz.EditSite), Status: 200,
		Deprecated: "sortSiteStructure",
		Summary:    "Change the place of a group among its siblings.",
	}, h.moveGroup)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "addSectionToGroup", Route: "POST " + one + "/sections", Tag: tag, Allow: authz.Site(authz.EditSite), Status: 201,
		Summary: "Move a section to the end of a group.",
	}, h.addSectionToGroup)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "removeSectionFromGroup", Route: "DELETE " + one + "/sections/{siteSectionId}", Tag: tag, Allow: authz.Site(authz.EditSite),
		Summary: "Move a section out of a group, to the place behind it.",
	}, h.removeSectionFromGroup)
}

type listGroupsIn struct {
	wire.SiteIn
	kernel.Paged
}

func (h *handlers) listGroups(ctx context.Context, in *listGroupsIn) (*kernel.Page[SiteSectionGroup], error) {
	v, err := h.view(ctx, "")
	if err != nil {
		return nil, err
	}
	return itemsPage(ctx, h, in.Paged, v.Structure, v.Structure.All(docs.SiteGroup), v.group)
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

func (h *handlers) addGroup(ctx context.Context, in *addGroupIn) (*kernel.Created[SiteSectionGroup], error) {
	b := in.Body
	v, it, err := h.Sites.AddGroup(ctx, authz.FromContext(ctx), sites.NewGroup{
		Title: b.Title, Icon: b.Icon.Or(""), Draft: b.Draft, Parent: b.Parent, Sections: b.Sections,
	})
	return h.madeGroup(ctx, v, it, err)
}

func (h *handlers) madeGroup(ctx context.Context, v *sites.View, it docs.SiteItem, err error) (*kernel.Created[SiteSectionGroup], error) {
	if err != nil {
		return nil, err
	}
	return kernel.Made(h.location(v.Site, "section-groups", string(it.ID)), view{View: v, a: h, by: authz.FromContext(ctx).Actor}.group(it)), nil
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

func (h *handlers) updateGroup(ctx context.Context, in *updateGroupIn) (*kernel.Out[SiteSectionGroup], error) {
	v, it, err := h.Sites.UpdateGroup(ctx, authz.FromContext(ctx), in.Group, sites.GroupPatch(in.Body))
	if err != nil {
		return nil, err
	}
	return kernel.OK(view{View: v, a: h, by: authz.FromContext(ctx).Actor}.group(it)), nil
}

func (h *handlers) deleteGroup(ctx context.Context, in *GroupIn) (*kernel.Done, error) {
	return nil, h.Sites.DeleteItem(ctx, authz.FromContext(ctx), docs.SiteGroup, in.Group)
}

type moveGroupIn struct {
	GroupIn
	Body *struct {
		Position *itemPosition `json:"position,omitempty" doc:"Default: last."`
	}
}

func (h *handlers) moveGroup(ctx context.Context, in *moveGroupIn) (*kernel.Out[SiteSectionGroup], error) {
	var to sites.Position
	if in.Body != nil {
		to = in.Body.Position.plain()
	}
	v, it, err := h.moved(ctx, sites.Pointer{Kind: docs.SiteGroup, ID: in.Group}, to)
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

func (h *handlers) addSectionToGroup(ctx context.Context, in *addSectionToGroupIn) (*kernel.Created[SiteSectionGroup], error) {
	v, it, err := h.Sites.MoveToGroup(ctx, authz.FromContext(ctx), in.Group, in.Body.Section, true)
	return h.madeGroup(ctx, v, it, err)
}

type groupSectionIn struct {
	GroupIn
	Section docs.SiteItemID `path:"siteSectionId"`
}

func (h *handlers) removeSectionFromGroup(ctx context.Context, in *groupSectionIn) (*kernel.Done, error) {
	_, _, err := h.Sites.MoveToGroup(ctx, authz.FromContext(ctx), in.Group, in.Section, false)
	return nil, err
}
