package server

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/web/services"
)

// TestClientBehindProxies checks that only addresses from trusted proxies are believed.
func TestClientBehindProxies(t *testing.T) {
	proxies, err := ParseProxies("10.0.0.0/8, 192.0.2.7,2001:db8::/32")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, peer, forwarded, want string
	}{
		{"no proxy", "203.0.113.9:1", "", "203.0.113.9"},
		{"a claim of the client itself", "203.0.113.9:1", "198.51.100.1", "203.0.113.9"},
		{"one proxy", "10.1.2.3:1", "198.51.100.1", "198.51.100.1"},
		{"two proxies", "10.1.2.3:1", "198.51.100.1, 192.0.2.7", "198.51.100.1"},
		{"a claim before the proxy", "10.1.2.3:1", "127.0.0.1, 198.51.100.1", "198.51.100.1"},
		{"nothing to believe", "10.1.2.3:1", "", "10.1.2.3"},
		{"nonsense", "10.1.2.3:1", "198.51.100.1, unknown", "10.1.2.3"},
		{"IPv6", "[2001:db8::1]:1", "2001:db9::5", "2001:db9::5"},
		{"IPv4 in IPv6", "[::ffff:10.1.2.3]:1", "198.51.100.1", "198.51.100.1"},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = c.peer
		if c.forwarded != "" {
			r.Header.Set("X-Forwarded-For", c.forwarded)
		}
		got := proxies.client(r)
		if host := strings.Trim(got[:strings.LastIndex(got, ":")], "[]"); host != c.want {
			t.Errorf("%s: %s, want %s", c.name, host, c.want)
		}
	}
	if _, err := ParseProxies("10.0.0.0/8,proxy.example.com"); err == nil {
		t.Error("a name is taken for an address")
	}
}

// TestHosts checks that a server with a configured host refuses requests for other hosts.
func TestHosts(t *testing.T) {
	for host, want := range map[string]bool{
		"docs.example.com": false, "DOCS.example.com.:443": false, "docs.example.com:8080": false, "127.0.0.1:8080": false, "[::1]:8080": false, "10.1.2.3": false,
		"localhost:8080": false, "octavo:8080": false, "": false, "evil.test": true, "docs.example.com.evil.test": true, "example.com": true,
	} {
		r := httptest.NewRequest(http.MethodGet, "/v1/user", nil)
		r.Host = host
		if got := (&Server{Config: Config{Settings: services.Settings{BaseURL: "https://docs.example.com"}}, named: true}).misdirected(r); got != want {
			t.Errorf("%q is misdirected: %v", host, got)
		}
		if (&Server{Config: Config{Settings: services.Settings{BaseURL: "http://127.0.0.1:8080"}}}).misdirected(r) {
			t.Errorf("%q is misdirected without a configured address", host)
		}
		for _, path := range []string{"/healthz", "/readyz"} {
			r.URL.Path = path
			if (&Server{Config: Config{Settings: services.Settings{BaseURL: "https://docs.example.com"}}, named: true}).misdirected(r) {
				t.Errorf("%s at %q is misdirected", path, host)
			}
		}
	}
}

