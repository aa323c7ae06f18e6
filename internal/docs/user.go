package docs

// User is a person with an account on this instance.
type User struct {
	ID          UserID
	Email       Email
	Verified    bool // the address is known to belong to the user
	DisplayName string
	PhotoURL    string
	CreatedAt   Time
	UpdatedAt   Time
}

// Known returns what an organization may know of the user: everything once the user
// was seen there; before, what follows from the address that somebody typed.
func (u User) Known(seen Time) User {
	if !seen.IsZero() {
		return u
	}
	return User{ID: u.ID, Email: u.Email, Verified: u.Verified, DisplayName: u.Email.Name()}
}

// Token is a personal token without its secret.
type Token struct {
	ID         TokenID
	User       UserID
	Label      string
	Scopes     Scopes
	CreatedAt  Time
	ExpiresAt  Time // zero: never
	LastUsedAt Time
}

// Scope limits a token to a part of its user's rights.
type Scope string

// Scopes. A token without any scope has all rights of its user.
const (
	ScopeRead  Scope = "read"  // read everything that the user can read
	ScopeWrite Scope = "write" // create and change content, collections, spaces and teams
	ScopeAdmin Scope = "admin" // administer organizations: settings, members, invites
)

// Scopes are the scopes of a token; none means all rights.
type Scopes []Scope

// Allow reports whether a token with these scopes has the scope want.
func (s Scopes) Allow(want Scope) bool {
	if len(s) == 0 {
		return true
	}
	for _, have := range s {
		if have == want {
			return true
		}
	}
	return false
}
