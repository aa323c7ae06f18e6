package publish_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/reviews"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/site/audience"
	"github.com/octavo-docs/octavo/internal/store"
)

// pageAt returns the page of a space at a path.
func (w *world) pageAt(g *authz.Grant, path string) docs.Page {
	w.Helper()
	v, err := w.content.Source.Head(w.Context(), g.Space)
	must(w.T, err)
	p, err := v.ByPath(w.Context(), path)
	must(w.T, err)
	return p
}

func markdown(s string) *revision.Body { return &revision.Body{Markdown: &s} }

// request opens a change request for the guide. It edits two pages, adds two and removes
// one. Some of these changes are not visible to every reader.
func (w *world) request() docs.ChangeRequest {
	w.Helper()
	_, g := w.titled("v2")
	cr, err := (&reviews.Service{Store: w.sites.Store, Content: w.content}).Create(w.Context(), g, reviews.New{Subject: `New <b>words</b>`})
	must(w.T, err)
	_, err = w.content.Apply(w.Context(), g, content.LineName(cr.ID), "", []content.Change{
		{Operation: content.UpdatePage, Page: string(w.pageAt(g, "install").ID), Meta: content.PageMeta{Title: opt.Of("Install & start")}, Body: markdown(
			"## Linux\n\nUnpack the giraffe archive.\n\n{% if visitor.claims.unsigned.beta %}\nFor beta readers: more giraffe\n{% endif %}\n\n[secret](secret.md)\n")},
		{Operation: content.UpdatePage, Page: string(w.pageAt(g, "secret").ID), Body: markdown("The password of the giraffe")},
		{Operation: content.InsertPage, Meta: content.PageMeta{Title: opt.Of("Fresh")}, Body: markdown("A new page")},
		{Operation: content.InsertPage, Meta: content.PageMeta{Title: opt.Of("Covert"), Condition: opt.Of(`visitor.claims.unsigned.beta`)}, Body: markdown("A giraffe password")},
		{Operation: content.DeletePage, Page: string(w.pageAt(g, "install/deep").ID)},
	})
	must(w.T, err)
	return cr
}

// A reviewer sees the changes of a change request on the pages, except for changes that are
// hidden from the visitor of the preview.
func TestReviews(t *testing.T) {
	w := newWorld(t)
	w.acme()
	w.request()
	member := func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+w.token) }
	for _, c := range []struct {
		name, at  string
		status    int
		want, not []string // patterns
	}{
		{"a page", "~/changes/1/install", 200, []string{
			`Change request #1`, `<strong>New &lt;b&gt;words&lt;/b&gt;</strong>`, `status-draft">Draft<`, `by ada`, `giraffe archive`,
			`<a class="switch" role="switch" aria-checked="false" href="/~/changes/1/install\?diff">Show changes</a>`, `<a class="draft-live" href="/install">`,
			`(?s)href="/~/changes/1/fresh">.*Fresh</span> <small>Added`, `(?s)href="/~/changes/1/install/deep\?diff">.*Deep</span> <small>Removed`, `Install &amp; start</span> <small>Changed`,
		}, []string{`<ins|<del`, `Covert`, `Secret`}},
		{"its changes", "~/changes/1/install?diff", 200, []string{
			`aria-checked="true" href="/~/changes/1/install">`, `<h1 id="install-start">Install &amp; <del>run</del><ins>start</ins></h1>`, `Unpack the <del id="~change-\d+">zebra</del><ins>giraffe</ins> archive`,
			`Changes on this page: <a href="#~change-1">`, `href="/~/changes/1/fresh\?diff">`,
		}, nil},
		{"a page that comes", "~/changes/1/fresh?diff", 200, []string{`<ins>Fresh</ins>`, `<ins class="diff-added" id="~change-1"><span class="visually-hidden">Added: </span><p>A new page</p>`, `<a class="draft-live" href="/">`}, nil},
		{"a page that goes", "~/changes/1/install/deep?diff", 200, []string{`<del>Deep</del>`, `<del class="diff-removed"`}, []string{`class="switch"`}},
		{"a page that goes, without its changes", "~/changes/1/install/deep", 404, nil, nil},
		{"a page that stays", "~/changes/1/hidden?diff", 200, []string{`Nothing differs on this page`}, []string{`<ins|<del`}},
		{"a page that is not for the visitor", "~/changes/1/secret?diff", 404, nil, nil},
		{"a new page that is not for the visitor", "~/changes/1/covert?diff", 404, nil, nil},
		{"what was found", "~/changes/1/~octavo/search?q=giraffe", 200, []string{`Change request #1`}, []string{`Covert`}},
		{"no diff of what is published", "install?diff", 200, []string{`zebra`}, []string{`<ins|<del|class="draft"`}},
	} {
		a, body := w.get(root+c.at, member)
		if a.StatusCode != c.status || c.status == 200 && strings.HasPrefix(c.at, "~") && a.Header.Get("Cache-Control") != "private, no-store" {
			t.Errorf("%s: %s %v", c.name, a.Status, a.Header)
		}
		for _, p := range c.want {
			if !regexp.MustCompile(p).MatchString(body) {
				t.Errorf("%s lacks %s", c.name, p)
			}
		}
		for _, p := range append(c.not, `(?i)password`, `beta readers`, `more giraffe`, `secret\.md`, `@acme.test`) {
			if regexp.MustCompile(p).MatchString(body) {
				t.Errorf("%s has %s", c.name, p)
			}
		}
		if t.Failed() {
			t.Log(body)
			return
		}
		if a, _ := w.get(root + c.at); strings.HasPrefix(c.at, "~") && a.StatusCode != 404 {
			t.Errorf("%s without a token: %s", c.name, a.Status)
		}
	}
}

