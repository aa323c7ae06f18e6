package content

import (
	"context"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/index"
	"github.com/octavo-docs/octavo/internal/content/merge"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
)

// Prepared is a work that was worked out on a revision, with everything to be written.
// Committing it compares revisions and stores data; it computes nothing. The zero value
// has no content: a space that it begins has no pages.
type Prepared struct {
	changeSet
	tree  *revision.NewTree // nil: conflicts prevent the work, or it has no content
	nodes store.NewObjects
	from  *docs.Space // see CopyOf
}

// changeSet is a change that can still be rebased: everything to be written except
// the tree.
type changeSet struct {
	*revision.ChangeSet
	work      Work
	sides     Sides
	space     docs.Space
	sources   store.NewObjects
	index     *index.Change
	conflicts []merge.Conflict
	resolved  []string // names of the conflicts of the change request that it resolves
	how       string   // the kind of that resolution
	decided   []string // names of those that the text of an edit decides
	applied   *Applied
	id        docs.RevisionID // of the new revision; empty is any
}

// Prepare works out what a work makes of the newest revisions, outside of any
// transaction.
func (s *Service) Prepare(ctx context.Context, g *authz.Grant, h Heads, w Work) (*Prepared, error) {
	c, err := s.changes(ctx, g, h, w)
	if err != nil || c.ChangeSet == nil {
		return &Prepared{changeSet: c}, err
	}
	return s.apply(ctx, c, c.Base)
}

// changes is Prepare without the tree.
func (s *Service) changes(ctx context.Context, g *authz.Grant, h Heads, w Work) (changeSet, error) {
	on := w.plan(h)
	made, err := w.draft(ctx, s, g, h)
	if err != nil {
		return changeSet{}, err
	}
	c := changeSet{
		work: w, sides: on.sides, space: h.Space,
		conflicts: made.conflicts, resolved: made.resolved, how: made.how, applied: made.applied,
	}
	d := made.Draft
	if d == nil {
		return c, nil
	}
	if on.text {
		if err := s.CheckSpecs(ctx, g, d); err != nil {
			return c, err
		}
	}
	if err := d.StampPages(ctx); err != nil {
		return c, err
	}
	if c.ChangeSet, err = d.ChangeSet(ctx); err != nil {
		return c, err
	}
	if c.sources, err = s.Store.PrepareObjects(ctx, c.Sources()); err != nil {
		return c, err
	}
	if on.to == toSpace {
		c.index, err = s.Index.Prepare(ctx, s.Store.Reader, d, made.work)
		d.Parsed = nil // only the index needed the blocks, which take most of the memory
		return c, err
	}
	if c.index, err = index.DocumentsOf(ctx, d); err != nil { // only revisions of the space itself are indexed
		return c, err
	}
	if on.edit && c.resolved == nil {
		c.decided, err = s.decided(ctx, *h.Request, d)
	}
	return c, err
}

// apply returns the change with the tree that it makes of a revision.
func (s *Service) apply(ctx context.Context, c changeSet, base docs.Revision) (*Prepared, error) {
	p := &Prepared{changeSet: c}
	p.sides.Into = base.ID
	var err error
	if p.tree, err = c.Apply(ctx, base); err == nil {
		p.nodes, err = s.Store.PrepareObjects(ctx, p.tree.Nodes())
	}
	return p, err
}

// Conflicts returns the conflicts of a merge.
func (p *Prepared) Conflicts() []merge.Conflict { return p.conflicts }

// Tree returns the tree of the new revision. Before it is stored, it can only be
// read between Hold and release.
func (p *Prepared) Tree() *revision.Tree { return p.tree.Tree() }

// Hold lets others read the tree before it is stored, until release is called.
func (p *Prepared) Hold() (release func()) { return p.tree.Hold() }

// adds returns the usage that storing a change adds to its space. Texts and files of a merge are left
// out: nearly all were counted when they were written.
func (p *Prepared) adds(rev docs.Revision) docs.Usage {
	out := docs.Usage{docs.QuotaContent: p.nodes.Size(), docs.QuotaPages: p.index.Pages}
	if len(rev.Parents) < 2 {
		out[docs.QuotaContent] += p.sources.Size() + p.index.Stored()
		out[docs.QuotaFiles] = p.index.Files
	}
	return out
}
