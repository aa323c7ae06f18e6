package console_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

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
