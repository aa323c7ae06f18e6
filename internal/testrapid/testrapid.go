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
	if err := flag.Set("rapid.seed", "1"); err != nil {
		panic(err)
	}
}
