package kernel

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/errs"
)

// addressPrefix distinguishes a network from the id of a user.
const addressPrefix = "ip:"

// networkCaller returns the name of a caller without a user, who counts by network.
func networkCaller(address string) string { return addressPrefix + authz.NetworkOf(address) }

// Limit is the number of requests that a caller may send in a period; 0 means no limit.
type Limit struct {
	Requests int
	Period   time.Duration
}

// limiter counts requests in fixed windows: by the user of a valid token, or by network
// if there is no user, as for visitors of sites. Each node counts for itself.
type limiter struct {
	limit Limit
	total []string // the limit, as a header value
	mu    sync.Mutex
	end   time.Time // of the current window
	reset []string  // end, as a header value
	used  map[string]int
}

// maxCallers is the maximum number of callers in a window. Beyond it, new networks share
// the counter of the wide network around them, so that a flood of them takes little memory,
// and costs none but its neighbours. Users always have their own counter.
const maxCallers = 100_000

func newLimiter(l Limit) *limiter {
	return &limiter{limit: l, total: []string{strconv.Itoa(l.Requests)}, used: map[string]int{}}
}

// The header names are in canonical form, so that they can be set directly, without a
// conversion for each request.
const (
	limitHeader     = "X-Ratelimit-Limit"
	remainingHeader = "X-Ratelimit-Remaining"
	resetHeader     = "X-Ratelimit-Reset"
)

// take counts one request, sets the headers of the rate limit, and returns an error if
// the limit is exceeded.
func (l *limiter) take(h http.Header, who string, now time.Time) error {
	if l.limit.Requests <= 0 {
		h[limitHeader], h[remainingHeader] = unlimited, unlimited
		h[resetHeader] = []string{strconv.FormatInt(now.Unix(), 10)}
		return nil
	}
	l.mu.Lock()
	if !now.Before(l.end) {
		l.end = now.Truncate(l.limit.Period).Add(l.limit.Period)
		l.reset = []string{strconv.FormatInt(l.end.Unix(), 10)}
		clear(l.used)
	}
	n, known := l.used[who]
	if network, ok := strings.CutPrefix(who, addressPrefix); ok && !known && len(l.used) >= maxCallers {
		who = addressPrefix + authz.WideNetworkOf(network)
		n = l.used[who]
	}
	l.used[who] = n + 1
	left, end, reset := l.limit.Requests-n-1, l.end, l.reset
	l.mu.Unlock()
	h[limitHeader], h[remainingHeader], h[resetHeader] = l.total, []string{strconv.Itoa(max(0, left))}, reset
	if left >= 0 {
		return nil
	}
	wait := int(math.Ceil(end.Sub(now).Seconds()))
	h.Set("Retry-After", strconv.Itoa(wait)) // also for readers of sites, who do not get the message
	return errs.E(errs.TooMany, "too many requests; wait %d seconds", wait)
}

// CountRequest counts a request that is not for an operation against the limit of its
// network.
func (k *Kernel) CountRequest(w http.ResponseWriter, r *http.Request) error {
	return k.limits.take(w.Header(), clientOf(r), k.Clock())
}

var unlimited = []string{strconv.Itoa(math.MaxInt32)}
