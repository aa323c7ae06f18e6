package main_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	demodocs "github.com/octavo-docs/octavo/docs/demo"
	"github.com/octavo-docs/octavo/docs/manual"
)

const (
	firstPage = "/s/demo/"
	lastPage  = "/s/guide/api/reference/spaces/createspace" // made of a description that is processed in the background
)

// demonstrate starts a server with the demonstration, and waits until everything is there: the
// content is added after the server has started.
func demonstrate(t *testing.T, at place) *node {
	t.Helper()
	n := serve(t, at, "--demo")
	for _, path := range []string{firstPage, lastPage} {
		for deadline := time.Now().Add(patience); n.status(path) != http.StatusOK; time.Sleep(50 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("GET %s: %d\n%s", path, n.status(path), n.logged())
			}
		}
	}
	return n
}

// Every page of both sites of the demonstration is there, and every link on them leads somewhere,
// also between the books of the manual and between the variants of the product's documentation.
func TestDemonstrationHasNoBrokenLinks(t *testing.T) {
	t.Parallel()
	at := sqlitePlace(t)
	n := demonstrate(t, at)
	c := crawl{node: n, seen: map[string]bool{}}
	c.visit(t, "/s/guide/")
	guide := len(c.seen)
	c.visit(t, firstPage)
	if product := len(c.seen) - guide; guide < 400 || product < 60 {
		t.Errorf("%d pages of the guide and %d of the product were read", guide, product)
	}
	for _, path := range []string{"/s/demo/ja/concepts/retries", "/s/demo/ar/help/faq", "/s/demo/api/reference/jobs/createjob", "/s/demo/changelog/", "/s/guide/operating/", "/s/guide/api/reference/blocks"} {
		if !c.seen[path] && !c.seen[strings.TrimSuffix(path, "/")] {
			t.Errorf("no page links to %s", path)
		}
	}
	chains := firstPage + "guides/chains"
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	visitor := http.Client{Jar: jar}
	if res, err := visitor.Get(n.url + chains + "?visitor.beta=true"); err != nil || res.StatusCode != http.StatusOK || n.status(chains) != http.StatusNotFound {
		t.Error("the page for some visitors is not for them alone")
	} else {
		res.Body.Close()
	}
	a, err := n.call("", "GET", "/v1/reference", nil)
	if err != nil || !strings.Contains(string(a.body), `<title>All operations`) {
		t.Errorf("/v1/reference does not lead to the reference: %v %.300s", err, a.body)
	}

	token := strings.TrimSpace(mustOctavo(t, at, "token create", "--email=ada@octavo.example"))
	org := list[thing](t, n, token, "/v1/orgs")[0].ID
	spaces := list[struct{ ID, Title string }](t, n, token, "/v1/orgs/"+org+"/spaces")
	if len(spaces) != len(manual.Books)+len(demodocs.Books) {
		t.Errorf("%d spaces", len(spaces))
	}
	for _, sp := range spaces {
		mustOctavo(t, at, "check", "--space="+sp.ID)
	}
}

// crawl reads pages and those that they link to.
type crawl struct {
	node *node
	seen map[string]bool
}

var (
	href    = regexp.MustCompile(` (?:href|src|srcset)="([^"]+)"`)
	notRead = regexp.MustCompile(`/~octavo/(pdf|mcp)$`) // they take long, and speak to programs
	article = regexp.MustCompile(`(?s)<article>.*</article>`)
)

// visit reads the page at a path, and all pages and files of its site that can be reached from it.
func (c *crawl) visit(t *testing.T, path string) {
	t.Helper()
	site := path
	for todo := []string{path}; len(todo) > 0; {
		path, todo = todo[0], todo[1:]
		if c.seen[path] {
			continue
		}
		c.seen[path] = true
		a, err := c.node.call("", "GET", path, nil)
		if err != nil || a.status != http.StatusOK {
			t.Errorf("GET %s: %d %v", path, a.status, err)
			continue
		}
		text := string(a.body)
		if strings.Contains(article.FindString(text), "/~octavo/broken") || strings.Contains(text, `class="unavailable"`) {
			t.Errorf("%s has something that is not there", path)
		}
		for _, m := range href.FindAllStringSubmatch(text, -1) {
			if to, err := url.Parse(strings.ReplaceAll(m[1], "&amp;", "&")); err == nil && to.Host == "" && strings.HasPrefix(to.Path, site) && !notRead.MatchString(to.Path) {
				todo = append(todo, to.EscapedPath())
			}
		}
	}
}

