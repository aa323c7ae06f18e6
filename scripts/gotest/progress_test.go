package main

import (
	"strings"
	"testing"
	"time"
)

const own = "example.org/owner/name/internal/"

func TestPackagesArePrintedAsTheyEnd(t *testing.T) {
	var out strings.Builder
	now := time.Now()
	p := newProgress(&out, now)
	p.remind(now.Add(quiet))
	for _, e := range []event{
		{Action: "start", Package: own + "slow"},
		{Action: "run", Package: own + "slow", Test: "TestLong"},
		{Action: "output", Package: own + "slow", Test: "TestLong", Output: "=== RUN   TestLong\n"},
		{Action: "start", Package: own + "quick"},
		{Action: "run", Package: own + "quick", Test: "TestA"},
		{Action: "output", Package: own + "quick", Test: "TestA", Output: "a line of a test that passes\n"},
		{Action: "pass", Package: own + "quick", Test: "TestA"},
		{Action: "run", Package: own + "quick", Test: "TestB"},
		{Action: "skip", Package: own + "quick", Test: "TestB"},
		{Action: "output", Package: own + "quick", Output: "ok  \tquick\t(cached)\n"},
		{Action: "pass", Package: own + "quick", Elapsed: 0.5},
		{Action: "skip", Package: own + "empty"},
	} {
		p.see(e, now.Add(quiet))
	}
	p.remind(now.Add(2 * quiet))
	p.see(event{Action: "output", Package: own + "slow", Test: "TestLong", Output: "    file_test.go:12: what is wrong\n"}, now)
	p.see(event{Action: "fail", Package: own + "slow", Test: "TestLong"}, now)
	p.see(event{Action: "fail", Package: own + "slow", Elapsed: 61}, now)
	if p.end() {
		t.Error("a run with a failed test passed")
	}
	want := `...   after 20s, 0 packages ended; running: compiling
ok    internal/quick                     cached  2 tests
...   after 40s, 1 packages ended; running: internal/slow 20s, 0 tests ended, in TestLong
    file_test.go:12: what is wrong
FAIL  internal/slow                       61.0s  1 tests
failed packages: internal/slow
2 packages
1 passed, 1 failed, 1 skipped
`
	if out.String() != want {
		t.Errorf("printed\n%s\nwant\n%s", out.String(), want)
	}
}

// A package that ends at once leaves tests that neither passed nor failed.
func TestAPanicIsPrinted(t *testing.T) {
	var out strings.Builder
	now := time.Now()
	p := newProgress(&out, now)
	for _, e := range []event{
		{Action: "build-output", ImportPath: own + "broken", Output: "x.go:3: undefined: y\n"},
		{Action: "fail", Package: own + "broken"},
		{Action: "run", Package: own + "p", Test: "TestPanics"},
		{Action: "output", Package: own + "p", Test: "TestPanics", Output: "panic: index out of range\n"},
		{Action: "output", Package: own + "p", Output: "exit status 2\n"},
		{Action: "fail", Package: own + "p", Elapsed: 1},
	} {
		p.see(e, now)
	}
	if p.end() || !strings.Contains(out.String(), "x.go:3: undefined: y\nFAIL") || !strings.Contains(out.String(), "panic: index out of range\nexit status 2\n") ||
		!strings.Contains(out.String(), "0 passed, 1 failed, 0 skipped") {
		t.Errorf("printed\n%s", out.String())
	}
}
