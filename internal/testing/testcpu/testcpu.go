// Package testcpu tests how the work of a function grows with its input. It
// measures the processor time of the thread, which does not depend on what
// else the machine does, and compares two sizes, so that no test names a
// number of seconds.
package testcpu

import (
	"math"
	"runtime"
	"testing"
	"time"
)

const (
	// Factor is the ratio of two sizes that are compared.
	Factor = 8
	// limit is the ratio of processor time from which growth is not linear. A
	// quadratic function has Factor*Factor; a linear one whose input outgrows the
	// caches of the processor has been seen at five times Factor.
	limit = 6 * Factor
	// little is processor time that is too short to be compared: at the sizes
	// of tests, something quadratic takes longer.
	little = 10 * time.Millisecond
	// attempts is how often something is measured; the shortest time counts,
	// because a machine that stops for a moment counts that as time of the thread.
	attempts = 3
)

// Linear is an error of the test if the processor time of a function grows
// faster than the size of its input, up to n. prepare makes an input of a size
// and returns the function, which must not hand its work to other goroutines.
func Linear(t testing.TB, n int, prepare func(n int) func()) {
	t.Helper()
	large, small := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
	// The large size takes most of the time. Measured once, it is never too short, so one
	// that is linear then is linear: it is measured again only if it is not.
	for range attempts * attempts {
		if large = min(large, Once(prepare(n))); large < little {
			return
		}
		for range attempts { // on input that is new as well, because the function may cache results
			small = min(small, Once(prepare(n/Factor)))
		}
		if large <= limit*small {
			return
		}
	}
	t.Errorf("size %d takes %v of processor time and size %d takes %v: %.0f times as much for %d times the size",
		n/Factor, small, n, large, float64(large)/float64(small), Factor)
}

// Time returns the processor time of run, which is called several times and
// must not hand its work to other goroutines.
func Time(run func()) time.Duration {
	best := Once(run)
	for range attempts - 1 {
		best = min(best, Once(run))
	}
	return best
}

// Once returns the processor time of run, which is called once.
func Once(run func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	runtime.GC()
	start := threadTime()
	run()
	return threadTime() - start
}
