package store

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/octavo-docs/octavo/internal/errs"
)

// A transaction that others always disturb ends after some time, as a conflict.
func TestRetriesEndInAConflict(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, tries := time.Now(), 0
		err := retried(context.Background(), func() error {
			tries++
			time.Sleep(time.Second)
			return &pgconn.PgError{Code: "40001"}
		})
		if took := time.Since(began); !errs.Is(err, errs.Conflict) || !Collided(err) || tries < 5 || took > retryTime+3*time.Second {
			t.Errorf("after %v and %d tries: %v", took, tries, err)
		}
		other := errors.New("other")
		if err := retried(context.Background(), func() error { return other }); !errors.Is(err, other) {
			t.Error(err)
		}
	})
}
