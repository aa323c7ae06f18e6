package gitsync

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/octavo-docs/octavo/internal/content/git"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/jobs"
	"github.com/octavo-docs/octavo/internal/store"
)

// Job kinds and intervals for connected spaces.
const (
	// ExportJob is the kind of job that queues the export of a space after a change of
	// its content. Its key is the space ID.
	ExportJob = "git.export"
	// PollJob is the kind of job that queues imports for connections that are due.
	PollJob   = "git.poll"
	PollEvery = 30 * time.Second

	quiet      = 30 * time.Second // without an edit before edits are exported
	longest    = 5 * time.Minute  // maximum delay of an export while further edits follow
	pollBatch  = 50               // maximum number of connections per run; the longest overdue come first
	lostBatch  = 50
	retryAfter = 15 * 60 // minimum number of seconds between polls of a remote after a failure
)

// RevisionAdded queues the export of a new revision of a space, in the transaction that
// creates the revision. A merge is exported immediately, edits after a period without
// further edits. An imported revision is not exported.
func RevisionAdded(ctx context.Context, tx *store.Tx, sp docs.Space, rev docs.Revision) error {
	if rev.Git != nil {
		return nil
	}
	c, ok, err := tx.GitConnection(ctx, sp.ID)
	if err != nil || !ok || c.Paused || !c.Direction.Exports() {
		return err
	}
	at := tx.Now().Add(quiet)
	if rev.Type == docs.RevisionMerge {
		at = tx.Now()
	}
	return jobs.EnqueueDebounced(ctx, tx, jobs.Job{Kind: ExportJob, Key: string(sp.ID), Payload: spacePayload{sp.ID}, RunAt: at}, longest)
}

type spacePayload struct {
	Space docs.SpaceID `json:"space"`
}

// QueueExport is the handler of ExportJob. At most one export waits at a time, because
// each one exports everything that exists when it starts.
func (s *Service) QueueExport(ctx context.Context, payload []byte) error {
	var p spacePayload
	if err := json.Unmarshal(payload, &p); err != nil {
		return err
	}
	return s.Store.DoLocked(ctx, p.Space, func(tx *store.Tx) error {
		c, ok, err := tx.GitConnection(ctx, p.Space)
		if err != nil || !ok || c.Paused || !c.Direction.Exports() {
			return err
		}
		return queueExport(ctx, tx, &c, docs.GitRequest{})
	})
}

// queueExport queues an export of a connection. If the connection imports too, an import
// runs first, so that the export can build on the newest commit.
func queueExport(ctx context.Context, tx *store.Tx, c *docs.GitConnection, req docs.GitRequest) error {
	if c.Direction.Imports() {
		if _, _, err := queueConnected(ctx, tx, c, docs.GitImport, docs.GitRequest{Polled: true}); err != nil {
			return err
		}
	}
	_, _, err := queueConnected(ctx, tx, c, docs.GitExport, req)
	return err
}

// requeueExport queues another export of a connection after an export found new commits
// in the remote. It does so only once: if the import before the export keeps failing,
// every further export would fail in the same way.
func requeueExport(ctx context.Context, tx *store.Tx, space docs.SpaceID) error {
	c, ok, err := tx.GitConnection(ctx, space)
	if err != nil || !ok || c.Paused || c.Direction != docs.GitSyncBoth {
		return err
	}
	return queueExport(ctx, tx, &c, docs.GitRequest{Again: true})
}

