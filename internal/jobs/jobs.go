// Package jobs runs background work that survives the process. A job is a row that is queued in the
// transaction of the change that needs it. One node at a time leases it, and it is retried with
// growing pauses until it succeeds. If a node dies, its lease expires and another node takes over, so
// handlers must tolerate running twice.
package jobs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime/debug"
	"sync"
	"time"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
)

// Handler runs the jobs of one kind.
type Handler func(ctx context.Context, payload []byte) error

// RetryAfter returns an error with which a handler postpones its job: the job runs again after d, and
// the attempt does not count. The handler must not have changed anything.
func RetryAfter(d time.Duration) error { return later{d} }

type later struct{ d time.Duration }

func (l later) Error() string { return "put off for " + l.d.String() }

// minLater is the minimum delay of a postponed job, so that it does not keep a worker busy.
const minLater = 50 * time.Millisecond

// Job is a job to be queued.
type Job struct {
	Kind    string
	Key     string // at most one job of a kind with the same key is queued
	Payload any
	RunAt   docs.Time
}

// Enqueue queues a job in a transaction: the job exists if and only if the transaction is committed.
func Enqueue(ctx context.Context, tx *store.Tx, j Job) error {
	payload, err := json.Marshal(j.Payload)
	if err != nil {
		return err
	}
	return tx.AddJob(ctx, store.Job{Kind: j.Kind, Key: j.Key, Payload: string(payload), RunAt: j.RunAt})
}

// EnqueueDebounced queues a job that is delayed while it is requested again. A waiting job of the
// same kind and key moves to the RunAt of j, but at most longest after it was first queued. A running
// job runs once more, so that it sees the changes that it missed.
func EnqueueDebounced(ctx context.Context, tx *store.Tx, j Job, longest time.Duration) error {
	payload, err := json.Marshal(j.Payload)
	if err != nil {
		return err
	}
	return tx.MoveJob(ctx, store.Job{Kind: j.Kind, Key: j.Key, Payload: string(payload), RunAt: j.RunAt}, longest.Milliseconds())
}

const (
	lease       = 30 * time.Second
	maxAttempts = 20 // with the pauses below: about a day
	maxPause    = 2 * time.Hour
)

// Runner runs the jobs of the queue.
type Runner struct {
	Store   *store.Store
	Log     *slog.Logger
	Poll    time.Duration // how often to check for jobs that other nodes have queued; 0 means once a second
	Workers int           // number of concurrent jobs; 0 means 2
	Renew   time.Duration // how often a lease is renewed; 0 means three times in its length

	node     string
	handlers map[string]Handler
	repeats  []store.Job
	outgoing string // kinds, as of store.JobKinds
}

// New returns a runner without handlers.
func New(s *store.Store, log *slog.Logger) *Runner {
	return &Runner{Store: s, Log: log, node: docs.NewID[string](time.Now()), handlers: map[string]Handler{}}
}

// Handle sets the handler of a kind. All handlers must be set before Run.
func (r *Runner) Handle(kind string, h Handler) { r.handlers[kind] = h }

// Every adds a repeating job. It runs once per period across all nodes.
func (r *Runner) Every(period time.Duration, kind string, h Handler) {
	r.Handle(kind, h)
	r.repeats = append(r.repeats, store.Job{Kind: kind, Key: "every", Payload: "{}", Every: period.Milliseconds()})
}

// Outgoing names the kinds whose jobs have effects outside of the installation. They wait
// while the installation is paused.
func (r *Runner) Outgoing(kinds ...string) { r.outgoing = store.JobKinds(kinds...) }

// Schedule queues the repeating jobs, each once across all nodes.
func (r *Runner) Schedule(ctx context.Context) error {
	return r.Store.Do(ctx, func(tx *store.Tx) error {
		for _, j := range r.repeats {
			j.RunAt = tx.Now()
			if err := tx.AddJob(ctx, j); err != nil {
				return err
			}
		}
		return nil
	})
}

// Run works until ctx ends, then waits for the jobs in progress.
func (r *Runner) Run(ctx context.Context) {
	var wg sync.WaitGroup
	workers := r.Workers
	if workers == 0 {
		workers = 2
	}
	for range workers {
		wg.Go(func() { r.work(ctx) })
	}
	wg.Wait()
}

func (r *Runner) work(ctx context.Context) {
	poll := r.Poll
	if poll == 0 {
		poll = time.Second
	}
	for ctx.Err() == nil {
		did, err := r.RunOne(ctx)
		if err != nil && ctx.Err() == nil {
			r.Log.Error("jobs: the queue cannot be read", "error", err)
		}
		if did {
			continue
		}
		select {
		case <-ctx.Done():
		case <-r.Store.JobQueued():
		case <-time.After(poll/2 + rand.N(poll)): // spreads the nodes
		}
	}
}

