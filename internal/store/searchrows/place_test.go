package searchrows_test

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/store/searchrows"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// A place keeps what was returned, at most as long as a cursor can be.
func TestSearchPlaceAsAKey(t *testing.T) {
	at := &searchrows.Place{}
	for n := 1; n <= searchrows.MaxPlace; n++ {
		at.Add("space", fmt.Sprint("page", n))
		at.AddPage()
		if n > 3 && n%97 != 0 && n != searchrows.MaxPlace {
			continue
		}
		key := at.Key()
		b, err := json.Marshal(key)
		if size := base64.RawURLEncoding.EncodedLen(len(b)); err != nil || size > 7400 { // api.Paged has 8192 with the signature
			t.Errorf("after %d results, a key has %d bytes, %v", n, size, err)
		}
		if at, err = searchrows.PlaceOf(key); err != nil || at.Len() != n {
			t.Fatalf("%d results of %d, %v", at.Len(), n, err)
		}
		for k := 1; k <= n; k++ {
			if !at.Has("space", fmt.Sprint("page", k)) {
				t.Fatalf("after %d results, result %d is forgotten", n, k)
			}
		}
		for k := range 1000 {
			if at.Has("space", fmt.Sprint("other", k)) || at.Has("other", fmt.Sprint("page", k)) {
				t.Fatalf("after %d results, a result that was not returned counts", n)
			}
		}
	}
	if rank := at.AddPage(); rank != searchrows.MaxPlace+1 {
		t.Errorf("the next rank is %d", rank)
	}
	if at.Add("space", "one more"); at.Key() != nil {
		t.Error("a place behind too many results has a key")
	}
	long := base64.RawURLEncoding.EncodeToString(make([]byte, 6*1000))
	for _, bad := range []store.Key{
		{"50"}, {"x", "1", "6", ""}, {"1", "-1", "6", ""}, {"1", "1", "0", ""}, {"1", "1", "3", "AAAA"}, {"1", "1", "9", ""},
		{"4", "1", "6", ""}, {"-1", "1", "6", ""}, {"1", "1", "6", "AAAA"}, {"1", "1", "6", "!"}, {"1", "1", "6", long}, {"1", "1", "6", "", ""},
	} {
		if _, err := searchrows.PlaceOf(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// spaceScopes are scopes that share layers.
func spaceScopes(layers [][]string) []searchrows.Scope {
	var out []searchrows.Scope
	for i, chain := range layers {
		out = append(out, searchrows.Scope{Key: fmt.Sprint("s", i), Language: "en", Layers: chain})
	}
	return out
}

// The scopes that a search returns are those of all pages that it finds, each with its best
// pages, however many are returned at a time.
func TestSearchScopesAreThoseOfThePages(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		s := testdb.Open(t, o)
		w := newWorld(rand.New(rand.NewPCG(7, 8)), 300)
		for range 12 {
			w.step(t, s, 40)
		}
		searchrows.WaitForFolds(s.Index)
		// Each layer for itself, below another one, and in a copy of the space.
		var chains [][]string
		for i := range w.layers {
			chains = append(chains, w.layers[i:i+1], w.layers[i:], w.layers[i:])
		}
		scopes := spaceScopes(chains)
		for range 60 {
			q, pages := w.query(), 1+w.r.IntN(5)
			hits, more, err := s.Search(t.Context(), scopes, q, 1000, nil)
			if err != nil || more {
				t.Fatal(more, err)
			}
			var want []string
			scores := map[string][]float64{}
			for _, h := range hits {
				if len(scores[h.Scope]) == 0 {
					want = append(want, h.Scope)
				}
				if len(scores[h.Scope]) < pages {
					scores[h.Scope] = append(scores[h.Scope], h.Score)
				}
			}
			var got []string
			at, limit := &searchrows.Place{}, 1+w.r.IntN(4)
			last := 1e9
			for more := true; more; {
				var some []searchrows.ScopeHits
				some, more, err = s.SearchScopes(t.Context(), scopes, q, limit, pages, at)
				if err != nil || len(some) > limit || len(some) == 0 && more {
					t.Fatal(some, more, err)
				}
				for _, sc := range some {
					var of []float64
					for _, h := range sc.Hits {
						of = append(of, h.Score)
					}
					if !slices.Equal(of, scores[sc.Scope]) || of[0] > last {
						t.Errorf("search %q in %s: %v, want %v", q, sc.Scope, of, scores[sc.Scope])
					}
					got, last = append(got, sc.Scope), of[0]
				}
				if at, err = searchrows.PlaceOf(at.Key()); err != nil {
					t.Fatal(err)
				}
			}
			slices.Sort(want) // those with the same score are in any order
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("search %q: scopes %v, want %v", q, got, want)
			}
		}
	})
}

