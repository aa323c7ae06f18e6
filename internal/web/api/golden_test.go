package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/openapi"
	"github.com/octavo-docs/octavo/internal/testing/golden"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// The description is what clients are written against: every change to it is
// seen in review.
func TestDescription(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t), nil)
	got := bytes.ReplaceAll(w.srv.API.Description(), []byte(w.srv.URL()), []byte("http://localhost:8080"))
	golden.Compare(t, "testdata/openapi.json", withoutExamples(t, got))
	checkDescription(t, got)
	if _, err := openapi.Load(t.Context(), openapi.Bundle{Root: "openapi.json", Files: map[string][]byte{"openapi.json": got}}); err != nil {
		t.Errorf("the server cannot show its own description: %v", err)
	}
	for _, path := range []string{"/openapi.json", "/reference"} {
		if a := w.call("nobody", "GET", path, ""); a.status != 200 || len(a.body) < 10_000 {
			t.Errorf("GET %s: %d, %d bytes", path, a.status, len(a.body))
		}
	}
}

// withoutExamples returns a description without the examples of the operations,
// which have a file of their own.
func withoutExamples(t *testing.T, text []byte) []byte {
	t.Helper()
	var d map[string]any
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	examples := 0
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if _, media := v["schema"]; media && v["example"] != nil {
				delete(v, "example")
				examples++
			}
			for _, v := range v {
				walk(v)
			}
		case []any:
			for _, v := range v {
				walk(v)
			}
		}
	}
	walk(d["paths"])
	if examples < 200 {
		t.Errorf("the description has %d examples", examples)
	}
	b, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(b, '\n')
}

// checkDescription holds what programs that read a description rely on.
func checkDescription(t *testing.T, text []byte) {
	t.Helper()
	var d struct {
		Components struct{ Schemas map[string]any }
		Paths      map[string]map[string]struct {
			OperationID string `json:"operationId"`
			Parameters  []struct{ Name, In string }
		}
	}
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	for name := range d.Components.Schemas {
		if !regexp.MustCompile(`^[a-zA-Z0-9._-]+$`).MatchString(name) {
			t.Errorf("%q cannot be the name of a component", name)
		}
	}
	for path, methods := range d.Paths {
		for _, o := range methods {
			var declared []string
			for _, p := range o.Parameters {
				if p.In == "path" {
					declared = append(declared, "{"+p.Name+"}")
				}
			}
			want := regexp.MustCompile(`\{[^}]*\}`).FindAllString(path, -1)
			slices.Sort(declared)
			slices.Sort(want)
			if !slices.Equal(declared, want) {
				t.Errorf("%s: %s declares the path parameters %v", path, o.OperationID, declared)
			}
		}
	}
}

// Who may do what, as a table: one line for each operation, one column for
// each kind of caller. "ok" is allowed, "403" sees it but may not, "404" does
// not see it. What depends on the input is decided later, by the services.
func TestWhoMayDoWhat(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t), nil)
	f := newFixture(w)
	roles := []string{"guest", "read", "comment", "edit", "review", "create"}
	for _, r := range roles {
		w.addUser(r, r)
	}
	w.addUser("outsider", "-")
	w.addUser("owner", "read")
	w.must("admin", "PUT", "/orgs/$org/teams/$team/members/$user_owner", `{"role":"owner"}`)
	callers := append([]string{"outsider"}, roles...)
	callers = append(callers, "owner", "admin")

	var out bytes.Buffer
	line := func(first string, cells []string) {
		fmt.Fprintf(&out, "%-42s", first)
		for _, c := range cells {
			fmt.Fprintf(&out, " %-8s", c)
		}
		fmt.Fprintln(&out)
	}
	line("operation", callers)
	for _, o := range w.srv.API.Operations() {
		var cells []string
		for _, who := range callers {
			err := w.srv.API.Decide(context.Background(), o.ID, w.tokens[who], func(name string) string { return f.param(name) })
			cells = append(cells, map[errs.Kind]string{errs.Forbidden: "403", errs.NotFound: "404", errs.Unauthenticated: "401"}[errs.KindOf(err)])
			if err == nil {
				cells[len(cells)-1] = "ok"
			}
		}
		line(o.ID, cells)
	}
	trimmed := []byte{}
	for l := range strings.Lines(out.String()) {
		trimmed = append(trimmed, strings.TrimRight(l, " \n")+"\n"...)
	}
	golden.Compare(t, "testdata/permissions.golden", trimmed)
}
