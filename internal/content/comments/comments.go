// Package comments is the service for comments on a space or a change request:
// on the whole, on a page, on a block or on a cell of a table, with replies, and
// reactions to both.
//
// A body is stored as Markdown whose references contain ids. The target of a
// comment may be changed or deleted: the comment keeps the revision in which
// the target existed, and the text of the target.
//
// Comments are allowed in every state of a change request: people continue to
// discuss a request that is merged or archived, and comments change no
// content.
package comments

import (
	"context"
	"strings"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/store"
)

// Service reads and changes comments.
type Service struct {
	Store   *store.Store
	Content *content.Service
}

// Place is what a discussion belongs to: a space, or a change request of it.
type Place struct {
	In   docs.Discussion
	View *revision.View // newest revision, in which references are resolved
}

// Open returns the place of a discussion: the space of the grant, or its change request
// with an id or a number.
func (s *Service) Open(ctx context.Context, g *authz.Grant, request string) (Place, error) {
	return s.open(ctx, s.Store.Reader, g, request)
}

// OpenRequest is like Open for a change request that was already read.
func (s *Service) OpenRequest(ctx context.Context, g *authz.Grant, cr docs.ChangeRequest) (Place, error) {
	return s.placeOf(ctx, s.Store.Reader, g, &cr)
}

func (s *Service) open(ctx context.Context, r store.Reader, g *authz.Grant, request string) (Place, error) {
	if request == "" {
		return s.placeOf(ctx, r, g, nil)
	}
	cr, err := r.ChangeRequest(ctx, g.Space.ID, request)
	if err != nil {
		return Place{}, err
	}
	return s.placeOf(ctx, r, g, &cr)
}

func (s *Service) placeOf(ctx context.Context, r store.Reader, g *authz.Grant, cr *docs.ChangeRequest) (p Place, err error) {
	p.In.Space = g.Space.ID
	revision := g.Space.Revision
	if cr != nil {
		p.In.Request, revision = cr.ID, cr.Revision
	}
	p.View, err = s.Content.Source.At(ctx, r, g.Space, revision)
	return p, err
}

// New is the input of Post and AddInTx.
type New struct {
	Request *docs.ChangeRequest // read by AddInTx only; nil for the space itself
	Review  docs.ReviewID       // review that the comment is part of
	Page    docs.PageID         // empty for a comment on the whole space or change request
	Node    string              // key of a block of the page
	Cell    docs.TableCell      // cell of the table that is the node
	Body    revision.Body
	Path    string // path of the body in the input, for error messages
}

// prepared holds the text of a comment and the quote of its target, computed for a
// revision.
type prepared struct {
	revision docs.RevisionID
	quote    string
	body     string
}

func (p Place) prepare(ctx context.Context, n New) (w prepared, err error) {
	w.revision = p.View.Rev.ID
	if w.quote, err = p.quote(ctx, n); err != nil {
		return w, err
	}
	w.body, err = p.source(ctx, n.Path, "", n.Body)
	return w, err
}

// Post adds a comment to the space of the grant, or to a change request of it. A long
// page is read before the transaction, because other transactions would wait for it. It
// is read again in the transaction only if there is a newer revision by then.
func (s *Service) Post(ctx context.Context, g *authz.Grant, request string, n New) (docs.PostedComment, error) {
	p, err := s.Open(ctx, g, request)
	if err != nil {
		return docs.PostedComment{}, err
	}
	prepared, err := p.prepare(ctx, n)
	if err != nil {
		return docs.PostedComment{}, err
	}
	return authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (docs.PostedComment, error) {
		p, err := s.open(ctx, tx.Reader, g, request)
		if err != nil {
			return docs.PostedComment{}, err
		}
		return p.add(ctx, tx, g, n, prepared)
	})
}

// AddInTx is like Post in a transaction of the caller, such as a review. The
// caller has checked that the user of the grant may comment.
func (s *Service) AddInTx(ctx context.Context, tx *store.Tx, g *authz.Grant, n New) (docs.PostedComment, error) {
	p, err := s.placeOf(ctx, tx.Reader, g, n.Request)
	if err != nil {
		return docs.PostedComment{}, err
	}
	return p.add(ctx, tx, g, n, prepared{})
}

func (p Place) add(ctx context.Context, tx *store.Tx, g *authz.Grant, n New, w prepared) (docs.PostedComment, error) {
	var err error
	if w.revision != p.View.Rev.ID {
		if w, err = p.prepare(ctx, n); err != nil {
			return docs.PostedComment{}, err
		}
	}
	c := docs.PostedComment{
		ID: store.NewID[docs.CommentID](tx), In: p.In, PostedAt: tx.Now(), Body: w.body,
		Target: docs.CommentTarget{Page: n.Page, Node: n.Node, Cell: n.Cell, Review: n.Review, Revision: w.revision, Quote: w.quote},
	}
	if c.PostedBy, err = tx.User(ctx, g.Actor.User); err != nil {
		return c, err
	}
	if err := tx.AddComment(ctx, c); err != nil {
		return c, err
	}
	if err := contribute(ctx, tx, g, p.In); err != nil {
		return c, err
	}
	mentions, err := p.mentions(ctx, tx, g, c.Body, "")
	if err != nil {
		return c, err
	}
	return c, record(ctx, tx, g, c, "post", map[string]any{"mentions": mentions})
}

