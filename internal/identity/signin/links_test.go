package signin_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/mail"
	"github.com/octavo-docs/octavo/internal/identity/signin"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testmail"
	"github.com/octavo-docs/octavo/internal/testing/testservices"
	"github.com/octavo-docs/octavo/internal/web/services"
)

// The path after a sign-in is always a path of this server, and of a page that leads nowhere else.
func TestNextIsLocal(t *testing.T) {
	for next, want := range map[string]string{
		"/account": "/account", "/v1/user?a=b": "/v1/user?a=b", "/a b": "/a%20b", "": "", "account": "",
		"//evil.example": "", `/\evil.example`: "", "https:evil.example": "", "https://evil.example/": "", "/a\r\nSet-Cookie: x=y": "",
		"javascript:alert(1)": "", "/login?next=/x": "", "/x/../login": "", "/logout": "", "/saml/p/login": "", "/oidc/p": "", "/~site/": "",
		"/" + strings.Repeat("x", 1024): "",
	} {
		if got := signin.LocalPath(next); got != want {
			t.Errorf("%.40q leads to %q, want %q", next, got, want)
		}
	}
}

// Links that do not work are in the audit log, with the account if it is known. Many of them are
// one entry.
func TestRefusedLinks(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := testservices.NewOrg(t, o, services.Settings{})
		ctx, from := t.Context(), signin.Client{Request: "test", Address: "192.0.2.1"}
		link, err := w.SignIn.LinkFor(ctx, "ada@octavo.example")
		if err != nil {
			t.Fatal(err)
		}
		err = w.Store.Do(ctx, func(tx *store.Tx) error {
			return tx.AddMailLink(ctx, docs.MailLink{User: w.Admin, Email: "ada@octavo.example", CreatedAt: 1, ExpiresAt: 2}, docs.HashSecret("octavol_old"))
		})
		if err != nil {
			t.Fatal(err)
		}
		refused := func(what string, err error) {
			t.Helper()
			if !errs.Is(err, errs.NotFound) {
				t.Errorf("%s: %v", what, err)
			}
		}
		_, _, err = w.SignIn.CheckLink(ctx, "octavol_old", "", from)
		refused("an expired link", err)
		if _, err := w.SignIn.UseLink(ctx, testservices.Key(link), "", from); err != nil {
			t.Fatal(err)
		}
		for range 20 {
			_, err := w.SignIn.UseLink(ctx, testservices.Key(link), "", from)
			refused("a used link", err)
			_, _, err = w.SignIn.CheckLink(ctx, "octavol_wrong", "", from)
			refused("a wrong link", err)
		}
		got := w.Logged("", "session.refuse")
		if len(got) != 2 || !strings.HasPrefix(got[0], string(w.Admin)+" ") || !strings.HasPrefix(got[1], " ") {
			t.Fatalf("the log has %q", got)
		}
		for _, part := range []string{`"method":"mail"`, `"address":"192.0.2.1"`, `"moreBefore":0`} {
			if !strings.Contains(got[0], part) || !strings.Contains(got[1], part) {
				t.Errorf("the log has %q without %s", got, part)
			}
		}
	})
}

// Neither many requests for links nor a mail server that is down lock a user out.
func TestNobodyIsLockedOut(t *testing.T) {
	smtp := testmail.Start(t)
	sender, err := mail.ParseSMTP(smtp.URL(), "Octavo <docs@octavo.example>")
	if err != nil {
		t.Fatal(err)
	}
	w := testservices.NewOrg(t, testdb.SQLite(t), services.Settings{BaseURL: "https://docs.octavo.example", Mail: sender})
	w.Other("mallory@octavo.example", "Other")
	mails := func(want int) (last testmail.Message) {
		t.Helper()
		w.Work()
		n := 0
		for _, m := range smtp.Messages() {
			if m.To == "ada@octavo.example" {
				n, last = n+1, m
			}
		}
		if n != want {
			t.Fatalf("%d mails, want %d", n, want)
		}
		return last
	}
	request := func() {
		t.Helper()
		if err := w.SignIn.RequestLink(t.Context(), "ada@octavo.example", ""); err != nil {
			t.Fatal(err)
		}
	}
	mallory := w.Grant(w.SessionOf("mallory@octavo.example"), authz.FullToken())
	for i := range 6 { // links beyond the limit are not sent
		if err := w.SignIn.ChangeEmail(t.Context(), mallory, "ada@octavo.example"); err != nil {
			t.Fatal(err)
		}
		mails(min(i+1, 5))
	}
	request()
	link := regexp.MustCompile(`https\S+/login/link\?key=\S+`).FindString(mails(6).Text)
	if _, err := w.SignIn.UseLink(t.Context(), testservices.Key(link), "", signin.Client{Request: "test"}); err != nil {
		t.Errorf("%q: %v", link, err)
	}
	// A link that could not be sent does not count towards the limit.
	smtp.Refuse(true)
	for range 7 {
		payload := fmt.Sprintf(`{"Email":"ada@octavo.example","Asked":%q}`, time.Now().UTC().Format(time.RFC3339Nano))
		if err := w.SignIn.SendLink(t.Context(), []byte(payload)); err == nil {
			t.Fatal("a mail that was refused is no error")
		}
	}
	smtp.Refuse(false)
	request()
	mails(7)
}

// Actions of the operator on an account are in the audit log of its organizations.
func TestTheOperatorInTheLogOfAnOrganization(t *testing.T) {
	w := testservices.NewOrg(t, testdb.SQLite(t), services.Settings{})
	if _, err := w.SignIn.LinkFor(t.Context(), "ada@octavo.example"); err != nil {
		t.Fatal(err)
	}
	rows, _, err := w.Store.Audit(t.Context(), w.ID, store.AuditFilter{Action: "user.login-link"}, store.Page{Limit: 100})
	if err != nil || len(rows) != 1 || rows[0].SubjectID != string(w.Admin) || rows[0].Actor != "" || rows[0].Request != authz.CommandLine {
		t.Errorf("%+v, %v", rows, err)
	}
}

// A link of the operator is stored only together with its entry in the audit log.
func TestALinkIsStoredWithItsEntry(t *testing.T) {
	var reads, end atomic.Int64
	var cancel context.CancelFunc
	o := testdb.SQLite(t)
	o.Clock = func() time.Time {
		if reads.Add(1) == end.Load() {
			cancel()
		}
		return time.Now()
	}
	w := testservices.NewOrg(t, o, services.Settings{})
	for i := range int64(6) {
		ctx, stop := context.WithCancel(t.Context())
		cancel = stop
		end.Store(reads.Load() + 1 + i)
		_, _ = w.SignIn.LinkFor(ctx, "ada@octavo.example")
		stop()
		links, err := w.Store.CountMailLinks(t.Context(), w.Admin, 0)
		if err != nil {
			t.Fatal(err)
		}
		if entries := w.Logged(w.ID, "user.login-link"); int64(len(entries)) != links {
			t.Errorf("%d links, %d entries", links, len(entries))
		}
	}
}
