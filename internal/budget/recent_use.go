package budget

import (
	"math"
	"time"
)

// RecentUse measures how much time each caller used recently. The amounts decay exponentially. It is
// not safe for concurrent use.
type RecentUse struct {
	halfLife time.Duration
	by       map[string]usedTime
}

type usedTime struct {
	time time.Duration
	at   time.Time
}

// maxCallers is the maximum number of callers that are measured.
const maxCallers = 10_000

// NewRecentUse returns a RecentUse whose amounts halve every halfLife.
func NewRecentUse(halfLife time.Duration) *RecentUse {
	return &RecentUse{halfLife, map[string]usedTime{}}
}

// Of returns how much time who used recently.
func (l *RecentUse) Of(who string, now time.Time) time.Duration {
	u, ok := l.by[who]
	if !ok {
		return 0
	}
	return time.Duration(float64(u.time) * math.Exp2(-float64(now.Sub(u.at))/float64(l.halfLife)))
}

// Add adds time that who used.
func (l *RecentUse) Add(who string, d time.Duration, now time.Time) {
	if len(l.by) >= maxCallers {
		for other, u := range l.by {
			if now.Sub(u.at) > 10*l.halfLife {
				delete(l.by, other)
			}
		}
		if len(l.by) >= maxCallers { // an attack: forget all callers
			clear(l.by)
		}
	}
	l.by[who] = usedTime{l.Of(who, now) + d, now}
}
