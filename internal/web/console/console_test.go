package console_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/identity/mail"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/identity/signin"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testmail"
	"github.com/octavo-docs/octavo/internal/web/server"
	"github.com/octavo-docs/octavo/internal/web/services"
)

// world is a running server with a mail server.
type world struct {
	t    *testing.T
	srv  *server.Server
	mail *testmail.Server
	boot orgs.Bootstrapped
	log  *strings.Builder
}

func newWorld(t *testing.T, o store.Options, set ...func(*server.Config)) *world {
	t.Helper()
	w := &world{t: t, mail: testmail.Start(t), log: &strings.Builder{}}
	sender, err := mail.ParseSMTP(w.mail.URL(), "Octavo <docs@octavo.example>")
	if err != nil {
		t.Fatal(err)
	}
	c := server.Config{
		Settings: services.Settings{Mail: sender, Log: slog.New(slog.DiscardHandler)},
		Listen:   "127.0.0.1:0", Database: o, Files: server.Files{Folder: filepath.Join(t.TempDir(), "files")},
		Version: "test",
	}
	for _, change := range set {
		change(&c)
	}
	if w.srv, err = server.Start(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.srv.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	if w.boot, err = w.srv.Orgs.Operator.Bootstrap(t.Context(), "ada@octavo.example", "Acme", "test"); err != nil {
		t.Fatal(err)
	}
	return w
}

// await waits for a mail and for the end of its job. Until then, another request would have no
// effect.
func (w *world) await(to string, skip int) testmail.Message {
	w.t.Helper()
	m := w.mail.Await(w.t, to, skip)
	for range 3000 {
		counts, err := w.srv.Store.JobCounts(w.t.Context())
		if err != nil {
			w.t.Fatal(err)
		}
		if !slices.ContainsFunc(counts, func(c store.JobCount) bool { return c.Kind == signin.LinkJob }) {
			return m
		}
		time.Sleep(20 * time.Millisecond)
	}
	w.t.Fatal("the job does not end")
	return m
}

// browser keeps cookies and follows redirects.
type browser struct {
	t    *testing.T
	base string
	http *http.Client
}

func (w *world) browser() *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return &browser{w.t, w.srv.URL(), &http.Client{Jar: jar}}
}

type shown struct {
	status int
	path   string
	text   string
	header http.Header
}

func (b *browser) do(req *http.Request) shown {
	b.t.Helper()
	req.Header.Set("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0 Safari/537.36")
	res, err := b.http.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return shown{res.StatusCode, res.Request.URL.RequestURI(), string(text), res.Header}
}

func (b *browser) get(path string) shown {
	b.t.Helper()
	req, err := http.NewRequest(http.MethodGet, b.at(path), nil)
	if err != nil {
		b.t.Fatal(err)
	}
	return b.do(req)
}

func (b *browser) at(path string) string {
	if strings.HasPrefix(path, "http") {
		return path
	}
	return b.base + path
}

func (b *browser) post(path string, headers map[string]string, form ...string) shown {
	b.t.Helper()
	v := url.Values{}
	for i := 0; i < len(form); i += 2 {
		v.Set(form[i], form[i+1])
	}
	req, err := http.NewRequest(http.MethodPost, b.at(path), strings.NewReader(v.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for name, value := range headers {
		req.Header.Set(name, value)
	}
	return b.do(req)
}

var (
	linkIn = regexp.MustCompile(`http\S+/login/link\?key=\S+`)
	csrfIn = regexp.MustCompile(`name="csrf" value="([^"]+)"`)
)

// open opens the link of a mail and submits its form.
func (b *browser) open(m testmail.Message) shown {
	b.t.Helper()
	link := linkIn.FindString(m.Text)
	page := b.get(link)
	if page.status != 200 || !strings.Contains(page.text, "Sign in") && !strings.Contains(page.text, "Use this address") {
		b.t.Fatalf("the link: %d\n%s", page.status, page.text)
	}
	return b.use(m)
}

// use submits the form of a link without opening the page first.
func (b *browser) use(m testmail.Message) shown {
	b.t.Helper()
	_, key, _ := strings.Cut(linkIn.FindString(m.Text), "key=")
	return b.post("/login/link", nil, "key", key)
}

// signIn signs in to the account with an address, by mail.
func (w *world) signIn(b *browser, email string) shown {
	w.t.Helper()
	before := 0
	for _, m := range w.mail.Messages() {
		if m.To == email {
			before++
		}
	}
	if got := b.post("/login", nil, "email", email); got.status != 200 || !strings.Contains(got.text, "Look into your mail") {
		w.t.Fatalf("%d\n%s", got.status, got.text)
	}
	return b.open(w.await(email, before))
}

func csrf(t *testing.T, page shown) string {
	t.Helper()
	m := csrfIn.FindStringSubmatch(page.text)
	if m == nil {
		t.Fatalf("no form of a session: %d %s\n%s", page.status, page.path, page.text)
	}
	return m[1]
}

func each(t *testing.T, test func(t *testing.T, w *world), set ...func(*server.Config)) {
	for name, o := range map[string]func(testing.TB) store.Options{"sqlite": testdb.SQLite, "postgres": testdb.Postgres} {
		t.Run(name, func(t *testing.T) { test(t, newWorld(t, o(t), set...)) })
	}
}

// Without a mail server, the page says so, instead of letting users wait for a mail.
func TestSignInWithoutMailServer(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t))
	b := w.browser()
	b.shows("/login", "Send me a link")
	w.srv.SignIn.Mail = mail.None{}
	if got := b.shows("/login", "cannot send mail", "octavo user login-link"); strings.Contains(got.text, "Send me a link") {
		t.Errorf("a link is offered:\n%s", got.text)
	}
}

