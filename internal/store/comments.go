package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

const commentColumns = `c.id, c.space_id, c.change_request_id, c.review_id, c.page_id, c.node_key, c.cell_record, c.cell_definition,
	c.revision_id, c.quote, c.body, c.posted_at, c.edited_at, c.resolved_at, ` + userColumns + `,
	c.resolved_by, CASE v.kind WHEN '' THEN v.email ELSE '' END, COALESCE(v.display_name, ''), COALESCE(v.photo_url, '')`

func scanComment(s engine.Scanner) (c docs.PostedComment, err error) {
	t, v := &c.Target, &c.ResolvedBy
	dest := []any{
		&c.ID, &c.In.Space, &c.In.Request, &t.Review, &t.Page, &t.Node, &t.Cell.Record, &t.Cell.Definition,
		&t.Revision, &t.Quote, &c.Body, &c.PostedAt, &c.EditedAt, &c.ResolvedAt,
	}
	dest = append(dest, userDest(&c.PostedBy)...)
	err = s.Scan(append(dest, &v.ID, &v.Email, &v.DisplayName, &v.PhotoURL)...)
	return c, err
}

const commentsFrom = ` FROM comments c JOIN users u ON u.id = c.posted_by LEFT JOIN users v ON v.id = c.resolved_by`

// among returns a list of parameters for ids, and args with the ids appended. The
// list is padded to one of a few lengths, so that there are few statements to
// prepare.
func among[T ~string](ids []T, args []any) (string, []any) {
	n := len(ids)
	for _, size := range []int{1, 8, 64, 1024} {
		if n <= size {
			n = size
			break
		}
	}
	var b strings.Builder
	for i := range n {
		id := T("")
		if i < len(ids) {
			id = ids[i]
		}
		args = append(args, id)
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "$%d", len(args))
	}
	return "(" + b.String() + ")", args
}

// Comment returns a comment of a discussion.
func (r reviewReads) Comment(ctx context.Context, in docs.Discussion, id docs.CommentID) (docs.PostedComment, error) {
	c, err := engine.One(ctx, r, "comment", scanComment, `SELECT `+commentColumns+commentsFrom+`
		WHERE c.space_id = $1 AND c.change_request_id = $2 AND c.id = $3`, in.Space, in.Request, id)
	if err != nil {
		return c, err
	}
	all := []docs.PostedComment{c}
	err = r.withPeople(ctx, all)
	return all[0], err
}

// CommentsByID returns those comments of a discussion that have one of the
// ids, in the order of their ids.
func (r reviewReads) CommentsByID(ctx context.Context, in docs.Discussion, ids []docs.CommentID) ([]docs.PostedComment, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	list, args := among(ids, []any{in.Space, in.Request})
	all, err := engine.Many(ctx, r, scanComment, `SELECT `+commentColumns+commentsFrom+`
		WHERE c.space_id = $1 AND c.change_request_id = $2 AND c.id IN `+list+` ORDER BY c.id`, args...)
	if err != nil {
		return nil, err
	}
	return all, r.withPeople(ctx, all)
}

// CommentFilter selects comments. Empty fields match everything.
type CommentFilter struct {
	Status  docs.CommentStatus
	Page    docs.PageID
	Authors []docs.UserID
	Asc     bool // the oldest first
}

// where returns the conditions as SQL, and args with their arguments appended.
func (f CommentFilter) where(args []any) (string, []any) {
	text := ""
	switch f.Status {
	case docs.CommentOpen:
		text += ` AND c.resolved_at = 0`
	case docs.CommentResolved:
		text += ` AND c.resolved_at <> 0`
	}
	if f.Page != "" {
		args = append(args, f.Page)
		text += fmt.Sprintf(` AND c.page_id = $%d`, len(args))
	}
	if len(f.Authors) > 0 {
		var list string
		list, args = among(f.Authors, args)
		text += ` AND c.posted_by IN ` + list
	}
	return text, args
}

// Comments lists the comments of a discussion, newest first. A page can be
// shorter than its limit when bodies are long.
func (r reviewReads) Comments(ctx context.Context, in docs.Discussion, f CommentFilter, p Page) ([]docs.PostedComment, Key, error) {
	compare, order := "<", "DESC"
	if f.Asc {
		compare, order = ">", "ASC"
	} else if len(p.After) == 0 {
		p.After = Key{engine.LastText}
	}
	where, args := f.where([]any{in.Space, in.Request, p.Text(0), p.Ask()})
	items, next, err := engine.Bodies(ctx, r, p, scanComment,
		func(c docs.PostedComment) int { return weightOf(c.Body) },
		func(c docs.PostedComment) Key { return Key{string(c.ID)} },
		`SELECT `+commentColumns+commentsFrom+`
		WHERE c.space_id = $1 AND c.change_request_id = $2 AND c.id `+compare+` $3`+where+`
		ORDER BY c.id `+order+` LIMIT $4 + 0`, args...)
	if err != nil {
		return nil, nil, err
	}
	return items, next, r.withPeople(ctx, items)
}

