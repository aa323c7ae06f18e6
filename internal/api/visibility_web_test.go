package api_test

import (
	"bytes"
	"encoding/json"
	"image"
	"image/png"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/octavo-docs/octavo/internal/api"
	"github.com/octavo-docs/octavo/internal/testdb"
)

var hrefs = regexp.MustCompile(`(?:href|src)="([^"#?]+)|<loc>([^<]+)</loc>|\]\(([^)#?]+)`)

// browse reads the web pages of the site as a visitor does: what is linked, in
// whatever form, and the old addresses. The words in it are what the visitor sees.
func (m *visibilityModel) browse(home, claims string) string {
	m.w.t.Helper()
	start, err := url.Parse(home)
	if err != nil {
		m.w.t.Fatal(err)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	queue := []string{start.Path, start.Path + "sitemap.xml", start.Path + "llms.txt", start.Path + "index.md", start.Path + "~octavo/search?q=Included"}
	for i := range m.redirects {
		queue = append(queue, start.Path+"old-"+strconv.Itoa(i))
	}
	for _, v := range m.words { // addresses that a visitor could guess
		if v.kind == inText {
			queue = append(queue, start.Path+v.text, start.Path+v.text+".md")
		}
	}
	seen := map[string]bool{}
	var out strings.Builder
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		if seen[at] || !strings.HasPrefix(at, start.Path) {
			continue
		}
		if seen[at] = true; len(seen) > 3000 {
			m.w.t.Fatal("the site has no end")
		}
		body, to := m.page(client, start, at, claims)
		out.WriteString(body)
		for _, link := range append(hrefs.FindAllStringSubmatch(body, -1), []string{"", to, "", ""}) {
			target, err := start.Parse(link[1] + link[2] + link[3])
			if err == nil && target.Host == start.Host {
				queue = append(queue, target.EscapedPath())
			}
		}
	}
	return out.String()
}

// page returns what is at an address, without the address itself, and where it
// leads to.
func (m *visibilityModel) page(client *http.Client, start *url.URL, at, claims string) (body, to string) {
	m.w.t.Helper()
	req, err := http.NewRequest(http.MethodGet, start.Scheme+"://"+start.Host+at, nil)
	if err != nil {
		m.w.t.Fatal(err)
	}
	req.AddCookie(&http.Cookie{Name: "gitbook-visitor-public-test", Value: url.QueryEscape(claims)})
	res, err := client.Do(req)
	if err != nil {
		m.w.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode >= 500 {
		m.w.t.Fatalf("%s: %d, %v: %s", at, res.StatusCode, err, b)
	}
	if res.StatusCode >= 400 {
		return strings.ReplaceAll(string(b), at, ""), ""
	}
	return string(b), res.Header.Get("Location")
}

// The address of a file that a visitor was told is of no use when the site does not
// show the space any more. PDFs are for members.
func TestAddressesOfFilesEndWithTheSite(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t), nil)
	w.must("admin", "POST", "/orgs/$org/spaces", `{"title":"Docs","empty":true}`, "space")
	w.importFolder(w.vars["space"], fstest.MapFS{
		"README.md":             {Data: []byte("# Home\n\n![](.gitbook/assets/a.png)\n"), Mode: 0o644},
		".gitbook/assets/a.png": {Data: tinyPNG(1), Mode: 0o644},
	})
	w.must("admin", "POST", "/orgs/$org/sites", `{"title":"Site","spaces":["$space"]}`, "site")
	w.must("admin", "POST", "/orgs/$org/sites/$site/publish", "")
	arrived := w.call("nobody", "POST", "/urls/published", `{"url":"`+w.srv.URL()+`/s/`+w.vars["site"]+`/"}`)
	token, _ := arrived.json().(map[string]any)["apiToken"].(string)
	auth := "Authorization: Bearer " + token
	var files struct {
		Items []struct{ DownloadURL string }
	}
	if err := json.Unmarshal(w.call("nobody", "GET", w.expand("/spaces/$space/content/files"), "", auth).body, &files); err != nil || len(files.Items) != 1 {
		t.Fatalf("%+v, %v", files, err)
	}
	at := strings.TrimPrefix(files.Items[0].DownloadURL, w.srv.URL()+api.Prefix)
	status := func() int { return w.call("nobody", "GET", at, "").status }
	if got := status(); got != http.StatusOK {
		t.Fatalf("the file: %d", got)
	}
	if got := w.call("nobody", "GET", w.expand("/spaces/$space/pdf"), "", auth).status; got < 400 {
		t.Errorf("a visitor gets the address of a PDF: %d", got)
	}
	w.must("admin", "POST", "/orgs/$org/sites/$site/unpublish", "")
	if got := status(); got != http.StatusNotFound {
		t.Errorf("the file after unpublishing: %d", got)
	}
	w.must("admin", "POST", "/orgs/$org/sites/$site/publish", "")
	if got := status(); got != http.StatusOK {
		t.Errorf("the file after publishing again: %d", got)
	}
	if got := w.call("nobody", "GET", strings.Replace(at, "site="+w.vars["site"], "site=", 1), "").status; got == http.StatusOK {
		t.Errorf("without its site, the address still works: %d", got)
	}
}

// tinyPNG returns an image that differs from those of other numbers.
func tinyPNG(n int) []byte {
	var b bytes.Buffer
	_ = png.Encode(&b, image.NewGray(image.Rect(0, 0, 1+n%50, 1+n/50))) // a buffer takes everything
	return b.Bytes()
}
