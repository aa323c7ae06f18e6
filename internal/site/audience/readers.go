package audience

import (
	"context"
	"time"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
)

// What is asked while somebody reads a site. Nothing here checks who reads: callers ask for
// what VisitorViewOf shows of a site, or for what everybody may know.

// Now returns the time by the clock of the server.
func (s *Service) Now() time.Time { return s.store.Clock() }

// Generation returns a number that every write to the store changes. If the store has none,
// counted is false.
func (s *Service) Generation() (number uint64, counted bool) { return s.store.Generation() }

// Space returns a space that a site shows.
func (s *Service) Space(ctx context.Context, id docs.SpaceID) (docs.Space, error) {
	sp, err := s.store.Space(ctx, id)
	return sp.It, err
}

// Languages returns the languages of the spaces of a site, without those in the trash.
func (s *Service) Languages(ctx context.Context, site docs.SiteID) (map[docs.SpaceID]string, error) {
	spaces, err := s.store.PresentSpacesOnSite(ctx, site)
	out := make(map[docs.SpaceID]string, len(spaces))
	for _, sp := range spaces {
		out[sp.ID] = sp.Language
	}
	return out, err
}

// SignIn returns how visitors of a site sign in.
func (s *Service) SignIn(ctx context.Context, site docs.SiteID) (docs.SiteAuth, error) {
	settings, err := s.store.SiteSettings(ctx, site)
	return settings.Auth, err
}

// ChangeRequest returns the change request of a draft.
func (s *Service) ChangeRequest(ctx context.Context, space docs.SpaceID, id docs.ChangeRequestID) (docs.ChangeRequest, error) {
	return s.store.ChangeRequest(ctx, space, string(id))
}

// AuthorName returns the name of somebody who has written a draft. It is empty if there is no
// such user any more.
func (s *Service) AuthorName(ctx context.Context, id docs.UserID) (string, error) {
	u, err := s.store.User(ctx, id)
	if errs.Is(err, errs.NotFound) {
		err = nil
	}
	return u.DisplayName, err
}
