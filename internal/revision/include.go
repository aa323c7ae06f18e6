package revision

import (
	"context"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup"
)

// WithIncludes returns a document with reusable contents in place of the
// blocks that include them.
func (t *Tree) WithIncludes(ctx context.Context, doc *markup.Document) (*markup.Document, error) {
	return t.withIncludes(ctx, doc, t.ReusableDocument)
}

// Dereferenced is dereferenced for readers.
func (v *View) Dereferenced(ctx context.Context, doc *markup.Document) (*markup.Document, error) {
	return v.withIncludes(ctx, doc, v.ReadReusable)
}

func (t *Tree) withIncludes(ctx context.Context, doc *markup.Document, read func(context.Context, docs.Reusable) (*markup.Document, error)) (*markup.Document, error) {
	var failed error
	known := map[string]*markup.Document{} // a page may include one thing often
	out := markup.Dereference(doc, func(ref markup.Ref) (*markup.Document, bool) {
		if ref.Space != "" || failed != nil {
			return nil, false
		}
		if in, ok := known[ref.ReusableContent]; ok {
			return in, true
		}
		r, err := t.Reusable(ctx, docs.ReusableID(ref.ReusableContent))
		if err == nil {
			var in *markup.Document
			if in, err = read(ctx, r); err == nil {
				known[ref.ReusableContent] = in
				return in, true
			}
		}
		if !errs.Is(err, errs.NotFound) {
			failed = err
		}
		return nil, false
	})
	return out, failed
}
