// Package edition represents a space as one visitor reads it at one place of a site: its
// pages, their order and addresses, and the navigation. It does not depend on requests or
// on the rendering of pages.
package edition

import (
	"context"
	"strings"

	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/docs/emoji"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/reading"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

// Edition is one revision of a space as one visitor reads it at one place of a site.
// Pages that the visitor may not see are not in it. It is immutable.
type Edition struct {
	*tree
	Space docs.Space  // current state of the space
	Base  string      // path of the space on its host; begins and ends with a slash
	Home  docs.PageID // the page at the address of the space; "" if there is none
	Count int         // number of all pages
	file  string      // file name that links to pages end with; "" for pages of a server
	menu  menu        // zero: the navigation is built for each page
}

// New returns the edition of a revision for the visitor of the view. The edition takes
// ownership of the view.
func New(ctx context.Context, v *revision.View, base string) (*Edition, error) {
	v.UsePageCache()
	first, _, err := v.Home(ctx)
	if err != nil {
		return nil, err
	}
	count, err := v.CountPages(ctx)
	return &Edition{newTree(v), v.Space, base, first.ID, count, "", newMenu()}, err
}

// Relative returns the edition for a page that is written to a file. base is the relative
// path from the folder of that page to the folder of the space. Links to pages have the
// given file name appended; if it is empty, they lead to the folder of the page. Cached
// pages are shared with e. The navigation is not shared, because its relative links
// differ from page to page.
func (e *Edition) Relative(base, file string) *Edition {
	out := *e
	out.Base, out.file, out.menu = base, file, menu{}
	return &out
}

// Address returns the path of a page on its host. A group has the address of its first
// document. The address is empty for other types of pages.
func (e *Edition) Address(ctx context.Context, n *Node) (string, error) {
	if n.Type == docs.PageGroup {
		var err error
		if n, err = e.First(ctx, n); err != nil || n == nil {
			return "", err
		}
	}
	switch {
	case n.Type != docs.PageDocument:
		return "", nil
	case n.ID == e.Home:
		return e.Base, nil
	}
	return e.Base + reading.EscapePath(n.Path), nil
}

// Find returns the document at a path within the space, or its current address if it has
// moved. Both are empty if nothing is found.
func (e *Edition) Find(ctx context.Context, path string) (page *Node, moved string, err error) {
	name := strings.Trim(path, "/")
	if name == "" {
		page, err = e.Page(ctx, e.Home)
		return page, "", err
	}
	n, ok, err := reading.Find(ctx, addresses{e.tree}, name)
	if err != nil {
		return nil, "", err
	}
	if !ok {
		moved, err = e.Redirect(ctx, name)
		return nil, moved, err
	}
	at, err := e.Address(ctx, n)
	if at == e.Base+reading.EscapePath(path) {
		return n, "", err
	}
	return nil, at, err
}

// Redirect returns the target of a redirect in the settings of the imported folder: a
// page or another site. It returns "" if there is none.
func (e *Edition) Redirect(ctx context.Context, name string) (string, error) {
	id, err := e.View.Setting(ctx, revision.SettingLeads+name)
	if err != nil {
		return "", err
	}
	if n, err := e.Page(ctx, docs.PageID(id)); err != nil || n != nil {
		if err != nil {
			return "", err
		}
		return e.Address(ctx, n)
	}
	to, err := e.View.Setting(ctx, revision.SettingRedirect+name)
	if err != nil || !strings.HasPrefix(string(to), "https://") && !strings.HasPrefix(string(to), "http://") {
		return "", err
	}
	at, _ := markup.SafeURL(string(to))
	return at, nil
}

// Link returns a page as a link, or nil if it has no target.
func (e *Edition) Link(ctx context.Context, n *Node) (*theme.Link, error) {
	l := &theme.Link{Title: n.Title, Emoji: emoji.FromCode(n.Emoji), Icon: n.Icon, Method: n.Method}
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
		if n.Target.Kind == docs.RefURL && markup.IsRelative(n.Target.URL) {
			return nil, nil // it names no page, and leads elsewhere from each page
		}
		l.External = n.Target.Kind == docs.RefURL
		l.Href, err = e.Resolve(ctx, *n.Target)
	default:
		l.Href, err = e.Address(ctx, n)
		l.Href = e.href(l.Href)
	}
	if err != nil || l.Href == "" {
		return nil, err
	}
	return l, nil
}

// shows reports whether a group contains a document or a link to show.
func (e *Edition) shows(ctx context.Context, group *Node) (found bool, err error) {
	err = e.EachBelow(ctx, group, func(c *Node) (_ bool, err error) {
		found = c.Reachable() || c.Type == docs.PageLink && !c.Hidden
		if !found {
			found, err = e.shows(ctx, c)
		}
		return !found, err
	})
	return found, err
}

// Resolve returns the address of a reference that can be resolved with the pages of this
// space alone, or "".
func (e *Edition) Resolve(ctx context.Context, ref docs.Ref) (string, error) {
	switch {
	case ref.Kind == docs.RefURL:
		at, _ := markup.SafeURL(ref.URL)
		return at, nil
	case ref.Space != "" && ref.Space != string(e.Space.ID):
		return "", nil
	case ref.Kind == docs.RefSpace:
		return e.href(e.Base), nil
	case ref.Kind == docs.RefAnchor && ref.Page == "":
		return reading.Fragment(ref.Anchor), nil
	case ref.Kind == docs.RefPage, ref.Kind == docs.RefAnchor:
		n, err := e.Page(ctx, docs.PageID(ref.Page))
		if err != nil || n == nil {
			return "", err
		}
		at, err := e.Address(ctx, n)
		if err != nil || at == "" {
			return "", err
		}
		return e.href(at) + reading.Fragment(ref.Anchor), nil
	}
	return "", nil
}

// href returns the link for an address of the space.
func (e *Edition) href(at string) string {
	if e.file == "" {
		return at
	}
	return FileOf(at, e.file)
}

// FileOf returns the address of the file with a name in the folder at an address.
func FileOf(at, name string) string {
	if at == "" {
		return ""
	}
	return strings.TrimSuffix(at, "/") + "/" + name
}
