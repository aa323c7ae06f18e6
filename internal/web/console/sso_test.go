package console_test

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testsaml"
)

// api sends a request to the API as the first admin and returns the response.
func (w *world) api(method, path string, body any) map[string]any {
	w.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		w.t.Fatal(err)
	}
	req, err := http.NewRequest(method, w.srv.URL()+"/v1"+strings.ReplaceAll(path, "$org", string(w.boot.Organization)), strings.NewReader(string(text)))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+w.boot.Token)
	req.Header.Set("Content-Type", "application/json")
	got := w.browser().do(req)
	out := map[string]any{}
	if err := json.Unmarshal([]byte(got.text), &out); err != nil && got.text != "" || got.status >= 300 {
		w.t.Fatalf("%s %s: %d %s", method, path, got.status, got.text)
	}
	return out
}

// samlWorld has an identity provider of Acme whose responses the test creates.
type samlWorld struct {
	*world
	idp      *testsaml.IdP
	id       string
	path     string
	acs, own string // URLs of the service
}

func newSAML(t *testing.T, w *world, more map[string]any) *samlWorld {
	t.Helper()
	s := &samlWorld{world: w, idp: testsaml.New(t, "https://idp.example/", time.Now())}
	body := map[string]any{"label": "Example", "entityID": "https://idp.example/", "ssoURL": "https://idp.example/sso?tenant=1", "certificate": s.idp.Certificate(), "defaultRole": "edit"}
	for k, v := range more {
		body[k] = v
	}
	p := w.api("POST", "/orgs/$org/saml", body)
	s.id = p["id"].(string)
	s.path = "/saml/" + s.id
	service := p["service"].(map[string]any)
	s.acs, s.own = service["acsURL"].(string), service["entityID"].(string)
	return s
}

var requestID = regexp.MustCompile(`ID="(_[^"]+)"`)

// start begins a sign-in in a browser and returns the id of the request.
func (s *samlWorld) start(b *browser, next string) string {
	s.t.Helper()
	keep := b.http.CheckRedirect
	b.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	defer func() { b.http.CheckRedirect = keep }()
	at := s.path + "/login?next=" + url.QueryEscape(next)
	if ask := b.get(at); ask.status != 200 || !strings.Contains(ask.text, "You sign in to") {
		s.t.Fatalf("nobody is asked first: %d %s", ask.status, ask.text)
	}
	if other := b.post(at, map[string]string{"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}); other.status != 403 {
		s.t.Fatalf("another site begins a sign-in: %d", other.status)
	}
	got := b.post(at, nil)
	to, err := url.Parse(got.header.Get("Location"))
	if err != nil || got.status != http.StatusSeeOther || to.Host != "idp.example" || to.Query().Get("tenant") != "1" {
		s.t.Fatalf("%d %s", got.status, to)
	}
	id := requestID.FindStringSubmatch(inflate(s.t, to.Query().Get("SAMLRequest")))
	if id == nil {
		s.t.Fatal("a request without an id")
	}
	return id[1]
}

// answer returns a valid response to a request.
func (s *samlWorld) answer(request string) testsaml.Answer {
	return testsaml.Answer{
		ACSURL: s.acs, Audience: s.own, InResponseTo: request, NameID: "grace@octavo.example", Now: time.Now(),
		AssertionID: "_" + docs.NewLinkSecret(), Attributes: map[string]string{"first_name": "Grace", "last_name": "Hopper"},
	}
}

// send posts a response as the page of an identity provider does.
func (s *samlWorld) send(b *browser, a testsaml.Answer, relay string) shown {
	s.t.Helper()
	return b.post(s.path+"/acs", map[string]string{"Origin": "https://idp.example", "Sec-Fetch-Site": "cross-site"},
		"SAMLResponse", testsaml.Encode(s.t, s.idp.Respond(s.t, a)), "RelayState", relay)
}

// lastError returns the last error in the settings of the provider.
func (s *samlWorld) lastError() string {
	s.t.Helper()
	e, _ := s.api("GET", "/orgs/$org/saml/"+s.id, nil)["lastError"].(map[string]any)
	text, _ := e["message"].(string)
	return text
}

func TestSignInBySAML(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		team := w.api("PUT", "/orgs/$org/teams", map[string]any{"title": "Staff", "members": []string{}})["id"].(string)
		s := newSAML(t, w, map[string]any{"defaultTeam": team})
		b := w.browser()
		request := s.start(b, "/account?from=saml")
		a := s.answer(request)
		if got := s.send(b, a, "https://evil.example/"); got.status != 200 || got.path != "/account?from=saml" || !strings.Contains(got.text, "Grace Hopper") {
			t.Fatalf("%d %s\n%s", got.status, got.path, got.text)
		}
		members := w.api("GET", "/orgs/$org/members?search=grace@octavo.example", nil)["items"].([]any)
		if len(members) != 1 || members[0].(map[string]any)["role"] != "edit" || members[0].(map[string]any)["sso"] != true {
			t.Errorf("%v", members)
		}
		if of := w.api("GET", "/orgs/$org/teams/"+team+"/members", nil)["items"].([]any); len(of) != 1 {
			t.Errorf("the team has %v", of)
		}

		// The same response again, another assertion for the same request, and one for an unknown
		// request.
		for name, again := range map[string]testsaml.Answer{"replayed": a, "a second answer": s.answer(request), "a foreign request": s.answer("_foreign")} {
			if got := s.send(b, again, ""); got.status != 403 || !strings.Contains(got.text, "used before") {
				t.Errorf("%s: %d %s", name, got.status, got.text)
			}
		}
		if e := s.lastError(); !strings.Contains(e, "does not wait for an answer") {
			t.Error(e)
		}
		// A second sign-in is to the same account, and clears the error.
		second := w.browser()
		if got := s.send(second, s.answer(s.start(second, "")), ""); got.path != "/account" || !strings.Contains(got.text, "Grace Hopper") {
			t.Errorf("%d %s\n%s", got.status, got.path, got.text)
		}
		if e := s.lastError(); e != "" {
			t.Error(e)
		}
		if n := len(w.api("GET", "/orgs/$org/members?search=grace@octavo.example", nil)["items"].([]any)); n != 1 {
			t.Errorf("%d members", n)
		}
	})
}

