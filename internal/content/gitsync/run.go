package gitsync

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/content/git"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/jobs"
	"github.com/octavo-docs/octavo/internal/store"
)

// MaxRunning is the maximum number of operations that a node runs concurrently. Remote
// servers may be slow, and the other jobs of the node must not wait for them.
const MaxRunning = 4

// maxOfOrg is the maximum number of concurrent operations of one organization. An
// organization whose servers do not respond cannot block the others.
const maxOfOrg = MaxRunning - 1

const (
	// wait is the minimum delay before an operation that has to wait for another one of
	// its space is tried again. The delay grows with the waiting time up to waitLongest,
	// because thousands of operations may be waiting.
	wait        = 500 * time.Millisecond
	waitLongest = 15 * time.Second
	waitShare   = 4
	// busyWait is the delay of an operation if another large import is running. It is
	// constant, so that newer operations do not overtake older ones.
	busyWait = 5 * time.Second
	// patience is the time during which an operation is retried after temporary failures.
	patience = time.Hour
	// progressEvery is the minimum interval at which the progress of an operation is
	// stored.
	progressEvery = time.Second
)

// Reasons in addition to those of package git.
const (
	ReasonStale        = "stale"     // something newer was already imported
	ReasonUnchanged    = "unchanged" // both sides are equal
	ReasonConflict     = "conflict"  // both sides changed the same content; a change request was opened
	ReasonReplaced     = "replaced"  // the branch no longer contains the commit that was imported last; a change request was opened
	ReasonFirst        = "first"     // a connection would replace text that exists nowhere else; a change request was opened
	ReasonOpenRequest  = "parked"    // an open change request has an import that was not merged yet
	ReasonNotEmpty     = "not-empty" // the branch has files that an export would replace
	ReasonForbidden    = "forbidden" // the requesting user no longer has the permission
	ReasonContent      = "bad-content"
	ReasonDisconnected = "disconnected"
	ReasonSuperseded   = "superseded" // a newer import from elsewhere was requested before it was retried
	ReasonQuota        = "quota"      // a quota of the organization or the space is exhausted
)

// OperationPayload is the payload of an OperationJob.
type OperationPayload struct {
	Space     docs.SpaceID        `json:"space"`
	Operation docs.GitOperationID `json:"operation"`
}

// Run is the handler of OperationJob and runs an operation. It may be interrupted at any
// point and is then run again.
func (s *Service) Run(ctx context.Context, payload []byte) error {
	var p OperationPayload
	if err := json.Unmarshal(payload, &p); err != nil {
		return err
	}
	o, err := s.Store.GitOperation(ctx, p.Space, p.Operation)
	if errs.Is(err, errs.NotFound) || err == nil && o.Ended() {
		return nil
	}
	if err != nil {
		return err
	}
	first, _, err := s.Store.FirstGitOperation(ctx, o.Space)
	if err != nil {
		return err
	}
	if first.ID != o.ID {
		return jobs.RetryAfter(s.retryIn(o, nil))
	}
	sp, ok, err := store.Maybe(s.Store.Space(ctx, o.Space))
	if err != nil {
		return err
	}
	if ok {
		if !s.running.enter(sp.It.Org) {
			return jobs.RetryAfter(s.retryIn(o, nil))
		}
		defer s.running.leave(sp.It.Org)
	}
	t := &task{s: s, o: o}
	err = t.run(ctx)
	if errs.Is(err, errs.Busy) { // nothing was changed
		return jobs.RetryAfter(s.retryIn(o, err))
	}
	if err != nil && ctx.Err() == nil {
		err = t.fail(ctx, err)
	}
	if err == nil && s.Ended != nil {
		s.Ended(t.o.Direction, t.o.State, t.o.Reason)
	}
	return err
}

// retryIn returns the delay before an operation is tried again. err is set if the
// operation had started and found the server busy.
func (s *Service) retryIn(o docs.GitOperation, err error) time.Duration {
	if err != nil {
		return busyWait
	}
	waited := s.Store.Clock().Sub(o.CreatedAt.Std())
	return min(max(wait, waited/waitShare), waitLongest)
}

// lanes counts the running operations, in total and by organization.
type lanes struct {
	mu  sync.Mutex
	all int
	by  map[docs.OrgID]int
}

// enter reports whether an operation of an organization may run now. If so, the caller
// must call leave when the operation ends.
func (l *lanes) enter(org docs.OrgID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all >= MaxRunning || l.by[org] >= maxOfOrg {
		return false
	}
	if l.by == nil {
		l.by = map[docs.OrgID]int{}
	}
	l.all++
	l.by[org]++
	return true
}

func (l *lanes) leave(org docs.OrgID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all--
	if l.by[org]--; l.by[org] == 0 {
		delete(l.by, org)
	}
}

// task is a running operation.
type task struct {
	s       *Service
	o       docs.GitOperation
	g       *authz.Grant
	repo    *git.Repo
	pair    docs.GitPair
	paired  bool
	savedAt time.Time
	found   []docs.GitProblem
}

