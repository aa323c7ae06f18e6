// Package translation has the operations of translations of spaces, and of glossaries.
package translation

import (
	"github.com/octavo-docs/octavo/internal/translation/translations"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

// Services are what the operations need.
type Services struct {
	Translations *translations.Service
}

type handlers struct {
	*wire.Views
	Services
}

// Register registers the operations.
func Register(v *wire.Views, s Services) {
	h := &handlers{v, s}
	h.translations()
	h.glossary()
}
