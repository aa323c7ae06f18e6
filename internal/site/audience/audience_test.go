package audience_test

import (
	"context"
	"net/url"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/site/audience"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/spaces"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// base is the address of the server.
const base = "https://octavo.test"

// world is an organization with a published site of two spaces.
type world struct {
	t        *testing.T
	ctx      context.Context
	now      time.Time
	store    *store.Store
	sites    *sites.Service
	audience *audience.Service
	actor    authz.Actor
	org      docs.OrgID
	first    docs.Space
	second   docs.Space
	site     docs.SiteID
}

func newWorld(t *testing.T, o store.Options) *world {
	t.Helper()
	w := &world{t: t, ctx: t.Context(), now: time.Now()}
	o.Clock = func() time.Time { return w.now }
	w.store = testdb.Open(t, o)
	w.sites = sites.New(w.store, sites.Config{Hosts: sites.Hosts{Base: base}})
	w.audience = audience.New(w.sites)
	b, err := orgs.New(w.store, orgs.Config{}).Operator.Bootstrap(w.ctx, "ada@octavo.test", "Acme", "label")
	w.must(err)
	w.actor, w.org = authz.Actor{User: b.User}, b.Organization
	top, _, err := authz.NewChecker(w.store.Reader).Org(w.ctx, w.actor, authz.CreateContent, w.org)
	w.must(err)
	content := &spaces.Service{Store: w.store, Content: content.New(content.Config{Store: w.store, Blobs: testdb.Blobs(t)})}
	for _, sp := range []*docs.Space{&w.first, &w.second} {
		*sp, _, err = content.Create(w.ctx, top, spaces.NewSpace{Title: "Docs", Empty: true})
		w.must(err)
	}
	site, err := w.sites.Create(w.ctx, top, sites.NewSite{Title: "Acme", Spaces: []docs.SpaceID{w.first.ID, w.second.ID}})
	w.must(err)
	w.site = site.ID
	_, err = w.sites.Publish(w.ctx, w.onSite(), true)
	w.must(err)
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) onSite() *authz.Grant {
	w.t.Helper()
	g, _, err := authz.NewChecker(w.store.Reader).Site(w.ctx, w.actor, authz.AdminSite, w.org, w.site)
	w.must(err)
	return g
}

func (w *world) onSpace(id docs.SpaceID) *authz.Grant {
	w.t.Helper()
	g, _, err := authz.NewChecker(w.store.Reader).AnySpace(w.ctx, w.actor, authz.AdminSpace, id)
	w.must(err)
	return g
}

func TestFind(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o)
		_, err := w.sites.Update(w.ctx, w.onSite(), sites.SitePatch{Basename: opt.Of("acme")})
		w.must(err)
		for text, want := range map[string]string{
			"https://octavo.test/s/acme/a/b":                "a/b",
			"https://octavo.test/s/" + string(w.site) + "/": "",
			"https://octavo.test/s/other/":                  "absent",
			"https://octavo.test/":                          "absent",
			"https://elsewhere.test/":                       "absent",
		} {
			u, err := url.Parse(text)
			w.must(err)
			site, rest, err := w.audience.Find(w.ctx, u)
			switch {
			case want == "absent":
				if !errs.Is(err, errs.NotFound) {
					t.Errorf("%s: %v, %v", text, site.ID, err)
				}
			case err != nil || site.ID != w.site || rest != want:
				t.Errorf("%s: %s, %q, %v", text, site.ID, rest, err)
			}
		}
	})
}

// A token is recognised until it expires, even if it is cached.
func TestATokenThatIsKnownEnds(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t))
	u, err := url.Parse(base + sites.Path + string(w.site) + "/")
	w.must(err)
	r, err := w.audience.Resolve(w.ctx, audience.Visit{URL: u})
	w.must(err)
	token, err := w.audience.Token(w.ctx, r)
	w.must(err)
	again, err := w.audience.Token(w.ctx, r)
	w.must(err)
	if again != token {
		t.Error("the same visit has another token")
	}
	for range 2 {
		if v, err := w.audience.Recognise(w.ctx, token, w.now); err != nil || v.Site != w.site {
			t.Fatalf("recognised %v, %v", v, err)
		}
	}
	if _, err := w.audience.Recognise(w.ctx, token, w.now.Add(50*time.Hour)); !errs.Is(err, errs.Unauthenticated) {
		t.Errorf("after two days: %v", err)
	}
	w.now = w.now.Add(50 * time.Hour)
	if later, err := w.audience.Token(w.ctx, r); err != nil || later == token {
		t.Errorf("the token of two days later is the same, or %v", err)
	}
}
