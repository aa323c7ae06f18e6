package preview

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

const patience = 2 * time.Minute // only a failing test waits this long

// unpack writes the folder of testdata to a temporary folder.
func unpack(t *testing.T) string {
	t.Helper()
	a, err := txtar.ParseFile("testdata/site.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range a.Files {
		put(t, dir, f.Name, string(f.Data))
	}
	return dir
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	full := filepath.Join(dir, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(full, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// served is a server with a client that follows no redirects.
type served struct {
	*Server
	t *testing.T
}

func serve(t *testing.T, c Config) served {
	t.Helper()
	c.Log = slog.New(slog.DiscardHandler)
	if c.Listen == "" {
		c.Listen = "127.0.0.1:0"
	}
	s, err := Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(patience):
			t.Error("the server does not stop")
		}
	})
	return served{s, t}
}

var client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

func (s served) ask(method, at string, change func(*http.Request)) (*http.Response, string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, "http://"+s.Addr()+at, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	if change != nil {
		change(r)
	}
	a, err := client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer a.Body.Close()
	b, err := io.ReadAll(a.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return a, string(b)
}

func (s served) get(at string) string {
	s.t.Helper()
	a, body := s.ask("GET", at, nil)
	if a.StatusCode != http.StatusOK {
		s.t.Fatalf("GET %s: %s\n%s", at, a.Status, body)
	}
	return body
}

// checked waits until the state is checked.
func (s served) checked() {
	s.t.Helper()
	for end := time.Now().Add(patience); s.now.Load().report.Load() == nil; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatal("the folder was not checked")
		}
	}
}

