package docs

// Token is a personal token or a session, without its secret.
type Token struct {
	ID         TokenID
	User       UserID
	Label      string
	Scopes     Scopes
	CreatedAt  Time
	ExpiresAt  Time // zero if it does not expire
	LastUsedAt Time
	Org        OrgID // restricts the token to one organization; empty for all organizations of the user
	// LastAddress is the network address of the last use.
	LastAddress string

	Session bool         // the token is a session cookie of a browser
	Method  SignInMethod // how the user of a session signed in
	Agent   string       // user agent of the browser
}

// UsedToken is a token from the perspective of an organization. Its last use is the last
// use in the organization.
type UsedToken struct {
	Token
	Owner     User
	BlockedAt Time // zero if it is accepted
}

// Scope restricts a token to a part of the permissions of its user.
type Scope string

// Scopes. A token without scopes has all permissions of its user.
const (
	ScopeRead  Scope = "read"  // read everything that the user can read
	ScopeWrite Scope = "write" // create and change content, collections, spaces and teams
	ScopeAdmin Scope = "admin" // administer organizations: settings, members, invites
)

// Scopes are the scopes of a token. An empty list means all permissions.
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

// Cover reports whether a token with these scopes has all permissions of a token with
// others.
func (s Scopes) Cover(others Scopes) bool {
	if len(s) > 0 && len(others) == 0 {
		return false
	}
	for _, o := range others {
		if !s.Allow(o) {
			return false
		}
	}
	return true
}