// CountComments counts what Comments lists.
func (r reviewReads) CountComments(ctx context.Context, in docs.Discussion, f CommentFilter) (int64, error) {
	where, args := f.where([]any{in.Space, in.Request})
	return engine.One(ctx, r, "count", engine.ScanInt, `SELECT COUNT(*) FROM comments c
		WHERE c.space_id = $1 AND c.change_request_id = $2`+where, args...)
}

// withPeople adds who replied and who reacted, with one statement each.
func (r reviewReads) withPeople(ctx context.Context, all []docs.PostedComment) error {
	if len(all) == 0 {
		return nil
	}
	ids, at := make([]docs.CommentID, len(all)), map[docs.CommentID]*docs.PostedComment{}
	for i := range all {
		ids[i], at[all[i].ID] = all[i].ID, &all[i]
	}
	list, args := among(ids, nil)
	rows, err := engine.Many(ctx, r, func(s engine.Scanner) (it struct {
		comment docs.CommentID
		by      docs.Contributor
	}, err error) {
		it.by.Action = docs.ContributorComment
		err = s.Scan(append([]any{&it.comment, &it.by.Times, &it.by.UpdatedAt}, userDest(&it.by.User)...)...)
		return it, err
	}, `SELECT n.comment_id, n.times, n.last_at, `+userColumns+`
		FROM (SELECT comment_id, posted_by, COUNT(*) AS times, MAX(posted_at) AS last_at
			FROM comment_replies WHERE comment_id IN `+list+` GROUP BY comment_id, posted_by) AS n
		JOIN users u ON u.id = n.posted_by
		ORDER BY n.comment_id, n.last_at DESC, n.posted_by`, args...)
	if err != nil {
		return err
	}
	for _, it := range rows {
		at[it.comment].Repliers = append(at[it.comment].Repliers, it.by)
	}
	return r.reactions(ctx, `x.reply_id = '' AND x.comment_id IN `+list, args, func(c docs.CommentID, _ docs.ReplyID) *[]docs.Reaction {
		return &at[c].Reactions
	})
}

// reactions reads reactions into the lists that of returns. Emoji are in the order in
// which they were first used.
func (r reviewReads) reactions(ctx context.Context, where string, args []any, of func(docs.CommentID, docs.ReplyID) *[]docs.Reaction) error {
	rows, err := engine.Many(ctx, r, func(s engine.Scanner) (it struct {
		comment docs.CommentID
		reply   docs.ReplyID
		emoji   string
		by      docs.Reactor
	}, err error) {
		err = s.Scan(append([]any{&it.comment, &it.reply, &it.emoji, &it.by.At}, userDest(&it.by.User)...)...)
		return it, err
	}, `SELECT x.comment_id, x.reply_id, x.emoji, x.reacted_at, `+userColumns+`
		FROM comment_reactions x JOIN users u ON u.id = x.user_id WHERE `+where+`
		ORDER BY x.comment_id, x.reply_id, x.reacted_at, x.emoji, x.user_id`, args...)
	if err != nil {
		return err
	}
	type place struct {
		comment docs.CommentID
		reply   docs.ReplyID
		emoji   string
	}
	index := map[place]int{}
	for _, it := range rows {
		list, p := of(it.comment, it.reply), place{it.comment, it.reply, it.emoji}
		i, known := index[p]
		if !known {
			i = len(*list)
			index[p] = i
			*list = append(*list, docs.Reaction{Emoji: it.emoji})
		}
		(*list)[i].Users = append((*list)[i].Users, it.by)
	}
	return nil
}

// AddComment stores a new comment, which is open.
func (tx reviewWrites) AddComment(ctx context.Context, c docs.PostedComment) error {
	t := c.Target
	err := engine.Put(ctx, tx, `
		INSERT INTO comments (id, space_id, change_request_id, review_id, page_id, node_key, cell_record, cell_definition,
			revision_id, quote, body, posted_by, posted_at, edited_at, resolved_at, resolved_by)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 0, 0, '')`,
		c.ID, c.In.Space, c.In.Request, t.Review, t.Page, t.Node, t.Cell.Record, t.Cell.Definition,
		t.Revision, t.Quote, c.Body, c.PostedBy.ID, c.PostedAt)
	if err != nil {
		return err
	}
	return tx.countOpen(ctx, c.In, 1)
}

