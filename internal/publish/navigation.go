package publish

import (
	"context"
	"slices"
	"sync"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/theme"
)

const (
	// maxNavigation is how many pages a space may have whose navigation is shown
	// whole. Of a larger one only the branch of the current page is open.
	maxNavigation = 1000
	// maxSiblings is how many pages of one level a navigation has: those around the
	// page that is open.
	maxSiblings = 500
)

// navigation returns the entries as seen from a page, which may be nil.
func (e *edition) navigation(ctx context.Context, current *node) ([]*theme.Link, error) {
	if current == nil {
		return e.branch(ctx, nil, nil)
	}
	return e.branch(ctx, nil, append(current.chain(), current))
}

// branch returns the entries below a page, or at the top level for nil. Those on the way to
// the current page are open.
func (e *edition) branch(ctx context.Context, n *node, way []*node) ([]*theme.Link, error) {
	var open docs.PageID
	if len(way) > 0 {
		open = way[0].ID
	}
	l, err := e.level(ctx, n, open)
	if err != nil {
		return nil, err
	}
	at := slices.Index(l.pages, open)
	if at < 0 {
		return l.links, nil
	}
	below, err := e.branch(ctx, way[0], way[1:])
	links := slices.Clone(l.links)
	links[at] = links[at].Opened(len(way) == 1, below)
	return links, err
}

// level is the pages below one that are listed, as entries of the navigation of pages
// elsewhere: none is open. All pages of the edition share it.
type level struct {
	pages []docs.PageID
	links []*theme.Link // of these pages
}

// menu is the levels that were shown, by the page that they are below.
type menu struct {
	mu     sync.Mutex
	levels map[docs.PageID]*level
}

func newMenu() *menu { return &menu{levels: map[docs.PageID]*level{}} }

// get returns the level below a page; nil if there is none yet.
func (m *menu) get(n *node) *level {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.levels[n.id()]
}

// keep makes a level one that all pages share.
func (m *menu) keep(n *node, l *level) {
	if m == nil {
		return
	}
	theme.Share(l.links)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.levels[n.id()] = l
}

// level returns the level below a page, or the top one for nil. Of a long one it has the
// part around the page that is open.
func (e *edition) level(ctx context.Context, n *node, open docs.PageID) (*level, error) {
	ids, err := e.idsBelow(ctx, n)
	if err != nil {
		return nil, err
	}
	if len(ids) > maxSiblings {
		return e.newLevel(ctx, around(ids, open))
	}
	if l := e.menu.get(n); l != nil {
		return l, nil
	}
	l, err := e.newLevel(ctx, ids)
	if err == nil {
		e.menu.keep(n, l)
	}
	return l, err
}

func (e *edition) newLevel(ctx context.Context, ids []docs.PageID) (*level, error) {
	l := &level{}
	var err error
	l.links, err = e.entries(ctx, ids, func(link *theme.Link, c *node) error {
		l.pages = append(l.pages, c.ID)
		if e.count > maxNavigation && !link.Group {
			return nil
		}
		below, err := e.level(ctx, c, "")
		if err == nil {
			link.Children = below.links
		}
		return err
	})
	return l, err
}

// around returns the part of a long list that has the page that is open.
func around(ids []docs.PageID, open docs.PageID) []docs.PageID {
	if len(ids) <= maxSiblings {
		return ids
	}
	at := slices.Index(ids, open)
	from := min(max(at-maxSiblings/2, 0), len(ids)-maxSiblings)
	return ids[from : from+maxSiblings]
}

// entries returns those of some pages that are listed, each completed by fn.
func (e *edition) entries(ctx context.Context, ids []docs.PageID, complete func(*theme.Link, *node) error) (out []*theme.Link, err error) {
	err = e.each(ctx, ids, func(n *node) (bool, error) {
		if !lists(n.Page) {
			return true, nil
		}
		l, err := e.entry(ctx, n)
		if err == nil && l != nil {
			out = append(out, l)
			err = complete(l, n)
		}
		return true, err
	})
	return out, err
}