// Poll is the handler of PollJob. It queues imports of connections that are due and idle,
// and exports of connections that are behind. It ends operations whose job no longer
// exists, so that they do not block their space.
func (s *Service) Poll(ctx context.Context, _ []byte) error {
	now := docs.TimeOf(s.Store.Clock())
	due, err := s.Store.DueGitConnections(ctx, now, pollBatch)
	if err != nil {
		return err
	}
	var failed error
	for _, c := range due {
		if err := s.poll(ctx, c.Space); err != nil {
			failed = errors.Join(failed, err)
		}
	}
	lost, err := s.Store.LostGitOperations(ctx, OperationJob, lostBatch)
	if err != nil {
		return errors.Join(failed, err)
	}
	for _, o := range lost {
		if err := s.giveUp(ctx, o); err != nil {
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

// poll queues the operations of a connection that is due, and stores the time of the next
// poll.
func (s *Service) poll(ctx context.Context, space docs.SpaceID) error {
	return s.Store.DoLocked(ctx, space, func(tx *store.Tx) error {
		c, ok, err := tx.GitConnection(ctx, space)
		if err != nil || !ok || c.DueAt.IsZero() || c.DueAt > tx.Now() {
			return err
		}
		pause := c.PollSeconds
		open, err := tx.OpenGitOperations(ctx, space)
		if err != nil {
			return err
		}
		if c.Paused || pause == 0 {
			c.DueAt = 0
			return tx.PutGitConnection(ctx, c)
		}
		last, err := lastOperation(ctx, tx, c)
		if err != nil {
			return err
		}
		if last.State == docs.GitFailure {
			pause = max(pause, retryAfter)
		}
		c.DueAt = tx.Now() + docs.Time(pause)*1000 + docs.Time(rand.N(1000)) // the random offset spreads polls over time
		if len(open) > 0 {
			return tx.PutGitConnection(ctx, c)
		}
		// A poll without changes is removed from the log when a newer one follows.
		if last.Request.Polled && last.State == docs.GitSuccess && last.Reason == ReasonUnchanged {
			if err := tx.DropGitOperation(ctx, space, last.ID); err != nil {
				return err
			}
			c.LastOperation = ""
		}
		if c.Direction.Imports() {
			if _, _, err := queueConnected(ctx, tx, &c, docs.GitImport, docs.GitRequest{Polled: true}); err != nil {
				return err
			}
		}
		if behind, err := isBehind(ctx, tx, c); err != nil {
			return err
		} else if behind && c.Direction.Exports() {
			if _, _, err := queueConnected(ctx, tx, &c, docs.GitExport, docs.GitRequest{Polled: true, Again: last.State == docs.GitFailure}); err != nil {
				return err
			}
		}
		return tx.PutGitConnection(ctx, c)
	})
}

// lastOperation returns the newest operation of a connection, or the zero value if it was
// removed.
func lastOperation(ctx context.Context, tx *store.Tx, c docs.GitConnection) (docs.GitOperation, error) {
	if c.LastOperation == "" {
		return docs.GitOperation{}, nil
	}
	o, _, err := store.Maybe(tx.GitOperation(ctx, c.Space, c.LastOperation))
	return o, err
}

// isBehind reports whether a space has content that its remote lacks, for example after
// an export that failed or had to wait for a change request.
func isBehind(ctx context.Context, tx *store.Tx, c docs.GitConnection) (bool, error) {
	pair, ok, err := tx.GitPair(ctx, c.Space, c.Remote.Key())
	if err != nil || !ok {
		return false, err
	}
	if pair.Request != "" {
		cr, ok, err := store.Maybe(tx.ChangeRequest(ctx, c.Space, string(pair.Request)))
		if err != nil || ok && (cr.Status == docs.ChangeDraft || cr.Status == docs.ChangeOpen) {
			return false, err
		}
	}
	sp, err := tx.Space(ctx, c.Space)
	return sp.It.Revision != pair.Line, err
}

// giveUp marks an operation whose job no longer exists as failed.
func (s *Service) giveUp(ctx context.Context, o docs.GitOperation) error {
	return s.Store.DoLocked(ctx, o.Space, func(tx *store.Tx) error {
		now, ok, err := store.Maybe(tx.GitOperation(ctx, o.Space, o.ID))
		if err != nil || !ok || now.Ended() {
			return err
		}
		return failOperation(ctx, tx, now, string(git.Internal), "it failed repeatedly because of an error of the server; see the server's log, then start it again")
	})
}
