package docs

// This file is the rule that decides what a user may do with a space, a
// collection or a site. The first of these that applies decides, not the highest role:
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
// internal/store has the same rule in SQL for lists; a property test compares
// the two.

// Node is a space, a collection or a site as the access rule sees it. A site is
// in no collection.
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

// Access is what the access rule knows about a user in an organization.
type Access struct {
	Org      OrgID
	User     UserID
	Member   bool
	Disabled bool
	SSO      bool // the organization asks its members to sign in at its identity provider
	Role     Role
	Teams    map[TeamID]TeamRole
	// Direct grants to the user and to the user's teams, by node id.
	UserGrants map[string]Role
	TeamGrants map[string]TeamGrant
	// Tokens of the user that the organization refuses.
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

// Reason names the rule that decided a role.
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

// Why is the role that the access rule decided on, and the reason.
type Why struct {
	Role   Role
	Reason Reason
	// Node is where the rule applied; nil for the organization.
	Node *Node
	Team TeamID
}

// Resolve returns the role of the user on path[0], which is in the collection
// path[1], and so on up to the organization.
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
			// Creators keep access to what they hide, with the role that they
			// have in the collection around it.
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
