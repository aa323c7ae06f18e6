package publish_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/blob"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/openapi/apispec"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/site/audience"
	"github.com/octavo-docs/octavo/internal/site/insights"
	"github.com/octavo-docs/octavo/internal/site/publish"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/spaces"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/visitor"
)

// world is a store with one site, and a handler that serves it.
type world struct {
	*testing.T
	sites    *sites.Service
	audience *audience.Service
	spaces   *spaces.Service
	content  *content.Service
	org      docs.OrgID
	actor    authz.Actor
	site     docs.SiteID
	handler  *publish.Handler
	token    string
	change   func(string) string // applied to every file of the test data
	old      string              // language of the old version

	insights *insights.Service
	specs    *apispec.Service
	log      bytes.Buffer
	folder   string // of pictures; empty if none are made
}

func newWorld(t *testing.T) *world { return newWorldIn(t, testdb.SQLite(t)) }

// newWorldIn returns a world in a database.
func newWorldIn(t *testing.T, o store.Options) *world {
	t.Helper()
	w := newNode(t, o, testdb.Blobs(t))
	b, err := orgs.New(w.sites.Store, orgs.Config{}).Operator.Bootstrap(t.Context(), "ada@acme.test", "Acme", "test")
	must(t, err)
	w.org, w.actor, w.token = b.Organization, authz.OperatorGrant(b.User).Actor, b.Token
	return w
}

