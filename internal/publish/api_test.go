package publish_test

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/apispec"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/jobs"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testdb"
)

// specify sets a description of an API and processes it.
func (w *world) specify(text string) {
	w.Helper()
	g, err := authz.OnBehalfInOrg(w.Context(), w.specs.Store, w.actor, authz.CreateOpenAPISpec, w.org)
	must(w.T, err)
	spec, _, err := w.specs.Put(w.Context(), g, "pets", apispec.Source{Text: text})
	must(w.T, err)
	r := jobs.New(w.specs.Store, slog.New(slog.DiscardHandler))
	r.Handle(apispec.ProcessJob, w.specs.Process)
	_, err = r.RunOnly(w.Context(), apispec.ProcessJob, string(spec.ID))
	must(w.T, err)
}

const pets = `{"openapi": "3.1.0", "info": {"title": "Pets", "version": "1"}, "servers": [{"url": "https://api.test/v1"}],
"paths": {"/pets": {"get": {"operationId": "listPets", "summary": "SUMMARY", "responses": {"200": {"description": "Pets"}}}}}}`

// Pages show an operation as the newest version of its specification describes it, on every node, and
// the block alone when there is no such specification any more.
func TestPagesShowTheNewestSpecification(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorldIn(t, o)
		w.change = func(s string) string {
			return strings.Replace(s, "# Deep\n", "# Deep\n\n{% openapi-operation spec=\"pets\" path=\"/pets\" method=\"get\" %}\n[Pets](https://api.test/)\n{% endopenapi-operation %}\n", 1)
		}
		w.acme()
		show := func(want, not string) (tag string) {
			t.Helper()
			for _, at := range []string{root + "install/deep", root + "install/deep.md"} {
				r, page := w.get(at)
				if r.StatusCode != http.StatusOK || !strings.Contains(page, want) || strings.Contains(page, not) {
					t.Errorf("%s is %d, with %q and without %q: %s", at, r.StatusCode, want, not, page)
				}
				tag = r.Header.Get("ETag")
			}
			return tag
		}
		before := show("", "api.test/v1")
		w.specify(strings.Replace(pets, "SUMMARY", "List all pets", 1))
		first := show("List all pets", "List some pets")
		w.specify(strings.Replace(pets, "SUMMARY", "List some pets", 1))
		second := show("List some pets", "List all pets")
		w.specify(`{"openapi": "3.1.0"}`) // is refused, and the last good version stays
		show("List some pets", "List all pets")
		if before == first || first == second {
			t.Errorf("pages that differ have the tags %s, %s and %s", before, first, second)
		}
		g, err := authz.OnBehalfInOrg(t.Context(), w.specs.Store, w.actor, authz.CreateOpenAPISpec, w.org)
		must(t, err)
		must(t, w.specs.Delete(t.Context(), g, "pets"))
		show("", "List some pets")
	})
}
