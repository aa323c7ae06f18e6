package scim_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/web/server"
	"github.com/octavo-docs/octavo/internal/web/services"
)

// world is a running server with an organization.
type world struct {
	t     *testing.T
	files string // the folder of the files
	srv   *server.Server
	boot  orgs.Bootstrapped
}

func newWorld(t *testing.T, o store.Options) *world {
	t.Helper()
	files := t.TempDir()
	w := &world{t: t, files: files, srv: start(t, o, files)}
	var err error
	if w.boot, err = w.srv.Orgs.Operator.Bootstrap(t.Context(), "ada@octavo.example", "Acme", "test"); err != nil {
		t.Fatal(err)
	}
	return w
}

// start starts a node whose files are in a folder.
func start(t *testing.T, o store.Options, files string) *server.Server {
	t.Helper()
	srv, err := server.Start(t.Context(), server.Config{
		Settings: services.Settings{Log: slog.New(slog.DiscardHandler)},
		Listen:   "127.0.0.1:0", Database: o, Files: server.Files{Folder: files},
		Version: "test", Quiet: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := srv.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return srv
}

type reply struct {
	status int
	body   map[string]any
}

// text returns a string field of the response.
func (r reply) text(name string) string {
	s, _ := r.body[name].(string)
	return s
}

func request(t *testing.T, method, address, token, body string) reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	req.Header.Set("Content-Type", "application/scim+json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	out := reply{status: res.StatusCode}
	if len(text) > 0 {
		if err := json.Unmarshal(text, &out.body); err != nil {
			t.Fatalf("%s %s: %v in %s", method, address, err, text)
		}
	}
	return out
}

// do sends a request of the directory and checks the status.
func (w *world) do(method, path, body string, status int) reply {
	w.t.Helper()
	r := request(w.t, method, w.srv.URL()+"/scim/v2/"+string(w.boot.Organization)+path, w.boot.Token, body)
	if r.status != status {
		w.t.Fatalf("%s %s %s: %d %v, want %d", method, path, body, r.status, r.body, status)
	}
	if status >= 400 {
		if fmt.Sprint(r.body["schemas"]) != "[urn:ietf:params:scim:api:messages:2.0:Error]" || r.text("status") != fmt.Sprint(status) || r.text("detail") == "" {
			w.t.Fatalf("%s %s: not an error of SCIM: %v", method, path, r.body)
		}
	}
	return r
}

// create provisions a user and returns the id.
func (w *world) create(email string) string {
	w.t.Helper()
	return w.do("POST", "/Users", `{"schemas":["urn:ietf:params:scim:schemas:core:2.0:User"],"userName":"`+email+`","active":true}`, 201).text("id")
}

func (w *world) member(id string) map[string]any {
	w.t.Helper()
	return request(w.t, "GET", w.srv.URL()+"/v1/orgs/"+string(w.boot.Organization)+"/members/"+id, w.boot.Token, "").body
}

func each(t *testing.T, run func(t *testing.T, w *world)) {
	testdb.Each(t, func(t *testing.T, o store.Options) { run(t, newWorld(t, o)) })
}

func TestUsers(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		made := w.do("POST", "/Users", `{
			"schemas": ["urn:ietf:params:scim:schemas:core:2.0:User", "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"],
			"externalId": "00u1", "userName": "Eve@Octavo.Example", "active": true,
			"name": {"givenName": "Eve", "familyName": "Moss"}, "emails": [{"primary": true, "value": "eve@octavo.example", "type": "work"}],
			"roles": [{"value": "edit", "primary": "True"}], "password": "1mz050nq",
			"urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": {"department": "IT"}, "groups": [], "meta": {"resourceType": "User"}}`, 201)
		id := made.text("id")
		if made.text("userName") != "eve@octavo.example" || made.text("externalId") != "00u1" || made.body["active"] != true {
			t.Errorf("made %v", made.body)
		}
		if m, err := w.srv.Store.Member(t.Context(), w.boot.Organization, docs.UserID(id)); err != nil || m.Role != docs.Edit || !m.SSO {
			t.Errorf("the member is %v: %v", m, err)
		}
		w.do("POST", "/Users", `{"userName":"EVE@octavo.example"}`, 409)
		if got := w.do("GET", "/Users/"+id, "", 200); got.text("externalId") != "00u1" {
			t.Errorf("got %v", got.body)
		}
		for _, filter := range []string{`userName eq "EVE@octavo.example"`, `externalId Eq "00u1"`, `urn:ietf:params:scim:schemas:core:2.0:User:userName eq "eve@octavo.example"`} {
			list := w.do("GET", "/Users?startIndex=1&count=100&filter="+url.QueryEscape(filter), "", 200)
			if list.body["totalResults"] != 1.0 || list.body["itemsPerPage"] != 1.0 {
				t.Errorf("%s: %v", filter, list.body)
			}
		}
		for _, filter := range []string{`userName eq "nobody@octavo.example"`, `externalId eq ""`, `userName eq "\u0000"`} {
			if list := w.do("GET", "/Users?filter="+url.QueryEscape(filter), "", 200); list.body["totalResults"] != 0.0 || fmt.Sprint(list.body["Resources"]) != "[]" {
				t.Errorf("%s: %v", filter, list.body)
			}
		}
		for _, filter := range []string{`userName sw "e"`, `password eq "x"`, `userName eq`, `userName eq "a" or userName eq "b"`, `userName eq "` + strings.Repeat("a", 2000) + `"`} {
			if r := w.do("GET", "/Users?filter="+url.QueryEscape(filter), "", 400); r.text("scimType") != "invalidFilter" {
				t.Errorf("%s: %v", filter, r.body)
			}
		}
		first := w.do("GET", "/Users?startIndex=1&count=1", "", 200)
		second := w.do("GET", "/Users?startIndex=2&count=1", "", 200)
		if first.body["totalResults"] != 2.0 || second.body["startIndex"] != 2.0 || fmt.Sprint(first.body["Resources"]) == fmt.Sprint(second.body["Resources"]) {
			t.Errorf("pages: %v, %v", first.body, second.body)
		}
		w.do("GET", "/Users?startIndex=x", "", 400)
		w.do("DELETE", "/Users/"+id, "", 204)
		w.do("GET", "/Users/"+id, "", 404)
		w.do("DELETE", "/Users/"+id, "", 404)
		if again := w.do("POST", "/Users", `{"userName":"eve@octavo.example"}`, 201); again.text("id") != id || again.text("externalId") != "" {
			t.Errorf("after deletion: %v", again.body)
		}
	})
}

