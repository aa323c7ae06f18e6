package coding_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"github.com/octavo-docs/octavo/internal/site/coding"
)

func TestAccepted(t *testing.T) {
	for header, want := range map[string]coding.Coding{
		"":                           coding.Identity,
		"gzip":                       coding.Gzip,
		"gzip, deflate, br, zstd":    coding.Brotli,
		"gzip, deflate, br":          coding.Brotli,
		"gzip, zstd":                 coding.Zstd,
		"deflate":                    coding.Identity,
		"BR;q=0.5, GZIP ; q=0.8":     coding.Gzip,
		"br;q=0, gzip":               coding.Gzip,
		"br; q=0":                    coding.Identity,
		"br;q=2, gzip;q=x, zstd;p=1": coding.Identity,
		"identity;q=1, br;q=0.1":     coding.Identity,
		"*":                          coding.Identity,
	} {
		if got := coding.Accepted([]string{header}); got != want {
			t.Errorf("%q: %s, want %s", header, got, want)
		}
	}
	if got := coding.Accepted([]string{"gzip", "br"}); got != coding.Brotli {
		t.Errorf("two headers: %s", got)
	}
}

// ask sends a request for a body.
func ask(b *coding.Body, method string, headers ...string) *http.Response {
	r := httptest.NewRequest(method, "/", nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	w.Header().Set("Content-Type", "text/html")
	b.Send(w, r, http.StatusOK)
	return w.Result()
}

func TestEveryCoding(t *testing.T) {
	text := strings.Repeat("All codings are the same text. ", 1000)
	b := coding.New([]byte(text))
	tags := map[string]bool{}
	for name, open := range map[string]func(io.Reader) (io.Reader, error){
		"gzip": func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
		"zstd": func(r io.Reader) (io.Reader, error) { return zstd.NewReader(r) },
		"br":   func(r io.Reader) (io.Reader, error) { return brotli.NewReader(r), nil },
		"":     func(r io.Reader) (io.Reader, error) { return r, nil },
	} {
		for range 2 { // the second response is cached
			res := ask(b, http.MethodGet, "Accept-Encoding", name)
			sent, err := io.ReadAll(res.Body)
			if err != nil {
				t.Fatal(err)
			}
			plain, err := open(bytes.NewReader(sent))
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(plain)
			if err != nil || string(got) != text {
				t.Errorf("%q: other bytes, %v", name, err)
			}
			if e := res.Header.Get("Content-Encoding"); e != name {
				t.Errorf("%q: Content-Encoding %q", name, e)
			}
			if res.ContentLength != int64(len(sent)) || res.Header.Get("Vary") != "Accept-Encoding" {
				t.Errorf("%q: %v", name, res.Header)
			}
		}
		res := ask(b, http.MethodHead, "Accept-Encoding", name)
		if sent, _ := io.ReadAll(res.Body); len(sent) > 0 || res.Header.Get("Content-Length") == "" {
			t.Errorf("HEAD of %q: %d bytes, %v", name, len(sent), res.Header)
		}
		tag := res.Header.Get("ETag")
		if tags[tag] || !strings.HasPrefix(tag, `"`) {
			t.Errorf("%q has the tag %s, which is weak or that of another coding", name, tag)
		}
		tags[tag] = true
		for known, status := range map[string]int{tag: 304, `"x", W/` + tag: 304, "*": 304, `"x"`: 200} {
			res := ask(b, http.MethodGet, "Accept-Encoding", name, "If-None-Match", known)
			if res.StatusCode != status {
				t.Errorf("%q knows %s: %d, want %d", name, known, res.StatusCode, status)
			}
			if sent, _ := io.ReadAll(res.Body); status == 304 && (len(sent) > 0 || res.Header.Get("Content-Length") != "" || res.Header.Get("ETag") != tag) {
				t.Errorf("304 of %q: %d bytes, %v", name, len(sent), res.Header)
			}
		}
	}
}

func TestWhatIsNotWorthIt(t *testing.T) {
	small := ask(coding.New([]byte("a few bytes")), http.MethodGet, "Accept-Encoding", "br")
	if small.Header.Get("Content-Encoding") != "" || small.Header.Get("Vary") == "" {
		t.Errorf("a small body: %v", small.Header)
	}
	noise := make([]byte, 4<<10)
	for i, x := 0, uint64(1); i < len(noise); i++ {
		x = x*6364136223846793005 + 1442695040888963407
		noise[i] = byte(x >> 56)
	}
	random := ask(coding.New(noise), http.MethodGet, "Accept-Encoding", "br")
	if got, _ := io.ReadAll(random.Body); random.Header.Get("Content-Encoding") != "" || !bytes.Equal(got, noise) {
		t.Errorf("bytes that do not get smaller: %v", random.Header)
	}
}
