package oidc_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/identity/oidc"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/outbound"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testdns"
	"github.com/octavo-docs/octavo/internal/web/server"
	"github.com/octavo-docs/octavo/internal/web/services"
)

// world is a server with an organization that has a provider.
type world struct {
	t    *testing.T
	srv  *server.Server
	boot orgs.Bootstrapped
	idp  *provider
	id   docs.OIDCProviderID
	team docs.TeamID
}

func newWorld(t *testing.T, o store.Options, operator *oidc.Operator, set ...func(*server.Config)) *world {
	t.Helper()
	w := &world{t: t, idp: newProvider(t)}
	allow, err := outbound.Parse("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	if operator != nil {
		operator.Issuer = w.idp.URL
	}
	c := server.Config{
		Settings: services.Settings{Log: slog.New(slog.DiscardHandler), Outbound: allow, Provider: operator},
		Listen:   "127.0.0.1:0", Database: o, Files: server.Files{Folder: filepath.Join(t.TempDir(), "files")},
		Version: "test", Quiet: true,
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
	by := authz.OperatorGrant(w.boot.User)
	team, err := w.srv.Orgs.Teams.Create(t.Context(), by, w.boot.Organization, "Writers", nil)
	if err != nil {
		t.Fatal(err)
	}
	w.team = team.ID
	p, err := w.srv.OIDC.Create(t.Context(), by, w.boot.Organization, oidc.NewProvider{Issuer: w.idp.URL, Patch: oidc.Patch{
		Label: opt.Of("Login"), ClientID: opt.Of("octavo"), ClientSecret: opt.Of("very-secret"), DefaultRole: opt.Of(docs.Edit),
		GroupsClaim: opt.Of("groups"), Groups: opt.Of(map[string]docs.TeamID{"writers": w.team}),
	}})
	if err != nil {
		t.Fatal(err)
	}
	w.id = p.ID
	return w
}

// browser returns a client that keeps cookies and follows redirects.
func (w *world) browser() *http.Client {
	jar, err := cookiejar.New(nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return &http.Client{Jar: jar}
}

// open returns the final URL after redirects, and the body of the page.
func (w *world) open(b *http.Client, address string) (*url.URL, int, string) {
	w.t.Helper()
	return w.shown(b.Get(address))
}

// begin submits the form that begins a sign-in.
func (w *world) begin(b *http.Client, address string) (*url.URL, int, string) {
	w.t.Helper()
	return w.shown(b.Post(address, "application/x-www-form-urlencoded", nil))
}

func (w *world) shown(res *http.Response, err error) (*url.URL, int, string) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return res.Request.URL, res.StatusCode, string(text)
}

// signIn performs a whole sign-in and reports whether the user is signed in afterwards.
func (w *world) signIn(b *http.Client) bool {
	w.t.Helper()
	at, status, _ := w.begin(b, w.srv.OIDC.StartURL(w.id))
	return status == 200 && at.Path == "/account"
}

func (w *world) member(email docs.Email) (docs.Member, error) {
	u, err := w.srv.Store.UserByEmail(w.t.Context(), email)
	if err != nil {
		return docs.Member{}, err
	}
	return w.srv.Store.Member(w.t.Context(), w.boot.Organization, u.ID)
}

func (w *world) lastError() string {
	p, err := w.srv.Store.OIDCProviderByID(w.t.Context(), w.id)
	if err != nil {
		w.t.Fatal(err)
	}
	return p.LastError
}

func TestSignIn(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o, nil)
		w.idp.says(jwt.MapClaims{"groups": []string{"writers", "others"}}, nil)
		b := w.browser()
		if !w.signIn(b) {
			t.Fatalf("nobody is signed in: %s", w.lastError())
		}
		m, err := w.member("eve@octavo.example")
		if err != nil || m.Role != docs.Edit || !m.SSO || m.User.DisplayName != "Eve Moss" || m.User.Verified || m.Teams != 1 {
			t.Errorf("the member is %+v: %v", m, err)
		}
		// The second sign-in is to the same account, although the address is different. The group is gone,
		// and so is the membership in the team.
		w.idp.says(jwt.MapClaims{"groups": []string{}, "email": "moss@octavo.example"}, nil)
		if !w.signIn(w.browser()) {
			t.Fatalf("nobody is signed in: %s", w.lastError())
		}
		if m, err := w.member("eve@octavo.example"); err != nil || m.Teams != 0 {
			t.Errorf("after the second time: %+v, %v", m, err)
		}
		// A deactivated member is signed out with the next request and cannot sign in again.
		if _, err := w.srv.Orgs.Directory.UpdateUser(t.Context(), authz.OperatorGrant(w.boot.User), w.boot.Organization, m.User.ID, orgs.Person{Active: opt.Of(false)}); err != nil {
			t.Fatal(err)
		}
		if at, _, _ := w.open(b, w.srv.URL()+"/account"); at.Path != "/login" {
			t.Errorf("somebody who left is at %s", at)
		}
		if w.signIn(w.browser()) {
			t.Error("somebody who left signs in")
		}
	})
}

