package blob

import (
	"bytes"
	"crypto/sha256"
	"io"
	"mime"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	_ "github.com/octavo-docs/octavo/internal/testing/testrapid"
)

func serve(t testing.TB, f Served, data []byte, header ...string) *http.Response {
	t.Helper()
	f.Hash = sha256.Sum256(data)
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	Serve(w, r, f, bytes.NewReader(data))
	return w.Result()
}

// For any content and name, active content is never displayed as a page or sent with an
// active type.
func TestUploadsDoNoHarm(t *testing.T) {
	payloads := map[string]string{
		"module.wasm": "\x00asm\x01\x00\x00\x00",
		"flash.swf":   "CWS\x0a\x00\x00\x00\x00",
		"bom.SVG":     "\ufeff<!-- x --><svg xmlns=\"http://www.w3.org/2000/svg\"><script/></svg>",
	}
	list, err := txtar.ParseFile("testdata/uploads.txtar")
	if err != nil || len(list.Files) < 15 {
		t.Fatal(list, err)
	}
	for _, f := range list.Files {
		payloads[f.Name] = string(f.Data)
	}
	for name, data := range payloads {
		s := inspect(t, name, []byte(data))
		resp := serve(t, Served{Name: name, ContentType: s.ContentType}, []byte(data))
		disposition, _, err := mime.ParseMediaType(resp.Header.Get("Content-Disposition"))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		contentType := resp.Header.Get("Content-Type")
		// Plain text and images may be displayed. With nosniff, browsers do not treat
		// them as anything else.
		if disposition != "attachment" && contentType != "text/plain; charset=utf-8" && contentType != "image/gif" {
			t.Errorf("%s is shown as %s", name, contentType)
		}
		for _, active := range []string{"html", "javascript", "css", "wasm", "flash"} {
			if strings.Contains(contentType, active) {
				t.Errorf("%s is announced as %s", name, contentType)
			}
		}
		if strings.Contains(contentType, "xml") && contentType != svgImage && !strings.Contains(contentType, "officedocument") {
			t.Errorf("%s is announced as %s", name, contentType)
		}
		csp := resp.Header.Get("Content-Security-Policy")
		if !strings.Contains(csp, "sandbox") || strings.Contains(csp, "allow-") || !strings.Contains(csp, "default-src 'none'") ||
			!strings.Contains(csp, "frame-ancestors 'none'") || strings.Contains(csp, "script-src") {
			t.Errorf("%s: %s", name, csp)
		}
		for header, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "cross-origin", "Referrer-Policy": "no-referrer",
		} {
			if got := resp.Header.Get(header); got != want {
				t.Errorf("%s: %s is %q", name, header, got)
			}
		}
	}
}

func TestHowTypesAreSent(t *testing.T) {
	for in, want := range map[string]string{
		"image/png":                 "inline image/png",
		"IMAGE/PNG; x=y":            "inline image/png",
		"image/avif":                "inline image/avif",
		"image/vnd.mozilla.apng":    "inline image/png",
		"video/mp4":                 "inline video/mp4",
		"audio/mpeg":                "inline audio/mpeg",
		"text/plain":                "inline text/plain; charset=utf-8",
		"text/markdown":             "inline text/plain; charset=utf-8",
		"application/json":          "inline text/plain; charset=utf-8",
		"image/svg+xml":             "attachment image/svg+xml",
		"application/pdf":           "attachment application/pdf",
		"application/zip":           "attachment application/zip",
		"font/woff2":                "attachment font/woff2",
		"text/html":                 "attachment application/octet-stream",
		"text/html;charset=utf-7":   "attachment application/octet-stream",
		"application/xhtml+xml":     "attachment application/octet-stream",
		"text/xml":                  "attachment application/octet-stream",
		"text/javascript":           "attachment application/octet-stream",
		"text/css":                  "attachment application/octet-stream",
		"multipart/x-mixed-replace": "attachment application/octet-stream",
		"message/rfc822":            "attachment application/octet-stream",
		"":                          "attachment application/octet-stream",
		"nonsense":                  "attachment application/octet-stream",
		"image/png\r\nX-A: b":       "attachment application/octet-stream",
		"image/png,text/html":       "attachment application/octet-stream",
	} {
		resp := serve(t, Served{Name: "a", ContentType: in}, []byte("x"))
		kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Disposition"))
		if got := kind + " " + resp.Header.Get("Content-Type"); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

func TestNamesOfDownloads(t *testing.T) {
	for in, want := range map[string]string{
		"a.txt":              `attachment; filename="a.txt"`,
		"naïve file.txt":     `attachment; filename="na_ve file.txt"; filename*=UTF-8''na%C3%AFve%20file.txt`,
		"日本.pdf":             `attachment; filename="__.pdf"; filename*=UTF-8''%E6%97%A5%E6%9C%AC.pdf`,
		"a\r\nX-Evil: 1.txt": `attachment; filename="aX-Evil_ 1.txt"`,
		`a"; x="b.txt`:       `attachment; filename="a_; x=_b.txt"`,
		`a\".txt`:            `attachment; filename="a__.txt"`,
		"../../etc/passwd":   `attachment; filename="_.._etc_passwd"`,
		`C:\x\y.txt`:         `attachment; filename="C__x_y.txt"`,
		".htaccess":          `attachment; filename="htaccess"`,
		"gpj\u202e.exe":      `attachment; filename="gpj.exe"`,
		"100%41.txt":         `attachment; filename="100_41.txt"; filename*=UTF-8''100%2541.txt`,
		"":                   `attachment; filename="file"`,
		"...":                `attachment; filename="file"`,
		"\x00\x1f\xff":       `attachment; filename="file"`,
		"'quote'.txt":        `attachment; filename="'quote'.txt"`,
		"é'*.txt":            `attachment; filename="_'_.txt"; filename*=UTF-8''%C3%A9%27_.txt`,
	} {
		if got := disposition("attachment", in); got != want {
			t.Errorf("%q:\n got %s\nwant %s", in, got, want)
		}
	}
	long := disposition("inline", strings.Repeat("x", 5000)+".tar.gz")
	if len(long) > 200 || !strings.HasSuffix(long, `.tar.gz"`) {
		t.Error(long)
	}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.String().Draw(t, "name")
		header := disposition("attachment", name)
		kind, params, err := mime.ParseMediaType(header)
		if err != nil || kind != "attachment" {
			t.Fatalf("%q: %v", header, err)
		}
		got := params["filename"]
		if got != cleanName(name) || got == "" || strings.ContainsAny(got, "/\\\r\n\"\x00") || utf8.RuneCountInString(got) > maxSavedName {
			t.Fatalf("%q became %q in %s", name, got, header)
		}
	})
}

