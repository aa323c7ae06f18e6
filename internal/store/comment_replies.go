package store

import (
	"context"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

const replyColumns = `c.id, c.comment_id, c.space_id, c.change_request_id, c.body, c.posted_at, c.edited_at, ` + userColumns

func scanReply(s engine.Scanner) (c docs.Reply, err error) {
	err = s.Scan(append([]any{
		&c.ID, &c.Comment, &c.In.Space, &c.In.Request, &c.Body, &c.PostedAt, &c.EditedAt,
	}, userDest(&c.PostedBy)...)...)
	return c, err
}

const repliesFrom = ` FROM comment_replies c JOIN users u ON u.id = c.posted_by`

// Reply returns a reply to a comment.
func (r reviewReads) Reply(ctx context.Context, to docs.CommentID, id docs.ReplyID) (docs.Reply, error) {
	c, err := engine.One(ctx, r, "reply", scanReply, `SELECT `+replyColumns+repliesFrom+` WHERE c.comment_id = $1 AND c.id = $2`, to, id)
	if err != nil {
		return c, err
	}
	all := []docs.Reply{c}
	err = r.withReactions(ctx, to, all)
	return all[0], err
}

// Replies lists the replies to a comment, the oldest first. A page can be
// shorter than its limit when bodies are long.
func (r reviewReads) Replies(ctx context.Context, to docs.CommentID, p Page) ([]docs.Reply, Key, error) {
	items, next, err := engine.Bodies(ctx, r, p, scanReply,
		func(c docs.Reply) int { return weightOf(c.Body) },
		func(c docs.Reply) Key { return Key{string(c.ID)} },
		`SELECT `+replyColumns+repliesFrom+`
		WHERE c.comment_id = $1 AND c.id > $2 ORDER BY c.id LIMIT $3 + 0`, to, p.Text(0), p.Ask())
	if err != nil {
		return nil, nil, err
	}
	return items, next, r.withReactions(ctx, to, items)
}

// CountReplies counts the replies to a comment.
func (r reviewReads) CountReplies(ctx context.Context, to docs.CommentID) (int64, error) {
	return engine.One(ctx, r, "count", engine.ScanInt, `SELECT COUNT(*) FROM comment_replies WHERE comment_id = $1`, to)
}

// withReactions adds who reacted, with one statement.
func (r reviewReads) withReactions(ctx context.Context, to docs.CommentID, all []docs.Reply) error {
	if len(all) == 0 {
		return nil
	}
	ids, at := make([]docs.ReplyID, len(all)), map[docs.ReplyID]*docs.Reply{}
	for i := range all {
		ids[i], at[all[i].ID] = all[i].ID, &all[i]
	}
	list, args := among(ids, []any{to})
	// The list is padded with empty ids, and reactions to the comment itself have an empty reply.
	return r.reactions(ctx, `x.comment_id = $1 AND x.reply_id <> '' AND x.reply_id IN `+list, args, func(_ docs.CommentID, id docs.ReplyID) *[]docs.Reaction {
		return &at[id].Reactions
	})
}

// AddReply stores a new reply.
func (tx reviewWrites) AddReply(ctx context.Context, c docs.Reply) error {
	return engine.Put(ctx, tx, `
		INSERT INTO comment_replies (id, comment_id, space_id, change_request_id, body, posted_by, posted_at, edited_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, 0)`,
		c.ID, c.Comment, c.In.Space, c.In.Request, c.Body, c.PostedBy.ID, c.PostedAt)
}

// PutReply stores a changed body of a reply.
func (tx reviewWrites) PutReply(ctx context.Context, c docs.Reply) error {
	return engine.Put(ctx, tx, `UPDATE comment_replies SET body = $2, edited_at = $3 WHERE id = $1`, c.ID, c.Body, c.EditedAt)
}

// DropReply removes a reply with its reactions.
func (tx reviewWrites) DropReply(ctx context.Context, c docs.Reply) error {
	err := engine.Put(ctx, tx, `DELETE FROM comment_reactions WHERE comment_id = $1 AND reply_id = $2`, c.Comment, c.ID)
	if err != nil {
		return err
	}
	return engine.Put(ctx, tx, `DELETE FROM comment_replies WHERE id = $1`, c.ID)
}

// AddReaction stores the reaction of a user to a comment, or to a reply to it. It
// reports whether the reaction is new.
func (tx reviewWrites) AddReaction(ctx context.Context, to docs.CommentID, reply docs.ReplyID, emoji string, user docs.UserID) (bool, error) {
	n, err := engine.Exec(ctx, tx, `
		INSERT INTO comment_reactions (comment_id, reply_id, emoji, user_id, reacted_at) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (comment_id, reply_id, emoji, user_id) DO NOTHING`, to, reply, emoji, user, tx.Now())
	return n > 0, err
}

// DropReaction deletes a reaction. It reports whether there was one.
func (tx reviewWrites) DropReaction(ctx context.Context, to docs.CommentID, reply docs.ReplyID, emoji string, user docs.UserID) (bool, error) {
	n, err := engine.Exec(ctx, tx, `
		DELETE FROM comment_reactions WHERE comment_id = $1 AND reply_id = $2 AND emoji = $3 AND user_id = $4`, to, reply, emoji, user)
	return n > 0, err
}
