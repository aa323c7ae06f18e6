package gitsync

import (
	"context"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
)

// Info returns the information about the repository that the space of a grant shows.
func (s *Service) Info(_ context.Context, g *authz.Grant) (docs.GitInfo, error) {
	if g.Space.Git == nil {
		return docs.GitInfo{}, errs.E(errs.NotFound, "the space is not synchronized with a repository; import, export or connect it first")
	}
	return *g.Space.Git, nil
}

// DeleteInfo deletes the information that Info returns, which imports and exports stored.
// It does not remove a connection.
func (s *Service) DeleteInfo(ctx context.Context, g *authz.Grant) error {
	return authz.Do(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) error {
		had, err := tx.DropGitInfo(ctx, g.Space.ID)
		if err != nil {
			return err
		}
		if !had {
			return errs.Missing("git provider")
		}
		return audit.Record(ctx, tx, g.Actor, event(g.Space, "forget", nil))
	})
}

// Operation returns an operation of the space of a grant.
func (s *Service) Operation(ctx context.Context, g *authz.Grant, id docs.GitOperationID) (docs.GitOperation, error) {
	o, err := s.Store.GitOperation(ctx, g.Space.ID, id)
	if err != nil {
		return o, err
	}
	err = s.explainWait(ctx, &o)
	return o, err
}

// explainWait sets the message of operations that wait because the operator has paused
// the installation.
func (s *Service) explainWait(ctx context.Context, list ...*docs.GitOperation) error {
	var paused docs.Time
	for _, o := range list {
		if o.State != docs.GitQueued || o.Error != "" {
			continue
		}
		if paused.IsZero() {
			at, err := s.Store.PausedAt(ctx)
			if err != nil || at.IsZero() {
				return err
			}
			paused = at
		}
		o.Error = "the operator of the server has paused synchronization with git since " + paused.String() + ", as after restoring a backup; it goes on after octavo resume"
	}
	return nil
}

// Operations lists the git operations of the space of a grant, newest first.
func (s *Service) Operations(g *authz.Grant) store.List[docs.GitOperation] {
	return store.List[docs.GitOperation]{
		Page: func(ctx context.Context, p store.Page) ([]docs.GitOperation, store.Key, error) {
			list, next, err := s.Store.GitOperations(ctx, g.Space.ID, p)
			if err != nil {
				return nil, nil, err
			}
			shown := make([]*docs.GitOperation, len(list))
			for i := range list {
				shown[i] = &list[i]
			}
			return list, next, s.explainWait(ctx, shown...)
		},
		Count: func(ctx context.Context) (int64, error) { return s.Store.CountGitOperations(ctx, g.Space.ID) },
	}
}