func TestPages(t *testing.T) {
	s := serve(t, Config{Dir: unpack(t)})
	s.checked()
	const nav = `(?s)<nav class="pages".*?`
	for _, c := range []struct {
		name, at string
		want     []string // patterns
		not      []string
	}{
		{"home", "/", []string{
			`<title>Home · `, `<h1 id="home"><span class="emoji">🏠</span> Home</h1>`, `<p class="description">The first page</p>`,
			`<div class="cover"><picture><img src="/.gitbook/assets/a%20b.png" fetchpriority="high" alt="">`,
			`Version 4.2\.`, `<a href="/start">start</a>`, `<a href="/guides/start/deep#the-part">a part</a>`, `<a href="#below">here</a>`,
			`<a href="/guides/start/deep">address</a>`, `<a href="/guides">group</a>`,
			`<h2 id="below">Below<a class="anchor"`, `<img[^>]* src="/.gitbook/assets/a%20b.png"[^>]* alt="picture">`, `<img[^>]*src="/.gitbook/assets/a%20b.png"[^>]*>`,
			`<a href="/data.csv">download</a>`, `<a href="/hidden">hidden</a>`, `<span class="broken">gone</span>`, `<span class="broken">out</span>`,
			`<a href="/unlisted.md">unlisted</a>`, `<a href="/.gitbook/assets/spec.pdf" download>spec.pdf</a>`,
			`<p class="content-ref"><a href="/start">Start</a><svg`,
			`(?s)<nav class="outline".*<a href="#below">Below</a>`, `<a rel="next" href="/start">`,
			nav + `<a href="/" aria-current="page"><span class="emoji">🏠</span> Home</a>`,
			nav + `<a href="/start"><svg class="icon" .*</svg>Begin</a>`,
			nav + `<p class="group">Guides</p>\s*<ul>\s*<li><a href="/guides/start">Start</a><details><summary aria-label="Start"></summary>\s*<ul>\s*<li><a href="/guides/start/deep">Deep</a></li>`,
			nav + `<a href="/guides/start-1">Start</a>`, nav + `<a href="/data.csv">Data</a>`,
			nav + `<a href="/guides/start/deep#the-part">Part</a>`,
			nav + `<a href="https://example.com/\?a=1&amp;b=2" rel="noreferrer">Elsewhere<svg`,
			nav + `<p class="group">Empty</p>`,
			`<li class="error"><span class="where"><a href="/">docs/README.md</a>:14</span> absent.md does not exist <code>broken-link</code>`,
		}, []string{`rel="prev"`, nav + `Hidden</a>`, nav + `Condition</a>`, `<script>alert`, `onclick`, `javascript:`, `LICENSE"`}},
		{"every syntax", "/start", []string{
			`<h1 id="start"><svg class="icon"`, `Note for <a href="/data.csv">data</a> and <a href="/guides/start/deep">deep</a> in 4.2`,
			`Inner text`, `reusable-content unavailable`, `Page variable page\.`, `For everybody`, `<span class="line"><span class="kd">func</span>`,
			`hint hint-warning`, `class="tab-title">One`, `<ol class="stepper">`, `<table>`, `type="checkbox" disabled checked`,
			`<a rel="prev" href="/"`, `<a rel="next" href="/guides/start"`, `include-cycle`,
		}, []string{`Only for some`, `\{%`, `\{\{`}},
		{"nested", "/guides/start/deep", []string{`<h2 id="the-part">`, `<a rel="prev" href="/guides/start"`, `<a rel="next" href="/guides/start-1"`}, nil},
		{"twin", "/guides/start-1", []string{`<h1 id="other-start">Other start</h1>`}, []string{`rel="next"`}},
		{"hidden", "/hidden", []string{`<h1 id="hidden">`, `This page is hidden`}, []string{`rel="prev"`, `rel="next"`}},
		{"condition", "/condition", []string{`does not hold`, `visitor.claims.unsigned.beta`}, nil},
		{"unlisted", "/unlisted.md", []string{`not in SUMMARY.md`}, nil},
		{"problems", "/.octavo/problems", []string{`docs/README.md`, `.gitbook.yaml`, `leads to &#34;absent.md&#34;, which is not a page`}, nil},
		{"search", "/.octavo/search?q=deep", []string{`\{"title":\["","Deep"\],"where":"Guides › Guide start","href":"/guides/start/deep"\}`}, nil},
		{"search in headings", "/.octavo/search?q=part", []string{`\{"title":\["Deep"\],"heading":\["The ","part"\],"where":"Guides › Guide start","href":"/guides/start/deep#the-part"\}`}, nil},
		{"search of hidden", "/.octavo/search?q=hidden", []string{`^\{"hits":\[\],"suggested":\[\{"title":`}, []string{`(?i)hidden`}},
		{"search of nothing", "/.octavo/search", []string{`^\{"hits":\[\],"suggested":\[\{"title":`}, nil},
		{"panel", "/.octavo/panel?file=start.md", []string{`on this page`, `include-cycle`}, []string{`<html`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.t = t
			body := s.get(c.at)
			for _, p := range c.want {
				if !regexp.MustCompile(p).MatchString(body) {
					t.Errorf("%s lacks %s", c.at, p)
				}
			}
			for _, p := range c.not {
				if regexp.MustCompile(p).MatchString(body) {
					t.Errorf("%s has %s", c.at, p)
				}
			}
			if t.Failed() {
				t.Log(body)
			}
		})
	}
}

// An index.md is the page of the preview and of its folders.
func TestIndexIsALandingPage(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "index.md", "# Home\n\n[the guide](guide/)\n")
	put(t, dir, "guide/index.md", "# Guide\n\n[a](a.md)\n")
	put(t, dir, "guide/a.md", "# A\n\n[up](index.md) [top](../index.md)\n")
	put(t, dir, "z.md", "# Z\n")
	s := serve(t, Config{Dir: dir})
	s.checked()
	for at, want := range map[string][]string{
		"/":        {`<h1 id="home">Home</h1>`, `<a href="/guide">the guide</a>`},
		"/guide":   {`<h1 id="guide">Guide</h1>`, `<a href="/guide/a">a</a>`},
		"/guide/a": {`<a href="/guide">up</a> <a href="/">top</a>`},
	} {
		page := s.get(at)
		for _, w := range want {
			if !strings.Contains(page, w) {
				t.Errorf("%s has no %s", at, w)
			}
		}
		if strings.Contains(page, "no-readme") || strings.Contains(page, `class="broken"`) {
			t.Errorf("%s reports a mistake", at)
		}
	}
}

