package orgs

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

func (h *handlers) invites() {
	const tag = "Invites"
	kernel.Register(h.Kernel, kernel.Op{
		ID: "inviteUsersToOrganization", Route: "POST /orgs/{organizationId}/invites", Tag: tag, Allow: authz.Org(authz.AdminOrg), Status: 200,
		Summary: "Add people to an organization by e-mail address.",
		About:   "They become members immediately. People without an account get one, which they can use after verifying the address. Until they use the organization, it sees their address and nothing else of them. Existing members are not changed.",
	}, h.invite)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "joinOrganizationWithInvite", Route: "POST /orgs/{organizationId}/invites/{inviteId}", Tag: tag, Allow: authz.SignedIn(docs.ScopeWrite), Status: 200,
		Also:    []int{http.StatusPreconditionFailed},
		Summary: "Accept an invite link.",
		About:   "412 if the link was revoked or the organization does not use invite links.",
	}, h.acceptLink)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listOrganizationInviteLinks", Route: "GET /orgs/{organizationId}/link-invites", Tag: tag, Allow: authz.Org(authz.AdminOrg),
		Summary: "List the invite links to the organization itself.",
	}, h.listLinks)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "createOrganizationInvite", Route: "POST /orgs/{organizationId}/link-invites", Tag: tag, Allow: authz.Org(authz.ManageLinks), Status: 201,
		Also:    []int{http.StatusPreconditionFailed},
		Summary: "Create an invite link to the organization, a space or a collection.",
		About:   "The id of the link is a secret: everybody who has it can accept the invite. A link to the organization needs the role admin in it; a link to a space or a collection needs the role create on that.",
	}, h.createLink)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getOrganizationInviteLink", Route: "GET /orgs/{organizationId}/link-invites/{inviteId}", Tag: tag, Allow: authz.Org(authz.ManageLinks),
		Summary: "Get an invite link that you would be allowed to create.",
	}, h.getLink)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "updateOrganizationInviteById", Route: "PATCH /orgs/{organizationId}/link-invites/{inviteId}", Tag: tag, Allow: authz.Org(authz.ManageLinks),
		Summary: "Change the role that an invite link gives from now on.",
	}, h.updateLink)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "deleteOrganizationInviteById", Route: "DELETE /orgs/{organizationId}/link-invites/{inviteId}", Tag: tag, Allow: authz.Org(authz.ManageLinks),
		Summary: "Revoke an invite link.",
	}, h.revokeLink)
}

// invitee is an e-mail address, optionally with a role.
type invitee struct {
	Email string
	Role  opt.Val[docs.Role]
}

func (invitee) Schema(r huma.Registry) *huma.Schema {
	// The format of an address is checked later, with a more specific message.
	address := &huma.Schema{Type: huma.TypeString}
	as := kernel.Role("").Schema(r)
	as.Nullable = true
	return &huma.Schema{OneOf: []*huma.Schema{address, {
		Type: huma.TypeObject, Required: []string{"email", "role"}, AdditionalProperties: false,
		Properties: map[string]*huma.Schema{"email": {Type: huma.TypeString}, "role": as},
	}}}
}

func (i *invitee) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, &i.Email) == nil {
		return nil
	}
	var long struct {
		Email string             `json:"email"`
		Role  opt.Val[docs.Role] `json:"role"`
	}
	err := json.Unmarshal(b, &long)
	*i = invitee{long.Email, long.Role}
	return err
}

type inviteIn struct {
	wire.OrgIn
	Body struct {
		Emails []invitee          `json:"emails" minItems:"1" maxItems:"200"`
		Role   opt.Val[docs.Role] `json:"role,omitempty" nullable:"true" doc:"Role of people without a role of their own. Default: the default role of the organization."`
		SSO    bool               `json:"sso,omitempty"`
	}
}

type invited struct {
	Users           []docs.UserID `json:"users" doc:"Ids of the new members."`
	Invited         int           `json:"invited"`
	FailedSSOEmails []string      `json:"failedSSOEmails,omitempty" doc:"Addresses of existing members who do not sign in through SSO; mark them one by one."`
}

func (h *handlers) invite(ctx context.Context, in *inviteIn) (*kernel.Out[invited], error) {
	g := authz.FromContext(ctx)
	o, err := h.Orgs.Organizations.Get(ctx, in.Org)
	if err != nil {
		return nil, err
	}
	role := in.Body.Role.Or(o.DefaultRole)
	people := make([]orgs.Invitee, len(in.Body.Emails))
	for i, e := range in.Body.Emails {
		people[i] = orgs.Invitee{Email: e.Email, Role: e.Role.Or(role), Path: fmt.Sprintf("emails[%d]", i)}
	}
	v, err := h.Orgs.Members.Invite(ctx, g, in.Org, people, in.Body.SSO)
	return kernel.OK(invited{v.Users, len(v.Users), v.FailedSSO}), err
}

