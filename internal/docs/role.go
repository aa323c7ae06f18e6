package docs

// Role is what a user may do with content or in an organization. The empty role
// is a guest: a member who sees only what was granted directly. The API shows it
// as null.
type Role string

// Roles. Rank defines their order: lists that clients show disagree about edit
// and review.
const (
	Guest   Role = ""
	Read    Role = "read"
	Comment Role = "comment"
	Edit    Role = "edit"
	Review  Role = "review"
	Create  Role = "create"
	Admin   Role = "admin"
)

// Roles are all roles except Guest, from low to high.
var Roles = [...]Role{Read, Comment, Edit, Review, Create, Admin}

// Rank returns 0 for Guest and unknown roles, up to 6 for Admin.
func (r Role) Rank() int {
	for i, known := range Roles {
		if r == known {
			return i + 1
		}
	}
	return 0
}

// RoleOfRank is the inverse of Rank.
func RoleOfRank(rank int) Role {
	if rank < 1 || rank > len(Roles) {
		return Guest
	}
	return Roles[rank-1]
}

// AtLeast reports whether r allows everything that least allows.
func (r Role) AtLeast(least Role) bool { return r.Rank() >= least.Rank() }

// Valid reports whether r is one of Roles.
func (r Role) Valid() bool { return r.Rank() > 0 }

// TeamRole is the role of a member in a team.
type TeamRole string

// An owner manages the members of that one team, and nothing else.
const (
	TeamOwner  TeamRole = "owner"
	TeamMember TeamRole = "member"
)

// Level is the default access to a collection or a space: inherited, none,
// or a role for everyone in the organization.
type Level string

// LevelInherit and LevelNone; any Role is a Level too.
const (
	LevelInherit Level = "inherit"
	LevelNone    Level = "none"
)

// Role returns the role that the level sets, or Guest for inherit and none.
func (l Level) Role() Role {
	if r := Role(l); r.Valid() {
		return r
	}
	return Guest
}
