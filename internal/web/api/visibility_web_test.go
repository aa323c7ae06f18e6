package api_test

import (
	"bytes"
	"encoding/json"
	"image"
	"image/png"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/web/api"
)

var hrefs = regexp.MustCompile(`(?:href|src)="([^"#?]+)|<loc>([^<]+)</loc>|\]\(([^)#?]+)`)

// browsed is what a visitor reads on the web.
type browsed struct {
	pages      string // what is linked, in whatever form
	full       string // the text of the whole site
	feeds      string
	assistants string          // what tools of assistants read and find
	paper      string          // as PDF
	drafts     string          // what the visitor would see of change requests, with their changes
	pictures   map[string]bool // of which pages there are some, by id
}

// cardAddress finds the address of a space and the id of a page in that of its picture.
var cardAddress = regexp.MustCompile(`content="https?://[^/"]+(/[^"]*?)~octavo/ogimage/([^/"]+)/`)

// browse reads the web pages of the site as a visitor does: what is linked, in
// whatever form, and the old addresses. The words in it are what the visitor sees.
func (m *visibilityModel) browse(home, claims string) browsed {
	m.w.t.Helper()
	start, err := url.Parse(home)
	if err != nil {
		m.w.t.Fatal(err)
	}
	v := &webVisitor{m.w, &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, start, claims}
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
	var out, feeds strings.Builder
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		if seen[at] || !strings.HasPrefix(at, start.Path) {
			continue
		}
		if seen[at] = true; len(seen) > 3000 {
			m.w.t.Fatal("the site has no end")
		}
		body, to := v.page(at)
		out.WriteString(body)
		if strings.HasSuffix(at, "/rss.xml") {
			feeds.WriteString(body)
		}
		for _, link := range append(hrefs.FindAllStringSubmatch(body, -1), []string{"", to, "", ""}) {
			target, err := start.Parse(link[1] + link[2] + link[3])
			if err == nil && target.Host == start.Host {
				queue = append(queue, target.EscapedPath())
			}
		}
	}
	web := browsed{pages: out.String(), feeds: feeds.String(), pictures: map[string]bool{}}
	bases := map[string]bool{start.Path: true}
	for _, found := range cardAddress.FindAllStringSubmatch(web.pages, -1) {
		bases[found[1]] = true
	}
	m.elsewhere(v, &web, slices.Sorted(maps.Keys(bases)), slices.Sorted(maps.Keys(seen)))
	return web
}

// elsewhere reads what is made of the pages of some spaces: below the addresses of the
// spaces, and for each address of a page.
func (m *visibilityModel) elsewhere(v *webVisitor, web *browsed, bases, pages []string) {
	web.full, _ = v.page(v.start.Path + "llms-full.txt")
	var assistants, paper, drafts strings.Builder
	for _, base := range bases {
		for id := range m.shown {
			web.pictures[id] = web.pictures[id] || v.hasPicture(base+"~octavo/ogimage/"+id+"/x.png")
		}
		drafts.WriteString(v.draft(base + "~/changes/1/?diff"))
	}
	for _, at := range pages {
		if strings.Contains(at, "~") || strings.HasSuffix(at, ".md") || strings.HasSuffix(at, ".xml") || strings.HasSuffix(at, ".txt") {
			continue
		}
		base := v.start.Path
		for _, b := range bases {
			if strings.HasPrefix(at, b) && len(b) > len(base) {
				base = b
			}
		}
		assistants.WriteString(v.tool("getPage", "url", at[len(v.start.Path):]))
		drafts.WriteString(v.draft(base + "~/changes/1/" + at[len(base):] + "?diff"))
	}
	assistants.WriteString(v.tool("searchDocumentation", "query", "Included text"))
	if file, ok := v.file(v.start.Path + "~octavo/pdf"); ok {
		paper.WriteString(file)
	}
	web.assistants, web.paper, web.drafts = assistants.String(), paper.String(), drafts.String()
}

// webVisitor asks for pages of a site.
type webVisitor struct {
	w      *world
	client *http.Client
	start  *url.URL
	claims string
}

// ask sends a request with the claims of the visitor.
func (v *webVisitor) ask(method, at, body string, headers ...string) (*http.Response, string) {
	v.w.t.Helper()
	req, err := http.NewRequest(method, v.start.Scheme+"://"+v.start.Host+at, strings.NewReader(body))
	if err != nil {
		v.w.t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	req.AddCookie(&http.Cookie{Name: "gitbook-visitor-public-test", Value: url.QueryEscape(v.claims)})
	res, err := v.client.Do(req)
	if err != nil {
		v.w.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode >= 500 {
		v.w.t.Fatalf("%s: %d, %v: %s", at, res.StatusCode, err, b)
	}
	return res, string(b)
}

// hasPicture reports whether an address that ends with x.png leads to a picture, whose
// name is known to nobody who does not see the page.
func (v *webVisitor) hasPicture(at string) bool {
	for range 3 {
		_, to := v.page(at)
		if !strings.HasSuffix(to, "/x.png") {
			return strings.HasSuffix(to, ".png")
		}
		at = to
	}
	return false
}

// page returns what is at an address, without the address itself, and where it
// leads to.
func (v *webVisitor) page(at string) (body, to string) {
	res, body := v.ask(http.MethodGet, at, "")
	if res.StatusCode >= 400 {
		return strings.ReplaceAll(body, at, ""), ""
	}
	return body, res.Header.Get("Location")
}

// draft returns a page of a change request, which a member asks for with the claims of
// the visitor.
func (v *webVisitor) draft(at string) string {
	res, body := v.ask(http.MethodGet, at, "", "Authorization", "Bearer "+v.w.tokens["admin"])
	if res.StatusCode >= 400 {
		return ""
	}
	return body
}

// tool calls a tool of the site for assistants, and returns what it says, without its
// argument.
func (v *webVisitor) tool(name, argument, value string) string {
	call, _ := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": name, "arguments": map[string]string{argument: value}},
	})
	_, body := v.ask(http.MethodPost, v.start.Path+"~octavo/mcp", string(call), "Content-Type", "application/json", "Accept", "application/json, text/event-stream")
	if strings.Contains(body, `"isError":true`) {
		return strings.ReplaceAll(body, value, "")
	}
	return body
}

// file returns the text of a PDF, if there is something that reads it.
func (v *webVisitor) file(at string) (string, bool) {
	reader, err := exec.LookPath("pdftotext")
	if err != nil {
		return "", false
	}
	res, body := v.ask(http.MethodGet, at, "")
	if res.StatusCode != http.StatusOK {
		return "", false
	}
	cmd := exec.Command(reader, "-", "-")
	cmd.Stdin = strings.NewReader(body)
	out, err := cmd.Output()
	if err != nil {
		v.w.t.Errorf("%s: %v", at, err)
	}
	return string(out), true
}

// The address of a file that a visitor was sent is of no use when the site does not
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
