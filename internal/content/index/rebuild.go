package index

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/jobs"
	"github.com/octavo-docs/octavo/internal/store"
)

// RebuildJob is the kind of the job that rebuilds the index of a space, for example
// if it has too many layers or its language was changed.
const RebuildJob = "content.rebuild"

type rebuild struct {
	Space docs.SpaceID `json:"space"`
}

// EnqueueRebuild enqueues a RebuildJob for a space.
func EnqueueRebuild(ctx context.Context, tx *store.Tx, sp docs.SpaceID) error {
	return jobs.Enqueue(ctx, tx, jobs.Job{Kind: RebuildJob, Key: string(sp), Payload: rebuild{sp}, RunAt: tx.Now()})
}

// Rebuild is the handler of RebuildJob. It writes a new layer while the space
// is read and written as before, and then makes the space use it. Running it
// twice is harmless.
func (s *Index) Rebuild(ctx context.Context, payload []byte) error {
	var job rebuild
	if err := json.Unmarshal(payload, &job); err != nil {
		return fmt.Errorf("rebuild: %w", err)
	}
	err := s.rebuild(ctx, job.Space)
	if errs.Is(err, errs.NotFound) {
		return nil // the space was deleted
	}
	return err
}

func (s *Index) rebuild(ctx context.Context, id docs.SpaceID) error {
	sp, err := s.Store.Space(ctx, id)
	if err != nil {
		return err
	}
	v, err := s.Source.Head(ctx, sp.It)
	if err != nil {
		return err
	}
	f := newBulk(s, sp.It)
	defer f.discard(ctx)
	if err := s.fillLayer(ctx, v, f); err != nil {
		return err
	}
	for range rebuildAttempts {
		done, err := s.finishRebuild(ctx, v, f)
		if err != nil || done {
			return err
		}
	}
	return errs.E(errs.Conflict, "the space kept changing while it was indexed")
}

// rebuildAttempts is the number of times that changes made meanwhile are added to
// the new layer before the job fails, to be tried again later.
const rebuildAttempts = 20

// finishRebuild adds the changes since v to the new layer, which was made of v, and
// makes the space use it. done is false if the space was changed again.
func (s *Index) finishRebuild(ctx context.Context, v *revision.View, f *Bulk) (done bool, err error) {
	now, err := s.Store.Space(ctx, v.Space.ID)
	if err != nil {
		return false, err
	}
	head, err := s.Source.Head(ctx, now.It)
	if err != nil {
		return false, err
	}
	dl, err := newDelta(ctx, head.Tree, v.Rev.Root)
	if err != nil {
		return false, err
	}
	read := now.It
	read.Layer, read.Language = f.layer.Layer, v.Space.Language
	ix := &indexer{r: s.Store.Reader, space: read, tree: head.Tree}
	u, err := ix.prepare(ctx, dl, nil)
	if err != nil {
		return false, err
	}
	return store.InTx(ctx, s.Store, func(tx *store.Tx) (bool, error) {
		sp, err := tx.Space(ctx, v.Space.ID)
		if err != nil {
			return false, err
		}
		if sp.It.Layer != v.Space.Layer || !u.Fits(sp.It) || u.partial {
			return false, errs.E(errs.Conflict, "the space was copied, changed its language or changed too much while it was indexed")
		}
		if sp.It.Revision != head.Rev.ID {
			return false, nil
		}
		if err := u.writeLayer(ctx, tx, read.Layer); err != nil {
			return false, err
		}
		return true, replaceLayer(ctx, tx, sp.It, read.Layer)
	})
}

// fillLayer indexes a whole revision into a new layer.
func (s *Index) fillLayer(ctx context.Context, v *revision.View, f *Bulk) error {
	if err := f.begin(ctx); err != nil {
		return err
	}
	if err := s.indexAll(ctx, v, f); err != nil {
		f.stop()
		return err
	}
	return f.finish(ctx)
}

func (s *Index) indexAll(ctx context.Context, v *revision.View, f *Bulk) error {
	ix := &indexer{space: f.space, tree: v.Tree}
	reusables, err := v.Reusables(ctx)
	if err != nil {
		return err
	}
	for _, r := range reusables {
		links, err := ix.reusable(ctx, r)
		if err != nil {
			return err
		}
		f.next.links = append(f.next.links, links)
	}
	return v.Scan(ctx, revision.KeyPage, "", func(id string, b []byte) (bool, error) {
		p, err := docs.DecodePage(id, b)
		if err != nil {
			return false, err
		}
		is, err := ix.entry(ctx, p)
		if err != nil {
			return false, err
		}
		return true, f.add(ctx, p, is, is.Size())
	})
}

// unusedAfter is the age at which a layer that no space uses is deleted. Younger
// ones may still be being filled.
const unusedAfter = 24 * time.Hour

// TidySearch is the handler of a periodic job. It rebuilds layers that another
// version of Octavo has written, deletes unused layers, and merges the segments
// that edits have added. Each layer has its own transaction.
func (s *Index) TidySearch(ctx context.Context, _ []byte) error {
	stale, err := s.Store.StaleSearchLayers(ctx)
	if err != nil {
		return err
	}
	for _, layer := range stale {
		// A layer that is written to meanwhile is left for the next run.
		if _, err := s.Store.RebuildSearch(ctx, layer); err != nil && !errs.Is(err, errs.NotFound) {
			return err
		}
	}
	unused, err := s.Store.UnusedLayers(ctx, s.Store.Clock().Add(-unusedAfter))
	if err != nil {
		return err
	}
	for _, layer := range unused {
		if err := s.Store.Do(ctx, func(tx *store.Tx) error { return tx.DropLayer(ctx, layer) }); err != nil {
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
