package store_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testcpu"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// The queries of every change and every read of links take as long in a large
// space as in a small one. SQLite has no statistics here, so a query that only
// looks right reads everything.
func TestLinkQueriesDoNotReadAllLinks(t *testing.T) {
	const small, large, links = 50, 5_000, 5
	ctx := context.Background()
	s, err := store.Open(ctx, testdb.SQLite(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	fill := func(layer string, n int) {
		change(t, s, func(tx *store.Tx) error {
			if err := tx.AddLayer(ctx, store.Layer{ID: layer}); err != nil {
				return err
			}
			var pages []store.LayerPage
			for i := range n {
				p := store.LayerPage{ID: fmt.Sprintf("%s-%d", layer, i), Anchors: []string{"here"}}
				for k := range links {
					p.Links = append(p.Links, store.Link{Page: p.ID, Kind: "page", Target: fmt.Sprintf("%s-%d", layer, (7*i+k)%n), Loose: i < 3})
				}
				pages = append(pages, p)
			}
			return tx.PutLayerPages(ctx, layer, pages)
		})
	}
	fill("small", small)
	fill("large", large)

	for name, ask := range map[string]func(layer string) (int, error){
		"Anchors": func(l string) (int, error) {
			x, err := s.Anchors(ctx, l, l+"-7")
			return len(x), err
		},
		"Targets of a page": func(l string) (int, error) {
			x, _, err := s.Targets(ctx, l, l+"-7", store.Page{Limit: 100})
			return len(x), err
		},
		"Locations": func(l string) (int, error) {
			x, err := s.Locations(ctx, l, "", store.Target{Kind: "page", Target: l + "-7"}, 100)
			return len(x), err
		},
		"Locations in a page": func(l string) (int, error) {
			x, err := s.Locations(ctx, l, l+"-1", store.Target{Kind: "page", Target: l + "-7"}, 100)
			return len(x), err
		},
		"Backlinks": func(l string) (int, error) {
			x, _, err := s.Backlinks(ctx, l, [2]string{"page", "anchor"}, "", l+"-7", store.Page{Limit: 100})
			return len(x), err
		},
		"LoosePages of a target": func(l string) (int, error) {
			x, err := s.LoosePages(ctx, l, l+"-7")
			return len(x), err
		},
		"LoosePages": func(l string) (int, error) {
			x, err := s.LoosePages(ctx, l, "")
			return len(x), err
		},
		"UnresolvedPages": func(l string) (int, error) {
			x, err := s.UnresolvedPages(ctx, l, "absent")
			return 1 + len(x), err
		},
	} {
		took := func(layer string) time.Duration {
			return testcpu.Time(func() {
				for range 5 {
					if n, err := ask(layer); err != nil || n == 0 {
						t.Fatalf("%s: %d, %v", name, n, err)
					}
				}
			})
		}
		// Reading everything would take a hundred times as long.
		if a, b := took("small"), took("large"); b > 10*a {
			t.Errorf("%s takes %v with %d pages and %v with %d", name, a, small, b, large)
		}
	}
}

// What a layer says of a page already is not written again.
func TestLinksThatStayAreNotWritten(t *testing.T) {
	ctx := context.Background()
	s, err := store.Open(ctx, testdb.SQLite(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	page := func(label string) store.LayerPage {
		return store.LayerPage{ID: "p", Anchors: []string{"here"}, Links: []store.Link{
			{Page: "p", Kind: "page", Target: "a", Node: "k1", Label: "first", Hard: true},
			{Page: "p", Kind: "url", Target: "https://octavo.example", Node: "k2", Label: label, Loose: true},
		}}
	}
	put := func(p store.LayerPage) (changed int64) {
		change(t, s, func(tx *store.Tx) error {
			before, err := store.RowsChanged(ctx, tx)
			if err != nil {
				return err
			}
			if err := tx.PutLayerPages(ctx, "layer", []store.LayerPage{p}); err != nil {
				return err
			}
			after, err := store.RowsChanged(ctx, tx)
			changed = after - before
			return err
		})
		return changed
	}
	change(t, s, func(tx *store.Tx) error { return tx.AddLayer(ctx, store.Layer{ID: "layer"}) })
	if n := put(page("second")); n != 3 {
		t.Errorf("a new page: %d rows changed", n)
	}
	if n := put(page("second")); n != 0 {
		t.Errorf("the same page again: %d rows changed", n)
	}
	if n := put(page("other")); n != 4 { // two links go, two come
		t.Errorf("a page with another link: %d rows changed", n)
	}
	if n := put(store.LayerPage{ID: "p"}); n != 3 {
		t.Errorf("a page without links: %d rows changed", n)
	}
}

func change(t testing.TB, s *store.Store, fn func(tx *store.Tx) error) {
	t.Helper()
	if err := s.Do(context.Background(), fn); err != nil {
		t.Fatal(err)
	}
}
