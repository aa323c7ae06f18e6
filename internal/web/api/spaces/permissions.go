package spaces

import (
	"cmp"
	"context"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/spaces"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

// permissions declares the operations on permissions: the same nine for spaces,
// collections and sites.
func (h *handlers) permissions() {
	h.sharing("Space", "/spaces/{spaceId}/permissions", authz.Space(authz.AdminSpace), authz.Space(authz.SpaceAccess))
	h.sharing("Collection", "/collections/{collectionId}/permissions", authz.Collection(authz.AdminCollection), authz.Collection(authz.CollectionAccess))
	h.sharing("Site", wire.SiteRoute+"/permissions", authz.Site(authz.AdminSite), authz.Site(authz.SiteAccess))
	kernel.Register(h.Kernel, kernel.Op{
		ID: "explainSpacePermission", Route: "GET /spaces/{spaceId}/permissions/explain", Tag: "Permissions", Allow: authz.Space(authz.ViewSpace),
		Summary: "Explain which rule gives a user their role on the space.",
		About:   "Everybody can ask about themselves. To ask about others you need the role create.",
	}, h.explain)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "explainCollectionPermission", Route: "GET /collections/{collectionId}/permissions/explain", Tag: "Permissions", Allow: authz.Collection(authz.ViewCollection),
		Summary: "Explain which rule gives a user their role on the collection.",
		About:   "Everybody can ask about themselves. To ask about others you need the role create.",
	}, h.explain)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "explainSitePermission", Route: "GET " + wire.SiteRoute + "/permissions/explain", Tag: "Permissions", Allow: authz.Site(authz.ViewSite),
		Summary: "Explain which rule gives a user their role on the site.",
		About:   "Everybody can ask about themselves. To ask about others you need the role create.",
	}, h.explain)
}

// sharing declares the operations on the access to a space, a collection or a site. The
// grant identifies which one it is, so inputs do not name it.
func (h *handlers) sharing(noun, path string, admin, look authz.Rule) {
	const tag = "Permissions"
	kernel.Register(h.Kernel, kernel.Op{
		ID: "inviteTo" + noun, Route: "POST " + path, Tag: tag, Allow: admin, Status: 204,
		Summary: "Grant a role to users and teams of the organization.",
		About:   "You cannot grant a role above your own. The role null revokes direct grants, so that those users and teams inherit their role again.",
	}, h.share)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listUserPermissionsIn" + noun, Route: "GET " + path + "/users", Tag: tag, Allow: look,
		Summary: "List the roles that were granted to users directly.",
	}, h.userGrants)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "updateUserPermissionIn" + noun, Route: "PATCH " + path + "/users/{userId}", Tag: tag, Allow: admin, Status: 204,
		Summary: "Change the role that was granted to a user directly.",
	}, h.reshareUser)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "removeUserFrom" + noun, Route: "DELETE " + path + "/users/{userId}", Tag: tag, Allow: admin,
		Summary: "Revoke the role that was granted to a user directly.",
	}, h.unshareUser)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listTeamPermissionsIn" + noun, Route: "GET " + path + "/teams", Tag: tag, Allow: look,
		Summary: "List the roles that were granted to teams directly.",
	}, h.teamGrants)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "updateTeamPermissionIn" + noun, Route: "PATCH " + path + "/teams/{teamId}", Tag: tag, Allow: admin, Status: 204,
		Summary: "Change the role that was granted to a team directly.",
	}, h.reshareTeam)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "removeTeamFrom" + noun, Route: "DELETE " + path + "/teams/{teamId}", Tag: tag, Allow: admin,
		Summary: "Revoke the role that was granted to a team directly.",
	}, h.unshareTeam)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listPermissionsAggregateIn" + noun, Route: "GET " + path + "/aggregate", Tag: tag, Allow: look,
		Summary: "List everybody who has access, by any rule, with their role.",
	}, h.aggregate)
}

type shareBody struct {
	Role  opt.Val[docs.Role] `json:"role" nullable:"true"`
	Users []string           `json:"users,omitempty" minItems:"1" maxItems:"1000" doc:"User ids or addresses."`
	Teams []docs.TeamID      `json:"teams,omitempty" minItems:"1" maxItems:"1000"`
}

type shareIn struct{ Body shareBody }

func (h *handlers) share(ctx context.Context, in *shareIn) (*kernel.Done, error) {
	if len(in.Body.Users)+len(in.Body.Teams) == 0 {
		return nil, errs.Field("", "must contain users or teams")
	}
	return nil, h.Spaces.Share(ctx, authz.FromContext(ctx), in.Body.Users, in.Body.Teams, in.Body.Role.Or(docs.Guest))
}

// UserPermission is the JSON form of the role of a user.
type UserPermission struct {
	Permission docs.Role        `json:"permission"`
	User       wire.User        `json:"user"`
	Origin     *wire.OrgPointer `json:"origin,omitempty" doc:"Of a site: the organization that it belongs to."`
	Disabled   bool             `json:"disabled" doc:"Always false: a membership that is disabled has no role."`
}

// TeamPermission is the JSON form of the role of a team.
type TeamPermission struct {
	Permission docs.Role `json:"permission"`
	Team       wire.Team `json:"team"`
}

func (h *handlers) userGrants(ctx context.Context, in *kernel.Paged) (*kernel.Page[UserPermission], error) {
	return kernel.ListOf(ctx, h.Kernel, *in, h.Spaces.UserGrants(authz.FromContext(ctx)), func(g store.UserGrant) UserPermission {
		return UserPermission{Permission: g.Role, User: h.User(g.User)}
	})
}

