package docs

// User is a person with an account on this instance, or a machine.
type User struct {
	ID          UserID
	Kind        UserKind
	Email       Email // empty: not a person
	Verified    bool  // the address is known to belong to the user
	DisplayName string
	PhotoURL    string
	CreatedAt   Time
	UpdatedAt   Time
}

// UserKind distinguishes people from others who act.
type UserKind string

// Kinds of users.
const (
	Person         UserKind = ""
	ServiceAccount UserKind = "service" // a machine that belongs to one organization
	DeletedUser    UserKind = "deleted" // a person who left; what they wrote stays
)

// DeletedName is the name of people who left.
const DeletedName = "Deleted user"

// Known returns what an organization may know of the user: everything once the user
// was seen there; before, what follows from the address that somebody typed.
func (u User) Known(seen Time) User {
	if !seen.IsZero() || u.Kind != Person {
		return u
	}
	return User{ID: u.ID, Email: u.Email, Verified: u.Verified, DisplayName: u.Email.Name()}
}

// Token is a personal token or a session, without its secret.
type Token struct {
	ID         TokenID
	User       UserID
	Label      string
	Scopes     Scopes
	CreatedAt  Time
	ExpiresAt  Time // zero: never
	LastUsedAt Time
	Org        OrgID // it is good for this organization only; empty: for all of the user's
	// LastAddress is from where it was used last.
	LastAddress string

	Session bool         // a browser has it as a cookie
	Method  SignInMethod // how the person of a session signed in
	Agent   string       // what that browser calls itself
}

// UsedToken is a token as an organization knows it: its use is that in the organization.
type UsedToken struct {
	Token
	Owner     User
	BlockedAt Time // zero: it is accepted
}

// SignInMethod is how somebody signed in.
type SignInMethod string

// The methods.
const (
	SignInByMail SignInMethod = "mail" // a link that was sent to the address of the account
	SignInBySAML SignInMethod = "saml" // at the identity provider of an organization
	SignInByOIDC SignInMethod = "oidc" // at an OpenID provider
	SignInByKey  SignInMethod = "passkey"
)

// An Identity is whom a provider calls a subject.
type Identity struct {
	Provider  string
	Subject   string
	User      UserID
	Org       OrgID // of the provider; empty: of the instance
	CreatedAt Time
}

// A Passkey is a key that a device of a person has, of which we know the public part.
type Passkey struct {
	ID         string // of the credential, in base64url
	User       UserID
	Label      string
	Credential string // JSON
	CreatedAt  Time
	LastUsedAt Time
}

// A MailLink proves that whoever opens it reads the mail of an address.
type MailLink struct {
	User      UserID
	Email     Email
	Moves     bool   // it makes that the address of the account
	Next      string // a path of this server
	CreatedAt Time
	ExpiresAt Time
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

// Cover reports whether a token with these scopes is allowed all that one with others is.
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
