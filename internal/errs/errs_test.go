package errs_test

import (
	"testing"

	"github.com/octavo-docs/octavo/internal/errs"
)

func TestSize(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 bytes", 1000: "1000 bytes", 256 << 10: "256 KB", 1 << 20: "1 MB", 32 << 20: "32 MB", 3 << 19: "1536 KB",
	} {
		if got := errs.Size(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
