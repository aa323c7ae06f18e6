package console_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// logged returns the entries of an audit log with an action, as JSON, oldest first.
func (w *world) logged(org docs.OrgID, action string) []string {
	w.t.Helper()
	rows, _, err := w.srv.Store.Audit(w.t.Context(), org, store.AuditFilter{Action: action}, store.Page{Limit: 100})
	if err != nil {
		w.t.Fatal(err)
	}
	var out []string
	for _, r := range rows {
		out = append(out, r.SubjectID+" "+r.Data)
	}
	slices.Reverse(out)
	return out
}

func (w *world) mustLog(org docs.OrgID, action string, want ...string) {
	w.t.Helper()
	got := w.logged(org, action)
	if len(got) != len(want) {
		w.t.Fatalf("%s: the log has %q, want %q", action, got, want)
	}
	for i := range want {
		for _, part := range strings.Split(want[i], "…") {
			if !strings.Contains(got[i], part) {
				w.t.Errorf("%s: the log has %s without %s", action, got[i], part)
			}
		}
	}
}

// A new passkey is announced by mail and can sign in. Failures are in the audit log.
func TestPasskeys(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t))
	b := w.browser()
	b.base = strings.Replace(b.base, "127.0.0.1", "localhost", 1)
	w.srv.SignIn.BaseURL = b.base
	token := csrf(t, w.signIn(b, "ada@octavo.example"))
	ask := func(path string, form ...string) (challenge string, user []byte) {
		t.Helper()
		var asked struct {
			PublicKey struct {
				Challenge string
				User      struct{ ID string }
			}
		}
		got := b.post(path, nil, form...)
		if err := json.Unmarshal([]byte(got.text), &asked); err != nil || got.status != 200 {
			t.Fatalf("%s: %d %s", path, got.status, got.text)
		}
		return asked.PublicKey.Challenge, []byte(w.boot.User)
	}
	device := newAuthenticator(t, strings.TrimPrefix(b.base, "http://"))
	device.host = "localhost"
	made := device.create(ask("/account/passkeys/ask", "csrf", token))
	if got := b.post("/account/passkeys", nil, "csrf", token, "label", "My <laptop> https://evil.example", "answer", string(made)); got.status != 200 {
		t.Fatalf("%d %s", got.status, got.text)
	}
	m := w.mail.Await(t, "ada@octavo.example", 1)
	if m.Subject != "A new way to sign in at "+strings.TrimPrefix(b.base, "http://") || !strings.Contains(m.Text, "a new passkey: My") || !strings.Contains(m.Text, b.base+"/account") || strings.Contains(m.HTML, "<laptop>") {
		t.Errorf("%s\n%s\n%s", m.Subject, m.Text, m.HTML)
	}

	use := func(wrong bool) int {
		t.Helper()
		challenge, _ := ask("/login/passkey/ask")
		req, err := http.NewRequest(http.MethodPost, b.at("/login/passkey"), strings.NewReader(string(device.get(challenge, wrong))))
		if err != nil {
			t.Fatal(err)
		}
		return b.do(req).status
	}
	if got := use(false); got != 200 {
		t.Fatalf("the passkey does not sign in: %d", got)
	}
	for range 3 {
		if got := use(true); got != 403 {
			t.Errorf("a wrong signature signs in: %d", got)
		}
	}
	w.mustLog("", "session.refuse", string(w.boot.User)+` …"method":"passkey"…"reason":"the answer of the passkey is wrong"`)
	device.count = 1
	if got := use(false); got != 403 {
		t.Errorf("a copy of a passkey signs in: %d", got)
	}
	w.mustLog("", "session.refuse", "") // the hour is not over
	w.mustLog("", "session.create", `"mail"`, `"passkey"`)
}
