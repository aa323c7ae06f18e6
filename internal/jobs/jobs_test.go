package jobs_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/jobs"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// hands is a clock that only the test moves.
type hands struct{ ns atomic.Int64 }

func newHands() *hands {
	h := &hands{}
	h.ns.Store(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano())
	return h
}

func (h *hands) now() time.Time       { return time.Unix(0, h.ns.Load()) }
func (h *hands) turn(d time.Duration) { h.ns.Add(int64(d)) }

// eachClocked runs a test with each database on an empty store with a clock.
func eachClocked(t *testing.T, test func(t *testing.T, s *store.Store, clock *hands, o store.Options)) {
	t.Helper()
	testdb.Each(t, func(t *testing.T, o store.Options) {
		clock := newHands()
		o.Clock = clock.now
		test(t, testdb.Open(t, o), clock, o)
	})
}

func newRunner(s *store.Store) *jobs.Runner { return jobs.New(s, slog.New(slog.DiscardHandler)) }

func enqueue(t *testing.T, s *store.Store, list ...jobs.Job) {
	t.Helper()
	ctx := context.Background()
	err := s.Do(ctx, func(tx *store.Tx) error {
		for _, j := range list {
			if err := jobs.Enqueue(ctx, tx, j); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// queue returns the number of jobs by state.
func queue(t *testing.T, s *store.Store) map[string]int64 {
	t.Helper()
	counts, err := s.JobCounts(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]int64{}
	for _, c := range counts {
		out[c.State] += c.N
	}
	return out
}

func runOne(t *testing.T, r *jobs.Runner) bool {
	t.Helper()
	did, err := r.RunOne(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return did
}

func claim(t *testing.T, s *store.Store, node string) store.Job {
	t.Helper()
	ctx := context.Background()
	j, err := store.InTx(ctx, s, func(tx *store.Tx) (store.Job, error) {
		return tx.ClaimJob(ctx, node, tx.Now().Add(30*time.Second), "")
	})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func await(t *testing.T, what string, reached func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !reached(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("never reached: " + what)
		}
	}
}

func TestJobExistsIfItsTransactionDoes(t *testing.T) {
	eachClocked(t, func(t *testing.T, s *store.Store, _ *hands, _ store.Options) {
		ctx := context.Background()
		changedMyMind := errors.New("changed my mind")
		err := s.Do(ctx, func(tx *store.Tx) error {
			return errors.Join(jobs.Enqueue(ctx, tx, jobs.Job{Kind: "k", Key: "1"}), changedMyMind)
		})
		if !errors.Is(err, changedMyMind) || len(queue(t, s)) > 0 {
			t.Errorf("error %v, queue %v", err, queue(t, s))
		}
		enqueue(t, s, jobs.Job{Kind: "k", Key: "1"}, jobs.Job{Kind: "k", Key: "2"})
		enqueue(t, s, jobs.Job{Kind: "k", Key: "1"}) // queued a second time
		if got := queue(t, s); got["queued"] != 2 {
			t.Errorf("queue %v, want 2 jobs", got)
		}
	})
}

func TestJobWaitsForItsTime(t *testing.T) {
	eachClocked(t, func(t *testing.T, s *store.Store, clock *hands, _ store.Options) {
		var got []string
		r := newRunner(s)
		r.Handle("k", func(_ context.Context, payload []byte) error { got = append(got, string(payload)); return nil })
		in := func(d time.Duration) jobs.Job {
			return jobs.Job{Kind: "k", Key: d.String(), Payload: d.String(), RunAt: docs.TimeOf(clock.now().Add(d))}
		}
		enqueue(t, s, in(2*time.Hour), in(time.Hour))
		for _, step := range []struct {
			turn time.Duration
			runs bool
		}{{time.Hour - time.Millisecond, false}, {time.Millisecond, true}, {0, false}, {time.Hour, true}, {time.Hour, false}} {
			clock.turn(step.turn)
			if did := runOne(t, r); did != step.runs {
				t.Errorf("at %v: ran %v", clock.now(), did)
			}
		}
		if fmt.Sprint(got) != `["1h0m0s" "2h0m0s"]` {
			t.Errorf("payloads %v", got)
		}
	})
}

func TestManyRunnersRunEachJobOnce(t *testing.T) {
	const n = 200
	eachClocked(t, func(t *testing.T, s *store.Store, _ *hands, o store.Options) {
		stores := []*store.Store{s, testdb.Open(t, o)}
		var mu sync.Mutex
		ran, by := map[string]int{}, map[int]int{}
		ctx, stop := context.WithCancel(context.Background())
		defer stop()
		var wg sync.WaitGroup
		for i := range 4 {
			r := newRunner(stores[i%2])
			r.Poll = time.Millisecond
			r.Handle("k", func(_ context.Context, payload []byte) error {
				mu.Lock()
				ran[string(payload)]++
				by[i]++
				mu.Unlock()
				time.Sleep(time.Millisecond) // leaves jobs for the other nodes
				return nil
			})
			wg.Go(func() { runUntilStopped(ctx, t, r) })
		}
		var list []jobs.Job
		for i := range n {
			list = append(list, jobs.Job{Kind: "k", Key: fmt.Sprint(i), Payload: i})
		}
		enqueue(t, s, list...)
		await(t, "an empty queue", func() bool { return len(queue(t, s)) == 0 })
		stop()
		wg.Wait()
		for i := range n {
			if times := ran[fmt.Sprint(i)]; times != 1 {
				t.Errorf("job %d ran %d times", i, times)
			}
		}
		t.Logf("jobs by runner: %v", by)
	})
}

// runUntilStopped schedules and runs a runner.
func runUntilStopped(ctx context.Context, t *testing.T, r *jobs.Runner) {
	if err := r.Schedule(ctx); err != nil && ctx.Err() == nil {
		t.Error(err)
	}
	r.Run(ctx)
}

func TestFailedJobIsTriedAgainAfterGrowingPauses(t *testing.T) {
	for _, fails := range []struct {
		how string
		by  func() error
	}{
		{"with an error", func() error { return errors.New("not yet") }},
		{"with a panic", func() error { panic("not yet") }},
	} {
		t.Run(fails.how, func(t *testing.T) {
			eachClocked(t, func(t *testing.T, s *store.Store, clock *hands, _ store.Options) {
				r := newRunner(s)
				ran, healed := 0, false
				r.Handle("k", func(context.Context, []byte) error {
					ran++
					if healed {
						return nil
					}
					return fails.by()
				})
				enqueue(t, s, jobs.Job{Kind: "k"})
				for i, pause := range []time.Duration{time.Second, 4 * time.Second, 16 * time.Second, 64 * time.Second} {
					if !runOne(t, r) || ran != i+1 {
						t.Fatalf("attempt %d was not made", i+1)
					}
					clock.turn(pause - time.Millisecond)
					if runOne(t, r) {
						t.Fatalf("attempt %d came before %v were over", i+2, pause)
					}
					clock.turn(pause/10 + 2*time.Millisecond) // the jitter
				}
				healed = true
				if !runOne(t, r) || len(queue(t, s)) > 0 {
					t.Errorf("the job is still there: %v", queue(t, s))
				}
			})
		})
	}
}

func TestJobIsGivenUpAndKept(t *testing.T) {
	eachClocked(t, func(t *testing.T, s *store.Store, clock *hands, _ store.Options) {
		r := newRunner(s)
		ran := 0
		r.Handle("k", func(context.Context, []byte) error { ran++; return errors.New("never") })
		enqueue(t, s, jobs.Job{Kind: "k"})
		began := clock.now()
		for queue(t, s)["failed"] == 0 && ran < 100 {
			runOne(t, r)
			clock.turn(3 * time.Hour) // longer than any pause
		}
		if ran != 20 || queue(t, s)["failed"] != 1 {
			t.Errorf("%d attempts in %v, then %v", ran, clock.now().Sub(began), queue(t, s))
		}
		clock.turn(365 * 24 * time.Hour)
		if runOne(t, r) {
			t.Error("it was tried again after it was given up")
		}
	})
}

func TestDeadNodeLosesItsJobToAnother(t *testing.T) {
	eachClocked(t, func(t *testing.T, s *store.Store, clock *hands, _ store.Options) {
		enqueue(t, s, jobs.Job{Kind: "k"})
		claim(t, s, "dies")
		r := newRunner(s)
		ran := 0
		r.Handle("k", func(context.Context, []byte) error { ran++; return nil })
		clock.turn(29 * time.Second)
		if runOne(t, r) {
			t.Fatal("a job was taken from a node that may be alive")
		}
		clock.turn(2 * time.Second)
		if !runOne(t, r) || ran != 1 || len(queue(t, s)) > 0 {
			t.Errorf("it ran %d times, queue %v", ran, queue(t, s))
		}
	})
}

func TestLostLeaseEndsEveryRight(t *testing.T) {
	ctx := context.Background()
	actions := []struct {
		name string
		do   func(tx *store.Tx, j store.Job) error
	}{
		{"finish", func(tx *store.Tx, j store.Job) error { return tx.FinishJob(ctx, "slow", j) }},
		{"finish a run", func(tx *store.Tx, j store.Job) error { j.Every = 1; return tx.FinishJob(ctx, "slow", j) }},
		{"extend", func(tx *store.Tx, j store.Job) error { return tx.ExtendJob(ctx, "slow", j, tx.Now()+1) }},
		{"retry", func(tx *store.Tx, j store.Job) error { return tx.RetryJob(ctx, "slow", j, tx.Now(), "failed", false) }},
		{"give up", func(tx *store.Tx, j store.Job) error { return tx.RetryJob(ctx, "slow", j, tx.Now(), "failed", true) }},
	}
	eachClocked(t, func(t *testing.T, s *store.Store, clock *hands, _ store.Options) {
		for _, next := range []string{"fast", "slow"} { // the same node can claim the job again with a new lease
			for _, action := range actions {
				enqueue(t, s, jobs.Job{Kind: "k"})
				old := claim(t, s, "slow")
				clock.turn(time.Minute)
				held := claim(t, s, next)
				err := s.Do(ctx, func(tx *store.Tx) error { return action.do(tx, old) })
				if !errs.Is(err, errs.Conflict) {
					t.Errorf("%s, when %s has the lease: error %v, want a conflict", action.name, next, err)
				}
				err = s.Do(ctx, func(tx *store.Tx) error { return tx.FinishJob(ctx, next, held) })
				if err != nil || len(queue(t, s)) > 0 {
					t.Fatalf("after %s, %s could not finish: %v, queue %v", action.name, next, err, queue(t, s))
				}
			}
		}
	})
}

// A job that runs for longer than a lease keeps the lease.
func TestLeaseIsRenewed(t *testing.T) {
	eachClocked(t, func(t *testing.T, s *store.Store, clock *hands, _ store.Options) {
		r, other := newRunner(s), newRunner(s)
		r.Renew = time.Millisecond
		other.Handle("k", func(context.Context, []byte) error { t.Error("another node took it"); return nil })
		free := func() bool {
			due, err := s.JobDue(context.Background(), docs.TimeOf(clock.now()), "")
			return due || err != nil
		}
		r.Handle("k", func(context.Context, []byte) error {
			for range 5 { // two minutes, in steps that are shorter than the lease
				clock.turn(25 * time.Second)
				at := docs.TimeOf(clock.now().Add(25 * time.Second))
				await(t, "a renewal", func() bool {
					due, err := s.JobDue(context.Background(), at, "")
					return err == nil && !due
				})
				if free() || runOne(t, other) {
					t.Error("the job was free while it ran")
				}
			}
			return nil
		})
		enqueue(t, s, jobs.Job{Kind: "k"})
		if !runOne(t, r) || len(queue(t, s)) > 0 {
			t.Errorf("in the end there waits %v", queue(t, s))
		}
	})
}

// A node that loses its lease cancels the job.
func TestLostLeaseEndsTheJob(t *testing.T) {
	eachClocked(t, func(t *testing.T, s *store.Store, clock *hands, _ store.Options) {
		r := newRunner(s)
		r.Renew = 50 * time.Millisecond // the first renewal is after the lease has expired
		r.Handle("k", func(ctx context.Context, _ []byte) error {
			clock.turn(time.Minute)
			claim(t, s, "fast")
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(time.Minute):
				t.Error("it goes on, though another node has the job")
				return nil
			}
		})
		enqueue(t, s, jobs.Job{Kind: "k"})
		runOne(t, r)
		if got := queue(t, s); got["running"] != 1 {
			t.Errorf("the job of the other node became %v", got)
		}
	})
}

// A job that was given up runs when it is queued again.
func TestJobThatWasGivenUpGetsAnotherChance(t *testing.T) {
	eachClocked(t, func(t *testing.T, s *store.Store, clock *hands, _ store.Options) {
		r := newRunner(s)
		failure := errors.New("not yet")
		r.Handle("k", func(context.Context, []byte) error { return failure })
		enqueue(t, s, jobs.Job{Kind: "k", Key: "one"})
		for range 30 {
			runOne(t, r)
			clock.turn(3 * time.Hour)
		}
		if got := queue(t, s); got["failed"] != 1 {
			t.Fatalf("it was not given up: %v", got)
		}
		failure = errors.New("almost")
		enqueue(t, s, jobs.Job{Kind: "k", Key: "one"})
		if !runOne(t, r) || queue(t, s)["queued"] != 1 {
			t.Errorf("asked for again, it has no attempts of its own: %v", queue(t, s))
		}
		failure = nil
		clock.turn(3 * time.Hour)
		if !runOne(t, r) || len(queue(t, s)) > 0 {
			t.Errorf("in the end there waits %v", queue(t, s))
		}
	})
}

// The outcome of a slow node is ignored if another node has finished the job.
func TestOutcomeOfASlowNodeIsIgnored(t *testing.T) {
	eachClocked(t, func(t *testing.T, s *store.Store, clock *hands, o store.Options) {
		fast := newRunner(testdb.Open(t, o))
		done := 0
		fast.Handle("k", func(context.Context, []byte) error { done++; return nil })
		slow := newRunner(s)
		slow.Handle("k", func(context.Context, []byte) error {
			clock.turn(time.Minute)
			if !runOne(t, fast) {
				t.Error("the other node did not take over")
			}
			return errors.New("too late")
		})
		enqueue(t, s, jobs.Job{Kind: "k"})
		runOne(t, slow)
		clock.turn(24 * time.Hour)
		if got := queue(t, s); done != 1 || len(got) > 0 || runOne(t, fast) {
			t.Errorf("done %d times, queue %v", done, got)
		}
	})
}

func TestRepeatingJobRunsOncePerPeriodOverAllNodes(t *testing.T) {
	eachClocked(t, func(t *testing.T, s *store.Store, clock *hands, o store.Options) {
		var ran atomic.Int64
		nodes := []*jobs.Runner{newRunner(s), newRunner(testdb.Open(t, o))}
		ctx, stop := context.WithCancel(context.Background())
		defer stop()
		var wg sync.WaitGroup
		for _, r := range nodes {
			r.Poll = time.Millisecond
			r.Every(time.Hour, "k", func(context.Context, []byte) error { ran.Add(1); return nil })
			wg.Go(func() { runUntilStopped(ctx, t, r) })
		}
		runs := func() int64 {
			n, err := s.JobRuns(context.Background(), "k", "every")
			if errs.Is(err, errs.NotFound) {
				return 0 // not scheduled yet
			}
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		await(t, "the first run", func() bool { return runs() == 1 })
		stop()
		wg.Wait()

		// From here on, the test runs the jobs of both nodes at once.
		steps := []struct {
			turn time.Duration
			runs int64 // total
		}{
			{0, 1},
			{time.Hour - time.Millisecond, 1},
			{time.Millisecond, 2},
			{time.Hour, 3},
			{10 * time.Hour, 4}, // missed runs are not repeated
			{0, 4},
		}
		for _, step := range steps {
			clock.turn(step.turn)
			var asked sync.WaitGroup
			for _, r := range nodes {
				asked.Go(func() {
					if _, err := r.RunOne(context.Background()); err != nil {
						t.Error(err)
					}
				})
			}
			asked.Wait()
			if runs() != step.runs || ran.Load() != step.runs {
				t.Fatalf("%v later: %d runs are noted, %d were made, want %d", step.turn, runs(), ran.Load(), step.runs)
			}
		}
	})
}

func TestRepeatingJobIsNeverGivenUp(t *testing.T) {
	eachClocked(t, func(t *testing.T, s *store.Store, clock *hands, _ store.Options) {
		ctx := context.Background()
		err := s.Do(ctx, func(tx *store.Tx) error {
			return tx.AddJob(ctx, store.Job{Kind: "k", Key: "every", Payload: "{}", Every: 1, RunAt: tx.Now()})
		})
		if err != nil {
			t.Fatal(err)
		}
		r := newRunner(s)
		r.Handle("k", func(context.Context, []byte) error { return errors.New("never") })
		for i := range 25 {
			if !runOne(t, r) {
				t.Fatalf("attempt %d was not made; queue %v", i+1, queue(t, s))
			}
			clock.turn(3 * time.Hour)
		}
	})
}

// While nodes have different versions, an old node may find jobs that only a newer one can run.
func TestJobOfAnUnknownKindWaitsForANodeThatKnowsIt(t *testing.T) {
	eachClocked(t, func(t *testing.T, s *store.Store, clock *hands, _ store.Options) {
		enqueue(t, s, jobs.Job{Kind: "new"})
		runOne(t, newRunner(s))
		clock.turn(time.Minute)
		r := newRunner(s)
		ran := false
		r.Handle("new", func(context.Context, []byte) error { ran = true; return nil })
		if !runOne(t, r) || !ran {
			t.Errorf("it did not run; queue %v", queue(t, s))
		}
	})
}

func TestStoppingWaitsForTheJobUnderWay(t *testing.T) {
	eachClocked(t, func(t *testing.T, s *store.Store, _ *hands, _ store.Options) {
		ctx, stop := context.WithCancel(context.Background())
		started, finished := make(chan struct{}), false
		r := newRunner(s)
		r.Poll = time.Millisecond
		r.Handle("k", func(ctx context.Context, _ []byte) error {
			close(started)
			<-ctx.Done() // the handler is canceled, but still succeeds
			finished = true
			return nil
		})
		enqueue(t, s, jobs.Job{Kind: "k"})
		go func() { <-started; stop() }()
		r.Run(ctx)
		if !finished || len(queue(t, s)) > 0 {
			t.Errorf("finished %v, queue %v", finished, queue(t, s))
		}
	})
}

// Frequent restarts of the server must not use up the attempts of a job.
func TestInterruptedJobRunsAgainAtOnce(t *testing.T) {
	eachClocked(t, func(t *testing.T, s *store.Store, _ *hands, _ store.Options) {
		enqueue(t, s, jobs.Job{Kind: "k"})
		for range 25 { // more than the attempts that a failing job has
			ctx, stop := context.WithCancel(context.Background())
			r := newRunner(s)
			r.Handle("k", func(ctx context.Context, _ []byte) error { stop(); <-ctx.Done(); return ctx.Err() })
			if did, err := r.RunOne(ctx); err != nil || !did {
				t.Fatalf("ran %v, %v; queue %v", did, err, queue(t, s))
			}
		}
		r := newRunner(s)
		r.Handle("k", func(context.Context, []byte) error { return nil })
		if !runOne(t, r) || len(queue(t, s)) > 0 {
			t.Errorf("the job is still there: %v", queue(t, s))
		}
	})
}

// A postponed job waits as long as necessary, and has all its attempts when it begins.
func TestJobCanBePutOff(t *testing.T) {
	eachClocked(t, func(t *testing.T, s *store.Store, clock *hands, _ store.Options) {
		runs, ready := 0, false
		r := newRunner(s)
		r.Handle("k", func(context.Context, []byte) error {
			runs++
			if !ready {
				return fmt.Errorf("another goes first: %w", jobs.RetryAfter(time.Minute))
			}
			return nil
		})
		enqueue(t, s, jobs.Job{Kind: "k", Key: "1"})
		for i := range 50 { // more than a job has attempts
			if !runOne(t, r) || runs != i+1 || runOne(t, r) {
				t.Fatalf("after %d minutes it ran %d times", i, runs)
			}
			clock.turn(time.Minute - time.Millisecond)
			if runOne(t, r) {
				t.Fatal("it ran too early")
			}
			clock.turn(time.Millisecond)
		}
		if j := claim(t, s, "node"); j.Attempts != 1 {
			t.Errorf("%d attempts were counted", j.Attempts)
		}
		clock.turn(time.Hour) // the node has stopped
		ready = true
		if !runOne(t, r) || len(queue(t, s)) > 0 {
			t.Errorf("queue %v", queue(t, s))
		}
	})
}

func TestQuietJobWaitsForQuiet(t *testing.T) {
	eachClocked(t, func(t *testing.T, s *store.Store, clock *hands, _ store.Options) {
		ctx := context.Background()
		runs := 0
		during := func() {}
		r := newRunner(s)
		r.Handle("k", func(context.Context, []byte) error { runs++; during(); return nil })
		ask := func(in time.Duration) {
			t.Helper()
			err := s.Do(ctx, func(tx *store.Tx) error {
				return jobs.EnqueueDebounced(ctx, tx, jobs.Job{Kind: "k", Key: "1", RunAt: tx.Now().Add(in)}, 2*time.Minute)
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		// The job is queued every 20 seconds with a delay of 30 seconds.
		began := clock.now()
		for runs == 0 {
			ask(30 * time.Second)
			clock.turn(20 * time.Second)
			runOne(t, r)
		}
		if waited := clock.now().Sub(began); waited != 2*time.Minute || len(queue(t, s)) > 0 {
			t.Errorf("it waited for %v; queue %v", waited, queue(t, s))
		}
		ask(30 * time.Second)
		ask(0) // without a delay
		if !runOne(t, r) || runs != 2 {
			t.Errorf("%d runs", runs)
		}
		// If the job is queued while it runs, it runs again.
		ask(0)
		during = func() { ask(0); ask(0); during = func() {} }
		if !runOne(t, r) || queue(t, s)["queued"] != 1 {
			t.Fatalf("queue %v", queue(t, s))
		}
		clock.turn(time.Second)
		if !runOne(t, r) || runs != 4 || len(queue(t, s)) > 0 {
			t.Errorf("%d runs, queue %v", runs, queue(t, s))
		}
	})
}

// logged returns a runner that writes its log into the returned buffer.
func logged(s *store.Store) (*jobs.Runner, *bytes.Buffer) {
	var log bytes.Buffer
	return jobs.New(s, slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))), &log
}

// A job whose target is deleted while it runs has nothing to report, whether the job is
// cancelled with its target or finds out itself.
func TestJobWhoseTargetIsDeletedIsNoFailure(t *testing.T) {
	eachClocked(t, func(t *testing.T, s *store.Store, clock *hands, _ store.Options) {
		for _, outcome := range []error{nil, errs.Missing("space"), errors.New("no engine"), jobs.RetryAfter(time.Hour)} {
			r, log := logged(s)
			r.Handle("k", func(ctx context.Context, _ []byte) error {
				if err := s.Do(ctx, func(tx *store.Tx) error { _, err := tx.DropJob(ctx, "k", "one"); return err }); err != nil {
					t.Error(err)
				}
				return outcome
			})
			enqueue(t, s, jobs.Job{Kind: "k", Key: "one"})
			if !runOne(t, r) || log.Len() > 0 || len(queue(t, s)) > 0 {
				t.Errorf("cancelled, outcome %v: queue %v, log %s", outcome, queue(t, s), log)
			}
		}
		r, log := logged(s)
		found := true
		r.Handle("k", func(context.Context, []byte) error {
			if found {
				found = false
				return fmt.Errorf("merge: %w", errs.Missing("space"))
			}
			return nil
		})
		enqueue(t, s, jobs.Job{Kind: "k", Key: "two"})
		runOne(t, r)
		clock.turn(time.Minute)
		if !runOne(t, r) || log.Len() > 0 || len(queue(t, s)) > 0 {
			t.Errorf("not cancelled: queue %v, log %s", queue(t, s), log)
		}
	})
}

// A handler that runs for long learns that its job was cancelled.
func TestCancelledJobEnds(t *testing.T) {
	eachClocked(t, func(t *testing.T, s *store.Store, _ *hands, _ store.Options) {
		r, log := logged(s)
		r.Renew = time.Millisecond
		r.Handle("k", func(ctx context.Context, _ []byte) error {
			if err := s.Do(ctx, func(tx *store.Tx) error { _, err := tx.DropJob(ctx, "k", "one"); return err }); err != nil {
				t.Error(err)
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(time.Minute):
				t.Error("it goes on, though it was cancelled")
				return nil
			}
		})
		enqueue(t, s, jobs.Job{Kind: "k", Key: "one"})
		if !runOne(t, r) || log.Len() > 0 {
			t.Error("log", log)
		}
	})
}