// A response works only in the browser that began the sign-in. A victim's browser cannot be signed in
// with it.
func TestAnAnswerInAnotherBrowser(t *testing.T) {
	s := newSAML(t, newWorld(t, testdb.SQLite(t)), nil)
	mine, theirs := s.browser(), s.browser()
	request := s.start(mine, "")
	s.start(theirs, "")
	if got := s.send(theirs, s.answer(request), ""); got.status != 403 || !strings.Contains(got.text, "another browser") {
		t.Errorf("%d %s", got.status, got.text)
	}
	if got := theirs.get("/account"); !strings.HasPrefix(got.path, "/login") {
		t.Errorf("signed in: %s", got.path)
	}
}

// A sign-in that begins at the identity provider is refused, unless an admin allows it. Then the user
// must confirm it.
func TestSignInThatBeginsAtTheProvider(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		s := newSAML(t, w, nil)
		b := s.browser()
		if got := s.send(b, s.answer(""), ""); got.status != 403 || !strings.Contains(got.text, "nobody asked") {
			t.Errorf("%d %s", got.status, got.text)
		}
		s.api("PATCH", "/orgs/$org/saml/"+s.id, map[string]any{"idpInitiated": true})
		for i, relay := range []string{"/v1/user", "//evil.example", `/\evil.example`, "https:evil.example", "https://evil.example/"} {
			a := s.answer("")
			b := s.browser()
			got := s.send(b, a, relay)
			if got.status != 200 || !strings.Contains(got.text, "grace@octavo.example") || !strings.HasPrefix(b.get("/account").path, "/login") {
				t.Fatalf("signed in without being asked: %d %s", got.status, got.path)
			}
			key := regexp.MustCompile(`name="key" value="([^"]+)"`).FindStringSubmatch(got.text)[1]
			want := "/account"
			if i == 0 {
				want = relay
			}
			if got := b.post(s.path+"/finish", map[string]string{"Sec-Fetch-Site": "cross-site"}, "key", key); got.status != 403 {
				t.Errorf("confirmed by another site: %d", got.status)
			}
			if got := b.post(s.path+"/finish", nil, "key", key); got.path != want {
				t.Errorf("%q leads to %d %q", relay, got.status, got.path)
			}
			if got := s.send(s.browser(), a, ""); got.status != 403 || !strings.Contains(got.text, "used before") {
				t.Errorf("replayed: %d %s", got.status, got.text)
			}
			if got := b.post(s.path+"/finish", nil, "key", key); got.status != 404 {
				t.Errorf("confirmed twice: %d", got.status)
			}
		}
	})
}