// newNode returns a server of a world. Two nodes share nothing but the store and the blobs.
func newNode(t *testing.T, o store.Options, files blob.Store) *world {
	t.Helper()
	st := testdb.Open(t, o)
	c := content.New(content.Config{Store: st, Blobs: files, BaseURL: "https://base.test"})
	c.Source.BaseURL = "https://base.test"
	w := &world{
		T: t, content: c, spaces: &spaces.Service{Store: st, Content: c},
		sites: sites.New(st, sites.Config{Hosts: sites.Hosts{Base: "https://base.test", Domain: "docs.test"}}), change: same,
	}
	w.audience = audience.New(w.sites)
	w.insights = &insights.Service{Store: st, Audience: w.audience, Source: c.Source}
	w.specs = &apispec.Service{Store: st, Blobs: files}
	c.Specs = w.specs
	var err error
	w.handler, err = publish.New(publish.Config{Audience: w.audience, Sites: w.sites, Content: c, Guard: authz.NewGuard(st, w.audience, nil), Insights: w.insights, Log: slog.New(slog.NewTextHandler(&w.log, nil))})
	must(t, err)
	return w
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// space creates a space from a folder of the test data.
func (w *world) space(title, dir string, change func(string) string) docs.Space {
	w.Helper()
	top, _, err := authz.NewChecker(w.sites.Store.Reader).Org(w.Context(), w.actor, authz.CreateContent, w.org)
	must(w.T, err)
	n := spaces.NewSpace{Title: title, EditMode: docs.EditLive, Language: "en", Empty: true}
	if dir == "v1" && w.old != "" {
		n.Language = w.old
	}
	sp, _, err := w.spaces.Create(w.Context(), top, n)
	must(w.T, err)
	a, err := txtar.ParseFile("testdata/site.txtar")
	must(w.T, err)
	files := fstest.MapFS{}
	for _, f := range a.Files {
		if name, ok := strings.CutPrefix(f.Name, dir+"/"); ok {
			files[name] = &fstest.MapFile{Data: []byte(w.change(change(string(f.Data))))}
		}
	}
	tree, err := folder.Read(files, folder.Limits{})
	must(w.T, err)
	_, err = w.content.Import(w.Context(), authz.OperatorGrant(w.actor.User), sp, tree, func(string, int, int) {})
	must(w.T, err)
	stored, err := w.sites.Store.Space(w.Context(), sp.ID)
	must(w.T, err)
	return stored.It
}

func same(s string) string { return s }

func (w *world) grant() *authz.Grant {
	w.Helper()
	g, _, err := authz.NewChecker(w.sites.Store.Reader).Site(w.Context(), w.actor, authz.AdminSite, w.org, w.site)
	must(w.T, err)
	return g
}

// acme creates a public site: a guide with two versions, and a reference.
func (w *world) acme() {
	w.Helper()
	v1 := w.space("v1", "v1", same)
	guide := w.space("v2", "guide", func(s string) string { return strings.ReplaceAll(s, "V1SPACE", string(v1.ID)) })
	api := w.space("API", "api", same)
	top, _, err := authz.NewChecker(w.sites.Store.Reader).Org(w.Context(), w.actor, authz.CreateContent, w.org)
	must(w.T, err)
	site, err := w.sites.Create(w.Context(), top, sites.NewSite{Title: "Acme docs", Spaces: []docs.SpaceID{guide.ID}})
	must(w.T, err)
	w.site = site.ID
	_, _, err = w.sites.AddSection(w.Context(), w.grant(), sites.NewSection{Title: "API", Space: api.ID})
	must(w.T, err)
	_, _, err = w.sites.AddLink(w.Context(), w.grant(), sites.LinkPatch{Title: opt.Of("Shop"), URL: opt.Of("https://shop.test/?a&b")})
	must(w.T, err)
	_, _, err = w.sites.AddLink(w.Context(), w.grant(), sites.LinkPatch{Title: opt.Of("Planned"), URL: opt.Of("https://planned.test/"), Draft: opt.Of(true)})
	must(w.T, err)
	_, _, err = w.sites.AddSpace(w.Context(), w.grant(), sites.NewSpace{Space: v1.ID})
	must(w.T, err)
	w.update(sites.SitePatch{Basename: opt.Of("acme")})
	_, err = w.sites.Publish(w.Context(), w.grant(), true)
	must(w.T, err)
}

func (w *world) update(p sites.SitePatch) {
	w.Helper()
	_, err := w.sites.Update(w.Context(), w.grant(), p)
	must(w.T, err)
}

// get sends a GET request, and does not follow redirects.
func (w *world) get(at string, change ...func(*http.Request)) (*http.Response, string) {
	w.Helper()
	r := httptest.NewRequestWithContext(w.Context(), "GET", at, nil)
	for _, fn := range change {
		fn(r)
	}
	rec := httptest.NewRecorder()
	if !w.handler.Owns(r) {
		w.Fatalf("%s is for no site", at)
	}
	w.handler.ServeHTTP(rec, r)
	return rec.Result(), rec.Body.String()
}

const root = "https://acme.docs.test/"

var files = regexp.MustCompile(`/[^"]*~octavo/files/[^"]+`)

func TestPages(t *testing.T) {
	w := newWorld(t)
	w.acme()
	for _, c := range []struct {
		name, at  string
		want, not []string // patterns
	}{
		{"home", root, []string{
			`<title>Welcome · Acme docs</title>`, `<link rel="canonical" href="https://acme.docs.test/">`, `<link rel="alternate" type="text/markdown" href="/index.md">`,
			`<meta name="description" content="Where to begin">`, `<a href="/install#linux">install</a>`, `<span class="broken">secret</span>`,
			`<a href="/v1/">v1</a>`, `<a href="/~octavo/files/[^/]+/[0-9a-f]+/data.csv"[^>]*>data</a>`, `For everybody`,
			`(?s)<nav class="sections".*<a href="/" aria-current="true">Acme docs</a>.*<a href="/api/">API</a>.*<a href="https://shop.test/\?a&amp;b" rel="noreferrer">Shop</a>`,
			`(?s)Version: </span><span>v2</span><svg.*<a href="/v1/">v1</a>`,
			`(?s)<nav class="pages".*<a href="/install">Install</a><details><summary aria-label="Install"></summary>\s*<ul>\s*<li><a href="/install/deep">Deep</a>.*<p class="group">Group</p>`,
			`<a rel="next" href="/install">`,
		}, []string{`beta readers`, `Secret`, `Below`, `Hidden`, `Planned`, `noindex`, `rel="prev"`}},
		{"page", root + "install", []string{`<h1 id="install-run">Install &amp; run</h1>`, `hint hint-danger`, `<a rel="prev" href="/">`, `<a rel="next" href="/install/deep">`, `(?s)Version:.*<a href="/v1/install">v1</a>`}, nil},
		{"nested", root + "install/deep", []string{`(?s)class="crumbs".*<a href="/install">Install`, `<a rel="next" href="/group/one">`}, nil},
		{"hidden page by its address", root + "hidden", []string{`<h1 id="hidden">`}, []string{`rel="prev"`}},
		{"not for robots", root + "group/one", []string{`noindex`}, nil},
		{"variant", root + "v1/install", []string{`The old way`, `(?s)Version: </span><span>v1</span><svg.*<a href="/install">v2</a>`, `<a class="name" href="/">`}, nil},
		{"section", root + "api/", []string{`Calls`, `<a href="/api/" aria-current="true">API</a>`}, []string{`Version:`}},
		{"below the base address", "https://base.test/s/acme/install", []string{`<a href="/s/acme/install/deep">`, `href="/s/acme/~octavo/assets/style-`, `rel="canonical" href="https://acme.docs.test/install"`}, nil},
		{"by id", "https://base.test/s/" + string(w.site) + "/install", []string{`<h1 id="install-run">`}, nil},
		{"search", root + "~octavo/search?q=zebra", []string{`<a href="/install#linux">`, `value="zebra"`}, []string{`Secret`, `password`, `Below`}},
		{"search as JSON", root + "~octavo/found?q=zebra", []string{
			`^\{"hits":\[\{"title":\["Install \\u0026 run"\],"heading":\["Linux"\],"text":\["Unpack the ","zebra"," archive.[^\]]*"\],"href":"/install#linux"`,
		}, []string{`Secret`, `password`, `suggested`}},
		{"empty search", root + "~octavo/found?q=", []string{
			`^\{"hits":\[\],"suggested":\[\{"title":\["Welcome"\],"href":"/","icon":\{"box":"0 0 512 512","path":"M`, `\{"title":\["In a group"\],"where":"Group","href":"/group/one"\}`, `"/install/deep"\}\]\}$`,
		}, []string{`Secret`, `Hidden`, `Elsewhere`, `password`}},
		{"search without words", root + "~octavo/search", []string{`name="q" required[^>]* autofocus`, `Type some words`, `<h2>Suggested pages</h2>`, `<a href="/install">Install`}, []string{`Secret`}},
		{"search that finds nothing", root + "~octavo/search?q=nowhere", []string{`Nothing was found for <strong>nowhere</strong>`, `Check the spelling`, `<h2>Suggested pages</h2>`}, []string{`Secret`}},
		{"search in a section", root + "api/~octavo/search?q=calls", []string{`<a href="/api/">API</a>`}, nil},
		{"search in another section", root + "~octavo/search?q=calls", []string{`<a href="/api/">API</a> <small>API</small>`}, nil},
		{"search that offers one section", root + "~octavo/search?q=calls", []string{`<a href="/~octavo/search\?q=calls&amp;in=section">Acme docs</a>`, `<a href="/~octavo/search\?q=calls" aria-current="true">All sections</a>`}, nil},
		{"search of one section", root + "~octavo/search?q=calls&in=section", []string{`in=section" aria-current="true">`}, []string{`<a href="/api/">API</a> <small>API</small>`}},
		{"search of one section as JSON", root + "~octavo/found?q=calls&in=section", []string{`^\{"hits":\[\]`}, nil},
		{"search in another section again", root + "api/~octavo/search?q=zebra", []string{`<a href="/install#linux">`}, []string{`password`}},
		{"no search in other variants", root + "~octavo/found?q=version+one", []string{`^\{"hits":\[\]`}, nil},
		{"Markdown", root + "install.md", []string{`(?m)^# Install`, `## Linux`, `\{% hint style="danger" %\}`}, nil},
		{"Markdown of the first page", root + "index.md", []string{`\[install\]\(/install.md#linux\)`, `For everybody`}, []string{`beta`, `secret.md`}},
		{"robots", root + "robots.txt", []string{`Allow: /`, `Sitemap: https://acme.docs.test/sitemap.xml`}, nil},
		{"sitemap", root + "sitemap.xml", []string{
			`<loc>https://acme.docs.test/</loc><lastmod>`, `<loc>https://acme.docs.test/install/deep</loc>`, `<loc>https://acme.docs.test/v1/install</loc>`, `<loc>https://acme.docs.test/api/</loc>`,
		}, []string{`secret`, `below`, `hidden`, `group`}},
		{"sitemap of a space", root + "api/sitemap-pages.xml", []string{`<loc>https://acme.docs.test/api/news</loc>`}, []string{`install`}},
		{"sitemap of the first space", root + "sitemap-pages.xml", []string{`<loc>https://acme.docs.test/install</loc>`}, []string{`/api/`, `(?i)secret`}},
		{"whole text", root + "llms-full.txt", []string{`(?m)^# Welcome`, `Unpack the zebra archive`, `Source: https://acme.docs.test/api/news`, `For everybody`}, []string{`password`, `beta readers`, `(?i)below`, `This is not all`, `In a group`}},
		{"feed", root + "api/news/rss.xml", []string{
			`<title>News · Acme docs</title><link>https://acme.docs.test/api/news</link>`, `(?s)<title>Second</title>.*<title>Faster &amp; &lt;better&gt;</title>`, `<pubDate>Thu, 25 Dec 2025 00:00:00 \+0000</pubDate>`,
			`&lt;a href=&#34;https://acme.docs.test/api/&#34;&gt;calls`, `https://acme.docs.test/api/news#second&#34;`, `<link>https://acme.docs.test/api/news#faster`,
		}, []string{`beta readers`, `&#34;anchor&#34;`}},
		{"page with a feed", root + "api/news", []string{`<link rel="alternate" type="application/rss\+xml" href="/api/news/rss.xml">`}, nil},
		{"list for language models", root + "llms.txt", []string{`^# Acme docs`, `- \[Welcome\]\(https://acme.docs.test/index.md\): Where to begin`, `- \[Deep\]\(https://acme.docs.test/install/deep.md\)`}, []string{`(?i)secret`, `(?i)hidden`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, body := w.get(c.at)
			if a.StatusCode != 200 || a.Header.Get("Cache-Control") != "public, no-cache" || a.Header.Get("ETag") == "" || a.Header.Get("X-Robots-Tag") != "" {
				t.Errorf("%s: %s %v", c.at, a.Status, a.Header)
			}
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

func TestAnswers(t *testing.T) {
	w := newWorld(t)
	w.acme()
	_, home := w.get(root)
	data := files.FindString(home)
	for _, c := range []struct {
		at     string
		status int
		header string // name of a header field, and a part of its value
		value  string
	}{
		{"https://base.test/s/acme", 308, "Location", "/s/acme/"},
		{root + "install/", 307, "Location", "/install"},
		{root + "Install", 307, "Location", "/install"},
		{root + "install/?q=1", 307, "Location", "/install?q=1"},
		{root + "readme", 307, "Location", "/"},
		{root + "group", 307, "Location", "/group/one"},
		{root + "old/install", 307, "Location", "/install"},
		{root + "old/install.md", 307, "Location", "/install.md"},
		{root + "api", 307, "Location", "/api/"},
		{root + "acme-docs/v1/install", 307, "Location", "/v1/install"},
		{root + "acme-docs/install", 307, "Location", "/install"},
		{root + "v2/install", 307, "Location", "/install"},
		{root + "old/secret", 404, "", ""},
		{root + "secret", 404, "", ""},
		{root + "secret.md", 404, "", ""},
		{root + "secret/below-secret", 404, "", ""},
		{root + "absent", 404, "Cache-Control", "no-store"},
		{root + "install/rss.xml", 404, "", ""},
		{root + "rss.xml", 404, "", ""},
		{root + "secret/rss.xml", 404, "", ""},
		{root + "api/News/rss.xml", 307, "Location", "/api/news/rss.xml"},
		{root + "llms-full.txt/2", 404, "", ""},
		{root + "llms-full.txt/02", 404, "", ""},
		{root + "llms-full.txt/-1", 404, "", ""},
		{root + "%ff", 404, "", ""},
		{root + "a%2f..%2f..%2finstall", 404, "", ""},
		{root + "~octavo/absent", 404, "", ""},
		{root + "~octavo/assets/style.css", 404, "", ""},
		{root + "~octavo/files/absent/x/y", 404, "", ""},
		{root + strings.Repeat("a", 3000), 414, "", ""},
		{"https://acme.docs.test" + data, 200, "Content-Security-Policy", "sandbox"},
		{"https://acme.docs.test" + strings.Replace(data, "data.csv", "other.html", 1), 307, "Location", data},
		{root + "api" + data, 404, "", ""}, // a file of another space
		{"https://absent.docs.test/", 404, "", ""},
		{"https://base.test/s/absent/", 404, "", ""},
	} {
		a, body := w.get(c.at)
		if a.StatusCode != c.status || !strings.Contains(a.Header.Get(c.header), c.value) {
			t.Errorf("%s: %s, %s: %q, want %d with %q\n%s", c.at, a.Status, c.header, a.Header.Get(c.header), c.status, c.value, body)
		}
		if a.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: the browser may guess", c.at)
		}
	}
	if a, _ := w.get(root+"install", func(r *http.Request) { r.Method = "POST" }); a.StatusCode != 405 {
		t.Errorf("POST: %s", a.Status)
	}
	a, _ := w.get(root + "install")
	if again, body := w.get(root+"install", func(r *http.Request) { r.Header.Set("If-None-Match", a.Header.Get("ETag")) }); again.StatusCode != 304 || body != "" {
		t.Errorf("asked again: %s", again.Status)
	}
}

// The page for a missing address suggests similar pages that the visitor sees.
func TestMissingPagesAreProposed(t *testing.T) {
	w := newWorld(t)
	w.acme()
	near, link := regexp.MustCompile(`(?s)Perhaps you mean:.*?</ul>`), regexp.MustCompile(`<a href="([^"]*)"`)
	for at, want := range map[string]string{
		"instal": "/install", "docs/en/install": "/install", "guide/DEEP.html": "/install/deep", "install/deeep": "/install/deep", "zebra-archive": "/install", "api/new": "/api/news", "api/calls": "/api/",
		"secrets": "/", "secret": "/", // a word of the home page
		"below-secret": "", "hiden": "", "quite-another-thing": "", "%3Cscript%3E": "",
	} {
		a, body := w.get(root + at)
		var got []string
		for _, m := range link.FindAllStringSubmatch(near.FindString(body), -1) {
			got = append(got, m[1])
		}
		if a.StatusCode != 404 || want == "" && len(got) > 0 || want != "" && (len(got) == 0 || got[0] != want) {
			t.Errorf("%s: %s, proposes %q, want %q", at, a.Status, got, want)
		}
		if all := strings.Join(got, " "); strings.Contains(all, "secret") || strings.Contains(all, "hidden") {
			t.Errorf("%s proposes what the visitor does not see: %s", at, all)
		}
	}
}

// Programs that ask for Markdown receive Markdown, also if there is no page.
func TestMissingPagesAsMarkdown(t *testing.T) {
	w := newWorld(t)
	w.acme()
	const text, html = "text/markdown; charset=utf-8", "text/html; charset=utf-8"
	for _, c := range []struct{ at, accept, kind, has string }{
		{"instal.md", "", text, "](https://acme.docs.test/install.md)"},
		{"instal.md", "text/html", text, "](https://acme.docs.test/llms.txt)"},
		{"api/calls.md", "", text, "](https://acme.docs.test/api/index.md)"},
		{"instal", "text/markdown, */*", text, "# Not found\n\nThere is no page at this address."},
		{"instal", "text/markdown, text/html", html, "<h1"},
		{"instal", "", html, "<h1"},
		{"api/llms.txt", "", text, "# Not found"},
		{"llms-full-99.txt", "", text, "# Not found"},
		{"secret.md", "", text, "# Not found"},
	} {
		a, body := w.get(root+c.at, func(r *http.Request) { r.Header.Set("Accept", c.accept) })
		if a.StatusCode != 404 || a.Header.Get("Content-Type") != c.kind || a.Header.Get("Vary") != "Accept" || !strings.Contains(body, c.has) {
			t.Errorf("%s with Accept %q: %s %v %s", c.at, c.accept, a.Status, a.Header, body)
		}
		if c.kind == text && strings.Contains(body, "secret") {
			t.Errorf("%s names what the visitor does not see: %s", c.at, body)
		}
	}
}

// Browsers receive the same page for a missing site and for one that the visitor must not read.
// Programs receive a line of text.
func TestNoSite(t *testing.T) {
	w := newWorld(t)
	w.acme()
	w.update(sites.SitePatch{Visibility: opt.Of(docs.VisibilityLink)})
	person := func(r *http.Request) { r.Header.Set("Accept", "text/html,*/*;q=0.8") }
	_, absent := w.get("https://base.test/s/absent/", person)
	for _, at := range []string{"https://base.test/s/absent/", "https://base.test/s/acme/", "https://base.test/s/acme/key/"} {
		a, body := w.get(at, person)
		if a.StatusCode != 404 || body != absent || !strings.Contains(body, "<h1>Not found</h1>") || !strings.Contains(body, `href="/~octavo/assets/style-`) || a.Header.Get("Cache-Control") != "private, no-store" {
			t.Errorf("%s: %s %v\n%s", at, a.Status, a.Header, body)
		}
		if a, body := w.get(at); a.StatusCode != 404 || a.Header.Get("Content-Type") != "text/plain; charset=utf-8" {
			t.Errorf("%s for a program: %s\n%s", at, a.Status, body)
		}
	}
}

// The host and the path alone determine which site serves a request.
func TestHosts(t *testing.T) {
	w := newWorld(t)
	w.acme()
	for at, want := range map[string]bool{
		"https://acme.docs.test/v1/orgs": true, "https://ACME.docs.test:8443/": true, "https://acme.docs.test./": true, "https://other.docs.test/": true,
		"https://base.test/s/acme/": true, "https://base.test/": false, "https://base.test/v1/user": false, "https://unknown.example.com/": false,
		"https://127.0.0.1/": false, "https://localhost/s/acme/": false, "https://base.test:99/s/acme/": false,
	} {
		r := httptest.NewRequestWithContext(t.Context(), "GET", at, nil)
		r.Header.Set("X-Forwarded-Host", "acme.docs.test")
		if got := w.handler.Owns(r); got != want {
			t.Errorf("%s: %v", at, got)
		}
	}
	_, err := w.sites.Publish(t.Context(), w.grant(), false)
	must(t, err)
	if a, body := w.get(root); a.StatusCode != 404 || strings.Contains(body, "Acme") {
		t.Errorf("a site that is not published: %s\n%s", a.Status, body)
	}
}

// Content that is not public is neither cached nor indexed.
func TestAudiences(t *testing.T) {
	w := newWorld(t)
	w.acme()
	check := func(at string, status int, cached, robots string, change ...func(*http.Request)) (*http.Response, string) {
		t.Helper()
		a, body := w.get(at, change...)
		if a.StatusCode != status || a.Header.Get("Cache-Control") != cached || a.Header.Get("X-Robots-Tag") != robots {
			t.Errorf("%s: %s %v\n%s", at, a.Status, a.Header, body)
		}
		return a, body
	}
	const secret, no = "private, no-store", "noindex, nofollow"
	set := func(v docs.Visibility) { w.update(sites.SitePatch{Visibility: opt.Of(v)}) }

	set(docs.VisibilityUnlisted)
	if _, body := check(root+"install", 200, "public, no-cache", no); !strings.Contains(body, "noindex") {
		t.Error("a page of an unlisted site may be indexed")
	}
	if _, body := check(root+"robots.txt", 200, "public, no-cache", no); !strings.Contains(body, "Disallow: /\n") {
		t.Error(body)
	}
	check(root+"sitemap.xml", 404, secret, no)

	set(docs.VisibilityLink)
	link, err := w.sites.ShareLinks.Add(t.Context(), w.grant(), "for a friend")
	must(t, err)
	key := string(link.Key) + "/"
	check(root, 404, secret, "")
	check(root+"install", 404, secret, "")
	check(root+"absent/install", 404, secret, "")
	check(root+string(link.Key), 307, secret, "")
	if _, body := check(root+key+"install", 200, secret, no); !strings.Contains(body, `<a href="/`+key+`install/deep">`) || !strings.Contains(body, `href="/`+key+`~octavo/assets/style-`) {
		t.Error(body)
	}
	check(root+key+"v1/install", 200, secret, no)
	check(fmt.Sprintf("%s%%%02x%sinstall", root, key[0], key[1:]), 404, secret, "") // each spelling would be another address of each page
	if _, body := check(root+key+"llms.txt", 200, secret, no); !strings.Contains(body, root+key+"install.md") {
		t.Error(body)
	}
	_, home := check(root+key, 200, secret, no)
	check("https://acme.docs.test"+files.FindString(home), 200, secret, no)
	_, err = w.sites.ShareLinks.Update(t.Context(), w.grant(), link.ID, opt.Val[string]{}, opt.Of(false))
	must(t, err)
	check(root+key+"install", 404, secret, "")

	set(docs.VisibilityAuth)
	if _, body := check(root+"install", 401, secret, ""); strings.Contains(body, "Acme") {
		t.Error("the page to sign in shows the site")
	}
	_, err = w.sites.Settings.ReplaceKey(t.Context(), w.grant())
	must(t, err)
	auth, err := w.sites.Settings.UpdateAuth(t.Context(), w.grant(), sites.AuthPatch{Backend: docs.AuthCustom, FallbackURL: opt.Of("https://login.test/in?a=b"), LogoutURL: opt.Of("https://login.test/out")})
	must(t, err)
	good := sign(t, auth.PrivateKey, jwt.MapClaims{"exp": time.Now().Add(time.Hour).Unix()})
	bad := sign(t, visitor.NewPrivateKey(), jwt.MapClaims{"exp": time.Now().Add(time.Hour).Unix()})
	if a, _ := check(root+"install", 303, secret, ""); a.Header.Get("Location") != "https://login.test/in?a=b&location=%2Finstall" {
		t.Errorf("sign in at %s", a.Header.Get("Location"))
	}
	a, _ := check(root+"install?jwt_token="+good+"&q=1", 303, secret, "")
	cookie := a.Cookies()
	if a.Header.Get("Location") != "/install?q=1" || len(cookie) != 1 || !cookie[0].HttpOnly || !cookie[0].Secure || cookie[0].Path != "/" || cookie[0].SameSite != http.SameSiteLaxMode {
		t.Fatalf("with a token: %v", a.Header)
	}
	for _, bring := range []func(*http.Request){
		func(r *http.Request) { r.AddCookie(cookie[0]) },
		func(r *http.Request) {
			r.AddCookie(&http.Cookie{Name: "gitbook-visitor-token", Value: good})
		},
		func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+good) },
	} {
		check(root+"install", 200, secret, no, bring)
	}
	check(root+"install", 401, secret, "", func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+bad) })
	if a, _ := check(root+"~gitbook/auth/logout?location=/install", 303, secret, ""); a.Header.Get("Location") != "https://login.test/out?location=%2Finstall" || len(a.Cookies()) != 3 || a.Cookies()[0].Expires.Year() > 1970 {
		t.Errorf("sign out: %v", a.Header)
	}
}