// A provider or an attacker in between may send any response. The unmodified one is accepted, and
// each of these modified ones is not.
func TestRefused(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t), nil)
	if !w.signIn(w.browser()) {
		t.Fatalf("the unmodified answer is refused: %s", w.lastError())
	}
	other := newProvider(t)
	unsigned := func(c jwt.MapClaims) string {
		s, err := jwt.NewWithClaims(jwt.SigningMethodNone, c).SignedString(jwt.UnsafeAllowNoneSignatureType)
		if err != nil {
			t.Error(err)
		}
		return s
	}
	shared := func(c jwt.MapClaims) string {
		s, err := jwt.NewWithClaims(jwt.SigningMethodHS256, c).SignedString([]byte("very-secret"))
		if err != nil {
			t.Error(err)
		}
		return s
	}
	for name, c := range map[string]struct {
		claims jwt.MapClaims
		sign   func(jwt.MapClaims) string
		why    string
	}{
		"alg none":            {nil, unsigned, "not valid"},
		"alg HS256":           {nil, shared, "not valid"},
		"another key":         {nil, other.honest, "not valid"},
		"no signature":        {nil, func(c jwt.MapClaims) string { s := w.idp.honest(c); return s[:strings.LastIndex(s, ".")+1] }, "not valid"},
		"no token":            {nil, func(jwt.MapClaims) string { return "" }, "no ID token"},
		"another issuer":      {jwt.MapClaims{"iss": other.URL}, nil, "not valid"},
		"another audience":    {jwt.MapClaims{"aud": "else"}, nil, "not valid"},
		"two audiences":       {jwt.MapClaims{"aud": []string{"octavo", "else"}}, nil, "azp"},
		"for another client":  {jwt.MapClaims{"azp": "else"}, nil, "azp"},
		"no nonce":            {jwt.MapClaims{"nonce": nil}, nil, "nonce"},
		"another nonce":       {jwt.MapClaims{"nonce": "x"}, nil, "nonce"},
		"expired":             {jwt.MapClaims{"exp": time.Now().Add(-5 * time.Minute).Unix()}, nil, "expired"},
		"not valid yet":       {jwt.MapClaims{"nbf": time.Now().Add(time.Hour).Unix()}, nil, "not valid"},
		"from the future":     {jwt.MapClaims{"iat": time.Now().Add(time.Hour).Unix()}, nil, "future"},
		"nobody":              {jwt.MapClaims{"sub": ""}, nil, "sub"},
		"no address":          {jwt.MapClaims{"email": nil}, nil, "no e-mail address"},
		"address not proved":  {jwt.MapClaims{"email_verified": false}, nil, "not verified"},
		"text, not proved":    {jwt.MapClaims{"email_verified": "false"}, nil, "not verified"},
		"another alphabet":    {jwt.MapClaims{"sub": "x", "email": "аda@octavo.example"}, nil, "that is none"},
		"a letter like K":     {jwt.MapClaims{"sub": "x", "email": "\u212aate@octavo.example"}, nil, "that is none"},
		"somebody's account":  {jwt.MapClaims{"sub": "x", "email": "ada@octavo.example"}, nil, "does not sign in this way"},
		"in capital letters":  {jwt.MapClaims{"sub": "x", "email": "ADA@Octavo.Example"}, nil, "does not sign in this way"},
		"perhaps a member":    {jwt.MapClaims{"sub": "unproved", "email_verified": nil}, nil, "email_verified"},
		"of another namesake": {jwt.MapClaims{"sub": "namesake"}, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w.idp.says(c.claims, c.sign)
			in := w.signIn(w.browser())
			if in != (c.why == "") || !strings.Contains(w.lastError(), c.why) {
				t.Errorf("signed in: %v, because %q", in, w.lastError())
			}
		})
	}
}

