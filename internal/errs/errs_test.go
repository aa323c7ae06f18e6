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

func TestPlaced(t *testing.T) {
	place := func(path string) string { return "body." + path }
	field := errs.Field("parent", "is closed")
	for plain, c := range map[string]struct {
		err    *errs.Error
		placed string
	}{
		"parent is closed":          {field, "body.parent is closed"},
		"parent is taken":           {errs.Taken("parent", "is taken"), "body.parent is taken"},
		"parent: there is no \"x\"": {errs.At(errs.NotFound, "parent", "there is no %q", "x"), "body.parent: there is no \"x\""},
		"parent names \"x\"":        {errs.About(errs.NotFound, "parent", "names %q", "x"), "body.parent names \"x\""},
		"parent is full":            {errs.E(errs.Quota, "parent is full"), "parent is full"},
	} {
		if got := c.err.Placed(place); c.err.Message != plain || got.Message != c.placed || got.Kind != c.err.Kind {
			t.Errorf("%q: %q, want %q", c.err.Message, got.Message, c.placed)
		}
	}
	if got := field.Placed(place); got.Details[0].Path != "body.parent" || field.Details[0].Path != "parent" {
		t.Errorf("%v, %v", got.Details, field.Details)
	}
}