// If the site refuses a token that the login page has just issued, a page explains why. The
// browser is not redirected to the login page again.
func TestRefusedTokens(t *testing.T) {
	w := newWorld(t)
	w.acme()
	w.update(sites.SitePatch{Visibility: opt.Of(docs.VisibilityAuth)})
	_, err := w.sites.Settings.ReplaceKey(t.Context(), w.grant())
	must(t, err)
	auth, err := w.sites.Settings.UpdateAuth(t.Context(), w.grant(), sites.AuthPatch{Backend: docs.AuthCustom, FallbackURL: opt.Of("https://login.test/in")})
	must(t, err)
	in := func(d time.Duration) int64 { return time.Now().Add(d).Unix() }
	none, err := jwt.NewWithClaims(jwt.SigningMethodNone, jwt.MapClaims{"exp": in(time.Hour)}).SignedString(jwt.UnsafeAllowNoneSignatureType)
	must(t, err)
	wrong := sign(t, visitor.NewPrivateKey(), jwt.MapClaims{"exp": in(time.Hour)})
	expired := sign(t, auth.PrivateKey, jwt.MapClaims{"exp": in(-time.Hour)})
	for token, why := range map[string]string{
		expired: "has expired",
		wrong:   "is not signed with this site&#39;s key",
		none:    "is not signed with HS256",
		sign(t, auth.PrivateKey, jwt.MapClaims{"exp": in(time.Hour), "iat": in(10 * time.Minute)}): "is not valid yet",
		sign(t, auth.PrivateKey, jwt.MapClaims{"exp": in(1000 * time.Hour)}):                       "more than 30 days",
		sign(t, auth.PrivateKey, jwt.MapClaims{"plan": "pro"}):                                     "has no end",
		"a.b.c": "is malformed",
	} {
		a, body := w.get(root + "install?jwt_token=" + token)
		if a.StatusCode != 401 || a.Header.Get("Location") != "" || !strings.Contains(body, "The sign-in token "+why) && !strings.Contains(body, why) || strings.Contains(body, token) || strings.Contains(body, "Acme") {
			t.Errorf("%s: %s %v\n%s", why, a.Status, a.Header, body)
		}
		if !strings.Contains(body, `/~octavo/auth/login?location=%2Finstall"`) {
			t.Errorf("%s: there is no way to sign in again\n%s", why, body)
		}
	}

	// A refused cookie leads to the login page once.
	for _, name := range []string{"octavo-visitor-token", "gitbook-visitor-token"} {
		old := func(r *http.Request) { r.AddCookie(&http.Cookie{Name: name, Value: wrong}) }
		a, _ := w.get(root+"install", old)
		if a.StatusCode != 303 || !strings.HasPrefix(a.Header.Get("Location"), "https://login.test/in?") {
			t.Fatalf("%s: %s %v", name, a.Status, a.Header)
		}
		round := func(r *http.Request) {
			for _, c := range a.Cookies() {
				if c.Expires.After(time.Now()) {
					r.AddCookie(c)
				}
			}
		}
		if a, body := w.get(root+"install", old, round); a.StatusCode != 401 || !strings.Contains(body, "key") {
			t.Errorf("%s again: %s %v", name, a.Status, a.Header)
		}
		good := sign(t, auth.PrivateKey, jwt.MapClaims{"exp": in(time.Hour)})
		if a, _ := w.get(root+"install", round, func(r *http.Request) { r.AddCookie(&http.Cookie{Name: name, Value: good}) }); a.StatusCode != 200 || len(a.Cookies()) != 1 {
			t.Errorf("signed in: %s %v", a.Status, a.Header)
		}
	}

	// A public site ignores a token that it does not accept.
	w.update(sites.SitePatch{Visibility: opt.Of(docs.VisibilityPublic), Adaptive: opt.Of(true)})
	if a, _ := w.get(root + "install?jwt_token=" + expired); a.StatusCode != 303 || a.Header.Get("Location") != "/install" {
		t.Errorf("a public site: %s %v", a.Status, a.Header)
	}
	log := w.log.String()
	for _, part := range []string{"reason=expired", "reason=signature", "reason=algorithm", "from=address", "site=" + string(w.grant().Site.ID)} {
		if !strings.Contains(log, part) {
			t.Errorf("%s is not in the log:\n%s", part, log)
		}
	}
	if strings.Contains(log, "eyJ") {
		t.Errorf("a token is in the log:\n%s", log)
	}
}

