package api_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// visitorOf returns an actor with a content token of a published site, for the
// header Authorization.
func (w *world) visitorOf(who, org, site string) string {
	w.t.Helper()
	a := w.must(who, "GET", "/orgs/"+org+"/sites/"+site, "")
	urls, _ := a.json().(map[string]any)["urls"].(map[string]any)
	home, _ := urls["published"].(string)
	a = w.must("nobody", "POST", "/urls/published", `{"url":"`+home+`"}`)
	token, _ := a.json().(map[string]any)["apiToken"].(string)
	if token == "" {
		w.t.Fatalf("%s: %s", home, a.body)
	}
	return "Authorization: Bearer " + token
}

// Answers to questions quote operations on computed pages.
func TestAnswersQuoteOperations(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o, nil)
		w.must("admin", "PUT", "/orgs/$org/openapi/petstore",
			`{"source":{"text":"openapi: 3.0.3\ninfo: {title: Pets, version: '1'}\npaths:\n  /pets:\n    get: {operationId: listPets, summary: List pets, responses: {'200': {description: OK}}}\n"}}`)
		w.processSpecs()
		w.must("admin", "POST", "/orgs/$org/spaces",
			`{"title":"API","template":{"id":"api-reference","params":{"contentRefs":{"spec":{"kind":"openapi","spec":"petstore"}}}}}`, "space")
		w.must("admin", "POST", "/orgs/$org/sites", `{"title":"Docs","spaces":["$space"]}`, "site")
		w.must("admin", "POST", "/orgs/$org/sites/$site/publish", "")
		a := w.call("nobody", "POST", w.expand("/orgs/$org/sites/$site/ask?format=markdown"), `{"question":"List pets?"}`, w.visitorOf("admin", "$org", "$site"))
		if a.status != http.StatusOK || !strings.Contains(string(a.body), `List pets**\n\n\u003e GET /pets`) {
			t.Errorf("the answer is %d: %s", a.status, a.body)
		}
	})
}

// TestIsolationOfVisitors walks every operation with the content token of
// another site and Acme's ids, and then with one of Acme's own site: the first
// sees nothing of Acme, the second only what the site shows.
func TestIsolationOfVisitors(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o, nil)
		f := newFixture(w)
		w.must("mallory", "POST", "/orgs/$beta/spaces", `{"title":"Theirs"}`, "theirs")
		w.must("mallory", "POST", "/orgs/$beta/sites", `{"title":"Theirs","spaces":["$theirs"]}`, "foreign")
		w.must("mallory", "POST", "/orgs/$beta/sites/$foreign/publish", "")
		foreign, own := w.visitorOf("mallory", "$beta", "$foreign"), w.visitorOf("admin", "$org", "$site")
		before := f.state()
		for _, op := range w.srv.API.Operations() {
			if op.Public {
				continue
			}
			body := ""
			if op.Method != http.MethodGet && op.Method != http.MethodDelete {
				if body = bodies[op.ID]; body == "" {
					body = "{}"
				}
			}
			refused := func(who string, a answer) {
				switch a.status {
				case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound:
				case http.StatusNoContent:
					if op.Method == http.MethodDelete {
						return
					}
					fallthrough
				default:
					t.Errorf("%s: %s got %d: %s", op.ID, who, a.status, a.body)
				}
			}
			path := f.path(op.Path) + queries[op.ID]
			a := w.call("nobody", op.Method, path, w.expand(body), foreign)
			refused("a visitor of another site", a)
			if strings.Contains(string(a.body), marker) || strings.Contains(string(a.body), "acme.test") {
				t.Errorf("%s shows Acme to a visitor of another site: %s", op.ID, a.body)
			}
			a = w.call("nobody", op.Method, path, w.expand(body), own)
			if !strings.Contains(op.Needs, "visitor") {
				refused("a visitor", a)
			}
			if strings.Contains(string(a.body), "acme.test") || strings.Contains(string(a.body), w.vars["user_victim"]) {
				t.Errorf("%s shows people to a visitor: %s", op.ID, a.body)
			}
		}
		if after := f.state(); after != before {
			t.Errorf("a visitor has changed Acme:\nbefore %s\nafter  %s", before, after)
		}
	})
}

// signed returns a visitor token as the owner of a site would make it.
func signed(header, key string, claims map[string]any) string {
	body, _ := json.Marshal(claims)
	text := base64.RawURLEncoding.EncodeToString([]byte(header)) + "." + base64.RawURLEncoding.EncodeToString(body)
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(text))
	return text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

const hs256 = `{"alg":"HS256","typ":"JWT"}`

