package translations

import (
	"context"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/chunk"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
)

// Blocks lists the blocks of a translation that need a person, as of the last run. An
// empty status matches any status. Blocks whose source has changed since the run are
// marked as outdated, and a stale block holds the current text of the source. The blocks
// contain text of both spaces, so the caller must be able to read both.
func (s *Service) Blocks(ctx context.Context, g *authz.Grant, id docs.TranslationID, status docs.BlockStatus) (store.List[docs.TranslationBlock], error) {
	t, err := s.Store.Translation(ctx, g.Access.Org, id)
	if err == nil {
		err = s.readable(ctx, s.Store.Reader, g, t)
	}
	return store.List[docs.TranslationBlock]{
		Page: func(ctx context.Context, p store.Page) ([]docs.TranslationBlock, store.Key, error) {
			list, next, err := s.Store.TranslationBlocks(ctx, t.ID, status, p)
			if err == nil {
				err = s.bringUpToDate(ctx, t, list)
			}
			return list, next, err
		},
	}, err
}

// readable checks that the caller can read both spaces of a translation.
func (s *Service) readable(ctx context.Context, r store.Reader, g *authz.Grant, t docs.Translation) error {
	for _, space := range []docs.SpaceID{t.Source, t.Result} {
		if _, _, err := authz.NewChecker(r).Space(ctx, g.Actor, authz.ReadContent, space); err != nil {
			return err
		}
	}
	return nil
}

// bringUpToDate compares the blocks of the last run with the current source, and sets
// Outdated and Source accordingly.
func (s *Service) bringUpToDate(ctx context.Context, t docs.Translation, list []docs.TranslationBlock) error {
	sp, err := s.Store.Space(ctx, t.Source)
	if err != nil {
		return err
	}
	head, err := s.Content.Source.Head(ctx, sp.It)
	if err != nil || string(head.Root) == t.SourceRoot {
		return err
	}
	was, now := &reader{tree: head.At(chunk.Hash(t.SourceRoot))}, &reader{tree: head.Tree}
	for i := range list {
		b := &list[i]
		before, err := was.text(ctx, b.Page, b.Part, b.Block)
		if err != nil {
			return err
		}
		after, err := now.text(ctx, b.Page, b.Part, b.Block)
		if err != nil {
			return err
		}
		b.Outdated = before != after
		if b.Outdated && b.Status == docs.BlockStale && after != "" {
			b.Source = after
		}
	}
	return nil
}

// Accept records that a correction is still right although its source has changed. The
// block is no longer listed, unless the source changes again.
func (s *Service) Accept(ctx context.Context, g *authz.Grant, id docs.TranslationID, block string) error {
	return authz.Do(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) error {
		t, err := tx.Translation(ctx, g.Access.Org, id)
		if err == nil {
			err = s.readable(ctx, tx.Reader, g, t)
		}
		if err == nil {
			_, _, err = authz.NewChecker(tx.Reader).Space(ctx, g.Actor, authz.EditSpace, t.Result)
		}
		if err != nil {
			return err
		}
		b, err := tx.TranslationBlock(ctx, t.ID, block)
		if err == nil && b.Status != docs.BlockStale {
			err = errs.E(errs.Precondition, "the block is not translated; translate it in the result space")
		}
		if err != nil {
			return err
		}
		if err := tx.ChangeTranslationBlocks(ctx, t, store.TranslationBlockChange{Drop: []string{b.ID}}); err != nil {
			return err
		}
		return audit.Record(ctx, tx, g.Actor, event(t, "accept", map[string]any{"page": b.Page, "block": b.Block}))
	})
}