// countOpen updates the counter of open comments of a space or of a change
// request.
func (tx reviewWrites) countOpen(ctx context.Context, in docs.Discussion, step int) error {
	if in.Request != "" {
		return engine.Put(ctx, tx, `UPDATE change_requests SET open_comments = open_comments + $2 WHERE id = $1`, in.Request, step)
	}
	return engine.Put(ctx, tx, `UPDATE spaces SET comments_open = comments_open + $2 WHERE id = $1`, in.Space, step)
}

// PutComment stores a changed body or status of a comment. was is how the
// transaction read it.
func (tx reviewWrites) PutComment(ctx context.Context, was, c docs.PostedComment) error {
	err := engine.Put(ctx, tx, `UPDATE comments SET body = $2, edited_at = $3, resolved_at = $4, resolved_by = $5 WHERE id = $1`,
		c.ID, c.Body, c.EditedAt, c.ResolvedAt, c.ResolvedBy.ID)
	switch {
	case err != nil || was.Open() == c.Open():
		return err
	case c.Open():
		return tx.countOpen(ctx, c.In, 1)
	}
	return tx.countOpen(ctx, c.In, -1)
}

// DropComment removes a comment with its replies and reactions.
func (tx reviewWrites) DropComment(ctx context.Context, c docs.PostedComment) error {
	for _, text := range []string{
		`DELETE FROM comment_reactions WHERE comment_id = $1`,
		`DELETE FROM comment_replies WHERE comment_id = $1`,
		`DELETE FROM comments WHERE id = $1`,
	} {
		if err := engine.Put(ctx, tx, text, c.ID); err != nil {
			return err
		}
	}
	if c.Target.Review != "" {
		if err := engine.Put(ctx, tx, `UPDATE reviews SET comment_id = '' WHERE id = $1 AND comment_id = $2`, c.Target.Review, c.ID); err != nil {
			return err
		}
	}
	if c.Open() {
		return tx.countOpen(ctx, c.In, -1)
	}
	return nil
}

// commented is true of a member m who wrote a comment or a reply in the
// discussion of $2 and $3.
const commented = `m.org_id = $1 AND (
	EXISTS (SELECT 1 FROM comments c WHERE c.space_id = $2 AND c.change_request_id = $3 AND c.posted_by = m.user_id)
	OR EXISTS (SELECT 1 FROM comment_replies c WHERE c.space_id = $2 AND c.change_request_id = $3 AND c.posted_by = m.user_id))`

// Commenters lists the members of an organization who wrote in a discussion, by name. Former
// members are left out.
func (r reviewReads) Commenters(ctx context.Context, org docs.OrgID, in docs.Discussion, p Page) ([]docs.Member, Key, error) {
	items, err := engine.Many(ctx, r, scanMember, `
		SELECT `+memberColumns+` FROM members m JOIN users u ON u.id = m.user_id
		WHERE `+commented+` AND (`+memberName+`, m.user_id) > ($4, $5)
		ORDER BY `+memberName+`, m.user_id LIMIT $6 + 0`, org, in.Space, in.Request, p.Text(0), p.Text(1), p.Ask())
	items, next := engine.Cut(p, items, memberNameKey)
	return items, next, err
}

// CountCommenters counts what Commenters lists.
func (r reviewReads) CountCommenters(ctx context.Context, org docs.OrgID, in docs.Discussion) (int64, error) {
	return engine.One(ctx, r, "count", engine.ScanInt, `SELECT COUNT(*) FROM members m WHERE `+commented, org, in.Space, in.Request)
}

// EnabledMembers returns the users among some who are members of an
// organization and not disabled, in the order of their ids.
func (r reviewReads) EnabledMembers(ctx context.Context, org docs.OrgID, users []docs.UserID) ([]docs.UserID, error) {
	if len(users) == 0 {
		return nil, nil
	}
	list, args := among(users, []any{org})
	return engine.Many(ctx, r, engine.ScanText[docs.UserID], `
		SELECT user_id FROM members WHERE org_id = $1 AND NOT disabled AND user_id IN `+list+` ORDER BY user_id`, args...)
}

// weightOf returns the approximate size of a text in a response, in bytes. Blocks, marks and
// links become JSON objects, which are much longer than their Markdown.
func weightOf(markdown string) int {
	n := len(markdown)
	for _, c := range []string{"\n", "*", "_", "`", "["} {
		n += 100 * strings.Count(markdown, c)
	}
	return n
}
