package publish_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/sites"
)

func TestRedirects(t *testing.T) {
	w := newWorld(t)
	w.acme()
	add := func(source string, permanent bool, to docs.RedirectDestination) {
		t.Helper()
		_, err := w.sites.AddRedirect(t.Context(), w.grant(), sites.RedirectPatch{
			Source: opt.Of(source), Permanent: opt.Of(permanent), Destination: opt.Of(to), Draft: opt.Of(false), KeepSuffix: opt.Of(strings.HasSuffix(source, "*")),
		}, nil)
		must(t, err)
	}
	add("/gone", true, docs.RedirectDestination{Kind: docs.RedirectExternal, URL: "https://example.com/new"})
	add("/blog/*", false, docs.RedirectDestination{Kind: docs.RedirectExternal, URL: "https://example.com/blog"})
	add("/install", false, docs.RedirectDestination{Kind: docs.RedirectExternal, URL: "https://example.com/never"})
	for at, want := range map[string]string{
		"gone": "308 https://example.com/new", "gone?x=1": "308 https://example.com/new?x=1", "blog/a/b": "307 https://example.com/blog/a/b", "install": "200 ", "other": "404 ",
	} {
		a, _ := w.get(root + at)
		if got := fmt.Sprint(a.StatusCode, " ", a.Header.Get("Location")); got != want {
			t.Errorf("%s: %s, want %s", at, got, want)
		}
	}
}