func TestAnswers(t *testing.T) {
	s := serve(t, Config{Dir: unpack(t)})
	for _, c := range []struct {
		at     string
		status int
		header string // and a part of its value
		value  string
		body   string
	}{
		{"/old/start", 302, "Location", "/start", ""},
		{"/moved", 302, "Location", "/guides/start/deep", ""},
		{"/moved/", 302, "Location", "/guides/start/deep", ""},
		{"/manual/deep", 302, "Location", "/guides/start/deep", ""}, // below a page that had this address
		{"/manual/absent", 404, "", "", ""},
		{"/elsewhere", 302, "Location", "https://example.com/x", ""},
		{"/broken", 404, "", "", ""},
		{"/start.md", 302, "Location", "/start", ""},
		{"/start/", 302, "Location", "/start", ""},
		{"/Start", 302, "Location", "/start", ""},
		{"/guides/deep/README.md", 302, "Location", "/guides/start/deep", ""},
		{"/guides/deep", 302, "Location", "/guides/start/deep", ""},
		{"/readme", 302, "Location", "/", ""},
		{"/README.md", 302, "Location", "/", ""},
		{"/guides", 302, "Location", "/guides/start", ""},
		{"/empty", 404, "", "", ""},
		{"/strat", 404, "Content-Type", "text/html", `<a href="/start">`},
		{"/guides/depe", 404, "", "", `<a href="/guides/start/deep">`},
		{"/gone/deep.md", 404, "", "", `<a href="/guides/start/deep">`},
		{"/nothing-like-it-at-all-in-here", 404, "", "", `Go to the first page`},
		{"/%3Cscript%3Ealert(1)%3C/script%3E", 404, "", "", `&lt;script&gt;`},
		{"/.gitbook/assets/a%20b.png", 200, "Cross-Origin-Resource-Policy", "same-origin", "PNG"},
		{"/data.csv", 200, "Content-Type", "text/plain; charset=utf-8", "1,2\n"},
		{"/.gitbook/assets/spec.pdf", 200, "Content-Type", "application/pdf", ""},
		{"/.gitbook/assets/spec.pdf", 200, "Content-Disposition", "attachment", ""},
		{"/.gitbook/assets/page.html", 200, "Content-Type", "application/octet-stream", ""},
		{"/.gitbook/assets/page.html", 200, "Content-Security-Policy", "sandbox", ""},
		{"/.gitbook/assets/drawing.svg", 200, "Content-Security-Policy", "sandbox", ""},
		{"/.octavo/style.css", 200, "Content-Type", "text/css", ".width-50{"},
		{"/.octavo/script.js", 200, "Content-Type", "text/javascript", "EventSource"},
		{"/.octavo/absent", 404, "", "", ""},
		{"/" + strings.Repeat("a", maxPath+1), 414, "", "", ""},
	} {
		a, body := s.ask("GET", c.at, nil)
		if a.StatusCode != c.status || !strings.Contains(a.Header.Get(c.header), c.value) || !strings.Contains(body, c.body) {
			t.Errorf("%s: %s, %s: %q, want %d with %q and %q in\n%s", c.at, a.Status, c.header, a.Header.Get(c.header), c.status, c.value, c.body, body)
		}
		if a.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: the browser may guess", c.at)
		}
	}
	if a, body := s.ask("HEAD", "/start", nil); a.StatusCode != 200 || body != "" {
		t.Errorf("HEAD: %s %q", a.Status, body)
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS"} {
		if a, _ := s.ask(method, "/", nil); a.StatusCode != 405 || a.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %s", method, a.Status)
		}
	}
}

func TestPolicy(t *testing.T) {
	s := serve(t, Config{Dir: unpack(t)})
	nonces := map[string]bool{}
	for range 2 {
		a, body := s.ask("GET", "/", nil)
		policy := a.Header.Get("Content-Security-Policy")
		nonce := regexp.MustCompile(`script-src 'nonce-([^']+)'`).FindStringSubmatch(policy)
		if nonce == nil || strings.Contains(policy, "unsafe") || !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "frame-ancestors 'none'") {
			t.Fatalf("policy: %s", policy)
		}
		if nonces[nonce[1]] || strings.Count(body, nonce[1]) != 3 {
			t.Errorf("the nonce is not new, or not where it belongs")
		}
		nonces[nonce[1]] = true
		for _, tag := range regexp.MustCompile(`<(script|style|link rel="stylesheet")[^>]*>`).FindAllString(body, -1) {
			if !strings.Contains(tag, nonce[1]) && (tag != "<style>" || !strings.Contains(policy, "'sha256-")) { // the fonts
				t.Errorf("not ours: %s", tag)
			}
		}
	}
}

