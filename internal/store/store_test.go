package store_test

import (
	"context"
	"testing"

	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

func TestOpenTwiceKeepsData(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		ctx := context.Background()
		s := testdb.Open(t, o)
		first, err := s.Secret(ctx)
		if err != nil {
			t.Fatal(err)
		}
		again := testdb.Open(t, o)
		second, err := again.Secret(ctx)
		if err != nil || first != second {
			t.Fatalf("secret %q, then %q, %v", first, second, err)
		}
		if err := s.Check(ctx); err != nil {
			t.Fatal(err)
		}
	})
}
