package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

// Job is a piece of background work.
type Job struct {
	ID       string
	Kind     string
	Key      string
	Payload  string
	Every    int64 // milliseconds; 0: once
	RunAt    docs.Time
	Attempts int
	Runs     int
}

const jobColumns = `id, kind, key, payload, every_ms, run_at, attempts, runs`

func scanJob(s engine.Scanner) (j Job, err error) {
	err = s.Scan(&j.ID, &j.Kind, &j.Key, &j.Payload, &j.Every, &j.RunAt, &j.Attempts, &j.Runs)
	return j, err
}

// AddJob queues a job. If there is a job of the same kind and key, it is not queued
// twice; one that has failed is queued again.
func (tx serverWrites) AddJob(ctx context.Context, j Job) error {
	tx.wake(j)
	return engine.Put(ctx, tx, `
		INSERT INTO jobs (id, kind, key, payload, state, every_ms, run_at, attempts, runs, leased_by, lease_until, last_error, created_at)
		VALUES ($1, $2, $3, $4, 'queued', $5, $6, 0, 0, '', 0, '', $7)
		ON CONFLICT (kind, key) DO UPDATE SET every_ms = excluded.every_ms,
			run_at   = CASE WHEN jobs.state = 'failed' THEN excluded.run_at ELSE jobs.run_at END,
			attempts = CASE WHEN jobs.state = 'failed' THEN 0 ELSE jobs.attempts END,
			state    = CASE WHEN jobs.state = 'failed' THEN 'queued' ELSE jobs.state END`,
		engine.NewID[string](tx), j.Kind, j.Key, j.Payload, j.Every, j.RunAt, tx.Now())
}

// MoveJob queues a job. If it is queued already, it is postponed to the time of j,
// but at most by longest, in milliseconds, after it was first queued. A running job
// runs once more.
func (tx serverWrites) MoveJob(ctx context.Context, j Job, longest int64) error {
	tx.wake(j)
	return engine.Put(ctx, tx, `
		INSERT INTO jobs (id, kind, key, payload, state, every_ms, run_at, attempts, runs, leased_by, lease_until, last_error, created_at)
		VALUES ($1, $2, $3, $4, 'queued', 0, $5, 0, 0, '', 0, '', $6)
		ON CONFLICT (kind, key) DO UPDATE SET
			run_at   = CASE
				WHEN jobs.state = 'queued' AND jobs.created_at + $7 < excluded.run_at THEN jobs.created_at + $7
				WHEN jobs.state = 'running' AND excluded.run_at <= jobs.run_at THEN jobs.run_at + 1
				ELSE excluded.run_at END,
			attempts = CASE WHEN jobs.state = 'failed' THEN 0 ELSE jobs.attempts END,
			state    = CASE WHEN jobs.state = 'failed' THEN 'queued' ELSE jobs.state END`,
		engine.NewID[string](tx), j.Kind, j.Key, j.Payload, j.RunAt, tx.Now(), longest)
}

// JobQueued returns a channel that receives a value when a transaction of this
// process has queued a job that is due. Jobs of other processes are found by polling.
func (s *Store) JobQueued() <-chan struct{} { return s.jobs }

// wake notifies the workers of a job after the commit.
func (tx serverWrites) wake(j Job) {
	if j.RunAt > tx.Now() {
		return
	}
	tx.OnCommit(func() {
		select {
		case tx.jobs <- struct{}{}:
		default: // the workers have been notified already
		}
	})
}

// DropJob cancels a job; it reports whether there was one.
func (tx serverWrites) DropJob(ctx context.Context, kind, key string) (bool, error) {
	n, err := engine.Exec(ctx, tx, `DELETE FROM jobs WHERE kind = $1 AND key = $2`, kind, key)
	return n > 0, err
}

// A job is due when its time has come, or when the lease of the process that ran it
// has expired.
const jobDue = `(state = 'queued' AND run_at <= $1) OR (state = 'running' AND lease_until <= $1)`

// notPaused is true for jobs that may begin: all, or all but those whose kinds are in the
// list of a parameter if the installation is paused. The list is as JobKinds returns it.
const notPaused = `((SELECT paused_at FROM instance) = 0 OR %s NOT LIKE '%%,' || kind || ',%%')`

// JobKinds returns a list of kinds for JobDue and ClaimJob.
func JobKinds(kinds ...string) string { return "," + strings.Join(kinds, ",") + "," }

// JobDue reports whether ClaimJob would find something; it takes no lock.
func (r serverReads) JobDue(ctx context.Context, now docs.Time, outgoing string) (bool, error) {
	n, err := engine.One(ctx, r, "count", engine.ScanInt, `SELECT COUNT(*) FROM (SELECT 1 FROM jobs WHERE (`+jobDue+`) AND `+fmt.Sprintf(notPaused, "$2")+` LIMIT 1) AS due`, now, outgoing)
	return n > 0, err
}