func (t *task) run(ctx context.Context) (err error) {
	s := t.s
	if t.g, err = s.grant(ctx, t.o); err != nil {
		return err
	}
	if err := t.begin(ctx); err != nil {
		return err
	}
	if t.pair, t.paired, err = s.Store.GitPair(ctx, t.o.Space, t.o.Remote.Key()); err != nil {
		return err
	}
	if t.stale() {
		return t.end(ctx, ReasonStale, "something newer was already imported; use force to import this anyway", nil)
	}
	creds, err := credentials(ctx, s.Store.Reader, t.o)
	if err != nil {
		return err
	}
	t.repo, err = s.Git.Open(ctx, git.Remote{
		URL: t.o.Remote.URL, Ref: t.o.Remote.Ref, Credentials: creds, Scope: string(t.g.Space.Org), CacheID: t.o.Request.CacheID,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.repo.Close()) }()
	if t.o.Direction == docs.GitExport {
		return t.export(ctx)
	}
	return t.runImport(ctx)
}

// stale reports whether the request is older than one that was already applied.
func (t *task) stale() bool {
	at := t.o.Request.Timestamp
	return t.paired && !t.o.Request.Force && !t.o.Request.Standalone && !at.IsZero() && at < t.pair.Timestamp
}

// grant returns the permissions of the requesting user. The operator of the server may do
// everything.
func (s *Service) grant(ctx context.Context, o docs.GitOperation) (*authz.Grant, error) {
	if !o.Request.Operator {
		return authz.OnBehalf(ctx, s.Store, o.User, authz.SyncSpace, o.Space)
	}
	sp, err := s.Store.Space(ctx, o.Space)
	g := authz.OperatorGrant(o.User)
	g.Space = sp.It
	return g, err
}

// inTx runs a part of an operation in a transaction. The grant contains the space as read
// by the transaction. fn returns the operation as the part leaves it.
func (t *task) inTx(ctx context.Context, fn func(tx *store.Tx, g *authz.Grant, o docs.GitOperation) (docs.GitOperation, error)) error {
	o, err := authz.InTx(ctx, t.s.Store, t.g, func(tx *store.Tx, g *authz.Grant) (docs.GitOperation, error) { return fn(tx, g, t.o) })
	if err == nil {
		t.o = o
	}
	return err
}

// begin stores that the operation is running.
func (t *task) begin(ctx context.Context) error {
	return t.inTx(ctx, func(tx *store.Tx, g *authz.Grant, o docs.GitOperation) (docs.GitOperation, error) {
		o, err := tx.GitOperation(ctx, o.Space, o.ID) // the request may have been updated since
		if err != nil {
			return o, err
		}
		first := o.StartedAt.IsZero()
		if first {
			o.StartedAt = tx.Now()
		}
		o.State, o.Stage, o.Done, o.Total, o.Reason, o.Error, o.UpdatedAt = docs.GitRunning, docs.GitFetch, 0, 0, "", "", tx.Now()
		if err := tx.PutGitOperation(ctx, o); err != nil || !first {
			return o, err
		}
		if o.Request.Polled { // a poll may find no changes; complete records the event if it does
			return o, nil
		}
		return o, t.record(ctx, tx, g, o, "started")
	})
}

// record writes an audit event about the operation.
func (t *task) record(ctx context.Context, tx *store.Tx, g *authz.Grant, o docs.GitOperation, verb string) error {
	rev := o.Revision
	if rev == "" {
		rev = g.Space.Revision
	}
	commit := o.Commit
	if commit == "" {
		commit = t.pair.Commit
	}
	data := map[string]any{"operation": o.ID, "direction": o.Direction, "revision": rev, "commit": commit}
	if verb == "completed" {
		data["state"], data["reason"] = o.State, o.Reason
	}
	return audit.Record(ctx, tx, g.Actor, audit.Event{Org: g.Space.Org, Action: "space.gitsync." + verb, Kind: "space", ID: string(o.Space), Data: data})
}

// stage stores the current stage of the operation.
func (t *task) stage(ctx context.Context, stage docs.GitStage) error {
	t.o.Stage, t.o.Done, t.o.Total = stage, 0, 0
	return t.save(ctx)
}

// save stores the current state of the operation.
func (t *task) save(ctx context.Context) error {
	t.savedAt = time.Now()
	return t.inTx(ctx, func(tx *store.Tx, _ *authz.Grant, o docs.GitOperation) (docs.GitOperation, error) {
		o.UpdatedAt = tx.Now()
		return o, tx.PutGitOperation(ctx, o)
	})
}

// step returns a function that stores the progress of the stage, at most once per
// progressEvery. Errors are ignored, so that they do not stop the operation.
func (t *task) step(ctx context.Context) func(what string, done, all int) {
	return func(_ string, done, all int) {
		t.o.Done, t.o.Total = int64(done), int64(all)
		if time.Since(t.savedAt) >= progressEvery {
			_ = t.save(ctx)
		}
	}
}

// problem records a file that was left out. The message is reduced to one line, because
// it may be printed to a terminal.
func (t *task) problem(p docs.GitProblem) {
	p.Message = git.OneLine(p.Message)
	t.found = append(t.found, p)
}

