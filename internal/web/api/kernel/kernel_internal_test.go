package kernel

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"pgregory.net/rapid"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/site/audience"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/visitor"
)

// newTestAPI returns an API to which a test can add operations of its own.
func newTestAPI(t testing.TB, l Limit, log io.Writer) *testAPI {
	t.Helper()
	s := testdb.Open(t, testdb.SQLite(t))
	readers := audience.New(sites.New(s, sites.Config{}))
	return &testAPI{store: s, Kernel: New(Config{
		Clock: s.Clock, Guard: authz.NewGuard(s, readers, nil),
		Log: slog.New(slog.NewTextHandler(log, nil)), BaseURL: "http://test", Version: "test", Limit: l,
	}, "secret")}
}

type testAPI struct {
	*Kernel
	store *store.Store
}

func get(a *testAPI, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	w.Header().Set(requestIDHeader, "request-1")
	a.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return w
}

func TestAnIncompleteDeclarationDoesNotStart(t *testing.T) {
	a := newTestAPI(t, Limit{}, io.Discard)
	for name, o := range map[string]Op{
		"no permission":          {ID: "x", Route: "GET /x", Tag: "X", Summary: "x"},
		"no summary":             {ID: "x", Route: "GET /x", Tag: "X", Allow: authz.Public()},
		"no route":               {ID: "x", Tag: "X", Summary: "x", Allow: authz.Public()},
		"a signature of nothing": {ID: "x", Route: "GET /x", Tag: "X", Summary: "x", Allow: authz.Signed()},
		"a signature that no rule asks for": {ID: "x", Route: "GET /x", Tag: "X", Summary: "x", Allow: authz.Public(),
			Signed: func(*http.Request) []string { return nil }},
	} {
		mustPanic(t, name, func() {
			Register(a.Kernel, o, func(context.Context, *struct{}) (*Done, error) { return nil, nil })
		})
	}
	mustPanic(t, "a stream of nothing", func() {
		RegisterStream(a.Kernel, Op{ID: "x", Route: "GET /x", Tag: "X", Summary: "x", Allow: authz.Public()},
			func(context.Context, *struct{}) (Stream, error) { return nil, nil })
	})
}

// Hidden is a part of inputs that tests embed beside others.
type Hidden struct{ Limit int }

// Resolving is a part that resolves.
type Resolving struct{}

// Resolve implements huma.Resolver.
func (*Resolving) Resolve(huma.Context) []error { return nil }

// Nested embeds a part that resolves.
type Nested struct{ Resolving }

func TestAnInputThatHidesAPartOfItselfDoesNotStart(t *testing.T) {
	a := newTestAPI(t, Limit{}, io.Discard)
	row := Op{ID: "x", Route: "GET /x", Tag: "X", Summary: "x", Allow: authz.Public()}
	mustPanic(t, "a field of an embedded type hides one of another", func() {
		Register(a.Kernel, row, func(context.Context, *struct {
			Hidden
			Paged
		}) (*Done, error) {
			return nil, nil
		})
	})
	mustPanic(t, "a field hides one of an embedded type", func() {
		Register(a.Kernel, row, func(context.Context, *struct {
			Paged
			Limit int `query:"most"`
		}) (*Done, error) {
			return nil, nil
		})
	})
	mustPanic(t, "a resolver hides a deeper one", func() {
		Register(a.Kernel, row, func(context.Context, *struct {
			Nested
			Paged
		}) (*Done, error) {
			return nil, nil
		})
	})
	Register(a.Kernel, row, func(context.Context, *struct {
		Resolving
		Paged
	}) (*Done, error) {
		return nil, nil
	})
}

func mustPanic(t *testing.T, name string, declare func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s: the declaration was accepted", name)
		}
	}()
	declare()
}

