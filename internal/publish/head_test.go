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
)

var dataBlock = regexp.MustCompile(`(?s)<script type="application/ld\+json">(.*?)</script>`)

// What people wrote is text wherever it gets to in the head of a page.
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

// Previews and pages that are not there describe nothing.
func TestHeadsOfWhatIsNotPublished(t *testing.T) {
	w := newWorld(t)
	w.acme()
	at, err := w.sites.PreviewURL(t.Context(), w.grant(), "", "")
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

// A site of many pages has a sitemap for each space, and its text has parts that
// together have every page once.
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

// inABrowser shows a page in a browser, if there is one, and fails if the policy of
// the page stopped something.
func (w *world) inABrowser(at string) {
	w.Helper()
	chromium, err := exec.LookPath("chromium")
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
