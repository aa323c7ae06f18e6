// Package api is the HTTP interface under /v1: the kernel, which has what all operations
// have in common, and the families of operations, each with its services.
package api

import (
	"context"
	"io"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup/embeds"
	assetsapi "github.com/octavo-docs/octavo/internal/web/api/assets"
	contentapi "github.com/octavo-docs/octavo/internal/web/api/content"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/openapi"
	orgsapi "github.com/octavo-docs/octavo/internal/web/api/orgs"
	"github.com/octavo-docs/octavo/internal/web/api/people"
	"github.com/octavo-docs/octavo/internal/web/api/requests"
	sitesapi "github.com/octavo-docs/octavo/internal/web/api/sites"
	spacesapi "github.com/octavo-docs/octavo/internal/web/api/spaces"
	"github.com/octavo-docs/octavo/internal/web/api/support"
	"github.com/octavo-docs/octavo/internal/web/api/translation"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
	"github.com/octavo-docs/octavo/internal/web/services"
)

// Prefix is the prefix of every path.
const Prefix = kernel.Prefix

// Config holds the services and settings of the API.
type Config struct {
	*services.Services
	Kernel kernel.Config
	Embeds *embeds.Service // if nil, pages of other web sites are not fetched
	// ExportSite writes a site as an archive of static files, with the spaces that a
	// member can see. address is where the files will be published.
	ExportSite func(ctx context.Context, site docs.Site, by docs.UserID, address string, w io.Writer) error
}

// API is the handler of all operations under /v1.
type API struct{ *wire.Views }

// New returns the API with all its operations. It panics if a declaration is wrong, so
// that an incomplete or unprotected server does not start.
func New(c Config, secret string) *API {
	c.Kernel.Examples = Examples
	c.Kernel.Tags = tags
	v := wire.NewViews(kernel.New(c.Kernel, secret), c.Content, c.Reviews, c.Sites)
	people.Register(v, people.Services{Accounts: c.Orgs.Accounts, Tokens: c.Orgs.Tokens, SignIn: c.SignIn, Inbox: c.Inbox})
	orgsapi.Register(v, orgsapi.Services{Orgs: c.Orgs, Spaces: c.Spaces, SSO: c.SSO, OIDC: c.OIDC, Webhooks: c.Webhooks})
	openapi.Register(v, openapi.Services{APISpecs: c.APISpecs, Content: c.Content, Audience: c.Audience})
	sitesapi.Register(v, sitesapi.Services{Audience: c.Audience, Sites: c.Sites, Content: c.Content, Spaces: c.Spaces, Insights: c.Insights, ExportSite: c.ExportSite})
	support.Register(v, support.Services{Conversations: c.Conversations})
	contentapi.Register(v, contentapi.Services{
		Content: c.Content, Reviews: c.Reviews, Organizations: c.Orgs.Organizations, Spaces: c.Spaces, Audience: c.Audience, Embeds: c.Embeds,
	})
	requests.Register(v, requests.Services{Content: c.Content, Reviews: c.Reviews, Comments: c.Comments})
	spacesapi.Register(v, spacesapi.Services{Spaces: c.Spaces, ShareLinks: c.Sites.ShareLinks, Git: c.Git})
	assetsapi.Register(v, assetsapi.Services{Assets: c.Assets})
	translation.Register(v, translation.Services{Translations: c.Translations})
	return &API{v}
}

// tags are the groups of operations, in the order of the description.
var tags = []string{
	"System", "Users", "Organizations", "Members", "Service accounts", "Sessions", "Inbox", "Audit log",
	"Invites", "Teams", "Collections", "Spaces", "Sites", "Published content", "Content",
	"Site customization", "Adaptive content", "Site audience", "Site redirects", "Site MCP servers",
	"Site insights", "Uploads", "Custom fonts", "OpenAPI specifications", "Conversations", "Translations",
	"Permissions", "Revisions", "Change requests", "Reviews", "Search", "Comments", "Webhooks",
	"Single sign-on", "SSO", "Git",
}