// ClaimJob leases the job that has waited longest to a node. Jobs of outgoing kinds wait
// while the installation is paused. NotFound: none.
func (tx serverWrites) ClaimJob(ctx context.Context, node string, lease docs.Time, outgoing string) (Job, error) {
	return engine.One(ctx, tx, "job", scanJob, `
		UPDATE jobs SET state = 'running', leased_by = $2, lease_until = $3, attempts = attempts + 1
		WHERE id = (SELECT id FROM jobs WHERE (`+jobDue+`) AND `+fmt.Sprintf(notPaused, "$4")+` ORDER BY run_at, id LIMIT 1 `+engine.SkipLocked(tx)+`)
		RETURNING `+jobColumns, tx.Now(), node, lease, outgoing)
}

// ClaimJobOf is ClaimJob for one job that somebody asks for, also while the installation is
// paused. NotFound: the job does not exist, is not due, or
// another node has leased it.
func (tx serverWrites) ClaimJobOf(ctx context.Context, node string, lease docs.Time, kind, key string) (Job, error) {
	return engine.One(ctx, tx, "job", scanJob, `
		UPDATE jobs SET state = 'running', leased_by = $2, lease_until = $3, attempts = attempts + 1
		WHERE kind = $4 AND key = $5 AND (`+jobDue+`) RETURNING `+jobColumns, tx.Now(), node, lease, kind, key)
}

// holding is true as long as the node has the lease of ClaimJob: a node that lost its
// lease cannot change the job any more (Tx.held).
const holding = ` WHERE id = $1 AND leased_by = $2 AND attempts = $3 AND state = 'running'`

// ExtendJob renews the lease.
func (tx serverWrites) ExtendJob(ctx context.Context, node string, j Job, lease docs.Time) error {
	n, err := engine.Exec(ctx, tx, `UPDATE jobs SET lease_until = $4`+holding, j.ID, node, j.Attempts, lease)
	return tx.held(ctx, j, n, err)
}

// FinishJob removes a job that is done, or schedules its next run.
func (tx serverWrites) FinishJob(ctx context.Context, node string, j Job) error {
	if j.Every == 0 {
		n, err := engine.Exec(ctx, tx, `DELETE FROM jobs`+holding+` AND run_at = $4`, j.ID, node, j.Attempts, j.RunAt)
		if err == nil && n == 0 { // MoveJob was called while the job was running
			n, err = engine.Exec(ctx, tx, `UPDATE jobs SET state = 'queued', attempts = 0, leased_by = '', last_error = '', created_at = $4`+holding,
				j.ID, node, j.Attempts, tx.Now())
		}
		return tx.held(ctx, j, n, err)
	}
	n, err := engine.Exec(ctx, tx, `
		UPDATE jobs SET state = 'queued', attempts = 0, runs = runs + 1, leased_by = '', last_error = '', run_at = $4`+holding,
		j.ID, node, j.Attempts, tx.Now()+docs.Time(j.Every))
	return tx.held(ctx, j, n, err)
}

// RetryJob puts a job back after a failure, or fails it.
func (tx serverWrites) RetryJob(ctx context.Context, node string, j Job, at docs.Time, reason string, giveUp bool) error {
	state := "queued"
	if giveUp {
		state = "failed"
	}
	n, err := engine.Exec(ctx, tx, `
		UPDATE jobs SET state = $4, leased_by = '', run_at = $5, last_error = $6`+holding,
		j.ID, node, j.Attempts, state, at, reason)
	return tx.held(ctx, j, n, err)
}

// PutOffJob puts a job back that could not start. The attempt does not count; the
// next one gets its number, which is safe because this node gives up the lease.
func (tx serverWrites) PutOffJob(ctx context.Context, node string, j Job, at docs.Time) error {
	n, err := engine.Exec(ctx, tx, `
		UPDATE jobs SET state = 'queued', attempts = attempts - 1, leased_by = '', run_at = $4`+holding, j.ID, node, j.Attempts, at)
	return tx.held(ctx, j, n, err)
}

// held returns the error of a statement with holding that changed n jobs. NotFound: the
// job does not exist any more, because it was cancelled or another node has finished it.
// Conflict: another node has the lease.
func (tx serverWrites) held(ctx context.Context, j Job, n int64, err error) error {
	if err != nil || n > 0 {
		return err
	}
	if _, err := engine.One(ctx, tx, "job", engine.ScanInt, `SELECT 1 FROM jobs WHERE id = $1`, j.ID); err != nil {
		return err
	}
	return errs.E(errs.Conflict, "another node has taken over the job")
}

// JobCount is the number of jobs of a kind in a state.
type JobCount struct {
	Kind, State string
	N           int64
}

// JobCounts is for metrics.
func (r serverReads) JobCounts(ctx context.Context) ([]JobCount, error) {
	return engine.Many(ctx, r, func(s engine.Scanner) (c JobCount, err error) {
		err = s.Scan(&c.Kind, &c.State, &c.N)
		return c, err
	}, `SELECT kind, state, COUNT(*) FROM jobs GROUP BY kind, state ORDER BY kind, state`)
}

// JobRuns reports how often a job that repeats has finished.
func (r serverReads) JobRuns(ctx context.Context, kind, key string) (int64, error) {
	return engine.One(ctx, r, "job", engine.ScanInt, `SELECT runs FROM jobs WHERE kind = $1 AND key = $2`, kind, key)
}
