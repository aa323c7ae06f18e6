package translate

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/outbound"
)

// serve starts a service and returns an engine of a kind that calls it.
func serve(t *testing.T, kind string, h http.HandlerFunc) *Client {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	e, err := Config{Engine: kind, URL: server.URL, Key: "secret", Model: "m"}.Open(outbound.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	return &Client{Engine: e, Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}
}

// all translates texts and returns the translations.
func all(ctx context.Context, c *Client, texts ...string) ([]string, error) {
	out := make([]string, len(texts))
	err := c.Each(ctx, Request{From: "en", To: "es"}, nil, texts, func(at int, answers []string) error {
		copy(out[at:], answers)
		return nil
	})
	return out, err
}

// libre is a handler with the interface of LibreTranslate, which applies a function to
// each text.
func libre(w http.ResponseWriter, r *http.Request, each func(string) string) {
	var in struct{ Q []string }
	_ = json.NewDecoder(r.Body).Decode(&in)
	for i, q := range in.Q {
		in.Q[i] = each(q)
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"translatedText": in.Q})
}

func TestServicesAreCalledAsTheyExpect(t *testing.T) {
	for kind, h := range map[string]http.HandlerFunc{
		"libretranslate": func(w http.ResponseWriter, r *http.Request) {
			libre(w, r, func(s string) string {
				return strings.NewReplacer("One", "Uno", `<x id="1"/>`, `<x id="1"></x>`).Replace(s)
			})
		},
		"apertium-http": func(w http.ResponseWriter, r *http.Request) {
			if r.FormValue("langpair") != "eng|spa" || r.FormValue("format") != "html" {
				w.WriteHeader(400)
				return
			}
			text := strings.ReplaceAll(r.FormValue("q"), "One", "Uno")
			_ = json.NewEncoder(w).Encode(map[string]any{"responseData": map[string]any{"translatedText": text}, "responseStatus": 200})
		},
		"openai": func(w http.ResponseWriter, r *http.Request) {
			b, _ := io.ReadAll(r.Body)
			if r.URL.Path != "/chat/completions" || r.Header.Get("Authorization") != "Bearer secret" || !strings.Contains(string(b), "never followed") {
				w.WriteHeader(400)
				return
			}
			content := "```json\n{\"translations\": [\"Uno <x id='1' />\", \"Uno\"]}\n```"
			_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{"message": map[string]any{"content": content}}}})
		},
	} {
		got, err := all(t.Context(), serve(t, kind, h), `One <x id="1"/>`, "One")
		if err != nil || !slices.Equal(got, []string{`Uno <x id="1"/>`, "Uno"}) {
			t.Errorf("%s: %q, %v", kind, got, err)
		}
	}
}

func TestServicesThatMisbehave(t *testing.T) {
	for name, c := range map[string]struct {
		handle http.HandlerFunc
		calls  int64  // -1: as many as arrive
		reason string // empty: the text stays untranslated
	}{
		"garbage":    {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }, maxAttempts, ""},
		"too few":    {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"translatedText":[]}`)) }, maxAttempts, ""},
		"other form": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"translatedText":"Uno"}`)) }, maxAttempts, ""},
		"down":       {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }, maxAttempts, "status 503"},
		"too many":   {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Retry-After", "7"); w.WriteHeader(429) }, maxAttempts, "status 429"},
		"refused":    {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(403) }, 1, "status 403"},
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.2/", http.StatusFound)
		}, 1, "status 302"},
		"breaks off":    {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, -1, "cannot be reached"},
		"never answers": {func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, -1, "cannot be reached"},
	} {
		var calls atomic.Int64
		client := serve(t, "libretranslate", func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			calls.Add(1)
			c.handle(w, r)
		})
		if name == "never answers" {
			l := client.Engine.(Libre)
			l.poster = mustAllow(t).SlowPoster(20 * time.Millisecond)
			client.Engine = l
		}
		got, err := all(t.Context(), client, "One")
		reason, failed := Reason(err)
		switch {
		case c.calls >= 0 && calls.Load() != c.calls:
			t.Errorf("%s: %d calls instead of %d", name, calls.Load(), c.calls)
		case c.reason == "" && (err != nil || got[0] != ""):
			t.Errorf("%s: %q, %v", name, got, err)
		case c.reason != "" && (!failed || !strings.Contains(reason, c.reason)):
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An engine may quote the key that the operator configured. Nobody else reads it.
func TestKeysAreNotRepeated(t *testing.T) {
	for _, status := range []int{400, 401, 403, 404, 422, 500} {
		for _, kind := range []string{"libretranslate", "openai", "apertium-http"} {
			client := serve(t, kind, func(w http.ResponseWriter, r *http.Request) {
				b, _ := io.ReadAll(r.Body)
				w.WriteHeader(status)
				_, _ = w.Write([]byte("no: " + r.Header.Get("Authorization") + string(b)))
			})
			_, err := all(t.Context(), client, "One")
			if reason, _ := Reason(err); strings.Contains(reason, "secret") || err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("%s, %d: %v", kind, status, err)
			}
		}
	}
}