func (h *handlers) teamGrants(ctx context.Context, in *kernel.Paged) (*kernel.Page[TeamPermission], error) {
	g := authz.FromContext(ctx)
	return kernel.ListOf(ctx, h.Kernel, *in, h.Spaces.TeamGrants(g), func(v store.TeamGrant) TeamPermission {
		return TeamPermission{v.Role, h.Team(authz.FromContext(ctx).Actor, v.Team, g.Access)}
	})
}

// GrantedTeam is the team of the path.
type GrantedTeam struct {
	Team docs.TeamID `path:"teamId"`
}

type newRole struct {
	Role opt.Val[docs.Role] `json:"role" nullable:"true"`
}

type reshareUserIn struct {
	wire.UserIn
	Body newRole
}

type reshareTeamIn struct {
	GrantedTeam
	Body newRole
}

func (h *handlers) reshareUser(ctx context.Context, in *reshareUserIn) (*kernel.Done, error) {
	g := authz.FromContext(ctx)
	return nil, h.Spaces.UpdateGrant(ctx, g, docs.Grant{Node: g.Node(), User: in.User, Role: in.Body.Role.Or(docs.Guest)})
}

func (h *handlers) reshareTeam(ctx context.Context, in *reshareTeamIn) (*kernel.Done, error) {
	g := authz.FromContext(ctx)
	return nil, h.Spaces.UpdateGrant(ctx, g, docs.Grant{Node: g.Node(), Team: in.Team, Role: in.Body.Role.Or(docs.Guest)})
}

func (h *handlers) unshareUser(ctx context.Context, in *wire.UserIn) (*kernel.Done, error) {
	g := authz.FromContext(ctx)
	return nil, h.Spaces.Unshare(ctx, g, docs.Grant{Node: g.Node(), User: in.User})
}

func (h *handlers) unshareTeam(ctx context.Context, in *GrantedTeam) (*kernel.Done, error) {
	g := authz.FromContext(ctx)
	return nil, h.Spaces.Unshare(ctx, g, docs.Grant{Node: g.Node(), Team: in.Team})
}

type aggregateIn struct {
	kernel.Paged
	Role   string `query:"role" enum:"admin,create,review,edit,comment,read,guest" doc:"Only people with this role. Nobody has access as guest."`
	Search string `query:"search" maxLength:"256" doc:"Ignored."`
	Sort   string `query:"sort" maxLength:"32" doc:"Ignored."`
	Order  string `query:"order" enum:"asc,desc" doc:"Ignored."`
	Team   string `query:"team" maxLength:"100" doc:"Ignored."`
}

func (h *handlers) aggregate(ctx context.Context, in *aggregateIn) (*kernel.Page[UserPermission], error) {
	g := authz.FromContext(ctx)
	var origin *wire.OrgPointer
	if g.Site.ID != "" { // clients do not support a site as the origin
		origin = &wire.OrgPointer{Type: "organization", Organization: string(g.Site.Org)}
	}
	return kernel.ListOf(ctx, h.Kernel, in.Paged, h.Spaces.Aggregate(g, docs.Role(in.Role)), func(e spaces.EffectiveRole) UserPermission {
		return UserPermission{Permission: e.Role, User: h.User(e.User), Origin: origin}
	})
}

// Explanation is the JSON form of the rule that determines the role of a user.
type Explanation struct {
	Object string            `json:"object" enum:"permission-explanation"`
	User   string            `json:"user"`
	Role   *docs.Role        `json:"role" doc:"null: no access."`
	Rule   docs.Reason       `json:"rule" enum:"not-a-member,membership-disabled,organization-admin,user-grant,team-grant,default-level,no-access-level,creator,organization-role"`
	Source explanationSource `json:"source" doc:"The space, collection, site or organization in which the rule applied."`
	Team   string            `json:"team,omitempty" doc:"Id of the team that the role comes from."`
	Text   string            `json:"text"`
}

type explanationSource struct {
	Type string `json:"type" enum:"space,collection,site,organization"`
	ID   string `json:"id"`
}

type explainIn struct {
	User docs.UserID `query:"user" doc:"Default: yourself."`
}

var reasonTexts = map[docs.Reason]string{
	docs.ReasonOutsider:  "The user is not a member of the organization.",
	docs.ReasonDisabled:  "The user's membership is disabled.",
	docs.ReasonOrgAdmin:  "Admins of the organization are admins of everything in it.",
	docs.ReasonUserGrant: "The role was granted to the user directly, which overrides everything that is inherited.",
	docs.ReasonTeamGrant: "The role was granted to one of the user's teams; if there are several, the highest role counts.",
	docs.ReasonLevel:     "This is the default level for all members here.",
	docs.ReasonHidden:    "The default level here is no access, and the user has no grant.",
	docs.ReasonCreator:   "The default level here is no access, but the user created it.",
	docs.ReasonOrgRole:   "No other rule applies, so it is the user's role in the organization.",
}

func (h *handlers) explain(ctx context.Context, in *explainIn) (*kernel.Out[Explanation], error) {
	g := authz.FromContext(ctx)
	user := cmp.Or(wire.UserOf(g, in.User), g.Actor.User)
	why, err := h.Spaces.Explain(ctx, g, user)
	w := Explanation{
		Object: "permission-explanation", User: string(user), Role: wire.OrNull(why.Role), Rule: why.Reason, Team: string(why.Team),
		Source: explanationSource{"organization", string(g.Access.Org)}, Text: reasonTexts[why.Reason],
	}
	if why.Node != nil {
		w.Source = explanationSource{string(why.Node.Kind), why.Node.ID}
	}
	return kernel.OK(w), err
}