// The forms in which directories send a change. Each one deactivates or activates a user.
func TestPatchOfUsers(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		id := w.create("eve@octavo.example")
		active := true
		for name, form := range map[string]string{
			"Okta":                  `{"op":"replace","value":{"active":%s}}`,
			"Entra ID":              `{"op":"Replace","path":"active","value":"%s"}`,
			"with a capital":        `{"op":"Add","path":"active","value":%s}`,
			"with a schema":         `{"op":"replace","path":"urn:ietf:params:scim:schemas:core:2.0:User:active","value":%s}`,
			"with others, not kept": `{"op":"replace","value":{"active":"%s","nickName":"E","name.givenName":"E","urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department":"x"}}`,
		} {
			for range 2 {
				active = !active
				value := fmt.Sprint(active)
				if name == "Entra ID" {
					value = strings.ToUpper(value[:1]) + value[1:]
				}
				r := w.do("PATCH", "/Users/"+id, `{"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"],"Operations":[`+fmt.Sprintf(form, value)+`]}`, 200)
				if r.body["active"] != active || w.member(id)["disabled"] != !active {
					t.Errorf("%s, %v: %v, %v", name, active, r.body, w.member(id))
				}
			}
		}
		for name, op := range map[string]string{
			"no operation":        ``,
			"unknown operation":   `{"op":"move","path":"active","value":false}`,
			"no target":           `{"op":"remove"}`,
			"value of another":    `{"op":"replace","value":7}`,
			"not a truth":         `{"op":"replace","path":"active","value":"perhaps"}`,
			"not a path":          `{"op":"replace","path":"emails[type eq","value":"x"}`,
			"another address":     `{"op":"replace","path":"userName","value":"mallory@octavo.example"}`,
			"no address":          `{"op":"remove","path":"userName"}`,
			"an unknown role":     `{"op":"replace","path":"roles","value":[{"value":"king"}]}`,
			"a long name":         `{"op":"replace","path":"displayName","value":"` + strings.Repeat("x", 65) + `"}`,
			"a text with a zero":  `{"op":"replace","path":"externalId","value":"a\u0000b"}`,
			"the first is undone": `{"op":"replace","path":"active","value":false},{"op":"replace","path":"active","value":[]}`,
		} {
			w.do("PATCH", "/Users/"+id, `{"Operations":[`+op+`]}`, 400)
			if w.member(id)["disabled"] != false {
				t.Errorf("%s changed the member", name)
			}
		}
		w.do("PATCH", "/Users/"+id, `{`, 400)
		w.do("PATCH", "/Users/nobody", `{"Operations":[{"op":"replace","path":"active","value":false}]}`, 404)
		w.do("PUT", "/Users/"+id, `{"userName":"eve@octavo.example","active":false,"externalId":"e"}`, 200)
		if w.member(id)["disabled"] != true {
			t.Error("PUT did not deactivate")
		}
	})
}

