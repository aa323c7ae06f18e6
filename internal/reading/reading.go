// Package reading turns a page into the form in which it is read: a document or Markdown. On
// request, reusable contents are inserted and expressions are evaluated.
//
// It does not depend on where pages are stored. A revision in the store and a folder that was
// never imported are read by the same code.
package reading

import (
	"context"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/expr"
	"github.com/octavo-docs/octavo/internal/markup"
)

// Form is the form in which a page is read. The zero Form is the page as written.
type Form struct {
	Includes   bool // replace blocks that include reusable contents by these contents
	Evaluation Evaluation
}

func (f Form) asWritten() bool { return !f.Includes && !f.Evaluation.evaluates() }

// Page is a page that can be read as a document.
type Page interface {
	// Document returns the blocks of the page as readers see them.
	Document(ctx context.Context) (*markup.Document, error)
	// Include returns the blocks of a reusable content. It returns false if the content
	// does not exist.
	Include(ctx context.Context, ref docs.Ref) (*markup.Document, bool, error)
	// Environment returns the variables of expressions on the page.
	Environment(ctx context.Context) (map[string]any, error)
}

// Document reads a page as a document.
func Document(ctx context.Context, p Page, f Form) (*markup.Document, error) {
	doc, err := p.Document(ctx)
	if err != nil {
		return nil, err
	}
	return transform(ctx, p, doc, f)
}

// Text is a page that can also be read as Markdown.
type Text interface {
	Page
	// Heading returns the first line of the page: its title as Markdown.
	Heading() string
	// Source returns the Markdown below the heading. References are relative paths, or ids
	// if stable is set.
	Source(ctx context.Context, stable bool) ([]byte, error)
	// SourceDocument returns the blocks of the source.
	SourceDocument(ctx context.Context) (*markup.Document, error)
	// Print returns a document as Markdown of this page.
	Print(ctx context.Context, doc *markup.Document, stable bool) ([]byte, error)
}

// Markdown reads a page as Markdown, with its title as the first line. If the form is the page as
// written, its bytes are unchanged.
func Markdown(ctx context.Context, p Text, f Form, stable bool) (string, error) {
	body, err := markdownBody(ctx, p, f, stable)
	if err != nil {
		return "", err
	}
	if len(body) == 0 {
		return p.Heading() + "\n", nil
	}
	return p.Heading() + "\n\n" + string(body), nil
}

func markdownBody(ctx context.Context, p Text, f Form, stable bool) ([]byte, error) {
	if f.asWritten() {
		return p.Source(ctx, stable)
	}
	doc, err := p.SourceDocument(ctx)
	if err != nil {
		return nil, err
	}
	if doc, err = transform(ctx, p, doc, f); err != nil {
		return nil, err
	}
	return p.Print(ctx, doc, stable)
}

func transform(ctx context.Context, p Page, doc *markup.Document, f Form) (*markup.Document, error) {
	var err error
	if f.Includes {
		if doc, err = WithIncludes(ctx, doc, p.Include); err != nil {
			return nil, err
		}
	}
	if !f.Evaluation.evaluates() {
		return doc, nil
	}
	env, err := p.Environment(ctx)
	if err != nil {
		return nil, err
	}
	all := expr.NewDocument(env)
	doc = markup.Evaluate(doc, evaluator(all, f.Evaluation))
	return doc, spend(ctx, all)
}

// WithIncludes returns a document in which blocks that include reusable contents are replaced by
// these contents. A block whose content does not exist is kept. Each content is read once.
func WithIncludes(ctx context.Context, doc *markup.Document, include func(context.Context, docs.Ref) (*markup.Document, bool, error)) (*markup.Document, error) {
	var failed error
	known := map[docs.Ref]*markup.Document{}
	out := markup.Dereference(doc, func(ref docs.Ref) (*markup.Document, bool) {
		if failed != nil {
			return nil, false
		}
		if in, ok := known[ref]; ok {
			return in, true
		}
		in, ok, err := include(ctx, ref)
		if err != nil || !ok {
			failed = err
			return nil, false
		}
		known[ref] = in
		return in, true
	})
	return out, failed
}
