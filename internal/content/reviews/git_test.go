package reviews_test

import (
	"context"
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// Nothing is merged while a git operation is about to change the space.
func TestNoMergeWhileGitFinishes(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		d := newDesk(t, o, 3)
		ctx := context.Background()
		cr := d.open(t)
		op := docs.GitOperation{ID: "o1", Space: d.id, Direction: docs.GitExport, State: docs.GitRunning, Stage: docs.GitProcess, User: d.grant(t).Actor.User}
		put := func(change func(*docs.GitOperation)) {
			t.Helper()
			change(&op)
			if err := d.s.Do(ctx, func(tx *store.Tx) error { return tx.PutGitOperation(ctx, op) }); err != nil {
				t.Fatal(err)
			}
		}
		if err := d.s.Do(ctx, func(tx *store.Tx) error { return tx.AddGitOperation(ctx, op) }); err != nil {
			t.Fatal(err)
		}
		put(func(o *docs.GitOperation) { o.Stage = docs.GitFinalize })
		if _, err := d.r.Merge(ctx, d.grant(t), string(cr.ID)); !errs.Is(err, errs.Conflict) {
			t.Errorf("while it finishes: %v", err)
		}
		put(func(o *docs.GitOperation) { o.State, o.CompletedAt = docs.GitSuccess, 1 })
		if _, err := d.r.Merge(ctx, d.grant(t), string(cr.ID)); err != nil {
			t.Errorf("afterwards: %v", err)
		}
	})
}