// A streamed answer goes through the same kernel as every other one: limits,
// metrics, panics and the form of errors.
func TestStreamsAreOperations(t *testing.T) {
	var log strings.Builder
	a := newTestAPI(t, Limit{Requests: 100, Period: time.Hour}, &log)
	seen := map[string]int{}
	a.Observe = func(operation string, status int, _ time.Duration) { seen[operation] = status }
	declare := func(id string, send Stream) {
		RegisterStream(a.Kernel, Op{ID: id, Route: "GET /" + id, Tag: "X", Summary: "x", Allow: authz.Public(), Sends: []string{"text/plain"}},
			func(context.Context, *struct{}) (Stream, error) { return send, nil })
	}
	declare("sends", func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Content-Type", "text/plain")
		_, err := w.Write([]byte("bytes"))
		return err
	})
	declare("lacks", func(http.ResponseWriter, *http.Request) error { return errs.Missing("file") })
	declare("fails", func(http.ResponseWriter, *http.Request) error { return errors.New("the disk is full") })
	declare("breaks", func(w http.ResponseWriter, _ *http.Request) error {
		if _, err := w.Write([]byte("half")); err != nil {
			return err
		}
		return errors.New("the line is cut")
	})
	declare("panics", func(http.ResponseWriter, *http.Request) error { panic("the cat is out") })
	for id, want := range map[string]struct {
		status int
		body   string
	}{
		"sends": {200, "bytes"}, "lacks": {404, `"code":404`}, "fails": {500, `"code":500`}, "breaks": {200, "half"}, "panics": {500, `"code":500`},
	} {
		w := &recorded{ResponseRecorder: httptest.NewRecorder()}
		w.Header().Set(requestIDHeader, "request-1")
		closed := func() (p any) {
			defer func() { p = recover() }()
			a.ServeHTTP(w, httptest.NewRequest(http.MethodGet, Prefix+"/"+id, nil))
			return nil
		}()
		if (closed == http.ErrAbortHandler) != (id == "breaks") { //nolint:errorlint // a panic
			t.Errorf("%s: the connection is closed by %v", id, closed)
		}
		if w.Code != want.status || !strings.Contains(w.Body.String(), want.body) || id == "breaks" && w.Body.String() != "half" {
			t.Errorf("%s: %d %s", id, w.Code, w.Body)
		}
		if w.Header().Get("X-RateLimit-Remaining") == "" || seen[id] != want.status {
			t.Errorf("%s: limit %q, observed %d", id, w.Header().Get("X-RateLimit-Remaining"), seen[id])
		}
	}
	for _, want := range []string{"the disk is full", "the line is cut", "the cat is out", "operation=breaks", "request=request-1"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %q:\n%s", want, log.String())
		}
	}
}

// recorded knows whether an answer has begun, as the server's writer does.
type recorded struct {
	*httptest.ResponseRecorder
	status int
}

func (r *recorded) WriteHeader(status int) {
	r.status = status
	r.ResponseRecorder.WriteHeader(status)
}

func (r *recorded) Write(b []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	return r.ResponseRecorder.Write(b)
}

func (r *recorded) Status() int   { return r.status }
func (r *recorded) Written() bool { return r.status != 0 }

func TestInternalErrorsAreNotSent(t *testing.T) {
	var log strings.Builder
	a := newTestAPI(t, Limit{}, &log)
	Register(a.Kernel, Op{ID: "panics", Route: "GET /panics", Tag: "X", Summary: "x", Allow: authz.Public()},
		func(context.Context, *struct{}) (*Done, error) { panic("the cat is out") })
	Register(a.Kernel, Op{ID: "fails", Route: "GET /fails", Tag: "X", Summary: "x", Allow: authz.Public()},
		func(context.Context, *struct{}) (*Done, error) { return nil, errors.New("the dog is out") })
	for _, path := range []string{"/v1/panics", "/v1/fails", "/v1/panics"} {
		w := get(a, path)
		if w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), "out") || !strings.Contains(w.Body.String(), `"code":500`) {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	for _, want := range []string{"the cat is out", "the dog is out", "operation=panics", "operation=fails", "request=request-1"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %q:\n%s", want, log.String())
		}
	}
}

