package console_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/identity/signin"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// arrival returns the assertion of a provider of the first organization.
func (w *world) arrival(subject, email string) signin.Assertion {
	w.t.Helper()
	err := w.srv.Store.Do(w.t.Context(), func(tx *store.Tx) error {
		return tx.PutSAMLProvider(w.t.Context(), docs.SAMLProvider{ID: "idp", Org: w.boot.Organization, Label: "Test", Groups: map[string]docs.TeamID{}})
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return signin.Assertion{
		Org: w.boot.Organization, Provider: "idp", Method: docs.SignInBySAML, Subject: subject, Email: email, Proved: true, Name: "Grace  Hopper",
		Role: docs.Edit, Request: "test", Next: "/account",
	}
}

// ask calls the API with a token or with a session.
func (w *world) ask(secret, method, path, body string) (int, map[string]any) {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.srv.URL()+"/v1"+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if strings.HasPrefix(secret, docs.SessionPrefix) {
		req.AddCookie(&http.Cookie{Name: signin.Cookie(w.srv.URL()), Value: secret})
		req.Header.Set("X-CSRF-Token", signin.CSRF(secret))
	} else {
		req.Header.Set("Authorization", "Bearer "+secret)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	var out map[string]any
	_ = json.NewDecoder(res.Body).Decode(&out) // some responses have no body
	return res.StatusCode, out
}

func (w *world) expect(secret, method, path, body string, want int) map[string]any {
	w.t.Helper()
	status, out := w.ask(secret, method, path, body)
	if status != want {
		w.t.Fatalf("%s %s: %d, not %d: %v", method, path, status, want, out)
	}
	return out
}

func TestWhoArrivesFromAProviderIsBoundToItsOrganization(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o)
		org := "/orgs/" + string(w.boot.Organization)
		other, err := w.srv.Orgs.Operator.Bootstrap(t.Context(), "eve@evil.example", "Evil", "test")
		if err != nil {
			t.Fatal(err)
		}
		in, err := w.srv.SignIn.SignInToOrganization(t.Context(), w.arrival("g1", "Grace@Acme.example"))
		if err != nil {
			t.Fatal(err)
		}
		me := w.expect(in.Secret, "GET", "/user", "", 200)
		if me["email"] != "grace@acme.example" || me["displayName"] != "Grace Hopper" {
			t.Errorf("the new account is %v", me)
		}
		id := me["id"].(string)
		m := w.expect(in.Secret, "GET", org+"/members/"+id, "", 200)
		if m["role"] != "edit" || m["sso"] != true {
			t.Errorf("the new member is %v", m)
		}
		// Another organization invites the user. This session has no access there.
		w.expect(other.Token, "POST", "/orgs/"+string(other.Organization)+"/invites", `{"emails": ["grace@acme.example"], "role": "admin"}`, 200)
		w.expect(in.Secret, "GET", "/orgs/"+string(other.Organization), "", 404)
		if n := len(w.expect(in.Secret, "GET", "/orgs", "", 200)["items"].([]any)); n != 1 {
			t.Errorf("%d organizations are listed", n)
		}
		w.expect(in.Secret, "GET", "/users/"+string(other.User), "", 404)
		made := w.expect(in.Secret, "POST", "/user/tokens", `{"label": "ci"}`, 201)["token"].(string)
		w.expect(made, "GET", org, "", 200)
		w.expect(made, "GET", "/orgs/"+string(other.Organization), "", 404)
		for _, refused := range [][3]string{
			{"POST", "/orgs", `{"title": "Mine"}`},
			{"POST", "/orgs/" + string(other.Organization) + "/join", ``},
			{"PATCH", "/users/" + id, `{"displayName": "Other"}`},
			{"POST", "/user/email", `{"email": "mine@acme.example"}`},
		} {
			w.expect(in.Secret, refused[0], refused[1], refused[2], 403)
		}
		// A session by mail has full access. The session for one organization neither sees nor
		// ends it.
		link, err := w.srv.SignIn.LinkFor(t.Context(), "grace@acme.example")
		if err != nil {
			t.Fatal(err)
		}
		_, key, _ := strings.Cut(link, "key=")
		whole, err := w.srv.SignIn.UseLink(t.Context(), key, "", signin.Client{Request: "test"})
		if err != nil {
			t.Fatal(err)
		}
		w.expect(whole.Secret, "GET", "/orgs/"+string(other.Organization), "", 200)
		w.expect(in.Secret, "DELETE", "/user/sessions", "", 205)
		w.expect(in.Secret, "GET", "/user", "", 401)
		w.expect(whole.Secret, "GET", "/user", "", 200)
	})
}

