package spaces

import (
	"context"
	"net/http"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/spaces"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

func (h *handlers) collections() {
	const tag = "Collections"
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listCollectionsInOrganizationById", Route: "GET /orgs/{organizationId}/collections", Tag: tag, Allow: authz.Org(authz.ViewOrg),
		Summary: "List the collections of an organization that you can see.",
	}, h.listCollections)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "createCollection", Route: "POST /orgs/{organizationId}/collections", Tag: tag, Allow: authz.Org(authz.StartContent), Status: 201,
		Summary: "Create a collection.",
		About:   "Needs the role create in the organization, or on the collection that is named as parent.",
	}, h.createCollection)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getCollectionById", Route: "GET /collections/{collectionId}", Tag: tag, Allow: authz.Collection(authz.ViewCollection),
		Summary: "Get a collection.",
	}, h.getCollection)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "updateCollectionById", Route: "PATCH /collections/{collectionId}", Tag: tag, Allow: authz.Collection(authz.AdminCollection),
		Summary: "Change a collection's title, description or default level.",
	}, h.updateCollection)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "deleteCollectionById", Route: "DELETE /collections/{collectionId}", Tag: tag, Allow: authz.Collection(authz.AdminCollection),
		Summary: "Delete a collection and the collections in it; their spaces are moved to the trash.",
	}, h.deleteCollection)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listSpacesInCollectionById", Route: "GET /collections/{collectionId}/spaces", Tag: tag, Allow: authz.Collection(authz.ViewCollection),
		Summary: "List the spaces directly in a collection that you can see.",
	}, h.listCollectionSpaces)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "moveCollection", Route: "POST /collections/{collectionId}/move", Tag: tag, Allow: authz.Collection(authz.AdminCollection), Status: 200,
		Also:    []int{http.StatusConflict},
		Summary: "Move a collection within its organization.",
		About:   "400 if the position is not valid, 409 if nothing would change.",
	}, h.moveCollection)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "transferCollection", Route: "POST /collections/{collectionId}/transfer", Tag: tag, Allow: authz.Collection(authz.AdminCollection), Status: 200,
		Also:    []int{http.StatusConflict, http.StatusPreconditionFailed},
		Summary: "Transfer a collection with everything in it to another organization.",
		About:   "Needs the role create in both organizations. 409 if nothing would change, 412 if something in the collection cannot be transferred.",
	}, h.transferCollection)
}

type listCollectionsIn struct {
	wire.OrgIn
	kernel.Paged
	Nested bool `query:"nested" default:"true" doc:"false excludes collections that are inside another one."`
}

func (h *handlers) listCollections(ctx context.Context, in *listCollectionsIn) (*kernel.Page[wire.Collection], error) {
	return kernel.ListOf(ctx, h.Kernel, in.Paged, h.Spaces.Collections(authz.FromContext(ctx), in.Nested), func(it store.Ranked[docs.Collection]) wire.Collection {
		return h.Collection(authz.FromContext(ctx).Actor, it.It, it.Role)
	})
}

type createCollectionIn struct {
	wire.OrgIn
	Body *struct {
		Title  string            `json:"title,omitempty" maxLength:"50"`
		Parent docs.CollectionID `json:"parent,omitempty" minLength:"1"`
	}
}

func (h *handlers) createCollection(ctx context.Context, in *createCollectionIn) (*kernel.Created[wire.Collection], error) {
	var title string
	var parent docs.CollectionID
	if in.Body != nil {
		title, parent = in.Body.Title, in.Body.Parent
	}
	c, r, err := h.Spaces.CreateCollection(ctx, authz.FromContext(ctx), title, parent)
	return kernel.Made(h.Location("collections", string(c.ID)), h.Collection(authz.FromContext(ctx).Actor, c, r)), err
}

type CollectionIn struct {
	Collection docs.CollectionID `path:"collectionId"`
}

func (h *handlers) getCollection(ctx context.Context, _ *CollectionIn) (*kernel.Out[wire.Collection], error) {
	g := authz.FromContext(ctx)
	return kernel.OK(h.Collection(authz.FromContext(ctx).Actor, g.Collection, g.Role)), nil
}

