package docs

// SAMLProvider is a SAML identity provider of an organization.
type SAMLProvider struct {
	ID           SAMLProviderID
	Org          OrgID
	Label        string
	EntityID     string // of the identity provider
	SSOURL       string // sign-in address to which users are redirected
	Certificate  string // PEM; up to two during a key change
	DefaultTeam  TeamID // may be empty
	DefaultRole  Role   // role of users who sign in for the first time
	IdPInitiated bool   // unsolicited responses are accepted
	SignRequests bool
	Attributes   SAMLAttributes
	Groups       map[string]TeamID // teams by group name
	Sealed       Sealed            // sealed key that signs requests; empty until it is created
	LastError    string            `audit:"-"` // why the last sign-in was refused; empty if it succeeded
	LastErrorAt  Time              `audit:"-"`
	CreatedAt    Time
	UpdatedAt    Time `audit:"-"`
}

// SAMLAttributes are the names of the attributes that an identity provider sends.
type SAMLAttributes struct {
	Email     string // if empty, the name of the subject is the address
	FirstName string
	LastName  string
	Groups    string // if empty, groups are ignored
}

// Complete reports whether the provider is configured completely, so that users can sign
// in.
func (p SAMLProvider) Complete() bool {
	return p.EntityID != "" && p.SSOURL != "" && p.Certificate != ""
}

// SAMLLogin is a sign-in that is in progress, from the request to the identity provider
// until the browser that started it has returned.
type SAMLLogin struct {
	ID        string // of the request
	Provider  SAMLProviderID
	Browser   string // hash of the secret of the browser; empty if it started at the identity provider
	Next      string // path to go to afterwards
	Subject   string // subject in the response; empty before the response
	Email     Email
	Name      string
	Groups    []string // nil if the provider sends no groups
	Network   string   // network from which it was started
	ExpiresAt Time
}
