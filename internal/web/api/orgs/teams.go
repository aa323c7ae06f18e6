package orgs

import (
	"context"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

func (h *handlers) teams() {
	const tag = "Teams"
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listTeamsInOrganizationById", Route: "GET /orgs/{organizationId}/teams", Tag: tag, Allow: authz.Org(authz.ViewOrg),
		Summary: "List the teams of an organization.", About: "Guests get an empty list.",
	}, h.listTeams)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "createOrganizationTeam", Route: "PUT /orgs/{organizationId}/teams", Tag: tag, Allow: authz.Org(authz.AdminOrg), Status: 201,
		Summary: "Create a team.",
	}, h.createTeam)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getTeamInOrganizationById", Route: "GET /orgs/{organizationId}/teams/{teamId}", Tag: tag, Allow: authz.Team(authz.ViewTeam),
		Summary: "Get a team.",
	}, h.getTeam)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "updateTeamInOrganizationById", Route: "PATCH /orgs/{organizationId}/teams/{teamId}", Tag: tag, Allow: authz.Team(authz.AdminTeam),
		Summary: "Rename a team.",
	}, h.renameTeam)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "removeTeamFromOrganizationById", Route: "DELETE /orgs/{organizationId}/teams/{teamId}", Tag: tag, Allow: authz.Team(authz.AdminTeam),
		Summary: "Delete a team and the permissions granted to it.",
	}, h.deleteTeam)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listTeamMembersInOrganizationById", Route: "GET /orgs/{organizationId}/teams/{teamId}/members", Tag: tag, Allow: authz.Team(authz.ViewTeam),
		Summary: "List the members of a team.",
	}, h.teamMembers)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "updateMembersInOrganizationTeam", Route: "PUT /orgs/{organizationId}/teams/{teamId}/members", Tag: tag, Allow: authz.Team(authz.ManageTeam), Status: 204,
		Summary: "Add, change and remove members of a team in one request.", About: "A user who is both added and removed is removed.",
	}, h.changeTeam)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "addMemberToOrganizationTeamById", Route: "PUT /orgs/{organizationId}/teams/{teamId}/members/{userId}", Tag: tag, Allow: authz.Team(authz.ManageTeam), Status: 204,
		Summary: "Add a user to a team, or change their role in it.",
	}, h.putTeamMember)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "deleteMemberFromOrganizationTeamById", Route: "DELETE /orgs/{organizationId}/teams/{teamId}/members/{userId}", Tag: tag, Allow: authz.Team(authz.ManageTeam),
		Summary: "Remove a user from a team.",
	}, h.removeFromTeam)
}

type listTeamsIn struct {
	wire.OrgIn
	kernel.Paged
	Owner docs.UserID `query:"owner" doc:"Only teams that this member can manage."`
	Title string      `query:"title" maxLength:"64" doc:"Part of the title."`
}

func (h *handlers) listTeams(ctx context.Context, in *listTeamsIn) (*kernel.Page[wire.Team], error) {
	g := authz.FromContext(ctx)
	list, err := h.Orgs.Teams.List(ctx, g, in.Org, wire.UserOf(g, in.Owner), in.Title)
	if err != nil {
		return nil, err
	}
	return kernel.ListOf(ctx, h.Kernel, in.Paged, list, func(t docs.Team) wire.Team { return h.Team(authz.FromContext(ctx).Actor, t, g.Access) })
}

type createTeamIn struct {
	wire.OrgIn
	Body struct {
		Title   string        `json:"title" minLength:"1" maxLength:"64"`
		Members []docs.UserID `json:"members,omitempty" maxItems:"1000"`
	}
}

func (h *handlers) createTeam(ctx context.Context, in *createTeamIn) (*kernel.Out[wire.Team], error) {
	g := authz.FromContext(ctx)
	t, err := h.Orgs.Teams.Create(ctx, g, in.Org, in.Body.Title, in.Body.Members)
	return kernel.OK(h.Team(authz.FromContext(ctx).Actor, t, g.Access)), err
}

