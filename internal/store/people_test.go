package store_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// Ids of people have no order, so accounts are listed by the time when they were made.
func TestPeopleAreListedByAge(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		s, ctx := testdb.Open(t, o), t.Context()
		var want []docs.UserID
		for i := range 7 {
			u := docs.User{ID: docs.NewUserID(), Email: docs.Email(fmt.Sprintf("p%d@octavo.example", i)), CreatedAt: docs.Time(1000 + i/2)}
			if err := s.Do(ctx, func(tx *store.Tx) error { return tx.AddUser(ctx, u) }); err != nil {
				t.Fatal(err)
			}
			if want = append(want, u.ID); i%2 == 1 {
				slices.Sort(want[i-1:])
			}
		}
		var got []docs.UserID
		for p := (store.Page{Limit: 2}); ; {
			list, next, err := s.People(ctx, "octavo", p)
			if err != nil {
				t.Fatal(err)
			}
			for _, u := range list {
				got = append(got, u.ID)
			}
			if p.After = next; next == nil {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	})
}