// Services name a field; where in the request it is, the operation says.
func TestFieldsArePlaced(t *testing.T) {
	type in struct {
		Claims string `query:"claims"`
		Body   struct {
			Parent string `json:"parent"`
			Header string `json:"header,omitempty"`
		}
	}
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"field": {errs.Field("parent", "is closed"),
			`{"code":400,"message":"body.parent is closed","details":[{"path":"body.parent","message":"is closed"}]}`},
		"part of a field": {errs.Taken("parent[1].id", "is taken"),
			`{"code":409,"message":"body.parent[1].id is taken","details":[{"path":"body.parent[1].id","message":"is taken"}]}`},
		"the whole body": {errs.Field("", "is empty"),
			`{"code":400,"message":"body is empty","details":[{"path":"body","message":"is empty"}]}`},
		"a body that is a list": {errs.Field("[2]", "is empty"),
			`{"code":400,"message":"body[2] is empty","details":[{"path":"body[2]","message":"is empty"}]}`},
		"parameter": {errs.Field("claims", "are not JSON"),
			`{"code":400,"message":"query.claims are not JSON","details":[{"path":"query.claims","message":"are not JSON"}]}`},
		"named by the handler": {errs.Field("body.claims", "are not JSON"),
			`{"code":400,"message":"body.claims are not JSON","details":[{"path":"body.claims","message":"are not JSON"}]}`},
		"a field that is called as a part of the request": {errs.Field("header.text", "is long"),
			`{"code":400,"message":"body.header.text is long","details":[{"path":"body.header.text","message":"is long"}]}`},
		"a part of the request": {errs.Field("path.id", "is long"),
			`{"code":400,"message":"path.id is long","details":[{"path":"path.id","message":"is long"}]}`},
		"several": {errs.All(errs.Field("parent", "is closed"), errs.Field("claims", "are odd")),
			`{"code":400,"message":"body.parent is closed; query.claims are odd","details":[{"path":"body.parent","message":"is closed"},{"path":"query.claims","message":"are odd"}]}`},
		"in the message only": {errs.At(errs.NotFound, "parent", "there is no collection %q", "parent"),
			`{"code":404,"message":"body.parent: there is no collection \"parent\""}`},
		"no field": {errs.Problems([]errs.Detail{{Path: "guides/parent.md", Message: "has no title"}}),
			`{"code":400,"message":"guides/parent.md has no title","details":[{"path":"guides/parent.md","message":"has no title"}]}`},
		"a cause": {fmt.Errorf("secret: %w", errs.Field("parent", "is closed")),
			`{"code":400,"message":"body.parent is closed","details":[{"path":"body.parent","message":"is closed"}]}`},
	} {
		a := newTestAPI(t, Limit{}, io.Discard)
		Register(a.Kernel, Op{ID: "fails", Route: "POST /fails", Tag: "X", Summary: "x", Allow: authz.Public()},
			func(context.Context, *in) (*Done, error) { return nil, c.err })
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodPost, "/v1/fails", strings.NewReader(`{"parent": "x"}`))
		r.Header.Set("Content-Type", "application/json")
		a.ServeHTTP(w, r)
		if got, want := strings.TrimSpace(w.Body.String()), `{"error":`+c.want+`}`; got != want {
			t.Errorf("%s: %s\nwant %s", name, got, want)
		}
	}
}

// Who sends too much learns when to try again, unless that would not help.
func TestWhenToTryAgain(t *testing.T) {
	for want, after := range map[string]time.Duration{"90": 89*time.Second + 1, "1": time.Millisecond, "": errs.Never, "5": 0} {
		a := newTestAPI(t, Limit{}, io.Discard)
		Register(a.Kernel, Op{ID: "fails", Route: "GET /fails", Tag: "X", Summary: "x", Allow: authz.Public()}, func(context.Context, *struct{}) (*Done, error) {
			e := errs.E(errs.TooMany, "wait")
			e.After = after
			return nil, e
		})
		if w := get(a, "/v1/fails"); w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") != want {
			t.Errorf("%v: %d, Retry-After %q, want %q", after, w.Code, w.Header().Get("Retry-After"), want)
		}
	}
}

func TestRateLimit(t *testing.T) {
	a := newTestAPI(t, Limit{Requests: 3, Period: time.Hour}, io.Discard)
	for i, want := range []int{200, 200, 200, 429, 429} {
		w := get(a, "/v1/")
		left, err := strconv.Atoi(w.Header().Get("X-RateLimit-Remaining"))
		if w.Code != want || err != nil || left != max(0, 2-i) || w.Header().Get("X-RateLimit-Limit") != "3" {
			t.Errorf("request %d: %d with %v", i+1, w.Code, w.Header())
		}
		reset, err := strconv.ParseInt(w.Header().Get("X-RateLimit-Reset"), 10, 64)
		if err != nil || time.Unix(reset, 0).Before(time.Now()) {
			t.Errorf("request %d: reset at %q", i+1, w.Header().Get("X-RateLimit-Reset"))
		}
		if want == 429 && w.Header().Get("Retry-After") == "" {
			t.Errorf("request %d: no Retry-After", i+1)
		}
	}
	if w := get(a, "/v1/nothing"); w.Code != 429 {
		t.Errorf("an unknown path escapes the limit: %d", w.Code)
	}
}

