package publish_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/site/insights"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/store"
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

// A search that a reader sends is a question. What the script of a page sends while they type is
// not, nor what machines, previews and browsers that prefetch send.
func TestQuestionsOfReadersAreCounted(t *testing.T) {
	w := newWorld(t)
	w.acme()
	_, err := w.sites.Update(t.Context(), w.grant(), sites.SitePatch{KeepsQuestions: opt.Of(true)})
	must(t, err)
	for n := range insights.MinReaders {
		from := func(agent string, headers ...string) func(*http.Request) {
			return func(r *http.Request) {
				r.RemoteAddr = fmt.Sprintf("10.0.%d.1:4711", n)
				r.Header.Set("User-Agent", agent)
				for _, name := range headers {
					r.Header.Set(name, "prefetch")
				}
			}
		}
		w.get(root+"~octavo/search?q=zeppelins", from("Mozilla/5.0"))
		w.get(root+"~octavo/search?q=", from("Mozilla/5.0"))
		w.get(root+"~octavo/found?q=zepp", from("Mozilla/5.0"))
		w.get(root+"~octavo/search?q=machines", from("Googlebot/2.1"))
		w.get(root+"~octavo/search?q=prefetched", from("Mozilla/5.0", "Sec-Purpose"))
	}
	got, _, err := w.insights.Questions(w.grant(), insights.QuestionFilter{}).Page(t.Context(), store.Page{Limit: 10})
	must(t, err)
	if len(got) != 1 || got[0].Question != "zeppelins" || got[0].Sums.Asked != insights.MinReaders || got[0].Sums.Answered != 0 {
		t.Errorf("asked: %+v", got)
	}
}