func TestSignInByMailAndAccount(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		b := w.browser()
		if got := b.get("/account"); got.path != "/login?next=%2Faccount" || !strings.Contains(got.text, "E-mail address") {
			t.Fatalf("%s\n%s", got.path, got.text)
		}
		page := w.signIn(b, "ada@octavo.example")
		if page.path != "/account" || !strings.Contains(page.text, "Chrome on Linux") || !strings.Contains(page.text, "Acme") {
			t.Fatalf("%d %s\n%s", page.status, page.path, page.text)
		}
		for _, want := range []string{"default-src 'none'", "frame-ancestors 'none'"} {
			if !strings.Contains(page.header.Get("Content-Security-Policy"), want) {
				t.Errorf("no %s in the policy", want)
			}
		}
		token := csrf(t, page)

		page = b.post("/account/profile", nil, "csrf", token, "name", "Ada <b>Lovelace</b>")
		if !strings.Contains(page.text, "Ada &lt;b&gt;Lovelace") || !strings.Contains(page.text, "Your profile was changed.") {
			t.Error(page.text)
		}
		page = b.post("/account/tokens", nil, "csrf", token, "label", "laptop", "access", "read")
		secret := regexp.MustCompile(`octavo_\w+`).FindString(page.text)
		if secret == "" || strings.Contains(b.get("/account").text, secret) {
			t.Error("the secret of a token is shown once")
		}
		if got := b.post("/account/profile", nil, "csrf", "wrong", "name", "x"); got.status != 403 {
			t.Errorf("a form of another session: %d", got.status)
		}
		if got := b.post("/account/profile", map[string]string{"Sec-Fetch-Site": "cross-site"}, "csrf", token, "name", "x"); got.status != 403 {
			t.Errorf("a form of another site: %d", got.status)
		}

		// Sign in with two browsers, and sign out of both at once.
		other := w.browser()
		w.signIn(other, "ada@octavo.example")
		b.post("/account/sessions", nil, "csrf", token)
		for _, one := range []*browser{b, other} {
			if got := one.get("/account"); !strings.HasPrefix(got.path, "/login") {
				t.Errorf("still signed in: %s", got.path)
			}
		}
	})
}

// A link works once and only until it expires. Opening the page does not use it.
func TestLinks(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t))
	b := w.browser()
	b.post("/login", nil, "email", " ADA@octavo.example ", "next", "/v1/user")
	m := w.await("ada@octavo.example", 0)
	if !strings.Contains(m.Text, "works once") || !strings.Contains(m.HTML, "<a href=") {
		t.Errorf("%s\n%s", m.Text, m.HTML)
	}
	b.get(linkIn.FindString(m.Text))
	if got := b.open(m); got.path != "/v1/user" || got.status != 200 {
		t.Errorf("%d %s", got.status, got.path)
	}
	_, key, _ := strings.Cut(linkIn.FindString(m.Text), "key=")
	for _, k := range []string{key, "", "octavol_x"} {
		if got := w.browser().post("/login/link", nil, "key", k); got.status != 404 || !strings.Contains(got.text, "ask for a new one") {
			t.Errorf("%q: %d %s", k, got.status, got.text)
		}
	}
	// An unknown address gets the same response and no mail.
	known := b.post("/login", nil, "email", "ada@octavo.example")
	unknown := b.post("/login", nil, "email", "eve@octavo.example")
	if strings.ReplaceAll(unknown.text, "eve@", "ada@") != known.text || unknown.status != known.status {
		t.Error("the answer reveals whether an address has an account")
	}
	w.await("ada@octavo.example", 1)
	for _, m := range w.mail.Messages() {
		if m.To == "eve@octavo.example" {
			t.Error("a mail to somebody without an account")
		}
	}
}

