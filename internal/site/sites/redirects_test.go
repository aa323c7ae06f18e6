package sites

import (
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
)

// follow returns the target of a redirect within its site, which is needed to detect loops.
func TestFollowRedirects(t *testing.T) {
	site := docs.Site{ID: "site_1", Basename: "acme", Hostname: "docs.acme.test", Proxy: "acme.test/help"}
	hosts := Hosts{Base: "https://octavo.test"}
	tree := NewStructure("Docs", []docs.SiteItem{
		{ID: "a", Kind: docs.SiteSpace, Rank: "a", Path: "a", Default: true, Space: "sa"},
		{ID: "b", Kind: docs.SiteSpace, Rank: "b", Path: "b", Space: "sb", Address: "b"},
	}, nil)
	to := func(id string) docs.RedirectDestination {
		return docs.RedirectDestination{Kind: docs.RedirectSpace, Space: id}
	}
	external := func(url string) docs.RedirectDestination {
		return docs.RedirectDestination{Kind: docs.RedirectExternal, URL: url}
	}
	for _, test := range []struct {
		source string
		keep   bool
		to     docs.RedirectDestination
		path   string
		want   string // empty if the target is content, or outside of the site
	}{
		{"/x", false, to("b"), "/x", ""},
		{"/x/*", false, to("b"), "/x/y", ""},
		{"/x/*", true, to("b"), "/x/y/z", "/b/y/z"},
		{"/b/*", true, to("b"), "/b/y", "/b/y"},
		{"/x/*", true, to("a"), "/x/y", "/y"},
		{"/x/*", true, to("gone"), "/x/y", ""},
		{"/x", false, external("https://docs.acme.test/Y"), "/x", "/y"},
		{"/x/*", true, external("https://octavo.test/s/acme/y"), "/x/z", "/y/z"},
		{"/x", false, external("https://octavo.test/s/site_1/y"), "/x", "/y"},
		{"/x", false, external("https://octavo.test/s/other/y"), "/x", ""},
		{"/x", false, external("https://example.test/y"), "/x", ""},
		{"/x", false, external("https://docs.acme.test/"), "/x", ""},
		{"/x", false, external("http://docs.acme.test//x"), "/x", "/x"},
		{"/x", false, external("https://docs.acme.test/y/../x"), "/x", "/x"},
		{"/x", false, external("https://docs.acme.test/y/%2e%2E/./%58/"), "/x", "/x"},
		{"/x", false, external("https://DOCS.Acme.test.:443/X?a=b#c"), "/x", "/x"},
		{"/x", false, external("https://OCTAVO.test:443/s/acme//x"), "/x", "/x"},
		{"/x", false, external("https://octavo.test//s/./acme/x"), "/x", "/x"},
		{"/x", false, external("https://octavo.test/s/site_1/a/x"), "/x", "/x"},
		{"/b/x", false, external("https://docs.acme.test/B/x"), "/b/x", "/b/x"},
		{"/x", false, external("https://Acme.test/help/x"), "/x", "/x"},
		{"/x", false, external("https://acme.test/helpx"), "/x", ""},
		{"/x/*", true, external("https://docs.acme.test/y/.."), "/x/z", "/z"},
	} {
		r := docs.Redirect{Source: docs.RedirectSource(test.source), KeepSuffix: test.keep, Destination: test.to}
		got, inside := tree.follow(hosts, site, r, test.path)
		if inside != (test.want != "") || inside && got != test.want {
			t.Errorf("%s from %s: %q, %v, want %q", test.source, test.path, got, inside, test.want)
		}
	}
}

// The key of a share link is not part of the path by which redirects are looked up.
func TestFollowRedirectsWithShareKey(t *testing.T) {
	site := docs.Site{ID: "site_1", Visibility: docs.VisibilityLink}
	got, ok := NewStructure("Docs", nil, nil).ownPath(Hosts{Base: "https://octavo.test"}, site, "https://octavo.test/s/site_1/KEY/x/")
	if !ok || got != "/x" {
		t.Errorf("%q, %v", got, ok)
	}
}

func TestASuffixIsAppendedToThePath(t *testing.T) {
	for _, test := range [][3]string{
		{"https://a.test", "b/c", "https://a.test/b/c"},
		{"https://a.test/x/", "b", "https://a.test/x/b"},
		{"https://a.test/x?q=1#h", "b", "https://a.test/x/b?q=1#h"},
		{"https://a.test/x?q=1", "", "https://a.test/x?q=1"},
	} {
		if got := appendPath(test[0], test[1]); got != test[2] {
			t.Errorf("%s and %s: %s, want %s", test[0], test[1], got, test[2])
		}
	}
}
