package store_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/search"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/store/searchrows"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// words is a page of the search index with one section.
func words(id, title, body string) searchrows.Page {
	return searchrows.Page{Page: id, Title: title, Language: "en", Sections: []search.Section{{Body: body}}}
}

// busySpaces writes small changes of other spaces, without a pause, until the test ends.
func busySpaces(t *testing.T, s *store.Store, n int) {
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, n)
	for i := range n {
		go func() {
			space := fmt.Sprint("small", i)
			for k := 0; ctx.Err() == nil; k++ {
				err := s.DoLocked(ctx, docs.SpaceID(space), func(tx *store.Tx) error {
					return tx.PutSearchPage(ctx, space, words(fmt.Sprint("p", k%10), "Small", "small words"))
				})
				if err != nil && ctx.Err() == nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	t.Cleanup(func() {
		stop()
		for range n {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	})
}

// slowly reads and writes much, and takes longer than many small changes of others.
func slowly(ctx context.Context, tx *store.Tx) error {
	for i := range 20 {
		if err := tx.PutSearchPage(ctx, "large", words(fmt.Sprint("p", i), "Large", "many words")); err != nil {
			return err
		}
		time.Sleep(5 * time.Millisecond)
	}
	return nil
}

// A transaction that takes long comes through beside others that never end.
func TestALargeChangeComesThroughAmongSmallOnes(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		s := testdb.Open(t, o)
		busySpaces(t, s, 3)
		for _, space := range []docs.SpaceID{"large", ""} {
			if err := s.DoLocked(t.Context(), space, func(tx *store.Tx) error { return slowly(t.Context(), tx) }); err != nil {
				t.Errorf("space %q: %v", space, err)
			}
		}
	})
}

// Who waits until nobody else writes can be interrupted, and leaves no lock behind.
func TestWaitingToBeAloneCanBeCancelled(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		s := testdb.Open(t, o)
		busySpaces(t, s, 3)
		for range 2 {
			ctx, cancel := context.WithTimeout(t.Context(), 1100*time.Millisecond)
			err := s.DoLocked(ctx, "large", func(tx *store.Tx) error { return slowly(ctx, tx) })
			cancel()
			if err != nil && ctx.Err() == nil {
				t.Error(err)
			}
		}
		if err := s.DoLocked(t.Context(), "large", func(tx *store.Tx) error { return slowly(t.Context(), tx) }); err != nil {
			t.Error(err)
		}
	})
}