// A provider can assert any name, but cannot take over accounts. Neither unmarked members of its own
// organization nor other users are signed in, however their address is written.
func TestNoTakeover(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		s := newSAML(t, w, nil)
		if _, err := w.srv.Orgs.Operator.Bootstrap(t.Context(), "victim@beta.example", "Beta", "test"); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"ada@octavo.example", "ADA@Octavo.Example", "victim@beta.example", "Victim@BETA.example"} {
			b := s.browser()
			a := s.answer(s.start(b, ""))
			a.NameID = name
			if got := s.send(b, a, ""); got.status != 403 || !strings.HasPrefix(b.get("/account").path, "/login") {
				t.Errorf("%s: %d %s", name, got.status, got.path)
			}
			if e := s.lastError(); !strings.Contains(e, "was not let in") {
				t.Errorf("%s: the admins read %q", name, e)
			}
		}
		for _, name := range []string{"ada", "ａda@octavo.example@", "a b@octavo.example", ""} {
			b := s.browser()
			a := s.answer(s.start(b, ""))
			a.NameID = name
			if got := s.send(b, a, ""); got.status != 403 {
				t.Errorf("%q: %d", name, got.status)
			}
		}
		// A session by a provider is valid for its organization only.
		b := s.browser()
		if got := s.send(b, s.answer(s.start(b, "")), ""); got.status != 200 {
			t.Fatalf("%d %s", got.status, got.text)
		}
		if got := b.get("/v1/orgs"); strings.Contains(got.text, "Beta") || !strings.Contains(got.text, "Acme") {
			t.Error(got.text)
		}
		// Deleting the provider ends its sessions.
		s.api("DELETE", "/orgs/$org/saml/"+s.id, nil)
		if got := b.get("/account"); !strings.HasPrefix(got.path, "/login") {
			t.Errorf("signed in without a provider: %s", got.path)
		}
	})
}

// Admins see how to fix a problem, and users see what happened.
func TestWhatIsWrong(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t))
	s := newSAML(t, w, nil)
	b := s.browser()
	s.start(b, "")
	old := s.idp
	s.idp = testsaml.New(t, old.EntityID, time.Now())
	got := s.send(b, s.answer(s.start(b, "")), "")
	if got.status != 403 || !strings.Contains(got.text, "certificate") || strings.Contains(got.text, "idp.example") {
		t.Errorf("%d %s", got.status, got.text)
	}
	if e := s.lastError(); !strings.Contains(e, "Set the certificate that the identity provider uses now") {
		t.Error(e)
	}
	s.api("PATCH", "/orgs/$org/saml/"+s.id, map[string]any{"certificate": old.Certificate() + s.idp.Certificate()})
	if e := s.lastError(); e != "" {
		t.Errorf("after the change: %s", e)
	}
	for _, idp := range []*testsaml.IdP{old, s.idp} {
		s.idp = idp
		b := s.browser()
		if got := s.send(b, s.answer(s.start(b, "")), ""); got.path != "/account" {
			t.Errorf("%d %s", got.status, got.text)
		}
	}
	late := s.answer(s.start(b, ""))
	late.Now = time.Now().Add(-2 * time.Hour)
	s.send(b, late, "")
	if e := s.lastError(); !strings.Contains(e, "clock") {
		t.Error(e)
	}
	if got := b.post(s.path+"/acs", nil, "SAMLResponse", strings.Repeat("A", 700_000)); got.status != 400 {
		t.Errorf("a large form: %d", got.status)
	}
	for _, path := range []string{"/saml/nobody/login", "/saml/nobody/metadata", s.path + "/finish?key=x", s.path + "/finish"} {
		if got := b.get(path); got.status != 404 {
			t.Errorf("%s: %d", path, got.status)
		}
	}
	s.api("PATCH", "/orgs/$org/saml/"+s.id, map[string]any{"certificate": ""})
	if got := b.get(s.path + "/login"); got.status != 412 || !strings.Contains(got.text, "not set up") {
		t.Errorf("%d %s", got.status, got.text)
	}
}

