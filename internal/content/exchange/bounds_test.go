package exchange

import (
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/errs"
)

// Of the imports that hold much text there is one at a time, and the place is free again after it.
func TestLargeImportsTakeTurns(t *testing.T) {
	x := New(Exchange{})
	begin := func(size int64) (*source, error) {
		s := &source{s: x, base: &revision.View{}}
		in := blobFetch{from: s, limits: upstreamLimits()}
		for range size >> 20 {
			if _, err := in.object("x", 1<<20, strings.NewReader(strings.Repeat("x", 1<<20)), 1); err != nil {
				return s, err
			}
		}
		return s, nil
	}
	first, err := begin(2 * smallImport)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := begin(smallImport); err != nil {
		t.Errorf("a small import beside a large one: %v", err)
	}
	if _, err := begin(2 * smallImport); !errs.Is(err, errs.Busy) {
		t.Errorf("a second large import: %v", err)
	}
	first.releaseLarge()
	if _, err := begin(2 * smallImport); err != nil {
		t.Errorf("after the first: %v", err)
	}
}
