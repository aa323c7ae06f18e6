package comments

import (
	"context"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
)

// Reply adds a reply to a comment, which may be resolved.
func (s *Service) Reply(ctx context.Context, g *authz.Grant, request string, to docs.CommentID, b revision.Body) (docs.Reply, error) {
	return authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (docs.Reply, error) {
		p, c, err := s.find(ctx, tx, g, request, to)
		if err != nil {
			return docs.Reply{}, err
		}
		r := docs.Reply{ID: store.NewID[docs.ReplyID](tx), Comment: c.ID, In: p.In, PostedAt: tx.Now()}
		if c.Replies() >= docs.MaxReplies {
			return r, tooMany("this comment has %d replies, which is the maximum; post another comment", docs.MaxReplies)
		}
		if r.Body, err = p.source(ctx, bodyPath, "", b); err != nil {
			return r, err
		}
		if r.PostedBy, err = tx.User(ctx, g.Actor.User); err != nil {
			return r, err
		}
		if err := tx.AddReply(ctx, r); err != nil {
			return r, err
		}
		if err := contribute(ctx, tx, g, p.In); err != nil {
			return r, err
		}
		mentions, err := p.mentions(ctx, tx, g, r.Body, "")
		if err != nil {
			return r, err
		}
		return r, recordReply(ctx, tx, g, r, "post", map[string]any{"mentions": mentions, "commentAuthor": c.PostedBy.ID})
	})
}

// UpdateReply changes a reply: either everything in ch, or nothing. Resolving a reply
// resolves its comment.
func (s *Service) UpdateReply(ctx context.Context, g *authz.Grant, request string, to docs.CommentID, id docs.ReplyID, ch Change) (docs.Reply, error) {
	return authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (docs.Reply, error) {
		p, c, err := s.find(ctx, tx, g, request, to)
		if err != nil {
			return docs.Reply{}, err
		}
		r, err := tx.Reply(ctx, to, id)
		if err != nil {
			return r, err
		}
		if ch.Body != nil {
			if err := forbidUnless(RightsOf(g, r.PostedBy.ID).Edit, "only its author, or somebody with the role create on the space, can edit a reply"); err != nil {
				return r, err
			}
			if err := p.editReply(ctx, tx, g, r, *ch.Body); err != nil {
				return r, err
			}
		}
		if err := resolve(ctx, tx, g, c, ch.Resolved); err != nil {
			return r, err
		}
		done, err := react(ctx, tx, g, reacted{comment: to, reply: id, have: r.Reactions}, ch)
		if err != nil {
			return r, err
		}
		if done.any() {
			if err := recordReply(ctx, tx, g, r, "react", done.data()); err != nil {
				return r, err
			}
		}
		return tx.Reply(ctx, to, id)
	})
}

func (p Place) editReply(ctx context.Context, tx *store.Tx, g *authz.Grant, was docs.Reply, b revision.Body) error {
	r := was
	var err error
	if r.Body, err = p.source(ctx, bodyPath, was.Body, b); err != nil || r.Body == was.Body {
		return err
	}
	r.EditedAt = tx.Now()
	if err := tx.PutReply(ctx, r); err != nil {
		return err
	}
	mentions, err := p.mentions(ctx, tx, g, r.Body, was.Body)
	if err != nil {
		return err
	}
	return recordReply(ctx, tx, g, r, "edit", map[string]any{"mentions": mentions})
}

// DeleteReply deletes a reply. It returns NotFound if there is none.
func (s *Service) DeleteReply(ctx context.Context, g *authz.Grant, request string, to docs.CommentID, id docs.ReplyID) error {
	return authz.Do(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) error {
		if _, _, err := s.find(ctx, tx, g, request, to); err != nil {
			return err
		}
		r, err := tx.Reply(ctx, to, id)
		if err != nil {
			return err
		}
		if err := forbidUnless(RightsOf(g, r.PostedBy.ID).Delete, "only its author, or somebody with the role create on the space, can delete a reply"); err != nil {
			return err
		}
		if err := tx.DropReply(ctx, r); err != nil {
			return err
		}
		return recordReply(ctx, tx, g, r, "delete", map[string]any{"author": r.PostedBy.ID})
	})
}

func recordReply(ctx context.Context, tx *store.Tx, g *authz.Grant, r docs.Reply, action string, more map[string]any) error {
	data := eventData(r.In, more)
	data["comment"] = r.Comment
	return audit.Record(ctx, tx, g.Actor, audit.Event{
		Org: g.Space.Org, Action: "comment-reply." + action, Kind: "comment-reply", ID: string(r.ID), Data: data,
	})
}
