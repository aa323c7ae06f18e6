package apispec_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/jobs"
	"github.com/octavo-docs/octavo/internal/openapi/apispec"
	"github.com/octavo-docs/octavo/internal/outbound"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testservices"
	"github.com/octavo-docs/octavo/internal/web/services"
)

// world is an organization with descriptions, and a web server with their sources.
type world struct {
	t     *testing.T
	s     *apispec.Service
	g     *authz.Grant
	org   docs.OrgID
	clock *clock
	web   *web
}

type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(time.Millisecond)
	return c.now
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// web serves files with ETags, and counts responses.
type web struct {
	URL string

	mu     sync.Mutex
	files  map[string]string
	during func(path string) // called for each request
	whole  map[string]int    // responses with a body, by path
	same   map[string]int    // 304 responses, by path
}

func (w *web) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	text, ok := w.files[r.URL.Path]
	during := w.during
	w.mu.Unlock()
	if during != nil {
		during(r.URL.Path)
	}
	etag := fmt.Sprintf(`"%x"`, sha256.Sum256([]byte(text)))
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case !ok:
		http.NotFound(rw, r)
	case r.Header.Get("If-None-Match") == etag:
		w.same[r.URL.Path]++
		rw.WriteHeader(http.StatusNotModified)
	default:
		w.whole[r.URL.Path]++
		rw.Header().Set("ETag", etag)
		_, _ = rw.Write([]byte(text)) // the client may be gone
	}
}

func (w *web) set(path, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.files[path] = text
}

func (w *web) counts() (whole, same int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, n := range w.whole {
		whole += n
	}
	for _, n := range w.same {
		same += n
	}
	return whole, same
}

// each runs a test on both databases.
func each(t *testing.T, test func(w *world)) {
	testdb.Each(t, func(t *testing.T, o store.Options) { test(newWorld(t, o)) })
}

func newWorld(t *testing.T, o store.Options) *world {
	t.Helper()
	ctx := context.Background()
	w := &world{t: t, clock: &clock{now: time.Now().Truncate(time.Second)}, web: &web{files: map[string]string{}, whole: map[string]int{}, same: map[string]int{}}}
	o.Clock = w.clock.Now
	st := testdb.Open(t, o)
	host := httptest.NewServer(w.web)
	t.Cleanup(host.Close)
	w.web.URL = host.URL
	policy, err := outbound.Parse("127.0.0.0/8")
	if err != nil {
		t.Fatal(err)
	}
	sv := testservices.New(t, st, services.Settings{Outbound: policy})
	b, err := sv.Orgs.Operator.Bootstrap(ctx, "ada@octavo.example", "Acme", "test")
	if err != nil {
		t.Fatal(err)
	}
	w.s, w.org = sv.APISpecs, b.Organization
	if w.g, err = authz.OnBehalfInOrg(ctx, st, authz.Actor{User: b.User}, authz.CreateOpenAPISpec, b.Organization); err != nil {
		t.Fatal(err)
	}
	return w
}

// put sets a source without processing it.
func (w *world) put(slug docs.OpenAPISlug, src apispec.Source) docs.OpenAPISpec {
	w.t.Helper()
	spec, _, err := w.s.Put(context.Background(), w.g, slug, src)
	if err != nil {
		w.t.Fatal(err)
	}
	return spec
}

// work runs the due jobs.
func (w *world) work() {
	w.t.Helper()
	r := jobs.New(w.s.Store, slog.New(slog.DiscardHandler))
	r.Handle(apispec.ProcessJob, w.s.Process)
	for range 100 {
		did, err := r.RunOne(context.Background())
		if err != nil {
			w.t.Fatal(err)
		}
		if !did {
			return
		}
	}
	w.t.Fatal("the jobs do not end")
}

// set sets a source and processes it.
func (w *world) set(slug docs.OpenAPISlug, src apispec.Source) docs.OpenAPISpec {
	w.t.Helper()
	w.put(slug, src)
	w.work()
	return w.spec(slug)
}

func (w *world) spec(slug docs.OpenAPISlug) docs.OpenAPISpec {
	w.t.Helper()
	spec, err := w.s.Spec(context.Background(), w.org, slug)
	if err != nil {
		w.t.Fatal(err)
	}
	return spec
}

func (w *world) versions(slug docs.OpenAPISlug) []docs.OpenAPIVersion {
	w.t.Helper()
	ctx := context.Background()
	_, all, err := w.s.Versions(ctx, w.org, slug)
	if err != nil {
		w.t.Fatal(err)
	}
	items, _, err := all.Page(ctx, store.Page{Limit: 100})
	n, counting := all.Count(ctx)
	if err := errors.Join(err, counting); err != nil || int(n) != len(items) {
		w.t.Fatalf("%d of %d versions: %v", len(items), n, err)
	}
	return items
}

func jsonText(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}