func mustAllow(t *testing.T) outbound.Policy {
	t.Helper()
	p, err := outbound.Policy{}.Allowing("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestOneTextThatAnEngineCannotBear(t *testing.T) {
	client := serve(t, "libretranslate", func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		if strings.Contains(string(b), "poison") {
			_, _ = w.Write([]byte("{"))
			return
		}
		r.Body = io.NopCloser(strings.NewReader(string(b)))
		libre(w, r, strings.ToUpper)
	})
	got, err := all(t.Context(), client, "a", "b", "poison", "c", "d")
	if err != nil || !slices.Equal(got, []string{"A", "B", "", "C", "D"}) {
		t.Errorf("%q, %v", got, err)
	}
}

func TestPartialFailureKeepsWhatWasDone(t *testing.T) {
	var calls atomic.Int64
	client := serve(t, "libretranslate", func(w http.ResponseWriter, r *http.Request) {
		if calls.Add(1) > 1 {
			w.WriteHeader(401)
			return
		}
		libre(w, r, strings.ToUpper)
	})
	texts := make([]string, maxTexts+1)
	for i := range texts {
		texts[i] = "a"
	}
	got, err := all(t.Context(), client, texts...)
	if _, failed := Reason(err); !failed || got[maxTexts-1] != "A" || got[maxTexts] != "" {
		t.Errorf("%v", err)
	}
}

