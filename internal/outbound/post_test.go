package outbound

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/octavo-docs/octavo/internal/errs"
	_ "github.com/octavo-docs/octavo/internal/testing/testrapid"
)

func TestPost(t *testing.T) {
	calls := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls++
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Method != http.MethodPost || string(body) != "hello" || r.Header.Get("X-Mine") != "1" {
			t.Errorf("%s %q %v: %v", r.Method, body, r.Header, err)
		}
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		case "/slow":
			time.Sleep(300 * time.Millisecond)
		case "/drip": // an answer that never ends
			w.WriteHeader(http.StatusAccepted)
			for range 100 {
				if _, err := w.Write([]byte("x")); err != nil {
					return
				}
				w.(http.Flusher).Flush()
				time.Sleep(10 * time.Millisecond)
			}
		default:
			w.Header().Set("Retry-After", "7")
			_, _ = io.WriteString(w, strings.Repeat("a", 1<<16))
		}
	}))
	defer srv.Close()
	open, err := Parse("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	p := open.Poster(200 * time.Millisecond)
	defer p.Close()
	post := func(p *Poster, url string) (Answer, error) {
		return p.Post(context.Background(), url, map[string]string{"X-Mine": "1"}, []byte("hello"), 100)
	}
	if a, err := post(p, srv.URL+"/ok"); err != nil || a.Status != 200 || a.RetryAfter != "7" || a.Text != strings.Repeat("a", 100) {
		t.Errorf("%+v, %v", a, err)
	}
	if a, err := post(p, srv.URL+"/moved"); err != nil || a.Status != http.StatusTemporaryRedirect || calls != 2 {
		t.Errorf("a redirect: %+v, %v, %d calls", a, err, calls)
	}
	if a, err := post(p, srv.URL+"/drip"); err != nil || a.Status != http.StatusAccepted || !strings.HasPrefix(a.Text, "x") {
		t.Errorf("an answer that drips: %+v, %v", a, err)
	}
	if _, err := post(p, srv.URL+"/slow"); !errs.Is(err, errs.Invalid) || !strings.Contains(err.Error(), "too long") {
		t.Errorf("a slow one: %v", err)
	}
	before := calls
	for _, url := range []string{srv.URL, "http://user:pw@127.0.0.1/", "gopher://127.0.0.1/", ""} {
		if _, err := post(Policy{}.Poster(time.Second), url); !errs.Is(err, errs.Invalid) || strings.Contains(errs.E(errs.KindOf(err), "%v", err).Message, "pw") {
			t.Errorf("%q: %v", url, err)
		}
	}
	if calls != before {
		t.Error("a private address was called")
	}
}

func TestWaitIsBounded(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"": 0, "0": 0, "-1": 0, "x": 0, "1.5": 0, "30": 30 * time.Second, "3599": 3599 * time.Second, "3600": time.Hour, "9223372036854775807": time.Hour,
		now.Add(time.Minute).Format(http.TimeFormat): time.Minute, now.Add(-time.Minute).Format(http.TimeFormat): 0,
		now.AddDate(5, 0, 0).Format(http.TimeFormat): time.Hour,
	} {
		if got := Wait(header, now, time.Hour); got != want {
			t.Errorf("%q: %v, want %v", header, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		if d := Wait(rapid.String().Draw(t, "header"), now, time.Hour); d < 0 || d > time.Hour {
			t.Fatal(d)
		}
	})
}

func TestPlainIsText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
		out := sanitize(in)
		if !utf8.ValidString(out) || len(out) > len(in) || strings.ContainsFunc(out, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f }) {
			t.Fatalf("%q", out)
		}
		if again := sanitize(out); again != out {
			t.Fatalf("%q, then %q", out, again)
		}
	})
}