// The last admin cannot be removed, because nobody else could authorize the directory.
func TestTheLastAdminStays(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ada := string(w.boot.User)
		w.do("PATCH", "/Users/"+ada, `{"Operations":[{"op":"replace","path":"active","value":false}]}`, 409)
		w.do("PATCH", "/Users/"+ada, `{"Operations":[{"op":"replace","path":"roles","value":[{"value":"read"}]}]}`, 409)
		w.do("DELETE", "/Users/"+ada, "", 409)
		w.do("GET", "/Users", "", 200)
	})
}

// A directory cannot change the name of a user with a verified address, or of a user in another
// organization.
func TestNamesBelongToPeople(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		other, err := w.srv.Orgs.Operator.Bootstrap(t.Context(), "grace@other.example", "Other", "test")
		if err != nil {
			t.Fatal(err)
		}
		for _, email := range []string{"grace@other.example", "ada@octavo.example"} {
			id := string(w.boot.User)
			if email == "grace@other.example" {
				id = w.create(email)
				if id != string(other.User) {
					t.Fatalf("an account was made twice: %s", id)
				}
			}
			w.do("PATCH", "/Users/"+id, `{"Operations":[{"op":"replace","path":"displayName","value":"Mallory"}]}`, 200)
		}
		for _, token := range []string{w.boot.Token, other.Token} {
			if me := request(t, "GET", w.srv.URL()+"/v1/user", token, ""); me.text("displayName") == "Mallory" {
				t.Errorf("a directory renamed %v", me.body)
			}
		}
		eve := w.create("eve@octavo.example")
		w.do("PATCH", "/Users/"+eve, `{"Operations":[{"op":"replace","value":{"name":{"givenName":"Eve","familyName":"Moss"}}}]}`, 200)
		u, err := w.srv.Store.User(t.Context(), other.User)
		if err != nil || u.DisplayName == "Mallory" {
			t.Errorf("%v, %v", u, err)
		}
	})
}

func TestGroups(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		eve, bob := w.create("eve@octavo.example"), w.create("bob@octavo.example")
		team := w.do("POST", "/Groups", `{"schemas":["urn:ietf:params:scim:schemas:core:2.0:Group"],"displayName":"Writers","externalId":"g1","members":[{"value":"`+eve+`"}]}`, 201)
		id := team.text("id")
		w.do("POST", "/Groups", `{"displayName":"writers"}`, 409)
		w.do("POST", "/Groups", `{"members":[]}`, 400)
		w.do("POST", "/Groups", `{"displayName":"half \ud83d"}`, 400)
		w.do("POST", "/Groups", `{"displayName":"Caf\u00e9"}`, 201)
		w.do("POST", "/Groups", `{"displayName":"cafe\u0301"}`, 409)
		in := func() (out []string) {
			for _, m := range w.do("GET", "/Groups/"+id, "", 200).body["members"].([]any) {
				out = append(out, m.(map[string]any)["value"].(string))
			}
			return out
		}
		patch := func(status int, ops string) {
			t.Helper()
			w.do("PATCH", "/Groups/"+id, `{"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"],"Operations":[`+ops+`]}`, status)
		}
		both := []string{eve, bob}
		slices.Sort(both)
		patch(200, `{"op":"Add","path":"members","value":[{"$ref":null,"value":"`+bob+`"},{"value":"`+eve+`"}]}`)
		if got := in(); !slices.Equal(got, both) {
			t.Errorf("after adding: %v", got)
		}
		patch(200, `{"op":"remove","path":"members[value eq \"`+eve+`\"]"}`) // Okta
		if got := in(); !slices.Equal(got, []string{bob}) {
			t.Errorf("after removing: %v", got)
		}
		patch(200, `{"op":"replace","path":"members","value":[{"value":"`+eve+`"}]}`)
		patch(200, `{"op":"Remove","path":"members","value":[{"value":"`+bob+`"}]},{"op":"remove","path":"members","value":[]}`) // Entra ID
		if got := in(); !slices.Equal(got, []string{eve}) {
			t.Errorf("after replacing: %v", got)
		}
		patch(200, `{"op":"replace","value":{"id":"`+id+`","displayName":"Editors"}}`)
		patch(400, `{"op":"add","path":"members","value":[{"value":"nobody"}]}`)
		patch(400, `{"op":"replace","path":"displayName","value":""}`)
		patch(400, `{"op":"add","path":"members","value":[`+strings.Repeat(`{"value":"x"},`, 5000)+`{"value":"x"}]}`)
		for _, query := range []string{`displayName eq "editors"`, `externalId eq "g1"`} {
			list := w.do("GET", "/Groups?excludedAttributes=members&filter="+url.QueryEscape(query), "", 200)
			found := list.body["Resources"].([]any)
			if len(found) != 1 || found[0].(map[string]any)["members"] != nil {
				t.Errorf("%s: %v", query, list.body)
			}
		}
		w.do("PUT", "/Groups/"+id, `{"displayName":"Editors","members":[{"value":"`+bob+`"}]}`, 200)
		if got := in(); !slices.Equal(got, []string{bob}) {
			t.Errorf("after PUT: %v", got)
		}
		patch(200, `{"op":"remove","path":"members"}`)
		if got := w.do("GET", "/Groups/"+id, "", 200); got.body["members"] != nil {
			t.Errorf("after removing all: %v", got.body)
		}
		w.do("DELETE", "/Groups/"+id, "", 204)
		w.do("GET", "/Groups/"+id, "", 404)
		w.do("DELETE", "/Groups/"+id, "", 404)
	})
}

