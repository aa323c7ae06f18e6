// Package sites has the operations of sites: their structure, settings and audience, and
// what their readers get.
package sites

import (
	"context"
	"io"

	"github.com/octavo-docs/octavo/internal/budget"
	"github.com/octavo-docs/octavo/internal/cache"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/site/audience"
	"github.com/octavo-docs/octavo/internal/site/insights"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/spaces"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

// Services are what the operations need.
type Services struct {
	Audience *audience.Service
	Sites    *sites.Service
	Content  *content.Service
	Spaces   *spaces.Service
	Insights *insights.Service
	// ExportSite writes a site as an archive of static files, with the spaces that a
	// member can see. address is where the files will be published.
	ExportSite func(ctx context.Context, site docs.Site, by docs.UserID, address string, w io.Writer) error
}

type handlers struct {
	*wire.Views
	Services
}

// readers has the operations of what readers of a site get, and of what they did there.
type readers struct {
	*handlers
	publishedCache *cache.Cache[publishedKey, []byte]
	exports        *budget.Pool // concurrent exports of sites
}

// Register registers the operations.
func Register(v *wire.Views, s Services) {
	h := &handlers{v, s}
	r := &readers{handlers: h, exports: budget.NewPool("exports of sites", maxExports)}
	r.publishedCache = cache.New[publishedKey](maxPublishedCache, func(b []byte) int { return len(b) })
	h.sites()
	r.publishedStructure()
	r.search()
	r.urls()
	h.sections()
	h.groups()
	h.externalLinks()
	h.spaces()
	h.customization()
	h.adaptive()
	h.audience()
	h.hostnames()
	r.redirects()
	h.mcpServers()
	r.explain()
	r.export()
	r.insights()
	r.readerQuestions()
}
