package publish_test

import (
	"encoding/json"
	"html"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/site/audience"
)

var dataBlock = regexp.MustCompile(`(?s)<script type="application/ld\+json">(.*?)</script>`)

// User input is escaped everywhere in the head of a page.
func TestHeads(t *testing.T) {
	const hostile = `Deep "</script><script>alert(1)</script><!-- ' \ &lt;`
	w := newWorld(t)
	w.old = "fr"
	w.change = func(s string) string {
		return strings.ReplaceAll(s, "# Deep\n", "---\ntitle: |-\n  "+hostile+"\ndescription: '\"><script>alert(2)</script>'\n---\n\n# Deep\n")
	}
	w.acme()
	w.customize(`{"title":"Acme <b> \"docs\"","socialPreview":{"url":"https://cdn.test/card.png?a=1&b=\"'"}}`)
	_, home := w.get(root)
	_, page := w.get(root + "install/deep")
	_, install := w.get(root + "install")
	for body, want := range map[string][]string{
		home: {
			`<link rel="next" href="/install">`, `<link rel="alternate" hreflang="en" href="https://acme.docs.test/">`, `<link rel="alternate" hreflang="fr" href="https://acme.docs.test/v1/">`,
			`<meta property="og:title" content="Welcome">`, `<meta property="og:description" content="Where to begin">`, `<meta property="og:url" content="https://acme.docs.test/">`,
		},
		install: {`<link rel="alternate" hreflang="fr" href="https://acme.docs.test/v1/install">`},
		page: {
			`<link rel="prev" href="/install">`, `<meta property="og:site_name" content="` + html.EscapeString(`Acme <b> "docs"`) + `">`, `<meta property="og:title" content="` + html.EscapeString(hostile) + `">`,
			`<meta property="og:image" content="https://cdn.test/card.png?a=1&amp;b=`, `<meta name="twitter:card" content="summary_large_image">`,
		},
	} {
		for _, s := range want {
			if !strings.Contains(body, s) {
				t.Errorf("no %s in\n%s", s, body[:strings.Index(body, "<body")])
			}
		}
	}
	if strings.Contains(page, "hreflang") || strings.Contains(home, `rel="prev"`) || strings.Contains(page, "<script>alert") {
		t.Errorf("too much in\n%s", page)
	}
	blocks := dataBlock.FindAllStringSubmatch(page, -1)
	if len(blocks) != 2 {
		t.Fatalf("%d descriptions in\n%s", len(blocks), page)
	}
	var article struct{ Headline, DateModified, URL string }
	must(t, json.Unmarshal([]byte(blocks[0][1]), &article))
	if article.Headline != hostile || article.DateModified == "" || article.URL != "https://acme.docs.test/install/deep" {
		t.Errorf("the page is %+v", article)
	}
	var way struct {
		ItemListElement []struct {
			Position   int
			Name, Item string
		}
	}
	must(t, json.Unmarshal([]byte(blocks[1][1]), &way))
	if got := way.ItemListElement; len(got) != 3 || got[1].Item != "https://acme.docs.test/install" || got[2].Name != hostile || got[2].Position != 3 {
		t.Errorf("the way is %+v", got)
	}
	w.inABrowser("http://acme.docs.test/install/deep")
}

// The front matter of a page names alternates of its content: pages of its own and of other
// spaces, by their files, and URLs. Targets that a visitor does not see are omitted.
func TestMetaLinks(t *testing.T) {
	w := newWorld(t)
	w.old = "fr"
	w.acme()
	old, _ := w.titled("v1")
	links := docs.MetaLinks{Canonical: "README.md", Alternates: []string{
		"install/deep.md", "https://example.com/other?a=1&b=2", "javascript:alert(1)", "absent.md", "https://base.test/s/" + string(old.ID) + "/", "/o",
	}}
	w.edit("v2", "install", "", content.Change{Body: text("---\nmetaLinks:\n  canonical: " + links.Canonical + "\n  alternates:\n    - " + strings.Join(links.Alternates, "\n    - ") + "\n---\n\n# Install\n\nText.\n")})
	_, page := w.get(root + "install")
	head, _, _ := strings.Cut(page, "<body")
	for _, want := range []string{
		`<link rel="canonical" href="` + root + `">`, `<link rel="alternate" href="` + root + `install/deep">`, `<link rel="alternate" href="https://example.com/other?a=1&amp;b=2">`,
		`<link rel="alternate" hreflang="fr" href="` + root + `v1/install">`, `<link rel="alternate" href="` + root + `v1/">`, // a language has one address
	} {
		if !strings.Contains(head, want) {
			t.Errorf("no %s in\n%s", want, head)
		}
	}
	if strings.Contains(head, "alert") || strings.Contains(head, "absent") || strings.Count(head, `rel="alternate"`) != 6 { // the Markdown, two languages and three others
		t.Errorf("too much in\n%s", head)
	}
}