// PostReviewComment posts the comment of a review, in the transaction of the review, and
// returns the id of the comment.
func (s *Service) PostReviewComment(ctx context.Context, tx *store.Tx, g *authz.Grant, cr docs.ChangeRequest, v docs.SubmittedReview, b revision.Body) (string, error) {
	c, err := s.AddInTx(ctx, tx, g, New{Request: &cr, Review: v.ID, Body: b, Path: "comment"})
	return string(c.ID), err
}

// contribute records the caller as a contributor, if the discussion belongs to a change
// request.
func contribute(ctx context.Context, tx *store.Tx, g *authz.Grant, in docs.Discussion) error {
	if in.Request == "" {
		return nil
	}
	return tx.AddContribution(ctx, in.Request, g.Actor.User, docs.ContributorComment)
}

// absent returns a NotFound error for a field whose target does not exist.
func absent(path, format string, args ...any) error {
	e := errs.Field(path, format, args...)
	e.Kind = errs.NotFound
	return e
}

// quote returns the text of the target of a comment, and an error if the target does not
// exist.
func (p Place) quote(ctx context.Context, n New) (string, error) {
	switch {
	case n.Page == "" && n.Node != "":
		return "", errs.Field("page", "is required together with node: a key belongs to a page")
	case n.Node == "" && !n.Cell.IsZero():
		return "", errs.Field("node", "is required together with tableCell: it is the key of the table")
	case n.Page == "":
		return "", nil
	}
	page, err := p.View.Page(ctx, n.Page)
	if errs.Is(err, errs.NotFound) {
		return "", absent("page", "is no page of this revision: %q", docs.Clip(string(n.Page), docs.MaxQuote))
	}
	if err != nil {
		return "", err
	}
	if n.Node == "" {
		return docs.Clip(page.Title, docs.MaxQuote), nil
	}
	var node *markup.Node
	if page.HasBody() {
		doc, err := p.View.Document(ctx, page)
		if err != nil {
			return "", err
		}
		node = markup.Find(doc, n.Node)
	}
	if node == nil {
		return "", absent("node", "is no node of the page: %q", docs.Clip(n.Node, docs.MaxQuote))
	}
	if n.Cell.IsZero() {
		return docs.Clip(strings.TrimSpace(markup.Text([]*markup.Node{node})), docs.MaxQuote), nil
	}
	text, ok := markup.CellText(node, n.Cell.Record, n.Cell.Definition)
	if !ok {
		return "", absent("tableCell", "is no cell of the node")
	}
	return docs.Clip(strings.TrimSpace(text), docs.MaxQuote), nil
}

// source converts a body to the Markdown that is stored, and refuses an empty one.
// was is the body before.
func (p Place) source(ctx context.Context, path, was string, b revision.Body) (string, error) {
	text, err := p.View.NoteSource(ctx, path, was, b)
	if err == nil && strings.TrimSpace(text) == "" {
		err = errs.Field(path, "is empty; send markdown or document with some text")
	}
	return text, err
}

// mentions returns the members whom a body mentions and an earlier one did not. A guest
// cannot mention anybody, because that would reveal who the members are.
func (p Place) mentions(ctx context.Context, tx *store.Tx, g *authz.Grant, body, earlier string) ([]docs.UserID, error) {
	if !g.SeesPeople() {
		return []docs.UserID{}, nil
	}
	now, err := p.View.NewMentions(ctx, body, earlier)
	if err != nil || len(now) == 0 {
		return []docs.UserID{}, err
	}
	out, err := tx.EnabledMembers(ctx, g.Space.Org, now)
	return append([]docs.UserID{}, out...), err
}

// eventData returns the data that all events of a discussion contain, with more added to
// it.
func eventData(in docs.Discussion, more map[string]any) map[string]any {
	out := map[string]any{"space": in.Space}
	if in.Request != "" {
		out["changeRequest"] = in.Request
	}
	for k, v := range more {
		out[k] = v
	}
	return out
}

func record(ctx context.Context, tx *store.Tx, g *authz.Grant, c docs.PostedComment, action string, more map[string]any) error {
	data := eventData(c.In, more)
	if c.Target.Page != "" {
		data["page"] = c.Target.Page
	}
	return audit.Record(ctx, tx, g.Actor, audit.Event{
		Org: g.Space.Org, Action: "comment." + action, Kind: "comment", ID: string(c.ID), Data: data,
	})
}
