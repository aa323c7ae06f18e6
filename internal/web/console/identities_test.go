package console_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/signin"
)

// Users see the identities that are linked to their account, are informed of a new one by mail,
// and can unlink it.
func TestIdentitiesOfAnAccount(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ada := signin.Assertion{Provider: "server-1", Method: docs.SignInByOIDC, Subject: "<ada>", Email: "ada@octavo.example", Request: "test"}
		if err := w.srv.SignIn.LinkIdentity(t.Context(), ada, w.boot.User); err != nil {
			t.Fatal(err)
		}
		if m := w.mail.Await(t, "ada@octavo.example", 0); m.Subject != "A new way to sign in at "+strings.TrimPrefix(w.srv.URL(), "http://") || !strings.Contains(m.Text, "identity provider") {
			t.Errorf("%+v", m)
		}
		opened, err := w.srv.SignIn.SignInByOperator(t.Context(), ada, false)
		if err != nil {
			t.Fatalf("a linked identity does not sign in: %v", err)
		}

		link, err := w.srv.SignIn.LinkFor(t.Context(), "ada@octavo.example")
		if err != nil {
			t.Fatal(err)
		}
		b := w.browser()
		_, key, _ := strings.Cut(link, "key=")
		if got := b.post("/login/link", nil, "key", key); got.status != http.StatusOK {
			t.Fatalf("%d %s", got.status, got.text)
		}
		page := b.get("/account")
		if !strings.Contains(page.text, "&lt;ada&gt;") || !strings.Contains(page.text, "A former provider") {
			t.Fatalf("the identity is not on the page: %s", page.text)
		}
		token := csrf(t, page)
		if got := b.post("/account/identities/remove", nil, "csrf", "wrong", "provider", "server-1", "subject", "<ada>"); got.status != http.StatusForbidden {
			t.Errorf("without the token of the form: %d", got.status)
		}
		if got := b.post("/account/identities/remove", nil, "csrf", token, "provider", "server-1", "subject", "eve"); got.status != http.StatusNotFound {
			t.Errorf("an identity that is not linked: %d", got.status)
		}
		got := b.post("/account/identities/remove", nil, "csrf", token, "provider", "server-1", "subject", "<ada>")
		if got.status != http.StatusOK || !strings.Contains(got.text, "does not sign in to your account any more") || strings.Contains(got.text, "&lt;ada&gt;") {
			t.Errorf("%d %s", got.status, got.text)
		}
		if _, err := w.srv.SignIn.SignInByOperator(t.Context(), ada, false); !errs.Is(err, errs.Forbidden) {
			t.Errorf("an identity that was unlinked: %v", err)
		}
		w.expect(opened.Secret, "GET", "/user", "", http.StatusUnauthorized)
	})
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
