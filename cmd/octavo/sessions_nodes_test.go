package main_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// signIn opens the sign-in link that the command line prints, and returns the session
// cookie.
func (n *node) signIn(t testing.TB, at place, email string) string {
	t.Helper()
	link := strings.TrimSpace(mustOctavo(t, at, "user login-link", "--email="+email, "--base-url="+n.url))
	address, key, ok := strings.Cut(link, "?key=")
	if !ok {
		t.Fatalf("the link is %q", link)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.PostForm(address, url.Values{"key": {key}})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if len(res.Cookies()) != 1 {
		t.Fatalf("%s, %d cookies", res.Status, len(res.Cookies()))
	}
	return res.Cookies()[0].Name + "=" + res.Cookies()[0].Value
}

// inSession sends a request with a session cookie. It returns the status and the field
// csrfToken of the response.
func (n *node) inSession(t testing.TB, method, path, cookie, csrf string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, n.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Cookie", cookie)
	if csrf != "" {
		req.Header.Set("X-CSRF-Token", csrf)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var body struct {
		CSRFToken string `json:"csrfToken"`
	}
	_ = json.NewDecoder(res.Body).Decode(&body) // some responses have no body
	return res.StatusCode, body.CSRFToken
}

// A user who signs in at one node is signed in at the other, and is signed out at both at
// the same time.
func TestSessionsOnTwoNodes(t *testing.T) {
	t.Parallel()
	eachPlace(t, func(t *testing.T, at place) {
		bootstrap(t, at, "Nodes")
		eachWay(pair(t, at), 4, func(a, b *node, _ int) {
			cookie := a.signIn(t, at, "ada@octavo.example")
			for _, n := range []*node{b, a, b} {
				if got, _ := n.inSession(t, "GET", "/v1/user", cookie, ""); got != http.StatusOK {
					t.Fatalf("signed in, and got %d", got)
				}
			}
			_, csrf := a.inSession(t, "GET", "/v1/user/session", cookie, "")
			if got, _ := b.inSession(t, "DELETE", "/v1/user/sessions", cookie, ""); got != http.StatusForbidden {
				t.Errorf("signed out everywhere without the token of the session: %d", got)
			}
			if got, _ := b.inSession(t, "DELETE", "/v1/user/sessions", cookie, csrf); got != http.StatusResetContent {
				t.Errorf("signed out everywhere: %d", got)
			}
			for _, n := range []*node{a, b} {
				if got, _ := n.inSession(t, "GET", "/v1/user", cookie, ""); got != http.StatusUnauthorized {
					t.Errorf("signed out, and got %d", got)
				}
			}
		})
	})
}
