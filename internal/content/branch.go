package content

import (
	"context"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
)

// Merging is a merge that was made ahead of its transaction: nobody waits
// while it is worked out.
type Merging struct {
	space, request, base docs.RevisionID // what it was made from
	into                 *View
	draft                *draft
	conflicts            []Conflict
}

// fits tells whether nothing has moved since.
func (m *Merging) fits(sp docs.Space, cr docs.ChangeRequest) bool {
	return m != nil && m.space == sp.Revision && m.request == cr.Revision && m.base == cr.Ancestor
}

// direction tells which line a merge goes into.
type direction bool

const (
	intoSpace   direction = false
	intoRequest direction = true
)

// PrepareMerge works out what merging a change request would give.
func (s *Service) PrepareMerge(ctx context.Context, sp docs.Space, cr docs.ChangeRequest) (*Merging, error) {
	m, err := s.prepare(ctx, s.Store.Reader, sp, cr, intoSpace)
	if err != nil || len(m.conflicts) > 0 {
		return m, err
	}
	return m, m.draft.prepareIndex(ctx)
}

// PrepareUpdate works out what bringing a change request up to date would
// give.
func (s *Service) PrepareUpdate(ctx context.Context, sp docs.Space, cr docs.ChangeRequest) (*Merging, error) {
	return s.prepare(ctx, s.Store.Reader, sp, cr, intoRequest)
}

func (s *Service) prepare(ctx context.Context, r store.Reader, sp docs.Space, cr docs.ChangeRequest, dir direction) (*Merging, error) {
	m := &Merging{space: sp.Revision, request: cr.Revision, base: cr.Ancestor}
	main, err := s.At(ctx, r, sp, sp.Revision)
	if err != nil {
		return nil, err
	}
	mine, err := s.At(ctx, r, sp, cr.Revision)
	if err != nil {
		return nil, err
	}
	base, err := r.Revision(ctx, sp.ID, cr.Ancestor)
	if err != nil {
		return nil, err
	}
	from := mine.Rev
	if m.into = main; dir == intoRequest {
		m.into, from = mine, main.Rev
	}
	now := s.Store.Clock()
	m.draft, m.conflicts, err = s.mergeInto(ctx, dir, m.into, base, from, docs.TimeOf(now), idsFrom(now))
	for i := range m.conflicts {
		c := &m.conflicts[i]
		c.Base, c.Main, c.Mine = base.ID, main.Rev.ID, mine.Rev.ID
	}
	return m, err
}

// prepared gives a merge for the state that a transaction sees: the one that
// was made ahead, if it still fits.
func (s *Service) prepared(ctx context.Context, tx *store.Tx, sp docs.Space, cr docs.ChangeRequest, ahead *Merging, dir direction) (*Merging, error) {
	if !ahead.fits(sp, cr) {
		return s.prepare(ctx, tx.Reader, sp, cr, dir)
	}
	ahead.draft.src.r = tx.Reader
	return ahead, nil
}

// Merge makes the content of a change request that of its space. With
// conflicts nothing changes.
func (s *Service) Merge(ctx context.Context, tx *store.Tx, g *authz.Grant, cr docs.ChangeRequest, ahead *Merging) (docs.Revision, []Conflict, error) {
	m, err := s.prepared(ctx, tx, g.Space, cr, ahead, intoSpace)
	if err != nil {
		return docs.Revision{}, nil, err
	}
	if len(m.conflicts) > 0 {
		return docs.Revision{}, m.conflicts, nil
	}
	rev, err := s.commit(ctx, tx, g, m.draft, docs.Revision{
		Type: docs.RevisionMerge, Message: cr.Subject, MergedFrom: cr.ID, Parents: []docs.RevisionID{m.into.Rev.ID, cr.Revision},
	})
	return rev, nil, err
}

// Update brings what the space changed into a change request. Where both
// changed the same, the request keeps what it has, and the conflicts tell of
// it.
func (s *Service) Update(ctx context.Context, tx *store.Tx, g *authz.Grant, cr docs.ChangeRequest, ahead *Merging) (docs.Revision, []Conflict, error) {
	m, err := s.prepared(ctx, tx, g.Space, cr, ahead, intoRequest)
	if err != nil {
		return docs.Revision{}, nil, err
	}
	rev, err := s.commitAside(ctx, tx, g, m.draft, cr.ID, docs.Revision{
		Type: docs.RevisionUpdate, Parents: []docs.RevisionID{cr.Revision, g.Space.Revision},
	})
	return rev, m.conflicts, err
}

// Resolution says how a conflict ends.
type Resolution struct {
	Main bool  // as in the space
	Body *Body // as given; neither: as in the change request
}

// Resolve ends a conflict in the content of a change request.
func (s *Service) Resolve(ctx context.Context, tx *store.Tx, g *authz.Grant, cr docs.ChangeRequest, c Conflict, how Resolution) (docs.Revision, error) {
	v, err := s.At(ctx, tx.Reader, g.Space, cr.Revision)
	if err != nil || !how.Main && how.Body == nil {
		return docs.Revision{ID: cr.Revision}, err
	}
	main, err := tx.Revision(ctx, g.Space.ID, c.Main)
	if err != nil {
		return docs.Revision{}, err
	}
	d := s.draftOf(v, tx.Now(), func() string { return store.NewID[string](tx) })
	if how.Body != nil {
		err = d.takeGiven(ctx, c, main, *how.Body)
	} else {
		err = d.takeMain(ctx, c, main)
	}
	if err != nil {
		return docs.Revision{}, err
	}
	return s.commitAside(ctx, tx, g, d, cr.ID, docs.Revision{Type: docs.RevisionEdits})
}