// A scope that comes first does so without pages, once.
func TestSearchScopesThatComeFirst(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		s := testdb.Open(t, o)
		putPages(t, s, "a", page("a1", "Wind", "mill"))
		putPages(t, s, "b", page("b1", "Other", "words"))
		putPages(t, s, "c", page("c1", "Mill", "wind wind"))
		scopes := spaceScopes([][]string{{"a"}, {"b"}, {"c"}})
		scopes[1].First = true
		for query, want := range map[string]string{
			"mill": "s1  s2 c1 s0 a1", "wnid mill": "s1  s2 c1 s0 a1", "zebra": "s1 ", "": "s1 ", "words": "s1 b1",
		} {
			for limit := 1; limit < 5; limit++ {
				var got []string
				at := &searchrows.Place{}
				for more := true; more; {
					var some []searchrows.ScopeHits
					var err error
					if some, more, err = s.SearchScopes(t.Context(), scopes, query, limit, 10, at); err != nil {
						t.Fatal(err)
					}
					for _, sc := range some {
						got = append(got, sc.Scope, names(sc.Hits))
					}
				}
				if got := strings.Join(got, " "); got != want {
					t.Errorf("search %q, %d at a time: %q, want %q", query, limit, got, want)
				}
			}
		}
	})
}

// While others write new pages, change those that are found, and delete others, everything
// that is there all the time is returned once, also if it changes.
func TestSearchIsPagedWhileOthersWrite(t *testing.T) {
	const spaces, stay = 6, 9
	testdb.Each(t, func(t *testing.T, o store.Options) {
		s := testdb.Open(t, o)
		layer := func(i int) string { return fmt.Sprint("l", i%spaces) }
		var chains [][]string
		for i := range spaces {
			chains = append(chains, []string{layer(i), "base" + layer(i)})
		}
		scopes := spaceScopes(chains)
		body := func(r *rand.Rand) string { // with another score each time
			return strings.Repeat("lantern ", 1+r.IntN(9)) + strings.Repeat("keeper ", 1+r.IntN(40))
		}
		r := rand.New(rand.NewPCG(5, 6))
		for i := range spaces {
			var pages []searchrows.Page
			for k := range stay {
				pages = append(pages, page(fmt.Sprint("stay", k), fmt.Sprint("Light ", k), body(r)))
			}
			putPages(t, s, "base"+layer(i), pages...)
		}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var writing sync.WaitGroup
		for n := range 2 {
			writing.Go(func() {
				r := rand.New(rand.NewPCG(9, uint64(n)))
				for i := 0; ctx.Err() == nil; i++ {
					err := s.DoLocked(context.Background(), "", func(tx *store.Tx) error {
						l := layer(r.IntN(spaces))
						for range 1 + r.IntN(3) {
							if err := tx.PutSearchPage(context.Background(), l, page(fmt.Sprint("stay", r.IntN(stay)), "Light", body(r))); err != nil {
								return err
							}
							if err := tx.PutSearchPage(context.Background(), l, page(fmt.Sprint("comes", r.IntN(50)), "Lantern", body(r))); err != nil {
								return err
							}
							if err := tx.DropSearchPage(context.Background(), l, fmt.Sprint("comes", r.IntN(50)), false); err != nil {
								return err
							}
						}
						if i%25 == 24 {
							_, err := tx.CompactSearch(context.Background(), l)
							return err
						}
						return nil
					})
					if err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		queries := []string{"lantern ", "keeper lan", "lanterm keeper ", "light k"}
		rounds := 12
		if testing.Short() {
			rounds = 4
		}
		for round := range rounds {
			q, limit := queries[round%len(queries)], 1+round%4
			seen, steps := map[string]int{}, 0
			at := &searchrows.Place{}
			for more := true; more; steps++ {
				var hits []searchrows.Hit
				var err error
				if hits, more, err = s.Search(t.Context(), scopes[:2], q, limit, at); err != nil {
					t.Fatal(err)
				}
				for _, h := range hits {
					seen[h.Scope+" "+h.Page]++
				}
				at, err = searchrows.PlaceOf(at.Key())
				if err != nil || steps > 10_000 {
					t.Fatal(steps, err)
				}
			}
			for i := range 2 {
				for k := range stay {
					if n := seen[fmt.Sprint("s", i, " stay", k)]; n != 1 {
						t.Errorf("%q, %d at a time: page %d of space %d came %d times", q, limit, k, i, n)
					}
				}
			}
			seen = map[string]int{}
			at = &searchrows.Place{}
			for more := true; more; {
				var some []searchrows.ScopeHits
				var err error
				if some, more, err = s.SearchScopes(t.Context(), scopes, q, cmp.Or(limit%3, 1), 100, at); err != nil {
					t.Fatal(err)
				}
				for _, sc := range some {
					seen[sc.Scope]++
					for _, h := range sc.Hits {
						seen[sc.Scope+" "+h.Page]++
					}
				}
				if at, err = searchrows.PlaceOf(at.Key()); err != nil {
					t.Fatal(err)
				}
			}
			for i := range spaces {
				if n := seen[fmt.Sprint("s", i)]; n != 1 {
					t.Errorf("%q: space %d came %d times", q, i, n)
				}
				for k := range stay {
					if n := seen[fmt.Sprint("s", i, " stay", k)]; n != 1 {
						t.Errorf("%q: page %d of space %d came %d times in its space", q, k, i, n)
					}
				}
			}
		}
		stop()
		writing.Wait()
	})
}
