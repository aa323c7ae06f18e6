package sites_test

import (
	"strings"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testdns"
)

// The proof of a proxy is checked every day. A site loses the address after three failed
// checks in a row, and stores the reason.
func TestProxiesAreCheckedAgain(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		dns := testdns.Start(t)
		w := newWorldWith(t, o, dns.Resolver())
		record, token := docs.HostnameRecord+"acme.test", w.onSite().Site.ProxyToken()
		set := func() {
			t.Helper()
			dns.Set(record, token)
			_, err := w.sites.Update(w.ctx, w.onSite(), sites.SitePatch{Proxy: opt.Of("acme.test/docs")})
			w.must(err)
		}
		days := func(n int) docs.Site {
			t.Helper()
			for range n {
				w.now = w.now.Add(25 * time.Hour)
				w.must(w.sites.Hostnames.CheckDue(w.ctx, nil))
				w.must(w.sites.Hostnames.CheckDue(w.ctx, nil)) // a second run has nothing to do
			}
			return w.onSite().Site
		}
		set()
		version := w.onSite().Site.Version
		if s := days(5); s.Proxy == "" || s.ProxyState.Problem != "" || s.Version != version {
			t.Fatalf("with the record: %+v", s)
		}
		dns.Set(record, "another")
		if s := days(2); s.Proxy == "" || s.ProxyState.Failures != 2 || !strings.Contains(s.ProxyState.Problem, "another value") || s.Version != version {
			t.Fatalf("after two failures: %+v", s)
		}
		dns.Break(true)
		if s := days(5); s.Proxy == "" || s.ProxyState.Failures != 2 || !strings.Contains(s.ProxyState.Problem, "do not answer") {
			t.Fatalf("nobody answers: %+v", s)
		}
		dns.Break(false)
		dns.Set(record, token)
		if s := days(1); s.Proxy == "" || s.ProxyState.Failures != 0 || s.ProxyState.Problem != "" {
			t.Fatalf("the record is back: %+v", s)
		}
		dns.Remove(record)
		lost := days(3)
		if lost.Proxy != "" || lost.Version == version || !strings.Contains(lost.ProxyState.Problem, "lost its address acme.test/docs: there is no TXT record") || lost.ProxyState.NextCheck != 0 {
			t.Fatalf("after three failures: %+v", lost)
		}
		if url := w.sites.URL(lost); strings.Contains(url, "acme.test") {
			t.Errorf("the site is at %s", url)
		}
		if s := days(3); s != lost {
			t.Errorf("it is checked still: %+v", s)
		}
		set()
		if s := w.onSite().Site; s.Proxy == "" || s.ProxyState.Problem != "" {
			t.Errorf("set again: %+v", s)
		}
		w.sites = w.service(dns.Resolver(), "acme.test")
		dns.Remove(record)
		if s := days(4); s.Proxy == "" || s.ProxyState.Problem != "" {
			t.Errorf("the operator vouches: %+v", s)
		}
	})
}
