package reviews

import (
	"context"
	"encoding/json"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/merge"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
)

// ChangeRequest returns a change request of the space of a grant, by its id
// or its number.
func (s *Service) ChangeRequest(ctx context.Context, g *authz.Grant, name string) (docs.ChangeRequest, error) {
	return s.Store.ChangeRequest(ctx, g.Space.ID, name)
}

// ChangeRequests lists the change requests of the space of a grant.
func (s *Service) ChangeRequests(g *authz.Grant, f store.ChangeRequestFilter) store.List[docs.ChangeRequest] {
	f.Space = g.Space.ID
	return store.List[docs.ChangeRequest]{
		Page: func(ctx context.Context, p store.Page) ([]docs.ChangeRequest, store.Key, error) {
			return s.Store.ChangeRequests(ctx, f, p)
		},
		Count: func(ctx context.Context) (int64, error) { return s.Store.CountChangeRequests(ctx, f) },
	}
}

// OrgChangeRequests lists the change requests of all spaces that the caller
// can see. The list is empty if the filter names a site that the caller cannot see.
func (s *Service) OrgChangeRequests(ctx context.Context, g *authz.Grant, f store.ChangeRequestFilter) (store.List[store.ChangeRequestIn], error) {
	if f.Site != "" {
		_, _, err := authz.NewChecker(s.Store.Reader).Site(ctx, g.Actor, authz.ViewSite, g.Access.Org, f.Site)
		if authz.Denied(err) {
			return store.List[store.ChangeRequestIn]{}, nil
		}
		if err != nil {
			return store.List[store.ChangeRequestIn]{}, err
		}
	}
	v := g.Viewer()
	return store.List[store.ChangeRequestIn]{
		Page: func(ctx context.Context, p store.Page) ([]store.ChangeRequestIn, store.Key, error) {
			return s.Store.ChangeRequestsVisible(ctx, v, f, p)
		},
		Count: func(ctx context.Context) (int64, error) { return s.Store.CountChangeRequestsVisible(ctx, v, f) },
	}, nil
}

// Contributors returns the users who edited a change request or commented on it.
func (s *Service) Contributors(ctx context.Context, cr docs.ChangeRequest) ([]docs.Contributor, error) {
	return s.Store.Contributors(ctx, cr.ID)
}

// Reviews lists the reviews of a change request, newest first. If outdated is true, it
// lists only reviews that no longer count; if it is false, only those that count; if it
// is nil, all reviews.
func (s *Service) Reviews(cr docs.ChangeRequest, outdated *bool) store.List[docs.SubmittedReview] {
	f := store.ReviewFilter{Outdated: outdated}
	if cr.Status != docs.ChangeMerged {
		f.Current = cr.Revision
	}
	return store.List[docs.SubmittedReview]{
		Page: func(ctx context.Context, p store.Page) ([]docs.SubmittedReview, store.Key, error) {
			return s.Store.Reviews(ctx, cr.ID, f, p)
		},
		Count: func(ctx context.Context) (int64, error) { return s.Store.CountReviews(ctx, cr.ID, f) },
	}
}

// Review returns a review of a change request.
func (s *Service) Review(ctx context.Context, cr docs.ChangeRequest, id docs.ReviewID) (docs.SubmittedReview, error) {
	return s.Store.Review(ctx, cr.ID, id)
}

// RequestedReviewers lists the requested reviewers who have not submitted a review.
func (s *Service) RequestedReviewers(cr docs.ChangeRequest) store.List[docs.RequestedReviewer] {
	return store.List[docs.RequestedReviewer]{
		Page: func(ctx context.Context, p store.Page) ([]docs.RequestedReviewer, store.Key, error) {
			return s.Store.RequestedReviewers(ctx, cr.ID, p)
		},
		Count: func(ctx context.Context) (int64, error) { return s.Store.CountRequestedReviewers(ctx, cr.ID) },
	}
}

// RecordedConflict is a conflict of a change request with its resolution.
type RecordedConflict struct {
	ID         string
	Conflict   merge.Conflict
	Resolution string // empty if the conflict is open
	ResolvedBy docs.UserID
	CreatedAt  docs.Time
}

// Key returns the position of the conflict in its list.
func (c RecordedConflict) Key() store.Key { return store.ConflictKey(store.Conflict{ID: c.ID}) }

// Conflicts lists the conflicts of a change request: the open ones, or all.
func (s *Service) Conflicts(cr docs.ChangeRequest, open bool) store.List[RecordedConflict] {
	return store.List[RecordedConflict]{
		Page: func(ctx context.Context, p store.Page) ([]RecordedConflict, store.Key, error) {
			rows, next, err := s.Store.Conflicts(ctx, cr.ID, open, p)
			if err != nil {
				return nil, nil, err
			}
			out := make([]RecordedConflict, len(rows))
			for i, row := range rows {
				if err := json.Unmarshal([]byte(row.Data), &out[i].Conflict); err != nil {
					return nil, nil, err
				}
				out[i].ID, out[i].Resolution, out[i].ResolvedBy, out[i].CreatedAt = row.ID, row.Resolution, row.ResolvedBy, row.CreatedAt
			}
			return out, next, nil
		},
		Count: func(ctx context.Context) (int64, error) { return s.Store.CountConflicts(ctx, cr.ID, open) },
	}
}
