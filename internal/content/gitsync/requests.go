package gitsync

import (
	"context"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/git"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/jobs"
	"github.com/octavo-docs/octavo/internal/seal"
	"github.com/octavo-docs/octavo/internal/store"
)

// Input holds the fields that import and export requests have in common.
type Input struct {
	URL       string // may contain credentials
	Ref       string // a branch, short or in full; or the full name of a tag for imports
	CacheID   string
	TreeURL   string
	CommitURL string
	Directory string
	Timestamp docs.Time // time of the change that caused the request; 0 means unknown
	Force     bool
	Provider  string
	InfoURL   string
	// Credentials take precedence over credentials in the URL. They are for callers that
	// have a private key.
	Credentials git.Credentials
	// Operator is set for requests of the command line, whose user owns the data.
	Operator bool
}

// ImportInput describes an import.
type ImportInput struct {
	Input
	Standalone bool // store a revision without changing the space
}

// ExportInput describes an export.
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
	if err := checkMessage("commitMessage", in.Message); err != nil {
		return docs.GitOperation{}, err
	}
	return s.request(ctx, g, docs.GitExport, in.Input, docs.GitRequest{Message: in.Message})
}

// request validates and queues an operation.
func (s *Service) request(ctx context.Context, g *authz.Grant, d docs.GitDirection, in Input, req docs.GitRequest) (docs.GitOperation, error) {
	remote, secret, err := in.remote(d)
	if err := errs.All(err, in.fill(&req, docs.TimeOf(s.Store.Clock()))); err != nil {
		return docs.GitOperation{}, err
	}
	return authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (docs.GitOperation, error) {
		if d == docs.GitImport && !req.Standalone {
			if err := endRetries(ctx, tx, g.Space.ID, remote); err != nil {
				return docs.GitOperation{}, err
			}
		}
		o, fresh, err := queue(ctx, tx, docs.GitOperation{Space: g.Space.ID, Direction: d, Remote: remote, Request: req, User: g.Actor.User}, secret)
		if err != nil {
			return o, err
		}
		if !req.Standalone {
			if err := tx.PutGitInfo(ctx, g.Space.ID, infoOf(remote, withKnownInfo(req, g.Space.Git, remote), tx.Now())); err != nil {
				return o, err
			}
		}
		if !fresh {
			return o, nil
		}
		if !req.Operator {
			if err := tx.CountGitOperation(ctx, g.Space.Org); err != nil {
				return o, err
			}
		}
		return o, audit.Record(ctx, tx, g.Actor, event(g.Space, string(d), map[string]any{
			"operation": o.ID, "url": remote.URL, "ref": remote.Ref, "directory": remote.Directory, "force": req.Force,
		}))
	})
}

// event returns the audit event of a change to the git settings of a space.
func event(sp docs.Space, verb string, data map[string]any) audit.Event {
	return audit.Event{Org: sp.Org, Action: "space.git." + verb, Kind: "space", ID: string(sp.ID), Data: data}
}

// remote validates and returns the remote and the credentials of a request.
func (in Input) remote(d docs.GitDirection) (docs.GitRemote, git.Credentials, error) {
	var wrong errs.Mistakes
	clean, secret, err := checkURL("url", in.URL)
	wrong.Add(err)
	if in.Credentials.Password != "" || in.Credentials.Username != "" || len(in.Credentials.PrivateKey) > 0 {
		secret = in.Credentials
	} else {
		secret.KnownHosts = in.Credentials.KnownHosts
	}
	ref := fullRef(in.Ref)
	wrong.Add(checkRef("ref", ref, d == docs.GitExport))
	dir, err := checkDirectory("repoProjectDirectory", in.Directory)
	wrong.Add(err)
	return docs.GitRemote{URL: clean, Ref: ref, Directory: dir}, secret, wrong.Err()
}

