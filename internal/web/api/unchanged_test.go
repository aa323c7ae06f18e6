package api_test

import (
	"cmp"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
)

// TestAChangeOfNothing calls every operation that changes what there is with the values that it has. That changes no row
// of the database: no time moves, nothing is written to the audit log, delivered to webhooks or done later.
func TestAChangeOfNothing(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o, nil)
		f := newFixture(w)
		f.owned()
		w.flushUses() // the first use of a token on a day is recorded
		rows := openRows(t, o)
		fields := fieldsOfBodies(t, w)
		asked := 0
		for _, op := range w.srv.API.Operations() {
			sets := op.Method == http.MethodPatch || op.Method == http.MethodPut || setters[op.ID]
			if !sets || makesAnew[op.ID] != "" {
				continue
			}
			asked++
			path, body := f.setting(op)
			set := w.call("admin", op.Method, path, body)
			if set.status >= 300 {
				t.Errorf("%s with %s: %d %s", op.ID, body, set.status, set.body)
				continue
			}
			if read := w.call("admin", http.MethodGet, path, ""); read.status == http.StatusOK {
				set = read
			}
			same := map[string]bool{body: true}
			if op.Method != http.MethodPost {
				same[echo(set, fields[op.ID])] = true
			}
			if op.Method == http.MethodPatch {
				same["{}"] = true
			}
			for body := range same {
				before := rows.all()
				a := w.call("admin", op.Method, path, body)
				if a.status >= 300 && a.status != http.StatusConflict && (body != "{}" || a.status != http.StatusBadRequest) {
					t.Errorf("%s with %s: %d %s", op.ID, body, a.status, a.body)
				}
				if d := difference(before, rows.all()); d != "" {
					t.Errorf("%s with what there is, %s, changes\n%s", op.ID, body, d)
				}
			}
		}
		if asked < 50 {
			t.Errorf("only %d operations were asked", asked)
		}
	})
}

// makesAnew are the operations that do more than set values, and why.
var makesAnew = map[string]string{
	"createCustomFont":                   "makes a font",
	"createOrganizationTeam":             "makes a team",
	"createOrUpdateOpenAPISpecBySlug":    "reads the specification again",
	"uploadToStorage":                    "stores an upload once",
	"dnsRevalidateCustomHostname":        "looks at DNS",
	"updateGlossaryEntries":              "makes entries",
	"overrideSiteSpaceCustomizationById": "what is read is that of the site where nothing is set; sent back, it stays when that of the site changes",
}

// setters are the operations with POST that set values.
var setters = map[string]bool{
	"updateCustomFont": true, "updateSiteAdsById": true, "publishSite": true, "inviteToSpace": true, "inviteToCollection": true, "inviteToSite": true,
	"moveCollection": true, "moveSpace": true, "moveSiteSpace": true, "moveSiteSection": true, "moveSiteSectionGroup": true,
	"addSectionToGroup": true,
}

// ofOwn are what is named in the path or the body of an operation, where that of the isolation test is another's or
// cannot be set.
var ofOwn = map[string]map[string]string{
	"updateUserById":                    {"user_victim": "user_admin"},
	"updateUserPermissionInSpace":       {"user_victim": "user_author"},
	"updateUserPermissionInCollection":  {"user_victim": "user_author"},
	"updateUserPermissionInSite":        {"user_victim": "user_author"},
	"updateMemberInOrganizationById":    {"user_victim": "user_author"},
	"updateMembersInOrganizationTeam":   {"user_mallory": "user_author"},
	"inviteToSpace":                     {"user_mallory": "user_author"},
	"inviteToCollection":                {"user_mallory": "user_author"},
	"inviteToSite":                      {"user_mallory": "user_author"},
	"updateCommentInChangeRequest":      {"comment": "requestcomment"},
	"updateCommentReplyInChangeRequest": {"comment": "requestcomment", "reply": "requestreply"},
}

// valuesOfOwn are bodies for operations that the isolation test calls with one that changes nothing, or cannot.
var valuesOfOwn = map[string]string{
	"setSiteHostname":                   `{"hostname":"docs.acme.test"}`,
	"updateSiteRedirectById":            `{"source":"/other"}`,
	"updateCommentInSpace":              `{"body":{"markdown":"* one\n* [two](/pages/$page)"}}`,
	"updateCommentReplyInSpace":         `{"body":{"markdown":"__one__"}}`,
	"updateCommentInChangeRequest":      `{"body":{"markdown":"one\n\n\ntwo"}}`,
	"updateCommentReplyInChangeRequest": `{"body":{"markdown":"one  \ntwo"},"addedReactions":["1f44d"]}`,
	"updateChangeRequestById":           `{"subject":"pwned","description":{"object":"document","data":{},"nodes":[{"object":"block","type":"paragraph","data":{},"nodes":[{"object":"text","leaves":[{"object":"leaf","text":"one","marks":[]}]}]}]},"status":"draft"}`,
	"connectGitRepository":              `{"url":"https://pwned.example/a.git","ref":"main","credentials":{"username":"u","password":"p"},"webhookSecret":"0123456789abcdef0123456789abcdef"}`,
	"updateWebhook":                     `{"secret":"0123456789abcdef0123456789abcdef","events":["space.*"]}`,
	"updateOIDCProvider":                `{"label":"pwned","clientSecret":"pwned"}`,
	"updateOrganizationSAMLProvider":    `{"label":"pwned","signRequests":true}`,
	"updateSiteMcpServerById":           `{"name":"pwned","headers":{"X-Key":"pwned"}}`,
	"updateSpaceById":                   `{"title":"pwned","emoji":"1f600","mergeRules":{"type":"rules","rules":[{"rule":"require_change_request_subject"}]}}`,
	"updateCollectionById":              `{"title":"pwned","description":"pwned"}`,
	"updateSiteById":                    `{"title":"pwned","visibility":"unlisted","basename":"pwned"}`,
	"updateNotifications":               `{"digest":{"period":"weekly"},"kinds":{"merged":"mail"}}`,
	"moveSpace":                         `{"parent":null}`,
	"moveCollection":                    `{"parent":"$other"}`,
}

