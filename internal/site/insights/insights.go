// Package insights counts events on sites by day: how often pages are read, searched and
// rated. It stores nothing about the readers. Where the owner of a site wants it, it also counts
// what several readers asked.
//
// Events are counted in memory and flushed to the store periodically. So a reader never
// waits for a write, and many events cost one write. Counts since the last flush are lost
// when the program is killed. Only events at places that exist on the site are counted,
// so that invented places cannot make the table grow.
package insights

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/site/audience"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/store"
)

const (
	// Kept is how long counts are stored.
	Kept = 90 * day
	// MaxEvents is the maximum number of events in a request.
	MaxEvents = 100
	// maxSkew is the maximum difference between the time of an event and now.
	maxSkew = 5 * time.Minute
	// maxWaiting limits the number of counts in memory. Beyond it, events that would
	// need a new count are dropped until the next flush.
	maxWaiting = 50_000

	day = 24 * time.Hour
)

// Service counts events and answers queries about them.
type Service struct {
	Store    *store.Store
	Audience *audience.Service
	Source   *revision.Source

	mu      sync.Mutex
	waiting map[store.EventKey]int64
	rated   map[rating]docs.Time
	asked   questions
}

// Event is something that happened on a site.
type Event struct {
	Type      string
	Detail    string          // one of the details of its type, or empty
	SiteSpace docs.SiteItemID // empty: the first site space of Space
	Space     docs.SpaceID
	Page      docs.PageID
	At        docs.Time // zero: now
}

// Track counts events on the site of a grant. It ignores events at places that the caller
// does not see; the page may have been deleted since the caller loaded it.
func (s *Service) Track(ctx context.Context, g *authz.Grant, events []Event) error {
	now := docs.TimeOf(s.Store.Clock())
	for i, e := range events {
		if err := e.check(fmt.Sprintf("events[%d]", i), now); err != nil {
			return err
		}
	}
	if shown := g.VisitorAccess(); shown != nil && shown.Preview {
		return nil // a visitor of a preview does not count as a reader
	}
	view, err := s.Audience.View(ctx, g)
	if err != nil {
		return err
	}
	places := view.Structure.All(docs.SiteSpace)
	for _, e := range events {
		at, ok, err := s.locate(ctx, g, view, places, e)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if e.At == 0 {
			e.At = now
		}
		at.Day, at.Event, at.Detail = dayOf(e.At), e.Type, e.Detail
		if isRating(e.Type) && g.Visitor() != nil { // anybody can be one, and send as many as they like
			s.rate(at, g.Actor.Address)
		} else {
			s.count(at)
		}
	}
	return nil
}

func (e Event) check(path string, now docs.Time) error {
	if e.At != 0 && (e.At < now.Add(-maxSkew) || e.At > now.Add(maxSkew)) {
		return errs.Field(path+".timestamp", "must be within %d minutes of now", int(maxSkew.Minutes()))
	}
	return checkDetail(path, e.Type, e.Detail)
}

// locate returns the key of the place of an event among the site spaces of a site. ok is
// false if the caller does not see the place.
func (s *Service) locate(ctx context.Context, g *authz.Grant, view *sites.View, places []docs.SiteItem, e Event) (at store.EventKey, ok bool, err error) {
	at.Site = view.Site.ID
	if e.SiteSpace == "" && e.Space == "" {
		return at, e.Page == "", nil
	}
	for _, it := range places {
		if e.SiteSpace == it.ID && (e.Space == "" || e.Space == it.Space) || e.SiteSpace == "" && e.Space == it.Space {
			at.SiteSpace, at.Space = it.ID, it.Space
			break
		}
	}
	space, ok := view.Spaces[at.Space]
	if !ok || e.Page == "" {
		return at, ok, nil
	}
	head, err := s.Source.Head(ctx, space.It)
	if err != nil {
		return at, false, err
	}
	if by := g.Visitor(); by != nil {
		head = head.For(by)
	}
	at.Page = e.Page
	_, ok, err = head.Lookup(ctx, e.Page)
	return at, ok, err
}

// PageView counts a view of a page of a site space.
func (s *Service) PageView(site docs.SiteID, it docs.SiteItem, page docs.PageID) {
	s.count(store.EventKey{
		Site: site, Day: dayOf(docs.TimeOf(s.Store.Clock())), Event: PageView, SiteSpace: it.ID, Space: it.Space, Page: page,
	})
}

// IsRating reports whether a text is a rating of a page.
func IsRating(rating string) bool { return checkDetail("", pageFeedback, rating) == nil }

// Feedback counts a rating of a page, for which IsRating is true, by a reader with a network address.
func (s *Service) Feedback(site docs.SiteID, it docs.SiteItem, page docs.PageID, rating, address string) {
	s.rate(store.EventKey{
		Site: site, Day: dayOf(docs.TimeOf(s.Store.Clock())), Event: pageFeedback, SiteSpace: it.ID, Space: it.Space, Page: page, Detail: rating,
	}, address)
}

func (s *Service) count(key store.EventKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.waiting[key]; !known && len(s.waiting) >= maxWaiting {
		return
	}
	if s.waiting == nil {
		s.waiting = map[store.EventKey]int64{}
	}
	s.waiting[key]++
}

// Flush adds the counts in memory to the store.
func (s *Service) Flush(ctx context.Context) error {
	s.mu.Lock()
	waiting := s.waiting
	s.waiting = nil
	s.mu.Unlock()
	asked := s.takeQuestions()
	if len(waiting)+len(asked) == 0 {
		return nil
	}
	counts := make([]store.EventCount, 0, len(waiting))
	for key, n := range waiting {
		counts = append(counts, store.EventCount{EventKey: key, Events: n})
	}
	// Sort, so that two nodes that add to the same counts do not deadlock.
	sortCounts(counts)
	return s.Store.Do(ctx, func(tx *store.Tx) error {
		if err := tx.AddQuestions(ctx, asked); err != nil {
			return err
		}
		return tx.AddEvents(ctx, counts)
	})
}

// Tidy is a job handler that deletes counts and questions older than Kept.
func (s *Service) Tidy(ctx context.Context, _ []byte) error {
	for ctx.Err() == nil {
		n, err := store.InTx(ctx, s.Store, func(tx *store.Tx) (int64, error) {
			before := dayOf(tx.Now().Add(-Kept))
			questions, err := tx.TrimQuestions(ctx, before)
			if err != nil {
				return 0, err
			}
			events, err := tx.TrimEvents(ctx, before)
			return questions + events, err
		})
		if err != nil || n == 0 {
			return err
		}
	}
	return ctx.Err()
}

// dayOf returns the number of days from 1970-01-01 to the day of t.
func dayOf(t docs.Time) int64 { return int64(t) / day.Milliseconds() }

// DayStart returns the start of a day by its number.
func DayStart(n int64) docs.Time { return docs.Time(n * day.Milliseconds()) }
