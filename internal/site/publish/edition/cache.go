package edition

import (
	"context"

	"github.com/octavo-docs/octavo/internal/cache"
	"github.com/octavo-docs/octavo/internal/chunk"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
)

// Key identifies an edition. The content of an edition depends only on its key.
type Key struct {
	revision docs.RevisionID
	visitor  string
	base     string
	stamp    string // of computed pages
}

func keyOf(v *revision.View, base string) Key {
	return Key{v.Rev.ID, v.Visitor().Key(), base, v.Stamp}
}

// Key returns the key of the edition.
func (e *Edition) Key() Key { return keyOf(e.View, e.Base) }

// Cache caches editions, and the navigations of the newest ones.
type Cache struct {
	editions    *cache.Cache[Key, *Edition]
	navigations *cache.Cache[navigatedKey, *navigated]
}

// NewCache returns a cache for editions with the given total number of pages.
func NewCache(pages int) *Cache {
	return &Cache{
		editions:    cache.New[Key](pages, func(e *Edition) int { return 1 + e.Count }),
		navigations: cache.New[navigatedKey](pages, func(n *navigated) int { return 1 + n.count }),
	}
}

// Known returns a cached edition of a view at a base path. Its Space is the space of the view.
func (c *Cache) Known(view *revision.View, base string) (*Edition, bool) {
	e, ok := c.editions.Get(keyOf(view, base))
	if !ok {
		return nil, false
	}
	now := *e
	now.Space = view.Space // whose title may have changed
	return &now, true
}

// Get is Known, but makes an edition that is not cached.
func (c *Cache) Get(ctx context.Context, view *revision.View, base string) (*Edition, error) {
	if e, ok := c.Known(view, base); ok {
		return e, nil
	}
	e, err := New(ctx, view, base)
	if err != nil || !view.Visitor().Kept() {
		return e, err
	}
	if err = c.inherit(ctx, e); err == nil {
		c.editions.Set(keyOf(view, base), e)
	}
	return e, err
}

// navigated is the cached navigation of a revision.
type navigated struct {
	root  chunk.Hash
	below *byPage[[]docs.PageID]
	menu  menu
	count int // number of pages
}

// navigatedKey is the key of a cached navigation. It has everything but the revision that
// a navigation depends on.
type navigatedKey struct {
	space   docs.SpaceID
	visitor string
	base    string
	stamp   string // of computed pages
}

// inherit reuses the navigation of the previous edition if it is equal, so that the
// navigation is not rebuilt after an edit of text. It also caches the navigation of e for
// the next edition.
func (c *Cache) inherit(ctx context.Context, e *Edition) error {
	key := navigatedKey{e.Space.ID, e.View.Visitor().Key(), e.Base, e.View.Stamp}
	if was, ok := c.navigations.Get(key); ok {
		same, err := sameNavigation(ctx, e.View, was.root)
		if err != nil {
			return err
		}
		if same {
			e.below, e.menu = was.below, was.menu
		}
	}
	c.navigations.Set(key, &navigated{e.View.Rev.Root, e.below, e.menu, e.Count})
	return nil
}
