package apispec_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/openapi/apispec"
	"github.com/octavo-docs/octavo/internal/outbound"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// A description at an external URL is fetched once an hour and kept when it disappears. A
// missing one is not requested all the time.
func TestDescriptionsAtAddresses(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t))
	ctx := context.Background()
	at := w.web.URL + "/openapi.yaml"
	title := func() string {
		t.Helper()
		d, err := w.s.AtAddress(ctx, w.org, at)
		if errs.Is(err, errs.NotFound) {
			return ""
		}
		if err != nil {
			t.Fatal(err)
		}
		return d.Title
	}
	step := func(what, want string, asked int) {
		t.Helper()
		if got := title(); got != want {
			t.Errorf("%s: the title is %q, not %q", what, got, want)
		}
		if whole, _ := w.web.counts(); whole != asked {
			t.Errorf("%s: files were sent %d times, not %d", what, whole, asked)
		}
	}
	step("nothing is there", "", 0)
	w.web.set("/openapi.yaml", "openapi: 3.0.0\ninfo: {title: First, version: '1'}\npaths: {/a: {$ref: a.yaml}}\n")
	w.web.set("/a.yaml", "get: {responses: {'200': {description: OK}}}\n")
	step("it was asked a moment ago", "", 0)
	w.clock.add(6 * time.Minute)
	step("it is there", "First", 2)
	step("it is known", "First", 2)
	w.web.set("/openapi.yaml", "<html>an error</html>")
	w.clock.add(2 * time.Hour)
	step("it is gone", "First", 3)
	for _, address := range []string{"file:///etc/passwd", "https:///x", "ftp://example.com/x", ""} {
		if _, err := w.s.AtAddress(ctx, w.org, address); !errs.Is(err, errs.NotFound) {
			t.Errorf("%q: %v", address, err)
		}
	}
	strict := &apispec.Service{Store: w.s.Store, Blobs: w.s.Blobs, Outbound: outbound.Policy{}}
	if _, err := strict.AtAddress(ctx, w.org, at); !errs.Is(err, errs.NotFound) {
		t.Errorf("a private address: %v", err)
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	w.clock.add(2 * time.Hour)
	if _, err := w.s.AtAddress(gone, w.org, at); !errors.Is(err, context.Canceled) {
		t.Errorf("nobody waits any more: %v", err)
	}
}
