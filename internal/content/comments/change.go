package comments

import (
	"context"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/store"
)

// Change holds the changes of a comment or a reply. Absent fields remain unchanged.
type Change struct {
	Resolved opt.Val[bool] // status of the comment, also in a change of a reply
	Body     *revision.Body
	Added    []string // emoji
	Removed  []string // emoji
}

// bodyPath is the path of the body in the input of a change, for error messages.
const bodyPath = "body"

// Update changes a comment: either everything in ch, or nothing.
func (s *Service) Update(ctx context.Context, g *authz.Grant, request string, id docs.CommentID, ch Change) (docs.PostedComment, error) {
	return authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (docs.PostedComment, error) {
		p, c, err := s.find(ctx, tx, g, request, id)
		if err != nil {
			return c, err
		}
		rights := RightsOf(g, c.PostedBy.ID)
		if ch.Body != nil {
			if err := forbidUnless(rights.Edit, "only its author, or somebody with the role create on the space, can edit a comment"); err != nil {
				return c, err
			}
			if c, err = p.edit(ctx, tx, g, c, *ch.Body); err != nil {
				return c, err
			}
		}
		if err := resolve(ctx, tx, g, c, ch.Resolved); err != nil {
			return c, err
		}
		done, err := react(ctx, tx, g, reacted{comment: c.ID, have: c.Reactions}, ch)
		if err != nil {
			return c, err
		}
		if done.any() {
			if err := record(ctx, tx, g, c, "react", done.data()); err != nil {
				return c, err
			}
		}
		return tx.Comment(ctx, p.In, id)
	})
}

// find returns a comment and its place, in a transaction.
func (s *Service) find(ctx context.Context, tx *store.Tx, g *authz.Grant, request string, id docs.CommentID) (Place, docs.PostedComment, error) {
	p, err := s.open(ctx, tx.Reader, g, request)
	if err != nil {
		return p, docs.PostedComment{}, err
	}
	c, err := tx.Comment(ctx, p.In, id)
	return p, c, err
}

// edit replaces the body of a comment.
func (p Place) edit(ctx context.Context, tx *store.Tx, g *authz.Grant, was docs.PostedComment, b revision.Body) (docs.PostedComment, error) {
	c := was
	var err error
	if c.Body, err = p.source(ctx, bodyPath, was.Body, b); err != nil || c.Body == was.Body {
		return c, err
	}
	c.EditedAt = tx.Now()
	if err := tx.PutComment(ctx, was, c); err != nil {
		return c, err
	}
	mentions, err := p.mentions(ctx, tx, g, c.Body, was.Body)
	if err != nil {
		return c, err
	}
	return c, record(ctx, tx, g, c, "edit", map[string]any{"mentions": mentions})
}

// resolve resolves or reopens a comment, if to is set and differs from the current
// status.
func resolve(ctx context.Context, tx *store.Tx, g *authz.Grant, was docs.PostedComment, to opt.Val[bool]) error {
	resolved, asked := to.Get()
	if !asked {
		return nil
	}
	if err := forbidUnless(RightsOf(g, was.PostedBy.ID).Resolve, "only its author, or somebody with the role edit on the space, can resolve or reopen a comment"); err != nil {
		return err
	}
	if resolved == !was.Open() {
		return nil
	}
	c, action := was, "reopen"
	c.ResolvedAt, c.ResolvedBy = 0, docs.User{}
	if resolved {
		action = "resolve"
		c.ResolvedAt, c.ResolvedBy = tx.Now(), docs.User{ID: g.Actor.User}
	}
	if err := tx.PutComment(ctx, was, c); err != nil {
		return err
	}
	return record(ctx, tx, g, c, action, nil)
}

// Delete deletes a comment with its replies. It returns NotFound if there is none.
func (s *Service) Delete(ctx context.Context, g *authz.Grant, request string, id docs.CommentID) error {
	return authz.Do(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) error {
		_, c, err := s.find(ctx, tx, g, request, id)
		if err != nil {
			return err
		}
		if err := forbidUnless(RightsOf(g, c.PostedBy.ID).Delete, "only its author, or somebody with the role create on the space, can delete a comment"); err != nil {
			return err
		}
		if err := tx.DropComment(ctx, c); err != nil {
			return err
		}
		return record(ctx, tx, g, c, "delete", map[string]any{"author": c.PostedBy.ID, "replies": c.Replies()})
	})
}

// tooMany returns the error for a limit that is reached.
func tooMany(format string, args ...any) error { return errs.E(errs.Precondition, format, args...) }
