package webhooks_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/webhooks"
)

func TestWhichAnswersAreTriedAgain(t *testing.T) {
	each(t, func(w *world) {
		want := map[docs.DeliveryState][]int{
			docs.DeliveryDelivered: {200, 201, 202, 204, 299},
			docs.DeliveryPending:   {429, 500, 502, 503, 504, 599},
			docs.DeliveryFailed:    {300, 304, 400, 401, 403, 404, 405, 408, 409, 410, 413, 422},
		}
		for state, codes := range want {
			for _, code := range codes {
				r := w.receiver(status(code))
				h, _ := w.hook(r.URL)
				w.change(w.org, "space.update", "space", "s", nil)
				w.work()
				d := w.deliveries(h)[0]
				if d.State != state || d.Status != code || d.Attempts != 1 || (d.Error == "") != (state == docs.DeliveryDelivered) {
					w.t.Errorf("%d: %+v", code, d)
				}
				if failing := !w.read(h).FailingSince.IsZero(); failing != (state != docs.DeliveryDelivered) {
					w.t.Errorf("%d: failing %v", code, failing)
				}
				w.patch(h, enable(false))
			}
		}
	})
}

func TestNoAnswerIsTriedAgain(t *testing.T) {
	each(t, func(w *world) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			w.t.Fatal(err)
		}
		broken := w.receiver(func(http.ResponseWriter, got) { panic(http.ErrAbortHandler) })
		for _, url := range []string{"http://" + l.Addr().String(), strings.Replace(broken.URL, "http:", "https:", 1), broken.URL} {
			_ = l.Close() // nothing listens there any more
			h, _ := w.hook(url + "/?token=hidden")
			w.change(w.org, "space.update", "space", "s", nil)
			w.work()
			d := w.deliveries(h)[0]
			if d.State != docs.DeliveryPending || d.Status != 0 || d.Error == "" || strings.Contains(d.Error, "hidden") || strings.Contains(d.Error, "127.0.0.1") {
				w.t.Errorf("%s: %+v", url, d)
			}
			w.patch(h, enable(false))
		}
		if log := w.log.String(); strings.Contains(log, "hidden") {
			w.t.Error(log)
		}
	})
}

func TestRetryAfterIsHonouredWithinBounds(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t))
	const own = 5*time.Second + time.Second/2 // with maximum jitter
	for _, c := range []struct {
		code        int
		header      string
		least, most time.Duration
	}{
		{429, "120", 2 * time.Minute, 2 * time.Minute},
		{503, "120", 2 * time.Minute, 2 * time.Minute},
		{429, "1", 5 * time.Second, own}, // never earlier than our own pause
		{429, "0", 5 * time.Second, own},
		{429, "-7", 5 * time.Second, own},
		{429, "soon", 5 * time.Second, own},
		{429, "86400", time.Hour, time.Hour},
		{429, "99999999999999999999", 5 * time.Second, own},
		{429, "18446744073709551615", time.Hour, time.Hour},
		{429, "IN 10 MINUTES", 10*time.Minute - time.Second, 10 * time.Minute},
		{429, "Mon, 01 Jan 2035 00:00:00 GMT", time.Hour, time.Hour},
		{429, "Mon, 01 Jan 2001 00:00:00 GMT", 5 * time.Second, own},
	} {
		r := w.receiver(func(rw http.ResponseWriter, _ got) {
			v := c.header
			if v == "IN 10 MINUTES" {
				v = w.clock.now().UTC().Add(10 * time.Minute).Format(http.TimeFormat)
			}
			rw.Header().Set("Retry-After", v)
			rw.WriteHeader(c.code)
		})
		h, _ := w.hook(r.URL)
		w.change(w.org, "space.update", "space", "s", nil)
		w.work()
		d := w.deliveries(h)[0]
		if wait := d.NextAt.Std().Sub(d.LastAt.Std()); wait < c.least || wait > c.most {
			t.Errorf("%d with Retry-After %s: tried again after %v, want %v to %v", c.code, c.header, wait, c.least, c.most)
		}
		w.patch(h, enable(false))
	}
}

