package requests

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/comments"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

// comments declares the operations on comments: the same eleven for spaces and for change
// requests.
func (h *handlers) comments() {
	h.discussion("Space", "/spaces/{spaceId}", "a space",
		"Comments on its change requests are listed there.")
	h.discussion("ChangeRequest", "/spaces/{spaceId}/change-requests/{changeRequestId}", "a change request",
		"A change request can be discussed in every state, also when it is merged or archived.")
}

// discussion declares the operations on the comments of a space or of a change request.
// The path identifies it, so inputs do not name it.
func (h *handlers) discussion(noun, path, name, about string) {
	const tag = "Comments"
	view, say := authz.Space(authz.ViewSpace), authz.Space(authz.CommentSpace)
	full := []int{http.StatusPreconditionFailed}
	at := path + "/comments"
	one := at + "/{commentId}"
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listCommentsIn" + noun, Route: "GET " + at, Tag: tag, Allow: view,
		Summary: "List the comments on " + name + ", with their repliers and reactions.", About: about,
	}, h.listComments)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "postCommentIn" + noun, Route: "POST " + at, Tag: tag, Allow: say, Status: 200,
		Summary: "Comment on " + name + ", or on a page, a block or a cell of a table in it.",
		About:   "The page, the block and the cell must exist in the newest revision. They may be deleted later; target.quote and target.revision remain.",
	}, h.postComment)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getCommentIn" + noun, Route: "GET " + one, Tag: tag, Allow: view,
		Summary: "Get a comment.",
	}, h.getComment)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "updateCommentIn" + noun, Route: "PUT " + one, Tag: tag, Allow: say, Also: full,
		Summary: "Edit, resolve or reopen a comment, or react to it.",
		About: "Its author can change the body, and so can everybody with the role create on the space. Its author can resolve it, and so can everybody with the role edit. " +
			"Reactions are your own. Either everything is changed or nothing. 412 if there are too many reactions.",
	}, h.updateComment)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "deleteCommentIn" + noun, Route: "DELETE " + one, Tag: tag, Allow: say,
		Summary: "Delete a comment with its replies.", About: "Allowed for its author, and for everybody with the role create on the space.",
	}, h.deleteComment)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listCommentRepliesIn" + noun, Route: "GET " + one + "/replies", Tag: tag, Allow: view,
		Summary: "List the replies to a comment, oldest first.",
	}, h.listReplies)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "postCommentReplyIn" + noun, Route: "POST " + one + "/replies", Tag: tag, Allow: say, Status: 200, Also: full,
		Summary: "Reply to a comment.", About: "412 if it has 1000 replies.",
	}, h.postReply)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getCommentReplyIn" + noun, Route: "GET " + one + "/replies/{commentReplyId}", Tag: tag, Allow: view,
		Summary: "Get a reply to a comment.",
	}, h.getReply)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "updateCommentReplyIn" + noun, Route: "PUT " + one + "/replies/{commentReplyId}", Tag: tag, Allow: say, Also: full,
		Summary: "Edit a reply, or react to it.",
		About:   "The same people as for comments are allowed to. resolved is that of the comment. 412 if there are too many reactions.",
	}, h.updateReply)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "deleteCommentReplyIn" + noun, Route: "DELETE " + one + "/replies/{commentReplyId}", Tag: tag, Allow: say,
		Summary: "Delete a reply.", About: "Allowed for its author, and for everybody with the role create on the space.",
	}, h.deleteReply)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listCommentersIn" + noun, Route: "GET " + path + "/commenters", Tag: tag, Allow: view,
		Summary: "List the members who commented on " + name + " or replied there.", About: "Guests get an empty list.",
	}, h.listCommenters)
}

// InDiscussion is part of the input of every operation on comments.
type InDiscussion struct {
	// request is the id or number of the change request in the path; empty for the space
	// itself.
	request string
}

// Resolve stores the change request of the path. It is called for every request.
func (d *InDiscussion) Resolve(ctx huma.Context) []error {
	d.request = ctx.Param("changeRequestId")
	return nil
}

// NoteFormat is the format of bodies in the response.
type NoteFormat struct {
	Format string `query:"format" enum:"document,markdown" doc:"Form of the body. Default: document."`
}

func (h *handlers) commentView(ctx context.Context, in InDiscussion, f NoteFormat) (commentView, error) {
	p, err := h.Comments.Open(ctx, authz.FromContext(ctx), in.request)
	return commentView{h, p, f.Format, p.Nodes()}, err
}