type updateCollectionIn struct {
	CollectionIn
	Body struct {
		Title       opt.Val[string]     `json:"title,omitempty" maxLength:"50"`
		Description opt.Val[string]     `json:"description,omitempty" nullable:"true" maxLength:"100"`
		Level       opt.Val[docs.Level] `json:"defaultLevel,omitempty" nullable:"true"`
	}
}

func (h *handlers) updateCollection(ctx context.Context, in *updateCollectionIn) (*kernel.Out[wire.Collection], error) {
	g := authz.FromContext(ctx)
	c, r, err := h.Spaces.UpdateCollection(ctx, g, spaces.CollectionPatch(in.Body))
	return kernel.OK(h.Collection(authz.FromContext(ctx).Actor, c, r)), err
}

func (h *handlers) deleteCollection(ctx context.Context, _ *CollectionIn) (*kernel.Done, error) {
	return nil, h.Spaces.DeleteCollection(ctx, authz.FromContext(ctx))
}

type listCollectionSpacesIn struct {
	CollectionIn
	kernel.Paged
}

func (h *handlers) listCollectionSpaces(ctx context.Context, in *listCollectionSpacesIn) (*kernel.Page[wire.Space], error) {
	return h.page(ctx, in.Paged, in.Collection)
}

// movement is the requested parent and position of a collection or a space.
type movement struct {
	Parent   opt.Val[docs.CollectionID] `json:"parent,omitempty" nullable:"true" minLength:"1" doc:"null is the top level."`
	Position opt.Val[position]          `json:"position,omitempty" doc:"Default: last."`
}

type position struct {
	Before *pointer `json:"before,omitempty"`
	After  *pointer `json:"after,omitempty"`
}

type pointer struct {
	Type       string `json:"type" enum:"space,collection"`
	Space      string `json:"space,omitempty"`
	Collection string `json:"collection,omitempty"`
}

func (p *pointer) plain(path string) (docs.Pointer, error) {
	if p == nil {
		return docs.Pointer{}, nil
	}
	id, other := p.Space, p.Collection
	if p.Type == "collection" {
		id, other = p.Collection, p.Space
	}
	if id == "" || other != "" {
		return docs.Pointer{}, errs.Field(path+"."+p.Type, "must be set, and no other id, when type is %q", p.Type)
	}
	return docs.Pointer{Kind: docs.NodeKind(p.Type), ID: id}, nil
}

func (m movement) plain() (v spaces.Move, err error) {
	if !m.Parent.IsSet() && !m.Position.IsSet() {
		return v, errs.Field("", "must contain parent or position")
	}
	v.Parent = m.Parent
	p, _ := m.Position.Get()
	if p.Before != nil && p.After != nil {
		return v, errs.Field("position", "must contain before or after, not both")
	}
	if v.Place.Before, err = p.Before.plain("position.before"); err != nil {
		return v, err
	}
	v.Place.After, err = p.After.plain("position.after")
	return v, err
}

type moveCollectionIn struct {
	CollectionIn
	Body movement
}

func (h *handlers) moveCollection(ctx context.Context, in *moveCollectionIn) (*kernel.Out[wire.Collection], error) {
	g := authz.FromContext(ctx)
	m, err := in.Body.plain()
	if err != nil {
		return nil, err
	}
	c, r, err := h.Spaces.MoveCollection(ctx, g, m)
	return kernel.OK(h.Collection(authz.FromContext(ctx).Actor, c, r)), err
}

type transfer struct {
	Organization docs.OrgID `json:"organization" minLength:"1"`
}

type transferCollectionIn struct {
	CollectionIn
	Body transfer
}

func (h *handlers) transferCollection(ctx context.Context, in *transferCollectionIn) (*kernel.Out[wire.Collection], error) {
	g := authz.FromContext(ctx)
	c, r, err := h.Spaces.TransferCollection(ctx, g, in.Body.Organization)
	return kernel.OK(h.Collection(authz.FromContext(ctx).Actor, c, r)), err
}
