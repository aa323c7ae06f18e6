package publish

import (
	"context"
	"slices"
	"sync"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/reading"
	"github.com/octavo-docs/octavo/internal/revision"
)

// node is a page and its place.
type node struct {
	docs.Page
	path   string // within the space
	above  *node  // nil at the top level
	listed bool   // readers come across it: it is listed, and so is everything above it
}

// lists reports whether a page is listed if everything above it is.
func lists(p docs.Page) bool { return !p.Hidden && p.Type != docs.PageComputed }

// document reports whether readers come across a page that has a text.
func (n *node) document() bool { return n.listed && n.Type == docs.PageDocument }

// id returns the id of a page, or that of the parent of the top level for nil.
func (n *node) id() docs.PageID {
	if n == nil {
		return ""
	}
	return n.ID
}

// pages are the pages of a revision that a visitor sees. Each is read when it is
// needed, and then kept: to show a page takes the same work in a space of any size.
type pages struct {
	view  *revision.View
	known *byPage[*node] // nil: the visitor does not see it
	below *byPage[[]docs.PageID]
}

func newPages(v *revision.View) *pages {
	return &pages{view: v, known: &byPage[*node]{}, below: &byPage[[]docs.PageID]{}}
}

// byPage is something of each page that was worked out once. A nil one keeps nothing.
type byPage[V any] struct {
	mu  sync.Mutex
	all map[docs.PageID]V
}

func (b *byPage[V]) get(id docs.PageID) (v V, ok bool) {
	if b == nil {
		return v, false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	v, ok = b.all[id]
	return v, ok
}

func (b *byPage[V]) set(id docs.PageID, v V) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.all == nil {
		b.all = map[docs.PageID]V{}
	}
	b.all[id] = v
}

// page returns a page, or nil if the visitor does not see it.
func (p *pages) page(ctx context.Context, id docs.PageID) (*node, error) {
	n, ok := p.known.get(id)
	if ok || id == "" {
		return n, nil
	}
	n, err := p.lookup(ctx, id)
	if err != nil {
		return nil, err
	}
	p.known.set(id, n)
	return n, nil
}

func (p *pages) lookup(ctx context.Context, id docs.PageID) (*node, error) {
	pg, ok, err := p.view.LookupAlone(ctx, id)
	if err != nil || !ok {
		return nil, err
	}
	n := &node{Page: pg, path: pg.Slug, listed: lists(pg)}
	if pg.Parent == "" {
		return n, nil
	}
	if n.above, err = p.page(ctx, pg.Parent); err != nil || n.above == nil {
		return nil, err
	}
	n.path = n.above.path + "/" + pg.Slug
	n.listed = n.listed && n.above.listed
	return n, nil
}

// sees reports whether the visitor sees a page.
func (p *pages) sees(ctx context.Context, id docs.PageID) (bool, error) {
	n, err := p.page(ctx, id)
	return n != nil, err
}

// idsBelow returns the ids of the pages below one, or at the top level for nil, in
// order. The visitor may not see all of them.
func (p *pages) idsBelow(ctx context.Context, n *node) ([]docs.PageID, error) {
	if ids, ok := p.below.get(n.id()); ok {
		return ids, nil
	}
	ids, err := p.view.ChildIDs(ctx, n.id())
	if err == nil {
		p.below.set(n.id(), ids)
	}
	return ids, err
}

// each calls fn with those pages of a list that the visitor sees, until fn returns
// false.
func (p *pages) each(ctx context.Context, ids []docs.PageID, fn func(*node) (bool, error)) error {
	for _, id := range ids {
		n, err := p.page(ctx, id)
		if err != nil {
			return err
		}
		if n == nil {
			continue
		}
		if more, err := fn(n); err != nil || !more {
			return err
		}
	}
	return nil
}

// eachBelow is each for the pages below one.
func (p *pages) eachBelow(ctx context.Context, n *node, fn func(*node) (bool, error)) error {
	ids, err := p.idsBelow(ctx, n)
	if err != nil {
		return err
	}
	return p.each(ctx, ids, fn)
}

