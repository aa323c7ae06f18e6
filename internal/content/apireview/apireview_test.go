package apireview_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/reviews"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/jobs"
	"github.com/octavo-docs/octavo/internal/openapi/apispec"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/spaces"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testservices"
	"github.com/octavo-docs/octavo/internal/web/services"
)

// world is an organization with a description and a space for its change requests.
type world struct {
	t     *testing.T
	sv    *services.Services
	by    authz.Actor
	org   docs.OrgID
	space docs.SpaceID
}

func newWorld(t *testing.T, o store.Options) *world {
	t.Helper()
	w := &world{t: t, sv: testservices.New(t, testdb.Open(t, o), services.Settings{})}
	b, err := w.sv.Orgs.Operator.Bootstrap(t.Context(), "ada@octavo.example", "Acme", "test")
	w.ok(err)
	w.by, w.org = authz.Actor{User: b.User}, b.Organization
	sp, _, err := w.sv.Spaces.Create(t.Context(), w.admin(), spaces.NewSpace{Title: "Reference"})
	w.ok(err)
	w.space = sp.ID
	return w
}

func (w *world) ok(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) admin() *authz.Grant {
	w.t.Helper()
	g, err := authz.OnBehalfInOrg(w.t.Context(), w.sv.Store, w.by, authz.CreateOpenAPISpec, w.org)
	w.ok(err)
	return g
}

func (w *world) editor(a authz.Action) *authz.Grant {
	w.t.Helper()
	g, err := authz.OnBehalf(w.t.Context(), w.sv.Store, w.by.User, a, w.space)
	w.ok(err)
	return g
}

// publish sets the description and runs the jobs that this enqueues.
func (w *world) publish(operations ...string) {
	w.t.Helper()
	paths := map[string]any{}
	for _, name := range operations {
		paths["/"+name] = map[string]any{"get": map[string]any{"operationId": name, "responses": map[string]any{"200": map[string]any{"description": "ok"}}}}
	}
	text, err := json.Marshal(map[string]any{"openapi": "3.0.3", "info": map[string]any{"title": "Pets", "version": "1"}, "paths": paths})
	w.ok(err)
	_, _, err = w.sv.APISpecs.Put(w.t.Context(), w.admin(), "pets", apispec.Source{Text: string(text)})
	w.ok(err)
	r := jobs.New(w.sv.Store, slog.New(slog.DiscardHandler))
	r.Handle(apispec.ProcessJob, w.sv.APISpecs.Process)
	r.Handle(apispec.RequestJob, w.sv.APIReviews.Open)
	spec, err := w.sv.APISpecs.Spec(w.t.Context(), w.org, "pets")
	w.ok(err)
	for _, kind := range []string{apispec.ProcessJob, apispec.RequestJob} {
		_, err := r.RunOnly(w.t.Context(), kind, string(spec.ID))
		w.ok(err)
	}
}

// requests returns the change requests of the space, oldest first.
func (w *world) requests() string {
	w.t.Helper()
	list, _, err := w.sv.Store.ChangeRequests(w.t.Context(), store.ChangeRequestFilter{Space: w.space, ByCreation: true}, store.Page{Limit: 10})
	w.ok(err)
	var out []string
	for _, cr := range list {
		out = append([]string{fmt.Sprintf("%d %s %s (%d/%d)", cr.Number, cr.Status, cr.Subject, cr.API.Breaking, cr.API.Changes)}, out...)
	}
	return strings.Join(out, "; ")
}

func (w *world) same(got, want string) {
	w.t.Helper()
	if got != want {
		w.t.Errorf("%q instead of %q", got, want)
	}
}

