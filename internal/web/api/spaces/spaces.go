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

func (h *handlers) spaces() {
	const tag = "Spaces"
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listSpacesInOrganizationById", Route: "GET /orgs/{organizationId}/spaces", Tag: tag, Allow: authz.Org(authz.ViewOrg),
		Summary: "List the spaces of an organization that you can see.",
	}, h.list)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "createSpace", Route: "POST /orgs/{organizationId}/spaces", Tag: tag, Allow: authz.Org(authz.StartContent), Status: 201,
		Summary: "Create a space.",
		About:   "Needs the role create in the organization, or on the collection that is named as parent.",
	}, h.create)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getSpaceById", Route: "GET /spaces/{spaceId}", Tag: tag, Allow: authz.Space(authz.ReadContent),
		Summary: "Get a space.",
	}, h.get)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "updateSpaceById", Route: "PATCH /spaces/{spaceId}", Tag: tag, Allow: authz.Space(authz.AdminSpace),
		Summary: "Change the settings of a space.",
	}, h.update)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "deleteSpaceById", Route: "DELETE /spaces/{spaceId}", Tag: tag, Allow: authz.Space(authz.AdminSpace),
		Summary: "Move a space to the trash, from where it can be restored for 7 days.",
	}, h.delete)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "duplicateSpace", Route: "POST /spaces/{spaceId}/duplicate", Tag: tag, Allow: authz.Space(authz.ViewSpace), Status: 201,
		Summary: "Copy a space: the same content next to it, without the history.",
		About:   "Needs the role create in the collection or organization that contains the space.",
	}, h.duplicate)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "restoreSpace", Route: "POST /spaces/{spaceId}/restore", Tag: tag, Allow: authz.TrashedSpace(authz.AdminSpace), Status: 200,
		Also:    []int{http.StatusConflict},
		Summary: "Restore a space from the trash.",
		About:   "409 if the space is not in the trash, 404 if its 7 days have passed.",
	}, h.restore)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "moveSpace", Route: "POST /spaces/{spaceId}/move", Tag: tag, Allow: authz.Space(authz.AdminSpace), Status: 200,
		Also:    []int{http.StatusConflict},
		Summary: "Move a space within its organization.",
		About:   "400 if the position is not valid, 409 if nothing would change.",
	}, h.move)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "transferSpace", Route: "POST /spaces/{spaceId}/transfer", Tag: tag, Allow: authz.Space(authz.AdminSpace), Status: 200,
		Also:    []int{http.StatusConflict, http.StatusPreconditionFailed},
		Summary: "Transfer a space to another organization.",
		About:   "Needs the role create in both organizations. 409 if nothing would change, 412 if the space cannot be transferred.",
	}, h.transfer)
}

func (h *handlers) page(ctx context.Context, p kernel.Paged, in docs.CollectionID) (*kernel.Page[wire.Space], error) {
	return kernel.ListOf(ctx, h.Kernel, p, h.Spaces.Spaces(authz.FromContext(ctx), in), func(it store.Ranked[docs.Space]) wire.Space {
		return h.Space(authz.FromContext(ctx).Actor, it.It, it.Role)
	})
}

type listIn struct {
	wire.OrgIn
	kernel.Paged
}

func (h *handlers) list(ctx context.Context, in *listIn) (*kernel.Page[wire.Space], error) {
	return h.page(ctx, in.Paged, "")
}

// newSpace is the body of create. At most one source of the initial content can be
// set.
type newSpace struct {
	Title          string                       `json:"title,omitempty" maxLength:"50"`
	Emoji          string                       `json:"emoji,omitempty" maxLength:"50" format:"emoji"`
	Parent         docs.CollectionID            `json:"parent,omitempty" minLength:"1"`
	Language       kernel.Language              `json:"language,omitempty"`
	EditMode       docs.EditMode                `json:"editMode,omitempty"`
	Empty          opt.Val[bool]                `json:"empty,omitempty" doc:"true creates a space without pages."`
	Template       opt.Val[wire.Template]       `json:"template,omitempty" doc:"Content to start with."`
	ComputedSource opt.Val[wire.ComputedSource] `json:"computedSource,omitempty" doc:"A page whose pages are computed, as computed of pages: of the type builtin:openapi, with a reference to the specification."`
}

type createSpaceIn struct {
	wire.OrgIn
	Body *newSpace
}