// The page on which users enter their organization.
func TestChooseOrganization(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t))
	s := newSAML(t, w, nil)
	w.api("PATCH", "/orgs/$org", map[string]any{"hostname": "acme"})
	b := w.browser()
	if got := b.get("/login?next=/v1/user"); !strings.Contains(got.text, `href="/login/sso?next=%2fv1%2fuser"`) {
		t.Error(got.text)
	}
	for _, name := range []string{"acme", " ACME ", string(w.boot.Organization)} {
		if got := b.get("/login/sso?next=/v1/user&org=" + url.QueryEscape(name)); got.status != 200 || !strings.Contains(got.text, s.path+"/login?next=%2fv1%2fuser") {
			t.Errorf("%q: %d %s", name, got.status, got.text)
		}
	}
	if got := b.get("/login/sso?org=nobody"); got.status != 404 || !strings.Contains(got.text, "aria-invalid") {
		t.Errorf("%d", got.status)
	}
}

// A real identity provider, in a separate process, accepts our metadata and signs users in.
func TestSignInAtSAMLIdP(t *testing.T) {
	idp := testsaml.Start(t)
	w := newWorld(t, testdb.SQLite(t))
	fetch := func(method, address, body string) string {
		t.Helper()
		req, err := http.NewRequest(method, address, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode >= 300 {
			t.Fatalf("%s %s: %d %s %v", method, address, res.StatusCode, text, err)
		}
		return string(text)
	}
	const mailAttribute = "urn:oid:0.9.2342.19200300.100.1.3"
	p := w.api("POST", "/orgs/$org/saml", map[string]any{
		"label": "samlidp", "entityID": idp + "/metadata", "ssoURL": idp + "/sso", "certificate": fetch("GET", idp+"/certificate", ""), "signRequests": true,
		"attributes": map[string]string{"email": mailAttribute, "firstName": "urn:oid:2.5.4.42", "lastName": "urn:oid:2.5.4.4"},
	})
	service := p["service"].(map[string]any)
	metadata := fetch("GET", service["entityID"].(string), "")
	if !strings.Contains(metadata, `AuthnRequestsSigned="true"`) || !strings.Contains(metadata, "X509Certificate") {
		t.Error(metadata)
	}
	fetch("PUT", idp+"/services/octavo", metadata)
	fetch("PUT", idp+"/users/grace", `{"name":"grace","password":"secret","email":"Grace@octavo.example","given_name":"Grace","surname":"Hopper"}`)

	b := w.browser()
	form := b.post(service["startURL"].(string), nil)
	field := func(s shown, name string) string {
		t.Helper()
		m := regexp.MustCompile(`name="` + name + `" value="([^"]*)"`).FindStringSubmatch(s.text)
		if m == nil {
			t.Fatalf("no %s in\n%s", name, s.text)
		}
		return strings.NewReplacer("&#43;", "+", "&#34;", `"`).Replace(m[1])
	}
	answer := b.post(idp+"/sso", nil, "user", "grace", "password", "secret", "SAMLRequest", field(form, "SAMLRequest"), "RelayState", field(form, "RelayState"))
	got := b.post(service["acsURL"].(string), map[string]string{"Origin": idp, "Sec-Fetch-Site": "cross-site"}, "SAMLResponse", field(answer, "SAMLResponse"))
	if got.path != "/account" || !strings.Contains(got.text, "Grace Hopper") || !strings.Contains(got.text, "grace@octavo.example") {
		t.Errorf("%d %s\n%s", got.status, got.path, got.text)
	}
}

// inflate returns the decoded request of the redirect binding.
func inflate(t *testing.T, encoded string) string {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(flate.NewReader(bytes.NewReader(b)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Refusals are in the audit log once per hour, however often they occur.
func TestRefusalsAreRecordedEveryHour(t *testing.T) {
	var minutes atomic.Int64
	hour := time.Now().Truncate(time.Hour).Add(time.Hour) // cookies must not have expired
	o := testdb.SQLite(t)
	o.Clock = func() time.Time { return hour.Add(time.Duration(minutes.Load()) * time.Minute) }
	s := newSAML(t, newWorld(t, o), nil)
	for _, c := range []struct{ at, want int64 }{{10, 1}, {50, 1}, {70, 2}, {110, 2}, {125, 3}} {
		minutes.Store(c.at)
		if got := s.browser().post(s.path+"/acs", nil, "SAMLResponse", "eA=="); got.status != 403 {
			t.Fatalf("%d %s", got.status, got.text)
		}
		if n := len(s.logged(s.boot.Organization, "saml.refuse")); n != int(c.want) {
			t.Errorf("after %d minutes: %d entries, want %d", c.at, n, c.want)
		}
	}
}
