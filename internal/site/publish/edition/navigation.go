package edition

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/chunk"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

const (
	// maxNavigation is the maximum number of pages of a space whose whole navigation is
	// shown. In a larger space only the branch of the current page is expanded.
	maxNavigation = 1000
	// maxSiblings is the maximum number of entries of one level. In a longer level the
	// entries around the open page are shown.
	maxSiblings = 500
)

// Navigation returns the navigation for the current page, which may be nil.
func (e *Edition) Navigation(ctx context.Context, current *Node) ([]*theme.Link, error) {
	if current == nil {
		return e.branch(ctx, nil, nil)
	}
	return e.branch(ctx, nil, append(current.Ancestors(), current))
}

// branch returns the entries below a page, or the top level if n is nil. Entries on the
// path way to the current page are open.
func (e *Edition) branch(ctx context.Context, n *Node, way []*Node) ([]*theme.Link, error) {
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

// Below returns the listed pages below a page, as links.
func (e *Edition) Below(ctx context.Context, n *Node) ([]*theme.Link, error) {
	l, err := e.level(ctx, n, "")
	if err != nil {
		return nil, err
	}
	return l.links, nil
}

// level is the listed pages below a page as navigation entries, none of which is open.
type level struct {
	pages []docs.PageID
	links []*theme.Link // of pages
}

// menu caches navigation entries. It is shared by the navigations of all pages of an
// edition, and by later editions that differ only in text.
type menu struct {
	entries *byPage[*theme.Link] // nil value: the page is not listed
	levels  *byPage[*level]      // by parent page
}

func newMenu() menu { return menu{&byPage[*theme.Link]{}, &byPage[*level]{}} }

// level returns the level below a page, or the top level if n is nil. Of a long level it
// returns the part around the open page.
func (e *Edition) level(ctx context.Context, n *Node, open docs.PageID) (*level, error) {
	ids, err := e.idsBelow(ctx, n)
	if err != nil {
		return nil, err
	}
	if len(ids) > maxSiblings {
		return e.newLevel(ctx, around(ids, open))
	}
	if l, ok := e.menu.levels.get(n.id()); ok {
		return l, nil
	}
	l, err := e.newLevel(ctx, ids)
	if err == nil {
		e.menu.levels.set(n.id(), l)
	}
	return l, err
}

func (e *Edition) newLevel(ctx context.Context, ids []docs.PageID) (*level, error) {
	l := &level{}
	for _, id := range ids {
		link, err := e.listed(ctx, id)
		if err != nil {
			return nil, err
		}
		if link != nil {
			l.pages, l.links = append(l.pages, id), append(l.links, link)
		}
	}
	return l, nil
}

// listed returns the navigation entry of a page, or nil if the page is not listed.
func (e *Edition) listed(ctx context.Context, id docs.PageID) (*theme.Link, error) {
	if link, ok := e.menu.entries.get(id); ok {
		return link, nil
	}
	n, err := e.Page(ctx, id)
	if err != nil {
		return nil, err
	}
	var link *theme.Link
	if n != nil && lists(n.Page) {
		link, err = e.Link(ctx, n)
	}
	if err == nil && link != nil && (e.Count <= maxNavigation || link.Group) {
		var below *level
		if below, err = e.level(ctx, n, ""); err == nil {
			link.Children = below.links
		}
	}
	if err == nil && e.menu.entries != nil {
		if link != nil {
			theme.Freeze(link)
		}
		e.menu.entries.set(id, link)
	}
	return link, err
}

// around returns the part of a long list that contains the open page.
func around(ids []docs.PageID, open docs.PageID) []docs.PageID {
	if len(ids) <= maxSiblings {
		return ids
	}
	at := slices.Index(ids, open)
	from := min(max(at-maxSiblings/2, 0), len(ids)-maxSiblings)
	return ids[from : from+maxSiblings]
}

// maxEdited is the maximum number of changed pages for which an edition reuses the
// navigation of the previous one.
const maxEdited = 100

// sameNavigation reports whether a revision has the same navigation as the revision with
// the given root: only texts of pages differ.
func sameNavigation(ctx context.Context, v *revision.View, root chunk.Hash) (bool, error) {
	differs := errors.New("the navigation differs")
	edited := 0
	err := v.Diff(ctx, root, v.Rev.Root, func(key string, before, after []byte) error {
		id, is := strings.CutPrefix(key, revision.KeyPage)
		if edited++; !is || before == nil || after == nil || edited > maxEdited {
			return differs
		}
		was, now, err := docs.DecodePages(id, before, after)
		if err != nil {
			return err
		}
		was.Body, was.Sidecar, was.OID, was.UpdatedAt = now.Body, now.Sidecar, now.OID, now.UpdatedAt
		if !reflect.DeepEqual(was, now) {
			return differs
		}
		return nil
	})
	if errors.Is(err, differs) {
		return false, nil
	}
	return err == nil, err
}
