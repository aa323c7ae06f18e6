package docs

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/expr"
)

// MaxSiteItems is the number of sections, groups and site spaces of a site. A
// site is read and checked as a whole, so its size is bounded.
const MaxSiteItems = 1000

// MaxSiteGroupDepth is how deep the groups of a site can be nested.
const MaxSiteGroupDepth = 8

// SiteID identifies a site, SiteItemID a section, a group or a site space.
type (
	SiteID     string
	SiteItemID string
)

// SiteIDPrefix begins the id of a site. A basename cannot contain it, so that
// an address names a site by either of them.
const SiteIDPrefix = "site_"

// Site is a documentation site: spaces in an order, with an address and an
// audience. Its items say which spaces.
type Site struct {
	ID            SiteID
	Org           OrgID
	Title         string
	Type          string
	Visibility    Visibility
	Published     bool
	Basename      string // unique on the instance; empty: the id is used
	Hostname      string // of the owner's domain; empty: none
	Proxy         string // host and path on the owner's domain that forward here; empty: none
	ProxyState    ProxyState
	Adaptive      bool // whether content adapts to visitors
	AgentsContext string
	Icon          SiteIcon
	Ads           SiteAds
	Level         Level
	SiteSpaces    int   // number of site spaces
	Version       int64 // goes up with every change of the site or of its items
	CreatedBy     UserID
	CreatedAt     Time
	UpdatedAt     Time
}

// Node returns what the access rule needs of a site.
func (s Site) Node() Node {
	return Node{Kind: NodeSite, ID: string(s.ID), Level: s.Level, CreatedBy: s.CreatedBy}
}

// Publication returns where readers find the site.
func (s Site) Publication() Publication {
	return Publication{Site: s.ID, Basename: s.Basename, Hostname: s.Hostname, Proxy: s.Proxy, Visibility: s.Visibility}
}

// Visibility says who can read a published site.
type Visibility string

// Audiences of a site, from the widest to the narrowest.
const (
	VisibilityPublic   Visibility = "public"     // anyone, and search engines
	VisibilityUnlisted Visibility = "unlisted"   // anyone
	VisibilityLink     Visibility = "share-link" // anyone with a secret in the address
	VisibilityAuth     Visibility = "visitor-auth"
)

// Visibilities are all audiences, the widest first.
var Visibilities = []Visibility{VisibilityPublic, VisibilityUnlisted, VisibilityLink, VisibilityAuth}

// Wider reports whether v has a wider audience than w.
func (v Visibility) Wider(w Visibility) bool {
	return slices.Index(Visibilities, v) < slices.Index(Visibilities, w)
}

// Values of a site that clients know. Types are plans elsewhere; here all of
// them have all features.
var (
	SiteTypes     = []string{"basic", "premium", "ultimate", "sponsored", "legacy-basic", "legacy-premium"}
	AgentContexts = []string{"excluded", "included"}
	SiteFeatures  = []string{
		"sites-adaptive-content", "sites-advanced-customization", "sites-advanced-insights", "sites-ads", "sites-ai-search",
		"sites-ai-assistant", "sites-embed", "sites-api-playground", "sites-basic-customization", "sites-custom-domain",
		"sites-custom-fonts", "sites-custom-subdirectory", "sites-full-text-search", "sites-multivariant-site",
		"sites-no-custom-domain", "sites-page-feedback", "sites-page-traffic-insights", "sites-pdf-export",
		"sites-preview-deployments", "sites-public-visibility", "sites-redirects", "sites-search-insights", "sites-sections",
		"sites-seo", "sites-share-links", "sites-unlisted-visibility", "sites-user-contribution",
		"sites-visitor-authentication", "sites-visitors",
	}
)

// SiteItemKind is the kind of an item of a site.
type SiteItemKind string

// Kinds of items. A section holds site spaces, which are variants of the same
// content; a group holds sections, groups and links and is no part of an address.
// A link leads to another site.
const (
	SiteSection SiteItemKind = "site-section"
	SiteGroup   SiteItemKind = "site-section-group"
	SiteSpace   SiteItemKind = "site-space"
	SiteLink    SiteItemKind = "site-external-link"
)

