package testcpu

import (
	"testing"
)

// failed counts the errors of a test.
type failed struct {
	testing.TB
	errors int
}

func (f *failed) Helper()               {}
func (f *failed) Errorf(string, ...any) { f.errors++ }

var sum int

func TestLinear(t *testing.T) {
	for name, c := range map[string]struct {
		steps func(n int) int
		want  int
	}{
		"linear":    {func(n int) int { return 10_000 * n }, 0},
		"quadratic": {func(n int) int { return 10 * n * n }, 1},
		"little":    {func(n int) int { return n }, 0},
	} {
		f := &failed{TB: t}
		Linear(f, 4000, func(n int) func() {
			return func() {
				for i := range c.steps(n) {
					sum += i
				}
			}
		})
		if f.errors != c.want {
			t.Errorf("%s: %d errors, want %d", name, f.errors, c.want)
		}
	}
}

// A linear function that caches its result is linear.
func TestLinearWithCache(t *testing.T) {
	f := &failed{TB: t}
	Linear(f, 4000, func(n int) func() {
		done := false
		return func() {
			if done {
				return
			}
			done = true
			for i := range 10_000 * n {
				sum += i
			}
		}
	})
	if f.errors != 0 {
		t.Errorf("%d errors", f.errors)
	}
}
