package audience_test

import (
	"net/url"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/site/audience"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// A preview shows content as long as the member who created it can see that content.
func TestPreviewsAreOfTheirMaker(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o)
		invited, err := orgs.New(w.store, orgs.Config{}).Members.Invite(w.ctx, authz.OperatorGrant(w.actor.User), w.org, []orgs.Invitee{{Email: "bob@octavo.test", Role: docs.Create}}, true)
		w.must(err)
		bob := invited.Users[0]
		w.must(w.store.Do(w.ctx, func(tx *store.Tx) error {
			return tx.PutGrant(w.ctx, w.org, docs.Grant{Node: w.onSpace(w.second.ID).Node(), User: bob, Role: docs.Guest})
		}))
		see := func(by docs.UserID) (*audience.VisitorView, error) {
			return w.audience.VisitorView(w.ctx, w.store.Reader, authz.Visitor{Org: w.org, Site: w.site, Preview: true, By: by})
		}
		all, err := see(w.actor.User)
		w.must(err)
		some, err := see(bob)
		w.must(err)
		if !all.Spaces[w.second.ID] || some.Spaces[w.second.ID] || !some.Spaces[w.first.ID] {
			t.Errorf("the admin's preview has %v, that of bob, who does not see %s, has %v", all.Spaces, w.second.ID, some.Spaces)
		}
		if _, err := see(""); !errs.Is(err, errs.NotFound) {
			t.Errorf("a preview that nobody made: %v", err)
		}
		w.must(w.store.Do(w.ctx, func(tx *store.Tx) error {
			return tx.PutGrant(w.ctx, w.org, docs.Grant{Node: w.onSite().Node(), User: bob, Role: docs.Read})
		}))
		if _, err := see(bob); !errs.Is(err, errs.NotFound) {
			t.Errorf("the preview of somebody who may not make one any more: %v", err)
		}
	})
}

// Access by a visitor token ends with the token and with its key, for every audience.
func TestWhatWasVouchedForEnds(t *testing.T) {
	for _, visibility := range []docs.Visibility{docs.VisibilityPublic, docs.VisibilityUnlisted, docs.VisibilityAuth} {
		t.Run(string(visibility), func(t *testing.T) {
			w := newWorld(t, testdb.SQLite(t))
			_, err := w.sites.Update(w.ctx, w.onSite(), sites.SitePatch{Visibility: opt.Of(visibility), Adaptive: opt.Of(true)})
			w.must(err)
			auth, err := w.sites.Settings.ReplaceKey(w.ctx, w.onSite())
			w.must(err)
			ends := w.now.Add(2 * time.Hour)
			token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{"vip": true, "exp": ends.Unix()}).SignedString([]byte(auth.PrivateKey))
			w.must(err)
			u, err := url.Parse(base + sites.Path + string(w.site) + "/")
			w.must(err)
			r, err := w.audience.Resolve(w.ctx, audience.Visit{URL: u, Token: token})
			w.must(err)
			content, err := w.audience.Token(w.ctx, r)
			w.must(err)
			who, err := w.audience.Recognise(w.ctx, content, w.now)
			w.must(err)
			if _, err := w.audience.VisitorView(w.ctx, w.store.Reader, who); err != nil {
				t.Fatalf("before: %v", err)
			}
			if _, err := w.audience.Recognise(w.ctx, content, ends.Add(time.Minute)); !errs.Is(err, errs.Unauthenticated) {
				t.Errorf("the content token outlives that of the visitor: %v", err)
			}
			_, err = w.sites.Settings.ReplaceKey(w.ctx, w.onSite())
			w.must(err)
			if _, err := w.audience.VisitorView(w.ctx, w.store.Reader, who); !errs.Is(err, errs.NotFound) {
				t.Errorf("with another key: %v", err)
			}
			if err := w.audience.CheckShown(w.ctx, who, w.first.ID); !errs.Is(err, errs.NotFound) {
				t.Errorf("files with another key: %v", err)
			}
		})
	}
}
