package console

import (
	"context"
	"html/template"
	"net/http"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/docs/emoji"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/reading"
	"github.com/octavo-docs/octavo/internal/store"
)

// spaceData is the data of the page of a space. It shows one page of the space and its surroundings.
type spaceData struct {
	Up       link
	Space    link
	Note     string // says that this is not the newest revision
	Menu     []entry
	Title    string
	About    string
	Text     template.HTML
	Requests []link
	Comments []remark // unresolved comments on the space and its pages
}

// entry is a page in the table of contents. Below is set for ancestors of the open page, the open
// page itself, and groups.
type entry struct {
	Title, To string
	Open      bool // it is the page that is shown
	Group     bool
	Below     []entry
}

// space shows a page of a space, of its newest revision or of the revision in the path.
func (h *Handler) space(v *visit) error {
	ctx, sp := v.r.Context(), v.grant.Space
	up, err := h.parentLink(v, sp.Org)
	if err != nil {
		return err
	}
	d := spaceData{Up: up, Space: link{Title: titleOf(sp), To: spaceURL(sp)}}
	id, base := sp.Revision, spaceURL(sp)
	if named := v.r.PathValue("id"); named != "" {
		id, base = docs.RevisionID(named), base+"/~/revisions/"+named
		d.Note = "You read an earlier revision."
	}
	view, err := h.Content.Revision(ctx, sp, id)
	if err != nil {
		return err
	}
	if view, err = h.Content.WithComputedPages(ctx, view); err != nil {
		return err
	}
	if err := h.openPage(v, &d, view, base); err != nil {
		return err
	}
	if d.Requests, err = h.openRequests(v); err != nil {
		return err
	}
	place, err := h.Comments.Open(ctx, v.grant, "")
	if err != nil {
		return err
	}
	p := &printer{h: h, ctx: ctx, grant: v.grant, view: place.View, base: spaceURL(sp)}
	if d.Comments, err = h.remarks(p, place, docs.CommentOpen); err != nil {
		return err
	}
	h.show(v.w, http.StatusOK, "space", v.page(cmpTitle(d.Title, d.Space.Title), d))
	return nil
}

func cmpTitle(page, space string) string {
	if page == "" {
		return space
	}
	return page + " · " + space
}

// openPage adds the page in the path, or the first page, and the table of contents.
func (h *Handler) openPage(v *visit, d *spaceData, view *revision.View, base string) error {
	ctx, path := v.r.Context(), v.r.PathValue("path")
	x, err := view.ByPath(ctx, path)
	if errs.Is(err, errs.NotFound) && path != "" {
		x, err = view.Page(ctx, docs.PageID(path)) // links from other spaces contain the id
	}
	if errs.Is(err, errs.NotFound) && path == "" { // the space is empty
		return nil
	}
	if err != nil {
		return err
	}
	p := &printer{h: h, ctx: ctx, grant: v.grant, view: view, base: base}
	d.Title, d.About = x.Title, x.Description
	if d.Text, err = p.page(x); err != nil {
		return err
	}
	above, err := view.Ancestors(ctx, x)
	if err != nil {
		return err
	}
	open := []docs.PageID{x.ID}
	for _, a := range above {
		open = append(open, a.ID)
	}
	d.Menu, err = menu(ctx, view, "", open, base)
	return err
}

// menu returns the child pages of a page. Open pages and groups include their own child pages.
func menu(ctx context.Context, view *revision.View, parent docs.PageID, open []docs.PageID, base string) ([]entry, error) {
	pages, err := view.Children(ctx, parent)
	if err != nil {
		return nil, err
	}
	var out []entry
	for _, x := range pages {
		e := entry{Title: strings.TrimSpace(emoji.FromCode(x.Emoji) + " " + x.Title), Open: x.ID == open[0], Group: x.Type == docs.PageGroup}
		if x.HasPath() && !e.Group {
			path, err := view.Path(ctx, x)
			if err != nil {
				return nil, err
			}
			e.To = base + "/" + reading.EscapePath(path)
		}
		if slices.Contains(open, x.ID) || x.Type == docs.PageGroup {
			if e.Below, err = menu(ctx, view, x.ID, open, base); err != nil {
				return nil, err
			}
		}
		out = append(out, e)
	}
	return out, nil
}

// openRequests lists the open change requests of the space.
func (h *Handler) openRequests(v *visit) (out []link, err error) {
	list, _, err := h.Reviews.ChangeRequests(v.grant, store.ChangeRequestFilter{Status: docs.ChangeOpen}).Page(v.r.Context(), store.Page{Limit: maxRows})
	for _, r := range list {
		out = append(out, requestLink(v.grant.Space, r))
	}
	return out, err
}
