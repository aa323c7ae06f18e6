// Package testrapid makes the property tests of a package draw the same cases
// in every run, so that a test that fails fails for its change. A test imports
// it for that effect. OCTAVO_TEST_RANDOM=1 draws other cases each time.
package testrapid

import (
	"flag"
	"os"

	_ "pgregory.net/rapid" // has the flag
)

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