func sign(t *testing.T, key string, claims jwt.MapClaims) string {
	t.Helper()
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString([]byte(key))
	must(t, err)
	return token
}

// A browser is redirected to other pages of this site only.
func TestLocations(t *testing.T) {
	w := newWorld(t)
	w.acme()
	for location, want := range map[string]string{
		"": "/", "/install": "/install", "/install?x=1#y": "/install?x=1", "/install/?jwt_token=a.b.c": "/install/", "install": "/", "//evil.test": "/", `/\evil.test`: "/", "/%5cevil.test": "/",
		"https://evil.test/": "/", "https:evil.test": "/", "/a\r\nSet-Cookie: x": "/", "/~octavo/auth/logout": "/", "javascript:alert(1)": "/", "/%2f/evil.test": "/",
		"/./~octavo/auth/logout": "/", "/a/../~octavo/auth/logout": "/", "/%2e/%7Eoctavo/auth/logout": "/", "/api/~gitbook/auth/logout": "/", "/./install": "/install",
		"/.//evil.test": "/evil.test", "/%2e%2e//evil.test": "/evil.test", "/a/%5c%5cevil.test": "/", "///evil.test": "/",
	} {
		a, _ := w.get(root + "~octavo/auth/logout?location=" + url.QueryEscape(location))
		if got := a.Header.Get("Location"); got != want {
			t.Errorf("%q leads to %q", location, got)
		}
	}
}

