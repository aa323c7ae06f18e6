package gitsync

import (
	"context"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/git"
	"github.com/octavo-docs/octavo/internal/jobs"
	"github.com/octavo-docs/octavo/internal/seal"
	"github.com/octavo-docs/octavo/internal/store"
)

// Input is what an import and an export have in common.
type Input struct {
	URL       string // may have credentials in it
	Ref       string // a branch, short or in full; a tag in full for imports
	CacheID   string
	TreeURL   string
	CommitURL string
	Directory string
	Timestamp docs.Time // of what the request is about; 0 is unknown
	Force     bool
	Provider  string
	InfoURL   string
	// Credentials besides those in the URL, for callers that have a key. They
	// come first.
	Credentials git.Credentials
	// Operator says that it is asked at the command line, by somebody who
	// owns the data.
	Operator bool
}

// ImportInput is what an import is asked with.
type ImportInput struct {
	Input
	Standalone bool // makes a revision and leaves the space as it is
}

// ExportInput is what an export is asked with.
type ExportInput struct {
	Input
	Message string
}

// Import queues an import into the space of a grant.
func (s *Service) Import(ctx context.Context, g *authz.Grant, in ImportInput) (docs.GitOperation, error) {
	return s.request(ctx, g, docs.GitImport, in.Input, docs.GitRequest{Standalone: in.Standalone})
}

// Export queues an export of the space of a grant.
func (s *Service) Export(ctx context.Context, g *authz.Grant, in ExportInput) (docs.GitOperation, error) {
	if err := checkMessage("body.commitMessage", in.Message); err != nil {
		return docs.GitOperation{}, err
	}
	return s.request(ctx, g, docs.GitExport, in.Input, docs.GitRequest{Message: in.Message})
}

// request checks what was asked, and queues it.
func (s *Service) request(ctx context.Context, g *authz.Grant, d docs.GitDirection, in Input, req docs.GitRequest) (docs.GitOperation, error) {
	remote, secret, err := in.remote(d)
	if err != nil {
		return docs.GitOperation{}, err
	}
	if err := in.fill(&req, docs.TimeOf(s.Store.Clock())); err != nil {
		return docs.GitOperation{}, err
	}
	return authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (docs.GitOperation, error) {
		o, fresh, err := queue(ctx, tx, docs.GitOperation{Space: g.Space.ID, Direction: d, Remote: remote, Request: req, User: g.Actor.User}, secret)
		if err != nil {
			return o, err
		}
		if !req.Standalone {
			if err := tx.PutGitInfo(ctx, g.Space.ID, infoOf(remote, req, tx.Now())); err != nil {
				return o, err
			}
		}
		if !fresh {
			return o, nil
		}
		return o, audit.Record(ctx, tx, g.Actor, event(g.Space, string(d), map[string]any{
			"operation": o.ID, "url": remote.URL, "ref": remote.Ref, "directory": remote.Directory, "force": req.Force,
		}))
	})
}

// event reports what somebody did to a space with git.
func event(sp docs.Space, verb string, data map[string]any) audit.Event {
	return audit.Event{Org: sp.Org, Action: "space.git." + verb, Kind: "space", ID: string(sp.ID), Data: data}
}

// remote checks where a request leads to.
func (in Input) remote(d docs.GitDirection) (docs.GitRemote, git.Credentials, error) {
	var m docs.GitRemote
	clean, secret, err := checkURL("body.url", in.URL)
	if err != nil {
		return m, git.Credentials{}, err
	}
	if in.Credentials.Password != "" || in.Credentials.Username != "" || len(in.Credentials.PrivateKey) > 0 {
		secret = in.Credentials
	} else {
		secret.KnownHosts = in.Credentials.KnownHosts
	}
	ref := fullRef(in.Ref)
	if err := checkRef("body.ref", ref, d == docs.GitExport); err != nil {
		return m, git.Credentials{}, err
	}
	dir, err := checkDirectory("body.repoProjectDirectory", in.Directory)
	return docs.GitRemote{URL: clean, Ref: ref, Directory: dir}, secret, err
}

