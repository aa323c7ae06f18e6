package revision

import (
	"context"
	"slices"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/reading"
)

// For returns the revision as a visitor sees it. Pages whose condition does not
// hold, and all pages below them, are not there for any method; blocks whose
// condition does not hold are not in what Reading and ReadingReusable return.
func (v *View) For(visitor *reading.Visitor) *View {
	tree, view := *v.Tree, *v
	tree.visitor = visitor
	view.Tree = &tree
	return &view
}

// Visitor returns who sees the revision; nil is a member.
func (t *Tree) Visitor() *reading.Visitor { return t.visitor }

// shows reports whether the visitor sees a page: its condition holds, and so do
// those of all pages above it.
func (t *Tree) shows(ctx context.Context, p docs.Page) (bool, error) {
	if ok, err := t.holds(ctx, p); err != nil || !ok || p.Parent == "" {
		return ok, err
	}
	_, ok, err := t.Lookup(ctx, p.Parent)
	return ok, err
}

func (t *Tree) holds(ctx context.Context, p docs.Page) (bool, error) {
	if p.Condition == "" {
		return true, nil
	}
	vars, err := t.Variables(ctx)
	return t.visitor.Holds(p.Condition, vars, p.Variables), err
}

// prune takes out of a tree what the visitor does not see.
func (t *Tree) prune(ctx context.Context, top *Walked) (err error) {
	top.Children = slices.DeleteFunc(top.Children, func(w *Walked) bool {
		if err != nil {
			return true
		}
		var ok bool
		if ok, err = t.holds(ctx, w.Page); ok && err == nil {
			err = t.prune(ctx, w)
		}
		return !ok
	})
	return err
}

// seen returns a document as the visitor sees it.
func (t *Tree) seen(ctx context.Context, doc *markup.Document, page docs.Variables) (*markup.Document, error) {
	if t.visitor == nil || doc == nil {
		return doc, nil
	}
	env, err := t.Environment(ctx, page)
	if err != nil {
		return nil, err
	}
	return reading.WithoutConditions(doc, env), nil
}
