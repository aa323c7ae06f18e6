package revision

import (
	"context"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/docs/emoji"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/inline"
	"github.com/octavo-docs/octavo/internal/reading"
)

// Reading returns a page of the revision for package reading.
func (v *View) Reading(p docs.Page) reading.Text { return readPage{v, p} }

type readPage struct {
	v *View
	p docs.Page
}

func (r readPage) Document(ctx context.Context) (*markup.Document, error) {
	if t := r.v.trace; t != nil {
		if err := t.begin(ctx, r.v, r.p); err != nil {
			return nil, err
		}
	}
	doc, err := r.v.Read(ctx, r.p)
	if err != nil {
		return nil, err
	}
	doc, _, err = r.v.seen(ctx, doc, r.p.Variables)
	return doc, err
}

func (r readPage) Include(ctx context.Context, ref docs.Ref) (*markup.Document, bool, error) {
	return r.v.included(ctx, ref, r.p.Variables)
}

func (r readPage) Environment(ctx context.Context) (map[string]any, error) {
	return r.v.Environment(ctx, r.p.Variables)
}

func (r readPage) Heading() string {
	title := inline.Escape(r.p.Title)
	if sign := emoji.FromCode(r.p.Emoji); sign != "" {
		title = sign + " " + title
	}
	return "# " + title
}

func (r readPage) Source(ctx context.Context, stable bool) ([]byte, error) {
	source, err := r.v.Markdown(ctx, r.p, stable)
	if err != nil || r.v.visitor == nil {
		return source, err
	}
	doc, broken, err := r.sourceDocument(ctx)
	if err != nil || !broken && !reading.MayDependOnVisitor(source) {
		return source, err
	}
	return r.Print(ctx, doc, stable)
}

func (r readPage) SourceDocument(ctx context.Context) (*markup.Document, error) {
	doc, _, err := r.sourceDocument(ctx)
	return doc, err
}

func (r readPage) sourceDocument(ctx context.Context) (doc *markup.Document, broken bool, err error) {
	if doc, err = r.v.Tree.Document(ctx, r.p); err != nil {
		return nil, false, err
	}
	return r.v.seen(ctx, doc, r.p.Variables)
}

func (r readPage) Print(ctx context.Context, doc *markup.Document, stable bool) ([]byte, error) {
	return r.v.Print(ctx, r.p, doc, stable)
}

// ReadingReusable returns a reusable content of the revision for package reading.
func (v *View) ReadingReusable(r docs.Reusable) reading.Page { return readReusable{v, r} }

type readReusable struct {
	v *View
	r docs.Reusable
}

func (r readReusable) Document(ctx context.Context) (*markup.Document, error) {
	doc, err := r.v.ReadReusable(ctx, r.r)
	if err != nil {
		return nil, err
	}
	doc, _, err = r.v.seen(ctx, doc, nil)
	return doc, err
}

func (r readReusable) Include(ctx context.Context, ref docs.Ref) (*markup.Document, bool, error) {
	return r.v.included(ctx, ref, nil)
}

// included returns the blocks of a reusable content as a reader of a page with
// these variables sees them.
func (v *View) included(ctx context.Context, ref docs.Ref, page docs.Variables) (*markup.Document, bool, error) {
	doc, ok, err := v.include(ctx, ref, v.ReadReusable)
	if err != nil || !ok {
		return nil, false, err
	}
	doc, _, err = v.seen(ctx, doc, page)
	return doc, err == nil, err
}

func (r readReusable) Environment(ctx context.Context) (map[string]any, error) {
	return r.v.Environment(ctx, nil)
}

// Environment returns the environment of expressions on a page with these
// variables.
func (t *Tree) Environment(ctx context.Context, page docs.Variables) (map[string]any, error) {
	space, err := t.Variables(ctx)
	return t.visitor.Environment(space, page), err
}

// WithIncludes returns a document with the reusable contents in place of the
// blocks that include them. Expressions and conditions are not evaluated.
func (t *Tree) WithIncludes(ctx context.Context, doc *markup.Document) (*markup.Document, error) {
	return reading.WithIncludes(ctx, doc, func(ctx context.Context, ref docs.Ref) (*markup.Document, bool, error) {
		return t.include(ctx, ref, t.ReusableDocument)
	})
}

// include returns the blocks of a reusable content of this space; ok is false if
// it does not exist.
func (t *Tree) include(ctx context.Context, ref docs.Ref, read func(context.Context, docs.Reusable) (*markup.Document, error)) (*markup.Document, bool, error) {
	if ref.Space != "" {
		return nil, false, nil
	}
	r, err := t.Reusable(ctx, docs.ReusableID(ref.ReusableContent))
	if t.trace != nil {
		t.trace.include(docs.ReusableID(ref.ReusableContent), r)
	}
	if err == nil {
		var doc *markup.Document
		if doc, err = read(ctx, r); err == nil {
			return doc, true, nil
		}
	}
	if errs.Is(err, errs.NotFound) {
		err = nil
	}
	return nil, false, err
}