func TestRangesAndCaching(t *testing.T) {
	data := randomBytes(2, 10_000)
	f := Served{Name: "a.png", ContentType: "image/png"}
	etag := `"` + Hash(sha256.Sum256(data)).String() + `"`
	for _, c := range []struct {
		name   string
		header []string
		status int
		body   []byte
	}{
		{"whole", nil, 200, data},
		{"a range", []string{"Range", "bytes=10-19"}, 206, data[10:20]},
		{"the end", []string{"Range", "bytes=-5"}, 206, data[9995:]},
		{"from the middle", []string{"Range", "bytes=9990-"}, 206, data[9990:]},
		{"beyond the end", []string{"Range", "bytes=20000-"}, 416, nil},
		{"many ranges", []string{"Range", "bytes=0-1,5-6" + strings.Repeat(",0-0", 1000)}, 200, data},
		{"nonsense", []string{"Range", "bytes=x"}, 416, nil},
		{"the caller has it", []string{"If-None-Match", etag}, 304, []byte{}},
		{"the caller has another", []string{"If-None-Match", `"x"`}, 200, data},
		{"a range of the same", []string{"Range", "bytes=10-19", "If-Range", etag}, 206, data[10:20]},
		{"a range of another", []string{"Range", "bytes=10-19", "If-Range", `"x"`}, 200, data},
	} {
		resp := serve(t, f, data, c.header...)
		body, _ := io.ReadAll(resp.Body)
		if resp.StatusCode != c.status || c.body != nil && !bytes.Equal(body, c.body) {
			t.Errorf("%s: status %d, %d bytes", c.name, resp.StatusCode, len(body))
		}
		if resp.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: no nosniff", c.name)
		}
		if c.status < 400 && (resp.Header.Get("ETag") != etag || resp.Header.Get("Cache-Control") != "private, no-cache") {
			t.Errorf("%s: %v", c.name, resp.Header)
		}
	}
	f.Public = true
	if got := serve(t, f, data).Header.Get("Cache-Control"); !strings.HasPrefix(got, "public, ") {
		t.Error(got)
	}
}

// Serves from a real folder with a real server, and checks the length and HEAD requests.
func TestServeFromAFolder(t *testing.T) {
	s := newFolder(t)
	data := randomBytes(4, 1<<20)
	h := put(t, s, data)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o, err := s.Open(r.Context(), h)
		if err != nil {
			t.Error(err)
			return
		}
		defer o.Close()
		Serve(w, r, Served{Name: "a.bin", Hash: h}, o)
	}))
	defer server.Close()
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		req, _ := http.NewRequest(method, server.URL, nil)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.ContentLength != int64(len(data)) || method == http.MethodGet && !bytes.Equal(body, data) {
			t.Errorf("%s: %d bytes, length %d, %v", method, len(body), resp.ContentLength, err)
		}
	}
}
