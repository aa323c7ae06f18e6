package comments

import (
	"context"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup"
)

// Nodes reports whether the targets of comments still exist. It reads each page only
// once.
type Nodes struct {
	place Place
	pages map[docs.PageID]*markup.Document // nil if there is no such page, or it has no document
}

// Nodes returns the Nodes of the newest revision of a place.
func (p Place) Nodes() *Nodes { return &Nodes{p, map[docs.PageID]*markup.Document{}} }

// Gone reports whether the block of a target does not exist any more.
func (n *Nodes) Gone(ctx context.Context, t docs.CommentTarget) (bool, error) {
	if t.Node == "" || t.Revision == n.place.View.Rev.ID {
		return false, nil
	}
	doc, ok := n.pages[t.Page]
	if !ok {
		var err error
		if doc, err = n.read(ctx, t.Page); err != nil {
			return false, err
		}
		n.pages[t.Page] = doc
	}
	return doc == nil || markup.Find(doc, t.Node) == nil, nil
}

func (n *Nodes) read(ctx context.Context, id docs.PageID) (*markup.Document, error) {
	page, err := n.place.View.Page(ctx, id)
	if errs.Is(err, errs.NotFound) {
		return nil, nil
	}
	if err != nil || !page.HasBody() {
		return nil, err
	}
	return n.place.View.Document(ctx, page)
}
