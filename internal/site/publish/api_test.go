package publish_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/jobs"
	"github.com/octavo-docs/octavo/internal/openapi/apispec"
	"github.com/octavo-docs/octavo/internal/outbound"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// specify uploads an API description and processes it.
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

// Pages show an operation as in the newest version of its specification, on every node. If
// the specification was deleted, they show the block alone.
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
		w.specify(`{"openapi": "3.1.0"}`) // refused; the last valid version remains
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

// Pages follow a description at an external URL, which is not stored. One request makes the
// server fetch only a few of them.
func TestPagesFollowDescriptionsElsewhere(t *testing.T) {
	var summary atomic.Value
	var fetched atomic.Int64
	elsewhere := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		fetched.Add(1)
		_, _ = fmt.Fprint(rw, strings.Replace(pets, "SUMMARY", summary.Load().(string), 1))
	}))
	defer elsewhere.Close()
	o, later := testdb.SQLite(t), atomic.Int64{}
	o.Clock = func() time.Time { return time.Now().Add(time.Duration(later.Load())) }
	w := newWorldIn(t, o)
	var err error
	w.specs.Outbound, err = outbound.Parse("127.0.0.1")
	must(t, err)
	block := func(name string) string {
		return "{% openapi src=\"" + elsewhere.URL + "/" + name + "\" path=\"/pets\" method=\"get\" %}\n{% endopenapi %}\n\n"
	}
	var many strings.Builder
	for i := range 100 {
		many.WriteString(block(fmt.Sprint(i)))
	}
	w.change = func(s string) string {
		s = strings.Replace(s, "# Deep\n", "# Deep\n\n"+block("a"), 1)
		return strings.Replace(s, "# Install &amp; run\n", "# Install &amp; run\n\n"+many.String(), 1)
	}
	w.acme()
	for _, want := range []string{"List all pets", "List some pets"} {
		summary.Store(want)
		for range 2 { // the second response comes from the cache
			if r, page := w.get(root + "install/deep"); r.StatusCode != http.StatusOK || !strings.Contains(page, want) {
				t.Errorf("the page is %d, without %q", r.StatusCode, want)
			}
		}
		later.Add(int64(2 * time.Hour))
	}
	if n := fetched.Swap(0); n != 2 {
		t.Errorf("the description was fetched %d times", n)
	}
	for _, at := range []string{"install", "install.md"} {
		if r, _ := w.get(root + at); r.StatusCode != http.StatusOK {
			t.Errorf("%s is %d", at, r.StatusCode)
		}
		if n := fetched.Swap(0); n == 0 || n > 20 {
			t.Errorf("reading %s once fetches %d descriptions", at, n)
		}
	}
	for range 20 {
		w.get(root + "install.md")
	}
	if n := fetched.Load(); n > 60 {
		t.Errorf("reading a page again and again fetches %d descriptions", n)
	}
}