// HasPath reports whether items of the kind have a path, and one of them is the
// default.
func (k SiteItemKind) HasPath() bool { return k == SiteSection || k == SiteSpace }

// NewSiteItemID adds to a fresh id what shows its kind.
func NewSiteItemID(kind SiteItemKind, id string) SiteItemID {
	switch kind {
	case SiteSection:
		return SiteItemID("sitesc_" + id)
	case SiteGroup:
		return SiteItemID("sitesg_" + id)
	case SiteLink:
		return SiteItemID("sitesl_" + id)
	}
	return SiteItemID("sitesp_" + id)
}

// SiteItem is a section, a group, a site space or a link of a site. Groups and
// links have neither path nor default, and a group has no condition.
type SiteItem struct {
	ID          SiteItemID
	Kind        SiteItemKind
	Parent      SiteItemID // empty: the site itself
	Rank        Rank
	Title       string // of a site space: that of its space, which is stored there
	Path        string
	Icon        string
	Description string
	Condition   string
	Default     bool
	Space       SpaceID
	URL         string // where a link leads
	Draft       bool   // whether readers do not see a link yet
	// Trashed reports whether the space is in the trash, where readers do not
	// find it. It is stored with the space.
	Trashed bool
	// Withheld reports whether readers do not find the space because it is a translation
	// of one that was closed to them.
	Withheld bool
	// Address is the path from the site to a site space, as readers see it.
	Address string
}

// Publication is a place that readers find: a site, or a path on it. That of a
// space is on the site with the widest audience of all published sites that have
// it. It is stored with the space, so that lists of spaces show it.
type Publication struct {
	Site       SiteID     `json:"site"`
	Basename   string     `json:"basename,omitempty"`
	Hostname   string     `json:"hostname,omitempty"`
	Proxy      string     `json:"proxy,omitempty"`
	Visibility Visibility `json:"visibility"`
	Path       string     `json:"path,omitempty"`
}

var (
	basenameRE = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,98}[a-z0-9])?$`)
	proxyRE    = regexp.MustCompile(`^([\w-]+\.)*[\w-]+\.[a-zA-Z]{2,}(/[\w-]+)+$`)
)

// IsBasename reports whether a text has the form of the name of a site in
// addresses.
func IsBasename(s string) bool { return basenameRE.MatchString(s) }

// ValidBasename reports whether a site can be given a name: one that is not
// reserved, and does not encode other letters, as xn--… does in hosts.
func ValidBasename(s string) bool {
	return IsBasename(s) && !reservedHostnames[s] && (len(s) < 4 || s[2:4] != "--")
}

// ValidProxy reports whether a text is a host and a path, such as
// company.com/docs.
func ValidProxy(s string) bool { return proxyRE.MatchString(s) }

// reservedSitePaths are served by a site itself, next to its sections.
var reservedSitePaths = []string{"llms.txt", "llms-full.txt", "sitemap.xml", "sitemap-pages.xml", "robots.txt"}

// CheckSitePath returns an error for the field unless s can be one part of an
// address of a site. What begins with a tilde or a dot is the site's own.
func CheckSitePath(field, s string) error {
	if !CheckSlug(s) || strings.HasPrefix(s, "~") || strings.HasPrefix(s, ".") || slices.Contains(reservedSitePaths, SlugKey(s)) {
		return errs.Field(field, "must be one part of an address, such as guides: 1 to %d characters without slashes and spaces, and no name that every site uses itself", MaxSlug)
	}
	return nil
}

// SitePathOf returns the path that a section or a site space gets from its title.
// There is room for a number behind it.
func SitePathOf(title string) string {
	s := SlugOf(title)
	return strings.ToValidUTF8(s[:min(len(s), MaxSlug-len("-1000"))], "")
}

// CheckCondition returns an error for the field unless s is an expression that
// can be parsed.
func CheckCondition(field, s string) error {
	if utf8.RuneCountInString(s) > maxExpression {
		return errs.Field(field, "is longer than %d characters", maxExpression)
	}
	if _, err := expr.Parse(s); err != nil {
		return errs.Field(field, "cannot be read: %s", err)
	}
	return nil
}
