package content

import (
	"context"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/exchange"
	"github.com/octavo-docs/octavo/internal/merge"
	"github.com/octavo-docs/octavo/internal/revision"
	"github.com/octavo-docs/octavo/internal/store"
)

// Merging is a merge that was made ahead of its transaction: nobody waits
// while it is worked out.
type Merging struct {
	space     docs.RevisionID // what it was made from
	fork      Fork
	into      *revision.View
	draft     *revision.Draft
	prepared  *Prepared // if there are no conflicts
	conflicts []merge.Conflict
}

// Fork is a line of revisions beside that of a space: where it left it, and
// its newest revision.
type Fork struct{ Base, Tip docs.RevisionID }

func forkOf(cr docs.ChangeRequest) Fork { return Fork{cr.Ancestor, cr.Revision} }

// fits reports whether nothing has moved since.
func (m *Merging) fits(sp docs.Space, f Fork) bool {
	return m != nil && m.space == sp.Revision && m.fork == f
}

// Conflicts returns where both sides changed the same.
func (m *Merging) Conflicts() []merge.Conflict {
	if m == nil {
		return nil
	}
	return m.conflicts
}

// PrepareMerge works out what merging a change request would give.
func (s *Service) PrepareMerge(ctx context.Context, sp docs.Space, cr docs.ChangeRequest) (*Merging, error) {
	return s.prepareInto(ctx, sp, forkOf(cr), merge.IntoSpace)
}

// PrepareImported works out what bringing a fork that a repository made into
// its space would give.
func (s *Service) PrepareImported(ctx context.Context, sp docs.Space, f Fork) (*Merging, error) {
	return s.prepareInto(ctx, sp, f, merge.FromRepository)
}

func (s *Service) prepareInto(ctx context.Context, sp docs.Space, f Fork, dir merge.Direction) (*Merging, error) {
	m, err := s.prepare(ctx, s.Store.Reader, sp, f, dir)
	if err != nil || len(m.conflicts) > 0 {
		return m, err
	}
	m.prepared, err = s.prepareSpace(ctx, s.Store.Reader, m.draft, nil)
	return m, err
}

// PrepareUpdate works out what bringing a change request up to date would
// give.
func (s *Service) PrepareUpdate(ctx context.Context, sp docs.Space, cr docs.ChangeRequest) (*Merging, error) {
	return s.prepare(ctx, s.Store.Reader, sp, forkOf(cr), merge.IntoRequest)
}

func (s *Service) prepare(ctx context.Context, r store.Reader, sp docs.Space, f Fork, dir merge.Direction) (*Merging, error) {
	m := &Merging{space: sp.Revision, fork: f}
	main, err := s.Source.At(ctx, r, sp, sp.Revision)
	if err != nil {
		return nil, err
	}
	mine, err := s.Source.At(ctx, r, sp, f.Tip)
	if err != nil {
		return nil, err
	}
	base, err := r.Revision(ctx, sp.ID, f.Base)
	if err != nil {
		return nil, err
	}
	from := mine.Rev
	if m.into = main; dir == merge.IntoRequest {
		m.into, from = mine, main.Rev
	}
	now := s.Store.Clock()
	m.draft, m.conflicts, err = merge.Into(ctx, dir, m.into, base, from, docs.TimeOf(now), revision.IDsFrom(now))
	for i := range m.conflicts {
		c := &m.conflicts[i]
		c.Base, c.Main, c.Mine = base.ID, main.Rev.ID, mine.Rev.ID
	}
	return m, err
}

// prepared returns a merge for the state that a transaction sees: the one that
// was made ahead, if it still fits.
func (s *Service) prepared(ctx context.Context, tx *store.Tx, sp docs.Space, f Fork, ahead *Merging, dir merge.Direction) (*Merging, error) {
	if !ahead.fits(sp, f) {
		return s.prepare(ctx, tx.Reader, sp, f, dir)
	}
	ahead.draft.ReadThrough(tx.Reader)
	return ahead, nil
}

// Merge makes the content of a change request that of its space. With
// conflicts nothing changes.
func (s *Service) Merge(ctx context.Context, tx *store.Tx, g *authz.Grant, cr docs.ChangeRequest, ahead *Merging) (docs.Revision, []merge.Conflict, error) {
	return s.mergeFork(ctx, tx, g, forkOf(cr), ahead, docs.Revision{Type: docs.RevisionMerge, Message: cr.Subject, MergedFrom: cr.ID}, merge.IntoSpace)
}

// MergeImported makes the content of a fork that a repository made that of its space,
// in a revision of which the caller says what it is. With conflicts nothing
// changes.
func (s *Service) MergeImported(ctx context.Context, tx *store.Tx, g *authz.Grant, f Fork, ahead *Merging, rev docs.Revision) (docs.Revision, []merge.Conflict, error) {
	return s.mergeFork(ctx, tx, g, f, ahead, rev, merge.FromRepository)
}

