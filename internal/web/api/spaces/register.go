// Package spaces has the operations of spaces and collections: who may see and change them, and
// the repositories that they are kept in.
package spaces

import (
	"github.com/octavo-docs/octavo/internal/content/gitsync"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/spaces"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

// Services are what the operations need.
type Services struct {
	Spaces     *spaces.Service
	ShareLinks *sites.ShareLinks
	Git        *gitsync.Service
}

type handlers struct {
	*wire.Views
	Services
}

// Register registers the operations.
func Register(v *wire.Views, s Services) {
	h := &handlers{v, s}
	h.collections()
	h.spaces()
	h.permissions()
	h.git()
}
