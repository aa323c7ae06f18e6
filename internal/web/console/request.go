package console

import (
	"cmp"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/comments"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup/visualdiff"
	"github.com/octavo-docs/octavo/internal/store"
)

// requestData is the data of the page of a change request.
type requestData struct {
	Up       link
	Space    link
	Request  docs.ChangeRequest
	Text     template.HTML
	Pages    []pageChange
	More     int // pages that are not listed
	Other    int // files, reusable contents and variables that differ
	Comments []remark
	Reviews  []docs.SubmittedReview
}

// pageChange is a page that a change request changes.
type pageChange struct {
	Title, Path, Kind string
	Text              template.HTML // with the changes marked; empty: see Note
	Note              string
}

// remark is a comment with its replies.
type remark struct {
	ID       string
	By       docs.User
	At       docs.Time
	Resolved bool
	Text     template.HTML
	Replies  []remark
}

// Limits of the page of a change request.
const (
	maxMarked   = 20  // pages that are shown with their changes
	maxComments = 100 // also the limit of replies to each comment
)

// verdict returns the rest of a sentence that begins with the name of the reviewer.
func verdict(s docs.ReviewStatus) string {
	switch s {
	case docs.ReviewApproved:
		return "approved it"
	case docs.ReviewChanges:
		return "asks for changes"
	default:
		return "commented"
	}
}

func requestLink(sp docs.Space, r docs.ChangeRequest) link {
	number := strconv.FormatInt(r.Number, 10)
	return link{Title: cmp.Or(r.Subject, "Change request "+number), To: spaceURL(sp) + "/~/changes/" + number, Note: "#" + number + " in " + titleOf(sp)}
}

// request shows a change request: its description, its changes, its reviews and its comments.
func (h *Handler) request(v *visit) error {
	ctx, sp := v.r.Context(), v.grant.Space
	up, err := h.parentLink(v, sp.Org)
	if err != nil {
		return err
	}
	r, err := h.Reviews.ChangeRequest(ctx, v.grant, v.r.PathValue("number"))
	if err != nil {
		return err
	}
	view, err := h.Content.Revision(ctx, sp, r.Revision)
	if err != nil {
		return err
	}
	// Limit concurrency: marking the changes of twenty pages takes a second.
	done, err := h.marking.Take(ctx, string(sp.Org), 1)
	if err != nil {
		return err
	}
	defer done()
	p := &printer{h: h, ctx: ctx, grant: v.grant, view: view, base: spaceURL(sp)}
	d := requestData{Up: up, Space: link{Title: titleOf(sp), To: spaceURL(sp)}, Request: r}
	if d.Text, err = p.remark(r.Description); err != nil {
		return err
	}
	if err := h.changes(p, &d); err != nil {
		return err
	}
	if d.Reviews, _, err = h.Reviews.Reviews(r, nil).Page(ctx, store.Page{Limit: maxComments}); err != nil {
		return err
	}
	place, err := h.Comments.OpenRequest(ctx, v.grant, r)
	if err != nil {
		return err
	}
	if d.Comments, err = h.remarks(p, place, ""); err != nil {
		return err
	}
	h.show(v.w, http.StatusOK, "request", v.page(requestLink(sp, r).Title, d))
	return nil
}

// changes adds the changes of a request, compared with the revision of the space that it was last
// updated from.
func (h *Handler) changes(p *printer, d *requestData) error {
	before, err := h.Content.Revision(p.ctx, p.view.Space, d.Request.Ancestor)
	if err != nil {
		return err
	}
	diff, err := h.Content.Compare(p.ctx, before, p.view)
	if err != nil {
		return err
	}
	d.Other = len(diff.Files) + len(diff.Reusables) + len(diff.Variables)
	slices.SortStableFunc(diff.Pages, func(a, b content.PageDiff) int { return strings.Compare(pathOf(a), pathOf(b)) })
	for i, x := range diff.Pages {
		if i == maxRows {
			d.More = len(diff.Pages) - maxRows
			break
		}
		c := pageChange{Path: pathOf(x), Kind: kindOf(x), Note: "Its text is the same."}
		c.Title = cmp.Or(x.After, x.Before).Title
		if i >= maxMarked || p.wrote > maxHTML {
			c.Note = "Its text is not shown here."
		} else if c.Text, err = p.marked(before, x); err != nil {
			return err
		}
		d.Pages = append(d.Pages, c)
	}
	return nil
}

func pathOf(x content.PageDiff) string { return cmp.Or(x.PathAfter, x.PathBefore) }

func kindOf(x content.PageDiff) string {
	switch {
	case x.Before == nil:
		return "added"
	case x.After == nil:
		return "deleted"
	case x.Moved && x.Before.Body == x.After.Body:
		return "moved"
	case x.Moved:
		return "edited and moved"
	}
	return "edited"
}

// marked returns the text of a page with its changes marked. It is empty if the text did not change.
// If the changes cannot be marked, it returns the new text.
func (p *printer) marked(before *revision.View, x content.PageDiff) (template.HTML, error) {
	if x.Before != nil && x.After != nil && x.Before.Body == x.After.Body {
		return "", nil
	}
	var old, now template.HTML
	var err error
	if x.Before != nil {
		was := *p
		was.view = before
		if old, err = was.page(*x.Before); err != nil {
			return "", err
		}
		p.wrote = was.wrote
	}
	if x.After != nil {
		if now, err = p.page(*x.After); err != nil {
			return "", err
		}
	}
	r, ok := visualdiff.HTML(string(old), string(now), visualdiff.Options{
		Labels: visualdiff.Labels{Added: "Added", Removed: "Removed", Changed: "Changed", Moved: "Moved"},
	})
	if !ok {
		return now, nil
	}
	return template.HTML(r.HTML), nil //nolint:gosec // both forms are harmless
}

// remarks returns the comments at a place, oldest first.
func (h *Handler) remarks(p *printer, place comments.Place, status docs.CommentStatus) (out []remark, err error) {
	first := store.Page{Limit: maxComments}
	list, _, err := h.Comments.Comments(place, store.CommentFilter{Status: status, Asc: true}).Page(p.ctx, first)
	if err != nil {
		return nil, err
	}
	for _, c := range list {
		m := remark{ID: string(c.ID), By: c.PostedBy, At: c.PostedAt, Resolved: !c.Open()}
		if m.Text, err = p.remark(c.Body); err != nil {
			return nil, err
		}
		if c.Replies() > 0 {
			if m.Replies, err = h.replies(p, place, c.ID, first); err != nil {
				return nil, err
			}
		}
		out = append(out, m)
	}
	return out, nil
}

func (h *Handler) replies(p *printer, at comments.Place, id docs.CommentID, first store.Page) (out []remark, err error) {
	replies, err := h.Comments.Replies(p.ctx, at, id)
	if err != nil {
		return nil, err
	}
	list, _, err := replies.Page(p.ctx, first)
	for _, x := range list {
		m := remark{ID: string(x.ID), By: x.PostedBy, At: x.PostedAt}
		if err == nil {
			m.Text, err = p.remark(x.Body)
		}
		out = append(out, m)
	}
	return out, err
}
