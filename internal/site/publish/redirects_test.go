package publish_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/store"
)

func TestRedirects(t *testing.T) {
	w := newWorld(t)
	w.acme()
	add := func(source string, permanent bool, to docs.RedirectDestination) {
		t.Helper()
		_, err := w.sites.Redirects.Add(t.Context(), w.grant(), sites.RedirectPatch{
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

// A site with as many redirects as there may be takes no new one, but its redirects can be changed.
func TestRedirectsAtTheLimit(t *testing.T) {
	w := newWorld(t)
	w.acme()
	to := opt.Of(docs.RedirectDestination{Kind: docs.RedirectExternal, URL: "https://example.com/"})
	first, err := w.sites.Redirects.Add(t.Context(), w.grant(), sites.RedirectPatch{Source: opt.Of("/first"), Destination: to}, nil)
	must(t, err)
	must(t, w.sites.Store.Do(t.Context(), func(tx *store.Tx) error {
		for i := range 10_000 - 1 {
			r := first
			r.ID, r.Source = store.NewID[docs.RedirectID](tx), docs.RedirectSource(fmt.Sprintf("/more/%d", i))
			if err := tx.PutRedirect(t.Context(), w.site, r); err != nil {
				return err
			}
		}
		return nil
	}))
	if _, err := w.sites.Redirects.Add(t.Context(), w.grant(), sites.RedirectPatch{Source: opt.Of("/last"), Destination: to}, nil); !errs.Is(err, errs.Precondition) {
		t.Errorf("a redirect above the limit: %v", err)
	}
	if _, err := w.sites.Redirects.Update(t.Context(), w.grant(), first.ID, sites.RedirectPatch{Source: opt.Of("/changed")}, nil); err != nil {
		t.Errorf("a redirect cannot be changed: %v", err)
	}
}
