package api_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"regexp"
	"sync"
	"testing"

	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/web/api"
)

// breaking is a context that ends after it was asked a number of times
// whether it has ended. The database asks with every statement, so this breaks
// a request at each of its reads.
type breaking struct {
	context.Context
	mu   sync.Mutex
	left int
	done chan struct{}
}

func newBreaking(after int) *breaking {
	return &breaking{Context: context.Background(), left: after, done: make(chan struct{})}
}

func (b *breaking) Done() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.left == 0 {
		close(b.done)
	}
	b.left--
	return b.done
}

func (b *breaking) Err() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.left < 0 {
		return context.Canceled
	}
	return nil
}

// noted knows whether anything was sent, as the server does.
type noted struct {
	http.ResponseWriter
	sent bool
}

func (n *noted) Write(b []byte) (int, error) {
	n.sent = true
	return n.ResponseWriter.Write(b)
}

func (n *noted) Written() bool { return n.sent }

var timed = regexp.MustCompile(`eyJ[\w-]+\.[\w-]+\.[\w-]+|"last(Seen|Used)At":"[^"]+"`)

// untimed returns the body of an answer without what depends on the time: tokens, which say when
// they were made, and when somebody or a token was seen last, which is stored every ten seconds.
func untimed(rec *httptest.ResponseRecorder) string {
	return timed.ReplaceAllString(rec.Body.String(), "TIMED")
}

// A read that the database does not answer is an error of the server: never
// "not found", never an answer with a part left out.
func TestABrokenReadIsNotAnsweredAsAbsent(t *testing.T) {
	if testing.Short() {
		t.Skip("it breaks a thousand requests")
	}
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o, nil)
		f := newFixture(w)
		get := func(ctx context.Context, path string) (rec *httptest.ResponseRecorder) {
			r := httptest.NewRequest(http.MethodGet, api.Prefix+path, nil).WithContext(ctx)
			r.Header.Set("Authorization", "Bearer "+w.tokens["admin"])
			rec = httptest.NewRecorder()
			defer func() {
				if p := recover(); p == http.ErrAbortHandler { // the connection is closed
					rec.Code = http.StatusInternalServerError
				} else if p != nil {
					panic(p)
				}
			}()
			w.srv.API.ServeHTTP(&noted{ResponseWriter: rec}, r)
			return rec
		}
		// The token is listed as used from here, not from when the server notes it.
		get(context.Background(), f.path("/orgs/{organizationId}"))
		w.flushUses()
		step := 1
		if o.DatabaseURL != "" {
			step = 4 // the driver asks about five times with each statement
		}
		broken := 0
		for _, op := range w.srv.API.Operations() {
			if op.Method != http.MethodGet {
				continue
			}
			path := f.path(op.Path) + queries[op.ID]
			whole := get(context.Background(), path)
			for after := 0; after < 60; after += step {
				ctx := newBreaking(after)
				if o.DatabaseURL == "" { // rows stay in memory until somebody writes
					w.must("mallory", "POST", "/orgs/$beta/ping", "")
				}
				got := get(ctx, path)
				if got.Code == http.StatusInternalServerError || got.Code == http.StatusServiceUnavailable { // the latter for one who has left
					broken++
					continue
				}
				if got.Code != whole.Code {
					t.Errorf("%s, broken at read %d: %d %s, want 500, 503 or %d", op.ID, after, got.Code, got.Body, whole.Code)
				} else if untimed(got) != untimed(whole) && op.ID != "getSpacePDF" && op.ID != "getChangeRequestPDF" {
					t.Errorf("%s, broken at read %d: %s\nwant %s", op.ID, after, got.Body, whole.Body)
				}
				if ctx.left >= 0 {
					break
				}
			}
		}
		if broken < 400 {
			t.Errorf("only %d requests were broken", broken)
		}
	})
}