// The path after a sign-in is a path of this server, and otherwise the account.
func TestNextIsLocal(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t))
	b := w.browser()
	for i, next := range []string{"//evil.example", "/login?next=/x"} {
		b.post("/login", nil, "email", "ada@octavo.example", "next", next)
		if got := b.open(w.await("ada@octavo.example", i)); got.path != "/account" {
			t.Errorf("%q leads to %q", next, got.path)
		}
	}
}

// Only a person who reads the mail of a new address can set it. A mail informs the old address.
func TestChangeOfAddress(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		b := w.browser()
		token := csrf(t, w.signIn(b, "ada@octavo.example"))
		if got := b.post("/account/email", nil, "csrf", token, "email", "nonsense"); got.status != 400 {
			t.Errorf("nonsense: %d", got.status)
		}
		other := w.browser()
		w.signIn(other, "ada@octavo.example")
		b.post("/account/email", nil, "csrf", token, "email", "lovelace@octavo.example")
		m := w.await("lovelace@octavo.example", 0)
		w.browser().post("/login", nil, "email", "ada@octavo.example")
		old := w.await("ada@octavo.example", 2)
		// A stranger who receives the mail for a mistyped address gets no access and no information.
		stranger := w.browser()
		for _, got := range []shown{stranger.get(linkIn.FindString(m.Text)), stranger.use(m)} {
			if got.status != 403 || strings.Contains(got.text, "ada@octavo.example") {
				t.Errorf("a stranger: %d\n%s", got.status, got.text)
			}
		}
		if got := b.get("/account"); !strings.Contains(got.text, `value="ada@octavo.example"`) {
			t.Error("the address was changed without proof")
		}
		if got := b.open(m); !strings.Contains(got.text, `value="lovelace@octavo.example"`) {
			t.Errorf("%d\n%s", got.status, got.text)
		}
		if m := w.await("ada@octavo.example", 3); !strings.Contains(m.Subject, "was changed") {
			t.Error(m.Subject)
		}
		// Links to the old address and earlier sessions do not work any more.
		if got := w.browser().use(old); got.status != 404 {
			t.Errorf("an old link: %d", got.status)
		}
		if got := other.get("/account"); !strings.HasPrefix(got.path, "/login") {
			t.Errorf("a session from before: %s", got.path)
		}
		// An address of another account is refused, and only the reader of its mail learns that.
		if _, err := w.srv.Orgs.Operator.Bootstrap(t.Context(), "grace@octavo.example", "Other", "test"); err != nil {
			t.Fatal(err)
		}
		b.post("/account/email", nil, "csrf", csrf(t, b.get("/account")), "email", "grace@octavo.example")
		if got := b.open(w.await("grace@octavo.example", 0)); got.status != 409 {
			t.Errorf("an address of somebody else: %d", got.status)
		}
	})
}

// A network with too many attempts must wait. Other networks need not.
func TestTries(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t))
	b := w.browser()
	for range 60 {
		b.post("/login/link", nil, "key", "octavol_wrong")
	}
	got := b.post("/login", nil, "email", "ada@octavo.example")
	if got.status != 429 || got.header.Get("Retry-After") == "" {
		t.Errorf("%d", got.status)
	}
}

// An invited user gets a mail and can sign in with it.
func TestInvitation(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		req, err := http.NewRequest(http.MethodPost, w.srv.URL()+"/v1/orgs/"+string(w.boot.Organization)+"/invites",
			strings.NewReader(`{"emails":["bob@octavo.example"],"role":"edit"}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+w.boot.Token)
		req.Header.Set("Content-Type", "application/json")
		if got := w.browser().do(req); got.status != 200 {
			t.Fatal(got.text)
		}
		m := w.await("bob@octavo.example", 0)
		if m.Subject != "ada invites you to Acme" && !strings.HasSuffix(m.Subject, "invites you to Acme") {
			t.Error(m.Subject)
		}
		b := w.browser()
		if got := b.open(m); got.path != "/account" || !strings.Contains(got.text, "Acme") {
			t.Errorf("%s\n%s", got.path, got.text)
		}
		if got := b.get("/v1/user"); !strings.Contains(got.text, "bob@octavo.example") {
			t.Error(got.text)
		}
	})
}

// Browsers that send only the Origin header with a form can sign in.
func TestFormsByOrigin(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t))
	b := w.browser()
	if got := b.get("/login"); got.header.Get("Referrer-Policy") != "same-origin" {
		t.Errorf("the referrer policy %q makes browsers send a null origin", got.header.Get("Referrer-Policy"))
	}
	for origin, want := range map[string]int{w.srv.URL(): 200, "null": 403, "https://evil.example": 403} {
		if got := b.post("/login", map[string]string{"Origin": origin}, "email", "ada@octavo.example"); got.status != want {
			t.Errorf("%s: %d", origin, got.status)
		}
	}
}