// Signing out of a site with share links leads back to that site.
func TestLogoutWithAShareLink(t *testing.T) {
	w := newWorld(t)
	w.acme()
	w.update(sites.SitePatch{Visibility: opt.Of(docs.VisibilityLink)})
	link, err := w.sites.ShareLinks.Add(t.Context(), w.grant(), "Friends")
	must(t, err)
	a, _ := w.get(root + string(link.Key) + "/~octavo/auth/logout?location=/install")
	if a.StatusCode != 303 || a.Header.Get("Location") != "/"+string(link.Key)+"/install" || len(a.Cookies()) != 3 {
		t.Errorf("%s %v", a.Status, a.Header)
	}
	for _, at := range []string{"~octavo/auth/logout", "wrong/~octavo/auth/logout"} {
		if a, _ := w.get(root + at); a.StatusCode != 404 {
			t.Errorf("%s: %s", at, a.Status)
		}
	}
}

// Credentials of a visitor are never sent to another site.
func TestCredentialsStay(t *testing.T) {
	w := newWorld(t)
	w.acme()
	_, err := w.sites.Redirects.Add(t.Context(), w.grant(), sites.RedirectPatch{
		Source: opt.Of("/out"), Destination: opt.Of(docs.RedirectDestination{Kind: docs.RedirectExternal, URL: "https://elsewhere.test/x"}),
	}, nil)
	must(t, err)
	at, err := w.audience.PreviewURL(t.Context(), w.grant(), audience.PreviewStart{})
	must(t, err)
	u, err := url.Parse(at)
	must(t, err)
	token := u.Query().Get("token")
	preview := func(r *http.Request) { r.AddCookie(&http.Cookie{Name: "octavo-preview-token", Value: token}) }
	for _, visitor := range []func(*http.Request){func(*http.Request) {}, preview} {
		for _, secret := range []string{"jwt_token=" + token, "token=" + token, "visitor.beta=true"} {
			next := root + "out?" + secret + "&q=1"
			for range 3 {
				a, _ := w.get(next, visitor)
				to, err := u.Parse(a.Header.Get("Location"))
				must(t, err)
				if to.Host == "elsewhere.test" {
					next = to.String()
					break
				}
				next = root + strings.TrimPrefix(to.RequestURI(), "/")
			}
			if next != "https://elsewhere.test/x?q=1" {
				t.Errorf("%s leads to %s", secret, next)
			}
		}
	}
}