// TestNegotiation checks that a client that has cached a response gets 304, and that
// responses are compressed for clients that accept compression.
func TestNegotiation(t *testing.T) {
	body := strings.Repeat("Alpha beta gamma. ", 200)
	h := compressed(func(w http.ResponseWriter, r *http.Request) {
		rec := &recorder{ResponseWriter: w, known: r.Header.Get("If-None-Match"), reads: r.Method != http.MethodPost}
		rec.Header().Set("ETag", `"one"`)
		rec.Header().Set("Content-Type", "application/json")
		if r.URL.Query().Has("file") {
			rec.Header().Set("Accept-Ranges", "bytes")
			rec.WriteHeader(http.StatusOK)
		}
		_, _ = io.WriteString(rec, body[:len(r.URL.Query().Get("n"))*1000])
	})
	ask := func(method, path, name, value string) *http.Response {
		r := httptest.NewRequest(method, path, nil)
		r.Header.Set(name, value)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Result()
	}
	for _, c := range []struct {
		method, tags string
		status       int
	}{
		{"GET", `"one"`, 304}, {"GET", `W/"one"`, 304}, {"GET", `"zero", "one"`, 304}, {"GET", "*", 304}, {"HEAD", `"one"`, 304},
		{"GET", `"two"`, 200}, {"GET", "one", 200}, {"POST", `"one"`, 200},
	} {
		res := ask(c.method, "/?n=111", "If-None-Match", c.tags)
		b, _ := io.ReadAll(res.Body)
		if res.StatusCode != c.status || res.StatusCode == 304 && (len(b) > 0 || res.Header.Get("ETag") == "" || res.Header.Get("Content-Type") != "") {
			t.Errorf("%s with %s: %d with %d bytes, %v", c.method, c.tags, res.StatusCode, len(b), res.Header)
		}
	}
	for accepted, want := range map[string]string{"gzip": "gzip", "gzip, zstd": "zstd", "identity": "", "br": "", "gzip;q=0": ""} {
		res := ask("GET", "/?n=111", "Accept-Encoding", accepted)
		if got := res.Header.Get("Content-Encoding"); got != want || !strings.Contains(res.Header.Get("Vary"), "Accept-Encoding") {
			t.Errorf("a client that accepts %s gets %q, %v", accepted, got, res.Header)
		}
		if want == "gzip" {
			z, err := gzip.NewReader(res.Body)
			if err != nil {
				t.Fatal(err)
			}
			if b, err := io.ReadAll(z); err != nil || !bytes.Equal(b, []byte(body[:3000])) {
				t.Errorf("%d bytes, %v", len(b), err)
			}
		}
	}
	for _, method := range []string{"GET", "HEAD"} {
		res := ask(method, "/?n=111&file=1", "Accept-Encoding", "gzip")
		if res.Header.Get("Content-Encoding") != "" || res.Header.Get("Accept-Ranges") != "bytes" || res.Header.Get("No-Gzip-Compression") != "" {
			t.Errorf("%s of a file: %v", method, res.Header)
		}
	}
	if res := ask("GET", "/?n=1", "Accept-Encoding", "gzip"); res.Header.Get("Content-Encoding") != "" {
		t.Error("a small answer is compressed")
	}
}

// TestCrossOrigin checks that only pages of the configured origins may call the API.
func TestCrossOrigin(t *testing.T) {
	ask := func(origins []string, method, origin string) http.Header {
		s := &Server{Config: Config{Origins: origins}}
		h := s.crossOrigin(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
		r := httptest.NewRequest(method, "/v1/user", nil)
		r.Header.Set("Origin", origin)
		if method == http.MethodOptions {
			r.Header.Set("Access-Control-Request-Method", "PATCH")
			r.Header.Set("Access-Control-Request-Headers", "authorization,content-type")
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Header()
	}
	const app = "https://app.example.com"
	allowed := "Access-Control-Allow-Origin"
	if h := ask([]string{app}, "OPTIONS", app); h.Get(allowed) != app || h.Get("Access-Control-Allow-Methods") != "PATCH" ||
		!strings.EqualFold(h.Get("Access-Control-Allow-Headers"), "authorization,content-type") {
		t.Errorf("preflight: %v", h)
	}
	if h := ask([]string{app}, "GET", app); h.Get(allowed) != app || !strings.Contains(h.Get("Vary"), "Origin") || h.Get("Access-Control-Allow-Credentials") != "" {
		t.Errorf("an allowed origin: %v", h)
	}
	for _, c := range []struct {
		origins []string
		origin  string
	}{{nil, app}, {[]string{app}, "https://app.example.com.evil.example"}, {[]string{app}, "null"}, {[]string{app}, "http://app.example.com"}} {
		for _, method := range []string{"OPTIONS", "GET"} {
			if h := ask(c.origins, method, c.origin); h.Get(allowed) != "" {
				t.Errorf("%s from %s with %v: %v", method, c.origin, c.origins, h)
			}
		}
	}
	for text, ok := range map[string]bool{app: true, "*": true, "http://localhost:3000": true, "app.example.com": false, app + "/": false, "https://*.example.com": false} {
		if err := CheckOrigin(text); (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestFailuresAreNotKept shows that no failure may be kept, whatever its handler set before it failed.
func TestFailuresAreNotKept(t *testing.T) {
	for status, want := range map[int]string{200: "public, max-age=60", 404: "no-store", 410: "no-store", 500: "no-store", 503: "no-store"} {
		w := httptest.NewRecorder()
		rec := &recorder{ResponseWriter: w}
		rec.Header().Set("Cache-Control", "public, max-age=60")
		rec.WriteHeader(status)
		if got := w.Header().Get("Cache-Control"); got != want {
			t.Errorf("%d: %q", status, got)
		}
	}
}

// TestStrictTransportSecurity shows that browsers get the header only where the server speaks TLS.
func TestStrictTransportSecurity(t *testing.T) {
	s := &Server{}
	for address, want := range map[string]string{"https://docs.test/": "max-age=31536000", "http://docs.test/": ""} {
		h := http.Header{}
		s.setHeaders(h, httptest.NewRequest(http.MethodGet, address, nil))
		if got := h.Get("Strict-Transport-Security"); got != want {
			t.Errorf("%s: %q", address, got)
		}
	}
}
