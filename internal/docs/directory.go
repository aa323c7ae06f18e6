package docs

// DirectoryUser is a member as the directory of the organization knows it.
type DirectoryUser struct {
	Member     Member
	ExternalID string // the directory's own name for it; empty: none
}

// DirectoryGroup is a team as the directory of the organization knows it.
type DirectoryGroup struct {
	Team       Team
	ExternalID string
}

// OIDCProviderID identifies a provider of OpenID Connect.
type OIDCProviderID string

// OIDCStartPath is where a sign-in through a provider begins.
func OIDCStartPath(id OIDCProviderID) string { return "/oidc/" + string(id) + "/login" }

// OIDCProvider is a provider of OpenID Connect through which people sign in to an
// organization, or to the server if it is the operator's.
type OIDCProvider struct {
	ID          OIDCProviderID
	Org         OrgID // empty: of the operator
	Label       string
	Issuer      string
	ClientID    string
	Sealed      string // the secret of the client; empty: there is none
	GroupsClaim string // names the groups of a person; empty: groups are not looked at
	Groups      map[string]TeamID
	DefaultRole Role
	DefaultTeam TeamID // empty: none
	TrustEmail  bool   // addresses of proved domains are good without email_verified
	LastError   string // of the last sign-in; empty: it succeeded
	LastErrorAt Time
	CreatedAt   Time
	UpdatedAt   Time
}

// OIDCFlow is a sign-in that is under way at a provider.
type OIDCFlow struct {
	Provider  OIDCProviderID
	Browser   string // hash of the cookie of the browser that began it
	Nonce     string
	Verifier  string // of PKCE
	Next      string // a path of this server
	User      UserID // whose account is linked; empty: somebody signs in
	Network   string // from where it was begun
	ExpiresAt Time
}
