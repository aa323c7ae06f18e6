package orgs

import (
	"context"
	"net/http"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

func (h *handlers) members() {
	const tag = "Members"
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listMembersInOrganizationById", Route: "GET /orgs/{organizationId}/members", Tag: tag, Allow: authz.Org(authz.ViewOrg),
		Summary: "List the members of an organization.", About: "Guests get an empty list.",
	}, h.listMembers)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getMemberInOrganizationById", Route: "GET /orgs/{organizationId}/members/{userId}", Tag: tag, Allow: authz.OrgOrSelf(authz.ListMembers),
		Summary: "Get a member of an organization.",
	}, h.getMember)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "updateMemberInOrganizationById", Route: "PATCH /orgs/{organizationId}/members/{userId}", Tag: tag, Allow: authz.Org(authz.AdminOrg),
		Also:    []int{http.StatusPreconditionFailed},
		Summary: "Change the role of a member.", About: "412 if it is the last admin.",
	}, h.updateMember)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "removeMemberFromOrganizationById", Route: "DELETE /orgs/{organizationId}/members/{userId}", Tag: tag, Allow: authz.OrgOrLeaving(authz.AdminOrg),
		Also:    []int{http.StatusPreconditionFailed},
		Summary: "Remove a member, or leave the organization.",
		About:   "412 if it is the last admin. You can leave without signing in at the identity provider of the organization.",
	}, h.removeMember)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "setUserAsSSOMemberForOrganization", Route: "POST /orgs/{organizationId}/members/{userId}/sso", Tag: tag, Allow: authz.Org(authz.AdminOrg),
		Summary: "Let a member sign in through the organization's identity provider.",
	}, h.markSSO)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "deactivateMember", Route: "POST /orgs/{organizationId}/members/{userId}/deactivate", Tag: tag, Allow: authz.Org(authz.AdminOrg), Status: 200,
		Also:    []int{http.StatusPreconditionFailed},
		Summary: "Take the access of a member away, effective immediately.", About: "Content, teams and grants stay. 412 if it is the last admin.",
	}, h.deactivate)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "reactivateMember", Route: "POST /orgs/{organizationId}/members/{userId}/reactivate", Tag: tag, Allow: authz.Org(authz.AdminOrg), Status: 200,
		Summary: "Give a member the access back that was taken away.",
	}, h.reactivate)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "inviteMemberAgain", Route: "POST /orgs/{organizationId}/members/{userId}/invite", Tag: tag, Allow: authz.Org(authz.AdminOrg),
		Also: []int{http.StatusPreconditionFailed}, Status: http.StatusAccepted,
		Summary: "Send the invitation of a member again.", About: "412 if the member has used the organization already.",
	}, h.inviteAgain)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listSpacesForOrganizationMember", Route: "GET /orgs/{organizationId}/members/{userId}/spaces", Tag: tag, Allow: authz.OrgOrSelf(authz.ReadAsAdmin),
		Summary: "List the spaces that a member has access to, with the role on each.",
	}, h.memberSpaces)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listTeamsForOrganizationMember", Route: "GET /orgs/{organizationId}/members/{userId}/teams", Tag: tag, Allow: authz.OrgOrSelf(authz.ListTeams),
		Summary: "List the teams of a member.",
	}, h.memberTeams)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "updateOrganizationMemberLastSeenAt", Route: "POST /orgs/{organizationId}/ping", Tag: tag, Allow: authz.Org(authz.Ping),
		Summary: "Record that you are active.", Status: 200,
	}, h.ping)
}

type listMembersIn struct {
	wire.OrgIn
	kernel.Paged
	Order  string `query:"order" enum:"asc,desc" default:"desc"`
	Role   string `query:"role" enum:"admin,create,review,edit,comment,read,guest"`
	Search string `query:"search" maxLength:"256" doc:"Part of the name or the address."`
	Sort   string `query:"sort" enum:"joinedAt,lastSeenAt,name" default:"joinedAt" doc:"lastSeenAt excludes members who were never active."`
}

func (h *handlers) listMembers(ctx context.Context, in *listMembersIn) (*kernel.Page[wire.Member], error) {
	f := store.MemberFilter{Search: in.Search, LastSeen: in.Sort == "lastSeenAt", Named: in.Sort == "name", Asc: in.Order == "asc"}
	if in.Role != "" {
		r := docs.Role(in.Role)
		if in.Role == "guest" {
			r = docs.Guest
		}
		f.Role = &r
	}
	return kernel.ListOf(ctx, h.Kernel, in.Paged, h.Orgs.Members.List(authz.FromContext(ctx), in.Org, f), h.Member)
}

