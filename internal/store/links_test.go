package store_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testcpu"
	"github.com/octavo-docs/octavo/internal/testdb"
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
