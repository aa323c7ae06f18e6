package publish

import (
	"context"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/emoji"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/reading"
	"github.com/octavo-docs/octavo/internal/revision"
	"github.com/octavo-docs/octavo/internal/theme"
)

// maxNavigation is how many entries a navigation may have that is shown whole.
// Of a larger one only the branch of the current page is open.
const maxNavigation = 1000

// edition is one revision of a space as one visitor reads it at one place of a
// site. What the visitor does not see is not in it. It never changes.
type edition struct {
	view  *revision.View
	base  string      // path of the space on its host; begins and ends with a slash
	home  docs.PageID // the page at the address of the space itself; empty if there is none
	pages map[docs.PageID]*revision.Walked
	top   []*revision.Walked
	menu  *reading.Menu[*revision.Walked]
}

// newEdition reads the tree of pages.
func newEdition(ctx context.Context, v *revision.View, base string) (*edition, error) {
	e := &edition{view: v, base: base, pages: map[docs.PageID]*revision.Walked{}}
	var err error
	if e.top, err = v.All(ctx); err != nil {
		return nil, err
	}
	e.menu = reading.NewMenu(e.top, func(w *revision.Walked) reading.Entry[*revision.Walked] {
		e.pages[w.ID] = w
		return reading.Entry[*revision.Walked]{Document: w.Type == docs.PageDocument, Listed: !w.Hidden && w.Type != docs.PageComputed, Children: w.Children}
	})
	first, _, err := v.Home(ctx)
	e.home = first.ID
	return e, err
}

// address returns the path of a page on its host. A group has the address of
// its first page; one without pages has none.
func (e *edition) address(w *revision.Walked) (string, bool) {
	if w.Type == docs.PageGroup {
		first, ok := e.menu.First(w)
		if !ok {
			return "", false
		}
		w = first
	}
	switch {
	case w.Type != docs.PageDocument:
		return "", false
	case w.ID == e.home:
		return e.base, true
	}
	return e.base + reading.EscapePath(w.Path), true
}

// find returns the document at a path within the space, or the address where it
// is now. Both are empty if there is nothing.
func (e *edition) find(ctx context.Context, path string) (page *revision.Walked, moved string, err error) {
	name := strings.Trim(path, "/")
	if name == "" {
		return e.pages[e.home], "", nil
	}
	p, err := e.view.ByPath(ctx, name)
	if errs.Is(err, errs.NotFound) {
		moved, err = e.redirect(ctx, name)
		return nil, moved, err
	}
	if err != nil {
		return nil, "", err
	}
	w := e.pages[p.ID]
	if w == nil {
		return nil, "", nil
	}
	at, ok := e.address(w)
	switch {
	case !ok:
		return nil, "", nil
	case at == e.base+reading.EscapePath(path):
		return w, "", nil
	}
	return nil, at, nil
}

// redirect returns where a redirect of the folder leads, which the space was
// imported from: to a page, or to another site.
func (e *edition) redirect(ctx context.Context, name string) (string, error) {
	id, err := e.view.Setting(ctx, revision.SettingLeads+name)
	if err != nil {
		return "", err
	}
	if w := e.pages[docs.PageID(id)]; w != nil {
		at, _ := e.address(w)
		return at, nil
	}
	to, err := e.view.Setting(ctx, revision.SettingRedirect+name)
	if err != nil || !strings.HasPrefix(string(to), "https://") && !strings.HasPrefix(string(to), "http://") {
		return "", err
	}
	at, _ := markup.SafeURL(string(to))
	return at, nil
}

// navigation returns the entries as seen from a page, which may be nil.
func (e *edition) navigation(current *revision.Walked) []*theme.Link {
	open := map[*revision.Walked]bool{current: true}
	for _, up := range e.menu.Above(current) {
		open[up] = true
	}
	whole := e.menu.Len() <= maxNavigation
	var walk func([]*revision.Walked) []*theme.Link
	walk = func(pages []*revision.Walked) []*theme.Link {
		var out []*theme.Link
		for _, w := range pages {
			l, ok := e.entry(w)
			if !ok || !e.menu.Listed(w) {
				continue
			}
			l.Current = w == current
			if whole || open[w] || l.Group {
				l.Children = walk(w.Children)
			}
			out = append(out, l)
		}
		return out
	}
	return walk(e.top)
}

// entry returns a page as a link. It is false if it leads nowhere.
func (e *edition) entry(w *revision.Walked) (*theme.Link, bool) {
	l := &theme.Link{Title: w.Title, Emoji: emoji.FromCode(w.Emoji), Icon: w.Icon}
	if w.LinkTitle != "" {
		l.Title = w.LinkTitle
	}
	switch w.Type {
	case docs.PageGroup:
		l.Group = true
		_, ok := e.menu.First(w)
		return l, ok || hasLink(w)
	case docs.PageLink:
		if w.Target == nil {
			return nil, false
		}
		l.External = w.Target.Kind == docs.RefURL
		var ok bool
		l.Href, ok = e.local(*w.Target)
		return l, ok
	}
	var ok bool
	l.Href, ok = e.address(w)
	return l, ok
}

// hasLink reports whether a group without documents has something to show.
func hasLink(w *revision.Walked) bool {
	for _, c := range w.Children {
		if c.Type == docs.PageLink && !c.Hidden || hasLink(c) {
			return true
		}
	}
	return false
}

// local returns the address of a reference that needs nothing but the pages of
// this space.
func (e *edition) local(ref docs.Ref) (string, bool) {
	switch {
	case ref.Kind == docs.RefURL:
		return markup.SafeURL(ref.URL)
	case ref.Space != "" && ref.Space != string(e.view.Space.ID):
		return "", false
	case ref.Kind == docs.RefSpace:
		return e.base, true
	case ref.Kind == docs.RefAnchor && ref.Page == "":
		return fragment(ref.Anchor), true
	case ref.Kind == docs.RefPage, ref.Kind == docs.RefAnchor:
		w := e.pages[docs.PageID(ref.Page)]
		if w == nil {
			return "", false
		}
		at, ok := e.address(w)
		return at + fragment(ref.Anchor), ok
	}
	return "", false
}

func fragment(anchor string) string {
	if anchor == "" {
		return ""
	}
	return "#" + anchor
}
