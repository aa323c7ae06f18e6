package docs

import (
	"cmp"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/expr"
)

// MaxSiteItems is the maximum number of sections, groups and site spaces of a site. A
// site is read and checked as a whole, so its size must be limited.
const MaxSiteItems = 1000

// MaxSiteTitle is the maximum length of the title of a site in characters.
const MaxSiteTitle = 128

// MaxSiteGroupDepth is the maximum depth of nested groups of a site.
const MaxSiteGroupDepth = 8

// SiteID identifies a site, and SiteItemID a section, a group, a site space or a link.
type (
	SiteID     string
	SiteItemID string
)

// SiteQuestionID identifies a question that readers of a site asked.
type SiteQuestionID string

// SiteIDPrefix is the prefix of the ID of a site. A basename cannot contain it, so that
// addresses can use either of them.
const SiteIDPrefix = "site_"

// Site is a documentation site: an ordered list of spaces with an address and an
// audience. Its items determine the spaces.
type Site struct {
	ID            SiteID
	Org           OrgID
	Title         string
	Type          string
	Visibility    Visibility
	Published     bool
	Basename      string // unique on the instance; if empty, the ID is used
	Hostname      string // host name of the owner; may be empty
	Proxy         string // host and path on the owner's domain that are forwarded here; may be empty
	ProxyState    ProxyState
	Adaptive      bool // content adapts to visitors
	AgentsContext string
	// KeepsQuestions reports whether questions that several readers asked are stored.
	KeepsQuestions bool
	Icon           SiteIcon
	Ads            SiteAds
	Level          Level
	SiteSpaces     int   `audit:"-"` // number of site spaces
	Version        int64 `audit:"-"` // increases with every change of the site or its items
	CreatedBy      UserID
	CreatedAt      Time
	UpdatedAt      Time `audit:"-"`
}

// Node returns the site as a node of the access rule.
func (s Site) Node() Node {
	return Node{Kind: NodeSite, ID: string(s.ID), Level: s.Level, CreatedBy: s.CreatedBy}
}

// Publication returns the address and the audience of the site.
func (s Site) Publication() Publication {
	return Publication{Site: s.ID, Basename: s.Basename, Hostname: s.Hostname, Proxy: s.Proxy, Visibility: s.Visibility}
}

// Visibility is the audience of a published site.
type Visibility string

// Audiences, from the widest to the narrowest.
const (
	VisibilityPublic   Visibility = "public"     // anyone, and search engines
	VisibilityUnlisted Visibility = "unlisted"   // anyone
	VisibilityLink     Visibility = "share-link" // anyone with a secret in the address
	VisibilityAuth     Visibility = "visitor-auth"
)

// Visibilities are all audiences, widest first.
var Visibilities = []Visibility{VisibilityPublic, VisibilityUnlisted, VisibilityLink, VisibilityAuth}

// Wider reports whether v has a wider audience than w.
func (v Visibility) Wider(w Visibility) bool {
	return slices.Index(Visibilities, v) < slices.Index(Visibilities, w)
}

// Values of a site that clients expect. On other services, the types are plans; here
// every type has all features.
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

// Kinds of items. A section contains site spaces, which are variants of the same content.
// A group contains sections, groups and links, and does not appear in addresses. A link
// leads to another site.
const (
	SiteSection SiteItemKind = "site-section"
	SiteGroup   SiteItemKind = "site-section-group"
	SiteSpace   SiteItemKind = "site-space"
	SiteLink    SiteItemKind = "site-external-link"
)

// HasPath reports whether items of the kind have a path. One item of such a kind is the
// default.
func (k SiteItemKind) HasPath() bool { return k == SiteSection || k == SiteSpace }

// NewSiteItemID adds the prefix of the kind to a new ID.
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

// SiteItem is a section, a group, a site space or a link of a site. Groups and links have
// neither a path nor a default, and a group has no condition.
type SiteItem struct {
	ID          SiteItemID
	Kind        SiteItemKind
	Parent      SiteItemID // empty for the site itself
	Rank        Rank
	Title       string // for a site space, the title of its space, which is stored there
	Path        string
	Icon        string
	Description string
	Condition   string
	Default     bool
	Space       SpaceID
	URL         string // target of a link
	Draft       bool   // only previews show it
	// Drafted reports whether the item or one of its ancestors is a draft.
	Drafted bool
	// Hidden reports whether navigation leaves out a site space. Readers find it by its
	// address.
	Hidden               bool
	LocalizedTitle       Localized
	LocalizedDescription Localized
	// Trashed reports whether the space is in the trash and therefore not visible to
	// readers. It is stored with the space.
	Trashed bool
	// Withheld reports whether the space is hidden from readers because it is a
	// translation of a space that is closed to them.
	Withheld bool
	// Address is the path of a site space on the site, as shown to readers.
	Address string
}

