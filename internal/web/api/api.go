// Package api is the HTTP interface under /v1: the kernel, which has what all operations
// have in common, and the families of operations, each with its services.
package api

import (
	"context"
	"io"

	"github.com/octavo-docs/octavo/internal/assets"
	"github.com/octavo-docs/octavo/internal/budget"
	"github.com/octavo-docs/octavo/internal/cache"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/comments"
	"github.com/octavo-docs/octavo/internal/content/gitsync"
	"github.com/octavo-docs/octavo/internal/content/reviews"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/identity/inbox"
	"github.com/octavo-docs/octavo/internal/identity/oidc"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/identity/signin"
	"github.com/octavo-docs/octavo/internal/identity/sso"
	"github.com/octavo-docs/octavo/internal/markup/embeds"
	"github.com/octavo-docs/octavo/internal/openapi/apispec"
	"github.com/octavo-docs/octavo/internal/site/insights"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/spaces"
	"github.com/octavo-docs/octavo/internal/support/conversations"
	"github.com/octavo-docs/octavo/internal/translation/translations"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
	"github.com/octavo-docs/octavo/internal/webhooks"
)

// Prefix is the prefix of every path.
const Prefix = kernel.Prefix

// Config holds the services and settings of the API.
type Config struct {
	Kernel  kernel.Config
	Orgs    *orgs.Service
	Spaces  *spaces.Service
	Content *content.Service
	Reviews *reviews.Service

	Comments      *comments.Service
	Webhooks      *webhooks.Service
	Git           *gitsync.Service
	Sites         *sites.Service
	Insights      *insights.Service
	Assets        *assets.Service
	APISpecs      *apispec.Service
	Conversations *conversations.Service
	Translations  *translations.Service
	SignIn        *signin.Service
	SSO           *sso.Service
	OIDC          *oidc.Service
	Inbox         *inbox.Service
	Embeds        *embeds.Service // if nil, pages of other web sites are not fetched
	// ExportSite writes a site as an archive of static files, with the spaces that a
	// member can see. address is where the files will be published.
	ExportSite func(ctx context.Context, site docs.Site, by docs.UserID, address string, w io.Writer) error
}

// API is the handler of all operations under /v1.
type API struct {
	*kernel.Kernel
	*wire.Views
	Config

	pageCache      *cache.Cache[pageKey, *cachedPage]
	publishedCache *cache.Cache[publishedKey, []byte]
	exports        *budget.Pool // concurrent exports of sites
}

// maxPageCache is the maximum size of the cache of encoded pages, in bytes.
const maxPageCache = 24 << 20

// New returns the API with all its operations. It panics if a declaration is wrong, so
// that an incomplete or unprotected server does not start.
func New(c Config, secret string) *API {
	c.Kernel.Examples = Examples
	k := kernel.New(c.Kernel, secret)
	a := &API{Kernel: k, Views: wire.NewViews(k, c.Content, c.Reviews, c.Sites), Config: c, exports: budget.NewPool("exports of sites", maxExports)}
	a.pageCache = cache.New[pageKey](maxPageCache, (*cachedPage).size)
	a.publishedCache = cache.New[publishedKey](maxPublishedCache, func(b []byte) int { return len(b) })
	a.users()
	a.organizations()
	a.deletedOrganizations()
	a.usage()
	a.members()
	a.serviceAccounts()
	a.orgTokens()
	a.sessions()
	a.inbox()
	a.audits()
	a.invites()
	a.teams()
	a.collections()
	a.spaces()
	a.sites()
	a.publishedSite()
	a.siteSearch()
	a.urls()
	a.urlContent()
	a.embeds()
	a.siteSections()
	a.siteGroups()
	a.siteExternalLinks()
	a.siteSpaces()
	a.siteCustomization()
	a.siteAdaptive()
	a.siteAudience()
	a.siteHostname()
	a.siteRedirects()
	a.siteServers()
	a.siteExplain()
	a.siteExport()
	a.siteInsights()
	a.siteReaderQuestions()
	a.uploads()
	a.fonts()
	a.openAPISpecs()
	a.conversations()
	a.translations()
	a.glossary()
	a.permissions()
	a.content()
	a.metaLinks()
	a.revisions()
	a.changeRequests()
	a.changeRequestContent()
	a.changeRequestLinks()
	a.reviews()
	a.search()
	a.comments()
	a.webhooks()
	a.saml()
	a.oidcProviders()
	a.git()
	a.pdf()
	return a
}