// A provider cannot sign in to the account of a person in another organization.
func TestNoOtherOrganization(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t), nil)
	other, err := w.srv.Orgs.Operator.Bootstrap(t.Context(), "grace@other.example", "Other", "test")
	if err != nil {
		t.Fatal(err)
	}
	w.idp.says(jwt.MapClaims{"sub": "grace", "email": "grace@other.example"}, nil)
	if w.signIn(w.browser()) {
		t.Fatal("the provider of an organization signed in somebody of another one")
	}
	if _, err := w.srv.Store.Member(t.Context(), w.boot.Organization, other.User); err == nil {
		t.Error("who was refused is a member")
	}
}

// A response is bound to the browser that began the sign-in and to one provider, and works once.
func TestAnswersAreBound(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t), nil)
	begin := func(b *http.Client, query string) *url.URL {
		t.Helper()
		stop := *b
		stop.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
			if strings.HasSuffix(r.URL.Path, "/callback") {
				return http.ErrUseLastResponse
			}
			return nil
		}
		res, err := stop.Post(w.srv.OIDC.StartURL(w.id)+query, "application/x-www-form-urlencoded", nil)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		to, err := res.Location()
		if err != nil {
			t.Fatal(err)
		}
		return to
	}
	refused := func(name string, b *http.Client, to string) {
		t.Helper()
		if at, status, _ := w.open(b, to); status != 400 && status != 404 || at.Path == "/account" {
			t.Errorf("%s: %s, %d", name, at, status)
		}
	}
	b := w.browser()
	to := begin(b, "")
	refused("a browser that began nothing", w.browser(), to.String())
	other := w.browser()
	begin(other, "")
	refused("another browser", other, to.String())
	refused("after another browser had it", b, to.String())
	to = begin(b, "")
	for name, change := range map[string]func(url.Values){
		"no state": func(q url.Values) { q.Del("state") }, "another state": func(q url.Values) { q.Set("state", "x") },
	} {
		q := to.Query()
		change(q)
		refused(name, b, to.Scheme+"://"+to.Host+to.Path+"?"+q.Encode())
	}
	refused("another provider", b, strings.Replace(to.String(), string(w.id), "other", 1))
	to = begin(b, "")
	q := to.Query()
	q.Set("iss", "https://evil.example")
	refused("another issuer", b, to.Scheme+"://"+to.Host+to.Path+"?"+q.Encode())
	to = begin(b, "")
	q = to.Query()
	q.Set("code", "x")
	refused("another code", b, to.Scheme+"://"+to.Host+to.Path+"?"+q.Encode())
	to = begin(b, "?next="+url.QueryEscape("/account?done=profile"))
	if at, status, _ := w.open(b, to.String()); status != 200 || at.RequestURI() != "/account?done=profile" {
		t.Fatalf("the unmodified answer: %s, %d", at, status)
	}
	refused("a second time", b, to.String())
	for _, next := range []string{"//evil.example", "https://evil.example/", `/\evil.example`, "/login", "javascript:alert(1)"} {
		if at, _, _ := w.begin(w.browser(), w.srv.OIDC.StartURL(w.id)+"?next="+url.QueryEscape(next)); at.Host != strings.TrimPrefix(w.srv.URL(), "http://") || at.Path != "/account" {
			t.Errorf("next %q leads to %s", next, at)
		}
	}
}

