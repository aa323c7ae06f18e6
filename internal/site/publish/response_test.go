package publish_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/reviews"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/spaces"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// titled returns the space of the world with the given title, and a grant to administer it.
func (w *world) titled(title string) (docs.Space, *authz.Grant) {
	w.Helper()
	all, _, err := w.sites.Store.Spaces(w.Context(), store.Viewer{Org: w.org, User: w.actor.User, Role: docs.Admin}, store.SpaceFilter{}, store.Page{Limit: 9})
	must(w.T, err)
	for _, sp := range all {
		if sp.It.Title == title {
			g, _, err := authz.NewChecker(w.sites.Store.Reader).Space(w.Context(), w.actor, authz.AdminSpace, sp.It.ID)
			must(w.T, err)
			return sp.It, g
		}
	}
	w.Fatalf("there is no space %s", title)
	return docs.Space{}, nil
}

// pageID returns the id of the page at a path of a space.
func (w *world) pageID(space, path string) string {
	w.Helper()
	sp, _ := w.titled(space)
	view, err := w.content.Source.Head(w.Context(), sp)
	must(w.T, err)
	p, err := view.ByPath(w.Context(), path)
	must(w.T, err)
	return string(p.ID)
}

// edit changes a page of a space, or of a change request of it.
func (w *world) edit(space, page string, on content.LineName, ch content.Change) {
	w.Helper()
	_, g := w.titled(space)
	ch.Operation, ch.Page = content.UpdatePage, w.pageID(space, page)
	_, err := w.content.Apply(w.Context(), g, on, "", []content.Change{ch})
	must(w.T, err)
}

func text(s string) *revision.Body { return &revision.Body{Markdown: &s} }

