package content

import (
	"context"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/index"
	"github.com/octavo-docs/octavo/internal/content/merge"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
)

// LineName names a line of revisions: that of the space if it is empty, otherwise the
// one of the change request with that id or number.
type LineName string

// line is the newest revision of a line of revisions.
type line struct {
	*revision.View
	request *docs.ChangeRequest // nil: the space itself
}

// line opens a line for changing it. expected is the revision that must be the
// newest one; empty is any.
func (s *Service) line(ctx context.Context, r store.Reader, sp docs.Space, on LineName, expected docs.RevisionID) (*line, error) {
	head, cr, err := lineHead(ctx, r, sp, on, expected)
	if err != nil {
		return nil, err
	}
	v, err := s.Source.At(ctx, r, sp, head)
	return &line{v, cr}, err
}

// lineHead returns the newest revision of a line that may be changed, and its
// change request, if any.
func lineHead(ctx context.Context, r store.Reader, sp docs.Space, on LineName, expected docs.RevisionID) (head docs.RevisionID, cr *docs.ChangeRequest, err error) {
	head = sp.Revision
	switch {
	case on != "":
		found, err := OpenRequest(ctx, r, sp.ID, string(on))
		if err != nil {
			return "", nil, err
		}
		head, cr = found.Revision, &found
	case sp.EditMode != docs.EditLive:
		return "", nil, errs.E(errs.Precondition, "the space is locked: its content is changed by change requests; set editMode to live to change it directly")
	}
	if expected != "" && expected != head {
		return "", nil, errs.E(errs.Precondition, "the content has changed: its revision is %s; read it again", head)
	}
	return head, cr, nil
}

// OpenRequest returns a change request of a space. It fails if the request cannot be
// edited.
func OpenRequest(ctx context.Context, r store.Reader, space docs.SpaceID, name string) (docs.ChangeRequest, error) {
	cr, err := r.ChangeRequest(ctx, space, name)
	if err == nil {
		err = Editable(cr)
	}
	return cr, err
}

// Editable returns an error if a change request cannot be edited.
func Editable(c docs.ChangeRequest) error {
	switch c.Status {
	case docs.ChangeMerged:
		return errs.E(errs.Precondition, "change request %d is merged, which is final; open a new one", c.Number)
	case docs.ChangeArchived:
		return errs.E(errs.Precondition, "change request %d is archived; set its status to draft or open first", c.Number)
	}
	return nil
}

// changeSet is a change that can still be rebased: everything to be written except
// the tree.
type changeSet struct {
	*revision.ChangeSet
	space   docs.Space
	sources store.NewObjects
	index   *index.Change
	decides []string // names of the conflicts of the change request that it resolves
}

// Prepared is a change that was prepared on a revision, with everything to be
// written. Committing it compares revisions and stores data; it computes nothing.
type Prepared struct {
	changeSet
	tree  *revision.NewTree
	nodes store.NewObjects
}

// Base returns the revision that the change was made on.
func (p *Prepared) Base() docs.RevisionID { return p.tree.Base.ID }

// Tree returns the tree of the new revision. Before it is stored, it can only be
// read between Hold and release.
func (p *Prepared) Tree() *revision.Tree { return p.tree.Tree() }

// Hold lets others read the tree before it is stored, until release is called.
func (p *Prepared) Hold() (release func()) { return p.tree.Hold() }

// Fits reports whether the change can become the newest revision of sp, the current
// state of its space.
func (p *Prepared) Fits(sp docs.Space) bool {
	return sp.Revision == p.Base() && p.index.Fits(sp)
}

// prepareSpace prepares a draft as the newest revision of its space. w is the work
// of an import for the index, or nil.
func (s *Service) prepareSpace(ctx context.Context, d *revision.Draft, w *index.Work) (*Prepared, error) {
	c, err := s.changesOfSpace(ctx, d, w)
	if err != nil {
		return nil, err
	}
	return s.apply(ctx, c, d.Base)
}

// prepareAside prepares a draft as a revision beside the line of its space, such as
// that of a change request.
func (s *Service) prepareAside(ctx context.Context, d *revision.Draft) (*Prepared, error) {
	c, err := s.changesAside(ctx, d)
	if err != nil {
		return nil, err
	}
	return s.apply(ctx, c, d.Base)
}

// changesOfSpace is prepareSpace without the tree.
func (s *Service) changesOfSpace(ctx context.Context, d *revision.Draft, w *index.Work) (*changeSet, error) {
	c, err := s.changes(ctx, d)
	if err == nil {
		c.index, err = s.Index.Prepare(ctx, s.Store.Reader, d, w)
		d.Parsed = nil // only the index needed the blocks, which take most of the memory
	}
	return c, err
}

// changesAside is prepareAside without the tree. Only revisions of the space itself
// are indexed.
func (s *Service) changesAside(ctx context.Context, d *revision.Draft) (*changeSet, error) {
	c, err := s.changes(ctx, d)
	if err == nil {
		c.index, err = index.DocumentsOf(ctx, d)
	}
	return c, err
}

