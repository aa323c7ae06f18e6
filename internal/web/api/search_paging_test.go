package api_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// foundItem is an item of a search: a page, or a space with its pages.
type foundItem struct {
	ID    string
	Rank  int
	Pages []foundItem
}

// searchAll reads all pages of the results of a search.
func (w *world) searchAll(method, path, query string, limit int) (out []foundItem) {
	w.t.Helper()
	cursor, body := "", ""
	values := url.Values{"limit": {fmt.Sprint(limit)}}
	if method == http.MethodGet {
		values.Set("query", query)
	} else {
		body = fmt.Sprintf(`{"query":%q,"mode":"all"}`, query)
	}
	for range 2000 {
		if cursor != "" {
			values.Set("page", cursor)
		}
		var some struct {
			Items []foundItem
			Next  struct{ Page string }
		}
		a := w.call("admin", method, w.expand(path)+"?"+values.Encode(), body)
		if a.status != http.StatusOK {
			w.t.Fatalf("%s %s: %d %s", method, path, a.status, a.body)
		}
		if err := json.Unmarshal(a.body, &some); err != nil {
			w.t.Fatal(err)
		}
		if len(some.Items) > limit {
			w.t.Errorf("%d items, limit %d", len(some.Items), limit)
		}
		out = append(out, some.Items...)
		if cursor = some.Next.Page; cursor == "" {
			return out
		}
	}
	w.t.Fatal("the results do not end")
	return nil
}

// A client pages through the results of the searches while others make pages, change those
// that are found and delete others. What is there all the time comes once: pages in the
// search of a space, and spaces with their pages in those of several spaces.
func TestSearchesArePagedWhileOthersWrite(t *testing.T) {
	const spaces, stay = 4, 9
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o, nil)
		text := func(r *rand.Rand) string {
			return strings.Repeat("lantern ", 1+r.IntN(9)) + strings.Repeat("keeper ", 1+r.IntN(40))
		}
		r := rand.New(rand.NewPCG(1, 2))
		var ids []string
		fixed := map[string][]string{}
		for i := range spaces {
			w.must("admin", "POST", "/orgs/$org/spaces", fmt.Sprintf(`{"title":"Space %d","editMode":"live","empty":true}`, i), "space")
			id := w.vars["space"]
			ids = append(ids, id)
			for k := range stay {
				fixed[id] = append(fixed[id], w.insert(fmt.Sprintf(`{"title":"Light %d","document":{"markdown":"%s"}}`, k, text(r))))
			}
		}
		w.must("admin", "POST", "/orgs/$org/sites", `{"title":"Docs","spaces":["`+strings.Join(ids, `","`)+`"]}`, "site")

		done := make(chan struct{})
		var writing sync.WaitGroup
		stop := sync.OnceFunc(func() { close(done); writing.Wait() })
		defer stop()
		for n := range 2 {
			writing.Go(func() {
				r := rand.New(rand.NewPCG(3, uint64(n)))
				made := map[string][]string{}
				for {
					select {
					case <-done:
						return
					default:
					}
					id := ids[r.IntN(spaces)]
					change := fmt.Sprintf(`{"operation":"update_page","page":"%s","document":{"markdown":"%s"}}`, fixed[id][r.IntN(stay)], text(r))
					switch r.IntN(3) {
					case 0:
						change += fmt.Sprintf(`,{"operation":"insert_page","title":"Lantern","document":{"markdown":"%s"}}`, text(r))
					case 1:
						if had := made[id]; len(had) > 10 {
							change += `,{"operation":"delete_page","page":"` + had[0] + `"}`
							made[id] = had[1:]
						}
					}
					a := w.call("admin", "POST", "/spaces/"+id+"/content", `{"changes":[`+change+`]}`)
					if a.status != http.StatusOK && a.status != http.StatusConflict {
						t.Errorf("a change: %d %s", a.status, a.body)
						return
					}
					var answer struct {
						Changes []struct{ Page struct{ ID string } }
					}
					if a.status == http.StatusOK && strings.Contains(change, "insert_page") {
						if err := json.Unmarshal(a.body, &answer); err != nil || len(answer.Changes) != 2 {
							t.Errorf("%v: %s", err, a.body)
							return
						}
						made[id] = append(made[id], answer.Changes[1].Page.ID)
					}
				}
			})
		}
		once := func(what string, items []foundItem, want []string) {
			t.Helper()
			seen := map[string]int{}
			for _, it := range items {
				seen[it.ID]++
			}
			for _, id := range want {
				if seen[id] != 1 {
					t.Errorf("%s: %s comes %d times", what, id, seen[id])
				}
			}
		}
		queries := []string{"lantern", "keeper lan", "lanterm keeper"}
		for round := range 12 {
			q, limit := queries[round%len(queries)], 1+round%3
			id := ids[round%spaces]
			pages := w.searchAll("GET", "/spaces/"+id+"/search", q, limit)
			once("the search of a space", pages, fixed[id])
			for i, p := range pages {
				if p.Rank != i+1 {
					t.Errorf("the page at %d has the rank %d", i+1, p.Rank)
				}
			}
			for _, s := range []struct{ method, path string }{{"GET", "/orgs/$org/search"}, {"POST", "/orgs/$org/sites/$site/search"}} {
				items := w.searchAll(s.method, s.path, q, limit)
				once(s.path, items, ids)
				for _, sp := range items {
					once(s.path+" in a space", sp.Pages, fixed[sp.ID])
				}
			}
		}
		stop()
	})
}

// A cursor of a search belongs to its query, also where the query is in the body.
func TestCursorOfASearchBelongsToItsQuery(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t), nil)
	w.liveSpace()
	one := w.vars["space"]
	w.liveSpace()
	w.must("admin", "POST", "/orgs/$org/sites", `{"title":"Docs","spaces":["`+one+`","`+w.vars["space"]+`"]}`, "site")
	path := w.expand("/orgs/$org/sites/$site/search?limit=1")
	a := w.must("admin", "POST", path, `{"query":"steady"}`)
	var first struct{ Next struct{ Page string } }
	if err := json.Unmarshal(a.body, &first); err != nil || first.Next.Page == "" {
		t.Fatalf("%v: %s", err, a.body)
	}
	for body, status := range map[string]int{`{"query":"steady"}`: 200, `{"query":"was"}`: 400, `{"query":"steady","scope":{"mode":"default"}}`: 400} {
		if a := w.call("admin", "POST", path+"&page="+first.Next.Page, body); a.status != status {
			t.Errorf("%s: %d %s, want %d", body, a.status, a.body, status)
		}
	}
}
