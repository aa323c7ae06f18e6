package preview

import (
	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/names"
)

const maxNear = 5 // maximum number of pages that are suggested

// near returns the pages whose addresses are similar to an address, most similar first.
func (s *site) near(at string) []*folder.Page {
	return names.Near(at, maxNear, func(yield func(string, *folder.Page) bool) {
		for _, p := range s.menu.Order() {
			if !yield(s.index.Address(p), p) {
				return
			}
		}
	})
}
