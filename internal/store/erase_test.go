package store_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/identity/signin"
	"github.com/octavo-docs/octavo/internal/jobs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// personal are texts that only the person has who is deleted in the test.
var personal = []string{
	"countess&co@octavo.example", `countess\u0026co@octavo.example`, "ada@octavo.example", "Lovelace-Byron", "photo-of-ada",
	"192.0.2.77", "label-of-ada", "browser-of-ada",
}

// describe leaves traces of a person wherever there are any.
func describe(t *testing.T, s *store.Store, db *sql.DB, id docs.UserID) {
	t.Helper()
	ctx := context.Background()
	people := orgs.New(s, orgs.Config{})
	entry := &signin.Service{Store: s, BaseURL: "http://octavo.example", Log: slog.New(slog.DiscardHandler)}
	check := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	link, err := entry.LinkFor(ctx, "ada@octavo.example")
	check(link, err)
	_, key, _ := strings.Cut(link, "key=")
	opened, err := entry.UseLink(ctx, key, "", signin.Client{Agent: "browser-of-ada", Request: "r1"})
	check(opened, err)
	check(people.Accounts.Update(ctx, authz.OperatorGrant(id), id, orgs.UserPatch{
		DisplayName: opt.Of("Ada Lovelace-Byron"), PhotoURL: opt.Of("https://octavo.example/photo-of-ada.png"),
	}))
	check(people.Operator.CreateToken(ctx, "ada@octavo.example", orgs.NewToken{Label: "label-of-ada"}))
	session := &authz.Grant{Actor: authz.Actor{User: id, Session: true, Request: "r2"}}
	check(nil, entry.ChangeEmail(ctx, session, "countess&co@octavo.example"))
	secret := docs.NewLinkSecret()
	check(nil, s.Do(ctx, func(tx *store.Tx) error {
		return tx.AddMailLink(ctx, docs.MailLink{
			User: id, Email: "countess&co@octavo.example", Moves: true, CreatedAt: tx.Now(), ExpiresAt: tx.Now() + 100_000,
		}, docs.HashSecret(secret))
	}))
	check(entry.UseLink(ctx, secret, id, signin.Client{Agent: "browser-of-ada", Request: "r3"})) // queues a mail to the old address
	check(nil, entry.RequestLink(ctx, "countess&co@octavo.example", "/"))
	for _, x := range []string{
		`UPDATE tokens SET last_address = '192.0.2.77' WHERE user_id = $1`,
		`INSERT INTO organization_tokens (org_id, token_id, last_used_at, last_address, blocked_at)
			SELECT m.org_id, t.id, 1, '192.0.2.77', 0 FROM tokens t JOIN members m ON m.user_id = t.user_id WHERE t.user_id = $1`,
		`INSERT INTO oidc_flows (hash, provider, browser, nonce, verifier, next, user_id, expires_at) VALUES ('h9', 'i1', 'b', 'n', 'v', '/', $1, 9)`,
		`INSERT INTO identities (provider, subject, user_id, org_id, created_at) VALUES ('scim', 'Countess&Co@octavo.example', $1, '', 1)`,
	} {
		mustExec(t, db, x, string(id))
	}
	mustExec(t, db, `INSERT INTO saml_logins (id, provider_id, browser, hash, next, subject, email, name, expires_at)
		VALUES ('_9', 'i1', 'b', 'h', '/', 's', 'Countess&Co@octavo.example', 'Lovelace-Byron', 3)`)
	mustExec(t, db, `UPDATE saml_providers SET last_error = 'no account for countess&co@octavo.example'`)
	payload, err := json.Marshal(map[string]any{"actor": id, "data": map[string]any{
		"changes": map[string]any{"displayName": map[string]any{"to": "Lovelace-Byron"}}, "reason": "countess&co@octavo.example", "role": "read",
	}})
	check(nil, err)
	mustExec(t, db, `UPDATE webhook_deliveries SET payload = $1, answer = 'hello countess&co@octavo.example'`, string(payload))
	mustExec(t, db, `INSERT INTO jobs (id, kind, key, payload, state, every_ms, run_at, attempts, runs, leased_by, lease_until, last_error, created_at)
		VALUES ('j9', 'any', 'every', '{}', 'queued', 1000, 0, 0, 0, '', 0, 'countess&co@octavo.example does not exist', 0)`)
}

