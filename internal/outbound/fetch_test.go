package outbound

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/errs"
)

const loopback = "127.0.0.1,::1"

// standIn is a second loopback address, which plays the part of a public server.
const standIn = "127.0.0.2"

func needStandIn(t *testing.T) {
	t.Helper()
	l, err := net.Listen("tcp", standIn+":0")
	if err != nil {
		t.Skipf("this machine has no address %s", standIn)
	}
	l.Close()
}

func fetch(t testing.TB, p Policy, url string, l Limits) (string, error) {
	t.Helper()
	resp, err := p.Fetch(t.Context(), url, l)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return string(b), err
}

func TestFetch(t *testing.T) {
	mux := http.NewServeMux()
	mux.Handle("/plain", hello)
	mux.Handle("/hop", http.RedirectHandler("/plain", http.StatusFound))
	mux.HandleFunc("/zip", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept-Encoding") != "gzip" || r.Header.Get("User-Agent") != userAgent {
			http.Error(w, "headers", http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		z.Write([]byte("packed"))
		z.Close()
	})
	port, _ := serve(t, mux)
	p := policy(t, loopback, nil)
	base := "http://127.0.0.1:" + port

	resp, err := p.Fetch(t.Context(), base+"/hop#x", Limits{ContentTypes: []string{"text/"}})
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil || string(b) != "hello" || resp.ContentType != "text/plain" || resp.Size != 5 || resp.FinalURL != base+"/plain" {
		t.Errorf("%q, %v, %+v", b, err, resp)
	}
	if got, err := fetch(t, p, base+"/zip", Limits{MaxBytes: 100}); got != "packed" || err != nil {
		t.Errorf("gzip: %q, %v", got, err)
	}
	if _, err := fetch(t, p, base+"/missing", Limits{}); !errs.Is(err, errs.Invalid) || !strings.Contains(err.Error(), "404") {
		t.Errorf("missing: %v", err)
	}
	if _, err := fetch(t, p, base+"/plain", Limits{ContentTypes: []string{"image/", "application/json"}}); !errs.Is(err, errs.Invalid) {
		t.Errorf("another type: %v", err)
	}
}

// Each redirect is checked like the first request.
func TestRedirects(t *testing.T) {
	needStandIn(t)
	secret, connections := serve(t, hello)
	mux := http.NewServeMux()
	mux.Handle("/", hello)
	mux.HandleFunc("/to", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", r.URL.Query().Get("u"))
		w.WriteHeader(http.StatusFound)
	})
	mux.HandleFunc("/count/{n}", func(w http.ResponseWriter, r *http.Request) {
		var n int
		fmt.Sscan(r.PathValue("n"), &n)
		if n == 0 {
			w.Write([]byte("done"))
			return
		}
		http.Redirect(w, r, fmt.Sprintf("/count/%d", n-1), http.StatusFound)
	})
	port, _ := serve(t, mux)
	p := policy(t, standIn, fixed(inside))
	base := "http://" + standIn + ":" + port

	if got, err := fetch(t, p, base+"/count/5", Limits{}); got != "done" || err != nil {
		t.Errorf("five redirects: %q, %v", got, err)
	}
	if _, err := fetch(t, p, base+"/count/6", Limits{}); !errs.Is(err, errs.Invalid) || !strings.Contains(err.Error(), "redirects") {
		t.Errorf("six redirects: %v", err)
	}
	targets := []string{
		"http://user:pw@" + standIn + ":" + port + "/", "file:///etc/passwd", "gopher://127.0.0.1/",
		"//127.0.0.1:" + secret + "/", "http:///x", "http://" + standIn + ":25/",
	}
	for _, raw := range lines(t, "testdata/private-urls.txt") {
		if !strings.Contains(raw, standIn) {
			targets = append(targets, strings.ReplaceAll(raw, "{port}", secret))
		}
	}
	for _, target := range targets {
		req, _ := http.NewRequest(http.MethodGet, base+"/to", nil)
		q := req.URL.Query()
		q.Set("u", target)
		req.URL.RawQuery = q.Encode()
		if got, err := fetch(t, p, req.URL.String(), Limits{}); !errs.Is(err, errs.Invalid) {
			t.Errorf("to %s: %q, %v", target, got, err)
		}
	}
	if n := connections(); n != 0 {
		t.Errorf("%d connections to the inside", n)
	}
}