// The limit is of a verified token: a made-up token neither takes from
// somebody else's share nor gets one of its own.
func TestRateLimitIsOfTheVerifiedCaller(t *testing.T) {
	a := newTestAPI(t, Limit{Requests: 2, Period: time.Hour}, io.Discard)
	Register(a.Kernel, Op{ID: "user", Route: "GET /user", Tag: "X", Summary: "x", Allow: authz.SignedIn(docs.ScopeRead)},
		func(context.Context, *struct{}) (*Out[string], error) { return OK("ada"), nil })
	for i, want := range []int{401, 401, 429} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, "/v1/user", nil)
		r.Header.Set("Authorization", "Bearer octavo_madeup"+strconv.Itoa(i))
		if a.ServeHTTP(w, r); w.Code != want {
			t.Errorf("request %d: %d, want %d", i+1, w.Code, want)
		}
	}
	b, err := orgs.New(a.store, orgs.Config{}).Operator.Bootstrap(context.Background(), "ada@acme.test", "Acme", "test")
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, "/v1/user", nil)
	r.Header.Set("Authorization", "Bearer "+b.Token)
	if a.ServeHTTP(w, r); w.Code != http.StatusOK {
		t.Errorf("a valid token from the same address: %d", w.Code)
	}
}

// Visitors are no users: each is counted by address, so that one of them cannot
// lock out the others.
func TestRateLimitOfVisitors(t *testing.T) {
	a := newTestAPI(t, Limit{Requests: 2, Period: time.Hour}, io.Discard)
	Register(a.Kernel, Op{ID: "site", Route: "GET /orgs/{organizationId}/sites/{siteId}/published", Tag: "X", Summary: "x", Allow: authz.Site(authz.ReadSite)},
		func(context.Context, *struct{}) (*Done, error) { return nil, nil })
	secret, err := a.store.Secret(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	key, err := visitor.NewKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	token, err := key.Sign(visitor.Content{Organization: "o", Site: "site_gone", Expires: time.Now().Add(time.Hour).Unix()})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		from   string
		status int
	}{{"192.0.2.1:1", 404}, {"192.0.2.1:2", 404}, {"192.0.2.1:3", 429}, {"192.0.2.2:1", 404}} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, "/v1/orgs/o/sites/site_gone/published", nil)
		r.Header.Set("Authorization", "Bearer "+token)
		r.RemoteAddr = want.from
		if a.ServeHTTP(w, r); w.Code != want.status {
			t.Errorf("request %d from %s: %d, want %d", i+1, want.from, w.Code, want.status)
		}
	}
}

func TestCountersOfALimiterAreBounded(t *testing.T) {
	l := newLimiter(Limit{Requests: 10, Period: time.Hour})
	for i := range maxCallers + 1000 {
		_ = l.take(http.Header{}, networkCaller(fmt.Sprintf("2001:db8:%x:%x::1", i>>16, i&0xffff)), time.Now())
	}
	if len(l.used) > maxCallers+1 {
		t.Errorf("%d callers are remembered", len(l.used))
	}
	// Who is not beside the flood has a counter of their own network.
	if err := l.take(http.Header{}, networkCaller("192.0.2.1"), time.Now()); err != nil {
		t.Errorf("another network: %v", err)
	}
}

// A client has as many addresses of its IPv6 network as it likes.
func TestALimitIsThatOfANetwork(t *testing.T) {
	l := newLimiter(Limit{Requests: 10, Period: time.Hour})
	for i := range 11 {
		err := l.take(http.Header{}, networkCaller(fmt.Sprintf("2001:db8:1:2::%x", i)), time.Now())
		if (err != nil) != (i == 10) {
			t.Errorf("request %d: %v", i, err)
		}
	}
}

// TestCleaned: the quick look at a path sees what path.Clean does.
func TestCleaned(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.StringOf(rapid.RuneFrom([]rune("/.a-é \x00"))).Draw(t, "path")
		if rapid.Bool().Draw(t, "rooted") {
			p = "/v1" + p
		}
		if got, want := cleaned(p), (p == path.Clean(p) || p == Prefix+"/") && plainText(p); got != want {
			t.Fatalf("%q: %t, want %t", p, got, want)
		}
	})
}
