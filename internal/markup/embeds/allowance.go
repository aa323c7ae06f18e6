package embeds

import "time"

const (
	allowancePeriod = time.Minute
	maxByCaller     = 60     // fetches per caller and period
	maxCallers      = 10_000 // callers that are counted separately; the others share one count
)

// allowance counts fetches by caller, in fixed periods. It is not safe for concurrent
// use; the caller must hold a lock.
type allowance struct {
	end  time.Time // of the period
	used map[string]int
}

func newAllowance() *allowance { return &allowance{used: map[string]int{}} }

// take reports whether a caller may cause one more fetch, and if so counts the fetch.
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