// A name resolves to a public address at the first lookup and to a private one later.
func TestRebindingIsRefused(t *testing.T) {
	needStandIn(t)
	port, _ := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/again" {
			http.Redirect(w, r, "/", http.StatusFound)
			return
		}
		w.Write([]byte("hello"))
	}))
	rebinding := func(allowed int) *names {
		return &names{answer: func(_ string, asked int) []string {
			if asked < allowed {
				return []string{standIn}
			}
			return []string{"127.0.0.1"}
		}}
	}
	url := "http://rebind.test:" + port
	p := policy(t, standIn, rebinding(1))
	if got, err := fetch(t, p, url, Limits{}); got != "hello" || err != nil {
		t.Errorf("first: %q, %v", got, err)
	}
	if _, err := fetch(t, p, url, Limits{}); !errs.Is(err, errs.Invalid) {
		t.Errorf("second: %v", err)
	}
	p = policy(t, standIn, rebinding(1))
	if _, err := fetch(t, p, url+"/again", Limits{}); !errs.Is(err, errs.Invalid) {
		t.Errorf("redirect to itself: %v", err)
	}
	p = policy(t, standIn, rebinding(1))
	if _, err := p.Resolve(t.Context(), "rebind.test"); err != nil {
		t.Errorf("check: %v", err)
	}
	if _, err := fetch(t, p, url, Limits{}); !errs.Is(err, errs.Invalid) {
		t.Errorf("use after the check: %v", err)
	}
}

func TestSizeIsBounded(t *testing.T) {
	zeros := make([]byte, 1<<20)
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	for range 64 {
		z.Write(zeros)
	}
	z.Close()
	var empty bytes.Buffer
	gzip.NewWriter(&empty).Close()
	packed := func(b []byte) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(b)
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/announced", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1048576")
		w.Write(zeros)
	})
	mux.HandleFunc("/streamed", func(w http.ResponseWriter, _ *http.Request) {
		for {
			if _, err := w.Write(zeros); err != nil {
				return
			}
		}
	})
	mux.HandleFunc("/bomb", packed(bomb.Bytes()))
	// An endless stream of gzip members that decompress to nothing.
	mux.HandleFunc("/nothing", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		many := bytes.Repeat(empty.Bytes(), 1000)
		for {
			if _, err := w.Write(many); err != nil {
				return
			}
		}
	})
	mux.HandleFunc("/headers", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Large", strings.Repeat("x", 2*maxHeaderBytes))
	})
	mux.HandleFunc("/broken-zip", packed([]byte("not gzip at all")))
	mux.HandleFunc("/cut-zip", packed(bomb.Bytes()[:100]))
	mux.HandleFunc("/brotli", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "br")
		w.Write([]byte("x"))
	})
	mux.HandleFunc("/cut", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		w.Write([]byte("x"))
		panic(http.ErrAbortHandler)
	})
	port, _ := serve(t, mux)
	p := policy(t, loopback, nil)
	for path, want := range map[string]string{
		"/announced": "larger", "/streamed": "larger", "/bomb": "larger", "/nothing": "larger",
		"/headers": "interrupted", "/cut": "interrupted", "/cut-zip": "interrupted",
		"/broken-zip": "damaged", "/brotli": "compression",
	} {
		resp, err := p.Fetch(t.Context(), "http://127.0.0.1:"+port+path, Limits{MaxBytes: 1 << 19, Timeout: 20 * time.Second})
		if path == "/announced" && err == nil {
			t.Errorf("%s: the body is read although the head says that it is too large", path)
		}
		n := int64(0)
		if err == nil {
			n, err = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
		if !errs.Is(err, errs.Invalid) || !strings.Contains(err.(*errs.Error).Message, want) || n > 1<<19 {
			t.Errorf("%s: %d bytes, %v", path, n, err)
		}
	}
	// A body of exactly the limit is allowed.
	exact, _ := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write(zeros[:1000]) }))
	for limit, ok := range map[int64]bool{1000: true, 999: false} {
		got, err := fetch(t, p, "http://127.0.0.1:"+exact, Limits{MaxBytes: limit})
		if (err == nil) != ok || ok && len(got) != 1000 {
			t.Errorf("1000 bytes with limit %d: %d, %v", limit, len(got), err)
		}
	}
}

