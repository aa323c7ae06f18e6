package sites_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/challenge"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/site/audience"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/spaces"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testdns"
)

// world is an organization with a published site of two spaces.
type world struct {
	t        *testing.T
	ctx      context.Context
	now      time.Time
	store    *store.Store
	sites    *sites.Service
	spaces   *spaces.Service
	audience *audience.Service
	actor    authz.Actor
	org      docs.OrgID
	first    docs.Space
	second   docs.Space
	site     docs.SiteID
}

func newWorld(t *testing.T, o store.Options) *world {
	t.Helper()
	return newWorldWith(t, o, nil)
}

// newWorldWith is newWorld with a resolver that proves host names.
func newWorldWith(t *testing.T, o store.Options, dns challenge.Resolver) *world {
	t.Helper()
	w := &world{t: t, ctx: context.Background(), now: time.Now()}
	o.Clock = func() time.Time { return w.now }
	w.store = testdb.Open(t, o)
	w.sites = w.service(dns)
	w.audience = audience.New(w.sites)
	w.spaces = &spaces.Service{Store: w.store, Content: content.New(content.Config{Store: w.store, Blobs: testdb.Blobs(t)})}
	b, err := orgs.New(w.store, orgs.Config{}).Operator.Bootstrap(w.ctx, "ada@octavo.test", "Acme", "label")
	w.must(err)
	w.actor, w.org = authz.Actor{User: b.User}, b.Organization
	top, _, err := authz.NewChecker(w.store.Reader).Org(w.ctx, w.actor, authz.CreateContent, w.org)
	w.must(err)
	for _, sp := range []*docs.Space{&w.first, &w.second} {
		*sp, _, err = w.spaces.Create(w.ctx, top, spaces.NewSpace{Title: "Docs", Empty: true})
		w.must(err)
	}
	site, err := w.sites.Create(w.ctx, top, sites.NewSite{Title: "Acme", Spaces: []docs.SpaceID{w.first.ID, w.second.ID}})
	w.must(err)
	w.site = site.ID
	_, err = w.sites.Publish(w.ctx, w.onSite(), true)
	w.must(err)
	return w
}

// service returns a service for the store, with host names that the operator vouches for.
func (w *world) service(dns challenge.Resolver, trusted ...string) *sites.Service {
	return sites.New(w.store, sites.Config{Hosts: sites.Hosts{Base: "https://octavo.test", Trusted: trusted}, DNS: dns})
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

// readers returns the structure that readers see, with one line for each site space.
func (w *world) readers() string {
	w.t.Helper()
	seen, err := w.audience.VisitorView(w.ctx, w.store.Reader, authz.Visitor{Org: w.org, Site: w.site, Preview: true, By: w.actor.User})
	w.must(err)
	var out string
	for _, it := range seen.Structure.All(docs.SiteSpace) {
		out += fmt.Sprintf("%s %q %v;", it.Title, it.Address, it.Default)
	}
	return out
}

func (w *world) address(id docs.SpaceID) string {
	w.t.Helper()
	v, err := w.store.Space(w.ctx, id)
	w.must(err)
	if v.It.Published == nil {
		return "nowhere"
	}
	return w.sites.Hosts.URL(*v.It.Published, "")
}

// Every change that is visible to readers increments the version of the site. A call that
// changes nothing does not.
func TestVersion(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o)
		variant := func() docs.SiteItem {
			v, err := w.sites.Views.Member(w.ctx, w.onSite())
			w.must(err)
			return v.Structure.All(docs.SiteSpace)[1]
		}
		for _, c := range []struct {
			name   string
			raises bool
			change func() error
		}{
			{"settings", true, func() error {
				_, err := w.sites.Update(w.ctx, w.onSite(), sites.SitePatch{Basename: opt.Of("acme")})
				return err
			}},
			{"the same settings", false, func() error {
				_, err := w.sites.Update(w.ctx, w.onSite(), sites.SitePatch{Basename: opt.Of("acme")})
				return err
			}},
			{"published again", false, func() error { _, err := w.sites.Publish(w.ctx, w.onSite(), true); return err }},
			{"a condition", true, func() error {
				_, _, err := w.sites.UpdateSpace(w.ctx, w.onSite(), variant().ID, sites.SpacePatch{Condition: opt.Of("visitor.claims.beta")})
				return err
			}},
			{"a place", true, func() error {
				_, _, err := w.sites.Move(w.ctx, w.onSite(), sites.Pointer{Kind: docs.SiteSpace, ID: variant().ID}, sites.Position{
					Before: &sites.Pointer{Kind: docs.SiteSpace, ID: w.firstItem().ID}})
				return err
			}},
			{"the title of a space", true, func() error {
				_, _, err := w.spaces.Update(w.ctx, w.onSpace(w.first.ID), spaces.SpacePatch{Title: opt.Of("Renamed")})
				return err
			}},
			{"the lock of a space", false, func() error {
				_, _, err := w.spaces.Update(w.ctx, w.onSpace(w.first.ID), spaces.SpacePatch{EditMode: opt.Of(docs.EditLive)})
				return err
			}},
			{"the trash", true, func() error { return w.spaces.Delete(w.ctx, w.onSpace(w.first.ID)) }},
			{"a refused change", false, func() error {
				_, err := w.sites.Update(w.ctx, w.onSite(), sites.SitePatch{Title: opt.Of("x"), DefaultSpace: opt.Of(docs.SiteItemID("absent"))})
				if !errs.Is(err, errs.NotFound) {
					return fmt.Errorf("not refused: %w", err)
				}
				return nil
			}},
		} {
			before := w.onSite().Site.Version
			w.must(c.change())
			if after := w.onSite().Site.Version; after != before && !c.raises || after != before+1 && c.raises {
				t.Errorf("%s: version %d, then %d", c.name, before, after)
			}
		}
	})
}