// viewAfter opens a discussion, calls do, and returns the JSON form of the result of do.
func viewAfter[T, W any](ctx context.Context, h *handlers, in InDiscussion, f NoteFormat, show func(commentView, context.Context, T) (W, error), do func(commentView) (T, error)) (*kernel.Out[W], error) {
	s, err := h.commentView(ctx, in, f)
	if err != nil {
		return nil, err
	}
	v, err := do(s)
	if err != nil {
		return nil, err
	}
	w, err := show(s, ctx, v)
	return kernel.OK(w), err
}

type listCommentsIn struct {
	InDiscussion
	kernel.Paged
	NoteFormat
	Order   string      `query:"order" enum:"asc,desc" default:"desc" doc:"By the time of the comment."`
	Status  string      `query:"status" enum:"all,open,resolved" default:"all"`
	Page    docs.PageID `query:"targetPage" maxLength:"100" doc:"Only comments on this page, its blocks and cells."`
	Authors []string    `query:"authors,explode" maxItems:"100" doc:"Only comments of these users. Repeat the parameter to name several."`
}

func (h *handlers) listComments(ctx context.Context, in *listCommentsIn) (*kernel.Page[Comment], error) {
	s, err := h.commentView(ctx, in.InDiscussion, in.NoteFormat)
	if err != nil {
		return nil, err
	}
	f := store.CommentFilter{Page: in.Page, Asc: in.Order == "asc"}
	if in.Status != "all" {
		f.Status = docs.CommentStatus(in.Status)
	}
	for _, u := range in.Authors {
		f.Authors = append(f.Authors, wire.UserOf(authz.FromContext(ctx), docs.UserID(u)))
	}
	return kernel.ListViews(ctx, h.Kernel, in.Paged, h.Comments.Comments(s.place, f), s.comment)
}

type postCommentIn struct {
	InDiscussion
	NoteFormat
	Body struct {
		Page      docs.PageID      `json:"page,omitempty" maxLength:"100" doc:"Default: the comment is about the whole space or change request."`
		Node      string           `json:"node,omitempty" maxLength:"256" doc:"Key of a block of the page, at any depth."`
		TableCell *tableCell       `json:"tableCell,omitempty" doc:"A cell; node is the key of its table."`
		Body      wire.ContentBody `json:"body"`
	}
}

func (h *handlers) postComment(ctx context.Context, in *postCommentIn) (*kernel.Out[Comment], error) {
	n := comments.New{Page: in.Body.Page, Node: in.Body.Node, Path: "body"}
	if c := in.Body.TableCell; c != nil {
		n.Cell = docs.TableCell(*c)
	}
	return viewAfter(ctx, h, in.InDiscussion, in.NoteFormat, commentView.comment, func(commentView) (c docs.PostedComment, err error) {
		body, err := in.Body.Body.RevisionBody(n.Path)
		if err != nil {
			return c, err
		}
		n.Body = *body
		return h.Comments.Post(ctx, authz.FromContext(ctx), in.request, n)
	})
}

// CommentIn names a comment. It does not embed InDiscussion: the parts of an input that
// implement Resolve must be embedded side by side (see hiddenParts).
type CommentIn struct {
	Comment docs.CommentID `path:"commentId"`
}

type getCommentIn struct {
	InDiscussion
	CommentIn
	NoteFormat
}

func (h *handlers) getComment(ctx context.Context, in *getCommentIn) (*kernel.Out[Comment], error) {
	return viewAfter(ctx, h, in.InDiscussion, in.NoteFormat, commentView.comment, func(s commentView) (docs.PostedComment, error) {
		return h.Comments.Comment(ctx, s.place, in.Comment)
	})
}

// commentChange is the body of an update of a comment or a reply.
type commentChange struct {
	Resolved opt.Val[bool]             `json:"resolved,omitempty"`
	Body     opt.Val[wire.ContentBody] `json:"body,omitempty"`
	Added    []string                  `json:"addedReactions,omitempty" maxItems:"20" doc:"Emoji, or their code points such as 1f44d."`
	Removed  []string                  `json:"removedReactions,omitempty" maxItems:"20"`
}

func (c commentChange) plain() (comments.Change, error) {
	out := comments.Change{Resolved: c.Resolved, Added: c.Added, Removed: c.Removed}
	if b, set := c.Body.Get(); set {
		var err error
		if out.Body, err = b.RevisionBody("body"); err != nil {
			return out, err
		}
	}
	return out, nil
}