// fill checks the rest of a request.
func (in Input) fill(req *docs.GitRequest, now docs.Time) (err error) {
	if err := checkCacheID("body.repoCacheID", in.CacheID); err != nil {
		return err
	}
	if req.TreeURL, err = checkLink("body.repoTreeURL", in.TreeURL); err != nil {
		return err
	}
	if req.CommitURL, err = checkLink("body.repoCommitURL", in.CommitURL); err != nil {
		return err
	}
	if err := checkTime("body.timestamp", in.Timestamp, now); err != nil {
		return err
	}
	if err := checkProvider("body.gitInfo.provider", in.Provider); err != nil {
		return err
	}
	if req.InfoURL, err = checkLink("body.gitInfo.url", in.InfoURL); err != nil {
		return err
	}
	req.CacheID, req.Timestamp, req.Force, req.Provider, req.Operator = in.CacheID, in.Timestamp, in.Force, in.Provider, in.Operator
	return nil
}

// queue queues an operation and its job, or gives the one that waits to do
// the same; it reports whether it is a new one. One that runs may have looked
// already, so it does not count. The newest credentials are used.
func queue(ctx context.Context, tx *store.Tx, o docs.GitOperation, secret git.Credentials) (docs.GitOperation, bool, error) {
	open, err := tx.OpenGitOperations(ctx, o.Space)
	if err != nil {
		return o, false, err
	}
	asked := 0
	for _, was := range open {
		if was.State == docs.GitQueued && same(was, o) {
			was = join(was, o)
			was.UpdatedAt = tx.Now()
			if was.Sealed, err = sealCredentials(ctx, tx.Reader, seal.GitOperation, string(was.ID), secret); err != nil {
				return o, false, err
			}
			if err := tx.PutGitOperation(ctx, was); err != nil {
				return o, false, err
			}
			return was, false, enqueue(ctx, tx, was) // it may be waiting for its next attempt
		}
		if !was.Request.Connected {
			asked++
		}
	}
	if asked >= MaxOpen && !o.Request.Connected {
		return o, false, errs.E(errs.TooMany, "%d operations of this space wait to be done; wait for them to end, see its git operations", asked)
	}
	o.ID, o.State = store.NewID[docs.GitOperationID](tx), docs.GitQueued
	o.CreatedAt, o.UpdatedAt = tx.Now(), tx.Now()
	if o.Sealed, err = sealCredentials(ctx, tx.Reader, seal.GitOperation, string(o.ID), secret); err != nil {
		return o, false, err
	}
	if err := tx.AddGitOperation(ctx, o); err != nil {
		return o, false, err
	}
	return o, true, enqueue(ctx, tx, o)
}

// enqueue has an operation done as soon as it is its turn.
func enqueue(ctx context.Context, tx *store.Tx, o docs.GitOperation) error {
	return jobs.EnqueueQuiet(ctx, tx, jobs.Job{
		Kind: OperationJob, Key: string(o.ID), Payload: OperationPayload{Operation: o.ID, Space: o.Space}, RunAt: tx.Now(),
	}, 0)
}

// same reports whether doing one operation is doing the other. What a person
// asks for without a time is done in any case, so it is no other's. Of a
// connection one import and one export wait at most.
func same(a, b docs.GitOperation) bool {
	if a.Direction != b.Direction || a.Remote != b.Remote || a.Request.Connected != b.Request.Connected {
		return false
	}
	if a.Request.Connected {
		return true
	}
	untimed := a.Request.Timestamp.IsZero() == b.Request.Timestamp.IsZero()
	a.Request.Timestamp, b.Request.Timestamp = 0, 0
	return untimed && a.Request == b.Request && a.User == b.User
}

// join returns an operation that does what both would.
func join(was, o docs.GitOperation) docs.GitOperation {
	at := max(was.Request.Timestamp, o.Request.Timestamp)
	if was.Request.Timestamp.IsZero() || o.Request.Timestamp.IsZero() {
		at = 0 // done in any case
	}
	polled, again := was.Request.Polled && o.Request.Polled, was.Request.Again && o.Request.Again
	was.User, was.Request = o.User, o.Request
	was.Request.Timestamp, was.Request.Polled, was.Request.Again = at, polled, again
	return was
}
