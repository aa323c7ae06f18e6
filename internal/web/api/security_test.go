package api_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/web/api"
)

// slow begins a request and holds back the last byte of its body: the guard
// has allowed it, the handler has not run. finish sends the byte.
func (w *world) slow(who, method, path, body string) (finish func() int) {
	w.t.Helper()
	conn, err := net.Dial("tcp", w.srv.Addr())
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = conn.Close() })
	body = w.expand(body)
	_, err = fmt.Fprintf(conn, "%s %s%s HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		method, api.Prefix, w.expand(path), w.tokens[who], len(body), body[:len(body)-1])
	if err != nil {
		w.t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond) // the guard has looked by then; if not, the test shows less, never something wrong
	return func() int {
		w.t.Helper()
		if _, err := io.WriteString(conn, body[len(body)-1:]); err != nil {
			w.t.Fatal(err)
		}
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			w.t.Fatal(err)
		}
		defer res.Body.Close()
		return res.StatusCode
	}
}

// Rights are asked before the body is read, and again inside the transaction:
// whoever loses them in between does nothing with a request kept open.
func TestRightsThatEndWhileABodyIsReadAreGone(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o, nil)
		for _, name := range []string{"demoted", "removed", "friend"} {
			w.addUser(name, "admin")
		}
		w.addUser("accomplice", "read")
		w.must("admin", "POST", "/orgs/$org/collections", `{"title":"A"}`, "a")
		w.must("admin", "POST", "/orgs/$org/collections", `{"title":"B"}`, "b")
		w.must("admin", "PUT", "/orgs/$org/teams", `{"title":"T"}`, "team")
		w.must("admin", "POST", "/orgs", `{"title":"Second"}`, "second")
		token := w.must("friend", "POST", "/user/tokens", `{"label":"x"}`, "token").json().(map[string]any)["token"].(string)
		w.tokens["revoked"] = token

		again := w.slow("demoted", "PATCH", "/orgs/$org/members/$user_demoted", `{"role":"admin"}`)
		invite := w.slow("removed", "PATCH", "/orgs/$org/members/$user_accomplice", `{"role":"admin"}`)
		mint := w.slow("revoked", "POST", "/user/tokens", `{"label":"fresh"}`)
		move := w.slow("admin", "POST", "/collections/$b/move", `{"parent":"$a"}`)
		join := w.slow("admin", "PUT", "/orgs/$org/teams/$team/members", `{"add":["$user_friend"]}`)
		w.must("admin", "PATCH", "/orgs/$org/members/$user_demoted", `{"role":"read"}`)
		w.must("admin", "DELETE", "/orgs/$org/members/$user_removed", "")
		w.must("friend", "DELETE", "/user/tokens/$token", "")
		w.must("admin", "POST", "/collections/$b/transfer", `{"organization":"$second"}`)
		w.must("admin", "DELETE", "/orgs/$org/teams/$team", "")
		for name, c := range map[string]struct {
			finish func() int
			want   int
		}{
			"a demoted admin promotes themselves":      {again, 403},
			"a removed admin promotes an accomplice":   {invite, 404},
			"a revoked token mints another":            {mint, 401},
			"a transferred collection goes back":       {move, 404},
			"somebody is added to a team that is gone": {join, 404},
		} {
			if got := c.finish(); got != c.want {
				t.Errorf("%s: %d, want %d", name, got, c.want)
			}
		}
	})
}

// What is wrong in many places is reported in a few lines, in little time.
func TestManyMistakesHaveAShortAnswer(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t), nil)
	for name, body := range map[string]string{
		"many wrong items": `{"title":"xx","emailDomains":[` + strings.Repeat("0,", 200_000) + `0]}`,
		"a long key":       `{"` + strings.Repeat("k", 300_000) + `":[` + strings.Repeat("0,", 100_000) + `0]}`,
		"many keys":        `{"title":"xx"` + manyKeys(50_000) + `}`,
	} {
		a := w.raw("POST", "/orgs", strings.NewReader(body))
		if a.status != 400 || len(a.body) > 20_000 {
			t.Errorf("%s: %d with %d bytes", name, a.status, len(a.body))
		}
	}
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"k%d":1`, i)
	}
	return b.String()
}