func TestNoAccountIsTakenOverByAnAddress(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o)
		org := "/orgs/" + string(w.boot.Organization)
		arrive := func(subject, email string) error {
			_, err := w.srv.SignIn.SignInToOrganization(t.Context(), w.arrival(subject, email))
			return err
		}
		refused := func(what string, err error) {
			t.Helper()
			if err == nil {
				t.Errorf("%s is let in", what)
			}
		}
		victim, err := w.srv.Orgs.Operator.Bootstrap(t.Context(), "vic@other.example", "Other", "test")
		if err != nil {
			t.Fatal(err)
		}
		refused("an account of nobody here", arrive("v", "vic@other.example"))
		refused("another case of it", arrive("v", "VIC@other.example"))
		w.expect(w.boot.Token, "POST", org+"/invites", `{"emails": ["vic@other.example"], "role": "read", "sso": true}`, 200)
		refused("somebody who never used the organization", arrive("v", "vic@other.example"))
		w.expect(victim.Token, "GET", org, "", 200)
		if err := w.srv.API.Guard.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := arrive("v", "vic@other.example"); err != nil {
			t.Errorf("a member of single sign-on: %v", err)
		}
		refused("an admin who is not marked", arrive("a", "ada@octavo.example"))
		// A user who was invited for single sign-on and has no account yet can sign in.
		w.expect(w.boot.Token, "POST", org+"/invites", `{"emails": ["new@acme.example"], "role": "read", "sso": true}`, 200)
		if err := arrive("n", "new@acme.example"); err != nil {
			t.Errorf("somebody who was invited for single sign-on: %v", err)
		}
		// The same subject signs in to the same account, even with another address.
		if err := arrive("n", "renamed@acme.example"); err != nil {
			t.Errorf("a known subject: %v", err)
		}
		u, err := w.srv.Store.UserByEmail(t.Context(), "new@acme.example")
		if err != nil {
			t.Fatal(err)
		}
		w.expect(w.boot.Token, "DELETE", org+"/members/"+string(u.ID), "", 205)
		refused("somebody who was removed", arrive("n", "new@acme.example"))
		refused("no address", arrive("x", "nothing"))
		refused("no subject", arrive("", "x@acme.example"))
	})
}

func TestAnOrganizationAsksForItsProvider(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o)
		org := "/orgs/" + string(w.boot.Organization)
		in, err := w.srv.SignIn.SignInToOrganization(t.Context(), w.arrival("g1", "grace@acme.example"))
		if err != nil {
			t.Fatal(err)
		}
		byMail, err := w.srv.Orgs.Operator.CreateToken(t.Context(), "grace@acme.example", orgs.NewToken{Label: "test"})
		if err != nil {
			t.Fatal(err)
		}
		w.expect(byMail, "GET", org, "", 200)
		w.expect(w.boot.Token, "PATCH", org, `{"sso": true}`, 200)
		w.expect(in.Secret, "GET", org, "", 200)
		if out := w.expect(byMail, "GET", org, "", 403); !strings.Contains(out["error"].(map[string]any)["message"].(string), "identity provider") {
			t.Errorf("the answer is %v", out)
		}
		w.expect(w.boot.Token, "PATCH", org, `{"sso": false}`, 200)
		w.expect(byMail, "GET", org, "", 200)
	})
}

func TestWhoMayAddAPasskey(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t))
	w.srv.SignIn.BaseURL = "http://localhost"
	bound, err := w.srv.SignIn.SignInToOrganization(t.Context(), w.arrival("g1", "grace@acme.example"))
	if err != nil {
		t.Fatal(err)
	}
	grant := func(secret string) *authz.Grant {
		t.Helper()
		var s *authz.Session
		if s, err = w.srv.Guard.AuthenticateSession(t.Context(), secret, authz.Origin{Request: "test"}); err != nil {
			t.Fatal(err)
		}
		g, err := w.srv.Guard.Check(t.Context(), s, authz.FullToken(), func(string) string { return "" }, w.srv.Store.Clock())
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	link, err := w.srv.SignIn.LinkFor(t.Context(), "ada@octavo.example")
	if err != nil {
		t.Fatal(err)
	}
	_, key, _ := strings.Cut(link, "key=")
	whole, err := w.srv.SignIn.UseLink(t.Context(), key, "", signin.Client{Request: "test"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.srv.SignIn.BeginPasskeyCreation(t.Context(), grant(whole.Secret), ""); err != nil {
		t.Errorf("a person cannot add a passkey: %v", err)
	}
	token := *grant(whole.Secret)
	token.Actor.Session = false
	for what, g := range map[string]*authz.Grant{"a session of a provider": grant(bound.Secret), "a token": &token} {
		_, err := w.srv.SignIn.BeginPasskeyCreation(t.Context(), g, "")
		if err := errors.Join(err, w.srv.SignIn.AddPasskey(t.Context(), g, "x", []byte("{}"))); !errs.Is(err, errs.Forbidden) {
			t.Errorf("%s adds a passkey: %v", what, err)
		}
	}
	for _, answer := range []string{"", "{}", "[]", strings.Repeat("{", 10_000), `{"id":"YQ","rawId":"YQ","type":"public-key","response":{}}`} {
		if _, err := w.srv.SignIn.UsePasskey(t.Context(), []byte(answer), signin.Client{Request: "test"}); !errs.Is(err, errs.Invalid) {
			t.Errorf("%.20q signs in: %v", answer, err)
		}
	}
}