type TeamIn struct {
	wire.OrgIn
	Team docs.TeamID `path:"teamId"`
}

func (h *handlers) getTeam(ctx context.Context, _ *TeamIn) (*kernel.Out[wire.Team], error) {
	g := authz.FromContext(ctx)
	return kernel.OK(h.Team(authz.FromContext(ctx).Actor, g.Team, g.Access)), nil
}

type renameTeamIn struct {
	TeamIn
	Body struct {
		Title string `json:"title" minLength:"1" maxLength:"64"`
	}
}

func (h *handlers) renameTeam(ctx context.Context, in *renameTeamIn) (*kernel.Out[wire.Team], error) {
	g := authz.FromContext(ctx)
	t, err := h.Orgs.Teams.Rename(ctx, g, g.Team, in.Body.Title)
	return kernel.OK(h.Team(authz.FromContext(ctx).Actor, t, g.Access)), err
}

func (h *handlers) deleteTeam(ctx context.Context, _ *TeamIn) (*kernel.Done, error) {
	g := authz.FromContext(ctx)
	return nil, h.Orgs.Teams.Delete(ctx, g, g.Team)
}

type teamMembership struct {
	Role docs.TeamRole `json:"role"`
}

// TeamMember is the JSON form of a member of a team.
type TeamMember struct {
	Organization wire.Member     `json:"organization"`
	Team         teamMembership  `json:"team"`
	Permissions  viewPermissions `json:"permissions"`
}

type viewPermissions struct {
	View bool `json:"view"`
}

type teamMembersIn struct {
	TeamIn
	kernel.Paged
}

func (h *handlers) teamMembers(ctx context.Context, in *teamMembersIn) (*kernel.Page[TeamMember], error) {
	return kernel.ListOf(ctx, h.Kernel, in.Paged, h.Orgs.Teams.Members(authz.FromContext(ctx), in.Team), func(m docs.TeamMembership) TeamMember {
		return TeamMember{h.Member(m.Member), teamMembership{m.Role}, viewPermissions{true}}
	})
}

type changeTeamIn struct {
	TeamIn
	Body struct {
		Add         []string                       `json:"add,omitempty" maxItems:"1000" doc:"User ids or addresses."`
		Remove      []string                       `json:"remove,omitempty" maxItems:"1000" doc:"User ids or addresses."`
		Memberships map[docs.UserID]teamMembership `json:"memberships,omitempty" maxProperties:"1000" doc:"By user id."`
	}
}

func (h *handlers) changeTeam(ctx context.Context, in *changeTeamIn) (*kernel.Done, error) {
	g := authz.FromContext(ctx)
	c := orgs.TeamChange{Add: in.Body.Add, Remove: in.Body.Remove, Memberships: map[docs.UserID]docs.TeamRole{}}
	for u, m := range in.Body.Memberships {
		c.Memberships[u] = m.Role
	}
	return nil, h.Orgs.Teams.Change(ctx, g, g.Team, c)
}

type putTeamMemberIn struct {
	TeamIn
	wire.UserIn
	Body *struct {
		Role docs.TeamRole `json:"role,omitempty"`
	}
}

func (h *handlers) putTeamMember(ctx context.Context, in *putTeamMemberIn) (*kernel.Done, error) {
	g := authz.FromContext(ctx)
	var role docs.TeamRole // the empty role keeps the current role
	if in.Body != nil {
		role = in.Body.Role
	}
	return nil, h.Orgs.Teams.Change(ctx, g, g.Team, orgs.TeamChange{
		Memberships: map[docs.UserID]docs.TeamRole{in.User: role},
	})
}

type teamMemberIn struct {
	TeamIn
	wire.UserIn
}

func (h *handlers) removeFromTeam(ctx context.Context, in *teamMemberIn) (*kernel.Done, error) {
	g := authz.FromContext(ctx)
	return nil, h.Orgs.Teams.RemoveMember(ctx, g, g.Team, in.User)
}
