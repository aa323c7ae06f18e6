package console_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/identity/signin"
	"github.com/octavo-docs/octavo/internal/store"
)

// Groups in a response are mapped to teams. A group that is missing later ends the membership. A
// response without groups changes nothing.
func TestGroupsOfSAMLAreTeams(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		team := func(title string) string {
			return w.api("PUT", "/orgs/$org/teams", map[string]any{"title": title})["id"].(string)
		}
		writers, editors, other := team("Writers"), team("Editors"), team("Other")
		s := newSAML(t, w, map[string]any{
			"attributes": map[string]any{"email": "", "firstName": "first_name", "lastName": "last_name", "groups": "memberOf"},
			"groups":     map[string]any{"cn=writers": writers, "cn=editors": editors},
		})
		in := func(groups ...string) map[docs.TeamID]docs.TeamRole {
			t.Helper()
			b := s.browser()
			a := s.answer(s.start(b, ""))
			if groups != nil {
				a.Attributes["memberOf"] = strings.Join(groups, "</saml:AttributeValue><saml:AttributeValue>")
			}
			if got := s.send(b, a, ""); got.status != http.StatusOK {
				t.Fatalf("%d %s", got.status, got.text)
			}
			u, err := w.srv.Store.UserByEmail(t.Context(), "grace@octavo.example")
			if err != nil {
				t.Fatal(err)
			}
			access, err := w.srv.Store.Access(t.Context(), w.boot.Organization, u.ID)
			if err != nil {
				t.Fatal(err)
			}
			return access.Teams
		}
		is := func(teams map[docs.TeamID]docs.TeamRole, want ...string) {
			t.Helper()
			if len(teams) != len(want) {
				t.Errorf("in %v, want %v", teams, want)
			}
			for _, id := range want {
				if teams[docs.TeamID(id)] == "" {
					t.Errorf("in %v, want %v", teams, want)
				}
			}
		}
		is(in("cn=writers", "cn=nothing", "cn=writers"), writers)
		u, err := w.srv.Store.UserByEmail(t.Context(), "grace@octavo.example")
		if err != nil {
			t.Fatal(err)
		}
		w.api("PUT", "/orgs/$org/teams/"+other+"/members/"+string(u.ID), map[string]any{})
		is(in("cn=writers", "cn=editors"), writers, editors, other)
		is(in("cn=editors"), editors, other)
		is(in(), editors, other)
		is(in("cn=nothing"), other)
	})
}

// A sign-in requires the current settings of the provider, not those at the time of the response.
func TestAProviderThatChangesMeanwhile(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		s := newSAML(t, w, nil)
		b := s.browser()
		b.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		answered := func() string {
			t.Helper()
			got := s.send(b, s.answer(s.start(b, "")), "")
			if got.status != http.StatusSeeOther {
				t.Fatalf("%d %s", got.status, got.text)
			}
			return got.header.Get("Location")
		}
		finish := answered()
		s.api("PATCH", "/orgs/$org/saml/"+s.id, map[string]any{"label": "Another name"})
		if got := b.get(finish); got.status != http.StatusSeeOther {
			t.Errorf("a new label ends sign-ins: %d %s", got.status, got.text)
		}
		finish = answered()
		s.api("PATCH", "/orgs/$org/saml/"+s.id, map[string]any{"entityID": "https://other.example/"})
		if got := b.get(finish); got.status != http.StatusNotFound {
			t.Errorf("what another issuer asserted is taken: %d %s", got.status, got.text)
		}

	})
}

// If the subject is an address, it may belong to another person after a member was removed. A new
// proof is required then.
func TestARecycledAddress(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		s := newSAML(t, w, nil)
		try := func() shown {
			t.Helper()
			b := s.browser()
			return s.send(b, s.answer(s.start(b, "")), "")
		}
		for range 2 {
			if got := try(); got.status != http.StatusOK {
				t.Fatalf("%d %s", got.status, got.text)
			}
		}
		u, err := w.srv.Store.UserByEmail(t.Context(), "grace@octavo.example")
		if err != nil {
			t.Fatal(err)
		}
		w.api("DELETE", "/orgs/$org/members/"+string(u.ID), nil)
		if got := try(); got.status != http.StatusForbidden || !strings.Contains(got.text, "removed from this organization") {
			t.Errorf("who was removed: %d %s", got.status, got.text)
		}
		w.api("POST", "/orgs/$org/invites", map[string]any{"emails": []string{"grace@octavo.example"}, "role": "read", "sso": true})
		if got := try(); got.status != http.StatusForbidden || !strings.Contains(got.text, "link by mail") {
			t.Errorf("whoever has the address now: %d %s", got.status, got.text)
		}
		link, err := w.srv.SignIn.LinkFor(t.Context(), "grace@octavo.example")
		if err != nil {
			t.Fatal(err)
		}
		_, key, _ := strings.Cut(link, "key=")
		if _, err := w.srv.SignIn.UseLink(t.Context(), key, "", signin.Client{Request: "test"}); err != nil {
			t.Fatal(err)
		}
		if got := try(); got.status != http.StatusOK {
			t.Errorf("who reads the mail of the address: %d %s", got.status, got.text)
		}
		err = w.srv.Store.Do(t.Context(), func(tx *store.Tx) error {
			_, err := tx.DropTokens(t.Context(), store.TokenFilter{User: u.ID, Sessions: true})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := try(); got.status != http.StatusOK {
			t.Errorf("once is enough: %d %s", got.status, got.text)
		}
	})
}
