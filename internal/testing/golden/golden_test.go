package golden

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// recorder keeps the errors of a test.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

func TestCompare(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.golden")
	if err := os.WriteFile(file, []byte("one\ntwo\nthree\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := &recorder{TB: t}
	Compare(r, file, []byte("one\ntwo\nthree\n"))
	if len(r.errors) > 0 {
		t.Errorf("equal texts differ: %q", r.errors)
	}
	Compare(r, file, []byte("one\n2\nthree\n"))
	if len(r.errors) != 1 || !strings.Contains(r.errors[0], "x.golden differs") || !strings.Contains(r.errors[0], "\n one\n-two\n+2\n three\n") {
		t.Errorf("%q", r.errors)
	}
}
