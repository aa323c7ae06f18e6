package engine

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// A transaction that others always disturb ends after some time.
func TestRetriesEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, tries := time.Now(), 0
		err := retried(context.Background(), aloneTime, func() error {
			tries++
			time.Sleep(time.Second)
			return &pgconn.PgError{Code: "40001"}
		})
		if took := time.Since(began); !IsCollision(err) || tries < 5 || took > aloneTime+3*time.Second {
			t.Errorf("after %v and %d tries: %v", took, tries, err)
		}
		other := errors.New("other")
		if err := retried(context.Background(), aloneTime, func() error { return other }); !errors.Is(err, other) {
			t.Error(err)
		}
	})
}