// owned makes what ofOwn names.
func (f fixture) owned() {
	w := f.w
	w.must("admin", "POST", "/spaces/$space/change-requests/$request/comments", `{"body":{"markdown":"one"}}`, "requestcomment")
	w.must("admin", "POST", "/spaces/$space/change-requests/$request/comments/$requestcomment/replies", `{"body":{"markdown":"one"}}`, "requestreply")
	w.must("admin", "POST", "/orgs/$org/collections", `{"title":"Other"}`, "other")
	for _, of := range []string{"/spaces/$space", "/collections/$collection", "/orgs/$org/sites/$site"} {
		w.must("admin", "POST", of+"/permissions", `{"role":"comment","users":["$user_author"]}`)
	}
	w.must("admin", "POST", "/orgs/$org/sites/$site/redirects", `{"source":"/pwned","destination":{"kind":"external","url":"https://pwned.example/"}}`)
}

// setting returns the path and the body of an operation that sets values.
func (f fixture) setting(op kernel.OperationInfo) (path, body string) {
	body, known := valuesOfOwn[op.ID]
	if !known {
		body = cmp.Or(bodies[op.ID], "{}")
	}
	was := maps.Clone(f.w.vars)
	defer func() { f.w.vars = was }()
	f.w.vars = maps.Clone(was)
	for name, other := range ofOwn[op.ID] {
		f.w.vars[name] = was[other]
	}
	return f.path(op.Path), f.w.expand(body)
}

// fieldsOfBodies returns the names of the fields of the bodies of all operations, by the ids of the operations.
func fieldsOfBodies(t *testing.T, w *world) map[string][]string {
	t.Helper()
	type schema struct {
		Ref        string `json:"$ref"`
		Properties map[string]json.RawMessage
	}
	var all struct {
		Paths map[string]map[string]struct {
			OperationID string
			RequestBody struct {
				Content map[string]struct{ Schema schema }
			}
		}
		Components struct{ Schemas map[string]schema }
	}
	if err := json.Unmarshal(w.must("nobody", "GET", "/openapi.json", "").body, &all); err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for _, methods := range all.Paths {
		for _, op := range methods {
			s := op.RequestBody.Content["application/json"].Schema
			if name, is := strings.CutPrefix(s.Ref, "#/components/schemas/"); is {
				s = all.Components.Schemas[name]
			}
			out[op.OperationID] = slices.Sorted(maps.Keys(s.Properties))
		}
	}
	return out
}

// echo returns a body with the values that an answer has of the fields of the body.
func echo(a answer, fields []string) string {
	has, _ := a.json().(map[string]any)
	maps.DeleteFunc(has, func(name string, _ any) bool { return !slices.Contains(fields, name) })
	b, err := json.Marshal(has)
	if err != nil || len(has) == 0 {
		return "{}"
	}
	return string(b)
}

// rowsOf reads all rows of a database.
type rowsOf struct {
	t      *testing.T
	db     *sql.DB
	tables []string
}

func openRows(t *testing.T, o store.Options) rowsOf {
	t.Helper()
	driver, address, list := "sqlite", o.Path, `SELECT name FROM sqlite_master WHERE type = 'table'`
	if o.DatabaseURL != "" {
		driver, address, list = "pgx", o.DatabaseURL, `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'`
	}
	db, err := sql.Open(driver, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	r := rowsOf{t, db, nil}
	for _, row := range r.query(list) {
		_, name, _ := strings.Cut(row, "=")
		r.tables = append(r.tables, name)
	}
	return r
}

func (r rowsOf) all() map[string]bool {
	r.t.Helper()
	out := map[string]bool{}
	for _, table := range r.tables {
		for _, row := range r.query(`SELECT * FROM ` + table) {
			out[table+": "+row] = true
		}
	}
	return out
}

func (r rowsOf) query(text string) []string {
	r.t.Helper()
	rows, err := r.db.Query(text)
	if err != nil {
		r.t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		r.t.Fatal(err)
	}
	var out []string
	for rows.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			r.t.Fatal(err)
		}
		var b strings.Builder
		for i, v := range values {
			if name := columns[i]; !passes[name] {
				fmt.Fprintf(&b, " %s=%.300s", name, fmt.Sprint(v))
			}
		}
		out = append(out, b.String())
	}
	if err := rows.Err(); err != nil {
		r.t.Fatal(err)
	}
	return out
}

// difference returns the rows that only one of two states has, at most 12.
func difference(before, after map[string]bool) string {
	var out []string
	for row := range before {
		if !after[row] {
			out = append(out, "- "+row)
		}
	}
	for row := range after {
		if !before[row] {
			out = append(out, "+ "+row)
		}
	}
	slices.Sort(out)
	return strings.Join(out[:min(len(out), 12)], "\n")
}

// passes are columns that change by themselves.
var passes = map[string]bool{"last_used_at": true, "last_seen_at": true}
