package publish_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/site/audience"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

// TestSitesThatNobodyMayKnowOfLookAbsent asks for a site that is not published and for one that is read by share links as for
// one that does not exist: pages, assets, redirects and texts are the same. (security: d11 case 7)
func TestSitesThatNobodyMayKnowOfLookAbsent(t *testing.T) {
	w := newWorld(t)
	w.acme()
	const name, absent = "acme", "qqxyz"
	asked := []string{
		"", "/", "/install", "/install/", "/wrong-key/", "/wrong-key/install", "/index.md", "/robots.txt", "/sitemap.xml", "/sitemap-pages.xml", "/llms.txt",
		"/llms-full.txt", "/rss.xml", "/~octavo/assets/" + theme.Style.Name, "/wrong-key/~octavo/assets/" + theme.Style.Name, "/~octavo/assets/x.css",
		"/~octavo/search?q=install", "/~octavo/pdf", "/~octavo/auth/login", "/~octavo/auth/logout", "/~octavo/feedback/x", "/~octavo/mcp", "/~gitbook/mcp",
		"/~octavo/files/x/y/z", "/~/changes/1", "/~/revisions/x", "/?jwt_token=a.b.c", "/?visitor.plan=pro", "/?token=x", "?q=1", "//evil.test",
	}
	look := func(at, site string) string {
		var all []string
		for _, c := range []struct{ method, accept string }{{"GET", "text/html"}, {"GET", "*/*"}, {"HEAD", "text/html"}, {"POST", "application/json"}} {
			a, body := w.get(at, func(r *http.Request) {
				r.Method = c.method
				r.Header.Set("Accept", c.accept)
				r.Header.Set("Content-Type", "application/json")
			})
			var head []string
			for key, values := range a.Header {
				head = append(head, fmt.Sprint(key, values))
			}
			slices.Sort(head)
			all = append(all, fmt.Sprint(c.method, " ", c.accept, " ", a.Status, head, body))
		}
		return strings.ReplaceAll(strings.Join(all, "\n"), site, "SITE")
	}
	resolve := func(address string) error {
		u, err := url.Parse(address)
		must(t, err)
		_, err = w.audience.Resolve(t.Context(), audience.Visit{URL: u})
		return err
	}
	for _, state := range []string{"not published", "share-link"} {
		if _, err := w.sites.Publish(t.Context(), w.grant(), state != "not published"); err != nil {
			t.Fatal(err)
		}
		w.update(sites.SitePatch{Visibility: opt.Of(map[string]docs.Visibility{"not published": docs.VisibilityPublic, "share-link": docs.VisibilityLink}[state])})
		for _, path := range asked {
			for _, base := range []string{"https://base.test/s/%s", "https://%s.docs.test"} {
				there, none := fmt.Sprintf(base, name)+path, fmt.Sprintf(base, absent)+path
				if got, want := look(there, name), look(none, absent); got != want {
					t.Errorf("%s, %s:\n%s\nas if it were absent:\n%s", state, there, got, want)
				}
				got, want := resolve(there), resolve(none)
				if !errs.Is(got, errs.NotFound) || errs.Message(got) != errs.Message(want) {
					t.Errorf("%s, resolve %s: %v; if it were absent: %v", state, there, got, want)
				}
			}
		}
	}
}