// empty is an empty JSON object, for responses that need a body.
type empty struct{}

type LinkIn struct {
	wire.OrgIn
	Invite docs.InviteID `path:"inviteId"`
}

func (h *handlers) acceptLink(ctx context.Context, in *LinkIn) (*kernel.Out[empty], error) {
	return kernel.OK(empty{}), h.Orgs.InviteLinks.Accept(ctx, authz.FromContext(ctx), in.Org, in.Invite)
}

// inviteLink is the JSON form of an invite link. A link to the organization has a role, a
// link to a space or a collection has a level.
type inviteLink struct {
	Object     string           `json:"object" enum:"invite"`
	ID         string           `json:"id"`
	Role       any              `json:"role,omitempty" doc:"Role that a link to the organization gives; null is a guest."`
	Level      any              `json:"level,omitempty" doc:"Role that a link to a space or a collection gives."`
	Redundant  bool             `json:"redundant" doc:"Whether you already have what the link gives."`
	Space      *wire.Space      `json:"space,omitempty"`
	Collection *wire.Collection `json:"collection,omitempty"`
}

func (h *handlers) link(by authz.Actor, l orgs.Link) inviteLink {
	w := inviteLink{Object: "invite", ID: string(l.ID), Redundant: true} // otherwise the caller could not see it
	switch as := wire.OrNull(l.InviteLink.Role); {
	case l.Space != nil:
		w.Level, w.Space = as, new(h.Space(by, l.Space.Space, l.Space.Role))
	case l.Collection != nil:
		w.Level, w.Collection = as, new(h.Collection(by, l.Collection.Collection, l.Collection.Role))
	default:
		w.Role = as
	}
	return w
}

type listLinksIn struct {
	wire.OrgIn
	kernel.Paged
}

func (h *handlers) listLinks(ctx context.Context, in *listLinksIn) (*kernel.Page[inviteLink], error) {
	return kernel.ListOf(ctx, h.Kernel, in.Paged, h.Orgs.InviteLinks.List(in.Org), func(l docs.InviteLink) inviteLink {
		return h.link(authz.FromContext(ctx).Actor, orgs.Link{InviteLink: l})
	})
}

type createLinkIn struct {
	wire.OrgIn
	Body struct {
		Role       opt.Val[docs.Role] `json:"role,omitempty" nullable:"true"`
		Level      opt.Val[docs.Role] `json:"level,omitempty" nullable:"true"`
		Space      docs.SpaceID       `json:"space,omitempty"`
		Collection docs.CollectionID  `json:"collection,omitempty"`
	}
}

func (h *handlers) createLink(ctx context.Context, in *createLinkIn) (*kernel.Out[inviteLink], error) {
	b := in.Body
	content := b.Space != "" || b.Collection != ""
	switch {
	case b.Space != "" && b.Collection != "":
		return nil, errs.Field("collection", "cannot be set together with space")
	case content && (!b.Level.IsSet() || b.Role.IsSet()):
		return nil, errs.Field("level", "must be set, instead of role, for a link to a space or a collection")
	case !content && (!b.Role.IsSet() || b.Level.IsSet()):
		return nil, errs.Field("role", "must be set, instead of level, for a link to the organization")
	case content && b.Level.IsNull():
		return nil, errs.Field("level", "must be a role, not null: the link would give no access")
	}
	l, err := h.Orgs.InviteLinks.Create(ctx, authz.FromContext(ctx), in.Org, docs.InviteLink{
		Role: b.Level.Or(b.Role.Or(docs.Guest)), Space: b.Space, Collection: b.Collection,
	})
	return kernel.OK(h.link(authz.FromContext(ctx).Actor, l)), err
}

func (h *handlers) getLink(ctx context.Context, in *LinkIn) (*kernel.Out[inviteLink], error) {
	l, err := h.Orgs.InviteLinks.Get(ctx, authz.FromContext(ctx).Actor, in.Org, in.Invite)
	return kernel.OK(h.link(authz.FromContext(ctx).Actor, l)), err
}

type updateLinkIn struct {
	LinkIn
	Body struct {
		Role  opt.Val[docs.Role] `json:"role,omitempty" nullable:"true"`
		Level opt.Val[docs.Role] `json:"level,omitempty" nullable:"true"`
	}
}

func (h *handlers) updateLink(ctx context.Context, in *updateLinkIn) (*kernel.Out[inviteLink], error) {
	l, err := h.Orgs.InviteLinks.Update(ctx, authz.FromContext(ctx), in.Org, in.Invite, orgs.LinkPatch(in.Body))
	return kernel.OK(h.link(authz.FromContext(ctx).Actor, l)), err
}

func (h *handlers) revokeLink(ctx context.Context, in *LinkIn) (*kernel.Done, error) {
	return nil, h.Orgs.InviteLinks.Revoke(ctx, authz.FromContext(ctx), in.Org, in.Invite)
}
