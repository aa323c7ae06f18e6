package docs

// SAMLProvider is an identity provider of an organization.
type SAMLProvider struct {
	ID           SAMLProviderID
	Org          OrgID
	Label        string
	EntityID     string // of the identity provider
	SSOURL       string // where people are sent
	Certificate  string // PEM; up to two while it changes
	DefaultTeam  TeamID // empty: none
	DefaultRole  Role   // of people who come for the first time
	IdPInitiated bool   // answers that nobody asked for are accepted
	SignRequests bool
	Attributes   SAMLAttributes
	Groups       map[string]TeamID // teams by the names of groups
	Sealed       string            // key that signs requests; empty: none was made yet
	LastError    string            // why somebody was refused last; empty: nobody was since the last sign-in
	LastErrorAt  Time
	CreatedAt    Time
	UpdatedAt    Time
}

// SAMLAttributes are names of attributes that an identity provider sends.
type SAMLAttributes struct {
	Email     string // empty: the name of the subject is the address
	FirstName string
	LastName  string
	Groups    string // empty: groups are not looked at
}

// Complete reports whether people can sign in by a provider.
func (p SAMLProvider) Complete() bool {
	return p.EntityID != "" && p.SSOURL != "" && p.Certificate != ""
}

// SAMLLogin is a sign-in that is under way: from the request to the identity provider until the
// browser that began it has come back.
type SAMLLogin struct {
	ID        string // of the request
	Provider  SAMLProviderID
	Browser   string // hash of the secret of the browser; empty: it began at the identity provider
	Next      string // where the person goes from here
	Subject   string // whom the provider named; empty: it has not answered yet
	Email     Email
	Name      string
	Groups    []string // nil: the provider says nothing of groups
	Network   string   // from where it was begun
	ExpiresAt Time
}
