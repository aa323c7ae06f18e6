package requests

import (
	"context"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/comments"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

// Comment is the JSON form of a comment.
type Comment struct {
	Object      string             `json:"object" enum:"comment"`
	ID          string             `json:"id"`
	PostedBy    wire.User          `json:"postedBy"`
	PostedAt    docs.Time          `json:"postedAt"`
	EditedAt    docs.Time          `json:"editedAt,omitzero"`
	Reactions   []emojiReaction    `json:"reactions"`
	Replies     int                `json:"replies"`
	Repliers    []replier          `json:"repliers"`
	Body        noteBody           `json:"body"`
	Target      commentTarget      `json:"target"`
	URLs        wire.Location      `json:"urls"`
	Permissions commentPermissions `json:"permissions"`
	Status      docs.CommentStatus `json:"status" enum:"open,resolved"`
	ResolvedAt  docs.Time          `json:"resolvedAt,omitzero"`
	ResolvedBy  *wire.User         `json:"resolvedBy,omitempty"`
}

// CommentReply is the JSON form of a reply to a comment.
type CommentReply struct {
	Object      string             `json:"object" enum:"comment-reply"`
	ID          string             `json:"id"`
	PostedBy    wire.User          `json:"postedBy"`
	PostedAt    docs.Time          `json:"postedAt"`
	EditedAt    docs.Time          `json:"editedAt,omitzero"`
	Reactions   []emojiReaction    `json:"reactions"`
	Body        noteBody           `json:"body"`
	URLs        wire.Location      `json:"urls"`
	Permissions commentPermissions `json:"permissions"`
}

// noteBody is the body of a comment in the requested format.
type noteBody struct {
	Markdown *string          `json:"markdown,omitempty"`
	Document *markup.Document `json:"document,omitempty"`
}

type emojiReaction struct {
	Emoji string    `json:"emoji"`
	Count int       `json:"count"`
	Users []reactor `json:"users"`
}

type reactor struct {
	User      wire.User `json:"user"`
	ReactedAt docs.Time `json:"reactedAt"`
}

type replier struct {
	UpdatedAt docs.Time `json:"updatedAt"`
	Count     int       `json:"count"`
	User      wire.User `json:"user"`
}

type commentTarget struct {
	Node          *nodeRef   `json:"node,omitempty"`
	TableCell     *tableCell `json:"tableCell,omitempty"`
	ChangeRequest string     `json:"changeRequest,omitempty"`
	Review        string     `json:"review,omitempty"`
	Page          *idRef     `json:"page,omitempty"`
	Space         string     `json:"space"`
	Revision      string     `json:"revision" doc:"The revision that the comment is about."`
	Quote         string     `json:"quote,omitempty" doc:"Text of the block or cell, or title of the page, at the time of the comment. It is kept if the target is changed or deleted."`
}

type idRef struct {
	ID string `json:"id"`
}

type nodeRef struct {
	ID   string `json:"id"`
	Gone bool   `json:"gone,omitempty" doc:"The newest revision has no such block any more. Its text is in the quote."`
}

type tableCell struct {
	Record     string `json:"record" minLength:"1" maxLength:"256" doc:"Id of the row."`
	Definition string `json:"definition" minLength:"1" maxLength:"256" doc:"Id of the column."`
}

type commentPermissions struct {
	View   bool `json:"view"`
	Edit   bool `json:"edit"`
	Reply  bool `json:"reply" doc:"Also whether you can react."`
	Delete bool `json:"delete"`
}

func permissionsOn(r comments.Rights) commentPermissions {
	return commentPermissions{r.View, r.Edit, r.Reply, r.Delete}
}

// commentView converts the comments of a place to their JSON form.
type commentView struct {
	h      *handlers
	place  comments.Place
	format string
	nodes  *comments.Nodes
}

func (s commentView) location(parts ...string) wire.Location {
	at := []string{"spaces", string(s.place.In.Space)}
	if s.place.In.Request != "" {
		at = append(at, "change-requests", string(s.place.In.Request))
	}
	return wire.Location{Location: s.h.Location(append(append(at, "comments"), parts...)...)}
}

func (s commentView) body(ctx context.Context, source string) (noteBody, error) {
	if s.format == "markdown" {
		return noteBody{Markdown: &source}, nil
	}
	doc, err := s.place.View.NoteDocument(ctx, source)
	return noteBody{Document: doc}, err
}

func (s commentView) reactions(ctx context.Context, all []docs.Reaction) []emojiReaction {
	out := make([]emojiReaction, len(all))
	for i, r := range all {
		out[i] = emojiReaction{Emoji: r.Emoji, Count: len(r.Users), Users: make([]reactor, len(r.Users))}
		for j, u := range r.Users {
			out[i].Users[j] = reactor{s.h.Person(authz.FromContext(ctx), u.User), u.At}
		}
	}
	return out
}

func (s commentView) comment(ctx context.Context, c docs.PostedComment) (Comment, error) {
	body, err := s.body(ctx, c.Body)
	w := Comment{
		Object: "comment", ID: string(c.ID), PostedBy: s.h.Person(authz.FromContext(ctx), c.PostedBy), PostedAt: c.PostedAt, EditedAt: c.EditedAt,
		Reactions: s.reactions(ctx, c.Reactions), Replies: c.Replies(), Repliers: []replier{}, Body: body,
		Target: commentTarget{
			ChangeRequest: string(c.In.Request), Review: string(c.Target.Review), Space: string(c.In.Space),
			Revision: string(c.Target.Revision), Quote: c.Target.Quote,
		},
		URLs: s.location(string(c.ID)), Permissions: permissionsOn(comments.RightsOf(authz.FromContext(ctx), c.PostedBy.ID)),
		Status: c.Status(), ResolvedAt: c.ResolvedAt,
	}
	if c.Target.Page != "" {
		w.Target.Page = &idRef{string(c.Target.Page)}
	}
	if c.Target.Node != "" {
		gone, err := s.nodes.Gone(ctx, c.Target)
		if err != nil {
			return w, err
		}
		w.Target.Node = &nodeRef{c.Target.Node, gone}
	}
	if !c.Target.Cell.IsZero() {
		w.Target.TableCell = &tableCell{c.Target.Cell.Record, c.Target.Cell.Definition}
	}
	for _, r := range c.Repliers {
		w.Repliers = append(w.Repliers, replier{r.UpdatedAt, r.Times, s.h.Person(authz.FromContext(ctx), r.User)})
	}
	if !c.Open() {
		by := s.h.Person(authz.FromContext(ctx), c.ResolvedBy)
		w.ResolvedBy = &by
	}
	return w, err
}

func (s commentView) reply(ctx context.Context, c docs.Reply) (CommentReply, error) {
	body, err := s.body(ctx, c.Body)
	return CommentReply{
		Object: "comment-reply", ID: string(c.ID), PostedBy: s.h.Person(authz.FromContext(ctx), c.PostedBy), PostedAt: c.PostedAt, EditedAt: c.EditedAt,
		Reactions: s.reactions(ctx, c.Reactions), Body: body, URLs: s.location(string(c.Comment), "replies", string(c.ID)),
		Permissions: permissionsOn(comments.RightsOf(authz.FromContext(ctx), c.PostedBy.ID)),
	}, err
}

// reviewComments returns the comments of reviews, by the ids of the comments.
func (h *handlers) reviewComments(ctx context.Context, cr docs.ChangeRequest, f NoteFormat, all []docs.SubmittedReview) (map[string]*Comment, error) {
	var ids []docs.CommentID
	for _, v := range all {
		if v.Comment != "" {
			ids = append(ids, docs.CommentID(v.Comment))
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	p, err := h.Comments.OpenRequest(ctx, authz.FromContext(ctx), cr)
	if err != nil {
		return nil, err
	}
	found, err := h.Comments.CommentsByID(ctx, p, ids)
	if err != nil {
		return nil, err
	}
	out, view := map[string]*Comment{}, commentView{h, p, f.Format, p.Nodes()}
	for _, c := range found {
		w, err := view.comment(ctx, c)
		if err != nil {
			return nil, err
		}
		out[w.ID] = &w
	}
	return out, nil
}