// RunOne runs the job that has waited longest, if one is due. It reports whether a job ran.
func (r *Runner) RunOne(ctx context.Context) (bool, error) {
	due, err := r.Store.JobDue(ctx, docs.TimeOf(r.Store.Clock()), r.outgoing)
	if err != nil || !due {
		return false, err
	}
	return r.claimed(ctx, func(tx *store.Tx) (store.Job, error) {
		return tx.ClaimJob(ctx, r.node, tx.Now().Add(lease), r.outgoing)
	})
}

// RunOnly runs one job, also if it is outgoing and the installation is paused, if it is due and no other node has it. It reports whether the job ran.
func (r *Runner) RunOnly(ctx context.Context, kind, key string) (bool, error) {
	return r.claimed(ctx, func(tx *store.Tx) (store.Job, error) {
		return tx.ClaimJobOf(ctx, r.node, tx.Now().Add(lease), kind, key)
	})
}

// claimed runs the job that claim leases.
func (r *Runner) claimed(ctx context.Context, claim func(tx *store.Tx) (store.Job, error)) (bool, error) {
	job, err := store.InTx(ctx, r.Store, claim)
	if errs.Is(err, errs.NotFound) {
		return false, nil // another node was faster
	}
	if err != nil {
		return false, err
	}
	start := time.Now()
	failure := r.try(ctx, job)
	var putOff later
	waits := errors.As(failure, &putOff)
	interrupted := failure != nil && ctx.Err() != nil // interrupted by the stop of the program, which is no failure of the job
	log := r.Log.With("kind", job.Kind, "key", job.Key, "attempt", job.Attempts, "took", time.Since(start))
	// Store the outcome even if the program is about to stop.
	done, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	err = r.Store.Do(done, func(tx *store.Tx) error {
		if failure == nil {
			return tx.FinishJob(done, r.node, job)
		}
		if waits {
			return tx.PutOffJob(done, r.node, job, tx.Now().Add(max(putOff.d, minLater)))
		}
		if interrupted {
			return tx.RetryJob(done, r.node, job, tx.Now(), failure.Error(), false)
		}
		giveUp := job.Attempts >= maxAttempts && job.Every == 0
		return tx.RetryJob(done, r.node, job, tx.Now().Add(pause(job.Attempts)), failure.Error(), giveUp)
	})
	switch {
	case errs.Is(err, errs.NotFound): // cancelled with what it was about, or finished by another node
		log.Info("job no longer exists, its outcome does not count", "error", failure)
	case errs.Is(err, errs.Conflict):
		log.Warn("job was taken over by another node, its outcome does not count here", "error", failure)
	case err != nil:
		log.Error("job: its outcome is lost, it will run again", "error", err)
	case waits:
		log.Debug("job put off", "for", putOff.d)
	case interrupted:
		log.Info("job interrupted by the stop, it will run again", "error", failure)
	case errs.Is(failure, errs.NotFound) && job.Attempts < maxAttempts:
		// What it is about was deleted while it ran; the next attempt finds nothing to do.
		log.Info("job did not find what it is about, it will run again", "error", failure)
	case failure != nil:
		log.Warn("job failed", "error", failure)
	default:
		log.Debug("job done")
	}
	return true, nil
}

// try runs the handler of a job. Meanwhile it renews the lease.
func (r *Runner) try(ctx context.Context, job store.Job) (err error) {
	h, ok := r.handlers[job.Kind]
	if !ok {
		return fmt.Errorf("this program knows no job %q; a newer one has queued it", job.Kind)
	}
	ctx, cancel := context.WithCancel(ctx)
	renew := cmp.Or(r.Renew, lease/3)
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(renew):
			}
			err := r.Store.Do(ctx, func(tx *store.Tx) error {
				return tx.ExtendJob(ctx, r.node, job, tx.Now().Add(lease))
			})
			if errs.Is(err, errs.Conflict) || errs.Is(err, errs.NotFound) {
				cancel() // another node has the job now, or it was cancelled
				return
			}
		}
	})
	defer wg.Wait()
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return h(ctx, []byte(job.Payload))
}

// pause returns the time until the next attempt. It grows fourfold: 1 s, 4 s, 16 s … up to maxPause.
// Jitter keeps jobs that failed together from being retried together.
func pause(attempt int) time.Duration {
	d := min(time.Second<<(2*min(attempt-1, 10)), maxPause)
	return d + rand.N(d/10+1)
}
