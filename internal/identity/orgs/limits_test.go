package orgs_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/mail"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testmail"
	"github.com/octavo-docs/octavo/internal/testing/testservices"
	"github.com/octavo-docs/octavo/internal/web/services"
)

// mailing is an organization with a mail server.
type mailing struct {
	*testservices.Org
	t    *testing.T
	smtp *testmail.Server
}

func newMailing(t *testing.T, o store.Options, limits orgs.Limits) *mailing {
	t.Helper()
	w := &mailing{t: t, smtp: testmail.Start(t)}
	sender, err := mail.ParseSMTP(w.smtp.URL(), "Octavo <docs@octavo.example>")
	if err != nil {
		t.Fatal(err)
	}
	w.Org = testservices.NewOrg(t, o, services.Settings{BaseURL: "https://docs.octavo.example", Mail: sender, People: limits})
	return w
}

// create makes an organization by a request.
func (w *mailing) create(token, title string) (docs.OrgID, error) {
	w.t.Helper()
	o, err := w.Orgs.Organizations.Create(w.t.Context(), w.Grant(token, authz.SignedIn(docs.ScopeAdmin)), orgs.NewOrganization{Title: title})
	return o.ID, err
}

// invite invites people to an organization by a request.
func (w *mailing) invite(token string, org docs.OrgID, emails ...string) error {
	w.t.Helper()
	var people []orgs.Invitee
	for _, e := range emails {
		people = append(people, orgs.Invitee{Email: e})
	}
	g := w.Grant(token, authz.Org(authz.AdminOrg), "organizationId", string(org))
	_, err := w.Orgs.Members.Invite(w.t.Context(), g, org, people, false)
	return err
}

func (w *mailing) again(org docs.OrgID, user docs.UserID) error {
	w.t.Helper()
	g := w.Grant(w.Token, authz.Org(authz.AdminOrg), "organizationId", string(org))
	return w.Orgs.Members.InviteAgain(w.t.Context(), g, org, user)
}

// account returns the account with an address.
func (w *mailing) account(email docs.Email) docs.UserID {
	w.t.Helper()
	u, err := w.Store.UserByEmail(w.t.Context(), email)
	if err != nil {
		w.t.Fatal(err)
	}
	return u.ID
}

