package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// TestWhoBeginsManySignInsPushesOutTheirOwn shows that sign-ins that nobody ends are bounded, and that a stranger
// with many networks keeps nobody else from signing in.
func TestWhoBeginsManySignInsPushesOutTheirOwn(t *testing.T) {
	defer store.LimitBegun(3, 10)()
	testdb.Each(t, func(t *testing.T, o store.Options) {
		now := time.Now()
		o.Clock = func() time.Time { return now }
		s := testdb.Open(t, o)
		add := func(network string, i int) {
			t.Helper()
			now = now.Add(time.Second)
			err := s.Do(t.Context(), func(tx *store.Tx) error {
				name := fmt.Sprint(network, i)
				until := docs.TimeOf(now.Add(time.Hour))
				if err := tx.AddPasskeyChallenge(t.Context(), docs.HashSecret(name), "{}", network, until); err != nil {
					return err
				}
				return tx.AddOIDCFlow(t.Context(), docs.OIDCFlow{Provider: "p", Network: network, ExpiresAt: until}, docs.HashSecret(name))
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		// take reports whether a sign-in is still under way, and ends it.
		take := func(network string, i int) bool {
			t.Helper()
			name := fmt.Sprint(network, i)
			var flow, challenge error
			err := s.Do(t.Context(), func(tx *store.Tx) error {
				_, flow = tx.TakeOIDCFlow(t.Context(), docs.HashSecret(name))
				_, challenge = tx.TakePasskeyChallenge(t.Context(), docs.HashSecret(name))
				return nil
			})
			if err != nil || errs.Is(flow, errs.NotFound) != errs.Is(challenge, errs.NotFound) {
				t.Fatalf("%v, %v, %v", err, flow, challenge)
			}
			return flow == nil
		}
		add("honest", 1)
		for i := range 5 {
			add("flood", i)
		}
		if take("flood", 0) || take("flood", 1) || !take("flood", 2) || !take("flood", 4) {
			t.Error("a network has other than its newest sign-ins")
		}
		for n := range 20 {
			for i := range 3 {
				add(fmt.Sprintf("flood%02d-", n), i)
			}
		}
		add("other", 1)
		if !take("honest", 1) || !take("other", 1) {
			t.Error("a stranger with many networks ended a sign-in of somebody else")
		}
		left := 0
		for n := range 20 {
			for i := range 3 {
				if take(fmt.Sprintf("flood%02d-", n), i) {
					left++
				}
			}
		}
		if left > 10 {
			t.Errorf("%d sign-ins are under way", left)
		}
	})
}