func (s *Service) changes(ctx context.Context, d *revision.Draft) (*changeSet, error) {
	if err := d.StampPages(ctx); err != nil {
		return nil, err
	}
	c := &changeSet{space: d.Space}
	var err error
	if c.ChangeSet, err = d.ChangeSet(ctx); err == nil {
		c.sources, err = s.Store.PrepareObjects(ctx, c.Sources())
	}
	return c, err
}

// apply returns the change with the tree that it makes of a revision.
func (s *Service) apply(ctx context.Context, c *changeSet, base docs.Revision) (*Prepared, error) {
	p := &Prepared{changeSet: *c}
	var err error
	if p.tree, err = c.Apply(ctx, base); err == nil {
		p.nodes, err = s.Store.PrepareObjects(ctx, p.tree.Nodes())
	}
	return p, err
}

// commitLine makes a prepared change the newest revision of a line. A change without
// effect makes no revision: the newest one is returned.
func (s *Service) commitLine(ctx context.Context, tx *store.Tx, g *authz.Grant, request *docs.ChangeRequest, p *Prepared, rev docs.Revision) (*revision.View, error) {
	if request == nil {
		rev, err := s.commitSpace(ctx, tx, g, p, rev)
		if err != nil {
			return nil, err
		}
		return s.Source.View(withHead(g.Space, rev, tx), rev), nil
	}
	cr := *request
	rev, err := s.commitRequest(ctx, tx, g, p, cr.ID, rev)
	if err != nil || rev.ID == cr.Revision {
		return s.Source.View(g.Space, rev), err
	}
	cr.Revision, cr.UpdatedAt = rev.ID, tx.Now()
	if err := tx.PutChangeRequest(ctx, *request, cr); err != nil {
		return nil, err
	}
	if err := tx.AddContribution(ctx, cr.ID, g.Actor.User, docs.ContributorEdit); err != nil {
		return nil, err
	}
	if cr.OpenConflicts, err = RecordResolution(ctx, tx, g, cr, merge.ByDocument, p.decides...); err != nil {
		return nil, err
	}
	*request = cr
	return s.Source.View(g.Space, rev), nil
}

// commitRequest stores a prepared change as a revision of a change request.
func (s *Service) commitRequest(ctx context.Context, tx *store.Tx, g *authz.Grant, p *Prepared, cr docs.ChangeRequestID, rev docs.Revision) (docs.Revision, error) {
	rev.ChangeRequest = cr
	rev, changed, err := s.store(ctx, tx, g, p, rev)
	if err != nil || !changed {
		return rev, err
	}
	if err := tx.PutDocuments(ctx, p.space.ID, p.index.Documents); err != nil {
		return rev, err
	}
	if err := tx.AddUsage(ctx, g.Space, p.adds(rev)); err != nil {
		return rev, err
	}
	return rev, audit.Record(ctx, tx, g.Actor, audit.Event{
		Org: p.space.Org, Action: "change_request.content." + string(rev.Type), Kind: "change-request", ID: string(cr),
		Data: map[string]any{"space": p.space.ID, "revision": rev.ID, "changed": p.index.Changed},
	})
}

// commitSpace makes a prepared change the newest revision of its space and writes
// the index. The grant must have the space as it is in the transaction.
func (s *Service) commitSpace(ctx context.Context, tx *store.Tx, g *authz.Grant, p *Prepared, rev docs.Revision) (docs.Revision, error) {
	rev, changed, err := s.store(ctx, tx, g, p, rev)
	if err != nil || !changed {
		return rev, err
	}
	add := p.adds(rev)
	followed, err := tx.MoveHead(ctx, p.space.ID, p.tree.Base.ID, rev.ID, add)
	if err != nil {
		return rev, err
	}
	if err := tx.WithinQuotas(ctx, g.Space, add); err != nil {
		return rev, err
	}
	if err := p.index.Write(ctx, tx, g.Space); err != nil {
		return rev, err
	}
	if followed && s.RevisionAdded != nil {
		if err := s.RevisionAdded(ctx, tx, p.space, rev); err != nil {
			return rev, err
		}
	}
	return rev, audit.Record(ctx, tx, g.Actor, contentEvent(p.space, string(rev.Type), map[string]any{
		"revision": rev.ID, "changed": p.index.Changed,
	}))
}

// store stores a prepared change as a revision, and reports whether it differs
// from its base.
func (s *Service) store(ctx context.Context, tx *store.Tx, g *authz.Grant, p *Prepared, rev docs.Revision) (docs.Revision, bool, error) {
	if !p.tree.Changed() && rev.MergedFrom == "" && rev.Type != docs.RevisionBringUpToDate {
		return p.tree.Base, false, nil
	}
	if err := tx.PutObjects(ctx, p.sources.And(p.nodes)); err != nil {
		return rev, false, err
	}
	if rev.ID == "" {
		rev.ID = store.NewID[docs.RevisionID](tx)
	}
	rev.Space, rev.Root = p.space.ID, p.tree.Root
	rev.Author, rev.CreatedAt = g.Actor.User, tx.Now()
	if rev.Parents == nil {
		rev.Parents = []docs.RevisionID{p.tree.Base.ID}
	}
	return rev, true, tx.AddRevision(ctx, rev)
}

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
