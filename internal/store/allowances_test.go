package store_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

func spend(t testing.TB, s *store.Store, a store.Allowance, n int) (left int, wait time.Duration) {
	t.Helper()
	err := s.Do(context.Background(), func(tx *store.Tx) (err error) {
		left, wait, err = tx.Spend(context.Background(), a, n)
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return left, wait
}

func TestAllowancesMoveWithTheDay(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		var now atomic.Int64
		start := time.Date(2026, 3, 1, 10, 40, 0, 0, time.UTC)
		o.Clock = func() time.Time { return start.Add(time.Duration(now.Load())) }
		s := testdb.Open(t, o)
		a := store.Allowance{Who: "u1", What: "invite", Most: 5}
		for i, step := range []struct {
			at   time.Duration
			n    int
			left int
			wait time.Duration
		}{
			{0, 9, 5, 24 * time.Hour}, // never allowed
			{0, 3, 2, 0},
			{2 * time.Hour, 2, 0, 0},
			{2 * time.Hour, 1, 0, 21*time.Hour + 20*time.Minute}, // at 10:00 of the next day
			{2 * time.Hour, 4, 0, 23*time.Hour + 20*time.Minute}, // at 12:00
			{23 * time.Hour, 1, 0, 20 * time.Minute},
			{23*time.Hour + 20*time.Minute, 4, 3, 2 * time.Hour},
			{23*time.Hour + 20*time.Minute, 3, 0, 0},
			{49*time.Hour + 20*time.Minute, 5, 0, 0}, // at the beginning of an hour
			{49*time.Hour + 20*time.Minute, 1, 0, 24 * time.Hour},
		} {
			now.Store(int64(step.at))
			if left, wait := spend(t, s, a, step.n); left != step.left || wait != step.wait {
				t.Errorf("%d: %d left, wait %s; want %d and %s", i, left, wait, step.left, step.wait)
			}
		}
		for _, other := range []store.Allowance{{Who: "u2", What: "invite", Most: 5}, {Who: "u1", What: "address", Most: 5}} {
			if _, wait := spend(t, s, other, 5); wait != 0 {
				t.Errorf("%v has been used", other)
			}
		}
	})
}

// Nodes that share a database share allowances.
func TestAllowancesHoldOverNodes(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		nodes := []*store.Store{testdb.Open(t, o), testdb.Open(t, o)}
		var got atomic.Int64
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				for range 5 {
					if _, wait := spend(t, nodes[i%2], store.Allowance{Who: "u1", What: "invite", Most: 21}, 2); wait == 0 {
						got.Add(2)
					}
				}
			})
		}
		all.Wait()
		if got.Load() != 20 {
			t.Errorf("%d of at most 21", got.Load())
		}
	})
}