func (s *Service) mergeFork(ctx context.Context, tx *store.Tx, g *authz.Grant, f Fork, ahead *Merging, rev docs.Revision, dir merge.Direction) (docs.Revision, []merge.Conflict, error) {
	m, err := s.prepared(ctx, tx, g.Space, f, ahead, dir)
	if err != nil || len(m.conflicts) > 0 {
		return docs.Revision{}, m.Conflicts(), err
	}
	rev.Parents = []docs.RevisionID{m.into.Rev.ID, f.Tip}
	if m.prepared == nil || !m.prepared.index.Fits(g.Space) {
		if m.prepared, err = s.prepareSpace(ctx, tx.Reader, m.draft, nil); err != nil {
			return docs.Revision{}, nil, err
		}
	}
	rev, err = s.commitSpace(ctx, tx, g, m.prepared, rev)
	return rev, nil, err
}

// Update brings what the space changed into a change request. Where both
// changed the same, the request keeps what it has, and the conflicts tell of
// it.
func (s *Service) Update(ctx context.Context, tx *store.Tx, g *authz.Grant, cr docs.ChangeRequest, ahead *Merging) (docs.Revision, []merge.Conflict, error) {
	m, err := s.prepared(ctx, tx, g.Space, forkOf(cr), ahead, merge.IntoRequest)
	if err != nil {
		return docs.Revision{}, nil, err
	}
	rev, err := s.commitAside(ctx, tx, g, m.draft, cr.ID, docs.Revision{
		Type: docs.RevisionUpdate, Parents: []docs.RevisionID{cr.Revision, g.Space.Revision},
	})
	return rev, m.conflicts, err
}

// MergeIntoRequest brings what changed between two revisions into a change request.
// Where both changed the same, the request keeps what it has, and the
// conflicts tell of it.
func (s *Service) MergeIntoRequest(ctx context.Context, tx *store.Tx, g *authz.Grant, cr docs.ChangeRequest, f Fork) (docs.Revision, []merge.Conflict, error) {
	into, err := s.Source.At(ctx, tx.Reader, g.Space, cr.Revision)
	if err != nil {
		return docs.Revision{}, nil, err
	}
	base, err := tx.Revision(ctx, g.Space.ID, f.Base)
	if err != nil {
		return docs.Revision{}, nil, err
	}
	from, err := tx.Revision(ctx, g.Space.ID, f.Tip)
	if err != nil {
		return docs.Revision{}, nil, err
	}
	d, conflicts, err := merge.Into(ctx, merge.IntoRequest, into, base, from, tx.Now(), func() string { return store.NewID[string](tx) })
	if err != nil {
		return docs.Revision{}, nil, err
	}
	for i := range conflicts {
		conflicts[i].Base, conflicts[i].Main, conflicts[i].Mine = f.Base, f.Tip, cr.Revision
	}
	rev, err := s.commitAside(ctx, tx, g, d, cr.ID, docs.Revision{Type: docs.RevisionUpdate, Parents: []docs.RevisionID{cr.Revision, f.Tip}})
	return rev, conflicts, err
}

// CommitImported stores what was taken from an upstream: as the newest revision of
// the space if it was made from the newest, else beside its line.
func (s *Service) CommitImported(ctx context.Context, tx *store.Tx, g *authz.Grant, t *exchange.Imported, rev docs.Revision) (docs.Revision, error) {
	t.Draft.ReadThrough(tx.Reader)
	if rev.Aside {
		p, err := s.prepareAside(ctx, t.Draft)
		if err != nil {
			return rev, err
		}
		rev, changed, err := s.store(ctx, tx, g, p, rev)
		if err != nil || !changed {
			return rev, err
		}
		return rev, tx.PutDocuments(ctx, g.Space.ID, p.index.Documents)
	}
	return s.commit(ctx, tx, g, t.Draft, t.Work, rev)
}

// Resolution says how a conflict ends.
type Resolution struct {
	Main bool           // as in the space
	Body *revision.Body // as given; neither: as in the change request
}

// Resolve ends a conflict in the content of a change request.
func (s *Service) Resolve(ctx context.Context, tx *store.Tx, g *authz.Grant, cr docs.ChangeRequest, c merge.Conflict, how Resolution) (docs.Revision, error) {
	v, err := s.Source.At(ctx, tx.Reader, g.Space, cr.Revision)
	if err != nil || !how.Main && how.Body == nil {
		return docs.Revision{ID: cr.Revision}, err
	}
	main, err := tx.Revision(ctx, g.Space.ID, c.Main)
	if err != nil {
		return docs.Revision{}, err
	}
	d := v.Draft(tx.Now(), func() string { return store.NewID[string](tx) })
	if how.Body != nil {
		err = merge.TakeGiven(ctx, d, c, main, *how.Body)
	} else {
		err = merge.TakeMain(ctx, d, c, main)
	}
	if err != nil {
		return docs.Revision{}, err
	}
	return s.commitAside(ctx, tx, g, d, cr.ID, docs.Revision{Type: docs.RevisionEdits})
}