// The status of a broken provider has the reason of the failure. The page of the sign-in has less.
func TestBrokenProviders(t *testing.T) {
	for name, c := range map[string]struct {
		discovery func(w http.ResponseWriter, r *http.Request) bool
		why       string
	}{
		"private address": {func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusFound)
			return true
		}, "OCTAVO_OUTBOUND_ALLOW"},
		"another issuer": {func(w http.ResponseWriter, r *http.Request) bool {
			send(w, 200, map[string]any{"issuer": "https://evil.example", "authorization_endpoint": "https://evil.example/a", "token_endpoint": "https://evil.example/t"})
			return true
		}, "https://evil.example"},
		"script as address": {func(w http.ResponseWriter, r *http.Request) bool {
			send(w, 200, map[string]any{"issuer": "http://" + r.Host, "authorization_endpoint": "javascript:alert(1)", "token_endpoint": "https://evil.example/t"})
			return true
		}, "https address"},
		"keys in the clear": {func(w http.ResponseWriter, r *http.Request) bool {
			at := "http://" + r.Host
			send(w, 200, map[string]any{"issuer": at, "authorization_endpoint": at + "/a", "token_endpoint": at + "/t", "jwks_uri": "http://keys.example/k"})
			return true
		}, "https://"},
		"people in the clear": {func(w http.ResponseWriter, r *http.Request) bool {
			at := "http://" + r.Host
			send(w, 200, map[string]any{"issuer": at, "authorization_endpoint": at + "/a", "token_endpoint": at + "/t", "jwks_uri": at + "/k", "userinfo_endpoint": "http://people.example/i"})
			return true
		}, "https://"},
		"no document": {func(w http.ResponseWriter, r *http.Request) bool { http.NotFound(w, r); return true }, "404"},
		"endless document": {func(w http.ResponseWriter, r *http.Request) bool {
			_, _ = io.WriteString(w, `{"issuer":"`+strings.Repeat("x", 3<<20))
			return true
		}, "cannot be used"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, testdb.SQLite(t), nil)
			w.idp.discovery = c.discovery
			at, status, text := w.begin(w.browser(), w.srv.OIDC.StartURL(w.id))
			if status != 400 || !strings.HasSuffix(at.Path, "/login") || strings.Contains(text, "169.254") {
				t.Errorf("%s: %d %s", at, status, text)
			}
			if !strings.Contains(w.lastError(), c.why) {
				t.Errorf("the status is %q", w.lastError())
			}
		})
	}
}

// After a failed discovery, a provider is not contacted for a while.
func TestABrokenProviderIsNotAskedAgainAtOnce(t *testing.T) {
	o := testdb.SQLite(t)
	stopped := time.Now() // so that the result does not depend on the speed of the test
	var later atomic.Bool
	o.Clock = func() time.Time {
		if later.Load() {
			return time.Now().Add(time.Minute)
		}
		return stopped
	}
	w := newWorld(t, o, nil)
	var asked atomic.Int32
	w.idp.discovery = func(rw http.ResponseWriter, r *http.Request) bool {
		if asked.Add(1) > 1 {
			return false
		}
		http.NotFound(rw, r)
		return true
	}
	for range 3 {
		if w.signIn(w.browser()) {
			t.Fatal("signed in at a broken provider")
		}
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("a broken provider was asked %d times", n)
	}
	later.Store(true)
	if !w.signIn(w.browser()) {
		t.Errorf("it works again, but nobody is signed in: %s", w.lastError())
	}
}

