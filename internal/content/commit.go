package content

import (
	"context"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/merge"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
)

// Committed is what a commit made.
type Committed struct {
	Heads                      // as they are now
	Revision  docs.Revision    // the new one, or the one before if the work changes nothing
	Conflicts []merge.Conflict // of a merge; without a revision, they prevented it
}

// Commit makes a prepared work the newest revision of its line, in a transaction. The heads
// are as they are in it. The error is ErrMoved if the work was prepared from others. Merges and
// imports into a space leave the change request itself to the caller.
func (s *Service) Commit(ctx context.Context, tx *store.Tx, g *authz.Grant, h Heads, p *Prepared) (Committed, error) {
	out := Committed{Heads: h, Conflicts: p.conflicts}
	if h.New {
		if err := begin(ctx, tx, h.Space, p.from); err != nil {
			return out, err
		}
		out.Revision.ID = h.Space.Revision
	}
	if p.work == nil {
		return out, nil
	}
	on := p.work.plan(h)
	if on.sides != p.sides {
		return out, ErrMoved
	}
	if p.tree == nil {
		return out, nil
	}
	in := *g
	in.Space = h.Space
	if h.New {
		in.Space.Limited = true // it may have quotas: that is not known yet
	}
	switch rev := p.revision(on); on.to {
	case toSpace:
		return s.commitSpace(ctx, tx, &in, p, rev, out)
	case toRequest:
		return s.commitRequest(ctx, tx, &in, p, rev, on, out)
	default:
		return s.commitBeside(ctx, tx, &in, p, rev, out)
	}
}

// revision returns the metadata of the new revision.
func (p *Prepared) revision(on plan) docs.Revision {
	rev := on.rev
	rev.ID, rev.Space, rev.Root = p.id, p.space.ID, p.tree.Root
	rev.Parents = []docs.RevisionID{on.sides.Into}
	if on.sides.From != "" {
		rev.Parents = append(rev.Parents, on.sides.From)
	}
	return rev
}

// commitSpace makes a change the newest revision of its space and writes the index.
func (s *Service) commitSpace(ctx context.Context, tx *store.Tx, g *authz.Grant, p *Prepared, rev docs.Revision, out Committed) (Committed, error) {
	if !p.index.Fits(g.Space) {
		return out, ErrMoved
	}
	rev, changed, err := p.store(ctx, tx, g, rev)
	if out.Revision = rev; err != nil || !changed {
		return out, err
	}
	out.Space.Revision, out.Space.UpdatedAt = rev.ID, tx.Now()
	add := p.adds(rev)
	followed, err := tx.MoveHead(ctx, p.space.ID, p.sides.Into, rev.ID, add)
	if err != nil {
		return out, err
	}
	if err := tx.WithinQuotas(ctx, g.Space, add); err != nil {
		return out, err
	}
	if err := p.index.Write(ctx, tx, g.Space); err != nil {
		return out, err
	}
	if followed && s.RevisionAdded != nil {
		if err := s.RevisionAdded(ctx, tx, p.space, rev); err != nil {
			return out, err
		}
	}
	return out, audit.Record(ctx, tx, g.Actor, contentEvent(p.space, string(rev.Type), map[string]any{
		"revision": rev.ID, "changed": p.index.Changed,
	}))
}

// commitRequest makes a change the newest revision of a change request, and records the
// conflicts that it found and resolved.
func (s *Service) commitRequest(ctx context.Context, tx *store.Tx, g *authz.Grant, p *Prepared, rev docs.Revision, on plan, out Committed) (Committed, error) {
	was := *out.Request
	rev.ChangeRequest = was.ID
	rev, changed, err := p.store(ctx, tx, g, rev)
	if out.Revision = rev; err != nil || !changed && len(p.resolved) == 0 {
		return out, err
	}
	if changed {
		if err := p.recordIn(ctx, tx, g, rev); err != nil {
			return out, err
		}
	}
	cr := was
	cr.Revision, cr.UpdatedAt = rev.ID, tx.Now()
	if on.whole {
		cr.Ancestor = on.sides.From
	}
	if err := tx.PutChangeRequest(ctx, was, cr); err != nil {
		return out, err
	}
	if out.Request = &cr; !on.edit {
		return out, putConflicts(ctx, tx, cr, p.conflicts)
	}
	if err := tx.AddContribution(ctx, cr.ID, g.Actor.User, docs.ContributorEdit); err != nil {
		return out, err
	}
	how, names := p.how, p.resolved
	if names == nil {
		how, names = merge.ByDocument, p.decided
	}
	cr.OpenConflicts, err = recordResolution(ctx, tx, g, cr, how, names...)
	return out, err
}

// recordIn stores what belongs to a revision of a change request.
func (p *Prepared) recordIn(ctx context.Context, tx *store.Tx, g *authz.Grant, rev docs.Revision) error {
	if err := tx.PutDocuments(ctx, p.space.ID, p.index.Documents); err != nil {
		return err
	}
	if err := tx.AddUsage(ctx, g.Space, p.adds(rev)); err != nil {
		return err
	}
	return audit.Record(ctx, tx, g.Actor, audit.Event{
		Org: p.space.Org, Action: "change_request.content." + string(rev.Type), Kind: "change-request", ID: string(rev.ChangeRequest),
		Data: map[string]any{"space": p.space.ID, "revision": rev.ID, "changed": p.index.Changed},
	})
}

// commitBeside stores a change outside of the lines of its space.
func (s *Service) commitBeside(ctx context.Context, tx *store.Tx, g *authz.Grant, p *Prepared, rev docs.Revision, out Committed) (Committed, error) {
	rev, changed, err := p.store(ctx, tx, g, rev)
	if out.Revision = rev; err != nil || !changed {
		return out, err
	}
	if err := tx.AddUsage(ctx, g.Space, p.adds(rev)); err != nil {
		return out, err
	}
	return out, tx.PutDocuments(ctx, g.Space.ID, p.index.Documents)
}

// store stores a change as a revision, and reports whether it differs from its base. A merge
// is a revision in any case.
func (p *Prepared) store(ctx context.Context, tx *store.Tx, g *authz.Grant, rev docs.Revision) (docs.Revision, bool, error) {
	if !p.tree.Changed() && rev.MergedFrom == "" && rev.Type != docs.RevisionBringUpToDate {
		return p.tree.Base, false, nil
	}
	if err := tx.PutObjects(ctx, p.sources.And(p.nodes)); err != nil {
		return rev, false, err
	}
	if rev.ID == "" {
		rev.ID = store.NewID[docs.RevisionID](tx)
	}
	rev.Author, rev.CreatedAt = g.Actor.User, tx.Now()
	return rev, true, tx.AddRevision(ctx, rev)
}
