// Package openapi has the operations of OpenAPI specifications.
package openapi

import (
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/openapi/apispec"
	"github.com/octavo-docs/octavo/internal/site/audience"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

// Services are what the operations need.
type Services struct {
	APISpecs *apispec.Service
	Content  *content.Service
	Audience *audience.Service
}

type handlers struct {
	*wire.Views
	Services
}

// Register registers the operations.
func Register(v *wire.Views, s Services) {
	h := &handlers{v, s}
	h.specs()
}
