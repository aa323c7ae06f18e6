package embeds

import "time"

const (
	allowancePeriod = time.Minute
	maxByCaller     = 60     // fetches that a caller causes in a period
	maxCallers      = 10_000 // that are counted apart in a period; the others share one count
)

// allowance counts fetches by caller, in fixed periods. Whoever uses it holds
// a lock.
type allowance struct {
	end  time.Time // of the period
	used map[string]int
}

func newAllowance() *allowance { return &allowance{used: map[string]int{}} }

// take reports whether a caller may cause one more fetch, and counts it.
func (a *allowance) take(caller string, now time.Time) bool {
	if !now.Before(a.end) {
		a.end = now.Add(allowancePeriod)
		clear(a.used)
	}
	if _, known := a.used[caller]; !known && len(a.used) >= maxCallers {
		caller = ""
	}
	if a.used[caller] >= maxByCaller {
		return false
	}
	a.used[caller]++
	return true
}
