package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// TestCachedPage: a page that is kept is answered as it was the first time,
// to those who may see it, until it changes.
func TestCachedPage(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t), nil)
	w.liveSpace()
	byID, byPath := w.expand("/spaces/$space/content/page/$page"), w.expand("/spaces/$space/content/path/steady")
	for _, path := range []string{byID, byPath, byID + "?format=markdown"} {
		first := w.must("admin", "GET", path, "")
		for range 2 {
			again := w.must("admin", "GET", path, "")
			for _, a := range []answer{first, again} {
				a.header.Del("Date")
				a.header.Del("X-Request-Id")
				a.header.Del("X-Ratelimit-Remaining")
				a.header.Del("X-Ratelimit-Reset")
			}
			if string(again.body) != string(first.body) || !sameHeader(again.header, first.header) {
				t.Errorf("%s: %v %s\nthe first time: %v %s", path, again.header, again.body, first.header, first.body)
			}
		}
		if first.header.Get("Content-Length") == "" || first.header.Get("ETag") != `"`+w.revision()+`"` || first.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %v", path, first.header)
		}
		for who, want := range map[string]int{"nobody": 401, "mallory": 404} {
			if a := w.call(who, "GET", path, ""); a.status != want || strings.Contains(string(a.body), "As it was") {
				t.Errorf("%s as %s: %d %s, want %d", path, who, a.status, a.body, want)
			}
		}
	}
	if a := w.must("admin", "GET", byID+"?metadata=false&evaluated=true", ""); !strings.Contains(string(a.body), "As it was") {
		t.Errorf("with options: %s", a.body)
	}
	if a := w.call("admin", "GET", byID+"?evaluated=perhaps", ""); a.status != 400 {
		t.Errorf("an option that is wrong: %d", a.status)
	}
	if a := w.send("admin", http.MethodHead, byID, strings.NewReader("")); a.status != 200 || len(a.body) > 0 || a.header.Get("Content-Length") == "0" {
		t.Errorf("HEAD: %d %v %s", a.status, a.header, a.body)
	}
	w.must("admin", "POST", "/spaces/$space/content", `{"changes":[{"operation":"update_page","page":"$page","document":{"markdown":"As it is now."}}]}`)
	for _, path := range []string{byID, byPath} {
		for range 2 {
			if a := w.must("admin", "GET", path, ""); !strings.Contains(string(a.body), "As it is now") || a.header.Get("ETag") != `"`+w.revision()+`"` {
				t.Errorf("%s after an edit: %v %s", path, a.header, a.body)
			}
		}
	}
	w.must("admin", "POST", "/spaces/$space/content", `{"changes":[{"operation":"delete_page","page":"$page"}]}`)
	if a := w.call("admin", "GET", byID, ""); a.status != 404 {
		t.Errorf("a page that is deleted: %d %s", a.status, a.body)
	}
}

func sameHeader(a, b http.Header) bool {
	for k := range b {
		if a.Get(k) != b.Get(k) {
			return false
		}
	}
	return len(a) == len(b)
}
