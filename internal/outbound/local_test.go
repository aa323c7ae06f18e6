package outbound_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/outbound"
)

// Requests to the origin are answered in the process; all others go through the guard, also those
// to other ports of the same machine.
func TestLocal(t *testing.T) {
	listening := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a connection was made") }))
	defer listening.Close()
	base, err := url.Parse("http://127.0.0.1:8080")
	if err != nil {
		t.Fatal(err)
	}
	var got *http.Request
	var sent string
	client := outbound.Policy{}.Client(outbound.Options{NoRedirects: true})
	client.Transport = outbound.Local{Base: base, Next: client.Transport, Limit: 10, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		got, sent = r, string(b)
		switch r.URL.Path {
		case "/long":
			if _, err := io.WriteString(w, strings.Repeat("x", 11)); err == nil {
				t.Error("the handler does not learn that nobody reads on")
			}
		case "/gives/up":
			panic(http.ErrAbortHandler)
		case "/nothing":
		default:
			w.Header().Set("Location", "http://127.0.0.1:9/")
			w.WriteHeader(http.StatusEarlyHints)
			w.WriteHeader(http.StatusFound)
			w.WriteHeader(http.StatusOK)
			w.Header().Set("Late", "1")
			_, _ = io.WriteString(w, "found")
		}
	})}
	call := func(method, address, body string) (int, string, error) {
		got = nil
		r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.RemoteAddr = "192.0.2.7:1"
		res, err := client.Do(r)
		if err != nil {
			return 0, "", err
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		if res.Header.Get("Late") != "" {
			t.Error("a header was added after the headers were sent")
		}
		return res.StatusCode, string(b), err
	}
	status, text, err := call("PUT", "http://127.0.0.1:8080/a%2Fb?c=d", "in")
	if status != 302 || text != "found" || err != nil || got == nil || got.RequestURI != "/a%2Fb?c=d" || got.Host != "127.0.0.1:8080" || got.RemoteAddr != "192.0.2.7:1" || sent != "in" {
		t.Errorf("%d %q %v, sent %+v %q", status, text, err, got, sent)
	}
	if status, text, err := call("GET", "http://127.0.0.1:8080/long", ""); status != 200 || len(text) != 10 || err != nil {
		t.Errorf("long: %d %q %v", status, text, err)
	}
	if status, _, err := call("GET", "http://127.0.0.1:8080/nothing", ""); status != 200 || err != nil {
		t.Errorf("nothing: %d %v", status, err)
	}
	if _, _, err := call("GET", "http://127.0.0.1:8080/gives/up", ""); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a handler that gives up: %v", err)
	}
	port := strings.TrimPrefix(listening.URL, "http://127.0.0.1")
	for _, other := range []string{listening.URL, "http://localhost" + port, "http://[::1]" + port, "https://127.0.0.1:8080", "http://127.0.0.1", "http://127.0.0.1:8081", "http://localhost:8080", "http://127.1:8080", "http://127.0.0.1.:8080"} {
		if _, _, err := call("GET", other+"/", ""); err == nil || got != nil {
			t.Errorf("%s: %v, answered %v", other, err, got != nil)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := http.NewRequestWithContext(ctx, "GET", "http://127.0.0.1:8080/", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Do(r); !errors.Is(err, context.Canceled) {
		t.Errorf("a request that was cancelled: %v", err)
	}
	alone := http.Client{Transport: outbound.Local{Base: base, Handler: http.NotFoundHandler()}}
	if _, err := alone.Get(listening.URL); err == nil {
		t.Error("without another transport, another address is called")
	}
}