// A write on one node is visible to the next request on another node, regardless of the
// caches of that node.
func TestNodesSeeWhatOthersStore(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorldIn(t, o)
		w.acme()
		other := newNode(t, o, w.content.Blobs)
		// expect requires that the other node sends a page that matches only after a change. warm
		// fills its caches before.
		var before map[string]string
		ask := func(at string) string {
			a, body := other.get(root + at)
			return a.Status + " " + a.Header.Get("Location") + "\n" + body
		}
		warm := func(ats ...string) {
			before = map[string]string{}
			for _, at := range ats {
				before[at] = ask(at)
				if again := ask(at); again != before[at] {
					t.Errorf("%s differs without a change:\n%s", at, again)
				}
			}
		}
		expect := func(what, at, pattern string) {
			t.Helper()
			got := ask(at)
			re := regexp.MustCompile("(?s)" + pattern)
			if !re.MatchString(got) || re.MatchString(before[at]) {
				t.Errorf("%s: %s does not show %s, or did before:\n%s", what, at, pattern, got)
			}
		}

		warm("install", "", "api/", "v1/install")
		w.edit("v2", "install", "", content.Change{Body: text("Now by an *edit*.")})
		expect("an edit", "install", "by an <em>edit</em>")

		warm("", "install")
		w.edit("v2", "install/deep", "", content.Change{Meta: content.PageMeta{Title: opt.Of("Deeper")}})
		expect("a new title", "", ">Deeper</a>") // in the navigation of other pages
		expect("a new title", "install", `rel="next".*</small> Deeper</span>`)

		warm("")
		w.edit("v2", "install", "", content.Change{Meta: content.PageMeta{Slug: opt.Of("setup")}})
		expect("a moved page", "", `<article>.*href="/setup#linux"`)

		warm("")
		_, g := w.titled("v1")
		_, _, err := w.spaces.Update(t.Context(), g, spaces.SpacePatch{Title: opt.Of("Version one")})
		must(t, err)
		expect("another space with a new title", "", ">Version one</a>")

		warm("setup")
		_, g = w.titled("v2")
		r := &reviews.Service{Store: w.sites.Store, Content: w.content}
		cr, err := r.Create(t.Context(), g, reviews.New{Subject: "Merge me"})
		must(t, err)
		w.edit("v2", "setup", content.LineName(cr.ID), content.Change{Body: text("Now by a merge.")})
		if got := ask("setup"); got != before["setup"] {
			t.Errorf("a change request is published before it is merged:\n%s", got)
		}
		_, err = r.Merge(t.Context(), g, string(cr.ID))
		must(t, err)
		expect("a merge", "setup", "Now by a merge")

		warm("setup")
		w.customize(`{"title":"Renamed"}`)
		expect("a customization", "setup", `class="name" href="/"><span>Renamed</span></a>`)

		// The header is cached for all pages, and one of its links leads into another space.
		old, _ := w.titled("Version one")
		w.customize(`{"title":"Renamed","header":{"preset":"default","links":[{"title":"Before","to":{"kind":"page","space":"` + string(old.ID) + `","page":"` + w.pageID("Version one", "install") + `"},"links":[]}]}}`)
		warm("setup", "")
		w.edit("Version one", "install", "", content.Change{Meta: content.PageMeta{Slug: opt.Of("begin")}})
		expect("a page that the header leads to", "setup", `<nav class="links".*href="/v1/begin">Before</a>`)
		expect("a page that the header leads to", "", `<nav class="links".*href="/v1/begin">Before</a>`)

		warm("gone", "setup")
		_, err = w.sites.Redirects.Add(t.Context(), w.grant(), sites.RedirectPatch{
			Source: opt.Of("/gone"), Destination: opt.Of(docs.RedirectDestination{Kind: docs.RedirectExternal, URL: "https://example.com/"}), Draft: opt.Of(false),
		}, nil)
		must(t, err)
		expect("a redirect", "gone", "^307 Temporary Redirect https://example.com/")

		warm("setup", "")
		w.edit("v2", "setup", "", content.Change{Meta: content.PageMeta{Condition: opt.Of("visitor.claims.unsigned.beta")}})
		expect("a condition", "setup", "^404 ")
		if got := ask(""); strings.Contains(got, "/setup") {
			t.Errorf("a page links to what nobody sees:\n%s", got)
		}

		warm("api/")
		_, g = w.titled("API")
		must(t, w.spaces.Delete(t.Context(), g))
		expect("a space in the trash", "api/", "^307 Temporary Redirect /api\n") // without a slash, because there is no space

		warm("")
		_, err = w.sites.Publish(t.Context(), w.grant(), false)
		must(t, err)
		expect("unpublished", "", "^404 ")

		_, err = w.sites.Publish(t.Context(), w.grant(), true)
		must(t, err)
		warm("")
		must(t, w.sites.Delete(t.Context(), w.grant()))
		expect("a deleted site", "", "^404 ")
	})
}

// A disabled share link and a replaced visitor key stop working with the next request.
func TestNodesKeepOthersOut(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorldIn(t, o)
		w.acme()
		other := newNode(t, o, w.content.Blobs)
		w.update(sites.SitePatch{Visibility: opt.Of(docs.VisibilityLink)})
		link, err := w.sites.ShareLinks.Add(t.Context(), w.grant(), "for a friend")
		must(t, err)
		for range 2 {
			if a, _ := other.get(root + string(link.Key) + "/install"); a.StatusCode != 200 || a.Header.Get("Cache-Control") != "private, no-store" {
				t.Errorf("a share link: %s %v", a.Status, a.Header)
			}
		}
		_, err = w.sites.ShareLinks.Update(t.Context(), w.grant(), link.ID, opt.Val[string]{}, opt.Of(false))
		must(t, err)
		if a, _ := other.get(root + string(link.Key) + "/install"); a.StatusCode != 404 {
			t.Errorf("a share link that was turned off: %s", a.Status)
		}

		w.update(sites.SitePatch{Visibility: opt.Of(docs.VisibilityAuth)})
		_, err = w.sites.Settings.ReplaceKey(t.Context(), w.grant())
		must(t, err)
		auth, err := w.sites.Settings.UpdateAuth(t.Context(), w.grant(), sites.AuthPatch{Backend: docs.AuthCustom})
		must(t, err)
		token := sign(t, auth.PrivateKey, jwt.MapClaims{"exp": time.Now().Add(time.Hour).Unix()})
		bring := func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }
		for range 2 {
			if a, _ := other.get(root+"install", bring); a.StatusCode != 200 || a.Header.Get("Cache-Control") != "private, no-store" {
				t.Errorf("a visitor: %s %v", a.Status, a.Header)
			}
		}
		if a, _ := other.get(root + "install"); a.StatusCode != 401 {
			t.Errorf("somebody else after a visitor: %s", a.Status)
		}
		_, err = w.sites.Settings.ReplaceKey(t.Context(), w.grant())
		must(t, err)
		if a, _ := other.get(root+"install", bring); a.StatusCode != 401 {
			t.Errorf("a visitor with an old key: %s", a.Status)
		}
	})
}

