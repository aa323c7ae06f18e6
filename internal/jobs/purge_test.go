package jobs_test

import (
	"context"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/jobs"
	"github.com/octavo-docs/octavo/internal/spaces"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testservices"
	"github.com/octavo-docs/octavo/internal/web/services"
)

// trash is a space and the operations on it. As in the API, each one checks the permission and then
// calls the service.
type trash struct {
	t  *testing.T
	sv *services.Services
	by authz.Actor
	id docs.SpaceID
	r  *jobs.Runner
}

func newTrash(t *testing.T, s *store.Store) *trash {
	t.Helper()
	ctx := context.Background()
	sv := testservices.New(t, s, services.Settings{})
	b, err := sv.Orgs.Operator.Bootstrap(ctx, "ada@octavo.example", "Acme", "test")
	if err != nil {
		t.Fatal(err)
	}
	by := authz.Actor{User: b.User}
	g, _, err := authz.NewChecker(s.Reader).Org(ctx, by, authz.CreateContent, b.Organization)
	if err != nil {
		t.Fatal(err)
	}
	sp, _, err := sv.Spaces.Create(ctx, g, spaces.NewSpace{Title: "Handbook"})
	if err != nil {
		t.Fatal(err)
	}
	r := newRunner(s)
	r.Handle(spaces.PurgeJob, sv.Spaces.Purge)
	return &trash{t: t, sv: sv, by: by, id: sp.ID, r: r}
}

func (x *trash) delete() {
	x.t.Helper()
	ctx := context.Background()
	g, _, err := authz.NewChecker(x.sv.Store.Reader).Space(ctx, x.by, authz.AdminSpace, x.id)
	if err == nil {
		err = x.sv.Spaces.Delete(ctx, g)
	}
	if err != nil {
		x.t.Fatalf("delete: %v", err)
	}
}

func (x *trash) restore() error {
	ctx := context.Background()
	g, _, err := authz.NewChecker(x.sv.Store.Reader).AnySpace(ctx, x.by, authz.AdminSpace, x.id)
	if err == nil {
		_, err = x.sv.Spaces.Restore(ctx, g)
	}
	return err
}

// work runs every job that is due.
func (x *trash) work() {
	x.t.Helper()
	for runOne(x.t, x.r) {
	}
}

// stored reports whether anything of the space still exists.
func (x *trash) stored() bool {
	x.t.Helper()
	_, err := x.sv.Store.Space(context.Background(), x.id)
	if err != nil && !errs.Is(err, errs.NotFound) {
		x.t.Fatal(err)
	}
	return err == nil
}

func TestDeletedSpaceCanBeRestoredForSevenDays(t *testing.T) {
	const week = 7 * 24 * time.Hour
	eachClocked(t, func(t *testing.T, s *store.Store, clock *hands, _ store.Options) {
		x := newTrash(t, s)
		x.delete()
		clock.turn(week - time.Hour)
		x.work()
		if err := x.restore(); err != nil {
			t.Fatalf("after 6 days and 23 hours: %v", err)
		}
		if got := queue(t, s); len(got) > 0 {
			t.Errorf("after the restore there waits %v", got)
		}
		if err := x.restore(); !errs.Is(err, errs.Conflict) {
			t.Errorf("restoring what is not deleted: %v", err)
		}

		// The week begins again with the second deletion.
		clock.turn(2 * time.Hour)
		x.delete()
		clock.turn(week - time.Hour)
		x.work()
		if !x.stored() {
			t.Fatal("it was purged a week after the first deletion")
		}
		clock.turn(time.Hour + time.Minute)
		if err := x.restore(); !errs.Is(err, errs.NotFound) {
			t.Errorf("a minute late, not purged yet: %v", err)
		}
		x.work()
		if x.stored() {
			t.Error("it was not purged")
		}
		if err := x.restore(); !errs.Is(err, errs.NotFound) {
			t.Errorf("a minute late, purged: %v", err)
		}
		if got := queue(t, s); len(got) > 0 {
			t.Errorf("in the end there waits %v", got)
		}
	})
}

// A node that lost its lease may purge a second time, or too early.
func TestPurgeIsHarmlessAtAnyTime(t *testing.T) {
	eachClocked(t, func(t *testing.T, s *store.Store, clock *hands, _ store.Options) {
		x := newTrash(t, s)
		purge := func() {
			t.Helper()
			if err := x.sv.Spaces.Purge(context.Background(), []byte(`{"space":"`+string(x.id)+`"}`)); err != nil {
				t.Fatal(err)
			}
		}
		purge()
		x.delete()
		purge()
		if err := x.restore(); err != nil {
			t.Fatalf("it was purged too early: %v", err)
		}
		x.delete()
		clock.turn(8 * 24 * time.Hour)
		purge()
		purge()
		x.work()
		if x.stored() || len(queue(t, s)) > 0 {
			t.Errorf("stored %v, queue %v", x.stored(), queue(t, s))
		}
	})
}
