// Package testrapid makes the property tests of a package draw the same cases
// in every run, so that a test that fails fails for its change. A test imports
// it for that effect. OCTAVO_TEST_RANDOM=1 draws other cases each time.
package testrapid

import (
	"flag"
	"os"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// Check is rapid.Check with factor times as many cases, each another one. A test that calls
// it does not run in parallel: the number of cases is a flag.
func Check(t *testing.T, factor int, prop func(*rapid.T)) {
	t.Helper()
	checks := flag.Lookup("rapid.checks").Value.String()
	n, err := strconv.Atoi(checks)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = flag.Set("rapid.checks", checks) }()
	if err := flag.Set("rapid.checks", strconv.Itoa(n*factor)); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, prop)
}

func init() {
	if os.Getenv("OCTAVO_TEST_RANDOM") != "" {
		return
	}
	// The same cases find only what a change broke: half of the usual number
	// does. make random looks for more, with new ones.
	for name, value := range map[string]string{"rapid.seed": "1", "rapid.checks": "50"} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
}
