package docs

// User is a person with an account on this instance, or a machine.
type User struct {
	ID          UserID
	Kind        UserKind
	Email       Email // empty if the user is not a person
	Verified    bool  // the address is verified to belong to the user
	DisplayName string
	PhotoURL    string
	CreatedAt   Time
	UpdatedAt   Time `audit:"-"`
}

// UserKind distinguishes persons from other users.
type UserKind string

// Kinds of users.
const (
	Person         UserKind = ""
	ServiceAccount UserKind = "service" // a machine that belongs to one organization
	DeletedUser    UserKind = "deleted" // a person whose account was deleted; their contributions are kept
)

// DeletedName is the display name of deleted users.
const DeletedName = "Deleted user"

// Known returns the data of the user that an organization may see. It is complete if the
// user was seen in the organization. Before that, it is only what follows from the e-mail
// address.
func (u User) Known(seen Time) User {
	if !seen.IsZero() || u.Kind != Person {
		return u
	}
	return User{ID: u.ID, Email: u.Email, Verified: u.Verified, DisplayName: u.Email.Name()}
}

// SignInMethod is the method of a sign-in.
type SignInMethod string

// Sign-in methods.
const (
	SignInByMail SignInMethod = "mail" // a link that was sent to the address of the account
	SignInBySAML SignInMethod = "saml" // with the identity provider of an organization
	SignInByOIDC SignInMethod = "oidc" // with an OpenID Connect provider
	SignInByKey  SignInMethod = "passkey"
)

// Identity maps a subject of a provider to a user.
type Identity struct {
	Provider  string
	Subject   string
	User      UserID
	Org       OrgID // organization of the provider; empty for the instance
	CreatedAt Time
}

// Passkey is a passkey of a user. The server has only its public key.
type Passkey struct {
	ID         string // credential ID in base64url
	User       UserID
	Label      string
	Credential string // JSON
	CreatedAt  Time
	LastUsedAt Time
}

// MailLink proves that the person who opens it receives mail for an address.
type MailLink struct {
	User      UserID
	Email     Email
	Moves     bool   // the link changes the address of the account to Email
	Next      string // path on this server to go to afterwards
	CreatedAt Time
	ExpiresAt Time
}
