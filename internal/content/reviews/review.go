package reviews

import (
	"context"
	"fmt"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
)

// Submit adds a review of the newest revision of a change request. Earlier reviews of the
// same user no longer count.
func (s *Service) Submit(ctx context.Context, g *authz.Grant, name string, status docs.ReviewStatus, comment *revision.Body) (docs.ChangeRequest, docs.SubmittedReview, error) {
	type result struct {
		cr     docs.ChangeRequest
		review docs.SubmittedReview
	}
	out, err := authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (result, error) {
		cr, err := content.OpenRequest(ctx, tx.Reader, g.Space.ID, name)
		if err != nil {
			return result{}, err
		}
		v := docs.SubmittedReview{
			ID: store.NewID[docs.ReviewID](tx), Request: cr.ID, Revision: cr.Revision, Status: status, CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
		}
		if v.Reviewer, err = tx.User(ctx, g.Actor.User); err != nil {
			return result{}, err
		}
		asker, err := tx.DropRequestedReviewer(ctx, cr.ID, g.Actor.User)
		if err == nil && asker != "" {
			v.RequestedBy, err = tx.User(ctx, asker)
		}
		if err != nil {
			return result{}, err
		}
		if comment != nil {
			if v.Comment, err = s.Comment(ctx, tx, g, cr, v, *comment); err != nil {
				return result{}, err
			}
		}
		if err := tx.AddReview(ctx, v); err != nil {
			return result{}, err
		}
		return result{cr, v}, s.record(ctx, tx, g, cr, "review", map[string]any{"review": v.ID, "status": v.Status, "revision": v.Revision})
	})
	return out.cr, out.review, err
}

// ReviewRequest is the input of RequestReviews.
type ReviewRequest struct {
	Users []docs.UserID
	Patch
}

// RequestReviews requests reviews from users, and opens the change request if it is a
// draft. Without users, everybody who may review can do so.
func (s *Service) RequestReviews(ctx context.Context, g *authz.Grant, name string, r ReviewRequest) (docs.ChangeRequest, []docs.RequestedReviewer, error) {
	type result struct {
		cr    docs.ChangeRequest
		asked []docs.RequestedReviewer
	}
	description, err := s.description(ctx, g, name, r.Patch)
	if err != nil {
		return docs.ChangeRequest{}, nil, err
	}
	r.Status = docs.ChangeOpen
	out, err := authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (result, error) {
		was, err := content.OpenRequest(ctx, tx.Reader, g.Space.ID, name)
		if err != nil {
			return result{}, err
		}
		cr, err := patched(was, r.Patch, description)
		if err != nil {
			return result{}, err
		}
		cr.UpdatedAt = tx.Now()
		if err := tx.PutChangeRequest(ctx, was, cr); err != nil {
			return result{}, err
		}
		out := result{cr: cr, asked: []docs.RequestedReviewer{}}
		by, err := tx.User(ctx, g.Actor.User)
		if err != nil {
			return out, err
		}
		seen := map[docs.UserID]bool{}
		for i, id := range r.Users {
			if seen[id] {
				continue
			}
			seen[id] = true
			u, err := reviewer(ctx, tx, g, fmt.Sprintf("users[%d]", i), id)
			if err != nil {
				return out, err
			}
			q := docs.RequestedReviewer{Request: cr.ID, User: u, Revision: cr.Revision, RequestedBy: by, CreatedAt: tx.Now()}
			if err := tx.AddRequestedReviewer(ctx, q); err != nil {
				return out, err
			}
			out.asked = append(out.asked, q)
		}
		data := map[string]any{"users": r.Users}
		if err := description.addMentions(ctx, tx, g, data); err != nil {
			return out, err
		}
		return out, s.record(ctx, tx, g, cr, "request_review", data)
	})
	return out.cr, out.asked, err
}

// reviewer returns a user who may review the space of a grant. path is the path of the id
// in the input, for error messages.
func reviewer(ctx context.Context, tx *store.Tx, g *authz.Grant, path string, id docs.UserID) (docs.User, error) {
	_, _, err := authz.NewChecker(tx.Reader).Space(ctx, authz.Actor{User: id}, authz.ReviewSpace, g.Space.ID)
	switch {
	case errs.Is(err, errs.NotFound):
		return docs.User{}, errs.Field(path, "cannot see the space: %q; grant them access first", id)
	case errs.Is(err, errs.Forbidden):
		return docs.User{}, errs.Field(path, "cannot review: %q needs the role %q on the space", id, authz.ReviewSpace.Least)
	case err != nil:
		return docs.User{}, err
	}
	m, err := tx.Member(ctx, g.Space.Org, id)
	return m.User, err
}

// WithdrawReviewRequest withdraws the request for a review by a user. It reports whether
// there was one.
func (s *Service) WithdrawReviewRequest(ctx context.Context, g *authz.Grant, name string, user docs.UserID) (bool, error) {
	return authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (bool, error) {
		cr, err := tx.ChangeRequest(ctx, g.Space.ID, name)
		if err != nil {
			return false, err
		}
		by, err := tx.DropRequestedReviewer(ctx, cr.ID, user)
		if err != nil || by == "" {
			return false, err
		}
		return true, s.record(ctx, tx, g, cr, "unrequest_review", map[string]any{"user": user})
	})
}
