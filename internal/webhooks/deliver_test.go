package webhooks_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/outbound"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/webhooks"
)

func TestAChangeIsDeliveredSignedAndOnce(t *testing.T) {
	each(t, func(w *world) {
		t := w.t
		ctx := context.Background()
		r := w.receiver(func(rw http.ResponseWriter, _ got) { fmt.Fprint(rw, "thanks") })
		h, secret := w.hook(r.URL)
		w.clock.turn(time.Millisecond)
		c, _, err := w.sv.Spaces.CreateCollection(ctx, grant(t, w), "Guides", "")
		if err != nil {
			t.Fatal(err)
		}
		w.work()
		w.work()
		seen := r.all()
		if len(seen) != 1 {
			t.Fatalf("%d requests", len(seen))
		}
		g := seen[0]
		if !g.verify(secret) || g.verify(secret+"x") || !strings.HasPrefix(g.header.Get("X-GitBook-Signature"), fmt.Sprintf("t=%d,v1=", w.clock.now().Unix())) {
			t.Errorf("signature %s", g.header.Get("X-GitBook-Signature"))
		}
		body := g.json(t)
		id := body["eventId"]
		want := map[string]any{
			"eventId": id, "type": "collection.create", "organization": string(w.org), "actor": string(w.admin.User),
			"at": body["at"], "subject": map[string]any{"kind": "collection", "id": string(c.ID)}, "data": map[string]any{"title": "Guides"},
		}
		if a, b := fmt.Sprint(body), fmt.Sprint(want); a != b || id == "" {
			t.Errorf("got  %s\nwant %s", a, b)
		}
		audit, _, err := w.s.Audit(ctx, w.org, store.AuditFilter{}, store.Page{Limit: 1})
		if err != nil || audit[0].ID != id {
			t.Errorf("the event is %v, the audit log has %v (%v)", id, audit, err)
		}
		for name, value := range map[string]string{
			"Content-Type": "application/json", "User-Agent": "Octavo-Webhook", "X-Octavo-Event": "collection.create", "X-Octavo-Attempt": "1",
		} {
			if g.header.Get(name) != value {
				t.Errorf("%s: %q", name, g.header.Get(name))
			}
		}
		d := w.deliveries(h)
		if len(d) != 1 || d[0].State != docs.DeliveryDelivered || d[0].Attempts != 1 || d[0].Status != 200 || d[0].Answer != "thanks" ||
			d[0].Event != id || d[0].Error != "" || string(d[0].ID) != g.header.Get("X-Octavo-Delivery") || d[0].Payload != g.body {
			t.Errorf("the log has %+v", d)
		}
		if b := w.backlog(); b != (store.Backlog{}) {
			t.Errorf("there waits %+v", b)
		}
	})
}

