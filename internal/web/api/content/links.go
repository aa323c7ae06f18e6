package content

import (
	"context"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/index"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

func (h *handlers) links() {
	const tag = "Content"
	view := authz.Space(authz.ViewSpace)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listSpaceFileBacklinks", Route: "GET /spaces/{spaceId}/content/files/{fileId}/backlinks", Tag: tag, Allow: view,
		Summary: "List where a file is used.",
	}, h.fileBacklinks)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listSpacePageBacklinks", Route: "GET /spaces/{spaceId}/content/page/{pageId}/backlinks", Tag: tag, Allow: view,
		Summary: "List where a page is linked.",
	}, h.pageBacklinks)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listPageLinksInSpace", Route: "GET /spaces/{spaceId}/content/page/{pageId}/links", Tag: tag, Allow: view,
		Summary: "List the links of a page.",
	}, h.pageLinks)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listSpaceLinks", Route: "GET /spaces/{spaceId}/links", Tag: tag, Allow: view,
		Summary: "List the links of all pages of a space, and whether they work.",
	}, h.spaceLinks)
}

// linkList is a list of links with statistics about all links.
type linkList struct {
	Next  *kernel.Next `json:"next,omitempty" doc:"Absent on the last page."`
	Count *int64       `json:"count,omitempty"`
	Items []linkUsage  `json:"items"`
	Stats linkStats    `json:"stats"`
}

type linkStats struct {
	Total  int         `json:"total"`
	Broken brokenStats `json:"broken"`
}

type brokenStats struct {
	Total         int  `json:"total"`
	ChangeRequest *int `json:"changeRequest,omitempty" doc:"In a change request: number of links that are broken by the request."`
}

// linkUsage is the target of links, with the places that link to it.
type linkUsage struct {
	Status    index.LinkStatus  `json:"status" enum:"ok,broken,in-app"`
	Relation  string            `json:"relation" enum:"reference,dependsOn" doc:"dependsOn: the page cannot be shown completely without the target."`
	Text      string            `json:"text,omitempty" doc:"Text of the first of these links."`
	Written   string            `json:"written,omitempty" doc:"The path as it is written, if it leads nowhere."`
	Target    *contentLocation  `json:"targetReference,omitempty" doc:"Absent if the target does not exist or is not visible to you."`
	Locations []contentLocation `json:"locationReferences"`
}

// contentLocation is a resource together with the resources that contain it.
type contentLocation struct {
	Kind             string             `json:"kind" enum:"file,url,page,user,collection,space,reusable-content,openapi"`
	Organization     *wire.Organization `json:"organization,omitempty"`
	Space            *wire.Space        `json:"space,omitempty"`
	Page             *Page              `json:"page,omitempty" doc:"Without the pages below it."`
	File             *wire.File         `json:"file,omitempty"`
	ReusableContent  *ReusableContent   `json:"reusableContent,omitempty"`
	Collection       *wire.Collection   `json:"collection,omitempty"`
	User             *wire.User         `json:"user,omitempty"`
	URL              string             `json:"url,omitempty"`
	InternalLocation *internalLocation  `json:"internalLocation,omitempty"`
}

type internalLocation struct {
	Type   string `json:"type" enum:"anchor,node"`
	Anchor string `json:"anchor,omitempty"`
	Node   string `json:"node,omitempty"`
}

// locator converts locations to their JSON form. It reads the organization only once.
type locator struct {
	h   *handlers
	g   *authz.Grant
	org *wire.Organization
}

func (l *locator) show(ctx context.Context, loc index.Location) (contentLocation, error) {
	w := contentLocation{Kind: loc.Kind}
	switch loc.Kind {
	case docs.RefURL:
		w.URL = markup.InertURL(loc.URL)
		return w, nil
	case docs.RefUser:
		u := l.h.User(loc.User)
		w.User = &u
		return w, nil
	}
	if l.org == nil {
		org, err := l.h.Organizations.Get(ctx, l.g.Access.Org)
		if err != nil {
			return w, err
		}
		shown := l.h.Organization(authz.FromContext(ctx).Actor, org, l.g.Access)
		l.org = &shown
	}
	w.Organization = l.org
	if loc.Kind == docs.RefCollection {
		c := l.h.Collection(authz.FromContext(ctx).Actor, loc.Collection, loc.Role)
		w.Collection = &c
		return w, nil
	}
	sp := l.h.Space(authz.FromContext(ctx).Actor, loc.View.Space, loc.Role)
	w.Space = &sp
	switch loc.Kind {
	case docs.RefPage:
		path, err := loc.View.Path(ctx, loc.Page)
		if err != nil {
			return w, err
		}
		p := encoder{h: l.h, v: loc.View, metadata: true}.page(&revision.PageNode{Page: loc.Page, Path: path})
		w.Page = &p
		switch {
		case loc.Node != "":
			w.InternalLocation = &internalLocation{Type: "node", Node: loc.Node}
		case loc.Anchor != "":
			w.InternalLocation = &internalLocation{Type: "anchor", Anchor: loc.Anchor}
		}
	case docs.RefFile:
		f := l.h.File(l.g, loc.View.Space, loc.File)
		w.File = &f
	case docs.RefReusable:
		r := encoder{h: l.h, v: loc.View, metadata: true}.reusableContent(loc.Reusable)
		w.ReusableContent = &r
	}
	return w, nil
}

