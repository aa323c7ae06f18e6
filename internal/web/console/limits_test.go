package console_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/web/server"
)

// refused sends a request and returns the message of its 429, which says when to try again.
func (w *world) refused(secret, path, body string) string {
	w.t.Helper()
	text, after := w.limited(secret, path, body)
	if wait, err := strconv.Atoi(after); err != nil || wait < 1 || wait > 24*3600 {
		w.t.Fatalf("POST %s: Retry-After %q: %s", path, after, text)
	}
	return text
}

// limited sends a request and returns the message and the Retry-After of its 429.
func (w *world) limited(secret, path, body string) (text, after string) {
	w.t.Helper()
	req, err := http.NewRequest("POST", w.srv.URL()+"/v1"+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+secret)
	req.Header.Set("Content-Type", "application/json")
	got := w.browser().do(req)
	if got.status != http.StatusTooManyRequests {
		w.t.Fatalf("POST %s: %d: %s", path, got.status, got.text)
	}
	return got.text, got.header.Get("Retry-After")
}

// strangers returns the body of an invitation of n people.
func strangers(from, n int) string {
	var emails []string
	for i := range n {
		emails = append(emails, fmt.Sprintf(`"p%d@stranger.example"`, from+i))
	}
	return `{"emails":[` + strings.Join(emails, ",") + `]}`
}

// mails returns how many mails an address got.
func (w *world) mails(to string) (n int) {
	for _, m := range w.mail.Messages() {
		if m.To == to {
			n++
		}
	}
	return n
}

// A guest cannot make the server write to strangers by making organizations.
func TestMailsToStrangersAreLimited(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.api("POST", "/orgs/$org/invites", map[string]any{"emails": []string{"guest@octavo.example"}, "role": nil})
		guest, err := w.srv.Orgs.Operator.CreateToken(t.Context(), "guest@octavo.example", orgs.NewToken{Label: "guest"})
		if err != nil {
			t.Fatal(err)
		}
		var made []string
		for range 3 {
			made = append(made, "/orgs/"+w.expect(guest, "POST", "/orgs", `{"title":"Win at evil.example"}`, 201)["id"].(string))
		}
		if text := w.refused(guest, "/orgs", `{"title":"One more"}`); !strings.Contains(text, "3 organizations in 24 hours") {
			t.Error(text)
		}
		if text, after := w.limited(guest, made[0]+"/invites", strangers(0, 5)); after != "" || !strings.Contains(text, "5 at once are never possible; send at most 4 at once, of which 4 are left now") {
			t.Errorf("Retry-After %q: %s", after, text)
		}
		w.expect(guest, "POST", made[0]+"/invites", strangers(0, 4), 200)
		if text := w.refused(guest, made[0]+"/invites", strangers(4, 1)); !strings.Contains(text, "--young-invitations-per-day") || !strings.Contains(text, "none are left now, and more in ") || strings.Contains(text, "25 hours") {
			t.Error(text)
		}
		if text, after := w.limited(guest, made[0]+"/invites", strangers(0, 9)); after != "" || !strings.Contains(text, "send at most 4 at once, of which none are left now") {
			t.Errorf("Retry-After %q: %s", after, text)
		}
		w.expect(guest, "POST", made[0]+"/invites", strangers(0, 4), 200) // members already: no mails
		w.expect(guest, "POST", made[1]+"/invites", strangers(10, 4), 200)
		if text := w.refused(guest, made[2]+"/invites", strangers(20, 3)); !strings.Contains(text, "2 are left now") || !strings.Contains(text, "in all organizations together") {
			t.Error(text)
		}
		w.expect(guest, "POST", made[2]+"/invites", strangers(20, 2), 200)
		for _, to := range []string{"p3@stranger.example", "p13@stranger.example", "p21@stranger.example"} {
			if m := w.mail.Await(t, to, 0); m.Subject != "guest invites you to "+strings.TrimPrefix(w.srv.URL(), "http://") {
				t.Errorf("%q", m.Subject)
			}
		}
		w.expect(w.boot.Token, "POST", "/orgs/"+string(w.boot.Organization)+"/invites", strangers(30, 9), 200) // the operator made it
		for _, to := range []string{"p4@stranger.example", "p22@stranger.example"} {
			if n := w.mails(to); n != 0 {
				t.Errorf("%d mails to %s", n, to)
			}
		}
	}, func(c *server.Config) {
		c.People = orgs.Limits{Invitations: 10, YoungInvitations: 4, Organizations: 3}
	})
}

// Nobody is flooded with invitations, whoever sends them.
func TestOnePersonGetsFewInvitations(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t))
	const to = "victim@stranger.example"
	if _, err := w.srv.Orgs.Operator.CreateUser(t.Context(), to); err != nil { // with an account, so that no limit of links counts
		t.Fatal(err)
	}
	for i := range 7 {
		org := "/orgs/" + w.expect(w.boot.Token, "POST", "/orgs", fmt.Sprintf(`{"title":"Spam %d"}`, i), 201)["id"].(string)
		w.expect(w.boot.Token, "POST", org+"/invites", `{"emails":["`+to+`"]}`, 200)
		w.expect(w.boot.Token, "POST", org+"/invites", `{"emails":["last`+strconv.Itoa(i)+`@stranger.example"]}`, 200)
		w.mail.Await(t, "last"+strconv.Itoa(i)+"@stranger.example", 0)
	}
	if n := w.mails(to); n != 5 {
		t.Errorf("%d mails", n)
	}
	u, err := w.srv.Store.UserByEmail(t.Context(), "last0@stranger.example")
	if err != nil {
		t.Fatal(err)
	}
	o, err := w.srv.Store.Memberships(t.Context(), u.ID)
	if err != nil {
		t.Fatal(err)
	}
	again := "/orgs/" + string(o[0].Org) + "/members/" + string(u.ID) + "/invite"
	for range 3 {
		w.expect(w.boot.Token, "POST", again, ``, 202)
	}
	if text := w.refused(w.boot.Token, again, ``); !strings.Contains(text, "3 times in 24 hours") {
		t.Error(text)
	}
}

// A new address gets a mail, whoever has it.
func TestNewAddressesAreLimited(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t))
	b := w.browser()
	token := csrf(t, w.signIn(b, "ada@octavo.example"))
	for i := range 10 {
		if got := b.post("/account/email", nil, "csrf", token, "email", fmt.Sprintf("p%d@stranger.example", i)); got.status != 200 {
			t.Fatalf("%d: %s", got.status, got.text)
		}
	}
	got := b.post("/account/email", nil, "csrf", token, "email", "p10@stranger.example")
	if got.status != http.StatusTooManyRequests || got.header.Get("Retry-After") == "" || !strings.Contains(got.text, "10 new addresses in 24 hours") {
		t.Errorf("%d, Retry-After %q: %s", got.status, got.header.Get("Retry-After"), got.text)
	}
}
