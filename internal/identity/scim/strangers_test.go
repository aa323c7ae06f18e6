package scim_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/store"
)

// stranger makes a person who uses the server in another organization.
func (w *world) stranger(email string) {
	w.t.Helper()
	ctx := w.t.Context()
	made, err := w.srv.Orgs.Operator.Bootstrap(ctx, email, "Elsewhere", "test")
	if err == nil {
		_, err = w.srv.Orgs.Accounts.Update(ctx, authz.OperatorGrant(made.User), made.User, orgs.UserPatch{DisplayName: opt.Of("Dr. Strange"), PhotoURL: opt.Of("https://pictures.test/strange.png")})
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

var (
	changing = regexp.MustCompile(`\d{4}-\d\d-\d\dT[\d:.]+Z|"(request|id)":"[^"]*"`)
	freeID   = regexp.MustCompile(`\b[0-9A-Za-z]{25}\b`)
)

// answers does with an address what an organization can do with somebody who has not accepted, and
// returns what is answered, without what differs for any two people.
func (w *world) answers(local string, provision bool) []string {
	w.t.Helper()
	org, email := "/orgs/"+string(w.boot.Organization), local+"@stranger.example"
	var out []string
	var id string
	ask := func(method, path, body string) reply {
		path = strings.NewReplacer("{id}", id, "{email}", email).Replace(path)
		base := w.srv.URL() + "/v1"
		if strings.HasPrefix(path, "/scim") {
			base = w.srv.URL()
		}
		r := request(w.t, method, base+path, w.boot.Token, strings.NewReplacer("{id}", id, "{email}", email).Replace(body))
		text, err := json.Marshal(r.body)
		if err != nil {
			w.t.Fatal(err)
		}
		line := changing.ReplaceAllString(string(text), "*")
		if id != "" {
			line = strings.ReplaceAll(line, id, "*")
		}
		line = fmt.Sprintf("%s %s: %d %s", method, path, r.status, line)
		out = append(out, strings.ReplaceAll(freeID.ReplaceAllString(line, "*"), local, "LOCAL"))
		return r
	}
	users := "/scim/v2/" + string(w.boot.Organization) + "/Users"
	if provision {
		id = ask("POST", users, `{"userName":"{email}","active":true,"displayName":"Another Name","name":{"formatted":"Another Name"}}`).text("id")
	} else {
		r := ask("POST", org+"/invites", `{"emails":["{email}"],"role":"edit","sso":true}`)
		users, ok := r.body["users"].([]any)
		if !ok || len(users) != 1 {
			w.t.Fatalf("the invitation is answered with %d %v", r.status, r.body)
		}
		id = fmt.Sprint(users[0])
	}
	if len(id) != 25 {
		w.t.Fatalf("the id is %q", id)
	}
	for _, step := range []struct{ method, path, body string }{
		{"POST", org + "/invites", `{"emails":["{email}"]}`},
		{"POST", users, `{"userName":"{email}"}`},
		{"GET", users + "/{id}", ""},
		{"GET", users + "?filter=userName%20eq%20%22{email}%22", ""},
		{"PATCH", users + "/{id}", `{"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"],"Operations":[{"op":"replace","path":"displayName","value":"Third Name"}]}`},
		{"GET", "/users/{id}", ""},
		{"PATCH", "/users/{id}", `{"displayName":"Hacked"}`},
		{"GET", org + "/members/{id}", ""},
		{"GET", org + "/members?search={email}", ""},
		{"GET", org + "/members?search=strange.png", ""},
		{"GET", org + "/members?search=Dr.", ""},
		{"GET", org + "/members?search=Another", ""},
		{"POST", org + "/members/{id}/sso", ""},
		{"POST", org + "/members/{id}/invite", ""},
		{"PATCH", org + "/members/{id}", `{"role":"read"}`},
		{"PUT", org + "/teams", `{"title":"Team of LOCAL","members":["{id}"]}`},
		{"GET", org + "/members/{id}", ""},
		{"PATCH", users + "/{id}", `{"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"],"Operations":[{"op":"replace","path":"active","value":false}]}`},
		{"POST", org + "/members/{id}/invite", ""},
		{"GET", org + "/members/{id}", ""},
		{"GET", org + "/tokens", ""},
		{"GET", org + "/audit?subject={id}", ""},
		{"DELETE", org + "/members/{id}", ""},
		{"GET", "/users/{id}", ""},
		{"POST", org + "/invites", `{"emails":["{email}"],"role":"edit"}`},
		{"GET", org + "/members/{id}", ""},
	} {
		ask(step.method, step.path, step.body)
	}
	return out
}

// What an organization learns of an address that it adds does not show whether it has an account.
func TestAddressesDoNotShowTheirAccounts(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, provision := range []bool{false, true} {
			with, without := fmt.Sprintf("anna%t", provision), fmt.Sprintf("otto%t", provision)
			w.stranger(with + "@stranger.example")
			a, b := w.answers(with, provision), w.answers(without, provision)
			for i := range a {
				if a[i] != b[i] {
					t.Errorf("with an account:    %s\nwithout an account: %s", a[i], b[i])
				}
			}
			of := actions(t, w, with)
			if other := actions(t, w, without); of != other {
				t.Errorf("in the log: %s, %s", of, other)
			}
		}
	})
}

// actions returns the actions on a person in the log of the organization.
func actions(t *testing.T, w *world, local string) string {
	t.Helper()
	u, err := w.srv.Store.UserByEmail(t.Context(), docs.Email(local+"@stranger.example"))
	if err != nil {
		t.Fatal(err)
	}
	rows, _, err := w.srv.Store.Audit(t.Context(), w.boot.Organization, store.AuditFilter{SubjectID: string(u.ID)}, store.Page{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, r := range rows {
		out = append(out, r.Action+strings.ReplaceAll(r.Data, local, "LOCAL"))
	}
	if len(out) < 5 {
		t.Errorf("only %v", out)
	}
	return strings.Join(out, " ")
}

// Ids of people do not show when their accounts were made.
func TestIDsOfPeopleHaveNoTime(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		later := 0
		last := ""
		for i := range 40 {
			id := w.create(fmt.Sprintf("p%d@stranger.example", i))
			if id > last {
				later++
			}
			last = id
		}
		if later > 36 { // of 40 random ids in a row, hardly ever
			t.Errorf("%d of 40 ids are after the one before", later)
		}
	})
}
