package api

import (
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/octavo-docs/octavo/internal/errs"
)

// Limit is how many requests a caller may make in a period; 0 is no limit.
type Limit struct {
	Requests int
	Period   time.Duration
}

// limiter counts requests by verified token, or by address where there is
// none, in fixed windows. Each node counts for itself.
type limiter struct {
	limit Limit
	mu    sync.Mutex
	end   time.Time // of the current window
	used  map[string]int
}

// maxCallers bounds what a window remembers. Beyond it everybody unknown
// shares one count, so that a flood of addresses costs no memory.
const maxCallers = 100_000

func newLimiter(l Limit) *limiter { return &limiter{limit: l, used: map[string]int{}} }

// take counts one request, sets the headers that tell of the limit, and
// refuses when it is used up.
func (l *limiter) take(h http.Header, who string, now time.Time) error {
	if l.limit.Requests <= 0 {
		h["X-Ratelimit-Limit"], h["X-Ratelimit-Remaining"] = unlimited, unlimited
		h.Set("X-RateLimit-Reset", strconv.FormatInt(now.Unix(), 10))
		return nil
	}
	l.mu.Lock()
	if !now.Before(l.end) {
		l.end = now.Truncate(l.limit.Period).Add(l.limit.Period)
		clear(l.used)
	}
	if _, known := l.used[who]; !known && len(l.used) >= maxCallers {
		who = ""
	}
	l.used[who]++
	left := l.limit.Requests - l.used[who]
	end := l.end
	l.mu.Unlock()
	h.Set("X-RateLimit-Limit", strconv.Itoa(l.limit.Requests))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(max(0, left)))
	h.Set("X-RateLimit-Reset", strconv.FormatInt(end.Unix(), 10))
	if left >= 0 {
		return nil
	}
	wait := int(math.Ceil(end.Sub(now).Seconds()))
	h.Set("Retry-After", strconv.Itoa(wait))
	return errs.E(errs.TooMany, "too many requests; wait %d seconds", wait)
}

var unlimited = []string{strconv.Itoa(math.MaxInt32)}
