package content

import (
	"context"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
)

// commit makes a draft the newest revision of its space, together with
// everything that is derived from it. A draft that changes nothing makes no
// revision: the newest one is given back.
func (s *Service) commit(ctx context.Context, tx *store.Tx, g *authz.Grant, d *draft, rev docs.Revision) (docs.Revision, error) {
	if err := d.stamp(ctx); err != nil {
		return rev, err
	}
	root, objects, err := d.seal(ctx)
	if err != nil || root == d.base.Root {
		return d.base, err
	}
	if err := tx.PutObjects(ctx, objects); err != nil {
		return rev, err
	}
	rev.ID, rev.Space, rev.Root = store.NewID[docs.RevisionID](tx), d.space.ID, root
	rev.Author, rev.CreatedAt = g.Actor.User, tx.Now()
	if rev.Parents == nil {
		rev.Parents = []docs.RevisionID{d.base.ID}
	}
	if err := tx.AddRevision(ctx, rev); err != nil {
		return rev, err
	}
	if err := tx.MoveHead(ctx, d.space.ID, d.base.ID, rev.ID); err != nil {
		return rev, err
	}
	ix := &indexer{s: s, tx: tx, space: d.space, tree: &tree{src: source{s, tx.Reader}, root: root}, parsed: d.parsed, ready: d.ready}
	changes, err := ix.update(ctx, d.base.Root)
	if err != nil {
		return rev, err
	}
	return rev, audit.Record(ctx, tx, g.Actor, contentEvent(d.space, string(rev.Type), map[string]any{
		"revision": rev.ID, "changed": changes,
	}))
}

// stamp sets the time of change of the pages that differ from the base.
func (d *draft) stamp(ctx context.Context) error {
	base := &tree{src: d.src, root: d.base.Root}
	for _, id := range d.touched {
		p, ok, err := d.page(ctx, id)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		was, had, err := base.get(ctx, keyPage+string(id))
		if err != nil {
			return err
		}
		now, _, err := d.get(ctx, keyPage+string(id))
		if err != nil {
			return err
		}
		if had && string(was) == string(now) {
			continue
		}
		if p.CreatedAt.IsZero() {
			p.CreatedAt = d.now
		}
		p.UpdatedAt = d.now
		if err := d.put(ctx, p); err != nil {
			return err
		}
	}
	return nil
}
