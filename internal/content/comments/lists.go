package comments

import (
	"context"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
)

// Comments lists the comments of a place.
func (s *Service) Comments(p Place, f store.CommentFilter) store.List[docs.PostedComment] {
	return store.List[docs.PostedComment]{
		Page: func(ctx context.Context, at store.Page) ([]docs.PostedComment, store.Key, error) {
			return s.Store.Comments(ctx, p.In, f, at)
		},
		Count: func(ctx context.Context) (int64, error) { return s.Store.CountComments(ctx, p.In, f) },
	}
}

// Comment returns a comment of a place.
func (s *Service) Comment(ctx context.Context, p Place, id docs.CommentID) (docs.PostedComment, error) {
	return s.Store.Comment(ctx, p.In, id)
}

// CommentsByID returns the comments with the given ids that belong to a place.
func (s *Service) CommentsByID(ctx context.Context, p Place, ids []docs.CommentID) ([]docs.PostedComment, error) {
	return s.Store.CommentsByID(ctx, p.In, ids)
}

// Replies lists the replies to a comment of a place, oldest first.
func (s *Service) Replies(ctx context.Context, p Place, id docs.CommentID) (store.List[docs.Reply], error) {
	_, err := s.Store.Comment(ctx, p.In, id)
	return store.List[docs.Reply]{
		Page: func(ctx context.Context, at store.Page) ([]docs.Reply, store.Key, error) {
			return s.Store.Replies(ctx, id, at)
		},
		Count: func(ctx context.Context) (int64, error) { return s.Store.CountReplies(ctx, id) },
	}, err
}

// ReplyTo returns a reply to a comment of a place.
func (s *Service) ReplyTo(ctx context.Context, p Place, comment docs.CommentID, id docs.ReplyID) (docs.Reply, error) {
	if _, err := s.Store.Comment(ctx, p.In, comment); err != nil {
		return docs.Reply{}, err
	}
	return s.Store.Reply(ctx, comment, id)
}

// Commenters lists the members who commented or replied in a place; for guests the list
// is empty.
func (s *Service) Commenters(g *authz.Grant, p Place) store.List[docs.Member] {
	org := g.Space.Org
	return authz.VisiblePeople(g, store.List[docs.Member]{
		Page: func(ctx context.Context, at store.Page) ([]docs.Member, store.Key, error) {
			return s.Store.Commenters(ctx, org, p.In, at)
		},
		Count: func(ctx context.Context) (int64, error) { return s.Store.CountCommenters(ctx, org, p.In) },
	})
}