func (t *task) problems(list []folder.Problem) {
	for _, p := range list {
		t.problem(docs.GitProblem{File: p.File, Line: p.Line, Code: p.Code, Message: p.Message})
	}
}

// end completes the operation successfully, in one transaction with finish, which returns
// the operation with what it found. A reason is set if the outcome may not be the expected one.
func (t *task) end(ctx context.Context, reason, message string, finish func(tx *store.Tx, g *authz.Grant, o docs.GitOperation) (docs.GitOperation, error)) error {
	return t.inTx(ctx, func(tx *store.Tx, g *authz.Grant, o docs.GitOperation) (docs.GitOperation, error) {
		if finish != nil {
			var err error
			if o, err = finish(tx, g, o); err != nil {
				return o, err
			}
		}
		return t.complete(ctx, tx, g, o, docs.GitSuccess, reason, message)
	})
}

// complete stores the outcome of the operation, and returns the operation with it.
func (t *task) complete(ctx context.Context, tx *store.Tx, g *authz.Grant, o docs.GitOperation, state docs.GitState, reason, message string) (docs.GitOperation, error) {
	o.State, o.Reason, o.Error, o.UpdatedAt, o.CompletedAt = state, reason, message, tx.Now(), tx.Now()
	o.Problems, o.ProblemCount = t.found, len(t.found)
	if o.Total > 0 {
		o.Done = o.Total
	}
	if err := tx.PutGitOperation(ctx, o); err != nil {
		return o, err
	}
	if err := tx.TidyGitOperations(ctx, o.Space); err != nil {
		return o, err
	}
	if o.Request.Polled {
		if reason == ReasonUnchanged {
			return o, nil
		}
		if err := t.record(ctx, tx, g, o, "started"); err != nil {
			return o, err
		}
	}
	return o, t.record(ctx, tx, g, o, "completed")
}

// fail completes the operation as failed, or schedules a retry if the failure may be
// temporary.
func (t *task) fail(ctx context.Context, failure error) error {
	reason, message, temporary := explain(failure)
	started := t.o.StartedAt
	if started.IsZero() {
		started = t.o.CreatedAt
	}
	if temporary && docs.TimeOf(t.s.Store.Clock()).Std().Sub(started.Std()) < patience {
		err := t.unchecked(ctx, func(tx *store.Tx, o docs.GitOperation) (docs.GitOperation, error) {
			o.State, o.Reason, o.Error, o.UpdatedAt = docs.GitQueued, reason, message+"; it is tried again", tx.Now()
			return o, tx.PutGitOperation(ctx, o)
		})
		if err != nil {
			return err
		}
		return failure
	}
	if t.s.Log != nil {
		t.s.Log.Warn("git operation failed", "operation", t.o.ID, "space", t.o.Space, "direction", t.o.Direction, "reason", reason, "error", failure)
	}
	// The operation ends even if the requesting user no longer exists, so permissions are
	// not checked.
	return t.unchecked(ctx, func(tx *store.Tx, o docs.GitOperation) (docs.GitOperation, error) {
		sp, err := tx.Space(ctx, o.Space)
		if errs.Is(err, errs.NotFound) {
			return o, nil // the space was deleted, and the operation with it
		}
		if err != nil {
			return o, err
		}
		g := authz.BackgroundGrant(o.User)
		g.Space = sp.It
		if o, err = t.complete(ctx, tx, g, o, docs.GitFailure, reason, message); err != nil {
			return o, err
		}
		if o.Request.Connected && !o.Request.Again && reason == string(git.NotFastForward) {
			return o, requeueExport(ctx, tx, o.Space)
		}
		return o, nil
	})
}

// unchecked is inTx without checking permissions.
func (t *task) unchecked(ctx context.Context, fn func(tx *store.Tx, o docs.GitOperation) (docs.GitOperation, error)) error {
	o, err := store.InTx(ctx, t.s.Store, func(tx *store.Tx) (docs.GitOperation, error) { return fn(tx, t.o) })
	if err == nil {
		t.o = o
	}
	return err
}

// explain returns the reason of a failure, the message for users, and whether the failure
// may be temporary.
func explain(err error) (reason, message string, temporary bool) {
	if r := git.ReasonOf(err); r != "" {
		return string(r), errs.Message(err), r.Temporary()
	}
	var known *failed
	if errors.As(err, &known) {
		return known.reason, known.message, false
	}
	if store.IsCollision(err) {
		return string(git.Internal), "others wrote to the database at the same time", true
	}
	switch errs.KindOf(err) {
	case errs.NotFound, errs.Forbidden, errs.Unauthenticated:
		return ReasonForbidden, "the user who asked for it may no longer synchronize the space: " + errs.Message(err), false
	case errs.Quota:
		return ReasonQuota, errs.Message(err), false
	case errs.Internal:
		return string(git.Internal), "the server failed; see its log for the cause", true
	}
	if errors.Is(err, errDisconnected) {
		return ReasonDisconnected, errs.Message(err), false
	}
	return ReasonContent, errs.Message(err), false
}

// failed is a permanent failure, which is not retried.
type failed struct{ reason, message string }

func (f *failed) Error() string { return f.reason + ": " + f.message }