// Visitors with different claims never receive each other's pages, in any order of requests.
func TestAudiencesShareNothing(t *testing.T) {
	w := newWorld(t)
	w.change = func(s string) string {
		return strings.ReplaceAll(s, "For everybody.", "Your plan is <code class=\"expression\">visitor.claims.unsigned.plan</code>.\n\n{% if visitor.claims.unsigned.plan == \"gold\" %}\nGold only.\n{% endif %}")
	}
	w.acme()
	w.update(sites.SitePatch{Adaptive: opt.Of(true)})
	_, _, err := w.sites.Settings.SetSchema(t.Context(), w.grant(), []byte(`{"type":"object","properties":{"unsigned":{"type":"object","properties":{
		"plan":{"type":"string","description":"Plan"}},"additionalProperties":false,"description":"Unsigned"}},"additionalProperties":false}`))
	must(t, err)
	as := func(plan string) string {
		a, body := w.get(root, func(r *http.Request) {
			if plan != "" {
				r.AddCookie(&http.Cookie{Name: "gitbook-visitor-public", Value: url.QueryEscape(`{"plan":"` + plan + `"}`)})
			}
		})
		if a.StatusCode != 200 || a.Header.Get("Cache-Control") != "private, no-store" {
			t.Errorf("%s: %s %v", plan, a.Status, a.Header)
		}
		return body
	}
	for range 2 {
		for _, plan := range []string{"gold", "silver", "", "gold", ""} {
			body := as(plan)
			if strings.Contains(body, "Gold only") != (plan == "gold") || strings.Contains(body, "silver") != (plan == "silver") {
				t.Errorf("what %q sees:\n%s", plan, body)
			}
		}
	}
	if _, ok := w.handler.CachedPage(httptest.NewRequest("GET", root, nil)); ok {
		t.Error("a page that depends on who reads it is kept for everybody")
	}
}

// A page that all visitors share is rendered once. Requests that identify the visitor bypass
// the cache.
func TestKept(t *testing.T) {
	w := newWorld(t)
	w.acme()
	kept := func(change ...func(*http.Request)) bool {
		r := httptest.NewRequest("GET", root+"install", nil)
		for _, fn := range change {
			fn(r)
		}
		_, ok := w.handler.CachedPage(r)
		return ok
	}
	if kept() {
		t.Error("kept before anybody asked")
	}
	first, body := w.get(root + "install")
	if !kept() {
		t.Error("not kept")
	}
	second, again := w.get(root + "install")
	if body != again {
		t.Error("other bytes")
	}
	for name := range first.Header {
		if first.Header.Get(name) != second.Header.Get(name) {
			t.Errorf("%s: %q, then %q", name, first.Header.Get(name), second.Header.Get(name))
		}
	}
	for name, change := range map[string]func(*http.Request){
		"a preview": func(r *http.Request) { r.AddCookie(&http.Cookie{Name: "octavo-preview-token", Value: "x"}) },
		"a query":   func(r *http.Request) { r.URL.RawQuery = "token=x" },
		"a host":    func(r *http.Request) { r.Host = "other.docs.test" },
		"a method":  func(r *http.Request) { r.Method = http.MethodPost },
		"a form":    func(r *http.Request) { r.URL.RawPath = "/%69nstall" },
		"Markdown":  func(r *http.Request) { r.Header.Set("Accept", "text/markdown") },
	} {
		if kept(change) {
			t.Errorf("%s gets what is kept for everybody", name)
		}
	}
	if !kept(func(r *http.Request) { r.AddCookie(&http.Cookie{Name: "analytics", Value: "x"}) }) {
		t.Error("a cookie that means nothing here leads past what is kept")
	}
	for name, change := range map[string]func(*http.Request){
		"slashes":         func(r *http.Request) { r.URL.Path = "//install" },
		"capital letters": func(r *http.Request) { r.Host = strings.ToUpper(r.Host) },
		"a final dot":     func(r *http.Request) { r.Host += "." },
	} {
		if a, _ := w.get(root+"install", change); a.StatusCode != 200 || kept(change) {
			t.Errorf("%s: %s; each spelling of an address takes a place of its own: %t", name, a.Status, kept(change))
		}
	}
	w.customize(`{"title":"Other"}`)
	if kept() {
		t.Error("kept after something was stored")
	}
}

