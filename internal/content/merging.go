package content

import (
	"context"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/exchange"
	"github.com/octavo-docs/octavo/internal/content/merge"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
)

// PreparedMerge is a merge that can be committed, or the conflicts that prevent it.
type PreparedMerge struct {
	sides     Sides
	prepared  *Prepared // nil if conflicts prevent it
	conflicts []merge.Conflict
}

// Sides are the revisions of a merge: what changed between Base and From is
// merged into Into.
type Sides struct{ Base, Into, From docs.RevisionID }

// Fork is a line of revisions beside that of a space, from the revision of the
// space where it starts to its own newest revision.
type Fork struct{ Base, Tip docs.RevisionID }

func intoSpace(sp docs.Space, f Fork) Sides {
	return Sides{Base: f.Base, Into: sp.Revision, From: f.Tip}
}

func intoRequest(sp docs.Space, cr docs.ChangeRequest) Sides {
	return Sides{Base: cr.Ancestor, Into: cr.Revision, From: sp.Revision}
}

func forkOf(cr docs.ChangeRequest) Fork { return Fork{cr.Ancestor, cr.Revision} }

// Conflicts returns the conflicts of the merge.
func (m *PreparedMerge) Conflicts() []merge.Conflict { return m.conflicts }

// PrepareMerge prepares the merge of a change request into its space.
func (s *Service) PrepareMerge(ctx context.Context, sp docs.Space, cr docs.ChangeRequest) (*PreparedMerge, error) {
	return s.prepareMerge(ctx, sp, intoSpace(sp, forkOf(cr)), merge.IntoSpace)
}

// PrepareMergeImported prepares the merge of a fork that was imported from a
// repository into its space.
func (s *Service) PrepareMergeImported(ctx context.Context, sp docs.Space, f Fork) (*PreparedMerge, error) {
	return s.prepareMerge(ctx, sp, intoSpace(sp, f), merge.FromRepository)
}

// PrepareMergeTranslated prepares the merge of a fork that was translated from
// another space. In conflicts, the space keeps its own state.
func (s *Service) PrepareMergeTranslated(ctx context.Context, sp docs.Space, f Fork) (*PreparedMerge, error) {
	return s.prepareMerge(ctx, sp, intoSpace(sp, f), merge.FromTranslation)
}

// PrepareBringUpToDate prepares the merge of the space into a change request. In conflicts,
// the request keeps its own state.
func (s *Service) PrepareBringUpToDate(ctx context.Context, sp docs.Space, cr docs.ChangeRequest) (*PreparedMerge, error) {
	return s.prepareMerge(ctx, sp, intoRequest(sp, cr), merge.IntoRequest)
}

// PrepareMergeIntoRequest prepares the merge of a fork into a change request. In
// conflicts, the request keeps its own state.
func (s *Service) PrepareMergeIntoRequest(ctx context.Context, sp docs.Space, cr docs.ChangeRequest, f Fork) (*PreparedMerge, error) {
	return s.prepareMerge(ctx, sp, Sides{Base: f.Base, Into: cr.Revision, From: f.Tip}, merge.IntoRequest)
}

func (s *Service) prepareMerge(ctx context.Context, sp docs.Space, sides Sides, dir merge.Direction) (*PreparedMerge, error) {
	r := s.Store.Reader
	into, err := s.Source.At(ctx, r, sp, sides.Into)
	if err != nil {
		return nil, err
	}
	from, err := r.Revision(ctx, sp.ID, sides.From)
	if err != nil {
		return nil, err
	}
	base, err := r.Revision(ctx, sp.ID, sides.Base)
	if err != nil {
		return nil, err
	}
	now := s.Store.Clock()
	d, conflicts, err := merge.Into(ctx, dir, into, base, from, docs.TimeOf(now), revision.IDGenerator(now))
	if err != nil {
		return nil, err
	}
	main, mine := sides.Into, sides.From
	if dir == merge.IntoRequest {
		main, mine = mine, main
	}
	for i := range conflicts {
		c := &conflicts[i]
		c.Base, c.Main, c.Mine = sides.Base, main, mine
	}
	m := &PreparedMerge{sides: sides, conflicts: conflicts}
	switch {
	case dir == merge.IntoRequest:
		m.prepared, err = s.prepareAside(ctx, d)
	case len(conflicts) == 0 || dir == merge.FromTranslation:
		m.prepared, err = s.prepareSpace(ctx, d, nil)
	}
	return m, err
}

// Merge makes the content of a change request that of its space. With conflicts
// nothing changes. It fails with ErrMoved if the merge was prepared from other
// revisions.
func (s *Service) Merge(ctx context.Context, tx *store.Tx, g *authz.Grant, cr docs.ChangeRequest, m *PreparedMerge) (docs.Revision, []merge.Conflict, error) {
	return s.MergeImported(ctx, tx, g, forkOf(cr), m, docs.Revision{Type: docs.RevisionMerge, Message: cr.Subject, MergedFrom: cr.ID})
}

