package docs

// This file implements the access rule, which determines the role of a user on a space, a
// collection or a site. The first of these rules that applies decides, not the highest
// role:
//
//  1. a user outside the organization, or disabled in it, has no access
//  2. an admin of the organization is admin of everything in it
//  3. a grant to the user on the space, collection or site itself
//  4. the highest grant to one of the user's teams on it
//  5. its default level: a role for everybody, nobody but the creator, or
//     inherit
//  6. rules 3 to 5 for the collection that contains it, and so on upward
//  7. the user's role in the organization
//
// internal/store implements the same rule in SQL for lists. A property test compares the
// two implementations.

// Node holds the fields of a space, a collection or a site that the access rule uses. A
// site is in no collection.
type Node struct {
	Kind      NodeKind
	ID        string
	Level     Level
	CreatedBy UserID
}

// NodeKind is the kind of a node.
type NodeKind string

// Kinds of nodes.
const (
	NodeSpace      NodeKind = "space"
	NodeCollection NodeKind = "collection"
	NodeSite       NodeKind = "site"
)

// Access holds the facts about a user in an organization that the access rule uses.
type Access struct {
	Org      OrgID
	User     UserID
	Member   bool
	Disabled bool
	SSO      bool // the organization requires its members to sign in with its identity provider
	Role     Role
	Teams    map[TeamID]TeamRole
	// Direct grants to the user and to the user's teams, by node ID.
	UserGrants map[string]Role
	TeamGrants map[string]TeamGrant
	// Blocked are the tokens of the user that the organization refuses.
	Blocked map[TokenID]bool
}

// TeamGrant is the highest grant that a user has on a node through teams.
type TeamGrant struct {
	Team TeamID
	Role Role
}

// OwnsTeam reports whether the user owns any team.
func (a *Access) OwnsTeam() bool {
	for _, r := range a.Teams {
		if r == TeamOwner {
			return true
		}
	}
	return false
}

// Inside reports whether the user is an enabled member of the organization.
func (a *Access) Inside() bool { return a.Member && !a.Disabled }

// OrgRole returns the role in the organization itself.
func (a *Access) OrgRole() Role {
	if !a.Inside() {
		return Guest
	}
	return a.Role
}

// Reason identifies the rule that determined a role.
type Reason string

// Reasons, one for each rule above.
const (
	ReasonOutsider  Reason = "not-a-member"
	ReasonDisabled  Reason = "membership-disabled"
	ReasonOrgAdmin  Reason = "organization-admin"
	ReasonUserGrant Reason = "user-grant"
	ReasonTeamGrant Reason = "team-grant"
	ReasonLevel     Reason = "default-level"
	ReasonHidden    Reason = "no-access-level"
	ReasonCreator   Reason = "creator"
	ReasonOrgRole   Reason = "organization-role"
)

// Why is the role that the access rule determined, with the reason.
type Why struct {
	Role   Role
	Reason Reason
	// Node is the node whose setting applied; nil for the organization.
	Node *Node
	Team TeamID
}

// Resolve returns the role of the user on path[0]. path[1] is the collection that
// contains path[0], and so on up to the organization.
func (a *Access) Resolve(path []Node) Why {
	switch {
	case !a.Member:
		return Why{Reason: ReasonOutsider}
	case a.Disabled:
		return Why{Reason: ReasonDisabled}
	case a.Role == Admin:
		return Why{Role: Admin, Reason: ReasonOrgAdmin}
	}
	for i := range path {
		n := &path[i]
		if r, ok := a.UserGrants[n.ID]; ok {
			return Why{Role: r, Reason: ReasonUserGrant, Node: n}
		}
		if g, ok := a.TeamGrants[n.ID]; ok {
			return Why{Role: g.Role, Reason: ReasonTeamGrant, Node: n, Team: g.Team}
		}
		switch {
		case n.Level == LevelInherit:
			continue
		case n.Level == LevelNone && n.CreatedBy == a.User:
			// Creators keep access to nodes that they hide, with the role that they have
			// in the containing collection.
			why := a.Resolve(path[i+1:])
			if !why.Role.Valid() {
				why.Role = Read
			}
			return Why{Role: why.Role, Reason: ReasonCreator, Node: n}
		case n.Level == LevelNone:
			return Why{Reason: ReasonHidden, Node: n}
		default:
			return Why{Role: n.Level.Role(), Reason: ReasonLevel, Node: n}
		}
	}
	return Why{Role: a.Role, Reason: ReasonOrgRole}
}