// A visitor with a claim sees changes of the content that requires the claim.
func TestReviewsWithClaims(t *testing.T) {
	w := newWorld(t)
	w.acme()
	w.beta()
	w.request()
	at, err := w.audience.PreviewURL(t.Context(), w.grant(), audience.PreviewStart{Claims: "(unsigned:(beta:!t))"})
	must(t, err)
	a, _ := w.get(at)
	came := func(r *http.Request) { r.AddCookie(a.Cookies()[0]) }
	address, err := url.Parse(at)
	must(t, err)
	site := "https://" + address.Host + a.Header.Get("Location")
	for at, want := range map[string]string{
		"~/changes/1/secret?diff": `<del`, "~/changes/1/covert?diff": `<ins>Covert</ins>`, "~/changes/1/install?diff": `(?s)<ins.*more giraffe`, "~/changes/1/install": `Covert`,
	} {
		if a, body := w.get(site+at, came); a.StatusCode != 200 || !regexp.MustCompile(want).MatchString(body) {
			t.Errorf("%s: %s lacks %s\n%s", at, a.Status, want, body)
		}
	}
}

// An older revision is visible to members only.
func TestDrafts(t *testing.T) {
	w := newWorld(t)
	w.acme()
	member := func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+w.token) }
	all, _, err := w.sites.Store.Spaces(t.Context(), store.Viewer{Org: w.org, User: w.actor.User, Role: docs.Admin}, store.SpaceFilter{}, store.Page{Limit: 9})
	must(t, err)
	for _, sp := range all {
		if sp.It.Title != "v2" {
			continue
		}
		at := root + "~/revisions/" + string(sp.It.Revision) + "/install"
		a, body := w.get(at, member)
		if a.StatusCode != 200 || a.Header.Get("Cache-Control") != "private, no-store" || a.Header.Get("X-Robots-Tag") == "" ||
			!strings.Contains(body, `<a href="/~/revisions/`+string(sp.It.Revision)+`/install/deep">`) || strings.Contains(body, "canonical") {
			t.Errorf("%s: %s %v\n%s", at, a.Status, a.Header, body)
		}
		if a, body := w.get(at+"?diff", member); a.StatusCode != 200 || !strings.Contains(body, `<ins class="diff-added"`) || !strings.Contains(body, `class="draft-name">Revision<`) {
			t.Errorf("the changes of the first revision: %s\n%s", a.Status, body)
		}
		for _, bad := range []string{root + "~/revisions/absent/install", root + "~/changes/1/", root + "~/absent/x", root + "api/~/revisions/" + string(sp.It.Revision) + "/"} {
			if a, _ := w.get(bad, member); a.StatusCode != 404 {
				t.Errorf("%s: %s", bad, a.Status)
			}
		}
		if a, _ := w.get(at); a.StatusCode != 404 {
			t.Errorf("without a token: %s", a.Status)
		}
		if a, _ := w.get(at, func(r *http.Request) { r.Header.Set("Authorization", "Bearer octavo_absent") }); a.StatusCode != 404 {
			t.Errorf("with a wrong token: %s", a.Status)
		}
	}
}

// A visitor with the address of a preview reads an unpublished site, and unpublished content
// of its spaces.
func TestPreviews(t *testing.T) {
	w := newWorld(t)
	w.acme()
	_, err := w.sites.Publish(t.Context(), w.grant(), false)
	must(t, err)
	at, err := w.audience.PreviewURL(t.Context(), w.grant(), audience.PreviewStart{})
	must(t, err)
	a, _ := w.get(at)
	if a.StatusCode != 303 || len(a.Cookies()) != 1 || !a.Cookies()[0].HttpOnly {
		t.Fatalf("%s: %s %v", at, a.Status, a.Header)
	}
	address, err := url.Parse(at)
	must(t, err)
	site := "https://" + address.Host + a.Header.Get("Location")
	came := func(r *http.Request) { r.AddCookie(a.Cookies()[0]) }
	if b, body := w.get(site+"install", came); b.StatusCode != 200 || b.Header.Get("Cache-Control") != "private, no-store" || !strings.Contains(body, "noindex") || strings.Contains(body, "canonical") {
		t.Errorf("the preview: %s %v\n%s", b.Status, b.Header, body)
	}
	if b, _ := w.get(site + "install"); b.StatusCode != 404 {
		t.Errorf("without the preview: %s", b.Status)
	}
}