// A reader can try an operation of the product: its sandbox answers, and nothing else on the machine.
func TestDemonstrationAnswersWhatReadersTry(t *testing.T) {
	t.Parallel()
	n := demonstrate(t, sqlitePlace(t))
	for page, c := range map[string]struct{ ask, want string }{
		"/s/demo/api/reference/jobs/createjob":                {`{"spec": "carillon", "method": "POST", "path": "/jobs", "body": "{}"}`, `"status":201`},
		"/s/demo/api/reference/schedules/previewschedule":     {`{"spec": "carillon", "method": "GET", "path": "/schedules/preview", "inputs": {"query.schedule": "0 7 * * 1-5"}}`, `At 07:00, from Monday to Friday`},
		"/s/demo/api/reference/signing-keys/deletesigningkey": {`{"spec": "carillon", "method": "DELETE", "path": "/signing-keys/{key}", "inputs": {"path.key": "sk_1"}}`, `"status":204`},
		"/s/guide/api/reference/system/getapiinformation":     {`{"spec": "octavo", "method": "GET", "path": "/"}`, `\"version\"`},
		"/s/guide/api/reference/users/getauthenticateduser":   {`{"spec": "octavo", "method": "GET", "path": "/user"}`, `"status":401`},
	} {
		a, err := n.call("", "GET", page, nil)
		if err != nil || a.status != http.StatusOK {
			t.Errorf("GET %s: %d %v", page, a.status, err)
			continue
		}
		m := regexp.MustCompile(`<form action="([^"]+/try/[^"]+)"`).FindSubmatch(a.body)
		if m == nil {
			t.Errorf("%s has nothing to try", page)
			continue
		}
		if status, text := n.try(t, string(m[1]), c.ask); status != http.StatusOK || !strings.Contains(text, c.want) {
			t.Errorf("%s: %d %s", page, status, text)
		}
	}
	if a, err := n.call("", "GET", "/sandbox/carillon/v1/nothing", nil); err != nil || a.status != http.StatusNotFound {
		t.Errorf("an operation that is not there: %d %v", a.status, err)
	}
	if a, err := n.call("", "DELETE", "/sandbox/carillon/v1/jobs/job_8Kq2mVx4", nil); err != nil || a.status != http.StatusNoContent {
		t.Errorf("the sandbox for programs: %d %v", a.status, err)
	}
}

// try sends a request that a reader has filled in.
func (n *node) try(t *testing.T, at, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequest("POST", n.url+at, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	res, err := n.http.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

// A start that is interrupted is continued by the next one. When everything is there, a further
// start changes nothing of it.
func TestDemonstrationIsContinued(t *testing.T) {
	t.Parallel()
	at := sqlitePlace(t)
	for i := range 3 {
		n := serve(t, at, "--demo")
		time.Sleep(time.Duration(i) * 400 * time.Millisecond)
		n.kill()
	}
	n := demonstrate(t, at)
	first := n.state(t, at)
	n.stop(t)
	n = demonstrate(t, at)
	if again := n.state(t, at); again != first {
		t.Errorf("a further start has changed\n%s\nto\n%s", first, again)
	}
	fresh := sqlitePlace(t)
	if want := demonstrate(t, fresh).state(t, fresh); want != first {
		t.Errorf("continued, there is\n%s\nand at once\n%s", first, want)
	}
}

// state describes what the organization of the demonstration has, without ids.
func (n *node) state(t *testing.T, at place) string {
	t.Helper()
	token := strings.TrimSpace(mustOctavo(t, at, "token create", "--email=ada@octavo.example"))
	org := "/v1/orgs/" + list[thing](t, n, token, "/v1/orgs")[0].ID
	var out strings.Builder
	for _, sp := range list[struct{ ID, Title string }](t, n, token, org+"/spaces") {
		fmt.Fprintf(&out, "space %s\n", sp.Title)
		var content json.RawMessage
		n.want(t, http.StatusOK, token, "GET", "/v1/spaces/"+sp.ID+"/content/pages?metadata=false", nil, &content)
		fmt.Fprintf(&out, "  %d pages\n", strings.Count(string(content), `"kind":"sheet"`))
		for _, status := range []string{"draft", "open", "merged"} {
			var there struct{ Items []struct{ Subject string } }
			n.want(t, http.StatusOK, token, "GET", "/v1/spaces/"+sp.ID+"/change-requests?status="+status, nil, &there)
			for _, cr := range there.Items {
				fmt.Fprintf(&out, "  %s: %s\n", status, cr.Subject)
			}
		}
	}
	for _, path := range []string{"/collections", "/teams", "/sites", "/openapi", "/members"} {
		fmt.Fprintf(&out, "%s: %d\n", path, len(list[thing](t, n, token, org+path)))
	}
	return out.String()
}

// status returns the status of an address for an anonymous reader.
func (n *node) status(path string) int {
	a, err := n.call("", "GET", path, nil)
	if err != nil {
		return 0
	}
	return a.status
}