func TestOnlyAdminsAreLetIn(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		other, err := w.srv.Orgs.Operator.Bootstrap(t.Context(), "grace@other.example", "Other", "test")
		if err != nil {
			t.Fatal(err)
		}
		eve := w.create("eve@octavo.example")
		plain, err := w.srv.Orgs.Operator.CreateToken(t.Context(), "eve@octavo.example", orgs.NewToken{Label: "x"})
		if err != nil {
			t.Fatal(err)
		}
		base := w.srv.URL() + "/scim/v2/" + string(w.boot.Organization)
		for token, status := range map[string]int{"": 401, "octavo_x": 401, plain: 403, other.Token: 404} {
			for _, path := range []string{"/Users", "/Groups", "/ServiceProviderConfig", "/Users/" + eve} {
				if r := request(t, "GET", base+path, token, ""); r.status != status {
					t.Errorf("GET %s: %d, want %d", path, r.status, status)
				}
			}
			if r := request(t, "DELETE", base+"/Users/"+eve, token, ""); r.status != status {
				t.Errorf("DELETE: %d, want %d", r.status, status)
			}
		}
		// Users and groups of one organization are not found in another one.
		theirs := w.srv.URL() + "/scim/v2/" + string(other.Organization)
		for _, path := range []string{"/Users/" + eve, "/Groups/" + eve} {
			if r := request(t, "GET", theirs+path, other.Token, ""); r.status != 404 {
				t.Errorf("GET %s: %d", path, r.status)
			}
		}
		if r := request(t, "POST", theirs+"/Groups", other.Token, `{"displayName":"x","members":[{"value":"`+eve+`"}]}`); r.status != 400 {
			t.Errorf("a team with somebody of another organization: %d", r.status)
		}
		w.do("GET", "/Nothing", "", 404)
		machine, err := w.srv.Orgs.ServiceAccounts.Create(t.Context(), authz.OperatorGrant(w.boot.User), w.boot.Organization, "Directory", docs.Guest)
		if err != nil {
			t.Fatal(err)
		}
		w.do("GET", "/Users/"+string(machine.User.ID), "", 404)
		w.do("DELETE", "/Users/"+string(machine.User.ID), "", 404)
		w.do("POST", "/Users", `{"userName":"`+strings.Repeat("a", 2<<20)+`"}`, 400)
	})
}

func TestDiscovery(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		if c := w.do("GET", "/ServiceProviderConfig", "", 200); c.body["patch"].(map[string]any)["supported"] != true {
			t.Errorf("%v", c.body)
		}
		for _, path := range []string{"/ResourceTypes", "/Schemas"} {
			if l := w.do("GET", path, "", 200); l.body["totalResults"] != 2.0 {
				t.Errorf("%s: %v", path, l.body)
			}
		}
		w.do("GET", "/ResourceTypes/User", "", 200)
		w.do("GET", "/ResourceTypes/Car", "", 404)
		w.do("GET", "/Schemas/urn:ietf:params:scim:schemas:core:2.0:Group", "", 200)
		w.do("GET", "/Schemas/x", "", 404)
	})
}

