package edition

import (
	"context"
	"slices"
	"sync"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/reading"
	"github.com/octavo-docs/octavo/internal/revision"
)

// Node is a page that a visitor sees, and its place.
type Node struct {
	docs.Page
	Path   string // within the space
	Above  *Node  // nil at the top level
	Listed bool   // readers come across it: it is listed, and so is everything above it
}

// lists reports whether a page is listed if everything above it is.
func lists(p docs.Page) bool { return !p.Hidden && p.Type != docs.PageComputed }

// Reachable reports whether readers come across a page that has a text.
func (n *Node) Reachable() bool { return n.Listed && n.Type == docs.PageDocument }

// id returns the id of a page, or that of the parent of the top level for nil.
func (n *Node) id() docs.PageID {
	if n == nil {
		return ""
	}
	return n.ID
}

// tree is the pages of a revision that a visitor sees. Each is read when it is
// needed, and then kept: to show a page takes the same work in a space of any size.
type tree struct {
	View  *revision.View
	known *byPage[*Node] // nil: the visitor does not see it
	below *byPage[[]docs.PageID]
}

func newTree(v *revision.View) *tree {
	return &tree{View: v, known: &byPage[*Node]{}, below: &byPage[[]docs.PageID]{}}
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

// Page returns a page, or nil if the visitor does not see it.
func (t *tree) Page(ctx context.Context, id docs.PageID) (*Node, error) {
	n, ok := t.known.get(id)
	if ok || id == "" {
		return n, nil
	}
	n, err := t.lookup(ctx, id)
	if err != nil {
		return nil, err
	}
	t.known.set(id, n)
	return n, nil
}

func (t *tree) lookup(ctx context.Context, id docs.PageID) (*Node, error) {
	pg, ok, err := t.View.LookupUnchecked(ctx, id)
	if err != nil || !ok {
		return nil, err
	}
	n := &Node{Page: pg, Path: pg.Slug, Listed: lists(pg)}
	if pg.Parent == "" {
		return n, nil
	}
	if n.Above, err = t.Page(ctx, pg.Parent); err != nil || n.Above == nil {
		return nil, err
	}
	n.Path = n.Above.Path + "/" + pg.Slug
	n.Listed = n.Listed && n.Above.Listed
	return n, nil
}

// Sees reports whether the visitor sees a page.
func (t *tree) Sees(ctx context.Context, id docs.PageID) (bool, error) {
	n, err := t.Page(ctx, id)
	return n != nil, err
}

// idsBelow returns the ids of the pages below one, or at the top level for nil, in
// order. The visitor may not see all of them.
func (t *tree) idsBelow(ctx context.Context, n *Node) ([]docs.PageID, error) {
	if ids, ok := t.below.get(n.id()); ok {
		return ids, nil
	}
	ids, err := t.View.ChildIDs(ctx, n.id())
	if err == nil {
		t.below.set(n.id(), ids)
	}
	return ids, err
}

// each calls fn with those pages of a list that the visitor sees, until fn returns
// false.
func (t *tree) each(ctx context.Context, ids []docs.PageID, fn func(*Node) (bool, error)) error {
	for _, id := range ids {
		n, err := t.Page(ctx, id)
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

// EachBelow calls fn with the pages below one, or at the top level for nil, in order, until
// fn returns false.
func (t *tree) EachBelow(ctx context.Context, n *Node, fn func(*Node) (bool, error)) error {
	ids, err := t.idsBelow(ctx, n)
	if err != nil {
		return err
	}
	return t.each(ctx, ids, fn)
}

// Documents calls fn with every document that readers come across below a page, in
// order, until fn returns false. It reports whether fn never did.
func (t *tree) Documents(ctx context.Context, n *Node, fn func(*Node) (bool, error)) (more bool, err error) {
	more = true
	err = t.EachBelow(ctx, n, func(c *Node) (bool, error) {
		var err error
		if c.Reachable() {
			more, err = fn(c)
		}
		if more && err == nil && c.Listed {
			more, err = t.Documents(ctx, c, fn)
		}
		return more, err
	})
	return more, err
}

// First returns the first document that readers come across below a page; nil if
// there is none.
func (t *tree) First(ctx context.Context, n *Node) (found *Node, err error) {
	if n != nil && !n.Listed {
		return nil, nil
	}
	_, err = t.Documents(ctx, n, func(c *Node) (bool, error) {
		found = c
		return false, nil
	})
	return found, err
}

// last returns the last document that readers come across at or below a page.
func (t *tree) last(ctx context.Context, n *Node) (found *Node, err error) {
	if !n.Listed {
		return nil, nil
	}
	ids, err := t.idsBelow(ctx, n)
	if err != nil {
		return nil, err
	}
	if found, err = t.lastOf(ctx, ids); found != nil || err != nil || !n.Reachable() {
		return found, err
	}
	return n, nil
}

func (t *tree) lastOf(ctx context.Context, ids []docs.PageID) (found *Node, err error) {
	for _, id := range slices.Backward(ids) {
		n, err := t.Page(ctx, id)
		if err != nil {
			return nil, err
		}
		if n != nil {
			if found, err = t.last(ctx, n); found != nil || err != nil {
				return found, err
			}
		}
	}
	return nil, nil
}

// Around returns the documents before and after one in the order of readers; nil
// where there is none.
func (t *tree) Around(ctx context.Context, n *Node) (before, after *Node, err error) {
	if !n.Reachable() {
		return nil, nil, nil
	}
	if before, err = t.before(ctx, n); err != nil {
		return nil, nil, err
	}
	after, err = t.after(ctx, n)
	return before, after, err
}

func (t *tree) before(ctx context.Context, n *Node) (*Node, error) {
	for at := n; ; at = at.Above {
		ids, err := t.idsBelow(ctx, at.Above)
		if err != nil {
			return nil, err
		}
		found, err := t.lastOf(ctx, ids[:max(slices.Index(ids, at.ID), 0)])
		switch {
		case found != nil || err != nil || at.Above == nil:
			return found, err
		case at.Above.Reachable():
			return at.Above, nil
		}
	}
}

func (t *tree) after(ctx context.Context, n *Node) (found *Node, err error) {
	if found, err = t.First(ctx, n); found != nil || err != nil {
		return found, err
	}
	for at := n; at != nil && found == nil; at = at.Above {
		ids, err := t.idsBelow(ctx, at.Above)
		if err != nil {
			return nil, err
		}
		err = t.each(ctx, ids[slices.Index(ids, at.ID)+1:], func(c *Node) (_ bool, err error) {
			if found = c; !c.Reachable() {
				found, err = t.First(ctx, c)
			}
			return found == nil, err
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// Ancestors returns the pages above one, from the top down.
func (n *Node) Ancestors() (out []*Node) {
	for up := n.Above; up != nil; up = up.Above {
		out = append(out, up)
	}
	slices.Reverse(out)
	return out
}

// addresses are those of the pages within the space.
type addresses struct{ *tree }

// Pages are found by their addresses as package reading does it.
var _ reading.Addresses[*Node] = addresses{}

// Child implements reading.Addresses.
func (a addresses) Child(ctx context.Context, parent *Node, slug string) (*Node, bool, error) {
	return a.named(ctx, revision.SlugKey(parent.id(), slug))
}

// Address implements reading.Addresses.
func (a addresses) Address(_ context.Context, n *Node) (string, error) { return n.Path, nil }

// Moved implements reading.Addresses.
func (a addresses) Moved(ctx context.Context, address string) (*Node, bool, error) {
	return a.named(ctx, revision.KeyRedirect+docs.SlugKey(address))
}

// named returns the page whose id is the value of a key of the revision.
func (a addresses) named(ctx context.Context, key string) (*Node, bool, error) {
	id, ok, err := a.View.Get(ctx, key)
	if err != nil || !ok {
		return nil, false, err
	}
	n, err := a.Page(ctx, docs.PageID(id))
	return n, n != nil, err
}
