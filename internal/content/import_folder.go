package content

import (
	"context"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/exchange"
	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
)

// ImportSummary is the result of an import.
type ImportSummary struct {
	Revision docs.RevisionID
	Changed  bool
}

// Import replaces the content of a space by a folder, in one revision. Pages that
// came from the same file keep their ids; those whose file does not exist any more
// are deleted. step is called with the progress.
func (s *Service) Import(ctx context.Context, g *authz.Grant, sp docs.Space, t *folder.Tree, step exchange.Step) (out ImportSummary, err error) {
	v, err := s.Source.Head(ctx, sp)
	if err != nil {
		return out, err
	}
	taken, err := s.Exchange.ImportFolder(ctx, v, t, step)
	if err != nil {
		return out, err
	}
	defer taken.Discard(ctx)
	step("store", 0, 1)
	on := *g
	on.Space = sp
	return Retry(ctx, s, &on, func(now docs.Space) (ImportSummary, error) {
		if now.Revision != v.Rev.ID {
			return out, errs.E(errs.Conflict, "the content of the space was changed during the import; run it again")
		}
		p, err := s.Prepare(ctx, &on, Heads{Space: now}, Import{taken, docs.Revision{Type: docs.RevisionEdits, Message: "Import"}})
		if err != nil {
			return out, err
		}
		return authz.InTx(ctx, s.Store, &on, func(tx *store.Tx, g *authz.Grant) (ImportSummary, error) {
			done, err := s.Commit(ctx, tx, g, Heads{Space: g.Space}, p)
			return ImportSummary{Revision: done.Revision.ID, Changed: done.Revision.ID != v.Rev.ID}, err
		})
	})
}
