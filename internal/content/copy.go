package content

import (
	"context"
	"strings"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/budget"
	"github.com/octavo-docs/octavo/internal/content/index"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
)

// begin stores the first revision of a new space, which has no pages, or those of the
// space that it is a copy of.
func begin(ctx context.Context, tx *store.Tx, sp docs.Space, from *docs.Space) error {
	if from != nil {
		return beginCopy(ctx, tx, *from, sp)
	}
	if err := tx.AddLayer(ctx, store.Layer{ID: sp.Layer}); err != nil {
		return err
	}
	return tx.AddRevision(ctx, docs.Revision{
		ID: sp.Revision, Space: sp.ID, Type: docs.RevisionEdits, Author: sp.CreatedBy, CreatedAt: sp.CreatedAt,
	})
}

// CopyOf returns the content of a space, as it is in the transaction, for another space that
// is being created. There is nothing to prepare: no data is copied.
func CopyOf(from docs.Space) *Prepared { return &Prepared{from: &from} }

// maxLayers is the number of layers of a space above which a job rebuilds its index
// as one.
const maxLayers = 8

// beginCopy gives a new space the content of another one, without its
// history and without copying data: both have the same tree, and new layers of the
// index on top of the layer that the original had.
func beginCopy(ctx context.Context, tx *store.Tx, from, to docs.Space) error {
	rev, err := tx.Revision(ctx, from.ID, from.Revision)
	if err != nil {
		return err
	}
	base, err := tx.Layer(ctx, from.Layer)
	if err != nil {
		return err
	}
	fresh, err := tx.LayerIsEmpty(ctx, base.ID)
	if err != nil {
		return err
	}
	if fresh && base.Parent != "" { // nothing was written since the last copy
		if base, err = tx.Layer(ctx, base.Parent); err != nil {
			return err
		}
	} else {
		top := store.Layer{ID: store.NewID[string](tx), Parent: base.ID, Depth: base.Depth + 1}
		if err := tx.AddLayer(ctx, top); err != nil {
			return err
		}
		if err := tx.SetLayer(ctx, from.ID, top.ID); err != nil {
			return err
		}
	}
	if err := tx.AddLayer(ctx, store.Layer{ID: to.Layer, Parent: base.ID, Depth: base.Depth + 1}); err != nil {
		return err
	}
	if base.Depth+1 >= maxLayers {
		for _, sp := range []docs.SpaceID{from.ID, to.ID} {
			if err := index.EnqueueRebuild(ctx, tx, sp); err != nil {
				return err
			}
		}
	}
	if err := tx.CopyUsage(ctx, from.ID, to); err != nil {
		return err
	}
	return tx.AddRevision(ctx, docs.Revision{
		ID: to.Revision, Space: to.ID, Type: docs.RevisionEdits, Root: rev.Root, Author: to.CreatedBy, CreatedAt: to.CreatedAt,
	})
}

// Rollback makes a new revision with the content of an earlier one.
func (s *Service) Rollback(ctx context.Context, g *authz.Grant, to docs.RevisionID, expected docs.RevisionID) (*revision.View, error) {
	if err := budget.Turn(ctx); err != nil {
		return nil, err
	}
	out, err := s.write(ctx, g, edit{expected: expected, work: rollback{to}})
	return out.View, err
}

// rollback is the work of Rollback.
type rollback struct{ to docs.RevisionID }

func (r rollback) plan(h Heads) plan {
	return planEdit(h, docs.Revision{Type: docs.RevisionRollback, Message: "Back to revision " + string(r.to)})
}

func (r rollback) draft(ctx context.Context, s *Service, _ *authz.Grant, h Heads) (*drafted, error) {
	v, err := h.view(ctx, s, h.head())
	if err != nil {
		return nil, err
	}
	target, err := s.Store.Revision(ctx, h.Space.ID, r.to)
	if err != nil {
		return nil, err
	}
	d := s.draft(v)
	err = d.Diff(ctx, v.Rev.Root, target.Root, func(key string, _, after []byte) error {
		if kind, _ := revision.SplitKey(key); after == nil && (kind == revision.KeyRedirect || kind == revision.KeyTombstone) {
			return nil // keep later redirects and tombstones, so that later addresses still work
		}
		d.Replace(key, after)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := redirectFrom(ctx, d, v.Tree); err != nil {
		return nil, err
	}
	if d.Empty() {
		return nil, errs.E(errs.Conflict, "the content is already at the revision %s; nothing would change", target.ID)
	}
	return &drafted{Draft: d}, nil
}

// redirectFrom adds redirects from the addresses of pages in old that differ in the
// draft.
func redirectFrom(ctx context.Context, d *revision.Draft, old *revision.Tree) error {
	for _, key := range d.Keys() {
		id, isPage := strings.CutPrefix(key, revision.KeyPage)
		if value, _ := d.Changed(key); !isPage || value == nil {
			continue
		}
		was, had, err := old.Lookup(ctx, docs.PageID(id))
		if err != nil {
			return err
		}
		if !had || !was.HasPath() {
			continue
		}
		from, err := old.Path(ctx, was)
		if err != nil {
			return err
		}
		now, err := d.Page(ctx, was.ID)
		if err != nil {
			return err
		}
		to, err := d.Path(ctx, now)
		if err != nil {
			return err
		}
		if from != to {
			d.Set(revision.RedirectKey(from), []byte(id))
		}
	}
	return nil
}