type updateCommentIn struct {
	InDiscussion
	CommentIn
	NoteFormat
	Body commentChange
}

func (h *handlers) updateComment(ctx context.Context, in *updateCommentIn) (*kernel.Out[Comment], error) {
	return viewAfter(ctx, h, in.InDiscussion, in.NoteFormat, commentView.comment, func(commentView) (c docs.PostedComment, err error) {
		change, err := in.Body.plain()
		if err != nil {
			return c, err
		}
		return h.Comments.Update(ctx, authz.FromContext(ctx), in.request, in.Comment, change)
	})
}

type deleteCommentIn struct {
	InDiscussion
	CommentIn
}

func (h *handlers) deleteComment(ctx context.Context, in *deleteCommentIn) (*kernel.Done, error) {
	return nil, h.Comments.Delete(ctx, authz.FromContext(ctx), in.request, in.Comment)
}

type listRepliesIn struct {
	InDiscussion
	CommentIn
	kernel.Paged
	NoteFormat
}

func (h *handlers) listReplies(ctx context.Context, in *listRepliesIn) (*kernel.Page[CommentReply], error) {
	s, err := h.commentView(ctx, in.InDiscussion, in.NoteFormat)
	if err != nil {
		return nil, err
	}
	list, err := h.Comments.Replies(ctx, s.place, in.Comment)
	if err != nil {
		return nil, err
	}
	return kernel.ListViews(ctx, h.Kernel, in.Paged, list, s.reply)
}

type postReplyIn struct {
	InDiscussion
	CommentIn
	NoteFormat
	Body struct {
		Body wire.ContentBody `json:"body"`
	}
}

func (h *handlers) postReply(ctx context.Context, in *postReplyIn) (*kernel.Out[CommentReply], error) {
	return viewAfter(ctx, h, in.InDiscussion, in.NoteFormat, commentView.reply, func(commentView) (r docs.Reply, err error) {
		body, err := in.Body.Body.RevisionBody("body")
		if err != nil {
			return r, err
		}
		return h.Comments.Reply(ctx, authz.FromContext(ctx), in.request, in.Comment, *body)
	})
}

// ReplyIn names a reply.
type ReplyIn struct {
	CommentIn
	Reply docs.ReplyID `path:"commentReplyId"`
}

type getReplyIn struct {
	InDiscussion
	ReplyIn
	NoteFormat
}

func (h *handlers) getReply(ctx context.Context, in *getReplyIn) (*kernel.Out[CommentReply], error) {
	return viewAfter(ctx, h, in.InDiscussion, in.NoteFormat, commentView.reply, func(s commentView) (docs.Reply, error) {
		return h.Comments.ReplyTo(ctx, s.place, in.Comment, in.Reply)
	})
}

type updateReplyIn struct {
	InDiscussion
	ReplyIn
	NoteFormat
	Body commentChange
}

func (h *handlers) updateReply(ctx context.Context, in *updateReplyIn) (*kernel.Out[CommentReply], error) {
	return viewAfter(ctx, h, in.InDiscussion, in.NoteFormat, commentView.reply, func(commentView) (r docs.Reply, err error) {
		change, err := in.Body.plain()
		if err != nil {
			return r, err
		}
		return h.Comments.UpdateReply(ctx, authz.FromContext(ctx), in.request, in.Comment, in.Reply, change)
	})
}

type deleteReplyIn struct {
	InDiscussion
	ReplyIn
}

func (h *handlers) deleteReply(ctx context.Context, in *deleteReplyIn) (*kernel.Done, error) {
	return nil, h.Comments.DeleteReply(ctx, authz.FromContext(ctx), in.request, in.Comment, in.Reply)
}

type listCommentersIn struct {
	InDiscussion
	kernel.Paged
}

func (h *handlers) listCommenters(ctx context.Context, in *listCommentersIn) (*kernel.Page[wire.Member], error) {
	p, err := h.Comments.Open(ctx, authz.FromContext(ctx), in.request)
	if err != nil {
		return nil, err
	}
	return kernel.ListOf(ctx, h.Kernel, in.Paged, h.Comments.Commenters(authz.FromContext(ctx), p), h.Member)
}

var _ huma.Resolver = (*InDiscussion)(nil)
