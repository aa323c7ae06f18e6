package api_test

import (
	"bytes"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// raw sends bytes that no JSON encoder would make.
func (w *world) raw(method, path string, body io.Reader) answer {
	w.t.Helper()
	return w.send("admin", method, w.expand(path), body)
}

func TestHostileBodies(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t), nil)
	w.must("admin", "POST", "/orgs/$org/collections", `{"title":"Guides"}`, "c")
	for name, c := range map[string]struct {
		body   string
		status int
		says   string
	}{
		"invalid UTF-8":       {"{\"title\":\"a\xff\xfe\"}", 400, "UTF-8"},
		"duplicate key":       {`{"title":"a","title":"b"}`, 400, "title"},
		"nested duplicate":    {`{"title":{"x":1,"x":2}}`, 400, "twice"},
		"not JSON":            {`{title}`, 400, "JSON"},
		"cut off":             {`{"title":"a"`, 400, "complete"},
		"two values":          {`{"title":"a"} {}`, 400, "more than one"},
		"array":               {`[]`, 400, "object"},
		"null":                {`null`, 400, "body"},
		"number for text":     {`{"title":7}`, 400, "body.title"},
		"null for text":       {`{"title":null}`, 400, "body.title"},
		"NaN":                 {`{"title":NaN}`, 400, "JSON"},
		"10k levels":          {strings.Repeat(`{"a":`, 10_000) + "1" + strings.Repeat("}", 10_000), 400, "nested"},
		"20 MB":               {`{"title":"` + strings.Repeat("x", 20<<20) + `"}`, 413, "large"},
		"empty":               {``, 400, "body"},
		"title of 51 runes":   {`{"title":"` + strings.Repeat("é", 51) + `"}`, 400, "body.title"},
		"unknown field":       {`{"owner":"x"}`, 400, "body.owner"},
		"prototype pollution": {`{"__proto__":{"admin":true}}`, 400, "__proto__"},
	} {
		a := w.raw("PATCH", "/collections/$c", strings.NewReader(c.body))
		if a.status != c.status || !strings.Contains(string(a.body), c.says) {
			t.Errorf("%s: %d %.300s, want %d with %q", name, a.status, a.body, c.status, c.says)
		}
		if len(a.body) > 10_000 {
			t.Errorf("%s: the answer has %d bytes", name, len(a.body))
		}
	}
	if a := w.raw("PATCH", "/collections/$c", strings.NewReader(`{"title":"`+strings.Repeat("é", 50)+`"}`)); a.status != 200 {
		t.Errorf("50 runes: %d %s", a.status, a.body)
	}
}

// A body without end costs no more memory than its limit.
func TestEndlessBodyIsBounded(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t), nil)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 20 {
		if a := w.raw("POST", "/orgs/$org/collections", io.LimitReader(zeros{}, 64<<20)); a.status != 413 {
			t.Fatalf("%d %s", a.status, a.body)
		}
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 400<<20 {
		t.Errorf("20 endless bodies allocated %d MB", grown>>20)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	copy(p, bytes.Repeat([]byte("0"), len(p)))
	return len(p), nil
}

func TestUnknownPathsAndMethodsAnswerInTheEnvelope(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t), nil)
	for _, c := range []struct {
		method, path string
		status       int
	}{
		{"GET", "/nothing", 404},
		{"GET", "/orgs/", 200}, // a slash at the end is ignored
		{"GET", "/ORGS", 404},
		{"DELETE", "/orgs", 405},
		{"PUT", "/user", 405},
		{"GET", "/orgs/$org/../$org", 404},
		{"GET", "//orgs", 404},
	} {
		a := w.call("admin", c.method, w.expand(c.path), "")
		if a.status != c.status {
			t.Errorf("%s %s: %d, want %d", c.method, c.path, a.status, c.status)
		}
		if c.status == 405 && a.header.Get("Allow") == "" {
			t.Errorf("%s %s: no Allow", c.method, c.path)
		}
	}
}

func TestTokensAreTakenFromTheHeaderOnly(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t), nil)
	token := w.tokens["admin"]
	for _, path := range []string{"/user?access_token=" + token, "/user?token=" + token, "/user?authorization=Bearer%20" + token} {
		if a := w.call("nobody", "GET", path, ""); a.status != 401 {
			t.Errorf("%s: %d", path, a.status)
		}
	}
}