// TestAccessOfVisitorsEndsWithTheNextRequest publishes a space for each audience,
// and takes back what lets a visitor in.
func TestAccessOfVisitorsEndsWithTheNextRequest(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o, nil)
		at := "/orgs/$org/sites/$site"
		field := func(a answer, names ...string) string {
			v := a.json()
			for _, name := range names {
				v = v.(map[string]any)[name]
			}
			s, _ := v.(string)
			return s
		}
		begin := func(visibility string) (home string) {
			w.must("admin", "POST", "/orgs/$org/spaces", `{"title":"Docs"}`, "space")
			w.must("admin", "POST", "/orgs/$org/sites", `{"title":"Site","visibility":"`+visibility+`","spaces":["$space"]}`, "site")
			return field(w.must("admin", "POST", at+"/publish", ""), "urls", "published")
		}
		arrive := func(url, more string) answer {
			return w.call("nobody", "POST", "/urls/published", `{"url":"`+url+`"`+more+`}`)
		}
		reads := func(token string) int {
			return w.call("nobody", "GET", w.expand("/spaces/$space/content"), "", "Authorization: Bearer "+token).status
		}
		ends := func(what, token, method, path, body string) {
			t.Helper()
			if got := reads(token); got != http.StatusOK {
				t.Fatalf("%s: before, a visitor gets %d", what, got)
			}
			w.must("admin", method, path, body)
			if got := reads(token); got != http.StatusNotFound {
				t.Errorf("%s: after it, a visitor gets %d", what, got)
			}
		}

		home := begin("public")
		token := field(arrive(home, ""), "apiToken")
		item := w.must("admin", "GET", at+"/site-spaces", "").json().(map[string]any)["items"].([]any)[0].(map[string]any)["id"].(string)
		ends("a condition", token, "PATCH", at+"/site-spaces/"+item, `{"condition":"visitor.claims.nobody"}`)
		w.must("admin", "PATCH", at+"/site-spaces/"+item, `{"condition":null}`)
		ends("another audience", token, "PATCH", at, `{"visibility":"visitor-auth"}`)
		w.must("admin", "PATCH", at, `{"visibility":"unlisted"}`)
		ends("unpublishing", token, "POST", at+"/unpublish", "")
		w.must("admin", "POST", at+"/publish", "")
		ends("the trash", token, "DELETE", "/spaces/$space", "")
		w.must("admin", "POST", "/spaces/$space/restore", "")
		ends("taking the space off the site", token, "DELETE", at+"/site-spaces/"+item, "")

		home = begin("share-link")
		link := w.must("admin", "POST", at+"/share-links", `{"name":"Partners"}`, "link")
		shared := field(link, "urls", "published")
		for url, want := range map[string]int{home: 404, home + "guess/": 404, shared: 200, shared + "no/such/page": 200} {
			if got := arrive(url, "").status; got != want {
				t.Errorf("%s: %d, want %d", url, got, want)
			}
		}
		token = field(arrive(shared, ""), "apiToken")
		ends("revoking the link", token, "PATCH", at+"/share-links/$link", `{"active":false}`)
		if got := arrive(shared, "").status; got != http.StatusNotFound {
			t.Errorf("a revoked link: %d", got)
		}

		home = begin("visitor-auth")
		w.must("admin", "PATCH", at+"/publishing/auth", `{"backend":"custom","fallbackURL":"https://login.example/in?from=docs"}`)
		key := field(w.must("admin", "GET", at+"/publishing/auth", ""), "privateKey")
		exp := time.Now().Add(time.Hour).Unix()
		login := arrive(home+"a/b", "")
		if to := field(login, "redirect"); field(login, "target") != "external" || field(login, "site") != w.vars["site"] ||
			!strings.HasPrefix(to, "https://login.example/in?") || !strings.Contains(to, "location=%2Fs%2F"+w.vars["site"]+"%2Fa%2Fb") {
			t.Errorf("without a token: %s", login.body)
		}
		for what, bad := range map[string]string{
			"expired":     signed(hs256, key, map[string]any{"exp": time.Now().Add(-time.Hour).Unix()}),
			"endless":     signed(hs256, key, map[string]any{"name": "x"}),
			"another key": signed(hs256, strings.Repeat("0", len(key)), map[string]any{"exp": exp}),
			"alg none":    signed(`{"alg":"none"}`, "", map[string]any{"exp": exp}),
			"alg RS256":   signed(`{"alg":"RS256"}`, key, map[string]any{"exp": exp}),
			"no token":    "x.y.z",
		} {
			if a := arrive(home, `,"visitor":{"jwtToken":"`+bad+`"}`); a.status != http.StatusUnauthorized {
				t.Errorf("%s: %d %s", what, a.status, a.body)
			}
			if a := arrive(home, `,"redirectOnError":true,"visitor":{"jwtToken":"`+bad+`"}`); field(a, "target") != "external" {
				t.Errorf("%s, with a redirect: %d %s", what, a.status, a.body)
			}
		}
		good := signed(hs256, key, map[string]any{"exp": exp, "plan": "pro"})
		for token, reason := range map[string]string{
			signed(hs256, key, map[string]any{"exp": time.Now().Add(-time.Hour).Unix()}): "has expired",
			signed(hs256, strings.Repeat("0", len(key)), map[string]any{"exp": exp}):     "is not signed with this site's key",
			signed(`{"alg":"none"}`, "", map[string]any{"exp": exp}):                     "is not signed with HS256",
			good: "The sign-in token is accepted",
		} {
			why := w.must("admin", "GET", at+"/explain?url="+home+"&token="+token, "")
			if step := why.json().(map[string]any)["steps"].([]any)[2].(map[string]any); step["passed"] != (token == good) || !strings.Contains(step["reason"].(string), reason) {
				t.Errorf("%s is not explained: %s", reason, why.body)
			}
		}
		token = field(arrive(home, `,"visitor":{"jwtToken":"`+good+`"}`), "apiToken")
		ends("another private key", token, "POST", at+"/publishing/auth/regenerate", "")
		if a := arrive(home, `,"visitor":{"jwtToken":"`+good+`"}`); a.status != http.StatusUnauthorized {
			t.Errorf("a token of the old key: %d %s", a.status, a.body)
		}
	})
}
