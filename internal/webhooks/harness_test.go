package webhooks_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/outbound"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testservices"
	"github.com/octavo-docs/octavo/internal/web/services"
	"github.com/octavo-docs/octavo/internal/webhooks"
)

// hands is a clock that only the test moves.
type hands struct{ ns atomic.Int64 }

var began = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func (h *hands) now() time.Time       { return time.Unix(0, h.ns.Load()) }
func (h *hands) turn(d time.Duration) { h.ns.Add(int64(d)) }

// world is a store with two organizations, a clock, and a dispatcher that may call loopback
// addresses.
type world struct {
	t       *testing.T
	o       store.Options
	s       *store.Store
	sv      *services.Services
	clock   *hands
	d       *webhooks.Dispatcher
	org     docs.OrgID
	admin   authz.Actor
	other   docs.OrgID
	mallory authz.Actor
	log     *safeBuffer
}

func each(t *testing.T, test func(w *world)) {
	t.Helper()
	testdb.Each(t, func(t *testing.T, o store.Options) { test(newWorld(t, o)) })
}

func newWorld(t *testing.T, o store.Options) *world {
	t.Helper()
	w := &world{t: t, clock: &hands{}, log: &safeBuffer{}}
	w.clock.ns.Store(began.UnixNano())
	o.Clock = w.clock.now
	w.o, w.s = o, testdb.Open(t, o)
	w.sv = testservices.New(t, w.s, services.Settings{Outbound: loopback(t)})
	w.org, w.admin = w.bootstrap("ada@acme.example", "Acme")
	w.other, w.mallory = w.bootstrap("mallory@beta.example", "Beta")
	w.d = w.node(w.s)
	w.fanOut()
	return w
}

func (w *world) node(s *store.Store) *webhooks.Dispatcher {
	w.t.Helper()
	return webhooks.NewDispatcher(s, loopback(w.t), slog.New(slog.NewTextHandler(w.log, nil)))
}

func loopback(t *testing.T) outbound.Policy {
	t.Helper()
	p, err := outbound.Parse("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (w *world) bootstrap(email, title string) (docs.OrgID, authz.Actor) {
	w.t.Helper()
	b, err := w.sv.Orgs.Operator.Bootstrap(context.Background(), email, title, "test")
	if err != nil {
		w.t.Fatal(err)
	}
	return b.Organization, authz.Actor{User: b.User}
}

// hook creates a webhook in the first organization.
func (w *world) hook(url string, events ...string) (docs.Webhook, string) {
	w.t.Helper()
	h, secret, err := w.sv.Webhooks.Create(context.Background(), authz.OperatorGrant(w.admin.User), w.org, webhooks.New{URL: url, Events: events, Enabled: true})
	if err != nil {
		w.t.Fatal(err)
	}
	w.clear()
	return h, secret
}

// clear removes the events about created webhooks from the queues.
func (w *world) clear() {
	w.t.Helper()
	ctx := context.Background()
	err := w.s.Do(ctx, func(tx *store.Tx) error {
		_, err := tx.TakeOutbox(ctx, 1000)
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// change records an action on a subject, as a service would.
func (w *world) change(org docs.OrgID, action, kind, id string, data map[string]any) {
	w.t.Helper()
	ctx := context.Background()
	w.clock.turn(time.Millisecond)
	err := w.s.Do(ctx, func(tx *store.Tx) error {
		return audit.Record(ctx, tx, w.admin, audit.Event{Org: org, Action: action, Kind: kind, ID: id, Data: data})
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) fanOut() {
	w.t.Helper()
	for more := true; more; {
		var err error
		if more, err = w.d.FanOut(context.Background()); err != nil {
			w.t.Fatal(err)
		}
	}
}

// work queues all events and sends all deliveries that are due now.
func (w *world) work() {
	w.t.Helper()
	w.fanOut()
	for did := true; did; {
		var err error
		if did, err = w.d.Deliver(context.Background()); err != nil {
			w.t.Fatal(err)
		}
	}
}

// deliveries returns the log of a webhook, oldest first.
func (w *world) deliveries(h docs.Webhook) []docs.Delivery {
	w.t.Helper()
	list, _, err := w.s.Deliveries(context.Background(), h.ID, "", store.Page{Limit: 10_000})
	if err != nil {
		w.t.Fatal(err)
	}
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
	return list
}

func (w *world) read(h docs.Webhook) docs.Webhook {
	w.t.Helper()
	h, err := w.s.Webhook(context.Background(), h.Org, h.ID)
	if err != nil {
		w.t.Fatal(err)
	}
	return h
}

func (w *world) patch(h docs.Webhook, p webhooks.Patch) (docs.Webhook, string) {
	w.t.Helper()
	h, secret, err := w.sv.Webhooks.Update(context.Background(), authz.OperatorGrant(w.admin.User), h.Org, h.ID, p)
	if err != nil {
		w.t.Fatal(err)
	}
	return h, secret
}

func enable(on bool) webhooks.Patch { return webhooks.Patch{Enabled: opt.Of(on)} }

func (w *world) backlog() store.Backlog {
	w.t.Helper()
	b, err := w.s.Backlog(context.Background())
	if err != nil {
		w.t.Fatal(err)
	}
	return b
}

// got is a request that a receiver got.
type got struct {
	header http.Header
	body   string
	at     time.Time
}

func (g got) json(t *testing.T) (v map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(g.body), &v); err != nil {
		t.Fatalf("%v: %s", err, g.body)
	}
	return v
}

// verify checks the signature, as the guide describes for receivers.
func (g got) verify(secret string) bool {
	t, v1, _ := strings.Cut(g.header.Get("X-GitBook-Signature"), ",")
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(strings.TrimPrefix(t, "t=") + "." + g.body))
	return hmac.Equal([]byte("v1="+hex.EncodeToString(mac.Sum(nil))), []byte(v1))
}

// receiver is a server that receives deliveries. It responds with 204, unless answer is set.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	seen   []got
	answer func(rw http.ResponseWriter, g got)
}

func (w *world) receiver(answer func(rw http.ResponseWriter, g got)) *receiver {
	w.t.Helper()
	r := &receiver{answer: answer}
	r.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
		b, err := io.ReadAll(req.Body)
		if err != nil {
			return
		}
		g := got{req.Header, string(b), w.clock.now()}
		r.mu.Lock()
		r.seen = append(r.seen, g)
		answer := r.answer
		r.mu.Unlock()
		if answer != nil {
			answer(rw, g)
			return
		}
		rw.WriteHeader(http.StatusNoContent)
	}))
	w.t.Cleanup(r.Close)
	return r
}

func (r *receiver) set(answer func(rw http.ResponseWriter, g got)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = answer
}

func (r *receiver) all() []got {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]got{}, r.seen...)
}

func status(code int) func(http.ResponseWriter, got) {
	return func(rw http.ResponseWriter, _ got) { rw.WriteHeader(code) }
}

// safeBuffer is a buffer that is safe for concurrent use.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