// Localized is a text in several languages: a JSON object, or empty. It can be compared.
type Localized string

// NewLocalized returns the texts by language.
func NewLocalized(texts map[string]string) Localized {
	if len(texts) == 0 {
		return ""
	}
	b, _ := json.Marshal(texts) // strings are always valid
	return Localized(b)
}

// Texts returns the texts by language; nil if there are none.
func (l Localized) Texts() (texts map[string]string) {
	if l != "" {
		_ = json.Unmarshal([]byte(l), &texts) // the server wrote it
	}
	return texts
}

// In returns the text in a language, or else in the language that it is a form of, such as pt
// for pt-br, or else the given text.
func (l Localized) In(language, text string) string {
	if l == "" {
		return text
	}
	texts, language := l.Texts(), strings.ToLower(language)
	base, _, _ := strings.Cut(language, "-")
	return cmp.Or(texts[language], texts[base], text)
}

// TitleIn returns the title of the item for readers of a language.
func (it SiteItem) TitleIn(language string) string {
	return it.LocalizedTitle.In(language, it.Title)
}

// CheckLocalized returns an error for the field unless all languages exist, and no text has
// more characters than the limit.
func CheckLocalized(field string, texts map[string]string, limit int) error {
	var wrong errs.Mistakes
	for _, language := range slices.Sorted(maps.Keys(texts)) {
		if !slices.Contains(Languages, language) {
			wrong.Field(field, "has %.20q, which is not a language code", language)
		}
		if utf8.RuneCountInString(texts[language]) > limit {
			wrong.Field(field+"."+language, "must not be longer than %d characters", limit)
		}
	}
	return wrong.Err()
}

// Publication is a public location: a site, or a path on a site. The publication of a
// space is on the published site with the widest audience that contains the space. It is
// stored with the space, so that lists of spaces can show it.
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

// IsBasename reports whether a text has the form of a basename, the name of a site in
// addresses.
func IsBasename(s string) bool { return basenameRE.MatchString(s) }

// ValidBasename reports whether a site can get a basename. It must not be reserved, and
// must not be an encoded name like xn--… in hosts.
func ValidBasename(s string) bool {
	return IsBasename(s) && !reservedHostnames[s] && (len(s) < 4 || s[2:4] != "--")
}

// ValidProxy reports whether a text is a host and a path, such as company.com/docs.
func ValidProxy(s string) bool { return proxyRE.MatchString(s) }

// reservedSitePaths are paths that a site serves itself, next to its sections.
var reservedSitePaths = []string{"llms.txt", "llms-full.txt", "sitemap.xml", "sitemap-pages.xml", "robots.txt"}

// CheckSitePath returns an error for the field unless s can be a path element of a site.
// Elements that begin with a tilde or a dot are reserved for the site.
func CheckSitePath(field, s string) error {
	if !CheckSlug(s) || strings.HasPrefix(s, "~") || strings.HasPrefix(s, ".") || slices.Contains(reservedSitePaths, SlugKey(s)) {
		return errs.Field(field, "must be one part of an address, such as guides: 1 to %d characters without slashes and spaces, and no name that every site uses itself", MaxSlug)
	}
	return nil
}

// SitePathOf derives the path of a section or a site space from its title. It leaves room
// for a number at the end.
func SitePathOf(title string) string {
	s := SlugOf(title)
	return strings.ToValidUTF8(s[:min(len(s), MaxSlug-len("-1000"))], "")
}

// CheckCondition returns an error for the field unless s is a valid expression.
func CheckCondition(field, s string) error {
	if utf8.RuneCountInString(s) > maxExpression {
		return errs.Field(field, "is longer than %d characters", maxExpression)
	}
	if _, err := expr.Parse(s); err != nil {
		return errs.Field(field, "cannot be read: %s", err)
	}
	return nil
}
