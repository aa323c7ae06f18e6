package kernel

import (
	"net/http"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/errs"
)

// A limit refuses what is above it, until its period is over, again and again.
func TestALimitResets(t *testing.T) {
	l := newLimiter(Limit{Requests: 2, Period: time.Minute})
	now := time.Date(2030, 1, 1, 12, 0, 30, 0, time.UTC)
	for period := range 3 {
		for i, want := range []bool{true, true, false, false} {
			h := http.Header{}
			err := l.take(h, "ada", now.Add(time.Duration(i)*time.Second))
			if (err == nil) != want || err != nil && !errs.Is(err, errs.TooMany) {
				t.Errorf("period %d, request %d: %v", period, i, err)
			}
		}
		if err := l.take(http.Header{}, "bob", now); err != nil {
			t.Errorf("somebody else: %v", err)
		}
		now = now.Add(time.Minute)
	}
}
