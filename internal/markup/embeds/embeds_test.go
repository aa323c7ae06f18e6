package embeds

import (
	"compress/gzip"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/outbound"
)

var ann = Caller{Name: "ann", Member: true}

// elsewhere is an external web site that counts requests.
type elsewhere struct {
	*httptest.Server
	visits atomic.Int32
}

func serve(t *testing.T, h http.HandlerFunc) *elsewhere {
	t.Helper()
	e := &elsewhere{}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.visits.Add(1)
		h(w, r)
	}))
	t.Cleanup(e.Close)
	return e
}

func page(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, body)
	}
}

// local returns a service that may fetch from this machine for members, and the
// time of its clock, which tests can set.
func local(t *testing.T, allow string) (*Service, *time.Time) {
	t.Helper()
	p, err := outbound.Parse(allow)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return New(p, func() time.Time { return now }), &now
}

func card(t *testing.T, s *Service, by Caller, raw string) Card {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return s.Card(context.Background(), by, u)
}

func TestCardOfAPage(t *testing.T) {
	const shiftJIS = "<title>\x93\xfa\x96\x7b\x8c\xea</title>"
	for name, c := range map[string]struct {
		head string
		kind string // Content-Type
		want Card   // %s is the address of the server
	}{
		"everything": {
			head: `<!doctype html><html><head><title>Tag</title><meta property="og:title" content=" Open &amp;
 graph "><meta property="og:site_name" content="Example"><meta name="description" content="About."><link rel="shortcut icon" href="/i.png?a=b#c"></head>`,
			want: Card{"Open & graph", "Example", "About.", "%s/i.png?a=b"},
		},
		"title alone":                {head: `<title>Tag &lt;b&gt;</title>`, want: Card{Title: "Tag <b>", Site: "127.0.0.1"}},
		"nothing":                    {head: `<p>Hello`, want: Card{Title: "%s/docs/page", Site: "127.0.0.1"}},
		"an empty title":             {head: `<title></title><meta property=og:title content=" ">`, want: Card{Title: "%s/docs/page", Site: "127.0.0.1"}},
		"an icon beside the page":    {head: `<title>T</title><link rel=icon href=icon.svg>`, want: Card{"T", "127.0.0.1", "", "%s/docs/icon.svg"}},
		"an icon with a base":        {head: `<title>T</title><base href="/other/"><link rel=icon href=icon.svg>`, want: Card{"T", "127.0.0.1", "", "%s/other/icon.svg"}},
		"an icon for telephones":     {head: `<title>T</title><link rel=apple-touch-icon href=/a.png>`, want: Card{"T", "127.0.0.1", "", "%s/a.png"}},
		"an icon of another scheme":  {head: `<title>T</title><link rel=icon href="javascript:alert(1)">`, want: Card{Title: "T", Site: "127.0.0.1"}},
		"an icon inside of the page": {head: `<title>T</title><link rel=icon href="data:image/png;base64,AAAA">`, want: Card{Title: "T", Site: "127.0.0.1"}},
		"an icon behind a base":      {head: `<title>T</title><base href="file:///"><link rel=icon href="/etc/passwd">`, want: Card{Title: "T", Site: "127.0.0.1"}},
		"an icon with a password":    {head: `<title>T</title><link rel=icon href="https://a:b@example.com/i.png">`, want: Card{Title: "T", Site: "127.0.0.1"}},
		"tags in the body":           {head: `<title>T</title><body><meta property=og:title content=Comment>`, want: Card{Title: "T", Site: "127.0.0.1"}},
		"tags in a script":           {head: `<script>"<meta property=og:title content=Script>"</script><title>T</title>`, want: Card{Title: "T", Site: "127.0.0.1"}},
		"characters that turn text":  {head: "<title>a\u202eb\x00c\td</title>", want: Card{Title: "abc d", Site: "127.0.0.1"}},
		"another character set":      {head: shiftJIS, kind: "text/html; charset=Shift_JIS", want: Card{Title: "日本語", Site: "127.0.0.1"}},
		"a character set in the tag": {head: `<meta charset=shift_jis>` + shiftJIS, kind: "text/html", want: Card{Title: "日本語", Site: "127.0.0.1"}},
		"an unknown character set":   {head: `<title>T</title>`, kind: "text/html; charset=none", want: Card{Title: "T", Site: "127.0.0.1"}},
		"a long title":               {head: `<title>` + strings.Repeat("ä", 400) + `</title>`, want: Card{Title: strings.Repeat("ä", 299) + "…", Site: "127.0.0.1"}},
		"a long script":              {head: `<script>` + strings.Repeat("x", 500_000) + `</script><title>T</title>`, want: Card{Title: "T", Site: "127.0.0.1"}},
		"a title after a megabyte":   {head: strings.Repeat("<!---->", 200_000) + `<title>T</title>`, want: Card{Title: "%s/docs/page", Site: "127.0.0.1"}},
		"many attributes":            {head: `<meta ` + strings.Repeat("a b ", 200_000) + `><title>T</title>`, want: Card{Title: "T", Site: "127.0.0.1"}},
		"another type":               {head: `<title>T</title>`, kind: "image/svg+xml", want: Card{Title: "%s/docs/page", Site: "127.0.0.1"}},
	} {
		t.Run(name, func(t *testing.T) {
			e := serve(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", c.kind)
				if c.kind == "" {
					w.Header().Set("Content-Type", "text/html; charset=utf-8")
				}
				fmt.Fprint(w, c.head)
			})
			s, _ := local(t, "127.0.0.1")
			c.want.Title, c.want.Icon = strings.ReplaceAll(c.want.Title, "%s", e.URL), strings.ReplaceAll(c.want.Icon, "%s", e.URL)
			if got := card(t, s, ann, e.URL+"/docs/page"); got != c.want {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
		})
	}
}

