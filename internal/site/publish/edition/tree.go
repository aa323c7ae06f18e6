package edition

import (
	"context"
	"slices"
	"sync"

	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/reading"
)

// Node is a page that the visitor sees, with its position in the tree.
type Node struct {
	docs.Page
	Path   string // within the space
	Above  *Node  // nil at the top level
	Listed bool   // the page and all of its ancestors are listed
}

// lists reports whether a page is listed, provided that its ancestors are.
func lists(p docs.Page) bool { return !p.Hidden && p.Type != docs.PageComputed }

// Reachable reports whether a page is a document that is listed with all of its
// ancestors.
func (n *Node) Reachable() bool { return n.Listed && n.Type == docs.PageDocument }

// id returns the id of a page. For nil it returns "", the parent of top-level pages.
func (n *Node) id() docs.PageID {
	if n == nil {
		return ""
	}
	return n.ID
}

// tree is the pages of a revision that a visitor sees. Pages are loaded on demand and
// cached, so the work to show a page does not depend on the size of the space.
type tree struct {
	View  *revision.View
	known *byPage[*Node] // nil value: the visitor does not see the page
	below *byPage[[]docs.PageID]
}

func newTree(v *revision.View) *tree {
	return &tree{View: v, known: &byPage[*Node]{}, below: &byPage[[]docs.PageID]{}}
}

// byPage caches a value for each page. A nil byPage caches nothing.
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

// idsBelow returns the ids of the children of a page, or of the top level if n is nil, in
// order. It includes pages that the visitor does not see.
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

// each calls fn with the visible pages of a list until fn returns false.
func (t *tree) each(ctx context.Context, ids []docs.PageID, fn func(*Node) (bool, error)) error {
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return err // nobody waits for the rest
		}
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

// EachBelow calls fn with the children of a page, or with the top level if n is nil, in
// order until fn returns false.
func (t *tree) EachBelow(ctx context.Context, n *Node, fn func(*Node) (bool, error)) error {
	ids, err := t.idsBelow(ctx, n)
	if err != nil {
		return err
	}
	return t.each(ctx, ids, fn)
}

// Documents calls fn with every reachable document below a page, in order until fn
// returns false. more is false if fn returned false.
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

// First returns the first reachable document below a page, or nil.
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

// last returns the last reachable document at or below a page, or nil.
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

// Around returns the previous and the next reachable document in reading order, or nil
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

// Ancestors returns the ancestors of a page, from the top level down.
func (n *Node) Ancestors() (out []*Node) {
	for up := n.Above; up != nil; up = up.Above {
		out = append(out, up)
	}
	slices.Reverse(out)
	return out
}

// addresses finds pages by address within the space.
type addresses struct{ *tree }

// Package reading implements the lookup by address.
var _ reading.Addresses[*Node] = addresses{}

// Child implements reading.Addresses.
func (a addresses) Child(ctx context.Context, parent *Node, slug string) (*Node, bool, error) {
	id, ok, err := a.View.BySlug(ctx, parent.id(), slug)
	return a.found(ctx, id, ok, err)
}

// Address implements reading.Addresses.
func (a addresses) Address(_ context.Context, n *Node) (string, error) { return n.Path, nil }

// Moved implements reading.Addresses.
func (a addresses) Moved(ctx context.Context, address string) (*Node, bool, error) {
	id, ok, err := a.View.ByFormerPath(ctx, address)
	return a.found(ctx, id, ok, err)
}

// found returns the page that a lookup in the revision found.
func (a addresses) found(ctx context.Context, id docs.PageID, ok bool, err error) (*Node, bool, error) {
	if err != nil || !ok {
		return nil, false, err
	}
	n, err := a.Page(ctx, id)
	return n, n != nil, err
}
