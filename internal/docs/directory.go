package docs

// DirectoryUser is a member as represented in the directory of the organization.
type DirectoryUser struct {
	Member     Member
	ExternalID string // ID in the directory; empty if there is none
}

// DirectoryGroup is a team as represented in the directory of the organization.
type DirectoryGroup struct {
	Team       Team
	ExternalID string
}

// OIDCProviderID identifies an OpenID Connect provider.
type OIDCProviderID string

// OIDCStartPath returns the path at which a sign-in with a provider starts.
func OIDCStartPath(id OIDCProviderID) string { return "/oidc/" + string(id) + "/login" }

// OIDCProvider is an OpenID Connect provider for signing in to an organization, or to the
// whole server if the operator configured it.
type OIDCProvider struct {
	ID          OIDCProviderID
	Org         OrgID // empty if the operator configured it
	Label       string
	Issuer      string
	ClientID    string
	Sealed      Sealed // sealed client secret; empty if there is none
	GroupsClaim string // claim with the groups of a user; empty if groups are ignored
	Groups      map[string]TeamID
	DefaultRole Role
	DefaultTeam TeamID // empty if there is none
	TrustEmail  bool   // addresses of verified domains are accepted without email_verified
	LastError   string `audit:"-"` // of the last sign-in; empty if it succeeded
	LastErrorAt Time   `audit:"-"`
	CreatedAt   Time
	UpdatedAt   Time `audit:"-"`
}

// OIDCFlow is a sign-in at a provider that is in progress.
type OIDCFlow struct {
	Provider  OIDCProviderID
	Browser   string // hash of the cookie of the browser that started it
	Nonce     string
	Verifier  string // PKCE code verifier
	Next      string // path on this server to go to afterwards
	User      UserID // account to link; empty for a sign-in
	Network   string // network from which it was started
	ExpiresAt Time
}
