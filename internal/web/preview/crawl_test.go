package preview

import (
	"html"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/testing/testgit"
)

var linked = regexp.MustCompile(`\b(?:href|src|srcset)="([^"]*)"`)

// crawl follows all links of the site, starting at its first page. It returns the number
// of addresses.
func (s served) crawl() int {
	s.t.Helper()
	seen, open := map[string]bool{}, []string{"/"}
	for _, p := range s.now.Load().tree.All() { // including pages that the navigation hides
		if href, ok := s.now.Load().href(p); ok && strings.HasPrefix(href, "/") {
			open = append(open, href)
		}
	}
	for len(open) > 0 {
		at := open[0]
		open = open[1:]
		if seen[at] {
			continue
		}
		seen[at] = true
		a, body := s.ask("GET", at, nil)
		switch {
		case a.StatusCode == 302:
			body = `href="` + html.EscapeString(a.Header.Get("Location")) + `"`
		case a.StatusCode != 200:
			s.t.Errorf("%s: %s", at, a.Status)
			continue
		case !strings.HasPrefix(a.Header.Get("Content-Type"), "text/html"):
			continue
		case strings.Contains(body, "ZgotmplZ"):
			s.t.Errorf("%s has an address that the template refused", at)
		}
		base, err := url.Parse(at)
		if err != nil {
			s.t.Fatal(err)
		}
		for _, m := range linked.FindAllStringSubmatch(body, -1) {
			to, err := base.Parse(html.UnescapeString(m[1]))
			if err != nil {
				s.t.Errorf("%s has the address %q: %v", at, m[1], err)
				continue
			}
			if to.Host == "" && to.Scheme == "" {
				to.Fragment = ""
				open = append(open, to.RequestURI())
			}
		}
	}
	return len(seen)
}

// Every link of every page leads somewhere, or is displayed as broken.
func TestNoLinkLeadsNowhere(t *testing.T) {
	folders := map[string]string{"guide": filepath.Join("..", "..", "..", "docs", "manual", "guide"), "site": unpack(t)}
	for _, name := range []string{"every", "inferred", "monorepo", "odd"} {
		dir := t.TempDir()
		for file, text := range testgit.Repository(t, name) {
			put(t, dir, file, text)
		}
		folders[name] = dir
		if entries, err := os.ReadDir(dir); err == nil {
			for _, e := range entries { // projects of a repository, and plain folders
				if e.IsDir() && e.Name()[0] != '.' {
					folders[name+"/"+e.Name()] = filepath.Join(dir, e.Name())
				}
			}
		}
	}
	for name, dir := range folders {
		t.Run(name, func(t *testing.T) {
			s := serve(t, Config{Dir: dir})
			if s.Pages() == 0 {
				t.Skip("there are no pages")
			}
			s.checked()
			t.Logf("%d pages, %d addresses", s.Pages(), s.crawl())
		})
	}
}
