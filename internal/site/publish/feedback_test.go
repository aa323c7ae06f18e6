package publish_test

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/site/insights"
)

var feedbackForm = regexp.MustCompile(`<form class="feedback" method="post" action="([^"]+)">`)

// post sends a form.
func post(body string, header ...string) func(*http.Request) {
	return func(r *http.Request) {
		r.Method, r.Body = http.MethodPost, io.NopCloser(strings.NewReader(body))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		for i := 0; i+1 < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
	}
}

// A reader rates a page with a plain form. The rating is counted, and nothing else is.
func TestFeedback(t *testing.T) {
	w := newWorld(t)
	w.acme()
	_, page := w.get(root + "install")
	m := feedbackForm.FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("no form in\n%s", page)
	}
	at := "https://acme.docs.test" + m[1]
	same := []string{"Sec-Fetch-Site", "same-origin", "Origin", "https://acme.docs.test"}
	a, _ := w.get(at, post("rating=good", same...))
	if a.StatusCode != 303 || a.Header.Get("Location") != m[1] || len(a.Cookies()) > 0 {
		t.Fatalf("an answer: %s %v", a.Status, a.Header)
	}
	if a, body := w.get(at); a.StatusCode != 200 || !strings.Contains(body, "Thank you") || !strings.Contains(body, `href="/install">Back to the page`) || a.Header.Get("Cache-Control") != "private, no-store" {
		t.Errorf("the thanks: %s\n%s", a.Status, body)
	}
	for _, c := range []struct {
		name, at string
		status   int
		send     func(*http.Request)
	}{
		{"of another site", at, 403, post("rating=bad", "Sec-Fetch-Site", "cross-site", "Origin", "https://evil.test")},
		{"of another origin", at, 403, post("rating=bad", "Origin", "https://evil.test")},
		{"no rating", at, 400, post("", same...)},
		{"another rating", at, 400, post("rating=%3Cscript%3E", same...)},
		{"a long answer", at, 400, post("x="+strings.Repeat("x", 5000)+"&rating=bad", same...)},
		{"an absent page", root + "~octavo/feedback/absent", 404, post("rating=bad", same...)},
		{"another address", root + "install/~octavo/feedback/x", 405, post("rating=bad", same...)},
		{"a page", root + "install", 405, post("rating=bad", same...)},
	} {
		if a, _ := w.get(c.at, c.send); a.StatusCode != c.status {
			t.Errorf("%s: %s, want %d", c.name, a.Status, c.status)
		}
	}
	now := docs.TimeOf(w.sites.Store.Clock())
	got, err := w.insights.Aggregate(t.Context(), w.grant(), insights.Query{
		GroupBy: []insights.Column{{Name: "page"}, {Name: "eventPageFeedbackRating"}}, From: now, To: now, Limit: 10,
	})
	must(t, err)
	if len(got) != 3 || len(got[1].Values) != 1 || got[1].Values[0] != "good" {
		t.Errorf("counted: %v", got)
	}
	w.handler.Take = func(http.ResponseWriter, *http.Request) error { return errs.E(errs.TooMany, "wait") }
	if a, body := w.get(at, post("rating=good", same...)); a.StatusCode != 429 || !strings.Contains(body, "Too many answers") {
		t.Errorf("beyond the limit: %s", a.Status)
	}
	w.handler.Take = func(http.ResponseWriter, *http.Request) error { return nil }
	w.customize(`{"feedback":{"enabled":false}}`)
	if _, page := w.get(root + "install"); feedbackForm.MatchString(page) {
		t.Error("readers are asked though nobody wants to know")
	}
	if a, _ := w.get(at, post("rating=good", same...)); a.StatusCode != 404 {
		t.Errorf("an answer to no question: %s", a.Status)
	}
}