func TestTimeIsBounded(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/silent", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	mux.HandleFunc("/drip", func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			w.Write([]byte("."))
			w.(http.Flusher).Flush()
			time.Sleep(20 * time.Millisecond)
		}
	})
	port, _ := serve(t, mux)
	p := policy(t, loopback, nil)
	for _, path := range []string{"/silent", "/drip"} {
		start := time.Now()
		_, err := fetch(t, p, "http://127.0.0.1:"+port+path, Limits{Timeout: 300 * time.Millisecond})
		if !errs.Is(err, errs.Invalid) || !strings.Contains(err.Error(), "too long") || time.Since(start) > time.Minute {
			t.Errorf("%s: %v after %v", path, err, time.Since(start))
		}
		// The end of the caller's own context is not reported as an error of the server.
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		resp, err := p.Fetch(ctx, "http://127.0.0.1:"+port+path, Limits{})
		if err == nil {
			_, err = io.ReadAll(resp.Body)
			resp.Body.Close()
		}
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || errs.Is(err, errs.Invalid) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestSecretsStayWithTheirOrigin(t *testing.T) {
	seen := make(chan http.Header, 10)
	var back atomic.Value
	other, _ := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/back" {
			http.Redirect(w, r, back.Load().(string), http.StatusTemporaryRedirect)
			return
		}
		seen <- r.Header.Clone()
	}))
	mux := http.NewServeMux()
	mux.HandleFunc("/here", func(_ http.ResponseWriter, r *http.Request) { seen <- r.Header.Clone() })
	mux.Handle("/stay", http.RedirectHandler("/here", http.StatusTemporaryRedirect))
	mux.Handle("/leave", http.RedirectHandler("http://127.0.0.1:"+other+"/", http.StatusTemporaryRedirect))
	mux.Handle("/return", http.RedirectHandler("http://127.0.0.1:"+other+"/back", http.StatusTemporaryRedirect))
	port, _ := serve(t, mux)
	back.Store("http://127.0.0.1:" + port + "/here")
	client := policy(t, loopback, nil).Client(Options{})
	for path, kept := range map[string]bool{"/stay": true, "/leave": false, "/return": false} {
		req, _ := http.NewRequest(http.MethodGet, "http://127.0.0.1:"+port+path, nil)
		for _, name := range []string{"Authorization", "Cookie", "X-Api-Key", "Private-Token", "Accept"} {
			req.Header.Set(name, "v")
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		h := <-seen
		for _, name := range []string{"Authorization", "Cookie", "X-Api-Key", "Private-Token"} {
			if (h.Get(name) != "") != kept {
				t.Errorf("%s: %s is %q", path, name, h.Get(name))
			}
		}
		if h.Get("Accept") != "v" || h.Get("Referer") != "" {
			t.Errorf("%s: %v", path, h)
		}
	}
	// The body of a POST is not sent to another server.
	if resp, err := client.Post("http://127.0.0.1:"+port+"/leave", "text/plain", strings.NewReader("x")); err == nil {
		resp.Body.Close()
		t.Error("the body went to another server")
	}
	resp, err := policy(t, loopback, nil).Client(Options{NoRedirects: true}).Post("http://127.0.0.1:"+port+"/leave", "text/plain", strings.NewReader("x"))
	if err != nil || resp.StatusCode != http.StatusTemporaryRedirect {
		t.Errorf("NoRedirects: %v, %v", resp, err)
	} else {
		resp.Body.Close()
	}
}

func TestNoProxyFromTheEnvironment(t *testing.T) {
	proxy, connections := serve(t, hello)
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"} {
		t.Setenv(name, "http://127.0.0.1:"+proxy)
	}
	p := policy(t, "", fixed(map[string][]string{"a.test": {"10.0.0.1"}}))
	if _, err := fetch(t, p, "http://a.test/", Limits{Timeout: 5 * time.Second}); !errs.Is(err, errs.Invalid) {
		t.Error(err)
	}
	if resp, err := p.Client(Options{}).Get("http://a.test/"); err == nil {
		resp.Body.Close()
		t.Error("answered")
	}
	if connections() != 0 {
		t.Error("the proxy was called")
	}
}

func TestErrorsForPeople(t *testing.T) {
	tls := httptest.NewUnstartedServer(hello)
	tls.Config.ErrorLog = log.New(io.Discard, "", 0)
	tls.StartTLS()
	defer tls.Close()
	closed := httptest.NewServer(hello)
	closed.Close()
	plain, _ := serve(t, hello)
	p := policy(t, loopback, nil)
	for url, want := range map[string]string{
		tls.URL:                      "certificate",
		"https://127.0.0.1:" + plain: "https",
		closed.URL:                   "reached",
	} {
		_, err := fetch(t, p, url+"?token=secret", Limits{})
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("the error contains the token: %v", err)
		}
		if !errs.Is(err, errs.Invalid) || !strings.Contains(err.(*errs.Error).Message, want) || leaks(err) {
			t.Errorf("%s: %v", url, err)
		}
	}
	if Explain(t.Context(), nil) != nil {
		t.Error("Explain invents an error")
	}
}

func FuzzCheckURL(f *testing.F) {
	for _, line := range lines(f, "testdata/private-urls.txt") {
		f.Add(strings.ReplaceAll(line, "{port}", "80"))
	}
	f.Add("https://user:pw@example.com:443/a?b#c")
	f.Add("http://[::ffff:1.2.3.4]:80/%2e%2e/")
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := CheckURL(raw)
		if err != nil {
			if !errs.Is(err, errs.Invalid) {
				t.Fatalf("%q: %v", raw, err)
			}
			return
		}
		s := u.String()
		if u.User != nil || u.Host == "" || strings.ContainsAny(s, "\r\n\\ \x00") {
			t.Fatalf("%q became %q", raw, s)
		}
		again, err := CheckURL(s)
		if len(s) <= maxURL && (err != nil || again.String() != s) {
			t.Fatalf("%q became %q, then %v, %v", raw, s, again, err)
		}
	})
}