// A site whose name resolves to this machine must not read anything.
func TestHosts(t *testing.T) {
	s := serve(t, Config{Dir: unpack(t)})
	for host, want := range map[string]int{
		"localhost": 200, "localhost:1234": 200, "LOCALHOST.": 200, "docs.localhost": 200, "127.0.0.1:1": 200, "127.9.9.9": 200, "[::1]:80": 200, "[::1]": 200,
		"evil.example": 421, "evil.example:8080": 421, "localhost.evil.example": 421, "127.0.0.1.evil.example": 421, "192.168.1.1": 421,
		"0.0.0.0": 421, "[::]": 421, "notlocalhost": 421, "2130706433": 421,
	} {
		for _, at := range []string{"/", "/data.csv", "/.octavo/search?q=a"} {
			a, body := s.ask("GET", at, func(r *http.Request) { r.Host = host })
			if a.StatusCode != want || want != 200 && strings.Contains(body, "Home") {
				t.Errorf("%s%s: %s", host, at, a.Status)
			}
		}
	}
	named := &Server{Config: Config{Listen: "docs.example:80"}}
	for host, want := range map[string]bool{"docs.example": true, "DOCS.example:99": true, "other.example": false, "": false} {
		if got := named.knows(&http.Request{Host: host}); got != want {
			t.Errorf("%q: %v", host, got)
		}
	}
}

func TestNothingElseIsServed(t *testing.T) {
	dir := unpack(t)
	outside := filepath.Join(t.TempDir(), "outside")
	put(t, outside, "secret.md", "# SECRET\n")
	put(t, outside, "secret.png", "SECRET")
	put(t, dir, "docs/.git/config", "SECRET")
	put(t, dir, ".git/config", "SECRET")
	put(t, dir, "docs/node_modules/x.md", "SECRET")
	put(t, dir, "docs/links.md", "![](linked.png) ![](.gitbook/assets/linked.png) ![](.env) ![](.git/config) ![](folder/secret.png) ![](../LICENSE) [s](linked.md) ![](inside.png)\n")
	for from, to := range map[string]string{
		"docs/linked.png": filepath.Join(outside, "secret.png"), "docs/.gitbook/assets/linked.png": "../../../.git/config",
		"docs/linked.md": filepath.Join(outside, "secret.md"), "docs/folder": outside, "docs/inside.png": "secret.txt",
	} {
		if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
			t.Fatal(err)
		}
	}
	s := serve(t, Config{Dir: dir})
	for _, at := range []string{
		"/.git/config", "/.git", "/.git/", "/.env", "/docs/.env", "/.github/x.md", "/.github/x", "/.gitbook.yaml", "/.gitbook/vars.yaml", "/.gitbook/", "/.gitbook/assets",
		"/.gitbook/assets/", "/.gitbook/includes/note.md", "/LICENSE", "/../LICENSE", "/..%2fLICENSE", "/%2e%2e/LICENSE", "/%2e%2e%2fLICENSE",
		"/.gitbook/assets/../../.env", "/.gitbook/assets/..%2f..%2f.env", "/..%5cLICENSE", "/..\\LICENSE", "//etc/passwd", "/%2fetc/passwd", "/etc/passwd",
		"/secret.txt", "/linked.png", "/.gitbook/assets/linked.png", "/linked.md", "/linked", "/folder/secret.png", "/folder/secret.md", "/folder/", "/inside.png",
		"/node_modules/x.md", "/SUMMARY.md", "/data.csv%00.png", "/data.csv/", "/data.csv/..", "/./data.csv", "/guides/../data.csv", "/start/../.env", "/.",
		"/.octavo/../.env", "/.octavo/panel/../../.git/config", "/data.csv.", "/DATA.CSV",
	} {
		a, body := s.ask("GET", "/", func(r *http.Request) { r.URL.Opaque = at })
		if strings.Contains(body, "SECRET") || strings.Contains(body, "root:") {
			t.Errorf("%s shows what it should not", at)
		}
		if a.StatusCode != 404 && a.StatusCode != 302 && a.StatusCode != 400 && a.StatusCode != 421 && at != "/data.csv/" {
			t.Errorf("%s: %s", at, a.Status)
		}
	}
	// A file is replaced with a link after the folder was read.
	s.get("/data.csv")
	if err := errors.Join(os.Remove(filepath.Join(dir, "docs/data.csv")), os.Symlink("secret.txt", filepath.Join(dir, "docs/data.csv"))); err != nil {
		t.Fatal(err)
	}
	if a, body := s.ask("GET", "/data.csv", nil); a.StatusCode != 404 || strings.Contains(body, "SECRET") {
		t.Errorf("a file that became a link: %s", a.Status)
	}
}