type spaceLinksIn struct {
	wire.SpaceIn
	kernel.Paged
	Status index.LinkStatus `query:"status" enum:"ok,broken,in-app" doc:"Only links with this status."`
}

type pageLinksIn struct {
	wire.SpaceIn
	Page docs.PageID `path:"pageId"`
	kernel.Paged
	Status index.LinkStatus `query:"status" enum:"ok,broken,in-app" doc:"Only links with this status."`
}

func (h *handlers) spaceLinks(ctx context.Context, in *spaceLinksIn) (*kernel.Out[linkList], error) {
	return h.linksOut(ctx, h.Head, false, index.LinkFilter{Status: in.Status}, in.Paged)
}

func (h *handlers) pageLinks(ctx context.Context, in *pageLinksIn) (*kernel.Out[linkList], error) {
	return h.linksOut(ctx, h.Head, false, index.LinkFilter{Page: in.Page, Status: in.Status}, in.Paged)
}

// linksOut returns a page of the links of a revision. For a change request, the links
// that it broke are also counted separately.
func (h *handlers) linksOut(ctx context.Context, open wire.Opener, request bool, f index.LinkFilter, paged kernel.Paged) (*kernel.Out[linkList], error) {
	g := authz.FromContext(ctx)
	v, err := open(ctx)
	if err != nil {
		return nil, err
	}
	if f.Page != "" {
		if err := h.checkPage(ctx, v, f.Page); err != nil {
			return nil, err
		}
	}
	at, err := h.OpenPage(ctx, paged)
	if err != nil {
		return nil, err
	}
	usages, next, stats, err := h.Content.Index.Links(ctx, g, v, f, at)
	if err != nil {
		return nil, err
	}
	w := linkList{Items: []linkUsage{}, Next: h.SealPage(ctx, paged, next), Stats: linkStats{stats.Total, brokenStats{Total: stats.Broken}}}
	if request {
		w.Stats.Broken.ChangeRequest = &stats.New
	}
	if paged.Limit == 0 {
		n := int64(stats.Asked)
		w.Count = &n
	}
	l := &locator{h: h, g: g}
	for _, u := range usages {
		item := linkUsage{Status: u.Status, Relation: "reference", Text: u.Target.Label, Locations: []contentLocation{}}
		if u.Target.Kind == store.Unresolved {
			item.Written = u.Target.Target
		}
		if u.Target.Hard {
			item.Relation = "dependsOn"
		}
		if u.To != nil {
			to, err := l.show(ctx, *u.To)
			if err != nil {
				return nil, err
			}
			item.Target = &to
		}
		for _, place := range u.Locations {
			at, err := l.show(ctx, place)
			if err != nil {
				return nil, err
			}
			item.Locations = append(item.Locations, at)
		}
		w.Items = append(w.Items, item)
	}
	return kernel.OK(w), nil
}

type fileBacklinksIn struct {
	wire.SpaceIn
	File docs.FileID `path:"fileId"`
	kernel.Paged
}

func (h *handlers) fileBacklinks(ctx context.Context, in *fileBacklinksIn) (*kernel.Page[contentLocation], error) {
	return h.backlinksOut(ctx, h.Head, docs.RefFile, string(in.File), in.Paged)
}

type pageBacklinksIn struct {
	wire.SpaceIn
	Page docs.PageID `path:"pageId"`
	kernel.Paged
}

func (h *handlers) pageBacklinks(ctx context.Context, in *pageBacklinksIn) (*kernel.Page[contentLocation], error) {
	return h.backlinksOut(ctx, h.Head, docs.RefPage, string(in.Page), in.Paged)
}

func (h *handlers) backlinksOut(ctx context.Context, open wire.Opener, kind, id string, paged kernel.Paged) (*kernel.Page[contentLocation], error) {
	g := authz.FromContext(ctx)
	v, err := open(ctx)
	if err != nil {
		return nil, err
	}
	if kind == docs.RefFile {
		_, err = v.File(ctx, docs.FileID(id))
	} else {
		err = h.checkPage(ctx, v, docs.PageID(id))
	}
	if err != nil {
		return nil, err
	}
	l := &locator{h: h, g: g}
	return kernel.ListViews(ctx, h.Kernel, paged, store.List[index.Location]{
		Page: func(ctx context.Context, at store.Page) ([]index.Location, store.Key, error) {
			return h.Content.Index.Backlinks(ctx, g, v, kind, id, at)
		},
	}, l.show)
}

// checkPage returns NotFound unless a revision has a page, which may be a computed one.
func (h *handlers) checkPage(ctx context.Context, v *revision.View, id docs.PageID) error {
	v, err := h.Content.WithComputedPages(ctx, v)
	if err == nil {
		_, err = v.Page(ctx, id)
	}
	return err
}
