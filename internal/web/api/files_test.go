package api_test

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// upload sends a file to $space, as a browser would.
func (w *world) upload(who, name string, data []byte) answer {
	w.t.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	if err := form.WriteField("comment", "not the file"); err != nil {
		w.t.Fatal(err)
	}
	part, err := form.CreateFormFile("file", name)
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := part.Write(data); err != nil {
		w.t.Fatal(err)
	}
	if err := form.Close(); err != nil {
		w.t.Fatal(err)
	}
	return w.send(who, "POST", w.expand("/spaces/$space/content/files"), &b, "Content-Type: "+form.FormDataContentType())
}

// fetched is what a download gave; there is no token in it.
type fetched struct {
	status int
	header http.Header
	body   string
}

func fetch(t *testing.T, method, address string, headers ...string) fetched {
	t.Helper()
	req, err := http.NewRequest(method, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return fetched{res.StatusCode, res.Header, string(b)}
}

func TestFilesAreUploadedAndDownloaded(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o, nil)
		w.addUser("reader", "read")
		w.liveSpace()
		data := bytes.Repeat([]byte("0123456789"), 100_000)
		a := w.upload("admin", "Numbers 数.txt", data)
		if a.status != 201 || !strings.Contains(a.header.Get("Location"), w.expand("/v1/spaces/$space/content/files/")) {
			t.Fatalf("%d %s %s", a.status, a.header.Get("Location"), a.body)
		}
		file := a.json().(map[string]any)
		if file["name"] != "Numbers 数.txt" || file["size"] != 1e6 {
			t.Errorf("%v", file)
		}
		at := file["downloadURL"].(string)

		got := fetch(t, "GET", at)
		if got.status != 200 || got.body != string(data) {
			t.Errorf("%d with %d bytes", got.status, len(got.body))
		}
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Content-Type": "text/plain", "Content-Security-Policy": "sandbox",
			"Content-Disposition": `inline; filename="Numbers _.txt"`, "Accept-Ranges": "bytes", "Cache-Control": "private", "X-Request-Id": "",
		} {
			if have := got.header.Get(name); have == "" || !strings.Contains(have, want) {
				t.Errorf("%s: %q", name, have)
			}
		}
		if part := fetch(t, "GET", at, "Range: bytes=15-24"); part.status != 206 || part.body != "5678901234" || part.header.Get("Content-Range") != "bytes 15-24/1000000" {
			t.Errorf("a range: %d %s %.100s", part.status, part.header.Get("Content-Range"), part.body)
		}
		if end := fetch(t, "GET", at, "Range: bytes=-3"); end.status != 206 || end.body != "789" {
			t.Errorf("the end: %d %.100s", end.status, end.body)
		}
		if beyond := fetch(t, "GET", at, "Range: bytes=2000000-"); beyond.status != 416 {
			t.Errorf("beyond the end: %d", beyond.status)
		}
		if same := fetch(t, "GET", at, "If-None-Match: "+got.header.Get("ETag")); same.status != 304 || same.body != "" {
			t.Errorf("what is known already: %d %.100s", same.status, same.body)
		}
		if head := fetch(t, "HEAD", at); head.status != 200 || head.header.Get("Content-Length") != "1000000" || head.body != "" {
			t.Errorf("HEAD: %d %s", head.status, head.header.Get("Content-Length"))
		}
		w.vars["file"] = file["id"].(string)
		if again := w.must("admin", "GET", "/spaces/$space/content/files/$file", "").json().(map[string]any); again["downloadURL"] != at {
			t.Errorf("the address is another one for every read, so nothing can be cached: %v", again["downloadURL"])
		}
	})
}