func (w *world) firstItem() docs.SiteItem {
	w.t.Helper()
	v, err := w.sites.Views.Member(w.ctx, w.onSite())
	w.must(err)
	return v.Structure.All(docs.SiteSpace)[0]
}

// A space in the trash is hidden from the readers of a site. After a purge, it is removed from
// the site.
func TestTrash(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o)
		root := "https://octavo.test/s/" + string(w.site) + "/"
		expect := func(when, readers, first, second string) {
			t.Helper()
			if got := w.readers(); got != readers {
				t.Errorf("%s: readers see %s, want %s", when, got, readers)
			}
			if a, b := w.address(w.first.ID), w.address(w.second.ID); a != first || b != second {
				t.Errorf("%s: the spaces are at %s and %s, want %s and %s", when, a, b, first, second)
			}
		}
		expect("published", `Docs "" true;Docs "docs-2" false;`, root, root+"docs-2/")
		w.must(w.spaces.Delete(w.ctx, w.onSpace(w.first.ID)))
		expect("in the trash", `Docs "" true;`, "nowhere", root)
		_, err := w.spaces.Restore(w.ctx, w.onSpace(w.first.ID))
		w.must(err)
		expect("restored", `Docs "" true;Docs "docs-2" false;`, root, root+"docs-2/")

		w.must(w.spaces.Delete(w.ctx, w.onSpace(w.first.ID)))
		w.now = w.now.Add(docs.TrashRetention + time.Hour)
		w.must(w.spaces.Purge(w.ctx, fmt.Appendf(nil, `{"space":%q}`, w.first.ID)))
		if left := w.firstItem(); left.Space != w.second.ID || !left.Default || w.onSite().Site.SiteSpaces != 1 {
			t.Errorf("purged: %+v of %d", left, w.onSite().Site.SiteSpaces)
		}
	})
}

