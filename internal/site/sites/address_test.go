package sites

import (
	"net/url"
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
)

func TestURL(t *testing.T) {
	plain := Hosts{Base: "http://127.0.0.1:8080"}
	domain := Hosts{Base: "https://app.example.com", Domain: "docs.example.com"}
	for _, c := range []struct {
		hosts Hosts
		at    docs.Publication
		key   string
		want  string
	}{
		{plain, docs.Publication{Site: "site_1"}, "", "http://127.0.0.1:8080/s/site_1/"},
		{plain, docs.Publication{Site: "site_1", Basename: "acme", Path: "guides/v2"}, "", "http://127.0.0.1:8080/s/acme/guides/v2/"},
		{domain, docs.Publication{Site: "site_1"}, "", "https://app.example.com/s/site_1/"},
		{Hosts{Base: "http://127.0.0.1:8080", Domain: "sites.localhost"}, docs.Publication{Site: "site_1", Basename: "acme"}, "", "http://acme.sites.localhost:8080/"},
		{domain, docs.Publication{Site: "site_1", Basename: "acme", Path: "größe"}, "", "https://acme.docs.example.com/gr%C3%B6%C3%9Fe/"},
		{domain, docs.Publication{Site: "site_1", Basename: "acme", Hostname: "help.acme.com"}, "", "https://help.acme.com/"},
		{domain, docs.Publication{Site: "site_1", Hostname: "help.acme.com", Proxy: "acme.com/docs", Path: "v2"}, "", "https://acme.com/docs/v2/"},
		{plain, docs.Publication{Site: "site_1", Visibility: docs.VisibilityLink, Path: "v2"}, "KEY", "http://127.0.0.1:8080/s/site_1/KEY/v2/"},
		{plain, docs.Publication{Site: "site_1", Visibility: docs.VisibilityPublic, Path: "v2"}, "KEY", "http://127.0.0.1:8080/s/site_1/v2/"},
	} {
		if got := c.hosts.URL(c.at, c.key); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

func TestLocate(t *testing.T) {
	hosts := Hosts{Base: "https://app.example.com/octavo", Domain: "docs.example.com"}
	for text, want := range map[string]struct {
		name Name
		rest string
		ok   bool
	}{
		"https://app.example.com/octavo/s/site_1/a/b":  {Name{ID: "site_1"}, "a/b", true},
		"https://app.example.com/octavo/s/acme":        {Name{Basename: "acme"}, "", true},
		"https://APP.example.com/octavo/s/acme/a%2Fb/": {Name{Basename: "acme"}, "a%2Fb/", true},
		"https://app.example.com/octavo/s/":            {},
		"https://app.example.com/octavo/v1/user":       {},
		"https://acme.docs.example.com/a":              {Name{Basename: "acme"}, "a", true},
		"https://a.b.docs.example.com/a":               {Name{Basename: "a.b"}, "a", false},
		"https://help.acme.com/":                       {Name{Hostname: "help.acme.com"}, "", true},
		"https://Help.acme.com.:8443/":                 {Name{Hostname: "help.acme.com"}, "", true},
	} {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		name, rest, ok := hosts.Locate(u)
		if ok != want.ok || ok && (name != want.name || rest != want.rest) {
			t.Errorf("%s: %+v, %q, %v", text, name, rest, ok)
		}
	}
}

func TestResolveWithShareKey(t *testing.T) {
	s := newTree()
	for _, title := range []string{"One", "Two"} {
		if _, err := s.AddSpace("", docs.Space{Title: title}); err != nil {
			t.Fatal(err)
		}
	}
	s.readdress()
	got, ok := s.Paths().Resolve("KEY/two/page", true)
	if !ok || got.ShareKey != "KEY" || got.Space.Path != "two" || got.Rest != "page" || !got.Complete {
		t.Errorf("%+v", got)
	}
	if got, _ := s.Paths().Resolve("", true); got.Complete || got.ShareKey != "" {
		t.Errorf("%+v", got)
	}
	if _, ok := newTree().Paths().Resolve("a/b", false); ok {
		t.Error("an empty site leads somewhere")
	}
}
