package audience

import (
	"sync"
	"time"

	"github.com/octavo-docs/octavo/internal/docs"
)

// Anybody can make up unsigned claims, other ones with each request, and each would be another
// key of all caches of what visitors see. Therefore only some kinds of such visitors are
// cached for each site: maxKinds new ones in kindTime.
const (
	maxKinds = 500
	kindTime = 10 * time.Minute
	maxKnown = 10_000 // sites whose kinds are known
)

// kinds are the keys of visitors of one site with unsigned claims.
type kinds struct {
	mu    sync.Mutex
	since map[string]time.Time
}

// kindsOf returns the kinds of visitors of a site.
func (s *Service) kindsOf(site docs.SiteID) *kinds {
	k, ok := s.kinds.Get(site)
	if !ok {
		k = &kinds{since: map[string]time.Time{}}
		s.kinds.Set(site, k)
	}
	return k
}

// admit reports whether what is made for a kind of visitors may be kept.
func (k *kinds) admit(key string, now time.Time) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if at, ok := k.since[key]; ok && now.Sub(at) < kindTime {
		return true
	}
	if len(k.since) >= maxKinds {
		for other, at := range k.since {
			if now.Sub(at) >= kindTime {
				delete(k.since, other)
			}
		}
	}
	if len(k.since) >= maxKinds {
		return false
	}
	k.since[key] = now
	return true
}
