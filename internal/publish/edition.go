package publish

import (
	"context"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/emoji"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/reading"
	"github.com/octavo-docs/octavo/internal/revision"
	"github.com/octavo-docs/octavo/internal/theme"
)

// edition is one revision of a space as one visitor reads it at one place of a
// site. What the visitor does not see is not in it. It never changes.
type edition struct {
	*pages
	space docs.Space  // as it is now
	base  string      // path of the space on its host; begins and ends with a slash
	home  docs.PageID // the page at the address of the space itself; empty if there is none
	count int         // of all pages
	file  string      // what the file of a page is called that links lead to; empty: they lead to pages of a server
	menu  menu        // empty: it is made for each page
}

// newEdition returns a revision as the visitor of the view reads it. The view is that
// of the edition from now on.
func newEdition(ctx context.Context, v *revision.View, base string) (*edition, error) {
	v.KeepPages()
	first, _, err := v.Home(ctx)
	if err != nil {
		return nil, err
	}
	count, err := v.CountPages(ctx)
	return &edition{newPages(v), v.Space, base, first.ID, count, "", newMenu()}, err
}

// address returns the path of a page on its host. A group has the address of
// its first page. It is empty for what has none.
func (e *edition) address(ctx context.Context, n *node) (string, error) {
	if n.Type == docs.PageGroup {
		var err error
		if n, err = e.first(ctx, n); err != nil || n == nil {
			return "", err
		}
	}
	switch {
	case n.Type != docs.PageDocument:
		return "", nil
	case n.ID == e.home:
		return e.base, nil
	}
	return e.base + reading.EscapePath(n.path), nil
}

// find returns the document at a path within the space, or the address where it
// is now. Both are empty if there is nothing.
func (e *edition) find(ctx context.Context, path string) (page *node, moved string, err error) {
	name := strings.Trim(path, "/")
	if name == "" {
		page, err = e.page(ctx, e.home)
		return page, "", err
	}
	n, ok, err := reading.Find(ctx, e.pages, name)
	if err != nil {
		return nil, "", err
	}
	if !ok {
		moved, err = e.redirect(ctx, name)
		return nil, moved, err
	}
	at, err := e.address(ctx, n)
	if at == e.base+reading.EscapePath(path) {
		return n, "", err
	}
	return nil, at, err
}

// redirect returns where a redirect of the folder leads, which the space was
// imported from: to a page, or to another site.
func (e *edition) redirect(ctx context.Context, name string) (string, error) {
	id, err := e.view.Setting(ctx, revision.SettingLeads+name)
	if err != nil {
		return "", err
	}
	if n, err := e.page(ctx, docs.PageID(id)); err != nil || n != nil {
		if err != nil {
			return "", err
		}
		return e.address(ctx, n)
	}
	to, err := e.view.Setting(ctx, revision.SettingRedirect+name)
	if err != nil || !strings.HasPrefix(string(to), "https://") && !strings.HasPrefix(string(to), "http://") {
		return "", err
	}
	at, _ := markup.SafeURL(string(to))
	return at, nil
}

// entry returns a page as a link; nil if it leads nowhere.
func (e *edition) entry(ctx context.Context, n *node) (*theme.Link, error) {
	l := &theme.Link{Title: n.Title, Emoji: emoji.FromCode(n.Emoji), Icon: n.Icon}
	if n.LinkTitle != "" {
		l.Title = n.LinkTitle
	}
	var err error
	switch n.Type {
	case docs.PageGroup:
		l.Group = true
		if some, err := e.shows(ctx, n); err != nil || !some {
			return nil, err
		}
		return l, nil
	case docs.PageLink:
		if n.Target == nil {
			return nil, nil
		}
		l.External = n.Target.Kind == docs.RefURL
		l.Href, err = e.local(ctx, *n.Target)
	default:
		l.Href, err = e.address(ctx, n)
		l.Href = e.href(l.Href)
	}
	if err != nil || l.Href == "" {
		return nil, err
	}
	return l, nil
}

// shows reports whether a group has something to show: a document, or a link.
func (e *edition) shows(ctx context.Context, group *node) (found bool, err error) {
	err = e.eachBelow(ctx, group, func(c *node) (_ bool, err error) {
		found = c.document() || c.Type == docs.PageLink && !c.Hidden
		if !found {
			found, err = e.shows(ctx, c)
		}
		return !found, err
	})
	return found, err
}

// local returns the address of a reference that needs nothing but the pages of
// this space; empty if it leads nowhere.
func (e *edition) local(ctx context.Context, ref docs.Ref) (string, error) {
	switch {
	case ref.Kind == docs.RefURL:
		at, _ := markup.SafeURL(ref.URL)
		return at, nil
	case ref.Space != "" && ref.Space != string(e.space.ID):
		return "", nil
	case ref.Kind == docs.RefSpace:
		return e.href(e.base), nil
	case ref.Kind == docs.RefAnchor && ref.Page == "":
		return fragment(ref.Anchor), nil
	case ref.Kind == docs.RefPage, ref.Kind == docs.RefAnchor:
		n, err := e.page(ctx, docs.PageID(ref.Page))
		if err != nil || n == nil {
			return "", err
		}
		at, err := e.address(ctx, n)
		if err != nil || at == "" {
			return "", err
		}
		return e.href(at) + fragment(ref.Anchor), nil
	}
	return "", nil
}

func fragment(anchor string) string {
	if anchor == "" {
		return ""
	}
	return "#" + anchor
}
