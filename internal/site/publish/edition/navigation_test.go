package edition

import (
	"math/rand/v2"
	"testing"

	"github.com/octavo-docs/octavo/internal/reading"
	"github.com/octavo-docs/octavo/internal/site/theme"
	"github.com/octavo-docs/octavo/internal/testing/testspace"
)

// The navigation from shared parts is equal to a navigation that is built for the page
// alone.
func TestSharedNavigationIsThatOfThePage(t *testing.T) {
	for seed := range uint64(4) {
		view := testspace.Random(t, rand.New(rand.NewPCG(seed, 3))).For(reading.Nobody)
		shared, err := New(t.Context(), view, "/")
		if err != nil {
			t.Fatal(err)
		}
		alone := *shared
		alone.menu = menu{}
		if seed%2 == 1 { // as if the space were a large one
			shared.Count, alone.Count = maxNavigation+1, maxNavigation+1
		}
		html := func(e *Edition, n *Node) string {
			t.Helper()
			links, err := e.Navigation(t.Context(), n)
			if err != nil {
				t.Fatal(err)
			}
			b, err := theme.Render(&theme.Frame{Navigation: links}, &theme.Message{})
			if err != nil {
				t.Fatal(err)
			}
			return string(b)
		}
		for range 2 {
			walked, err := view.All(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for at := 0; at < len(walked); at++ {
				n, err := shared.Page(t.Context(), walked[at].ID)
				if err != nil {
					t.Fatal(err)
				}
				walked = append(walked, walked[at].Children...)
				if got, want := html(shared, n), html(&alone, n); got != want {
					t.Fatalf("%s, shared:\n%s\nalone:\n%s", n.Path, got, want)
				}
			}
			if html(shared, nil) != html(&alone, nil) {
				t.Error("outside of all pages the navigation is another one")
			}
		}
	}
}
