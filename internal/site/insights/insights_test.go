package insights

import (
	"fmt"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

func open(t *testing.T, o store.Options) (*Service, docs.SiteID) {
	t.Helper()
	s := testdb.Open(t, o)
	b, err := orgs.New(s, orgs.Config{}).Operator.Bootstrap(t.Context(), "ada@acme.test", "Acme", "test")
	if err != nil {
		t.Fatal(err)
	}
	site := docs.Site{ID: "site_1", Org: b.Organization, Title: "Docs", CreatedBy: b.User, Level: docs.LevelInherit}
	if err := s.Do(t.Context(), func(tx *store.Tx) error { return tx.AddSite(t.Context(), site) }); err != nil {
		t.Fatal(err)
	}
	return &Service{Store: s}, site.ID
}

func (s *Service) total(t *testing.T, site docs.SiteID) (rows int, events int64) {
	t.Helper()
	all, err := s.Store.CountEvents(t.Context(), site, 0, 1<<40, store.EventGroups{Day: true, Event: true, Page: true, Detail: true}, maxGroups)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		events += c.Events
	}
	return len(all), events
}

// A flood of events costs one row, and old days are dropped.
func TestCounts(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		o.Clock = func() time.Time { return now }
		s, site := open(t, o)
		it := docs.SiteItem{ID: "place", Space: "space"}
		for range 3 {
			for range 1000 {
				s.PageView(site, it, "page")
			}
			s.PageView("site_gone", it, "page")
			if err := s.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if rows, events := s.total(t, site); rows != 1 || events != 3000 {
			t.Errorf("%d rows with %d events", rows, events)
		}
		if rows, _ := s.total(t, "site_gone"); rows != 0 {
			t.Error("a site that is gone has events")
		}
		now = now.Add(Kept)
		s.PageView(site, it, "page")
		if err := s.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		for days, want := range []int{2, 1} {
			now = now.Add(time.Duration(days) * day)
			if err := s.Tidy(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			if rows, _ := s.total(t, site); rows != want {
				t.Errorf("after %d more days there are %d rows, want %d", days, rows, want)
			}
		}
	})
}

func TestMemoryIsBounded(t *testing.T) {
	s := &Service{}
	for i := range maxWaiting + 10 {
		s.count(store.EventKey{Page: docs.PageID(fmt.Sprint(i))})
	}
	s.count(store.EventKey{Page: "0"})
	if len(s.waiting) != maxWaiting || s.waiting[store.EventKey{Page: "0"}] != 2 {
		t.Errorf("%d counts wait", len(s.waiting))
	}
}

// A reader decides alone neither by a form nor by many events what readers think: a place is
// rated once in an hour by a neighbourhood.
func TestRatingsCountOnce(t *testing.T) {
	o := testdb.SQLite(t)
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	o.Clock = func() time.Time { return now }
	s, site := open(t, o)
	it := docs.SiteItem{ID: "place", Space: "space"}
	for _, c := range []struct {
		page    docs.PageID
		rating  string
		address string
		after   time.Duration
		want    int64
	}{
		{"a", "good", "192.0.2.1", 0, 1}, {"a", "bad", "192.0.2.1", 0, 1}, {"a", "bad", "192.0.2.77", 0, 1}, {"b", "bad", "192.0.2.1", 0, 2},
		{"a", "good", "198.51.100.1", 0, 3}, {"a", "ok", "192.0.2.1", time.Hour, 4}, {"a", "ok", "2001:db8:1:2::3", 0, 5}, {"a", "ok", "2001:db8:1:ffff::3", 0, 5},
	} {
		now = now.Add(c.after)
		s.Feedback(site, it, c.page, c.rating, c.address)
		if err := s.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, events := s.total(t, site); events != c.want {
			t.Errorf("%+v: %d ratings are counted", c, events)
		}
	}
	for i := range maxRatings + 10 {
		s.Feedback(site, it, docs.PageID(fmt.Sprint(i)), "good", "192.0.2.1")
	}
	if len(s.rated) > maxRatings {
		t.Errorf("%d ratings are remembered", len(s.rated))
	}
}

func TestIntervals(t *testing.T) {
	sunday := dayOf(docs.TimeOf(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)))
	for interval, want := range map[string]string{"week": "2026-02-23", "month": "2026-03-01"} {
		if got := DayStart(begin(sunday, interval)).Std().Format(time.DateOnly); got != want {
			t.Errorf("%s: %s, want %s", interval, got, want)
		}
	}
}
