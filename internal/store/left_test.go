package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// What a snapshot returns after its caller has left says so: it is no failure of the
// database.
func TestASnapshotWhoseCallerLeft(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		s := testdb.Open(t, o)
		ctx, leave := context.WithCancel(t.Context())
		err := s.Snapshot(ctx, func(r store.Reader) error {
			leave()
			var err error
			for i := 0; err == nil && i < 100; i++ { // database/sql rolls back beside us
				time.Sleep(time.Millisecond)
				_, err = r.AuthStamp(context.WithoutCancel(ctx))
			}
			return err
		})
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("the caller left: %v", err)
		}
	})
}
