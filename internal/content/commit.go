package content

import (
	"context"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/index"
	"github.com/octavo-docs/octavo/internal/revision"
	"github.com/octavo-docs/octavo/internal/store"
)

// Branch names a line of revisions: empty is the space itself, anything else
// the id or the number of a change request.
type Branch string

// line is a line of revisions at its newest one.
type line struct {
	*revision.View
	request *docs.ChangeRequest // nil: the space itself
}

// line opens a line for changing it. expected is the revision that the caller
// has seen; empty is any.
func (s *Service) line(ctx context.Context, r store.Reader, g *authz.Grant, on Branch, expected docs.RevisionID) (*line, error) {
	sp := g.Space
	head, l := sp.Revision, &line{}
	switch {
	case on != "":
		cr, err := OpenRequest(ctx, r, sp.ID, string(on))
		if err != nil {
			return nil, err
		}
		head, l.request = cr.Revision, &cr
	case sp.EditMode != docs.EditLive:
		return nil, errs.E(errs.Precondition, "the space is locked: its content is changed by change requests; set editMode to live to change it directly")
	}
	if expected != "" && expected != head {
		return nil, errs.E(errs.Precondition, "the content has changed: its revision is %s; read it again", head)
	}
	v, err := s.Source.At(ctx, r, sp, head)
	l.View = v
	return l, err
}

// OpenRequest gives a change request of a space that can be changed.
func OpenRequest(ctx context.Context, r store.Reader, space docs.SpaceID, name string) (docs.ChangeRequest, error) {
	cr, err := r.ChangeRequest(ctx, space, name)
	if err == nil {
		err = Editable(cr)
	}
	return cr, err
}

// Editable tells why a change request cannot be changed, if it cannot.
func Editable(c docs.ChangeRequest) error {
	switch c.Status {
	case docs.ChangeMerged:
		return errs.E(errs.Precondition, "change request %d is merged, which is final; open a new one", c.Number)
	case docs.ChangeArchived:
		return errs.E(errs.Precondition, "change request %d is archived; set its status to draft or open first", c.Number)
	}
	return nil
}

// commitTo makes a draft the newest revision of a line. A draft that changes
// nothing makes no revision: the newest one is given back.
func (s *Service) commitTo(ctx context.Context, tx *store.Tx, g *authz.Grant, l *line, d *revision.Draft, w *index.Work, rev docs.Revision) (*revision.View, error) {
	if l.request == nil {
		rev, err := s.commit(ctx, tx, g, d, w, rev)
		if err != nil {
			return nil, err
		}
		return s.Source.View(withHead(l.Space, rev, tx), rev), nil
	}
	cr := *l.request
	rev, err := s.commitAside(ctx, tx, g, d, cr.ID, rev)
	if err != nil || rev.ID == cr.Revision {
		return s.Source.View(l.Space, rev), err
	}
	cr.Revision, cr.UpdatedAt = rev.ID, tx.Now()
	if err := tx.PutChangeRequest(ctx, *l.request, cr); err != nil {
		return nil, err
	}
	if err := tx.AddContribution(ctx, cr.ID, g.Actor.User, docs.ContributorEdit); err != nil {
		return nil, err
	}
	*l.request = cr
	return s.Source.View(l.Space, rev), nil
}

// commitAside stores a draft as a revision of a change request. What is
// derived from content is kept of the space alone.
func (s *Service) commitAside(ctx context.Context, tx *store.Tx, g *authz.Grant, d *revision.Draft, cr docs.ChangeRequestID, rev docs.Revision) (docs.Revision, error) {
	rev.ChangeRequest = cr
	rev, changed, err := s.store(ctx, tx, g, d, rev)
	if err != nil || !changed {
		return rev, err
	}
	documents, count, err := index.ChangedDocuments(ctx, s.Source.Tree(tx.Reader, rev.Root), d.Base.Root)
	if err != nil {
		return rev, err
	}
	if err := tx.PutDocuments(ctx, d.Space.ID, documents); err != nil {
		return rev, err
	}
	return rev, audit.Record(ctx, tx, g.Actor, audit.Event{
		Org: d.Space.Org, Action: "change_request.content." + string(rev.Type), Kind: "change-request", ID: string(cr),
		Data: map[string]any{"space": d.Space.ID, "revision": rev.ID, "changed": count},
	})
}

// commit makes a draft the newest revision of its space, together with
// everything that is derived from it. A draft that changes nothing makes no
// revision: the newest one is given back.
func (s *Service) commit(ctx context.Context, tx *store.Tx, g *authz.Grant, d *revision.Draft, w *index.Work, rev docs.Revision) (docs.Revision, error) {
	rev, changed, err := s.store(ctx, tx, g, d, rev)
	if err != nil || !changed {
		return rev, err
	}
	if err := tx.MoveHead(ctx, d.Space.ID, d.Base.ID, rev.ID); err != nil {
		return rev, err
	}
	changes, err := s.Index.Update(ctx, tx, d, w, rev)
	if err != nil {
		return rev, err
	}
	if s.Moved != nil {
		if err := s.Moved(ctx, tx, d.Space, rev); err != nil {
			return rev, err
		}
	}
	return rev, audit.Record(ctx, tx, g.Actor, contentEvent(d.Space, string(rev.Type), map[string]any{
		"revision": rev.ID, "changed": changes,
	}))
}

// store stores a draft as a revision, and tells whether it differs from its
// base.
func (s *Service) store(ctx context.Context, tx *store.Tx, g *authz.Grant, d *revision.Draft, rev docs.Revision) (docs.Revision, bool, error) {
	if err := d.Stamp(ctx); err != nil {
		return rev, false, err
	}
	root, objects, err := d.Seal(ctx)
	if err != nil || root == d.Base.Root && rev.MergedFrom == "" && rev.Type != docs.RevisionUpdate {
		return d.Base, false, err
	}
	if err := tx.PutObjects(ctx, objects); err != nil {
		return rev, false, err
	}
	rev.ID, rev.Space, rev.Root = store.NewID[docs.RevisionID](tx), d.Space.ID, root
	rev.Author, rev.CreatedAt = g.Actor.User, tx.Now()
	if rev.Parents == nil {
		rev.Parents = []docs.RevisionID{d.Base.ID}
	}
	return rev, true, tx.AddRevision(ctx, rev)
}