// beta makes the site show content by the claim that a visitor is a beta reader.
func (w *world) beta() {
	w.Helper()
	w.update(sites.SitePatch{Adaptive: opt.Of(true)})
	_, _, err := w.sites.Settings.SetSchema(w.Context(), w.grant(), []byte(`{"type":"object","properties":{"unsigned":{"type":"object","properties":{
		"beta":{"type":"boolean","description":"Beta"}},"additionalProperties":false,"description":"Unsigned"}},"additionalProperties":false}`))
	must(w.T, err)
}

// Content with a condition is shown to a visitor in all places or in none.
func TestConditions(t *testing.T) {
	w := newWorld(t)
	w.acme()
	w.beta()
	beta := func(r *http.Request) {
		r.AddCookie(&http.Cookie{Name: "gitbook-visitor-public", Value: url.QueryEscape(`{"beta":true}`)})
	}
	for at, pattern := range map[string]string{
		root:                           `beta readers(?s).*<a rel="next"`,
		root + "install/deep":          `<a rel="next" href="/secret">`,
		root + "secret":                `zebra password`,
		root + "secret/below":          `More zebra`,
		root + "secret.md":             `zebra password`,
		root + "llms.txt":              `secret/below.md`,
		root + "sitemap.xml":           `/secret</loc>`,
		root + "sitemap-pages.xml":     `/secret</loc>`,
		root + "llms-full.txt":         `The zebra password`,
		root + "api/news/rss.xml":      `Only for beta readers of news`,
		root + "~octavo/found?q=zebra": `Secret`,
		root + "index.md":              `\[secret\]\(/secret.md\)`,
	} {
		re := regexp.MustCompile(pattern)
		if a, body := w.get(at, beta); a.StatusCode != 200 || !re.MatchString(body) || a.Header.Get("Cache-Control") != "private, no-store" {
			t.Errorf("%s with the claim: %s %v\n%s", at, a.Status, a.Header, body)
		}
		if _, body := w.get(at); re.MatchString(body) || regexp.MustCompile(`(?i)password|more zebra|beta readers|secret/below|below secret`).MatchString(body) {
			t.Errorf("%s without the claim:\n%s", at, body)
		}
	}
	a, _ := w.get(root + "secret?visitor.beta=true&x=y")
	if a.StatusCode != 303 || a.Header.Get("Location") != "/secret?x=y" || len(a.Cookies()) != 1 {
		t.Fatalf("a claim in the address: %s %v", a.Status, a.Header)
	}
	for _, at := range []string{"https://acme.docs.test//evil.test/?visitor.beta=true", "https://acme.docs.test///evil.test?visitor.beta=true", `https://acme.docs.test/%5Cevil.test?visitor.beta=true`} {
		if a, _ := w.get(at); strings.HasPrefix(a.Header.Get("Location"), "//") || strings.HasPrefix(a.Header.Get("Location"), `/\\`) {
			t.Errorf("%s leads to %s", at, a.Header.Get("Location"))
		}
	}
	if b, _ := w.get(root+"secret", func(r *http.Request) { r.AddCookie(a.Cookies()[0]) }); b.StatusCode != 200 {
		t.Errorf("a claim in the cookie: %s", b.Status)
	}
}