// A role on the site does not allow changing its settings unless it is admin.
func TestRolesOnASite(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o)
		people := orgs.New(w.store, orgs.Config{})
		for _, c := range []struct {
			org, on docs.Role
			want    errs.Kind
			allowed bool
		}{
			{docs.Create, docs.Guest, 0, true},
			{docs.Create, docs.Read, errs.Forbidden, false},
			{docs.Read, docs.Create, errs.Forbidden, false},
			{docs.Read, docs.Admin, 0, true},
			{docs.Guest, docs.Guest, errs.NotFound, false},
			{docs.Guest, docs.Edit, errs.Forbidden, false},
		} {
			invited, err := people.Members.Invite(w.ctx, authz.OperatorGrant(w.actor.User), w.org, []orgs.Invitee{
				{Email: fmt.Sprintf("x%s-%sx@octavo.test", c.org, c.on), Role: c.org},
			}, true)
			w.must(err)
			user := invited.Users[0]
			if c.on != docs.Guest {
				w.must(w.store.Do(w.ctx, func(tx *store.Tx) error {
					return tx.PutGrant(w.ctx, w.org, docs.Grant{Node: w.onSite().Node(), User: user, Role: c.on})
				}))
			}
			_, _, err = authz.NewChecker(w.store.Reader).Site(w.ctx, authz.Actor{User: user}, authz.AdminSite, w.org, w.site)
			if (err == nil) != c.allowed || err != nil && errs.KindOf(err) != c.want {
				t.Errorf("%q in the organization, %q on the site: %v", c.org, c.on, err)
			}
		}
	})
}

// A host name that is removed while its record is looked up is no failure of the job, which
// goes on with the others.
func TestHostnameJobWhenAHostNameIsRemoved(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		resolver := testdns.Start(t).Resolver()
		dial, asked := resolver.Dial, 0
		w := newWorldWith(t, o, resolver)
		_, err := w.sites.Hostnames.Set(w.ctx, w.onSite(), "docs.acme.test")
		w.must(err)
		resolver.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			if asked++; asked == 1 {
				w.must(w.sites.Hostnames.Remove(w.ctx, w.onSite()))
			}
			return dial(ctx, network, address)
		}
		w.now = w.now.Add(time.Hour)
		w.must(w.sites.Hostnames.CheckDue(w.ctx, nil))
		if asked == 0 {
			t.Error("no record was looked up")
		}
	})
}

// The job activates the host name of a site when the record exists, and removes it when the
// record is missing for days. A failing name server changes nothing.
func TestHostnameJob(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		dns := testdns.Start(t)
		w := newWorldWith(t, o, dns.Resolver())
		h, err := w.sites.Hostnames.Set(w.ctx, w.onSite(), "docs.acme.test")
		w.must(err)
		const own, custom = "/s/", "//docs.acme.test/"
		after := func(d time.Duration, want string) {
			t.Helper()
			for end := w.now.Add(d); w.now.Before(end); {
				w.now = w.now.Add(min(time.Hour, end.Sub(w.now)))
				w.must(w.sites.Hostnames.CheckDue(w.ctx, nil))
			}
			if at := w.address(w.first.ID); !strings.Contains(at, want) {
				t.Fatalf("the site is at %s, want %s", at, want)
			}
		}
		after(time.Hour, own)
		dns.Set(h.Record(), h.Token)
		after(2*time.Hour, custom)
		dns.Break(true)
		after(2*docs.HostnameGrace, custom)
		dns.Break(false)
		dns.Remove(h.Record())
		after(docs.HostnameGrace-time.Hour, custom)
		dns.Set(h.Record(), h.Token)
		after(24*time.Hour, custom)
		dns.Remove(h.Record())
		after(docs.HostnameGrace+48*time.Hour, own)
		dns.Set(h.Record(), h.Token)
		after(48*time.Hour, custom)
	})
}

// A site that was customized before icons were stored has an icon, and keeps it when other
// settings change.
func TestIconsOfOlderVersions(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o)
		w.must(w.store.Do(w.ctx, func(tx *store.Tx) error {
			v, err := tx.SiteSettings(w.ctx, w.site)
			if err != nil {
				return err
			}
			v.Customization, v.Icon = `{"favicon":{"emoji":"1f600","icon":{"light":"https://a.test/l","dark":"https://a.test/d"}}}`, docs.SiteIcon{}
			return tx.PutSiteSettings(w.ctx, w.site, v)
		}))
		want := docs.SiteIcon{Emoji: "1f600", Light: "https://a.test/l", Dark: "https://a.test/d"}
		for range 2 {
			site, err := w.store.Site(w.ctx, w.site)
			w.must(err)
			if site.It.Icon != want {
				t.Errorf("the icon is %+v", site.It.Icon)
			}
			_, err = w.sites.Settings.ReplaceKey(w.ctx, w.onSite())
			w.must(err)
		}
	})
}
