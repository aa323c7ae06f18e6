package publish_test

import (
	"net/http"
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/insights"
)

// Page views of readers are counted by page. Machines and other responses are not counted.
func TestReadersAreCounted(t *testing.T) {
	w := newWorld(t)
	w.acme()
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	firefox := header("User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
	w.get(root, firefox)
	resp, _ := w.get(root, firefox)
	w.get(root, firefox, header("If-None-Match", resp.Header.Get("ETag"))) // a reader with a cached page reads it again
	w.get(root, header("User-Agent", "Mozilla/5.0 (compatible; Googlebot/2.1)"))
	w.get(root, header("User-Agent", "curl/8.5.0"))
	w.get(root, firefox, header("Sec-Purpose", "prefetch"))
	w.get(root, firefox, func(r *http.Request) { r.Method = http.MethodHead })
	w.get(root+"index.md", firefox)
	w.get(root+"no/such/page", firefox)
	now := docs.TimeOf(w.sites.Store.Clock())
	got, err := w.insights.Aggregate(t.Context(), w.grant(), insights.Query{
		GroupBy: []insights.Column{{Name: "eventType"}, {Name: "page"}}, From: now, To: now, Limit: 10,
	})
	must(t, err)
	if len(got) != 3 || len(got[2].Values) != 1 || got[0].Values[0] != "page_view" || got[2].Values[0] != int64(3) {
		t.Errorf("counted: %v", got)
	}
}
