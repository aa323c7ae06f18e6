package content

import (
	"context"

	"github.com/octavo-docs/octavo/internal/blob"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
)

// Revision opens a revision of a space. The empty id is the empty revision
// that comes before the first one.
func (s *Service) Revision(ctx context.Context, sp docs.Space, id docs.RevisionID) (*revision.View, error) {
	if id == "" {
		return s.Source.View(sp, docs.Revision{}), nil
	}
	return s.Source.At(ctx, s.Store.Reader, sp, id)
}

// Revisions lists the revisions of a space, or of one of its change requests,
// newest first.
func (s *Service) Revisions(space docs.SpaceID, cr docs.ChangeRequestID) store.List[docs.Revision] {
	return store.List[docs.Revision]{
		Page: func(ctx context.Context, p store.Page) ([]docs.Revision, store.Key, error) {
			return s.Store.Revisions(ctx, space, cr, p)
		},
		Count: func(ctx context.Context) (int64, error) { return s.Store.CountRevisions(ctx, space, cr) },
	}
}

// OpenFile opens the bytes of a file of a space. A space in the trash has
// none.
func (s *Service) OpenFile(ctx context.Context, space docs.SpaceID, hash string) (blob.Object, error) {
	sp, err := s.Store.Space(ctx, space)
	if errs.Is(err, errs.NotFound) || err == nil && !sp.It.DeletedAt.IsZero() {
		return nil, errs.Missing("file")
	}
	if err != nil {
		return nil, err
	}
	return blob.OpenNamed(ctx, s.Blobs, hash)
}