// A delivery that never succeeds: the pauses grow, the last attempt is at the end of the day, and the
// webhook is disabled with a reason.
func TestADayOfRetries(t *testing.T) {
	each(t, func(w *world) {
		t := w.t
		r := w.receiver(status(http.StatusServiceUnavailable))
		h, _ := w.hook(r.URL)
		w.change(w.org, "space.update", "space", "s", nil)
		w.work()
		var times []time.Duration
		for range 100 {
			d := w.deliveries(h)[0]
			if d.State != docs.DeliveryPending {
				break
			}
			w.clock.turn(d.NextAt.Std().Sub(w.clock.now()) - time.Millisecond)
			w.work() // too early
			w.clock.turn(time.Millisecond)
			w.work()
		}
		first := r.all()[0].at
		for _, g := range r.all() {
			times = append(times, g.at.Sub(first))
		}
		pauses := []time.Duration{
			5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour,
		}
		for i := 1; i < len(times); i++ {
			want, is := pauses[min(i, len(pauses))-1], times[i]-times[i-1]
			if last := i == len(times)-1; is > want+want/10+time.Millisecond || is < want && !last {
				t.Errorf("pause %d is %v, want about %v", i, is, want)
			}
		}
		end := times[len(times)-1]
		if n := len(times); n < 12 || n > 14 || end < 24*time.Hour-time.Second || end > 24*time.Hour+time.Second {
			t.Errorf("%d attempts, the last after %v", n, end)
		}
		d := w.deliveries(h)[0]
		if d.State != docs.DeliveryFailed || d.Attempts != len(times) || d.Error == "" {
			t.Errorf("%+v", d)
		}
		h = w.read(h)
		for _, part := range []string{"no delivery has succeeded since 2026-01-01T00:00", "answered 503", "enable"} {
			if h.Enabled || !strings.Contains(h.DisabledReason, part) {
				t.Errorf("enabled %v, the reason does not say %q: %s", h.Enabled, part, h.DisabledReason)
			}
		}
		log, _, err := w.s.Audit(context.Background(), w.org, store.AuditFilter{}, store.Page{Limit: 1})
		if err != nil || log[0].Action != "webhook.disable" || log[0].Actor != authz.System.User {
			t.Errorf("%v %v", log, err)
		}

		// Nothing more is sent, and no deliveries accumulate.
		n := len(r.all())
		w.change(w.org, "space.update", "space", "s", nil)
		w.clock.turn(48 * time.Hour)
		w.work()
		if len(r.all()) != n || w.backlog() != (store.Backlog{}) {
			t.Errorf("%d requests more, %+v waits", len(r.all())-n, w.backlog())
		}

		// Enabling the webhook resets its failure state.
		r.set(nil)
		h, _ = w.patch(h, enable(true))
		if h.DisabledReason != "" || h.Failures != 0 || !h.FailingSince.IsZero() {
			t.Errorf("%+v", h)
		}
		w.clear()
		w.change(w.org, "space.update", "space", "s", nil)
		w.work()
		if len(r.all()) != n+1 {
			t.Errorf("%d requests after it was enabled", len(r.all())-n)
		}
	})
}

// One success within a day keeps a webhook enabled.
func TestASuccessEndsTheFailing(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t))
	r := w.receiver(status(http.StatusNotFound))
	h, _ := w.hook(r.URL)
	for day := range 4 {
		r.set(status(http.StatusNotFound))
		w.change(w.org, "space.update", "space", "s", nil)
		w.work()
		w.clock.turn(23 * time.Hour)
		r.set(nil)
		w.change(w.org, "space.update", "space", "s", nil)
		w.work()
		if h = w.read(h); !h.Enabled || !h.FailingSince.IsZero() || h.Failures != 0 {
			t.Fatalf("day %d: %+v", day, h)
		}
		w.clock.turn(23 * time.Hour)
	}
}