// If a provider does not send email_verified, an admin can trust its addresses. That applies only to
// domains that the organization has verified.
func TestTrustedAddresses(t *testing.T) {
	dns := testdns.Start(t)
	w := newWorld(t, testdb.SQLite(t), nil, func(c *server.Config) { c.DNS = dns.Addr })
	by := authz.OperatorGrant(w.boot.User)
	invite := func(email string) {
		t.Helper()
		if _, err := w.srv.Orgs.Members.Invite(t.Context(), by, w.boot.Organization, []orgs.Invitee{{Email: email, Role: docs.Edit}}, true); err != nil {
			t.Fatal(err)
		}
	}
	set := func(trust bool) {
		t.Helper()
		if _, err := w.srv.OIDC.Update(t.Context(), by, w.boot.Organization, w.id, oidc.Patch{TrustEmail: opt.Of(trust)}); err != nil {
			t.Fatal(err)
		}
	}
	domains := func(names ...string) {
		t.Helper()
		if _, err := w.srv.Orgs.Organizations.Update(t.Context(), by, w.boot.Organization, orgs.OrganizationPatch{EmailDomains: opt.Of(names)}); err != nil {
			t.Fatal(err)
		}
	}
	try := func(what, email string, verified any, want bool) {
		t.Helper()
		w.idp.says(jwt.MapClaims{"sub": what, "email": email, "email_verified": verified}, nil)
		if in := w.signIn(w.browser()); in != want {
			t.Errorf("%s: signed in: %v, because %q", what, in, w.lastError())
		}
	}
	for _, email := range []string{"a@acme.test", "b@acme.test", "c@other.test"} {
		invite(email)
	}
	try("without trust", "a@acme.test", nil, false)
	set(true)
	try("a domain that nobody named", "a@acme.test", nil, false)
	domains("acme.test")
	try("a domain that is not proved", "a@acme.test", nil, false)
	list, err := w.srv.Orgs.Domains.List(t.Context(), w.boot.Organization)
	if err != nil || len(list) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	dns.Set(list[0].Record, "octavo-domain-of-somebody-else")
	try("a domain that somebody else proved", "a@acme.test", nil, false)
	dns.Set(list[0].Record, list[0].Value)
	try("a proved domain", "a@acme.test", nil, true)
	try("another domain", "c@other.test", nil, false)
	try("an address that is not verified", "b@acme.test", false, false)
	try("ada, whom nobody marked", "ada@octavo.example", nil, false)
	set(false)
	try("trust that was taken back", "b@acme.test", nil, false)
}

// email_verified counts only for the address in the same document: the ID token and the userinfo
// endpoint may have different addresses.
func TestWhatIsVerifiedIsOneAddress(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t), nil)
	by := authz.OperatorGrant(w.boot.User)
	if _, err := w.srv.Orgs.Members.Invite(t.Context(), by, w.boot.Organization, []orgs.Invitee{{Email: "bob@octavo.example", Role: docs.Admin}}, true); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name     string
		token    jwt.MapClaims
		info     map[string]any
		signedIn bool
	}{
		{"another address is verified", jwt.MapClaims{"email": "bob@octavo.example", "email_verified": nil}, map[string]any{"email": "eve@octavo.example", "email_verified": true}, false},
		{"no address is verified", jwt.MapClaims{"email": nil, "email_verified": true}, map[string]any{"email": "bob@octavo.example"}, false},
		{"the address is not verified", jwt.MapClaims{"email": "bob@octavo.example", "email_verified": nil}, map[string]any{"email": "bob@octavo.example", "email_verified": false}, false},
		{"the address is verified", jwt.MapClaims{"email": "bob@octavo.example", "email_verified": nil}, map[string]any{"email": "bob@octavo.example", "email_verified": true}, true},
	} {
		c.token["sub"], c.info["sub"] = c.name, c.name
		w.idp.mu.Lock()
		w.idp.info = c.info
		w.idp.mu.Unlock()
		w.idp.says(c.token, nil)
		if in := w.signIn(w.browser()); in != c.signedIn {
			t.Errorf("%s: signed in: %v, because %q", c.name, in, w.lastError())
		}
	}
}