// What could act as a page of our host is saved, not shown, whatever its
// sender calls it. (security d1.5, d1.6)
func TestFilesCannotAct(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t), nil)
	w.liveSpace()
	page := []byte("<!doctype html><script>alert(document.domain)</script>")
	drawing := []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="7" height="5"><script>alert(1)</script></svg>`)
	for name, data := range map[string][]byte{
		"page.html": page, "page.htm": page, "page": page, "page.xhtml": page, "page.png": page, "page.json": page, "page.txt": page, "page.xml": page,
		"drawing.svg": drawing, "drawing": drawing, "script.js": []byte("alert(1)"), "style.css": []byte("*{}"), "movie.swf": []byte("CWS"),
	} {
		a := w.upload("admin", name, data)
		if a.status != 201 {
			t.Fatalf("%s: %d %s", name, a.status, a.body)
		}
		got := fetch(t, "GET", a.json().(map[string]any)["downloadURL"].(string))
		kind, how := got.header.Get("Content-Type"), got.header.Get("Content-Disposition")
		if got.status != 200 || got.body != string(data) || got.header.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(got.header.Get("Content-Security-Policy"), "sandbox") {
			t.Errorf("%s: %d %v", name, got.status, got.header)
		}
		if strings.HasPrefix(how, "inline") && !strings.HasPrefix(kind, "text/plain") && kind != "image/png" {
			t.Errorf("%s is shown as %s", name, kind)
		}
		for _, active := range []string{"html", "javascript", "css", "xml;", "flash"} {
			if strings.Contains(kind, active) {
				t.Errorf("%s is announced as %s", name, kind)
			}
		}
	}
}

// An address works for what it was given out for, until it expires, and not
// longer than its space.
func TestFileAddressesAreSigned(t *testing.T) {
	o := testdb.SQLite(t)
	later := time.Duration(0)
	o.Clock = func() time.Time { return time.Now().Add(later) }
	w := newWorld(t, o, nil)
	w.liveSpace()
	one := w.upload("admin", "one.txt", []byte("one")).json().(map[string]any)["downloadURL"].(string)
	two := w.upload("admin", "two.txt", []byte("two")).json().(map[string]any)["downloadURL"].(string)
	w.vars["first"] = w.vars["space"]
	w.must("admin", "POST", "/orgs/$org/spaces", `{"title":"Other"}`, "other")

	change := func(f func(u *url.URL, q url.Values)) string {
		u, err := url.Parse(one)
		if err != nil {
			t.Fatal(err)
		}
		q := u.Query()
		f(u, q)
		u.RawQuery = q.Encode()
		return u.String()
	}
	other, err := url.Parse(two)
	if err != nil {
		t.Fatal(err)
	}
	for name, at := range map[string]string{
		"no signature":         change(func(_ *url.URL, q url.Values) { q.Del("signature") }),
		"another signature":    change(func(_ *url.URL, q url.Values) { q.Set("signature", other.Query().Get("signature")) }),
		"another type":         change(func(_ *url.URL, q url.Values) { q.Set("type", "text/html") }),
		"another name":         change(func(u *url.URL, _ url.Values) { u.Path = strings.Replace(u.Path, "one.txt", "one.html", 1) }),
		"another file":         change(func(u *url.URL, _ url.Values) { u.Path = other.Path }),
		"another space":        change(func(u *url.URL, _ url.Values) { u.Path = strings.Replace(u.Path, w.vars["space"], w.vars["other"], 1) }),
		"a later end":          change(func(_ *url.URL, q url.Values) { q.Set("signature", strings.Replace(q.Get("signature"), ".1", ".9", 1)) }),
		"a broken signature":   change(func(_ *url.URL, q url.Values) { q.Set("signature", q.Get("signature")+"A") }),
		"an endless signature": change(func(_ *url.URL, q url.Values) { q.Set("signature", strings.Repeat("A", 10_000)) }),
		"a short hash": change(func(u *url.URL, _ url.Values) {
			p := strings.Split(u.Path, "/")
			p[5] = "00"
			u.Path = strings.Join(p, "/")
		}),
	} {
		if got := fetch(t, "GET", at); got.status != 404 || !strings.Contains(got.body, `"code":404`) || strings.Contains(got.body, "one") {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
	if got := fetch(t, "GET", change(func(u *url.URL, q url.Values) { q.Set("more", "x") })); got.status != 200 || got.body != "one" {
		t.Errorf("a parameter more: %d %s", got.status, got.body)
	}
	if got := fetch(t, "POST", one); got.status != 405 {
		t.Errorf("POST: %d", got.status)
	}

	later = 23 * time.Hour
	if got := fetch(t, "GET", one); got.status != 200 {
		t.Errorf("after 23 hours: %d %s", got.status, got.body)
	}
	later = 49 * time.Hour
	if got := fetch(t, "GET", one); got.status != 403 || !strings.Contains(got.body, "expired") {
		t.Errorf("after two days: %d %s", got.status, got.body)
	}
	later = 0
	w.must("admin", "DELETE", "/spaces/$first", "")
	if got := fetch(t, "GET", one); got.status != 404 {
		t.Errorf("the space is deleted: %d %s", got.status, got.body)
	}
	w.must("admin", "POST", "/spaces/$first/restore", "")
	if got := fetch(t, "GET", one); got.status != 200 {
		t.Errorf("the space is back: %d %s", got.status, got.body)
	}
}

// An address is not a way around permissions: it ends with what its reader may
// read, and caches ask each time.
func TestFileAddressesEndWithTheRight(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t), nil)
	w.addUser("reader", "read")
	w.addUser("other", "read")
	w.liveSpace()
	w.vars["file"] = w.upload("admin", "one.txt", []byte("one")).json().(map[string]any)["id"].(string)
	address := func(who string) string {
		return w.must(who, "GET", "/spaces/$space/content/files/$file", "").json().(map[string]any)["downloadURL"].(string)
	}
	admin, reader, other := address("admin"), address("reader"), address("other")
	expect := func(when, at string, status int) {
		t.Helper()
		got := fetch(t, "GET", at)
		if got.status != status {
			t.Errorf("%s: %d %s", when, got.status, got.body)
		}
		if kept := got.header.Get("Cache-Control"); status == 200 && kept != "private, no-cache" {
			t.Errorf("%s: Cache-Control %s", when, kept)
		}
	}
	expect("a reader", reader, 200)
	expect("signed for nobody", strings.Replace(reader, "user=", "u=", 1), 404)
	w.must("admin", "DELETE", "/orgs/$org/members/$user_other", "")
	expect("a member who was removed", other, 404)
	expect("a member who is still there", reader, 200)
	w.must("admin", "PATCH", "/spaces/$space", `{"defaultLevel":null}`)
	expect("a space that was closed", reader, 404)
	if got := fetch(t, "GET", reader, `If-None-Match: *`); got.status != 404 {
		t.Errorf("a cache asks: %d", got.status)
	}
	expect("an administrator", admin, 200)
}

func TestUploadsThatAreRefused(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t), nil)
	w.addUser("reader", "read")
	w.liveSpace()
	before := w.revision()
	for who, want := range map[string]int{"nobody": 401, "reader": 403, "mallory": 404} {
		if a := w.upload(who, "a.txt", []byte("a")); a.status != want {
			t.Errorf("%s: %d %s", who, a.status, a.body)
		}
	}
	for name, want := range map[string]int{
		"": 400, "..": 400, "a\u202eb.txt": 400, strings.Repeat("x", 300): 400, "a\x01b": 400,
	} {
		if a := w.upload("admin", name, []byte("a")); a.status != want {
			t.Errorf("%q: %d %s", name, a.status, a.body)
		}
	}
	form := func(body string) answer {
		return w.send("admin", "POST", w.expand("/spaces/$space/content/files"), strings.NewReader(body), "Content-Type: multipart/form-data; boundary=b")
	}
	for name, body := range map[string]string{
		"nothing":   "",
		"no file":   "--b\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\ny\r\n--b--\r\n",
		"cut off":   "--b\r\nContent-Disposition: form-data; name=\"x\"; filename=\"x.txt\"\r\n\r\nhalf of it",
		"no part":   "--b--\r\n",
		"a mess":    "--b\r\n\x00\x01\r\n\r\n--b--",
		"long head": "--b\r\nContent-Disposition: form-data; name=\"" + strings.Repeat("x", 1<<20) + "\"\r\n\r\ny\r\n--b--\r\n",
	} {
		if a := form(body); a.status != 400 || !strings.Contains(string(a.body), `"path":"body`) {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	// A folder in the name is the sender's business.
	if a := w.upload("admin", `C:\fakepath/../../etc/passwd`, []byte("a")); a.status != 201 || a.json().(map[string]any)["name"] != "passwd" {
		t.Errorf("a path: %d %s", a.status, a.body)
	}
	after := w.revision()
	if after == before {
		t.Error("the file made no revision")
	}
	w.must("admin", "PATCH", "/spaces/$space", `{"editMode":"locked"}`)
	if a := w.upload("admin", "a.txt", []byte("a")); a.status != 412 {
		t.Errorf("a locked space: %d %s", a.status, a.body)
	}
	if now := w.revision(); now != after {
		t.Error("something was stored all the same")
	}
	if files := w.must("admin", "GET", "/spaces/$space/content/files?limit=0", "").json().(map[string]any); files["count"] != 1.0 {
		t.Errorf("%v", files)
	}
}

// endless returns bytes without end.
type endless struct{ n int64 }

func (e *endless) Read(p []byte) (int, error) {
	e.n += int64(len(p))
	return len(p), nil
}

// A file without end is cut off at its limit, with a reason.
func TestUploadsAreBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("it sends 100 MB")
	}
	w := newWorld(t, testdb.SQLite(t), nil)
	w.liveSpace()
	before := w.revision()
	body := io.MultiReader(strings.NewReader("--b\r\nContent-Disposition: form-data; name=\"x\"; filename=\"x.bin\"\r\n\r\n"), &endless{})
	status := 0
	func() { // the client may see the answer or a connection that was closed
		req, err := http.NewRequest("POST", fmt.Sprintf("http://%s/v1%s", w.srv.Addr(), w.expand("/spaces/$space/content/files")), body)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+w.tokens["admin"])
		req.Header.Set("Content-Type", "multipart/form-data; boundary=b")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return
		}
		defer res.Body.Close()
		status = res.StatusCode
	}()
	if status != 0 && status != 400 && status != 413 {
		t.Errorf("the answer is %d", status)
	}
	if now := w.revision(); now != before {
		t.Error("something was stored")
	}
}