// A deactivated user loses access with the next request, on every node.
func TestDeactivationIsAtOnce(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o)
		second := w.srv
		if o.DatabaseURL != "" {
			second = start(t, o, w.files)
		}
		eve := w.create("eve@octavo.example")
		token, err := w.srv.Orgs.Operator.CreateToken(t.Context(), "eve@octavo.example", orgs.NewToken{Label: "x"})
		if err != nil {
			t.Fatal(err)
		}
		see := func(srv *server.Server) int {
			return request(t, "GET", srv.URL()+"/v1/orgs/"+string(w.boot.Organization), token, "").status
		}
		if see(w.srv) != 200 || see(second) != 200 {
			t.Fatal("a member is not let in")
		}
		w.do("PATCH", "/Users/"+eve, `{"Operations":[{"op":"Replace","path":"active","value":"False"}]}`, 200)
		if a, b := see(w.srv), see(second); a != 404 || b != 404 {
			t.Errorf("somebody who left is let in: %d, %d", a, b)
		}
	})
}

// TestStepsOfAPatch checks that the operations of one request build on each other. It also checks
// the address from which a token was used last.
func TestStepsOfAPatch(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		a, b, c := w.create("a@octavo.example"), w.create("b@octavo.example"), w.create("c@octavo.example")
		team := w.do("POST", "/Groups", `{"displayName":"Docs","members":[{"value":"`+a+`"},{"value":"`+b+`"}]}`, 201).text("id")
		err := w.srv.Store.Do(t.Context(), func(tx *store.Tx) error {
			return tx.PutTeamMember(t.Context(), w.boot.Organization, docs.TeamID(team), docs.UserID(a), docs.TeamOwner)
		})
		if err != nil {
			t.Fatal(err)
		}
		g := w.do("PATCH", "/Groups/"+team, `{"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"],"Operations":[
			{"op":"remove","path":"members"},
			{"op":"add","path":"members","value":[{"value":"`+c+`"},{"value":"`+a+`"}]},
			{"op":"remove","path":"members[value eq \"`+c+`\"]"},
			{"op":"add","path":"members","value":[{"value":"`+c+`"}]},
			{"op":"add","path":"members","value":[{"value":"`+b+`"}]},
			{"op":"remove","path":"members[value eq \"`+b+`\"]"}]}`, 200)
		got := []string{}
		for _, m := range g.body["members"].([]any) {
			got = append(got, m.(map[string]any)["value"].(string))
		}
		want := []string{a, c}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("members %v, want %v", got, want)
		}
		access, err := w.srv.Store.Access(t.Context(), w.boot.Organization, docs.UserID(a))
		if err != nil || access.Teams[docs.TeamID(team)] != docs.TeamOwner {
			t.Errorf("who left and came back in one request is %q, %v", access.Teams[docs.TeamID(team)], err)
		}
		if err := w.srv.Guard.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		tokens, _, err := w.srv.Store.OrgTokens(t.Context(), w.boot.Organization, store.Page{Limit: 10})
		if err != nil || len(tokens) != 1 || tokens[0].LastAddress != "127.0.0.1" {
			t.Errorf("the token was used from %+v, %v", tokens, err)
		}
	})
}

// Names of attributes are case insensitive. A body that has one attribute twice is refused.
func TestAnAttributeTwice(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t))
	id := w.create("eve@octavo.example")
	for range 8 { // a map has no order
		for _, c := range [][3]string{
			{"POST", "/Users", `{"userName":"a@octavo.example","username":"b@octavo.example"}`},
			{"PUT", "/Users/" + id, `{"userName":"eve@octavo.example","urn:ietf:params:scim:schemas:core:2.0:User:UserName":"eve@octavo.example"}`},
			{"PATCH", "/Users/" + id, `{"Operations":[{"op":"replace","value":{"active":false,"Active":true}}]}`},
		} {
			if r := w.do(c[0], c[1], c[2], 400); r.text("scimType") != "invalidSyntax" {
				t.Errorf("%s: %v", c[2], r.body)
			}
		}
		w.do("PUT", "/Users/"+id, `{"userName":"eve@octavo.example","name.familyName":"Moss","name":{"givenName":"Eve"},
			"urn:a:b":1,"urn:a:c":2,"emails[type eq \"work\"].value":"a","emails[type eq \"home\"].value":"b"}`, 200)
	}
}