type MemberIn struct {
	wire.OrgIn
	wire.UserIn
}

func (h *handlers) getMember(ctx context.Context, in *MemberIn) (*kernel.Out[wire.Member], error) {
	m, err := h.Orgs.Members.Get(ctx, in.Org, in.User)
	return kernel.OK(h.Member(m)), err
}

type updateMemberIn struct {
	MemberIn
	Body struct {
		Role opt.Val[docs.Role] `json:"role,omitempty" nullable:"true"`
	}
}

func (h *handlers) updateMember(ctx context.Context, in *updateMemberIn) (*kernel.Out[wire.Member], error) {
	if !in.Body.Role.IsSet() {
		return h.getMember(ctx, &in.MemberIn)
	}
	m, err := h.Orgs.Members.SetRole(ctx, authz.FromContext(ctx), in.Org, in.User, in.Body.Role.Or(docs.Guest))
	return kernel.OK(h.Member(m)), err
}

func (h *handlers) removeMember(ctx context.Context, in *MemberIn) (*kernel.Done, error) {
	return nil, h.Orgs.Members.Remove(ctx, authz.FromContext(ctx), in.Org, in.User)
}

func (h *handlers) markSSO(ctx context.Context, in *MemberIn) (*kernel.Out[wire.Member], error) {
	m, err := h.Orgs.Members.MarkSSO(ctx, authz.FromContext(ctx), in.Org, in.User)
	return kernel.OK(h.Member(m)), err
}

func (h *handlers) deactivate(ctx context.Context, in *MemberIn) (*kernel.Out[wire.Member], error) {
	m, err := h.Orgs.Members.SetDisabled(ctx, authz.FromContext(ctx), in.Org, in.User, true)
	return kernel.OK(h.Member(m)), err
}

func (h *handlers) reactivate(ctx context.Context, in *MemberIn) (*kernel.Out[wire.Member], error) {
	m, err := h.Orgs.Members.SetDisabled(ctx, authz.FromContext(ctx), in.Org, in.User, false)
	return kernel.OK(h.Member(m)), err
}

func (h *handlers) inviteAgain(ctx context.Context, in *MemberIn) (*kernel.Done, error) {
	return nil, h.Orgs.Members.InviteAgain(ctx, authz.FromContext(ctx), in.Org, in.User)
}

type memberSpacesIn struct {
	MemberIn
	kernel.Paged
	Order string `query:"order" enum:"asc,desc" default:"desc"`
}

type spacePermission struct {
	Permission docs.Role  `json:"permission"`
	Space      wire.Space `json:"space"`
}

func (h *handlers) memberSpaces(ctx context.Context, in *memberSpacesIn) (*kernel.Page[spacePermission], error) {
	list, err := h.Spaces.SpacesOf(ctx, in.Org, in.User, in.Order != "asc")
	if err != nil {
		return nil, err
	}
	g := authz.FromContext(ctx)
	return kernel.ListOf(ctx, h.Kernel, in.Paged, list, func(it store.Ranked[docs.Space]) spacePermission {
		mine := it.Role // the caller is the member, or an admin
		if g.Role == docs.Admin {
			mine = docs.Admin
		}
		return spacePermission{it.Role, h.Space(authz.FromContext(ctx).Actor, it.It, mine)}
	})
}

type memberTeamsIn struct {
	MemberIn
	kernel.Paged
	Title string `query:"title" maxLength:"64"`
}

type memberTeam struct {
	Team   wire.Team      `json:"team"`
	Member teamMembership `json:"member"`
}

func (h *handlers) memberTeams(ctx context.Context, in *memberTeamsIn) (*kernel.Page[memberTeam], error) {
	list, err := h.Orgs.Teams.Of(ctx, in.Org, in.User, in.Title)
	if err != nil {
		return nil, err
	}
	g := authz.FromContext(ctx)
	return kernel.ListOf(ctx, h.Kernel, in.Paged, list, func(it store.MemberTeam) memberTeam {
		return memberTeam{h.Team(authz.FromContext(ctx).Actor, it.Team, g.Access), teamMembership{it.Role}}
	})
}

type pinged struct {
	VisitorClaims string `json:"gitbookVisitorClaims,omitempty"`
}

func (h *handlers) ping(ctx context.Context, in *wire.OrgIn) (*kernel.Out[pinged], error) {
	return kernel.OK(pinged{}), h.Orgs.Members.Ping(ctx, authz.FromContext(ctx), in.Org)
}
