package spaces_test

import (
	"slices"
	"testing"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/spaces"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// Ranks stay short, and the order is as requested, when spaces are moved between the same
// two siblings many times.
func TestManyMovesToOnePlaceKeepRanksShort(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		ctx := t.Context()
		s := testdb.Open(t, o)
		b, err := orgs.New(s, orgs.Config{}).Operator.Bootstrap(ctx, "ada@acme.test", "Acme", "test")
		if err != nil {
			t.Fatal(err)
		}
		by := authz.Actor{User: b.User}
		top, _, err := authz.NewChecker(s.Reader).Org(ctx, by, authz.CreateContent, b.Organization)
		if err != nil {
			t.Fatal(err)
		}
		sv := &spaces.Service{Store: s, Content: content.New(content.Config{Store: s, Blobs: testdb.Blobs(t)})}
		var order []docs.SpaceID
		for range 4 {
			sp, _, err := sv.Create(ctx, top, spaces.NewSpace{})
			if err != nil {
				t.Fatal(err)
			}
			order = append(order, sp.ID)
		}
		for i := range 400 {
			// Move the third space before the second.
			moving, mark := order[2], order[1]
			order[1], order[2] = moving, mark
			g, _, err := authz.NewChecker(s.Reader).Space(ctx, by, authz.AdminSpace, moving)
			if err != nil {
				t.Fatal(err)
			}
			sp, _, err := sv.Move(ctx, g, spaces.Move{Place: docs.Place{Before: docs.Pointer{Kind: docs.NodeSpace, ID: string(mark)}}})
			if err != nil || len(sp.Rank) > 80 {
				t.Fatalf("move %d: a rank of %d characters, %v", i, len(sp.Rank), err)
			}
		}
		items, _, err := s.Spaces(ctx, top.Viewer(), store.SpaceFilter{}, store.Page{Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		var got []docs.SpaceID
		for _, it := range items {
			got = append(got, it.It.ID)
		}
		if !slices.Equal(got, order) {
			t.Errorf("the order is %v, want %v", got, order)
		}
	})
}
