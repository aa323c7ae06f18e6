package publish_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/budget"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/outbound"
	"github.com/octavo-docs/octavo/internal/site/publish"
)

// claims sets unsigned claims of the reader.
func claims(json string) func(*http.Request) {
	return func(r *http.Request) {
		r.AddCookie(&http.Cookie{Name: "gitbook-visitor-public", Value: url.QueryEscape(json)})
	}
}

// Whatever is not kept counts against the rate limit of the reader, once. Pages that are kept and
// files of the program do not.
func TestRequestsOfReadersCount(t *testing.T) {
	w := newWorld(t)
	w.acme()
	w.customize(`{"pageActions":{"items":["markdown","mcp","pdf"]}}`)
	counted := 0
	w.handler.Take = func(http.ResponseWriter, *http.Request) error {
		counted++
		return nil
	}
	_, page := w.get(root + "install")
	card := strings.Split(strings.Split(page, `property="og:image" content="`)[1], `"`)[0]
	w.get(root + "install")
	post := func(r *http.Request) {
		r.Method, r.Body = "POST", io.NopCloser(strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
	}
	for _, c := range []struct {
		at     string
		change func(*http.Request)
		want   int
	}{
		{"install", func(*http.Request) {}, 0},
		{"install?x=y", func(*http.Request) {}, 0},
		{"install", claims(`{"beta":true}`), 0}, // without a schema, all readers are the same
		{strings.TrimPrefix(strings.Split(strings.Split(page, `rel="stylesheet" href="`)[1], `"`)[0], "/"), func(*http.Request) {}, 0},
		{"absent", func(*http.Request) {}, 1}, {"a/b/absent", func(*http.Request) {}, 1},
		{"~octavo/search?q=zebra", func(*http.Request) {}, 1}, {"~octavo/found?q=zebra", func(*http.Request) {}, 1},
		{"llms.txt", func(*http.Request) {}, 1}, {"llms-full.txt", func(*http.Request) {}, 1}, {"sitemap.xml", func(*http.Request) {}, 1},
		{"sitemap-pages.xml", func(*http.Request) {}, 1}, {"install.md", func(*http.Request) {}, 1}, {"~octavo/pdf", func(*http.Request) {}, 1},
		{strings.TrimPrefix(card, root), func(*http.Request) {}, 1}, {"api/news/rss.xml", func(*http.Request) {}, 1},
		{"~octavo/mcp", post, 1},
	} {
		counted = 0
		if a, _ := w.get(root+c.at, c.change); counted != c.want || a.StatusCode >= 500 {
			t.Errorf("%s counts %d, want %d: %s", c.at, counted, c.want, a.Status)
		}
	}
	w.handler.Take = func(http.ResponseWriter, *http.Request) error { return errs.E(errs.TooMany, "wait") }
	for at, want := range map[string]int{"install": 200, "absent": 429, "~octavo/found?q=zebra": 429, "llms-full.txt": 429, "install.md": 429} {
		if a, body := w.get(root + at); a.StatusCode != want || want == 429 && a.Header.Get("Cache-Control") != "private, no-store" {
			t.Errorf("%s beyond the limit: %s %v %.100s", at, a.Status, a.Header, body)
		}
	}
	if a, _ := w.get(root+"~octavo/mcp", post); a.StatusCode != 429 {
		t.Errorf("a call beyond the limit: %s", a.Status)
	}
}

// busy makes the organization of the world one whose requests took long lately, and takes the only
// turn for another one. It returns the function that ends that turn.
func (w *world) busy() (end func()) {
	w.Helper()
	turns := budget.NewTurns(1)
	w.handler.Turns = turns
	work := func(who string) (*budget.Budget, context.Context) {
		b := turns.Budget(w.Context(), who)
		return b, budget.NewContext(w.Context(), b)
	}
	b, ctx := work(string(w.org))
	ended, err := budget.Begin(ctx)
	must(w.T, err)
	time.Sleep(1500 * time.Millisecond)
	ended()
	b.End()
	b, ctx = work("other")
	_, err = budget.Begin(ctx)
	must(w.T, err)
	must(w.T, budget.Turn(ctx))
	return b.End
}

// Requests take turns with the organization of the site as payer, and wait no longer than the
// reader does. Pages that are kept do not wait.
func TestRequestsOfReadersTakeTurns(t *testing.T) {
	w := newWorld(t)
	w.acme()
	w.get(root + "install")
	end := w.busy()
	within := func(d time.Duration) func(*http.Request) {
		return func(r *http.Request) {
			ctx, cancel := context.WithTimeout(w.Context(), d)
			w.Cleanup(cancel)
			*r = *r.WithContext(ctx)
		}
	}
	if a, _ := w.get(root+"install?x", within(time.Second)); a.StatusCode != 200 {
		t.Errorf("a page that is kept: %s", a.Status)
	}
	for _, at := range []string{"absent", "~octavo/found?q=zebra", "llms-full.txt", "install/deep"} {
		began := time.Now()
		if a, _ := w.get(root+at, within(100*time.Millisecond)); a.StatusCode == 200 || a.StatusCode == 404 {
			t.Errorf("%s takes no turn: %s", at, a.Status)
		}
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("%s: the reader left after 100 ms, the work after %v", at, took)
		}
	}
	time.AfterFunc(50*time.Millisecond, end)
	if a, _ := w.get(root+"install/deep", within(20*time.Second)); a.StatusCode != 200 {
		t.Errorf("when it is its turn: %s", a.Status)
	}
}

// slowWriter is a client that does not read.
type slowWriter struct {
	*httptest.ResponseRecorder
	stalls chan struct{}
}

