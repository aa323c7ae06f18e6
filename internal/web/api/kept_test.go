package api_test

import (
	"bufio"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// rawConn is a connection on which requests are written as they are.
type rawConn struct {
	t *testing.T
	net.Conn
	answers *bufio.Reader
}

func dialRaw(t *testing.T, addr string) *rawConn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return &rawConn{t, c, bufio.NewReader(c)}
}

// ask sends a request, and returns its answer without what is never the same.
func (c *rawConn) ask(request string) (*http.Response, string) {
	c.t.Helper()
	if _, err := io.WriteString(c, request); err != nil {
		c.t.Fatal(err)
	}
	method, _, _ := strings.Cut(request, " ")
	res, err := http.ReadResponse(c.answers, &http.Request{Method: method})
	if err != nil {
		c.t.Fatalf("%q: %v", request, err)
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		c.t.Fatalf("%q: %v", request, err)
	}
	if res.Header.Get("Date") == "" || res.Header.Get("X-Request-Id") == "" {
		c.t.Errorf("%q: %v", request, res.Header)
	}
	for _, name := range []string{"Date", "X-Request-Id", "Connection"} {
		res.Header.Del(name)
	}
	return res, string(body)
}

// A page that is sent again, on a connection that is kept, is the page that a new
// connection gets, and what is stored at that moment.
func TestKeptPagesOnOneConnection(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t), nil)
	w.must("admin", "POST", "/orgs/$org/spaces", `{"title":"Docs","empty":true}`, "space")
	write := func(text string) {
		w.importFolder(w.vars["space"], fstest.MapFS{"README.md": {Data: []byte("# Home\n\n" + text + "\n"), Mode: 0o644}})
	}
	write("the first " + strings.Repeat("and long ", 400))
	w.must("admin", "POST", "/orgs/$org/sites", `{"title":"Site","visibility":"public","spaces":["$space"]}`, "site")
	w.must("admin", "POST", "/orgs/$org/sites/$site/publish", "")
	host := strings.TrimPrefix(w.srv.URL(), "http://")
	at := " /s/" + w.vars["site"] + "/ HTTP/1.1\r\nHost: " + host + "\r\nUser-Agent: Mozilla/5.0\r\n"
	c := dialRaw(t, host)
	res, _ := c.ask("GET" + at + "\r\n")
	tag := res.Header.Get("Etag")
	for _, request := range []string{
		"GET" + at, "HEAD" + at, "GET" + at + "If-None-Match: " + tag + "\r\n", "GET" + at + "Accept-Encoding: br\r\n", "GET" + at + "Accept-Encoding: gzip;q=1, zstd;q=0.5\r\n",
		"GET" + at + "Cookie: theme=dark\r\nCookie: octavo-other=1\r\n", "GET" + at + "Sec-Purpose: prefetch\r\nRange: bytes=0-9\r\n",
	} {
		got, text := c.ask(request + "\r\n")
		want, expected := dialRaw(t, host).ask(request + "Connection: close\r\n\r\n")
		if got.StatusCode != want.StatusCode || text != expected || !maps.EqualFunc(got.Header, want.Header, slices.Equal) {
			t.Errorf("%q: %d, %d bytes, %v, want %d, %d bytes, %v", request, got.StatusCode, len(text), got.Header, want.StatusCode, len(expected), want.Header)
		}
	}
	if res, text := c.ask("GET /v1/ HTTP/1.1\r\nHost: " + host + "\r\n\r\n"); res.StatusCode != http.StatusOK || text == "" {
		t.Errorf("the API on the same connection: %d %s", res.StatusCode, text)
	}
	for _, text := range []string{"the second", "the third"} {
		write(text)
		for range 2 {
			if _, shown := c.ask("GET" + at + "\r\n"); !strings.Contains(shown, text) {
				t.Errorf("%s is not shown", text)
			}
		}
	}
	w.must("admin", "POST", "/orgs/$org/sites/$site/unpublish", "")
	if res, shown := c.ask("GET" + at + "\r\n"); res.StatusCode == http.StatusOK || strings.Contains(shown, "the third") {
		t.Errorf("after unpublishing: %d %s", res.StatusCode, shown)
	}
}

// On one connection, each host has the pages of its own site, however it is written, with the
// headers that the page had before it was kept.
func TestKeptPagesOfManyHosts(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t), nil)
	for who, org := range map[string]string{"admin": "org", "mallory": "beta"} {
		w.must(who, "POST", "/orgs/$"+org+"/spaces", `{"title":"Docs","empty":true}`, "space")
		w.importFolder(w.vars["space"], fstest.MapFS{"README.md": {Data: []byte("# Home\n\nof " + who + "\n"), Mode: 0o644}})
		w.must(who, "POST", "/orgs/$"+org+"/sites", `{"title":"Site","visibility":"public","spaces":["$space"]}`, "site")
		w.must(who, "PUT", "/orgs/$"+org+"/sites/$site/hostname", `{"hostname":"`+who+`.vouched.test"}`)
		w.must(who, "POST", "/orgs/$"+org+"/sites/$site/publish", "")
	}
	addr := strings.TrimPrefix(w.srv.URL(), "http://")
	c := dialRaw(t, addr)
	for range 3 { // made, kept, kept
		for host, text := range map[string]string{
			"admin.vouched.test": "of admin", "mallory.vouched.test": "of mallory", "ADMIN.vouched.test": "of admin", "Mallory.Vouched.Test:8080": "of mallory",
			"admin.vouched.test:80": "of admin", "other.vouched.test": "Octavo", addr: "Octavo",
		} {
			at := " HTTP/1.1\r\nHost: " + host + "\r\nX-Forwarded-Host: mallory.vouched.test\r\nUser-Agent: Mozilla/5.0\r\nAuthorization: Bearer x\r\nOrigin: https://other.test\r\n\r\n"
			got, shown := c.ask("GET /" + at)
			want, made := c.ask("GET /?again" + at) // is never kept
			for _, h := range []http.Header{got.Header, want.Header} {
				maps.DeleteFunc(h, func(name string, _ []string) bool { return strings.HasPrefix(name, "X-Ratelimit-") }) // only what is made counts
			}
			if got.StatusCode != want.StatusCode || !strings.Contains(shown, text) || shown != made || !maps.EqualFunc(got.Header, want.Header, slices.Equal) {
				t.Errorf("%s: %d, %v, %.300s, want %d, %v with %s", host, got.StatusCode, got.Header, shown, want.StatusCode, want.Header, text)
			}
		}
	}
}