// documents calls fn with every document that readers come across below a page, in
// order, until fn returns false. It reports whether fn never did.
func (p *pages) documents(ctx context.Context, n *node, fn func(*node) (bool, error)) (more bool, err error) {
	more = true
	err = p.eachBelow(ctx, n, func(c *node) (bool, error) {
		var err error
		if c.document() {
			more, err = fn(c)
		}
		if more && err == nil && c.listed {
			more, err = p.documents(ctx, c, fn)
		}
		return more, err
	})
	return more, err
}

// first returns the first document that readers come across below a page; nil if
// there is none.
func (p *pages) first(ctx context.Context, n *node) (found *node, err error) {
	if n != nil && !n.listed {
		return nil, nil
	}
	_, err = p.documents(ctx, n, func(c *node) (bool, error) {
		found = c
		return false, nil
	})
	return found, err
}

// last returns the last document that readers come across at or below a page.
func (p *pages) last(ctx context.Context, n *node) (found *node, err error) {
	if !n.listed {
		return nil, nil
	}
	ids, err := p.idsBelow(ctx, n)
	if err != nil {
		return nil, err
	}
	if found, err = p.lastOf(ctx, ids); found != nil || err != nil || !n.document() {
		return found, err
	}
	return n, nil
}

func (p *pages) lastOf(ctx context.Context, ids []docs.PageID) (found *node, err error) {
	for _, id := range slices.Backward(ids) {
		n, err := p.page(ctx, id)
		if err != nil {
			return nil, err
		}
		if n != nil {
			if found, err = p.last(ctx, n); found != nil || err != nil {
				return found, err
			}
		}
	}
	return nil, nil
}

// around returns the documents before and after one in the order of readers; nil
// where there is none.
func (p *pages) around(ctx context.Context, n *node) (before, after *node, err error) {
	if !n.document() {
		return nil, nil, nil
	}
	if before, err = p.before(ctx, n); err != nil {
		return nil, nil, err
	}
	after, err = p.after(ctx, n)
	return before, after, err
}

func (p *pages) before(ctx context.Context, n *node) (*node, error) {
	for at := n; ; at = at.above {
		ids, err := p.idsBelow(ctx, at.above)
		if err != nil {
			return nil, err
		}
		found, err := p.lastOf(ctx, ids[:max(slices.Index(ids, at.ID), 0)])
		switch {
		case found != nil || err != nil || at.above == nil:
			return found, err
		case at.above.document():
			return at.above, nil
		}
	}
}

func (p *pages) after(ctx context.Context, n *node) (found *node, err error) {
	if found, err = p.first(ctx, n); found != nil || err != nil {
		return found, err
	}
	for at := n; at != nil && found == nil; at = at.above {
		ids, err := p.idsBelow(ctx, at.above)
		if err != nil {
			return nil, err
		}
		err = p.each(ctx, ids[slices.Index(ids, at.ID)+1:], func(c *node) (_ bool, err error) {
			if found = c; !c.document() {
				found, err = p.first(ctx, c)
			}
			return found == nil, err
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// chain returns the pages above one, from the top down.
func (n *node) chain() (out []*node) {
	for up := n.above; up != nil; up = up.above {
		out = append(out, up)
	}
	slices.Reverse(out)
	return out
}

// Pages are found by their addresses as package reading does it.
var _ reading.Addresses[*node] = (*pages)(nil)

// Child implements reading.Addresses.
func (p *pages) Child(ctx context.Context, parent *node, slug string) (*node, bool, error) {
	return p.named(ctx, revision.SlugKey(parent.id(), slug))
}

// Address implements reading.Addresses.
func (p *pages) Address(_ context.Context, n *node) (string, error) { return n.path, nil }

// Moved implements reading.Addresses.
func (p *pages) Moved(ctx context.Context, address string) (*node, bool, error) {
	return p.named(ctx, revision.KeyRedirect+docs.SlugKey(address))
}

// named returns the page whose id is the value of a key of the revision.
func (p *pages) named(ctx context.Context, key string) (*node, bool, error) {
	id, ok, err := p.view.Get(ctx, key)
	if err != nil || !ok {
		return nil, false, err
	}
	n, err := p.page(ctx, docs.PageID(id))
	return n, n != nil, err
}