func (s slowWriter) Write(b []byte) (int, error) {
	<-s.stalls
	return s.ResponseRecorder.Write(b)
}

// Clients that do not read their responses, or do not send their bodies, hold neither turns nor
// places.
func TestSlowReadersHoldNothing(t *testing.T) {
	w := newWorld(t)
	w.acme()
	w.customize(withMCP)
	turns := budget.NewTurns(1)
	w.handler.Turns = turns
	stalls := make(chan struct{})
	done := make(chan struct{}, 100)
	start := func(method, at string, body io.Reader) {
		r := httptest.NewRequestWithContext(w.Context(), method, root+at, body)
		go func() {
			w.handler.ServeHTTP(slowWriter{httptest.NewRecorder(), stalls}, r)
			done <- struct{}{}
		}()
	}
	for range 20 {
		start("GET", "~octavo/found?q=zebra", nil)
		start("POST", "~octavo/mcp", stalled{stalls})
	}
	time.Sleep(300 * time.Millisecond)
	for _, at := range []string{"~octavo/found?q=install", "absent", "llms-full.txt"} {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		a, _ := w.get(root+at, func(r *http.Request) { *r = *r.WithContext(ctx) })
		cancel()
		if a.StatusCode != 200 && a.StatusCode != 404 {
			t.Errorf("%s while others do not read: %s", at, a.Status)
		}
	}
	close(stalls)
	for range 40 {
		<-done
	}
}

// stalled is a body that is not sent.
type stalled struct{ until chan struct{} }

func (s stalled) Read([]byte) (int, error) {
	<-s.until
	return 0, errors.New("nothing was sent")
}

// Readers with claims that are new each time see what they should, and push nothing out of caches.
func TestNewClaimsEachTime(t *testing.T) {
	w := newWorld(t)
	w.acme()
	w.beta()
	_, _, err := w.sites.Settings.SetSchema(t.Context(), w.grant(), []byte(`{"type":"object","properties":{"unsigned":{"type":"object","properties":{
		"beta":{"type":"boolean","description":"Beta"},"name":{"type":"string","description":"Name"}},"additionalProperties":false,"description":"Unsigned"}},"additionalProperties":false}`))
	must(t, err)
	for i := range 600 {
		at := "absent/~" // cheap
		if i >= 590 {
			at = "secret"
		}
		beta := i%2 == 0
		a, body := w.get(root+at, claims(fmt.Sprintf(`{"beta":%t,"name":"%d"}`, beta, i)))
		if at == "secret" && (strings.Contains(body, "zebra password") != beta || beta != (a.StatusCode == 200)) {
			t.Errorf("%d: %s", i, a.Status)
		}
	}
	g := w.grant()
	seen := func(name string) bool {
		v := authz.Visitor{Org: w.org, Site: w.site, Claims: map[string]any{"unsigned": map[string]any{"beta": true, "name": name}}}
		_, err := w.audience.VisitorViewOf(t.Context(), g.Site, v)
		must(t, err)
		return w.audience.Knows(g.Site, v)
	}
	if !seen("0") || seen("598") || seen("another") {
		t.Error("the first 500 kinds of readers in ten minutes are kept, and no others")
	}
}

// A page without time for a formula shows its source, and is not kept.
func TestFormulasOfPages(t *testing.T) {
	w := newWorld(t)
	deep := strings.Repeat(`\frac{1}{`, 300) + "x" + strings.Repeat("}", 300)
	w.change = func(s string) string {
		return strings.Replace(s, "Unpack the", "Formulas $$a^2$$ and $$"+deep+"$$. Unpack the", 1)
	}
	w.acme()
	began := time.Now()
	_, page := w.get(root + "install")
	if !strings.Contains(page, "<msup><mi>a</mi><mn>2</mn></msup>") || !strings.Contains(page, `class="math-source"`) || strings.Count(page, `\frac{1}{`) != 300 {
		t.Error("one of two formulas is typeset, the other one is shown as its source")
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
}

// endless is a body that goes on until it is closed, and stalls after a number of bytes.
type endless struct {
	read   *atomic.Int64
	stalls int64
	own    int64
	until  chan struct{}
}

func (e *endless) Read(b []byte) (int, error) {
	if e.own >= e.stalls {
		<-e.until
		return 0, errors.New("nothing more was sent")
	}
	n := min(int64(len(b)), e.stalls-e.own)
	e.own += n
	e.read.Add(n)
	return copy(b, bytes.Repeat([]byte("x"), int(n))), nil
}

// Bodies of requests take a limited amount of memory, however many strangers send, and however slowly: nothing
// is read for what the site does not have, and long ones wait for a part of a pool.
func TestBodiesOfReadersHaveALimit(t *testing.T) {
	w := newWorld(t)
	w.acme()
	for _, c := range []struct {
		name string
		try  bool
		most int64
	}{{"nobody can try operations", false, 100 << 10}, {"readers can", true, 6 << 20}} {
		config := w.handler.Config
		if c.try {
			config.TryIt = &outbound.Policy{}
		}
		h, err := publish.New(config)
		must(t, err)
		var read atomic.Int64
		until, done := make(chan struct{}), make(chan struct{})
		const n = 60
		for range n {
			go func() {
				r := httptest.NewRequest("POST", root+"~octavo/try/x", &endless{&read, 200 << 10, 0, until})
				h.ServeHTTP(httptest.NewRecorder(), r)
				done <- struct{}{}
			}()
		}
		time.Sleep(300 * time.Millisecond)
		if got := read.Load(); got > c.most {
			t.Errorf("%s: %d bytes are in memory", c.name, got)
		}
		close(until)
		for range n {
			<-done
		}
	}
}