// Responses for machines have an ETag and support conditional requests.
func TestTagsForMachines(t *testing.T) {
	w := newWorld(t)
	w.acme()
	compressed := 0
	for _, at := range []string{"index.md", "install.md", "sitemap.xml", "llms.txt", "llms-full.txt", "robots.txt", "api/news/rss.xml"} {
		a, body := w.get(root + at)
		tag := a.Header.Get("ETag")
		if a.StatusCode != 200 || tag == "" || strings.HasPrefix(tag, "W/") {
			t.Errorf("%s: %s with the tag %q", at, a.Status, tag)
		}
		if len(body) > 1<<10 {
			small, _ := w.get(root+at, func(r *http.Request) { r.Header.Set("Accept-Encoding", "gzip") })
			if small.Header.Get("Content-Encoding") != "gzip" || small.Header.Get("ETag") == tag {
				t.Errorf("%s is sent as %v", at, small.Header)
			}
			compressed++
		}
		again, rest := w.get(root+at, func(r *http.Request) { r.Header.Set("If-None-Match", tag) })
		if again.StatusCode != http.StatusNotModified || rest != "" {
			t.Errorf("%s again: %s", at, again.Status)
		}
	}
	if compressed == 0 {
		t.Error("nothing is long enough to be compressed")
	}
	a, before := w.get(root + "install.md")
	w.edit("v2", "install", "", content.Change{Body: text("Other words.")})
	b, after := w.get(root+"install.md", func(r *http.Request) { r.Header.Set("If-None-Match", a.Header.Get("ETag")) })
	if b.StatusCode != 200 || before == after {
		t.Errorf("an edit is not sent: %s", b.Status)
	}
}

// Previews and missing pages have no metadata.
func TestHeadsOfWhatIsNotPublished(t *testing.T) {
	w := newWorld(t)
	w.acme()
	at, err := w.audience.PreviewURL(t.Context(), w.grant(), audience.PreviewStart{})
	must(t, err)
	came, _ := w.get(at)
	_, preview := w.get("https://acme.docs.test/install", func(r *http.Request) { r.AddCookie(came.Cookies()[0]) })
	_, absent := w.get(root + "absent")
	for what, body := range map[string]string{"the preview": preview, "a page that is not there": absent} {
		if strings.Contains(body, "ld+json") || strings.Contains(body, "og:") {
			t.Errorf("%s describes itself:\n%s", what, body)
		}
	}
}

// A site with many pages has a sitemap for each space. The parts of its llms-full.txt
// together contain every page once.
func TestLargeSites(t *testing.T) {
	w := newWorld(t)
	w.acme()
	w.handler.Limit(3)
	_, all := w.get(root + "sitemap.xml")
	for _, at := range []string{"sitemap-pages.xml", "v1/sitemap-pages.xml", "api/sitemap-pages.xml"} {
		if !strings.Contains(all, "<sitemap><loc>"+root+at+"</loc></sitemap>") || strings.Contains(all, "install") {
			t.Errorf("no %s in %s", at, all)
		}
	}
	var text strings.Builder
	next := root + "llms-full.txt"
	for part := 1; next != "" && part < 9; part++ {
		a, body := w.get(next)
		if a.StatusCode != 200 || strings.Count(body, "Source: ") > 3 {
			t.Fatalf("%s: %s\n%s", next, a.Status, body)
		}
		text.WriteString(body)
		_, next, _ = strings.Cut(strings.TrimSpace(body), "The next pages are at ")
	}
	for _, page := range []string{"", "install", "install/deep", "v1/", "v1/install", "api/", "api/news"} {
		if n := strings.Count(text.String(), "Source: "+root+page+"\n"); n != 1 {
			t.Errorf("/%s is there %d times", page, n)
		}
	}
}

// inABrowser loads a page in a browser, if one is installed, and fails if the content
// security policy blocked something.
func (w *world) inABrowser(at string) {
	w.Helper()
	chromium, err := exec.LookPath("chromium-headless-shell")
	if err != nil {
		chromium, err = exec.LookPath("chromium")
	}
	if err != nil || testing.Short() {
		return
	}
	srv := w.serve()
	out, err := exec.CommandContext(w.Context(), chromium, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--v=0", "--user-data-dir="+filepath.Join(w.TempDir(), "profile"),
		"--host-resolver-rules=MAP * "+srv.Listener.Addr().String(), "--virtual-time-budget=2000", "--dump-dom", at).CombinedOutput()
	must(w.T, err)
	if s := string(out); !strings.Contains(s, "ld+json") || strings.Contains(s, "Content Security Policy") || strings.Contains(s, "Refused to") {
		w.Errorf("the browser says\n%s", s)
	}
}