func grant(t *testing.T, w *world) *authz.Grant {
	t.Helper()
	g, _, err := authz.NewChecker(w.s.Reader).Org(context.Background(), w.admin, authz.CreateContent, w.org)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestContentChangesInTheFormOfTheContract(t *testing.T) {
	each(t, func(w *world) {
		t := w.t
		r := w.receiver(nil)
		w.hook(r.URL, "space_content_updated", "space.*", "space_content_updated")
		w.change(w.org, "space.content.edits", "space", "s1", map[string]any{"revision": "r1", "changed": 3})
		w.change(w.org, "space.update", "space", "s1", nil)
		w.change(w.org, "collection.update", "collection", "c1", nil)
		w.work()
		var types []string
		ids := map[any]bool{}
		for _, g := range r.all() {
			body := g.json(t)
			types = append(types, body["type"].(string))
			ids[body["eventId"]] = true
			if body["type"] == "space_content_updated" {
				delete(body, "eventId")
				if got := fmt.Sprint(body); got != "map[revisionId:r1 spaceId:s1 type:space_content_updated]" {
					t.Error(got)
				}
			}
		}
		if !slices.Equal(types, []string{"space.content.edits", "space_content_updated", "space.update"}) || len(ids) != 3 {
			t.Errorf("%v, %d ids", types, len(ids))
		}
	})
}

func TestGitInTheFormOfTheContract(t *testing.T) {
	each(t, func(w *world) {
		t := w.t
		r := w.receiver(nil)
		w.hook(r.URL, "space_gitsync_started", "space_gitsync_completed")
		began := map[string]any{"revision": "r1", "commit": "", "direction": "import", "operation": "o1"}
		ended := map[string]any{"revision": "r2", "commit": "c2", "direction": "import", "operation": "o1", "state": "failure", "reason": "x"}
		w.change(w.org, "space.gitsync.started", "space", "s1", began)
		w.change(w.org, "space.content.edits", "space", "s1", map[string]any{"revision": "r2"})
		w.change(w.org, "space.gitsync.completed", "space", "s1", ended)
		w.work()
		var got []string
		for _, g := range r.all() {
			body := g.json(t)
			delete(body, "eventId")
			got = append(got, fmt.Sprint(body))
		}
		want := []string{
			"map[commitId: revisionId:r1 spaceId:s1 type:space_gitsync_started]",
			"map[commitId:c2 revisionId:r2 spaceId:s1 state:failure type:space_gitsync_completed]",
		}
		if !slices.Equal(got, want) {
			t.Errorf("got  %v\nwant %v", got, want)
		}
	})
}

func TestOnlyWhatWasAskedForAndOnlyOfTheOwnOrganization(t *testing.T) {
	each(t, func(w *world) {
		t := w.t
		all, some, off, theirs := w.receiver(nil), w.receiver(nil), w.receiver(nil), w.receiver(nil)
		w.hook(all.URL)
		w.hook(some.URL, "space.content.*", "team.create")
		h, _ := w.hook(off.URL)
		w.patch(h, enable(false))
		_, _, err := w.sv.Webhooks.Create(context.Background(), authz.OperatorGrant(w.mallory.User), w.other, webhooks.New{URL: theirs.URL, Enabled: true})
		if err != nil {
			t.Fatal(err)
		}
		w.clear()
		for _, action := range []string{"space.content.edits", "space.content.import", "space.contents", "space.update", "team.create", "team.created"} {
			w.change(w.org, action, "space", "s", nil)
		}
		w.change(w.other, "space.update", "space", "theirs", nil)
		w.change("", "token.create", "token", "t", nil)
		w.work()
		count := func(r *receiver) (types []string) {
			for _, g := range r.all() {
				types = append(types, g.header.Get("X-Octavo-Event"))
			}
			return types
		}
		if got := count(all); len(got) != 6 {
			t.Errorf("all: %v", got)
		}
		if got := count(some); !slices.Equal(got, []string{"space.content.edits", "space.content.import", "team.create"}) {
			t.Errorf("some: %v", got)
		}
		if got := count(off); len(got) != 0 {
			t.Errorf("disabled: %v", got)
		}
		if got := theirs.all(); len(got) != 1 || !strings.Contains(got[0].body, `"theirs"`) {
			t.Errorf("the other organization: %v", got)
		}
		if b := w.backlog(); b != (store.Backlog{}) {
			t.Errorf("there waits %+v", b)
		}
	})
}

func TestOutboxStaysEmptyWithoutWebhooks(t *testing.T) {
	each(t, func(w *world) {
		for range 30 {
			w.change(w.org, "space.update", "space", "s", nil)
		}
		if b := w.backlog(); b.Events != 30 {
			w.t.Fatalf("%+v", b)
		}
		w.fanOut()
		if b := w.backlog(); b != (store.Backlog{}) {
			w.t.Errorf("there waits %+v", b)
		}
	})
}

// Several nodes process the same events. Each event is queued once.
func TestEventsAreQueuedOnceOverAllNodes(t *testing.T) {
	each(t, func(w *world) {
		t := w.t
		r := w.receiver(nil)
		h, _ := w.hook(r.URL)
		const events = 450 // more than one transaction processes
		for i := range events {
			w.change(w.org, "space.update", "space", fmt.Sprint(i%7), map[string]any{"n": i})
		}
		nodes := []*webhooks.Dispatcher{w.d, w.node(testdb.Open(t, w.o)), w.node(testdb.Open(t, w.o))}
		var wg sync.WaitGroup
		for _, d := range nodes {
			wg.Go(func() {
				for more := true; more; {
					var err error
					if more, err = d.FanOut(context.Background()); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		list := w.deliveries(h)
		ids := map[string]int{}
		for _, d := range list {
			ids[d.Event]++
		}
		if len(list) != events || len(ids) != events || w.backlog().Events != 0 {
			t.Fatalf("%d deliveries of %d events, %+v", len(list), len(ids), w.backlog())
		}
		// Each event is also sent once, in order for each subject, by any of the nodes.
		for _, d := range nodes {
			wg.Go(func() {
				for did := true; did; {
					var err error
					if did, err = d.Deliver(context.Background()); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		w.work()
		inOrder(t, r, events)
	})
}

// inOrder checks that each of n events arrived once, in order for each subject.
func inOrder(t *testing.T, r *receiver, n int) {
	t.Helper()
	last := map[string]float64{}
	seen := r.all()
	for _, g := range seen {
		var e struct {
			Subject struct{ ID string }
			Data    struct{ N float64 }
		}
		if err := json.Unmarshal([]byte(g.body), &e); err != nil {
			t.Fatal(err)
		}
		if before, ok := last[e.Subject.ID]; ok && before >= e.Data.N {
			t.Errorf("of %s, %v came after %v", e.Subject.ID, e.Data.N, before)
		}
		last[e.Subject.ID] = e.Data.N
	}
	if len(seen) != n {
		t.Errorf("%d came, want %d", len(seen), n)
	}
}

func TestWhatWaitsForARetryHoldsUpItsOwnThingOnly(t *testing.T) {
	each(t, func(w *world) {
		t := w.t
		refuse := true
		var mu sync.Mutex
		r := w.receiver(func(rw http.ResponseWriter, g got) {
			mu.Lock()
			defer mu.Unlock()
			if refuse && strings.Contains(g.body, `"n":1}`) {
				rw.WriteHeader(http.StatusInternalServerError)
			}
		})
		h, _ := w.hook(r.URL)
		n := func() (out []string) {
			for _, d := range w.deliveries(h) {
				if d.State == docs.DeliveryDelivered {
					out = append(out, d.Payload[strings.Index(d.Payload, `"n":`)+4:strings.Index(d.Payload, `"n":`)+5])
				}
			}
			slices.Sort(out)
			return out
		}
		w.change(w.org, "space.update", "space", "a", map[string]any{"n": 1})
		w.change(w.org, "space.update", "space", "a", map[string]any{"n": 2})
		w.change(w.org, "space.update", "space", "b", map[string]any{"n": 3})
		w.work()
		if got := n(); !slices.Equal(got, []string{"3"}) {
			t.Fatalf("delivered %v", got)
		}
		w.change(w.org, "space.update", "space", "a", map[string]any{"n": 4})
		w.change(w.org, "space.update", "space", "b", map[string]any{"n": 5})
		w.work()
		if got := n(); !slices.Equal(got, []string{"3", "5"}) {
			t.Fatalf("delivered %v", got)
		}
		// A short failure does not change the order.
		mu.Lock()
		refuse = false
		mu.Unlock()
		w.clock.turn(10 * time.Second)
		w.work()
		if got := n(); !slices.Equal(got, []string{"1", "2", "3", "4", "5"}) {
			t.Fatalf("delivered %v", got)
		}
		var order []string
		for _, g := range r.all() {
			if strings.Contains(g.body, `"id":"a"`) {
				order = append(order, g.body[strings.Index(g.body, `"n":`)+4:strings.Index(g.body, `"n":`)+5])
			}
		}
		if !slices.Equal(order, []string{"1", "1", "2", "4"}) {
			t.Errorf("order %v", order)
		}

		// A delivery that never succeeds is overtaken after a while.
		mu.Lock()
		refuse = true
		mu.Unlock()
		w.change(w.org, "space.update", "space", "a", map[string]any{"n": 1})
		w.change(w.org, "space.update", "space", "a", map[string]any{"n": 6})
		for range 20 {
			w.clock.turn(time.Minute)
			w.work()
		}
		if got := n(); !slices.Equal(got, []string{"1", "2", "3", "4", "5", "6"}) {
			t.Errorf("delivered %v", got)
		}
	})
}

// A receiver that does not respond blocks neither other receivers nor the queue.
func TestASlowReceiverHoldsUpNobodyElse(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t))
	release := make(chan struct{})
	slow := w.receiver(func(http.ResponseWriter, got) { <-release })
	quick := w.receiver(nil)
	w.hook(slow.URL)
	w.hook(quick.URL)
	w.d.Poll = time.Millisecond
	ctx, stop := context.WithCancel(context.Background())
	var run sync.WaitGroup
	run.Go(func() { w.d.Run(ctx) })
	for i := range 20 {
		w.change(w.org, "space.update", "space", fmt.Sprint(i), map[string]any{"n": i})
		for end := time.Now().Add(9 * time.Second); len(quick.all()) <= i; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("event %d waits for another receiver", i)
			}
		}
	}
	if n := len(slow.all()); n > 4 {
		t.Errorf("%d requests at once to one receiver", n)
	}
	// Stopping waits for the requests in progress, so that none is sent twice.
	stop()
	close(release)
	run.Wait()
	w.work()
	inOrder(t, slow, 20)
	inOrder(t, quick, 20)
}

// If a node is suspended, another node takes over its webhook. Results that the first node stores
// later are ignored.
func TestAnotherNodeTakesOver(t *testing.T) {
	each(t, func(w *world) {
		t := w.t
		second := w.node(testdb.Open(t, w.o))
		first := true
		r := w.receiver(nil)
		r.set(func(rw http.ResponseWriter, g got) {
			if !first {
				return
			}
			first = false
			w.clock.turn(time.Minute)
			if did, err := second.Deliver(context.Background()); err != nil || !did {
				t.Errorf("the other node did not take over: %v", err)
			}
			rw.WriteHeader(http.StatusInternalServerError)
		})
		h, _ := w.hook(r.URL)
		w.change(w.org, "space.update", "space", "s", nil)
		w.work()
		seen := r.all()
		if d := w.deliveries(h); len(seen) != 2 || seen[0].body != seen[1].body || d[0].State != docs.DeliveryDelivered || d[0].Attempts != 1 {
			t.Errorf("%d requests, log %+v", len(seen), d)
		}
		if h := w.read(h); h.Failures != 0 {
			t.Errorf("%+v", h)
		}
	})
}

func TestPrivateAddressesAreRefused(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t))
	reached := false
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer inside.Close()
	ctx := context.Background()
	w.sv.Webhooks.Outbound = outbound.Policy{}
	for _, url := range []string{
		inside.URL, "http://[::1]/", "http://169.254.169.254/latest", "http://10.0.0.1/", "http://0.0.0.0/", "http://[::ffff:127.0.0.1]/",
		"ftp://example.com/", "file:///etc/passwd", "https://user:secret@example.com/", "https://example.com:22/", "http://2130706433/", "//example.com", "x", "https://exa mple.com/",
	} {
		_, _, err := w.sv.Webhooks.Create(ctx, authz.OperatorGrant(w.admin.User), w.org, webhooks.New{URL: url, Enabled: true})
		if !errs.Is(err, errs.Invalid) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", url, err)
		}
	}
	// A name is resolved when a delivery is sent.
	h, _ := w.hook(strings.Replace(inside.URL, "127.0.0.1", "localhost", 1))
	w.d = webhooks.NewDispatcher(w.s, outbound.Policy{}, w.d.Log)
	w.change(w.org, "space.update", "space", "s", nil)
	w.work()
	d := w.deliveries(h)
	if reached || d[0].State != docs.DeliveryPending || !strings.Contains(d[0].Error, outbound.AllowVariable) || strings.Contains(d[0].Error, "127.0.0.1") {
		t.Errorf("reached %v, %+v", reached, d)
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t))
	final := w.receiver(nil)
	for _, code := range []int{301, 302, 303, 307, 308} {
		r := w.receiver(func(rw http.ResponseWriter, _ got) {
			rw.Header().Set("Location", final.URL)
			rw.WriteHeader(code)
		})
		h, _ := w.hook(r.URL)
		w.change(w.org, "space.update", "space", "s", nil)
		w.work()
		if d := w.deliveries(h); len(final.all()) > 0 || d[0].State != docs.DeliveryFailed || !strings.Contains(d[0].Error, "redirects") {
			t.Errorf("%d: %+v", code, d)
		}
		w.patch(h, enable(false))
	}
}

func TestAnswersAreBoundedAndPlain(t *testing.T) {
	each(t, func(w *world) {
		t := w.t
		r := w.receiver(func(rw http.ResponseWriter, _ got) {
			rw.WriteHeader(http.StatusBadRequest)
			_, _ = rw.Write([]byte("no\x00\x1b[31m\xff\r\n" + strings.Repeat("ä", 1<<20)))
		})
		h, _ := w.hook(r.URL)
		w.change(w.org, "space.update", "space", "s", nil)
		w.work()
		d := w.deliveries(h)[0]
		if !strings.HasPrefix(d.Answer, "no[31m\nää") || len(d.Answer) > 2<<10 {
			t.Errorf("%d bytes: %.20q", len(d.Answer), d.Answer)
		}
	})
}

// The current settings of a webhook apply, not those at the time of the event.
func TestChangesOfAWebhookTakeEffectAtOnce(t *testing.T) {
	each(t, func(w *world) {
		t := w.t
		old, now := w.receiver(status(http.StatusServiceUnavailable)), w.receiver(nil)
		h, secret := w.hook(old.URL)
		w.change(w.org, "space.update", "space", "s", nil)
		w.work()
		if h = w.read(h); h.FailingSince.IsZero() || h.Failures != 1 {
			t.Errorf("%+v", h)
		}
		h, shown := w.patch(h, webhooks.Patch{URL: opt.Of(now.URL), Secret: opt.Null[string]()})
		if shown == "" || shown == secret || !h.FailingSince.IsZero() {
			t.Errorf("secret %q, %+v", shown, h)
		}
		w.clock.turn(time.Minute)
		w.work()
		seen := now.all()
		if len(seen) == 0 || !seen[0].verify(shown) || seen[0].verify(secret) {
			t.Errorf("%v", seen)
		}
	})
}

func TestDisabledDeletedTestedReplayed(t *testing.T) {
	each(t, func(w *world) {
		t := w.t
		ctx := context.Background()
		by := authz.OperatorGrant(w.admin.User)
		r := w.receiver(status(http.StatusInternalServerError))
		h, _ := w.hook(r.URL, "space.*")
		if d, err := w.sv.Webhooks.Test(ctx, by, w.org, h.ID); err != nil || d.State != docs.DeliveryPending {
			t.Fatal(err)
		}
		w.work()
		w.clock.turn(time.Hour)
		w.work()
		if d := w.deliveries(h); len(r.all()) != 1 || d[0].State != docs.DeliveryFailed || d[0].Type != "webhook.test" || w.read(h).Failures != 0 {
			t.Fatalf("a test is tried once: %d requests, %+v", len(r.all()), d)
		}
		w.change(w.org, "space.update", "space", "s", nil)
		w.work()
		pending := w.deliveries(h)[1]
		if _, err := w.sv.Webhooks.Replay(ctx, by, w.org, h.ID, pending.ID); !errs.Is(err, errs.Precondition) {
			t.Errorf("replay of what is pending: %v", err)
		}
		w.patch(h, enable(false))
		if d := w.deliveries(h)[1]; d.State != docs.DeliveryFailed || !strings.Contains(d.Error, "disabled") {
			t.Errorf("%+v", d)
		}
		for _, err := range []error{
			second(w.sv.Webhooks.Test(ctx, by, w.org, h.ID)), second(w.sv.Webhooks.Replay(ctx, by, w.org, h.ID, pending.ID)),
		} {
			if !errs.Is(err, errs.Precondition) {
				t.Errorf("while it is disabled: %v", err)
			}
		}
		w.clock.turn(time.Hour)
		w.work()
		if n := len(r.all()); n != 2 {
			t.Errorf("%d requests", n)
		}
		r.set(nil)
		w.patch(h, enable(true))
		again, err := w.sv.Webhooks.Replay(ctx, by, w.org, h.ID, pending.ID)
		if err != nil {
			t.Fatal(err)
		}
		w.clear()
		w.work()
		seen := r.all()
		if d := w.deliveries(h); len(seen) != 3 || seen[2].body != seen[1].body || d[2].ID != again.ID || d[2].State != docs.DeliveryDelivered ||
			d[2].ReplayOf != pending.ID || d[2].Event != pending.Event {
			t.Errorf("%d requests, %+v", len(seen), d)
		}
		for _, err := range []error{
			second(w.sv.Webhooks.Replay(ctx, by, w.org, h.ID, "none")), second(w.sv.Webhooks.Replay(ctx, by, w.other, h.ID, pending.ID)),
			second(w.sv.Webhooks.Test(ctx, by, w.other, h.ID)), w.sv.Webhooks.Delete(ctx, by, w.other, h.ID),
		} {
			if !errs.Is(err, errs.NotFound) {
				t.Errorf("a stranger's: %v", err)
			}
		}

		w.change(w.org, "space.update", "space", "s", nil)
		w.fanOut()
		if err := w.sv.Webhooks.Delete(ctx, by, w.org, h.ID); err != nil {
			t.Fatal(err)
		}
		w.work()
		if n := len(r.all()); n != 3 {
			t.Errorf("%d requests after it was deleted", n)
		}
		if err := w.sv.Webhooks.Tidy(ctx, nil); err != nil {
			t.Fatal(err)
		}
		if d := w.deliveries(h); len(d) != 0 {
			t.Errorf("%d lines of a webhook that is gone", len(d))
		}
	})
}

func second[T any](_ T, err error) error { return err }

func TestTheLogIsKeptForAWeek(t *testing.T) {
	each(t, func(w *world) {
		r := w.receiver(nil)
		h, _ := w.hook(r.URL)
		w.change(w.org, "space.update", "space", "old", nil)
		w.work()
		for _, step := range []struct {
			turn time.Duration
			kept int
		}{{7*24*time.Hour - time.Minute, 1}, {time.Hour, 0}} {
			w.clock.turn(step.turn)
			if err := w.sv.Webhooks.Tidy(context.Background(), nil); err != nil {
				w.t.Fatal(err)
			}
			if n := len(w.deliveries(h)); n != step.kept {
				w.t.Errorf("%d lines are kept, want %d", n, step.kept)
			}
		}
	})
}

// Disabling a webhook takes effect before the queue is empty, even while a delivery is in progress.
func TestADisabledWebhookGetsNothingThatIsQueued(t *testing.T) {
	each(t, func(w *world) {
		t := w.t
		ctx := context.Background()
		var h docs.Webhook
		disable := func() {
			now := w.read(h)
			now.Enabled = false
			if err := w.s.Do(ctx, func(tx *store.Tx) error { return tx.PutWebhook(ctx, now) }); err != nil {
				t.Error(err)
			}
		}
		r := w.receiver(func(http.ResponseWriter, got) { disable() })
		h, _ = w.hook(r.URL, "space.*")
		for range 5 {
			w.change(w.org, "space.update", "space", "s", nil)
		}
		w.work()
		if n := len(r.all()); n != 1 {
			t.Errorf("disabled by the first delivery, it got %d", n)
		}
		r.set(nil)
		for range 10 {
			w.clock.turn(time.Hour)
			w.work()
		}
		if n := len(r.all()); n != 1 {
			t.Errorf("while it is disabled, it got %d", n-1)
		}
	})
}

// A delivery that a node has already read from the queue is not sent either, if the webhook was
// disabled in between.
func TestADisabledWebhookGetsNothingThatWasTakenUp(t *testing.T) {
	each(t, func(w *world) {
		t := w.t
		r := w.receiver(nil)
		h, _ := w.hook(r.URL, "space.*")
		w.change(w.org, "space.update", "space", "s", nil)
		w.fanOut()
		taken := w.deliveries(h)
		if len(taken) != 1 {
			t.Fatalf("%d deliveries", len(taken))
		}
		w.patch(h, enable(false))
		if w.d.Attempt(context.Background(), h, taken[0]) || len(r.all()) != 0 {
			t.Errorf("it got %d", len(r.all()))
		}
		if h = w.read(h); h.Failures != 0 {
			t.Errorf("%d failures", h.Failures)
		}
	})
}