// MergeImported is Merge for a fork from a repository or a translation. rev is the
// metadata of the new revision.
func (s *Service) MergeImported(ctx context.Context, tx *store.Tx, g *authz.Grant, f Fork, m *PreparedMerge, rev docs.Revision) (docs.Revision, []merge.Conflict, error) {
	switch {
	case m.sides != intoSpace(g.Space, f):
		return docs.Revision{}, nil, ErrMoved
	case m.prepared == nil:
		return docs.Revision{}, m.conflicts, nil
	case !m.prepared.Fits(g.Space):
		return docs.Revision{}, nil, ErrMoved
	}
	rev.Parents = []docs.RevisionID{m.sides.Into, m.sides.From}
	rev, err := s.commitSpace(ctx, tx, g, m.prepared, rev)
	return rev, nil, err
}

// BringUpToDate merges the space into a change request. It fails with ErrMoved if the
// merge was prepared from other revisions.
func (s *Service) BringUpToDate(ctx context.Context, tx *store.Tx, g *authz.Grant, cr docs.ChangeRequest, m *PreparedMerge) (docs.Revision, []merge.Conflict, error) {
	if m.sides != intoRequest(g.Space, cr) {
		return docs.Revision{}, nil, ErrMoved
	}
	return s.MergeIntoRequest(ctx, tx, g, cr, m)
}

// MergeIntoRequest makes a merge the newest revision of a change request. It
// fails with ErrMoved if the merge was prepared from another revision of it.
func (s *Service) MergeIntoRequest(ctx context.Context, tx *store.Tx, g *authz.Grant, cr docs.ChangeRequest, m *PreparedMerge) (docs.Revision, []merge.Conflict, error) {
	if m.sides.Into != cr.Revision {
		return docs.Revision{}, nil, ErrMoved
	}
	rev, err := s.commitRequest(ctx, tx, g, m.prepared, cr.ID, docs.Revision{
		Type: docs.RevisionBringUpToDate, Parents: []docs.RevisionID{m.sides.Into, m.sides.From},
	})
	return rev, m.conflicts, err
}

// PrepareImported prepares an import as the newest revision of sp, the current state
// of its space.
func (s *Service) PrepareImported(ctx context.Context, sp docs.Space, t *exchange.Imported) (*Prepared, error) {
	w := t.Work
	if t.Draft.Space.Language != sp.Language {
		w = nil // its words were analysed for another language
	}
	t.Draft.Space = sp
	return s.prepareSpace(ctx, t.Draft, w)
}

// PrepareStored prepares a draft, such as that of an import, as a revision beside the
// line of its space.
func (s *Service) PrepareStored(ctx context.Context, d *revision.Draft) (*Prepared, error) {
	return s.prepareAside(ctx, d)
}

// CommitImported stores an import as the newest revision of the space. It fails
// with ErrMoved if the import was prepared from another one.
func (s *Service) CommitImported(ctx context.Context, tx *store.Tx, g *authz.Grant, p *Prepared, rev docs.Revision) (docs.Revision, error) {
	if !p.Fits(g.Space) {
		return rev, ErrMoved
	}
	return s.commitSpace(ctx, tx, g, p, rev)
}

// StoreImported stores an import beside the line of its space.
func (s *Service) StoreImported(ctx context.Context, tx *store.Tx, g *authz.Grant, p *Prepared, rev docs.Revision) (docs.Revision, error) {
	rev.Aside = true
	rev, changed, err := s.store(ctx, tx, g, p, rev)
	if err != nil || !changed {
		return rev, err
	}
	if err := tx.AddUsage(ctx, g.Space, p.adds(rev)); err != nil {
		return rev, err
	}
	return rev, tx.PutDocuments(ctx, g.Space.ID, p.index.Documents)
}

// Resolution is the resolution of a conflict. The zero value is the state of the
// change request.
type Resolution struct {
	Main bool           // the state of the space
	Body *revision.Body // a new text
}

// PrepareResolution prepares the resolution of a conflict in a change request.
func (s *Service) PrepareResolution(ctx context.Context, sp docs.Space, cr docs.ChangeRequest, c merge.Conflict, how Resolution) (*Prepared, error) {
	v, err := s.Source.At(ctx, s.Store.Reader, sp, cr.Revision)
	if err != nil {
		return nil, err
	}
	d := s.draft(v)
	if !how.Main && how.Body == nil {
		return s.prepareAside(ctx, d) // the request keeps its own state
	}
	main, err := s.Store.Revision(ctx, sp.ID, c.Main)
	if err != nil {
		return nil, err
	}
	if how.Body != nil {
		err = merge.ResolveWithBody(ctx, d, c, main, *how.Body)
	} else {
		err = merge.ResolveWithMain(ctx, d, c, main)
	}
	if err != nil {
		return nil, err
	}
	return s.prepareAside(ctx, d)
}

// Resolve resolves a conflict in the content of a change request. It fails with
// ErrMoved if p was prepared from another revision of it.
func (s *Service) Resolve(ctx context.Context, tx *store.Tx, g *authz.Grant, cr docs.ChangeRequest, p *Prepared) (docs.Revision, error) {
	if p.Base() != cr.Revision {
		return docs.Revision{}, ErrMoved
	}
	return s.commitRequest(ctx, tx, g, p, cr.ID, docs.Revision{Type: docs.RevisionEdits})
}