// inline matches inline scripts, styles and event handlers.
var inline = regexp.MustCompile(`(?i)<script(?:>| [^>]*>)[^<]|<[^>]+\s(?:on\w+|style)=`)

// Every response of a site has the headers that isolate it from all other sites, and a page
// runs no script but that of the theme. This holds for rendered and for cached pages.
func TestSecurityHeaders(t *testing.T) {
	w := newWorld(t)
	w.acme()
	_, home := w.get(root)
	style := regexp.MustCompile(`/~octavo/assets/style-[^"]+`).FindString(home)
	for range 2 {
		for _, at := range []string{"", "install", "install.md", "absent", "llms.txt", "sitemap.xml", "robots.txt", "~octavo/search?q=zebra", "~octavo/found?q=zebra", style[1:]} {
			a, body := w.get(root + at)
			for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin"} {
				if got := a.Header.Get(name); got != want {
					t.Errorf("/%s: %s is %q, want %q", at, name, got, want)
				}
			}
			if len(a.Cookies()) > 0 || a.Header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("/%s: %v", at, a.Header)
			}
			if !strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") {
				continue
			}
			policy := a.Header.Get("Content-Security-Policy")
			for _, want := range []string{"default-src 'none';", "script-src 'self' 'sha256-", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"} {
				if !strings.Contains(policy, want) {
					t.Errorf("/%s: the policy lacks %s: %s", at, want, policy)
				}
			}
			if strings.Contains(policy, "unsafe") {
				t.Errorf("/%s: %s", at, policy)
			}
			described := regexp.MustCompile(`<script type="application/ld\+json">[^<]*</script>`).ReplaceAllString(body, "")        // structured data, which is not executed
			described = regexp.MustCompile(`<script>([^<]*)</script>`).ReplaceAllStringFunc(described, func(script string) string { // what the policy names
				sum := sha256.Sum256([]byte(strings.TrimSuffix(strings.TrimPrefix(script, "<script>"), "</script>")))
				if strings.Contains(policy, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'") {
					return ""
				}
				return script
			})
			if found := inline.FindString(described); found != "" {
				t.Errorf("/%s has %q", at, found)
			}
		}
	}
}

// Two sites have the same paths. Each host serves its own pages.
func TestHostsShareNothing(t *testing.T) {
	w := newWorld(t)
	w.acme()
	space := w.emptySpace("Other")
	w.imported(space, map[string]string{"README.md": "# Elsewhere\n", "install.md": "# Another installation\n"})
	top, _, err := authz.NewChecker(w.sites.Store.Reader).Org(t.Context(), w.actor, authz.CreateContent, w.org)
	must(t, err)
	site, err := w.sites.Create(t.Context(), top, sites.NewSite{Title: "Other docs", Spaces: []docs.SpaceID{space}})
	must(t, err)
	w.site = site.ID
	w.update(sites.SitePatch{Basename: opt.Of("other")})
	_, err = w.sites.Publish(t.Context(), w.grant(), true)
	must(t, err)
	for range 2 {
		for host, want := range map[string]string{"acme": "zebra archive", "other": "Another installation"} {
			if _, body := w.get("https://" + host + ".docs.test/install"); !strings.Contains(body, want) {
				t.Errorf("%s does not show %q:\n%s", host, want, body)
			}
		}
	}
}
