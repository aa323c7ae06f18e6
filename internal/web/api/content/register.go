// Package content has the operations of content: pages, files and reusable contents, their links,
// revisions and differences, and searches. Content can be read from the newest revision of a
// space, from any other revision of it, and from a change request. The code is the same for all
// of them; only the opener of the revision differs.
package content

import (
	"github.com/octavo-docs/octavo/internal/cache"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/reviews"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/markup/embeds"
	"github.com/octavo-docs/octavo/internal/site/audience"
	"github.com/octavo-docs/octavo/internal/spaces"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

// Services are what the operations need.
type Services struct {
	Content       *content.Service
	Reviews       *reviews.Service
	Organizations *orgs.Organizations
	Spaces        *spaces.Service
	Audience      *audience.Service
	Embeds        *embeds.Service // if nil, pages of other web sites are not fetched
}

type handlers struct {
	*wire.Views
	Services
	pageCache *cache.Cache[pageKey, *cachedPage]
}

// maxPageCache is the maximum size of the cache of encoded pages, in bytes.
const maxPageCache = 24 << 20

// Register registers the operations.
func Register(v *wire.Views, s Services) {
	h := &handlers{Views: v, Services: s, pageCache: cache.New[pageKey](maxPageCache, (*cachedPage).size)}
	h.content()
	h.files()
	h.links()
	h.metaLinks()
	h.templates()
	h.embeds()
	h.pdf()
	h.revisions()
	h.requests()
	h.requestHistory()
	h.requestLinks()
	h.search()
	h.urls()
}