// done checks that something is not refused.
func (w *mailing) done(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// refused checks that there was too much of something, and returns the message, which says
// when to try again.
func (w *mailing) refused(err error) string {
	w.t.Helper()
	text, after := w.limited(err)
	if after <= 0 || after > 24*time.Hour {
		w.t.Fatalf("try again after %v: %s", after, text)
	}
	return text
}

// limited checks that there was too much of something, and returns the message and the time after
// which to try again.
func (w *mailing) limited(err error) (string, time.Duration) {
	w.t.Helper()
	var e *errs.Error
	if !errs.Is(err, errs.TooMany) || !errors.As(err, &e) {
		w.t.Fatalf("not limited: %v", err)
	}
	return e.Message, e.After
}

// strangers returns n addresses.
func strangers(from, n int) (emails []string) {
	for i := range n {
		emails = append(emails, fmt.Sprintf("p%d@stranger.example", from+i))
	}
	return emails
}

// mails returns the mails that an address got.
func (w *mailing) mails(to string) (got []testmail.Message) {
	w.Work()
	for _, m := range w.smtp.Messages() {
		if m.To == to {
			got = append(got, m)
		}
	}
	return got
}

// A guest cannot make the server write to strangers by making organizations.
func TestMailsToStrangersAreLimited(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newMailing(t, o, orgs.Limits{Invitations: 10, YoungInvitations: 4, Organizations: 3})
		w.Invite("guest@octavo.example", docs.Guest, false)
		guest := w.TokenOf("guest@octavo.example")
		var made []docs.OrgID
		for range 3 {
			id, err := w.create(guest, "Win at evil.example")
			w.done(err)
			made = append(made, id)
		}
		_, err := w.create(guest, "One more")
		if text := w.refused(err); !strings.Contains(text, "3 organizations in 24 hours") {
			t.Error(text)
		}
		if text, after := w.limited(w.invite(guest, made[0], strangers(0, 5)...)); after != errs.Never || !strings.Contains(text, "5 at once are never possible; send at most 4 at once, of which 4 are left now") {
			t.Errorf("after %v: %s", after, text)
		}
		w.done(w.invite(guest, made[0], strangers(0, 4)...))
		if text := w.refused(w.invite(guest, made[0], strangers(4, 1)...)); !strings.Contains(text, "--young-invitations-per-day") || !strings.Contains(text, "none are left now, and more in ") || strings.Contains(text, "25 hours") {
			t.Error(text)
		}
		if text, after := w.limited(w.invite(guest, made[0], strangers(0, 9)...)); after != errs.Never || !strings.Contains(text, "send at most 4 at once, of which none are left now") {
			t.Errorf("after %v: %s", after, text)
		}
		w.done(w.invite(guest, made[0], strangers(0, 4)...)) // members already: no mails
		w.done(w.invite(guest, made[1], strangers(10, 4)...))
		if text := w.refused(w.invite(guest, made[2], strangers(20, 3)...)); !strings.Contains(text, "2 are left now") || !strings.Contains(text, "in all organizations together") {
			t.Error(text)
		}
		w.done(w.invite(guest, made[2], strangers(20, 2)...))
		for _, to := range []string{"p3@stranger.example", "p13@stranger.example", "p21@stranger.example"} {
			if got := w.mails(to); len(got) != 1 || got[0].Subject != "guest invites you to docs.octavo.example" {
				t.Errorf("%s got %+v", to, got)
			}
		}
		w.done(w.invite(w.Token, w.ID, strangers(30, 9)...)) // the operator made it
		for _, to := range []string{"p4@stranger.example", "p22@stranger.example"} {
			if n := len(w.mails(to)); n != 0 {
				t.Errorf("%d mails to %s", n, to)
			}
		}
	})
}

// Nobody is flooded with invitations, whoever sends them.
func TestOnePersonGetsFewInvitations(t *testing.T) {
	w := newMailing(t, testdb.SQLite(t), orgs.Limits{})
	const to = "victim@stranger.example"
	if _, err := w.Orgs.Operator.CreateUser(t.Context(), to); err != nil { // with an account, so that no limit of links counts
		t.Fatal(err)
	}
	var made []docs.OrgID
	for i := range 7 {
		org, err := w.create(w.Token, fmt.Sprintf("Spam %d", i))
		w.done(err)
		made = append(made, org)
		last := "last" + strconv.Itoa(i) + "@stranger.example"
		w.done(w.invite(w.Token, org, to))
		w.done(w.invite(w.Token, org, last))
		if n := len(w.mails(last)); n != 1 {
			t.Errorf("%d mails to %s", n, last)
		}
	}
	if n := len(w.mails(to)); n != 5 {
		t.Errorf("%d mails", n)
	}
	user := w.account("last0@stranger.example")
	for range 3 {
		w.done(w.again(made[0], user))
	}
	if text := w.refused(w.again(made[0], user)); !strings.Contains(text, "3 times in 24 hours") {
		t.Error(text)
	}
}

// Invitations are limited, including repeated ones.
func TestInvitationsAreLimited(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newMailing(t, o, orgs.Limits{Invitations: 3})
		w.done(w.invite(w.Token, w.ID, "a@octavo.example", "b@octavo.example"))
		w.refused(w.invite(w.Token, w.ID, "c@octavo.example", "d@octavo.example"))
		user := w.account("a@octavo.example")
		w.done(w.again(w.ID, user))
		w.refused(w.again(w.ID, user))
		if _, err := w.Store.UserByEmail(t.Context(), "c@octavo.example"); err == nil {
			t.Error("a refused invitation has made an account")
		}
	})
}
