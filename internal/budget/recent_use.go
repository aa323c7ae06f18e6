package budget

import (
	"math"
	"time"
)

// RecentUse counts how much time each caller used. Half of it is forgotten after a while. It must not be
// used by several goroutines at the same time.
type RecentUse struct {
	halfLife time.Duration
	by       map[string]usedTime
}

type usedTime struct {
	time time.Duration
	at   time.Time
}

// maxCallers is how many are remembered.
const maxCallers = 10_000

// NewRecentUse returns a counter that forgets half after some time.
func NewRecentUse(halfLife time.Duration) *RecentUse {
	return &RecentUse{halfLife, map[string]usedTime{}}
}

// Of returns how much time who used lately.
func (l *RecentUse) Of(who string, now time.Time) time.Duration {
	u, ok := l.by[who]
	if !ok {
		return 0
	}
	return time.Duration(float64(u.time) * math.Exp2(-float64(now.Sub(u.at))/float64(l.halfLife)))
}

// Add counts time that who used.
func (l *RecentUse) Add(who string, d time.Duration, now time.Time) {
	if len(l.by) >= maxCallers {
		for other, u := range l.by {
			if now.Sub(u.at) > 10*l.halfLife {
				delete(l.by, other)
			}
		}
		if len(l.by) >= maxCallers { // an attack: all are equal again
			clear(l.by)
		}
	}
	l.by[who] = usedTime{l.Of(who, now) + d, now}
}