// listen returns a function that waits for the next event of a kind, as a browser does.
func (s served) listen(file string) func(kind string) string {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), "GET", "http://"+s.Addr()+"/.octavo/events?file="+file, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	a, err := client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { a.Body.Close() })
	if a.Header.Get("Content-Type") != "text/event-stream" {
		s.t.Fatalf("%s %s", a.Status, a.Header.Get("Content-Type"))
	}
	lines := make(chan string, 100)
	go func() {
		in := bufio.NewScanner(a.Body)
		for in.Scan() {
			lines <- in.Text()
		}
		close(lines)
	}()
	return func(kind string) string {
		s.t.Helper()
		late := time.After(patience)
		for found := false; ; {
			select {
			case line, ok := <-lines:
				if !ok {
					s.t.Fatal("the events ended")
				}
				if data, ok := strings.CutPrefix(line, "data: "); ok && found {
					return data
				}
				found = line == "event: "+kind
			case <-late:
				s.t.Fatalf("there was no event %s", kind)
			}
		}
	}
}

func TestReload(t *testing.T) {
	dir := unpack(t)
	s := serve(t, Config{Dir: dir})
	body := s.get("/start")
	next := s.listen("start.md")
	first := next("state")
	if !strings.Contains(body, `data-state="`+first+`"`) {
		t.Fatalf("the page is not of the state %s", first)
	}
	change := func(what, file, text, at, want string) {
		t.Helper()
		if text == "" {
			if err := os.Remove(filepath.Join(dir, file)); err != nil {
				t.Fatal(err)
			}
		} else {
			put(t, dir, file, text)
		}
		if id := next("state"); id == first {
			t.Errorf("%s: the state is the one before", what)
		} else {
			first = id
		}
		_, body := s.ask("GET", at, nil)
		if !strings.Contains(body, want) {
			t.Errorf("%s: %s lacks %q:\n%s", what, at, want, body)
		}
		if !strings.Contains(body, `data-state="`+first+`"`) {
			t.Errorf("%s: the page is of another state", what)
		}
	}
	change("the page", "docs/start.md", "# Start\n\nChanged once [x](absent.md).\n", "/start", "Changed once")
	next("report")
	if panel := s.get("/.octavo/panel?file=start.md"); !strings.Contains(panel, "1 on this page") {
		t.Errorf("the new problem is not shown: %s", panel)
	}
	change("another page", "docs/guides/start.md", "# Other title\n", "/start", "Begin")
	change("a content", "docs/.gitbook/includes/note.md", "Other note.\n", "/", "Home")
	change("a variable", "docs/.gitbook/vars.yaml", "version: 5.0-beta\n", "/", "Version 5.0-beta.")
	change("the navigation", "docs/SUMMARY.md", "* [Home](README.md)\n* [Unlisted](unlisted.md)\n", "/unlisted", "<h1")
	change("a page is gone", "docs/unlisted.md", "", "/unlisted", "Not found")
	change("a new page and no navigation", "docs/SUMMARY.md", "", "/new", "Not found")
	change("a new page", "docs/new.md", "# New\n", "/new", "<h1 id=\"new\">New</h1>")
	change("an image", "docs/.gitbook/assets/a b.png", "OTHER", "/", "Home")
	if got := s.get("/.gitbook/assets/a%20b.png"); got != "OTHER" {
		t.Errorf("the image is %q", got)
	}
	change("the root", ".gitbook.yaml", "root: ./docs/guides/\n", "/start", "Other title")
	change("a page in another root", "docs/guides/start.md", "# Title again\n", "/start", "Title again")
	// A folder that cannot be read is reported, and the previous state is still
	// displayed.
	change("a root that is not there", ".gitbook.yaml", "root: ./absent/\n", "/start", "which is not a folder")
	if body := s.get("/start"); !strings.Contains(body, "Title again") {
		t.Error("the state before is gone")
	}
	put(t, dir, "docs/guides/start.md", "# Title meanwhile\n")
	change("a good root", ".gitbook.yaml", "root: ./docs/guides/\n", "/start", "Title meanwhile")
	if s.Trouble() != "" {
		t.Error("it is still in trouble")
	}
}