func TestVersionsOpenChangeRequests(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o)
		ctx := t.Context()
		w.publish("list")
		w.publish("list", "read")
		w.same(w.requests(), "") // nobody has asked for any
		_, err := w.sv.APISpecs.Update(ctx, w.admin(), "pets", apispec.Patch{RequestSpace: opt.Of(w.space)})
		w.ok(err)
		w.publish("list", "read")
		w.same(w.requests(), "") // the same version
		w.publish("list", "read", "[x](https://evil.example)")
		w.same(w.requests(), "1 open API pets: 1 change (0/1)")
		cr, err := w.sv.Store.ChangeRequest(ctx, w.space, "1")
		w.ok(err)
		if !strings.Contains(cr.Description, `\[x](https\://evil`) {
			t.Errorf("the description is %q", cr.Description)
		}

		w.publish("read") // the open request follows
		w.same(w.requests(), "1 open API pets: 1 change, 1 of them breaking (1/1)")

		// A rule about it.
		rules := docs.MergeRules{Type: docs.MergeOwn, Rules: []docs.MergeRule{{Rule: "custom", Expression: "openapi.breaking == 0", Message: "the API breaks clients"}}}
		_, _, err = w.sv.Spaces.Update(ctx, w.editor(authz.AdminSpace), spaces.SpacePatch{MergeRules: opt.Of(rules)})
		w.ok(err)
		if _, err := w.sv.Reviews.Merge(ctx, w.editor(authz.ReviewSpace), "1"); !errs.Is(err, errs.Precondition) || !strings.Contains(err.Error(), "breaks clients") {
			t.Errorf("merged: %v", err)
		}
		own := "What to write."
		_, err = w.sv.Reviews.Update(ctx, w.editor(authz.EditSpace), "1", reviews.Patch{Subject: opt.Of(own)})
		w.ok(err)
		w.publish("list", "read", "write")
		w.same(w.requests(), "1 open What to write. (0/1)") // what somebody wrote stays
		_, err = w.sv.Reviews.Merge(ctx, w.editor(authz.ReviewSpace), "1")
		w.ok(err)

		w.publish("list", "read", "write", "delete") // compared with what was merged
		w.same(w.requests(), "1 merged What to write. (0/1); 2 open API pets: 1 change (0/1)")
	})
}

// Changes that were not accepted are compared again.
func TestArchivedRequestsHideNothing(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o)
		w.publish("list", "read", "write")
		_, err := w.sv.APISpecs.Update(t.Context(), w.admin(), "pets", apispec.Patch{RequestSpace: opt.Of(w.space)})
		w.ok(err)
		w.publish("list", "read")
		archive := func(number string) {
			t.Helper()
			_, err := w.sv.Reviews.Update(t.Context(), w.editor(authz.EditSpace), number, reviews.Patch{Status: docs.ChangeArchived})
			w.ok(err)
		}
		archive("1")
		w.publish("list", "read", "new")
		w.same(w.requests(), "1 archived API pets: 1 change, 1 of them breaking (1/1); 2 open API pets: 2 changes, 1 of them breaking (1/2)")
		_, err = w.sv.Reviews.Merge(t.Context(), w.editor(authz.ReviewSpace), "2")
		w.ok(err)
		w.publish("list", "new")
		archive("3")
		w.publish("list", "new", "other")
		w.same(w.requests(), "1 archived API pets: 1 change, 1 of them breaking (1/1); 2 merged API pets: 2 changes, 1 of them breaking (1/2); "+
			"3 archived API pets: 1 change, 1 of them breaking (1/1); 4 open API pets: 2 changes, 1 of them breaking (1/2)")
	})
}

// A long changelog is cut, so the request has a description and follows the versions.
func TestLongChangelogs(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t))
	w.publish("list")
	_, err := w.sv.APISpecs.Update(t.Context(), w.admin(), "pets", apispec.Patch{RequestSpace: opt.Of(w.space)})
	w.ok(err)
	var names []string
	for i := range 150 {
		names = append(names, fmt.Sprintf("%d%s", i, strings.Repeat("<*_क", 250)))
	}
	w.publish(append(names, "list")...)
	w.same(w.requests(), "1 open API pets: 150 changes (0/150)")
	cr, err := w.sv.Store.ChangeRequest(t.Context(), w.space, "1")
	w.ok(err)
	if n := len(cr.Description); n > 34<<10 || !strings.Contains(cr.Description, " more; 0 changes of all break clients.") {
		t.Errorf("%d bytes: %q", n, cr.Description[max(0, n-100):])
	}
	w.publish(names...)
	w.same(w.requests(), "1 open API pets: 151 changes, 1 of them breaking (1/151)")
}
