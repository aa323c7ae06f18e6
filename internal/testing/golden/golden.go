// Package golden compares what a test got with what is committed, and prints
// the difference as a diff. With the flag -update, tests write the golden files
// instead.
package golden

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/diff"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// Update reports whether golden files are to be written.
func Update() bool { return *update }

// Compare compares got with a golden file, or writes the file.
func Compare(t testing.TB, file string, got []byte) {
	t.Helper()
	if Update() {
		Write(t, file, got)
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; run this test with -update to write it", err)
	}
	Equal(t, file, got, want)
}

// Equal is an error of the test if got is not want, which name names.
func Equal(t testing.TB, name string, got, want []byte) {
	t.Helper()
	if bytes.Equal(got, want) {
		return
	}
	t.Errorf("%s differs; if that is right, run this test with -update\n%s", name, diff.Diff("want", want, "got", got))
}

// Write writes a golden file.
func Write(t testing.TB, file string, got []byte) {
	t.Helper()
	if err := os.WriteFile(file, got, 0o644); err != nil {
		t.Fatal(err)
	}
}