// A person who is deleted leaves what they wrote, and nothing that says who they were: in whatever table.
func TestDeletedUserLeavesNoPersonalData(t *testing.T) {
	testdb.EachBare(t, func(t *testing.T, o store.Options) {
		ctx := context.Background()
		s := filled(t, o)
		db := raw(t, o)
		people := orgs.New(s, orgs.Config{})
		ada, err := people.Operator.FindUser(ctx, "ada@octavo.example")
		if err != nil {
			t.Fatal(err)
		}
		describe(t, s, db, ada.ID)
		holds := func() map[string]bool {
			found := map[string]bool{}
			for table, text := range everything(t, s, db) {
				for _, p := range personal {
					if strings.Contains(strings.ToLower(text), strings.ToLower(p)) {
						found[table+": "+p] = true
					}
				}
			}
			return found
		}
		if n := len(holds()); n < 15 {
			t.Fatalf("only %d traces to begin with", n)
		}
		if _, err := people.Operator.DeleteUser(ctx, string(ada.ID)); !errs.Is(err, errs.Precondition) || !strings.Contains(err.Error(), "Without a hostname") {
			t.Fatalf("the last admin: %v", err)
		}
		of, err := s.Memberships(ctx, ada.ID)
		if err != nil || len(of) != 2 {
			t.Fatal(of, err)
		}
		for _, m := range of {
			if _, err := people.Members.Invite(ctx, authz.OperatorGrant(ada.ID), m.Org, []orgs.Invitee{{Email: "next@octavo.example", Role: docs.Admin}}, false); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := people.Operator.DeleteUser(ctx, "countess&co@octavo.example"); err != nil {
			t.Fatal(err)
		}
		work := jobs.New(s, slog.New(slog.DiscardHandler))
		work.Handle(orgs.EraseJob, people.Accounts.Erase)
		if ran, err := work.RunOnly(ctx, orgs.EraseJob, string(ada.ID)); !ran || err != nil {
			t.Fatal(ran, err)
		}
		for trace := range holds() {
			t.Errorf("still there: %s", trace)
		}
		u, err := s.User(ctx, ada.ID)
		if err != nil || u.DisplayName != "Deleted user" || u.Email != "" || u.Kind != docs.DeletedUser {
			t.Errorf("%+v %v", u, err)
		}
		var written int
		if err := db.QueryRow(`SELECT COUNT(*) FROM revisions WHERE author_id = $1`, string(ada.ID)).Scan(&written); err != nil || written == 0 {
			t.Errorf("%d revisions, %v", written, err)
		}
		var report string
		if err := db.QueryRow(`SELECT data FROM audit WHERE action = 'user.erased'`).Scan(&report); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{`"members":2`, `"passkeys":1`, `"identities":1`, `"audit":`, `"webhook_deliveries":1`, `"jobs":`, `"saml_logins":1`, `"notices":1`} {
			if !strings.Contains(report, want) {
				t.Errorf("the report lacks %s: %s", want, report)
			}
		}
		if _, err := people.Operator.DeleteUser(ctx, string(ada.ID)); !errs.Is(err, errs.NotFound) {
			t.Errorf("twice: %v", err)
		}
	})
}

// everything returns the texts of each table.
func everything(t *testing.T, s *store.Store, db *sql.DB) map[string]string {
	t.Helper()
	tables, err := s.Tables(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, x := range tables {
		var b strings.Builder
		for _, row := range readTable(t, db, x.Name).rows {
			b.WriteString(strings.Join(row, "\n") + "\n")
		}
		out[x.Name] = b.String()
	}
	return out
}
