package console_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
)

// call sends a request to the API and returns the status and the body of the response.
func (w *world) call(token, method, path, body string) (int, string) {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.srv.URL()+"/v1"+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// made creates a resource with call and returns its id.
func (w *world) made(token, path, body string) string {
	w.t.Helper()
	status, text := w.call(token, http.MethodPost, path, body)
	var v struct{ ID string }
	if err := json.Unmarshal([]byte(text), &v); err != nil || status >= 300 || v.ID == "" {
		w.t.Fatalf("%s: %d %s", path, status, text)
	}
	return v.ID
}

// A user deletes the account after typing its address. Their content stays, without their name.
func TestDeleteAccount(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		b := w.browser()
		form := csrf(t, w.signIn(b, "ada@octavo.example"))
		space := w.made(w.boot.Token, "/orgs/"+string(w.boot.Organization)+"/spaces", `{"title": "Guide"}`)
		comment := w.made(w.boot.Token, "/spaces/"+space+"/comments", `{"body": {"markdown": "By ada."}}`)

		if got := b.post("/account/delete", nil, "csrf", "wrong", "email", "ada@octavo.example"); got.status != 403 {
			t.Errorf("a form of another session: %d", got.status)
		}
		if got := b.post("/account/delete", nil, "csrf", form, "email", "bob@octavo.example"); got.status != 400 || !strings.Contains(got.text, "type its address") {
			t.Errorf("another address: %d\n%s", got.status, got.text)
		}
		if got := b.post("/account/delete", nil, "csrf", form, "email", "ada@octavo.example"); got.status != 412 || !strings.Contains(got.text, "Acme") {
			t.Errorf("the last admin: %d\n%s", got.status, got.text)
		}
		if _, err := w.srv.Orgs.Members.Invite(t.Context(), authz.OperatorGrant(w.boot.User), w.boot.Organization, []orgs.Invitee{{Email: "bob@octavo.example", Role: docs.Admin}}, false); err != nil {
			t.Fatal(err)
		}
		bob, err := w.srv.Orgs.Operator.CreateToken(t.Context(), "bob@octavo.example", orgs.NewToken{Label: "test"})
		if err != nil {
			t.Fatal(err)
		}
		got := b.post("/account/delete", nil, "csrf", form, "email", " ADA@octavo.example ")
		if got.status != 200 || !strings.Contains(got.text, "Your account is deleted") {
			t.Fatalf("%d\n%s", got.status, got.text)
		}
		if got := b.get("/account"); !strings.HasPrefix(got.path, "/login") {
			t.Errorf("still signed in: %s", got.path)
		}
		if status, _ := w.call(w.boot.Token, http.MethodGet, "/user", ""); status != 401 {
			t.Errorf("a token of the account: %d", status)
		}
		for _, path := range []string{"/spaces/" + space + "/comments/" + comment, "/spaces/" + space + "/content", "/spaces/" + space + "/comments"} {
			status, text := w.call(bob, http.MethodGet, path, "")
			if status != 200 || strings.Contains(text, "ada@octavo.example") || strings.Contains(path, "comments") && !strings.Contains(text, "Deleted user") {
				t.Errorf("%s: %d %s", path, status, text)
			}
		}
		status, text := w.call(bob, http.MethodGet, "/orgs/"+string(w.boot.Organization)+"/audit", "")
		if status != 200 || !strings.Contains(text, "space.create") || !strings.Contains(text, string(w.boot.User)) {
			t.Errorf("the log: %d %s", status, text)
		}
	})
}
