package docs

// This file is the rule of who may do what with content. It is by precedence,
// not by the highest role:
//
//  1. someone outside the organization, or disabled in it, has no access
//  2. an admin of the organization is admin of everything in it
//  3. a grant to the user on the thing itself
//  4. the highest grant to one of the user's teams on the thing itself
//  5. the thing's own default level: a role for everybody, or nobody but the
//     creator, or inherit
//  6. the same, from 3 on, for the collection that holds it, upward
//  7. the user's role in the organization
//
// internal/store says the same in SQL for lists; a property test holds the
// two together.

// Node is one step of the way from a thing to its organization: what the
// rule needs to know of a space or a collection.
type Node struct {
	Kind      NodeKind
	ID        string
	Level     Level
	CreatedBy UserID
}

// NodeKind tells a space from a collection.
type NodeKind string

// The kinds of node that hold content.
const (
	NodeSpace      NodeKind = "space"
	NodeCollection NodeKind = "collection"
)

// Access is all that is known of one user in one organization.
type Access struct {
	Org      OrgID
	User     UserID
	Member   bool
	Disabled bool
	Role     Role
	Teams    map[TeamID]TeamRole
	// Direct grants to the user and to the user's teams, by node id.
	UserGrants map[string]Role
	TeamGrants map[string]TeamGrant
}

// TeamGrant is the strongest grant that a user has on a node through teams.
type TeamGrant struct {
	Team TeamID
	Role Role
}

// OwnsTeam reports whether the user is owner of any team.
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

// OrgRole is the role in the organization itself.
func (a *Access) OrgRole() Role {
	if !a.Inside() {
		return Guest
	}
	return a.Role
}

// Reason names the rule that decided a role.
type Reason string

// The reasons, one for each rule above.
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

// Why is the answer of the rule, and what it came from.
type Why struct {
	Role   Role
	Reason Reason
	// Node is where the rule applied; nil when it was the organization.
	Node *Node
	Team TeamID
}

// Resolve returns the role of a user on path[0], which is held by path[1] and
// so on up to the organization.
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
			// Hiding a thing must not lock its creator out, nor lift the
			// creator above what the surroundings give.
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
