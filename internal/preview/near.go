package preview

import (
	"github.com/octavo-docs/octavo/internal/folder"
	"github.com/octavo-docs/octavo/internal/names"
)

const maxNear = 5 // pages that are proposed

// near returns the pages that an address may have meant, the likeliest first.
func (s *site) near(at string) []*folder.Page {
	return names.Near(at, maxNear, func(yield func(string, *folder.Page) bool) {
		for _, p := range s.menu.Order() {
			if !yield(s.index.Address(p), p) {
				return
			}
		}
	})
}
