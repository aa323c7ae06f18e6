package docs

// Role is the role of a user on content or in an organization. The empty role is a guest:
// a member who has access only through direct grants. The API shows it as null.
type Role string

// Roles. Rank defines their order, because the lists of clients disagree about edit and
// review.
const (
	Guest   Role = ""
	Read    Role = "read"
	Comment Role = "comment"
	Edit    Role = "edit"
	Review  Role = "review"
	Create  Role = "create"
	Admin   Role = "admin"
)

// Roles are all roles except Guest, in ascending order.
var Roles = [...]Role{Read, Comment, Edit, Review, Create, Admin}

// Rank returns 1 for Read up to 6 for Admin. It returns 0 for Guest and unknown roles.
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

// An owner manages only the members of that team.
const (
	TeamOwner  TeamRole = "owner"
	TeamMember TeamRole = "member"
)

// Level is the default access to a collection or a space: inherited, none, or a role for
// everybody in the organization.
type Level string

// LevelInherit and LevelNone are the levels that are not roles. Every Role is also a
// Level.
const (
	LevelInherit Level = "inherit"
	LevelNone    Level = "none"
)

// Role returns the role of the level. It is Guest for inherit and none.
func (l Level) Role() Role {
	if r := Role(l); r.Valid() {
		return r
	}
	return Guest
}