func TestWithoutAServiceNothingIsFetched(t *testing.T) {
	e := serve(t, page("<title>T</title>"))
	if got := card(t, nil, ann, e.URL+"/x#y"); got != (Card{Title: e.URL + "/x#y", Site: "127.0.0.1"}) || e.visits.Load() != 0 {
		t.Errorf("%+v after %d visits", got, e.visits.Load())
	}
}

// TestNothingInsideIsReached requests addresses of this machine and of its
// networks, directly and by redirects. (security: outbound requests)
func TestNothingInsideIsReached(t *testing.T) {
	inside := serve(t, page("<title>Secret</title>"))
	port := inside.URL[strings.LastIndexByte(inside.URL, ':'):]
	targets := []string{inside.URL, "http://localhost" + port, "http://[::ffff:127.0.0.1]" + port, "http://[::1]" + port, "http://0.0.0.0" + port,
		"http://2130706433" + port, "http://0x7f.1" + port, "http://0177.0.0.1" + port, "http://127.1" + port, "http://0" + port,
		"http://user:pass@127.0.0.1" + port, "http://127.0.0.1:22/", "http://169.254.169.254/latest/meta-data/", "http://[fd00::1]/", "http://100.64.0.1/"}
	s, _ := local(t, "")
	for _, target := range targets {
		if got := card(t, s, ann, target); strings.Contains(got.Title, "Secret") {
			t.Errorf("%s was read", target)
		}
	}
	if n := inside.visits.Load(); n != 0 {
		t.Fatalf("the inside was visited %d times", n)
	}

	// A host that may be called leads to one that may not, in one step or more.
	var to atomic.Value
	hop := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/twice" {
			http.Redirect(w, r, "/once", http.StatusFound)
			return
		}
		http.Redirect(w, r, to.Load().(string), http.StatusFound)
	})
	door := "http://localhost" + hop.URL[strings.LastIndexByte(hop.URL, ':'):]
	for _, target := range targets {
		if strings.HasPrefix(target, "http://localhost") {
			continue // this name is allowed here
		}
		s, _ := local(t, "localhost")
		to.Store(target)
		for _, path := range []string{"/once", "/twice"} {
			if got := card(t, s, ann, door+path); got != (Card{Title: door + path, Site: "localhost"}) {
				t.Errorf("a redirect to %s: %+v", target, got)
			}
		}
	}
	if n := inside.visits.Load(); n != 0 {
		t.Fatalf("the inside was visited %d times by redirects", n)
	}
	if hop.visits.Load() == 0 {
		t.Fatal("no redirect was followed")
	}
}

// Private addresses that the operator allows are for members only, because a visitor
// of a public site may be anybody.
func TestVisitorsReachNoPrivateAddress(t *testing.T) {
	e := serve(t, page("<title>Wiki</title>"))
	s, _ := local(t, "127.0.0.1")
	if got := card(t, s, ann, e.URL); got.Title != "Wiki" {
		t.Fatalf("a member: %+v", got)
	}
	if got := card(t, s, Caller{Name: "site"}, e.URL); got.Title != e.URL || e.visits.Load() != 1 {
		t.Errorf("a visitor: %+v after %d visits", got, e.visits.Load())
	}
}