func TestEngineAddressesAreGuarded(t *testing.T) {
	e, err := Config{Engine: "libretranslate", URL: "http://127.0.0.1:9"}.Open(outbound.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	l := e.(Libre)
	l.base = "http://127.0.0.2:8080" // another host than the one that was configured
	if _, err := l.Translate(t.Context(), Request{From: "en", To: "es", Texts: []string{"a"}}); err == nil || !strings.Contains(err.Error(), "not public") {
		t.Errorf("%v", err)
	}
	for _, c := range []Config{{Engine: "babel"}, {Engine: "openai"}, {Engine: "openai", URL: "ftp://x"}, {Engine: "openai", URL: "http://"}} {
		if _, err := c.Open(outbound.Policy{}); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
	if e, err := (Config{}).Open(outbound.Policy{}); err != nil || e != (None{}) {
		t.Errorf("%v, %v", e, err)
	}
}

func TestInstructionsAndTermsReachTheModel(t *testing.T) {
	m := Chat{}.messages(Request{From: "en", To: "pt-br", Texts: []string{"x"}, Instructions: "Be brief.", Terms: []Term{{"space", "espaço"}}})
	if !strings.Contains(m[0].Content, "Brazilian") || !strings.Contains(m[0].Content, "Be brief.") || !strings.Contains(m[0].Content, "space => espaço") || m[1].Content != `["x"]` {
		t.Errorf("%q", m)
	}
}

// Apertium is the real program; scripts/test installs it.
func TestApertium(t *testing.T) {
	if _, err := exec.LookPath("apertium"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("apertium is missing, and CI skips nothing")
		}
		t.Skip("apertium is not installed")
	}
	client := &Client{Engine: Apertium{Timeout: 5 * time.Minute}}
	doc := markup.Parse(everything(t), markup.Refs{})
	out, segments := Split(doc)
	texts := make([]string, len(segments))
	for i, s := range segments {
		texts[i] = s.Text
	}
	got, err := all(t.Context(), client, texts...)
	if err != nil {
		t.Fatal(err)
	}
	refused, changed := 0, 0
	for i, s := range segments {
		if err := s.Replace(got[i]); err != nil {
			t.Logf("%q became %q: %v", s.Text, got[i], err)
			refused++
		} else if got[i] != s.Text {
			changed++
		}
	}
	if refused*20 > len(segments) || changed*2 < len(segments) {
		t.Errorf("of %d texts, %d were refused and %d changed", len(segments), refused, changed)
	}
	for i, n := range doc.Nodes {
		if !SameShape(n, out.Nodes[i]) {
			t.Errorf("block %d, a %s, has another shape", i, n.Type)
		}
	}
	r := Request{From: "en", To: "es", Texts: []string{"Open a change request."}, Terms: []Term{{"change request", "solicitud de cambio"}}}
	if got, err := client.Engine.Translate(t.Context(), r); err != nil || !strings.Contains(got[0], "solicitud de cambio") {
		t.Errorf("%q, %v", got, err)
	}
	r.To = "fi"
	if _, err := client.Engine.Translate(t.Context(), r); err == nil || !strings.Contains(err.Error(), "no translation eng-fin") {
		t.Errorf("%v", err)
	}
	if _, err := (Apertium{Path: "/nonexistent/apertium"}).Translate(t.Context(), r); err == nil {
		t.Error("a program that is missing translates")
	}
}

// Models also write titles and summaries, without the retries of a translation.
func TestAModelThatMisbehaves(t *testing.T) {
	write := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(text)) }
	}
	const answer = `{"choices":[{"message":{"role":"assistant","content":"A title"},"finish_reason":"stop"}]}`
	for name, c := range map[string]struct {
		handle http.HandlerFunc
		want   string
		reason string // empty: it answers
	}{
		"answers":        {write(answer), "A title", ""},
		"says nothing":   {write(`{"choices":[{"message":{"content":null}}]}`), "", ""},
		"garbage":        {write("<html>busy</html>"), "", "not JSON"},
		"no choices":     {write(`{"choices":[]}`), "", "did not answer"},
		"another form":   {write(`{"choices":[{"message":{"content":["A title"]}}]}`), "", "not JSON of the expected form"},
		"an error in it": {write(`{"error":{"message":"no"}}`), "", "did not answer"},
		"cut off":        {write(`{"choices":[{"message":{"content":"A ti"},"finish_reason":"length"}]}`), "", "cut off"},
		"half of it": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte(answer[:40]))
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}, "", "broke off"},
		"half and then nothing": {func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write([]byte(answer[:40]))
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, "", "broke off"},
		"never answers": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "", "cannot be reached"},
		"breaks off":    {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "", "cannot be reached"},
		"never ends": {func(w http.ResponseWriter, _ *http.Request) {
			for range 5 << 10 {
				_, _ = w.Write([]byte(strings.Repeat(" ", 1<<10)))
			}
			_, _ = w.Write([]byte(answer))
		}, "", "not JSON"},
		"down":    {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }, "", "status 503"},
		"refused": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) }, "", "another key"},
	} {
		client := serve(t, "openai", func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			c.handle(w, r)
		})
		model := client.Engine.(Chat)
		model.poster = mustAllow(t).SlowPoster(300 * time.Millisecond)
		got, err := model.Complete(t.Context(), "Rules.", "Texts.")
		reason, failed := Reason(err)
		if got != c.want || failed != (c.reason != "") || !strings.Contains(reason, c.reason) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := serve(t, "openai", write(answer)).Engine.(Chat).Complete(ctx, "", ""); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}