func (h *handlers) create(ctx context.Context, in *createSpaceIn) (*kernel.Created[wire.Space], error) {
	b := newSpace{}
	if in.Body != nil {
		b = *in.Body
	}
	first := spaces.NewSpace{
		Title: b.Title, Emoji: b.Emoji, Parent: b.Parent, Language: string(b.Language), EditMode: b.EditMode, Empty: b.Empty.Or(false),
	}
	t, templated := b.Template.Get()
	source, computed := b.ComputedSource.Get()
	switch {
	case first.Empty && templated:
		return nil, errs.Field("empty", "cannot be set together with template")
	case computed && (first.Empty || templated):
		return nil, errs.Field("computedSource", "cannot be set together with template or empty")
	case templated:
		choice := t.Choice()
		first.Template = &choice
	case computed:
		first.Computed = []byte(source)
	}
	s, r, err := h.Spaces.Create(ctx, authz.FromContext(ctx), first)
	return kernel.Made(h.Location("spaces", string(s.ID)), h.Space(authz.FromContext(ctx).Actor, s, r)), err
}

type getIn struct {
	wire.SpaceIn
	wire.ShareKeyIn
}

func (h *handlers) get(ctx context.Context, in *getIn) (*kernel.Out[wire.Space], error) {
	g := authz.FromContext(ctx)
	key := ""
	if at := g.Space.Published; at != nil {
		var err error
		if key, err = h.ShareLinks.AddressKey(ctx, g, *at, in.ShareKey); err != nil {
			return nil, err
		}
	}
	return kernel.OK(h.SeenSpace(g.Actor, g.Space, g.Role, g.Visitor() != nil, key)), nil
}

type updateSpaceIn struct {
	wire.SpaceIn
	Body struct {
		Title      opt.Val[string]          `json:"title,omitempty" maxLength:"50"`
		Emoji      opt.Val[string]          `json:"emoji,omitempty" nullable:"true" maxLength:"50" format:"emoji"`
		Icon       opt.Val[string]          `json:"icon,omitempty" nullable:"true" maxLength:"2048" format:"uri"`
		EditMode   opt.Val[docs.EditMode]   `json:"editMode,omitempty"`
		Level      opt.Val[docs.Level]      `json:"defaultLevel,omitempty" nullable:"true"`
		Language   opt.Val[kernel.Language] `json:"language,omitempty"`
		MergeRules opt.Val[wire.MergeRules] `json:"mergeRules,omitempty"`
	}
}

func (h *handlers) update(ctx context.Context, in *updateSpaceIn) (*kernel.Out[wire.Space], error) {
	g, b := authz.FromContext(ctx), in.Body
	patch := spaces.SpacePatch{
		Title: b.Title, Emoji: b.Emoji, Icon: b.Icon, EditMode: b.EditMode, Level: b.Level, MergeRules: wire.PlainRules(b.MergeRules),
	}
	if l, set := b.Language.Get(); set {
		patch.Language = opt.Of(string(l))
	}
	s, r, err := h.Spaces.Update(ctx, g, patch)
	return kernel.OK(h.Space(authz.FromContext(ctx).Actor, s, r)), err
}

func (h *handlers) delete(ctx context.Context, _ *wire.SpaceIn) (*kernel.Done, error) {
	return nil, h.Spaces.Delete(ctx, authz.FromContext(ctx))
}

func (h *handlers) duplicate(ctx context.Context, _ *wire.SpaceIn) (*kernel.Created[wire.Space], error) {
	s, r, err := h.Spaces.Duplicate(ctx, authz.FromContext(ctx))
	return kernel.Made(h.Location("spaces", string(s.ID)), h.Space(authz.FromContext(ctx).Actor, s, r)), err
}

func (h *handlers) restore(ctx context.Context, _ *wire.SpaceIn) (*kernel.Out[wire.Space], error) {
	g := authz.FromContext(ctx)
	s, err := h.Spaces.Restore(ctx, g)
	return kernel.OK(h.Space(authz.FromContext(ctx).Actor, s, g.Role)), err
}

type moveIn struct {
	wire.SpaceIn
	Body movement
}

func (h *handlers) move(ctx context.Context, in *moveIn) (*kernel.Out[wire.Space], error) {
	g := authz.FromContext(ctx)
	m, err := in.Body.plain()
	if err != nil {
		return nil, err
	}
	s, r, err := h.Spaces.Move(ctx, g, m)
	return kernel.OK(h.Space(authz.FromContext(ctx).Actor, s, r)), err
}

type transferIn struct {
	wire.SpaceIn
	Body transfer
}

func (h *handlers) transfer(ctx context.Context, in *transferIn) (*kernel.Out[wire.Space], error) {
	g := authz.FromContext(ctx)
	s, r, err := h.Spaces.Transfer(ctx, g, in.Body.Organization)
	return kernel.OK(h.Space(authz.FromContext(ctx).Actor, s, r)), err
}
