package edition

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/reading"
	"github.com/octavo-docs/octavo/internal/testing/testspace"
)

// Pages that are loaded one by one have the same order, neighbours and paths as the whole
// tree, which reading.Menu walks.
func TestPagesAreThoseOfTheWholeTree(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			view := testspace.Random(t, rand.New(rand.NewPCG(seed, 1))).For(reading.Nobody)
			top, err := view.All(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var all []*revision.PageNode
			menu := reading.NewMenu(top, func(w *revision.PageNode) reading.Entry[*revision.PageNode] {
				all = append(all, w)
				return reading.Entry[*revision.PageNode]{Document: w.Type == docs.PageDocument, Listed: lists(w.Page), Children: w.Children}
			})
			rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] }) // loaded in any order
			p := newTree(view)
			for _, w := range all {
				samePlace(t, p, menu, w)
			}
			var got, want []docs.PageID
			_, err = p.Documents(t.Context(), nil, func(n *Node) (bool, error) {
				got = append(got, n.ID)
				return true, nil
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range menu.Order() {
				want = append(want, w.ID)
			}
			if len(want) == 0 || !slices.Equal(got, want) {
				t.Errorf("documents are %v, want %v", got, want)
			}
		})
	}
}

func samePlace(t *testing.T, p *tree, menu *reading.Menu[*revision.PageNode], w *revision.PageNode) {
	t.Helper()
	n, err := p.Page(t.Context(), w.ID)
	if err != nil || n == nil {
		t.Fatalf("%s: no page: %v", w.Title, err)
	}
	if n.Reachable() != menu.Reachable(w) || w.HasPath() && n.Path != w.Path {
		t.Errorf("%s: document %t at %q, want %t at %q", w.Title, n.Reachable(), n.Path, menu.Reachable(w), w.Path)
	}
	before, after, err := p.Around(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	first, err := p.First(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	wantBefore, wantAfter := menu.Around(w)
	wantFirst, _ := menu.First(w)
	for _, pair := range []struct {
		what string
		got  *Node
		want *revision.PageNode
	}{{"before", before, wantBefore}, {"after", after, wantAfter}, {"first", first, wantFirst}} {
		if (pair.got == nil) != (pair.want == nil) || pair.got != nil && pair.got.ID != pair.want.ID {
			t.Errorf("%s %s is %v, want %v", pair.what, w.Title, pair.got, pair.want)
		}
	}
}
