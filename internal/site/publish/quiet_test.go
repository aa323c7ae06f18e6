package publish_test

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/site/insights"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// A reader who leaves is no failure of the server.
func TestAReaderWhoLeaves(t *testing.T) {
	w := newWorld(t)
	w.acme()
	for _, at := range []string{root + "install", root + "sitemap.xml", root + "~octavo/search?q=install"} {
		a, body := w.get(at, func(r *http.Request) {
			ctx, cancel := context.WithCancel(r.Context())
			cancel()
			*r = *r.WithContext(ctx)
		})
		if a.StatusCode != http.StatusServiceUnavailable || a.Header.Get("Cache-Control") != "private, no-store" || strings.Contains(body, "canceled") {
			t.Errorf("%s: %s %v\n%s", at, a.Status, a.Header, body)
		}
	}
	if s := w.log.String(); strings.Contains(s, "level=ERROR") || strings.Contains(s, "level=WARN") {
		t.Errorf("the log has\n%s", s)
	}
}

// Everybody can send bad tokens, and they are no reason to fill the log.
func TestBadTokensAreLoggedOnceInAMinute(t *testing.T) {
	o, later := testdb.SQLite(t), time.Duration(0)
	o.Clock = func() time.Time { return time.Now().Add(later) }
	w := newWorldIn(t, o)
	w.acme()
	w.update(sites.SitePatch{Visibility: opt.Of(docs.VisibilityAuth)})
	lines := func() int { return strings.Count(w.log.String(), "the token of a visitor was refused") }
	send := func() {
		for range 20 {
			w.get(root + "install?jwt_token=a.b.c")
		}
	}
	if send(); lines() != 1 {
		t.Errorf("20 bad tokens: %d lines\n%s", lines(), w.log.String())
	}
	if later = 59 * time.Second; true {
		send()
	}
	if lines() != 1 {
		t.Errorf("within the minute: %d lines", lines())
	}
	if later = 61 * time.Second; true {
		send()
	}
	if lines() != 2 {
		t.Errorf("after the minute: %d lines", lines())
	}
}

// A rating counts once for a page and a network in an hour, so that one reader does not speak for all.
func TestRatingsCountOnceForANetwork(t *testing.T) {
	o, later := testdb.SQLite(t), time.Duration(0)
	day := time.Date(2026, 5, 4, 8, 0, 0, 0, time.UTC)
	o.Clock = func() time.Time { return day.Add(later) }
	w := newWorldIn(t, o)
	w.acme()
	rate := func(page, from string) {
		t.Helper()
		_, body := w.get(root + page)
		m := regexp.MustCompile(`<form class="feedback" method="post" action="([^"]+)">`).FindStringSubmatch(body)
		if m == nil {
			t.Fatalf("no form in %s", page)
		}
		a, _ := w.get("https://acme.docs.test"+m[1], post("rating=good", "Sec-Fetch-Site", "same-origin"), func(r *http.Request) { r.RemoteAddr = from })
		if a.StatusCode != http.StatusSeeOther { // who asks again is thanked as well
			t.Errorf("%s from %s: %s", page, from, a.Status)
		}
	}
	counted := func() int {
		t.Helper()
		now := docs.TimeOf(w.sites.Store.Clock())
		must(t, w.insights.Flush(t.Context()))
		got, err := w.insights.Aggregate(t.Context(), w.grant(), insights.Query{GroupBy: []insights.Column{{Name: "eventPageFeedbackRating"}}, From: now, To: now, Limit: 10})
		must(t, err)
		n := 0
		for i, rating := range got[0].Values {
			if rating == "good" {
				n = int(got[1].Values[i].(int64))
			}
		}
		return n
	}
	for _, c := range []struct {
		page, from string
		later      time.Duration
		want       int
	}{
		{"install", "192.0.2.1:1", 0, 1},
		{"install", "192.0.2.1:2", 0, 1},
		{"install", "192.0.2.77:1", 0, 1},
		{"install", "[::ffff:192.0.2.9]:1", 0, 1},
		{"install", "192.0.3.1:1", 0, 2},
		{"install/deep", "192.0.2.1:1", 0, 3},
		{"install", "[2001:db8:1::1]:1", 0, 4},
		{"install", "[2001:db8:1:2::1]:1", 0, 4},
		{"install", "[2001:db8:2::1]:1", 0, 5},
		{"install", "192.0.2.1:1", 59 * time.Minute, 5},
		{"install", "192.0.2.1:1", 61 * time.Minute, 6},
	} {
		later = c.later
		if rate(c.page, c.from); counted() != c.want {
			t.Errorf("%s from %s after %s: %d ratings, want %d", c.page, c.from, c.later, counted(), c.want)
		}
	}
}
