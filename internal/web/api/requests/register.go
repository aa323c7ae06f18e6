// Package requests has the operations of change requests: their reviews, conflicts and merges,
// and comments, on them and on spaces.
package requests

import (
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/comments"
	"github.com/octavo-docs/octavo/internal/content/reviews"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

// Services are what the operations need.
type Services struct {
	Content  *content.Service
	Reviews  *reviews.Service
	Comments *comments.Service
}

type handlers struct {
	*wire.Views
	Services
}

// Register registers the operations.
func Register(v *wire.Views, s Services) {
	h := &handlers{v, s}
	h.requests()
	h.reviews()
	h.comments()
}