func TestCardsAreKeptForAWhile(t *testing.T) {
	status := http.StatusOK
	e := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(status)
		fmt.Fprint(w, "<title>T</title>")
	})
	s, now := local(t, "127.0.0.1")
	ask := func(path, title string, visits int32) {
		t.Helper()
		if got := card(t, s, ann, e.URL+path); got.Title != title || e.visits.Load() != visits {
			t.Errorf("%s: %+v after %d visits, want %q after %d", path, got, e.visits.Load(), title, visits)
		}
	}
	ask("/", "T", 1)
	ask("/#part", "T", 1)
	*now = now.Add(keepCard - time.Second)
	ask("/", "T", 1)
	*now = now.Add(time.Second)
	ask("/", "T", 2)

	status = http.StatusNotFound
	ask("/gone", e.URL+"/gone", 3)
	ask("/gone#part", e.URL+"/gone#part", 3)
	status = http.StatusOK
	*now = now.Add(keepFailure)
	ask("/gone", "T", 4)
}

func TestOneFetchForAllWhoAsk(t *testing.T) {
	release := make(chan struct{})
	e := serve(t, func(w http.ResponseWriter, r *http.Request) {
		<-release
		page("<title>T</title>")(w, r)
	})
	s, _ := local(t, "127.0.0.1")

	// The first to ask goes away; the fetch goes on for the others.
	gone, cancel := context.WithCancel(context.Background())
	u, _ := url.Parse(e.URL)
	first := make(chan Card)
	go func() { first <- s.Card(gone, ann, u) }()
	for e.visits.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if got := <-first; got.Title != e.URL {
		t.Errorf("who goes away got %+v", got)
	}
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			if got := card(t, s, Caller{Name: fmt.Sprint(i), Member: true}, e.URL); got.Title != "T" {
				t.Errorf("%+v", got)
			}
		})
	}
	time.Sleep(20 * time.Millisecond)
	close(release)
	wg.Wait()
	if n := e.visits.Load(); n != 1 {
		t.Errorf("%d visits", n)
	}
}

func TestFetchesAreBounded(t *testing.T) {
	t.Run("by caller", func(t *testing.T) {
		e := serve(t, page("<title>T</title>"))
		s, now := local(t, "127.0.0.1")
		for i := range maxByCaller + 10 {
			card(t, s, ann, fmt.Sprintf("%s/%d", e.URL, i))
		}
		if n := e.visits.Load(); n != maxByCaller {
			t.Errorf("%d visits, want %d", n, maxByCaller)
		}
		if got := card(t, s, Caller{Name: "bob", Member: true}, e.URL+"/bob"); got.Title != "T" {
			t.Errorf("another caller: %+v", got)
		}
		*now = now.Add(allowancePeriod)
		if got := card(t, s, ann, e.URL+"/later"); got.Title != "T" {
			t.Errorf("a minute later: %+v", got)
		}
	})
	t.Run("by number of callers", func(t *testing.T) {
		a, now := newAllowance(), time.Unix(0, 0)
		for i := range maxCallers + 1000 {
			a.take(fmt.Sprint(i), now)
		}
		if len(a.used) > maxCallers+1 || a.take("new", now) {
			t.Errorf("%d callers are remembered", len(a.used))
		}
	})
	t.Run("at the same time", func(t *testing.T) {
		var running, most atomic.Int32
		release := make(chan struct{})
		e := serve(t, func(w http.ResponseWriter, r *http.Request) {
			n := running.Add(1)
			defer running.Add(-1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			<-release
		})
		s, _ := local(t, "127.0.0.1")
		var wg sync.WaitGroup
		for i := range 2 * maxWaiting {
			wg.Go(func() { card(t, s, Caller{Name: fmt.Sprint(i), Member: true}, fmt.Sprintf("%s/%d", e.URL, i)) })
		}
		for most.Load() < maxFetches {
			time.Sleep(time.Millisecond)
		}
		s.mu.Lock()
		if n := len(s.flights); n > maxWaiting {
			t.Errorf("%d wait", n)
		}
		s.mu.Unlock()
		close(release)
		wg.Wait()
		if n := most.Load(); n != maxFetches {
			t.Errorf("%d fetches at once, want %d", n, maxFetches)
		}
	})
}

func TestABombIsNotUnpacked(t *testing.T) {
	e := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Encoding", "gzip")
		zip := gzip.NewWriter(w)
		fmt.Fprint(zip, "<title>T</title>")
		for range 64 {
			if _, err := zip.Write(make([]byte, 1<<20)); err != nil {
				return // the reader has had enough
			}
		}
		_ = zip.Close()
	})
	s, _ := local(t, "127.0.0.1")
	if got := card(t, s, ann, e.URL); got.Title != "T" {
		t.Errorf("%+v", got)
	}
}
