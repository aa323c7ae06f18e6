// Package edition is a space as one visitor reads it at one place of a site: which pages there
// are, in which order, at which addresses, and how they are listed. It knows nothing of requests
// and of how a page looks.
package edition

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

// Edition is one revision of a space as one visitor reads it at one place of a
// site. What the visitor does not see is not in it. It never changes.
type Edition struct {
	*tree
	Space docs.Space  // as it is now
	Base  string      // path of the space on its host; begins and ends with a slash
	Home  docs.PageID // the page at the address of the space itself; empty if there is none
	Count int         // of all pages
	file  string      // what the file of a page is called that links lead to; empty: they lead to pages of a server
	menu  menu        // empty: it is made for each page
}

// New returns a revision as the visitor of the view reads it. The view is that
// of the edition from now on.
func New(ctx context.Context, v *revision.View, base string) (*Edition, error) {
	v.UsePageCache()
	first, _, err := v.Home(ctx)
	if err != nil {
		return nil, err
	}
	count, err := v.CountPages(ctx)
	return &Edition{newTree(v), v.Space, base, first.ID, count, "", newMenu()}, err
}

// Relative returns the edition for a page that is written to a file: base is the way from the
// folder of that page to the folder of the space. A link to a page leads to the file with a name
// in the folder of the page, or to the folder if the name is empty. What is known of the pages is
// shared with e; the navigation is not, because its links differ from page to page.
func (e *Edition) Relative(base, file string) *Edition {
	out := *e
	out.Base, out.file, out.menu = base, file, menu{}
	return &out
}

// Address returns the path of a page on its host. A group has the address of
// its first page. It is empty for what has none.
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

// Find returns the document at a path within the space, or the address where it
// is now. Both are empty if there is nothing.
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

// Redirect returns where a redirect of the folder leads, which the space was
// imported from: to a page, or to another site.
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

// Link returns a page as a link; nil if it leads nowhere.
func (e *Edition) Link(ctx context.Context, n *Node) (*theme.Link, error) {
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

// shows reports whether a group has something to show: a document, or a link.
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

// Resolve returns the address of a reference that needs nothing but the pages of
// this space; empty if it leads nowhere.
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

// href returns how a link to the page at an address of the space is written.
func (e *Edition) href(at string) string {
	if e.file == "" {
		return at
	}
	return FileOf(at, e.file)
}

// FileOf returns the address of the file with a name at the address of a page.
func FileOf(at, name string) string {
	if at == "" {
		return ""
	}
	return strings.TrimSuffix(at, "/") + "/" + name
}
