package console_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// clusters waits until the conversations that were sent are analysed.
func (w *world) clusters() []any {
	w.t.Helper()
	for range 500 {
		if all := w.api("GET", "/orgs/$org/conversations-clusters", nil)["items"].([]any); len(all) > 0 {
			return all
		}
		time.Sleep(20 * time.Millisecond)
	}
	w.t.Fatal("there are no clusters")
	return nil
}

// The page of a cluster shows its issues and conversations. Only users who may read conversations see
// it.
func TestACluster(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.api("POST", "/orgs/$org/invites", map[string]any{"emails": []string{"reader@octavo.example"}, "role": "read"})
		w.mail.Await(t, "reader@octavo.example", 0) // the invitation
		talk := func(id, subject, url string) map[string]any {
			return map[string]any{"id": id, "subject": subject, "metadata": map[string]any{"url": url, "createdAt": "2026-03-0" + id + "T10:00:00Z"},
				"parts": []any{map[string]any{"type": "message", "role": "user", "body": "How do I reset my password?"}}}
		}
		w.api("POST", "/orgs/$org/conversations", []any{talk("1", "Pass<word", "https://desk.example/1"), talk("2", "Password again", "https://desk.example/2")})
		cluster := w.clusters()[0].(map[string]any)
		b := w.browser()
		w.signIn(b, "ada@octavo.example")
		got := b.shows(w.app(cluster), cluster["label"].(string), "Questions (2)", "reset my password", "Conversations (2)", `<a href="https://desk.example/1" rel="noreferrer">Pass&lt;word</a>`, "Password again", "2 March 2026")
		if n := strings.Count(got.text, "https://desk.example/1"); n != 1 {
			t.Errorf("a conversation is listed %d times", n)
		}
		if _, err := w.srv.Orgs.Operator.Bootstrap(t.Context(), "mallory@octavo.example", "Other", "test"); err != nil {
			t.Fatal(err)
		}
		for _, email := range []string{"reader@octavo.example", "mallory@octavo.example"} {
			other := w.browser()
			w.signIn(other, email)
			if got := other.get(w.app(cluster)); got.status == http.StatusOK || strings.Contains(got.text, "assword") {
				t.Errorf("for %s: %d\n%s", email, got.status, got.text)
			}
		}
	})
}
