// Package support has the operations of conversations, and of the issues that were found in them.
package support

import (
	"github.com/octavo-docs/octavo/internal/support/conversations"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

// Services are what the operations need.
type Services struct {
	Conversations *conversations.Service
}

type handlers struct {
	*wire.Views
	Services
}

// Register registers the operations.
func Register(v *wire.Views, s Services) {
	h := &handlers{v, s}
	h.conversations()
}
