package docs

// ShareLinkID and MCPServerID identify a share link and an MCP server of a site.
type (
	ShareLinkID string
	MCPServerID string
)

// ShareLink grants everybody who has its key read access to a site.
type ShareLink struct {
	ID        ShareLinkID
	Site      SiteID
	Name      string
	Active    bool
	Key       Secret // empty where it is not needed
	CreatedAt Time
}

// MCPServer is a server whose tools the assistant of a site offers.
type MCPServer struct {
	ID        MCPServerID
	Site      SiteID
	Name      string
	URL       string
	Transport string
	Headers   SecretHeaders
	Condition string
	CreatedAt Time
}

// SiteAuth configures how visitors of a site sign in.
type SiteAuth struct {
	Backend     string `json:"backend"`
	FallbackURL string `json:"fallbackURL,omitempty"` // sign-in page for visitors
	LogoutURL   string `json:"logoutURL,omitempty"`
	// Sealed is the encrypted private key that signs the tokens of visitors. KeyVersion
	// increases when the key is replaced.
	Sealed     Sealed `json:"sealed"`
	KeyVersion int    `json:"keyVersion"`
}

// Backends of SiteAuth. With AuthIntegration, an integration would sign visitors in for
// the owner.
const (
	AuthCustom      = "custom"
	AuthIntegration = "integration"
)

// SiteIcon is the icon of a site: an emoji, the addresses of an image for light and dark
// mode, or nothing. It is a part of the customization that lists of sites show too.
type SiteIcon struct {
	Emoji string `json:"emoji,omitempty"`
	Light string `json:"light,omitempty"`
	Dark  string `json:"dark,omitempty"`
}

// SiteAds is the requested advertisement setting. It has no effect, because no
// advertisements are sold. The zero value means none.
type SiteAds struct {
	Status string `json:"status"`
	Topic  string `json:"topic,omitempty"`
}

// SiteSettings are the settings of a site. Lists of sites include only Icon and Ads; the
// other settings are read when they are needed. Customization and Schema are JSON, see
// internal/site/customization and internal/site/adaptive. They are empty if they were never
// changed.
type SiteSettings struct {
	Customization string
	CustomizedAt  Time     `audit:"-"`
	Icon          SiteIcon // part of the customization
	Schema        string
	SchemaAt      Time `audit:"-"`
	Auth          SiteAuth
	Ads           SiteAds
}
