package main_test

import (
	"strings"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/docs/manual"
)

// The demonstration publishes the manual as one site with an API reference. It has no
// broken links, not even between books.
func TestDemonstrationPublishesTheManual(t *testing.T) {
	t.Parallel()
	at := sqlitePlace(t)
	n := serve(t, at, "--demo")
	deadline := time.Now().Add(patience)
	for n.status("/s/guide/") != 200 && time.Now().Before(deadline) {
		time.Sleep(50 * time.Millisecond) // the content is added after the server has started
	}
	for _, path := range []string{"/s/guide/", "/s/guide/operating/", "/s/guide/api/", "/s/guide/api/reference/spaces", "/s/guide/api/reference/blocks", "/s/demo/"} {
		if got := n.status(path); got != 200 {
			t.Errorf("GET %s: %d", path, got)
		}
	}
	token := strings.TrimSpace(mustOctavo(t, at, "token create", "--email=ada@octavo.example"))
	org := list[thing](t, n, token, "/v1/orgs")[0].ID
	checked := 0
	for _, sp := range list[struct{ ID, Title string }](t, n, token, "/v1/orgs/"+org+"/spaces") {
		if strings.HasPrefix(sp.Title, "Octavo · ") {
			mustOctavo(t, at, "check", "--space="+sp.ID)
			checked++
		}
	}
	if checked != len(manual.Books) {
		t.Errorf("%d books were checked", checked)
	}
}

// status returns the status of an address for an anonymous reader.
func (n *node) status(path string) int {
	a, err := n.call("", "GET", path, nil)
	if err != nil {
		return 0
	}
	return a.status
}