// A receiver that is down is not called for every waiting event.
func TestADeadReceiverIsLeftAlone(t *testing.T) {
	each(t, func(w *world) {
		t := w.t
		r := w.receiver(status(http.StatusBadGateway))
		h, _ := w.hook(r.URL)
		const events = 60
		for i := range events {
			w.change(w.org, "space.update", "space", fmt.Sprint(i), map[string]any{"n": i})
		}
		w.work()
		if n := len(r.all()); n < 5 || n > 10 {
			t.Fatalf("%d requests at once to one that is down", n)
		}
		for range 60 { // an hour
			w.change(w.org, "space.update", "space", "more", map[string]any{"n": 1000})
			w.clock.turn(time.Minute)
			w.work()
		}
		if n := len(r.all()); n > 40 {
			t.Errorf("%d requests in an hour", n)
		}
		// A test by a user is sent without waiting.
		d, err := w.sv.Webhooks.Test(context.Background(), authz.OperatorGrant(w.admin.User), w.org, h.ID)
		if err != nil {
			t.Fatal(err)
		}
		n := len(r.all())
		w.work()
		if seen := r.all(); len(seen) > n+2 || seen[n].header.Get("X-Octavo-Delivery") != string(d.ID) {
			t.Errorf("%d requests, the first is %s", len(seen)-n, seen[n].body)
		}
		r.set(nil)
		w.clock.turn(5 * time.Minute)
		w.work() // the receiver is back: all deliveries that do not wait for a retry follow at once
		w.clock.turn(4 * time.Hour)
		w.work()
		for _, d := range w.deliveries(h) {
			if d.State != docs.DeliveryDelivered && d.Kind != docs.DeliveryTest {
				t.Errorf("%+v", d)
			}
		}
	})
}

func TestSecretsAreNowhere(t *testing.T) {
	each(t, func(w *world) {
		t := w.t
		ctx := context.Background()
		r := w.receiver(status(http.StatusInternalServerError))
		by := authz.OperatorGrant(w.admin.User)
		const given, next = "a-secret-that-was-given", "another-one-that-was-given"
		h, shown, err := w.sv.Webhooks.Create(ctx, by, w.org, webhooks.New{URL: r.URL + "/path-token?key=query-token", Secret: given, Enabled: true})
		if err != nil || shown != given {
			t.Fatal(shown, err)
		}
		_, made, err := w.sv.Webhooks.Create(ctx, by, w.org, webhooks.New{URL: r.URL, Enabled: true})
		if err != nil || len(made) < 40 {
			t.Fatal(made, err)
		}
		w.work()
		_, shown = w.patch(h, webhooks.Patch{Secret: opt.Of(next)})
		if shown != next {
			t.Error(shown)
		}
		w.work()
		w.clock.turn(time.Minute)
		w.work()
		seen := r.all()
		if last := seen[len(seen)-1]; !last.verify(next) && !last.verify(made) {
			t.Error("not signed with a secret of now")
		}
		everything := w.log.String() + w.dump()
		for _, secret := range []string{given, next, made} {
			if strings.Contains(everything, secret) {
				t.Errorf("%q is in the database, what is sent, or the log", secret)
			}
		}
		output := w.log.String()
		for _, g := range seen {
			output += g.body
		}
		for _, secret := range []string{"path-token", "query-token"} {
			if strings.Contains(output, secret) {
				t.Errorf("%q is in what is sent or the log", secret)
			}
		}
	})
}

// dump returns the webhooks, deliveries and audit entries of the organization as text.
func (w *world) dump() string {
	w.t.Helper()
	ctx := context.Background()
	var b strings.Builder
	audit, _, err := w.s.Audit(ctx, w.org, store.AuditFilter{}, store.Page{Limit: 1000})
	if err != nil {
		w.t.Fatal(err)
	}
	hooks, _, err := w.s.Webhooks(ctx, w.org, store.Page{Limit: 1000})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, h := range hooks {
		fmt.Fprintf(&b, "%+v\n%+v\n", h, w.deliveries(h))
	}
	fmt.Fprintf(&b, "%+v\n", audit)
	return b.String()
}