// A file that is written in steps is displayed in its state before or after, never in
// between.
func TestHalfWrittenFilesAreNotDisplayed(t *testing.T) {
	dir := unpack(t)
	s := serve(t, Config{Dir: dir})
	next := s.listen("start.md")
	first := next("state")
	done := make(chan error, 1)
	go func() {
		f, err := os.Create(filepath.Join(dir, "docs/start.md")) // empty for a moment
		if err != nil {
			done <- err
			return
		}
		for _, part := range []string{"# Written\n\n", "one\n\n", "two\n\n", "the end\n"} {
			time.Sleep(quietTime / 2)
			if _, err = f.WriteString(part); err != nil {
				break
			}
		}
		done <- errors.Join(err, f.Close())
	}()
	seen := make(chan string, 1)
	go func() { seen <- next("state") }()
	for {
		body := s.get("/start")
		if strings.Contains(body, "Written") != strings.Contains(body, "the end") || !strings.Contains(body, "Written") && !strings.Contains(body, "Careful") {
			t.Fatalf("half of a file:\n%s", body)
		}
		select {
		case id := <-seen:
			if id == first {
				t.Error("the same state")
			}
			if err := <-done; err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(s.get("/start"), "the end") {
				t.Error("the new text is not shown")
			}
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// A browser without scripts gets the new content with its next request.
func TestChangesAreSeenWithoutWatching(t *testing.T) {
	dir := unpack(t)
	s := serve(t, Config{Dir: dir})
	put(t, dir, "docs/start.md", "# Start\n\nChanged.\n")
	for end := time.Now().Add(patience); !strings.Contains(s.get("/start"), "Changed."); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the change is not shown")
		}
	}
}

func TestFolderIsReplaced(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "site")
	put(t, dir, "README.md", "# One\n")
	s := serve(t, Config{Dir: dir})
	next := s.listen("README.md")
	next("state")
	if err := os.Rename(dir, dir+"-old"); err != nil {
		t.Fatal(err)
	}
	if id := next("state"); !strings.HasSuffix(id, "!") {
		t.Errorf("a folder that is gone is no trouble: %s", id)
	}
	if body := s.get("/"); !strings.Contains(body, "One") {
		t.Error("the state before is gone")
	}
	put(t, dir, "README.md", "# Two, in a new folder\n")
	next("state")
	if body := s.get("/"); !strings.Contains(body, "Two, in a new folder") {
		t.Errorf("the new folder is not shown:\n%s", body)
	}
}

func TestWatchersAreBounded(t *testing.T) {
	var h hub
	var last chan event
	for range maxWatchers {
		last = h.join("a.md")
	}
	if h.join("b.md") != nil {
		t.Error("one too many")
	}
	for range 100 { // no browser reads the events
		h.send("x", "state")
	}
	h.leave(last)
	if h.join("b.md") == nil {
		t.Error("there is room again")
	}
}

func TestStartRefuses(t *testing.T) {
	dir := unpack(t)
	for name, c := range map[string]Config{
		"no folder":     {Dir: filepath.Join(dir, "absent")},
		"a file":        {Dir: filepath.Join(dir, "LICENSE")},
		"no repository": {Dir: dir, Ref: "main"},
		"no address":    {Dir: dir, Listen: "999.0.0.1:0"},
	} {
		if c.Listen == "" {
			c.Listen = "127.0.0.1:0"
		}
		c.Log = slog.New(slog.DiscardHandler)
		if s, err := Start(t.Context(), c); err == nil {
			t.Errorf("%s: it serves at %s", name, s.URL())
		}
	}
	// A folder without pages is served, and so is a folder that cannot be read.
	empty := serve(t, Config{Dir: t.TempDir()})
	if a, body := empty.ask("GET", "/", nil); a.StatusCode != 404 || !strings.Contains(body, "Not found") {
		t.Errorf("an empty folder: %s", a.Status)
	}
	put(t, dir, ".gitbook.yaml", "root: ../..\n")
	bad := serve(t, Config{Dir: dir})
	if _, body := bad.ask("GET", "/", nil); !strings.Contains(body, "which is not a path in the folder") {
		t.Errorf("a folder that is not understood:\n%s", body)
	}
}