// fill validates the other fields of a request and copies them to req.
func (in Input) fill(req *docs.GitRequest, now docs.Time) (err error) {
	var wrong errs.Mistakes
	wrong.Add(checkCacheID("repoCacheID", in.CacheID))
	req.TreeURL, err = checkLink("repoTreeURL", in.TreeURL)
	wrong.Add(err)
	req.CommitURL, err = checkLink("repoCommitURL", in.CommitURL)
	wrong.Add(err, checkTime("timestamp", in.Timestamp, now), checkProvider("gitInfo.provider", in.Provider))
	req.InfoURL, err = checkLink("gitInfo.url", in.InfoURL)
	wrong.Add(err)
	req.CacheID, req.Timestamp, req.Force, req.Provider, req.Operator = in.CacheID, in.Timestamp, in.Force, in.Provider, in.Operator
	return wrong.Err()
}

// queue queues an operation and its job. If an equivalent operation is already waiting,
// queue updates its credentials and returns it with false. A running operation is not
// reused, because it may have read the branch already.
func queue(ctx context.Context, tx *store.Tx, o docs.GitOperation, secret git.Credentials) (docs.GitOperation, bool, error) {
	open, err := tx.OpenGitOperations(ctx, o.Space)
	if err != nil {
		return o, false, err
	}
	asked := 0
	for _, was := range open {
		if was.State == docs.GitQueued && covers(was, o) {
			was = combine(was, o)
			was.UpdatedAt = tx.Now()
			if was.Sealed, err = sealCredentials(ctx, tx.Reader, seal.GitOperation, string(was.ID), secret); err != nil {
				return o, false, err
			}
			if err := tx.PutGitOperation(ctx, was); err != nil {
				return o, false, err
			}
			return was, false, enqueue(ctx, tx, was) // it may be waiting for a retry
		}
		if !was.Request.Connected {
			asked++
		}
	}
	if asked >= MaxOpen && !o.Request.Connected {
		return o, false, errs.E(errs.TooMany, "%d git operations of this space have not ended yet; wait until some of them have", asked)
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

// endRetries ends the imports that wait for a retry, because a user has requested one
// from another remote. Operations of a space run in order, so a mistyped address would
// otherwise delay the correct one for as long as it is retried. Imports of a connection
// end with the connection, and standalone imports do not change the space.
func endRetries(ctx context.Context, tx *store.Tx, space docs.SpaceID, next docs.GitRemote) error {
	open, err := tx.OpenGitOperations(ctx, space)
	if err != nil {
		return err
	}
	for _, o := range open {
		retried := o.State == docs.GitQueued && o.Reason != ""
		if !retried || o.Direction != docs.GitImport || o.Remote == next || o.Request.Connected || o.Request.Standalone {
			continue
		}
		if err := failOperation(ctx, tx, o, ReasonSuperseded, "it was not tried again, because a newer import from elsewhere was requested"); err != nil {
			return err
		}
	}
	return nil
}

// enqueue makes the job of an operation due immediately.
func enqueue(ctx context.Context, tx *store.Tx, o docs.GitOperation) error {
	return jobs.EnqueueDebounced(ctx, tx, jobs.Job{
		Kind: OperationJob, Key: string(o.ID), Payload: OperationPayload{Operation: o.ID, Space: o.Space}, RunAt: tx.Now(),
	}, 0)
}

// covers reports whether a waiting operation makes another one unnecessary. A connection
// has at most one waiting import and one waiting export. Other requests must be equal
// except for their timestamps. Either both or neither must have a timestamp, because an
// operation with one may be skipped as stale.
func covers(a, b docs.GitOperation) bool {
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

// combine returns an operation that replaces both.
func combine(was, o docs.GitOperation) docs.GitOperation {
	at := max(was.Request.Timestamp, o.Request.Timestamp)
	if was.Request.Timestamp.IsZero() || o.Request.Timestamp.IsZero() {
		at = 0 // an operation without a timestamp is never stale
	}
	polled, again := was.Request.Polled && o.Request.Polled, was.Request.Again && o.Request.Again
	was.User, was.Request = o.User, o.Request
	was.Request.Timestamp, was.Request.Polled, was.Request.Again = at, polled, again
	return was
}
