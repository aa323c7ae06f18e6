package content

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/jobs"
	"github.com/octavo-docs/octavo/internal/store"
)

// RebuildJob is the kind of the job that indexes a space anew: when it reads
// through too many layers, and when its language was changed.
const RebuildJob = "content.rebuild"

type rebuild struct {
	Space docs.SpaceID `json:"space"`
}

// EnqueueRebuild asks for a space to be indexed anew.
func EnqueueRebuild(ctx context.Context, tx *store.Tx, sp docs.SpaceID) error {
	return jobs.Enqueue(ctx, tx, jobs.Job{Kind: RebuildJob, Key: string(sp), Payload: rebuild{sp}, RunAt: tx.Now()})
}

// rebuildBatch is how many pages are indexed in one transaction, so that
// others can write between.
const rebuildBatch = 100

// Rebuild is the handler of RebuildJob. It fills a new layer while the space
// is read and written as before, and then lets the space read it. Running it
// twice is harmless.
func (s *Service) Rebuild(ctx context.Context, payload []byte) error {
	var job rebuild
	if err := json.Unmarshal(payload, &job); err != nil {
		return fmt.Errorf("rebuild: %w", err)
	}
	v0, err := s.Store.Space(ctx, job.Space)
	if errs.Is(err, errs.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	sp := v0.It
	old := sp.Layer
	v, err := s.Head(ctx, sp)
	if err != nil {
		return err
	}
	sp.Layer = string(sp.ID) + "." + string(sp.Revision) + "." + docs.NewID[string](s.Store.Clock())
	if err := s.Store.Do(ctx, func(tx *store.Tx) error { return tx.AddLayer(ctx, store.Layer{ID: sp.Layer}) }); err != nil {
		return err
	}
	abandon := func(err error) error {
		_ = s.Store.Do(context.WithoutCancel(ctx), func(tx *store.Tx) error { return tx.DropLayer(ctx, sp.Layer) }) // the first error counts
		return err
	}
	if err := s.fillLayer(ctx, v, sp); err != nil {
		return abandon(err)
	}
	err = s.Store.Do(ctx, func(tx *store.Tx) error {
		now, err := tx.Space(ctx, sp.ID)
		if err != nil {
			return err
		}
		if now.It.Layer != old || now.It.Language != sp.Language {
			return errs.E(errs.Conflict, "the space was copied or changed its language while it was indexed")
		}
		head, err := s.At(ctx, tx.Reader, now.It, now.It.Revision)
		if err != nil {
			return err
		}
		ix := &indexer{s: s, r: tx.Reader, tx: tx, space: sp, tree: &head.tree}
		if _, err := ix.update(ctx, v.Rev.Root); err != nil {
			return err
		}
		if err := tx.SetLayer(ctx, sp.ID, sp.Layer); err != nil {
			return err
		}
		return tx.DropLayer(ctx, old)
	})
	if errs.Is(err, errs.NotFound) {
		return abandon(nil)
	}
	if err != nil {
		return abandon(err)
	}
	return nil
}

// fillLayer indexes all pages of a revision.
func (s *Service) fillLayer(ctx context.Context, v *View, sp docs.Space) error {
	dl := &delta{pages: map[docs.PageID]bool{}, reuse: map[docs.ReusableID]bool{}}
	flush := func() error {
		err := s.Store.Do(ctx, func(tx *store.Tx) error {
			ix := &indexer{s: s, r: tx.Reader, tx: tx, space: sp, tree: &tree{src: source{s, tx.Reader}, root: v.root}}
			return ix.apply(ctx, dl)
		})
		clear(dl.pages)
		clear(dl.reuse)
		return err
	}
	reusables, err := v.Reusables(ctx)
	if err != nil {
		return err
	}
	for _, r := range reusables {
		dl.reuse[r.ID] = true
	}
	err = v.scan(ctx, keyPage, "", func(id string, _ []byte) (bool, error) {
		dl.pages[docs.PageID(id)] = true
		if len(dl.pages) >= rebuildBatch {
			return true, flush()
		}
		return true, nil
	})
	if err != nil {
		return err
	}
	return flush()
}

// TidySearch is the handler of a job that repeats. It makes indexes anew that
// another version of this program has written, and joins what edits have
// left in parts. Each layer is a transaction of its own.
func (s *Service) TidySearch(ctx context.Context, _ []byte) error {
	stale, err := s.Store.StaleSearchLayers(ctx)
	if err != nil {
		return err
	}
	for _, layer := range stale {
		if err := s.Store.Do(ctx, func(tx *store.Tx) error { return tx.RebuildSearch(ctx, layer) }); err != nil {
			return err
		}
	}
	layers, err := s.Store.Layers(ctx)
	if err != nil {
		return err
	}
	for _, layer := range layers {
		err := s.Store.Do(ctx, func(tx *store.Tx) error {
			_, err := tx.CompactSearch(ctx, layer)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