// The operator's provider neither creates nor signs in to accounts by address, unless the
// operator trusts its addresses.
func TestProviderOfTheServer(t *testing.T) {
	for _, trusted := range []bool{false, true} {
		w := newWorld(t, testdb.SQLite(t), &oidc.Operator{Label: "Work", ClientID: "octavo", ClientSecret: "very-secret", TrustEmail: trusted})
		p, _ := w.srv.OIDC.Instance()
		w.id = p.ID
		if _, _, text := w.open(w.browser(), w.srv.URL()+"/login"); !strings.Contains(text, "Sign in with Work") {
			t.Error("the page to sign in does not offer the provider")
		}
		// Otherwise somebody could create an account for the unverified address of another person.
		if in := w.signIn(w.browser()); in != trusted {
			t.Errorf("trusted: %v, a new person is signed in: %v", trusted, in)
		}
		w.idp.says(jwt.MapClaims{"sub": "ada", "email": "ada@octavo.example"}, nil)
		if in := w.signIn(w.browser()); in != trusted {
			t.Errorf("trusted: %v, signed in to an account that exists: %v", trusted, in)
		}
		w.idp.says(jwt.MapClaims{"sub": "ada2", "email": "ada@octavo.example", "email_verified": nil}, nil)
		if w.signIn(w.browser()) {
			t.Error("an address that nobody proved signs in to an account")
		}
	}
}

// Failures are in the audit log once per hour, however often they occur.
func TestFailuresAreRecordedEveryHour(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		var minutes atomic.Int64
		hour := time.Now().Truncate(time.Hour).Add(time.Hour) // cookies must not have expired
		o.Clock = func() time.Time { return hour.Add(time.Duration(minutes.Load()) * time.Minute) }
		w := newWorld(t, o, nil)
		w.idp.says(jwt.MapClaims{"aud": "another"}, nil)
		for _, c := range []struct{ at, want int64 }{{10, 1}, {50, 1}, {70, 2}, {110, 2}, {125, 3}} {
			minutes.Store(c.at)
			if w.signIn(w.browser()) {
				t.Fatal("signed in")
			}
			lines, _, err := w.srv.Store.Audit(t.Context(), w.boot.Organization, store.AuditFilter{Action: "oidc.failure"}, store.Page{Limit: 10})
			if err != nil || int64(len(lines)) != c.want {
				t.Errorf("after %d minutes: %d entries, %v; want %d", c.at, len(lines), err, c.want)
			}
		}
	})
}

// canceling is a log handler that cancels a request.
type canceling struct {
	slog.Handler
	cancel func()
}

func (c canceling) Enabled(context.Context, slog.Level) bool  { return true }
func (c canceling) Handle(context.Context, slog.Record) error { c.cancel(); return nil }

// A failure is stored even if the browser does not wait for the response.
func TestAFailureIsStoredWithoutItsRequest(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o, nil)
		w.idp.discovery = func(rw http.ResponseWriter, r *http.Request) bool { http.NotFound(rw, r); return true }
		ctx, cancel := context.WithCancel(t.Context())
		w.srv.OIDC.Log = slog.New(canceling{slog.DiscardHandler, cancel})
		if _, err := w.srv.OIDC.Begin(ctx, w.id, oidc.Start{Browser: "b"}); err == nil || ctx.Err() == nil {
			t.Fatalf("the sign-in began: %v", err)
		}
		if got := w.lastError(); !strings.Contains(got, "404") {
			t.Errorf("the status is %q", got)
		}
	})
}
