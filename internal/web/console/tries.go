package console

import (
	"net/http"
	"sync"
	"time"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/signin"
)

// tries counts the sign-in attempts from each network. It makes the sender of requests wait, never
// the person whose address was entered.
type tries struct {
	clock func() time.Time
	most  int // per window
	mu    sync.Mutex
	end   time.Time // of the window
	count map[string]int
}

const (
	maxTries  = 60
	maxVisits = 2_000
	tryWindow = 10 * time.Minute
	maxOrigin = 50_000 // networks with a counter of their own
)

func newTries(clock func() time.Time, most int) *tries {
	return &tries{clock: clock, most: most, count: map[string]int{}}
}

// take counts an attempt from a network and returns how long the network has to wait. If there are
// too many networks, a new one shares the counter of the wide network around it.
func (t *tries) take(from string) time.Duration {
	now := t.clock()
	t.mu.Lock()
	defer t.mu.Unlock()
	if !now.Before(t.end) {
		t.end = now.Add(tryWindow)
		clear(t.count)
	}
	if _, known := t.count[from]; !known && len(t.count) >= maxOrigin {
		from = authz.WideNetworkOf(from)
	}
	t.count[from]++
	if t.count[from] <= t.most {
		return 0
	}
	return t.end.Sub(now)
}

// networkOf returns the network of a request.
func networkOf(r *http.Request) string {
	return authz.NetworkOf(authz.OriginOf(r.RemoteAddr, "").Address)
}

// limitSignIns rejects a request if its network has made too many sign-in attempts.
func (h *Handler) limitSignIns(do http.HandlerFunc) http.HandlerFunc {
	return h.limitTries(h.tries, do)
}

// limitSSO rejects a request if its network has used single sign-on too often.
func (h *Handler) limitSSO(do http.HandlerFunc) http.HandlerFunc { return h.limitTries(h.visits, do) }

func (h *Handler) limitTries(t *tries, do http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if wait := t.take(networkOf(r)); wait > 0 {
			h.SignIn.RecordRefusal(r.Context(), signin.Refusal{Reason: "too many tries from one network"}, client(w, r))
			e := errs.E(errs.TooMany, "Too many attempts from your network. Wait %d minutes.", int(wait.Minutes())+1)
			e.After = wait
			h.fail(w, r, e)
			return
		}
		do(w, r)
	}
}
