package api_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testdb"
)

// fixture is one of everything in Acme, with titles that appear nowhere else.
type fixture struct{ w *world }

const marker = "acme-secret"

// must makes a request that has to succeed, and remembers ids.
func (w *world) must(who, method, path, body string, capture ...string) answer {
	w.t.Helper()
	a := w.call(who, method, w.expand(path), w.expand(body))
	if a.status >= 300 {
		w.t.Fatalf("%s %s as %s: %d %s", method, path, who, a.status, a.body)
	}
	for _, name := range capture {
		w.vars[name], _ = a.json().(map[string]any)["id"].(string)
	}
	return a
}

func newFixture(w *world) fixture {
	w.t.Helper()
	w.addUser("victim", "edit")
	w.must("admin", "PATCH", "/orgs/$org", `{"title":"`+marker+`","hostname":"`+marker+`","emailDomains":["acme.test"]}`)
	w.must("admin", "POST", "/orgs/$org/collections", `{"title":"`+marker+`"}`, "collection")
	w.must("admin", "POST", "/orgs/$org/spaces", `{"title":"`+marker+`","parent":"$collection"}`, "space")
	w.must("admin", "PUT", "/orgs/$org/teams", `{"title":"`+marker+`","members":["$user_victim"]}`, "team")
	w.must("admin", "POST", "/spaces/$space/permissions", `{"role":"read","users":["$user_victim"],"teams":["$team"]}`)
	w.must("admin", "POST", "/collections/$collection/permissions", `{"role":"read","users":["$user_victim"],"teams":["$team"]}`)
	w.must("admin", "POST", "/orgs/$org/link-invites", `{"role":"read"}`, "invite")
	w.must("admin", "POST", "/user/tokens", `{"label":"`+marker+`"}`, "token")
	return fixture{w}
}

// param gives Acme's value of a path parameter.
func (f fixture) param(name string) string {
	v := map[string]string{
		"organizationId": "org", "collectionId": "collection", "spaceId": "space", "teamId": "team",
		"userId": "user_victim", "inviteId": "invite", "tokenId": "token",
	}[name]
	switch name {
	case "emailDomain":
		return "acme.test"
	case "subdomain":
		return marker
	}
	if v == "" {
		f.w.t.Fatalf("the fixture has no %q: a new kind of thing must be part of the isolation test", name)
	}
	return f.w.vars[v]
}

var pathParam = regexp.MustCompile(`\{(\w+)\}`)

func (f fixture) path(pattern string) string {
	return pathParam.ReplaceAllStringFunc(strings.TrimSuffix(pattern, "{$}"), func(p string) string { return f.param(p[1 : len(p)-1]) })
}

// state is all that Acme's admin can see of Acme, the audit log included.
func (f fixture) state() string {
	var all []string
	for _, path := range []string{
		"/orgs/$org", "/orgs/$org/members", "/orgs/$org/teams", "/orgs/$org/teams/$team/members", "/orgs/$org/collections",
		"/orgs/$org/spaces", "/spaces/$space/permissions/users", "/spaces/$space/permissions/teams",
		"/collections/$collection/permissions/users", "/collections/$collection/permissions/teams",
		"/orgs/$org/link-invites", "/orgs/$org/agent-instructions", "/orgs/$org/audit?limit=1000", "/users/$user_victim",
	} {
		all = append(all, string(f.w.must("admin", "GET", path, "").body))
	}
	return strings.Join(all, "\n")
}

// bodies are inputs that are valid as such, so that nothing but the missing
// right stops the operation. An operation that is not here is called with {}.
var bodies = map[string]string{
	"updateUserById":                      `{"displayName":"pwned"}`,
	"createToken":                         `{"label":"mine"}`,
	"createOrganization":                  `{"title":"Mine"}`,
	"updateOrganizationById":              `{"title":"pwned"}`,
	"updateOrganizationAgentInstructions": `{"instructions":{"object":"document","data":{},"nodes":[]}}`,
	"updateMemberInOrganizationById":      `{"role":"admin"}`,
	"inviteUsersToOrganization":           `{"emails":["mallory@beta.test"],"role":"admin"}`,
	"createOrganizationInvite":            `{"role":"admin"}`,
	"updateOrganizationInviteById":        `{"role":"admin"}`,
	"createOrganizationTeam":              `{"title":"pwned"}`,
	"updateTeamInOrganizationById":        `{"title":"pwned"}`,
	"updateMembersInOrganizationTeam":     `{"add":["$user_mallory"]}`,
	"addMemberToOrganizationTeamById":     `{"role":"owner"}`,
	"createCollection":                    `{"title":"pwned"}`,
	"updateCollectionById":                `{"title":"pwned"}`,
	"moveCollection":                      `{"parent":null}`,
	"transferCollection":                  `{"organization":"$beta"}`,
	"createSpace":                         `{"title":"pwned"}`,
	"updateSpaceById":                     `{"title":"pwned"}`,
	"moveSpace":                           `{"parent":null}`,
	"transferSpace":                       `{"organization":"$beta"}`,
	"inviteToSpace":                       `{"role":"admin","users":["$user_mallory"]}`,
	"updateUserPermissionInSpace":         `{"role":"admin"}`,
	"updateTeamPermissionInSpace":         `{"role":"admin"}`,
	"inviteToCollection":                  `{"role":"admin","users":["$user_mallory"]}`,
	"updateUserPermissionInCollection":    `{"role":"admin"}`,
	"updateTeamPermissionInCollection":    `{"role":"admin"}`,
}

// about says how operations answer that are about the caller and not about
// the ids of their path.
var about = map[string]int{
	"getApiInformation":                     http.StatusOK,
	"getAuthenticatedUser":                  http.StatusOK,
	"listTokens":                            http.StatusOK,
	"createToken":                           http.StatusCreated,
	"listOrganizationsForAuthenticatedUser": http.StatusOK,
	"createOrganization":                    http.StatusCreated,
	"getOrganizationsForEmailDomain":        http.StatusForbidden,  // not the caller's domain
	"joinOrganization":                      http.StatusBadRequest, // the contract's answer to a foreign address
	"joinOrganizationWithInvite":            http.StatusPreconditionFailed,
}

// TestIsolation walks every declared operation with a caller of another
// organization and Acme's ids: it must look as if Acme were not there, show
// nothing of it and change nothing in it. (security: two tenants, foreign ids)
func TestIsolation(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o, nil)
		f := newFixture(w)
		// A link is a secret that admits whoever has it; a revoked one does not.
		w.must("admin", "DELETE", "/orgs/$org/link-invites/$invite", "")
		before := f.state()
		for _, op := range w.srv.API.Operations() {
			body := ""
			if op.Method != http.MethodGet && op.Method != http.MethodDelete {
				if body = bodies[op.ID]; body == "" {
					body = "{}"
				}
			}
			a := w.call("mallory", op.Method, f.path(op.Path), w.expand(body))
			want := http.StatusNotFound
			if op.Method == http.MethodDelete {
				want = http.StatusNoContent
			}
			if special, ok := about[op.ID]; ok {
				want = special
			}
			if a.status != want {
				t.Errorf("%s: a foreign caller got %d, want %d: %s", op.ID, a.status, want, a.body)
			}
			if strings.Contains(string(a.body), marker) || strings.Contains(string(a.body), "acme.test") {
				t.Errorf("%s shows Acme to a foreign caller: %s", op.ID, a.body)
			}
		}
		if after := f.state(); after != before {
			t.Errorf("a foreign caller has changed Acme:\nbefore %s\nafter  %s", before, after)
		}
	})
}
