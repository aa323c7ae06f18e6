package insights

import (
	"time"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
)

const (
	maxRatings = 50_000
	ratingTime = docs.Time(time.Hour / time.Millisecond)
)

// rating is a place that somebody in a neighbourhood has rated. It counts once within ratingTime, so that
// one reader does not decide alone what readers think. It is kept in memory only, and by each node
// for itself.
type rating struct {
	at   store.EventKey // without its day and its detail
	from string
}

// isRating reports whether events of a type are opinions of readers.
func isRating(event string) bool {
	return event == pageFeedback || event == pageComment || event == askRating
}

// rate counts a rating of a reader with a network address.
func (s *Service) rate(at store.EventKey, address string) {
	if s.mayRate(at, address) {
		s.count(at)
	}
}

func (s *Service) mayRate(at store.EventKey, address string) bool {
	key := rating{at, authz.NeighbourhoodOf(address)}
	key.at.Day, key.at.Detail = 0, ""
	now := docs.TimeOf(s.Store.Clock())
	s.mu.Lock()
	defer s.mu.Unlock()
	if last, known := s.rated[key]; known && now-last < ratingTime {
		return false
	}
	if len(s.rated) >= maxRatings {
		for other := range s.rated { // any one
			delete(s.rated, other)
			break
		}
	}
	if s.rated == nil {
		s.rated = map[rating]docs.Time{}
	}
	s.rated[key] = now
	return true
}
