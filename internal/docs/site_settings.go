package docs

// ShareLinkID and MCPServerID identify a share link and an MCP server of a site.
type (
	ShareLinkID string
	MCPServerID string
)

// ShareLink lets everybody who has its key read a site.
type ShareLink struct {
	ID        ShareLinkID
	Site      SiteID
	Name      string
	Active    bool
	Key       string // empty where it is not needed
	CreatedAt Time
}

// MCPServer is a server whose tools the assistant of a site offers.
type MCPServer struct {
	ID        MCPServerID
	Site      SiteID
	Name      string
	URL       string
	Transport string
	Headers   map[string]string
	Condition string
	CreatedAt Time
}

// SiteAuth says how visitors of a site sign in.
type SiteAuth struct {
	Backend     string `json:"backend"`
	FallbackURL string `json:"fallbackURL,omitempty"` // where visitors sign in
	LogoutURL   string `json:"logoutURL,omitempty"`
	// Sealed is the private key that their tokens are signed with. KeyVersion goes
	// up when the key is replaced.
	Sealed     string `json:"sealed"`
	KeyVersion int    `json:"keyVersion"`
}

// Backends of SiteAuth. An integration would sign visitors in for the owner.
const (
	AuthCustom      = "custom"
	AuthIntegration = "integration"
)

// SiteIcon is the small picture of a site: an emoji, or the addresses of an image
// for light and for dark mode, or nothing. It is a part of the customization that
// lists of sites show too.
type SiteIcon struct {
	Emoji string `json:"emoji,omitempty"`
	Light string `json:"light,omitempty"`
	Dark  string `json:"dark,omitempty"`
}

// SiteAds is what an owner asked for; nobody sells advertisements here. The zero
// value is nothing.
type SiteAds struct {
	Status string `json:"status"`
	Topic  string `json:"topic,omitempty"`
}

// SiteSettings are the settings of a site. Lists show its icon and what it wants
// of advertisements; the others are read where they are needed. Those of adaptive
// content and of the look are JSON, see internal/adaptive and
// internal/customization; they are empty if nobody changed them.
type SiteSettings struct {
	Customization string
	CustomizedAt  Time
	Icon          SiteIcon // of the customization
	Schema        string
	SchemaAt      Time
	Auth          SiteAuth
	Ads           SiteAds
}
