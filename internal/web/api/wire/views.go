// Package wire has what several families of operations show, and the parts that their
// inputs share: the JSON forms of users, organizations, spaces, collections, files, change
// requests and results of searches.
package wire

import (
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/reviews"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
)

// Views makes the JSON forms. Its addresses come from the kernel.
type Views struct {
	*kernel.Kernel
	content *content.Service
	reviews *reviews.Service
	sites   *sites.Service
}

// NewViews returns the views of what the services have.
func NewViews(k *kernel.Kernel, c *content.Service, r *reviews.Service, s *sites.Service) *Views {
	return &Views{Kernel: k, content: c, reviews: r, sites: s}
}
