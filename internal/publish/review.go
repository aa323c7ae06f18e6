package publish

import (
	"cmp"
	"context"
	"html"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/edition"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/theme"
	"github.com/octavo-docs/octavo/internal/visualdiff"
)

// maxChanged is how many changed pages a draft lists.
const maxChanged = 200

// diffParameter asks for a page of a draft with its changes.
const diffParameter = "diff"

// review is what a draft is, and what it changes. The edition before is as the
// visitor would have read it: what is hidden from the visitor is in neither.
type review struct {
	request *docs.ChangeRequest // nil: a revision
	rev     docs.Revision
	before  *edition.Edition // nil: the visitor may not see what was there before
	after   *edition.Edition
	changed *changed
	marked  bool // changes are shown
}

// changed are the pages that a draft changes, as a visitor sees them.
type changed struct {
	pages []changedPage
	more  int // that are not listed
}

type changedPage struct {
	id    docs.PageID
	title string
	path  string // of a document; empty for others
	named bool   // it has an address, which may be empty
	kind  string
}

// review finds out what the draft that the visit is about changes: a request what its space
// had when it was brought up to date last, a revision the one before it.
func (v *visit) reviewOf(r *http.Request, sp docs.Space, d authz.Draft, after *edition.Edition) (*review, error) {
	out := &review{rev: after.View.Rev, after: after, marked: r.URL.Query().Has(diffParameter)}
	var from docs.RevisionID
	if d.Request != "" {
		cr, err := v.h.Sites.Store.ChangeRequest(v.ctx, sp.ID, string(d.Request))
		if err != nil {
			return nil, err
		}
		out.request, from = &cr, cr.Ancestor
	} else if len(out.rev.Parents) > 0 {
		from = out.rev.Parents[0]
	}
	if limited := v.as.Draft != (authz.Draft{}); d.Request == "" && limited {
		return out, nil // a preview of one revision is not a preview of others
	}
	view, err := v.h.Content.Revision(v.ctx, sp, from)
	if err != nil {
		return nil, err
	}
	if out.before, err = v.h.cached(v.ctx, view.For(v.seen.Reader), v.baseOf(v.target.Space)); err != nil {
		return nil, err
	}
	out.changed, err = v.h.changed(v.ctx, out.before, after)
	return out, err
}

// changedKey is what a list of changed pages depends on.
type changedKey struct{ before, after edition.Key }

// changed returns the pages that differ between two editions.
func (h *Handler) changed(ctx context.Context, before, after *edition.Edition) (*changed, error) {
	key := changedKey{before.Key(), after.Key()}
	if c, ok := h.reviews.Get(key); ok {
		return c, nil
	}
	d, err := h.Content.Compare(ctx, before.View.For(nil), after.View.For(nil)) // what the visitor sees of it is decided below
	if err != nil {
		return nil, err
	}
	out := &changed{}
	for _, p := range d.Pages {
		c, ok, err := changeOf(ctx, before, after, p)
		switch {
		case err != nil:
			return nil, err
		case !ok:
		case len(out.pages) == maxChanged:
			out.more++
		default:
			out.pages = append(out.pages, c)
		}
	}
	slices.SortStableFunc(out.pages, func(a, b changedPage) int { return strings.Compare(a.path, b.path) })
	h.reviews.Set(key, out)
	return out, nil
}

// changeOf returns what became of a page for those who read both editions. It is
// false for a page that they see in neither.
func changeOf(ctx context.Context, before, after *edition.Edition, p content.PageDiff) (c changedPage, ok bool, err error) {
	var was, is *edition.Node
	if p.Before != nil {
		if was, err = before.Page(ctx, p.Before.ID); err != nil {
			return c, false, err
		}
	}
	if p.After != nil {
		if is, err = after.Page(ctx, p.After.ID); err != nil {
			return c, false, err
		}
	}
	shown, e := is, after
	switch {
	case was == nil && is == nil:
		return c, false, nil
	case was == nil:
		c.kind = "added"
	case is == nil:
		c.kind, shown, e = "removed", was, before
	case p.Moved && was.Body == is.Body && was.Title == is.Title:
		c.kind = "moved"
	default:
		c.kind = "edited"
	}
	c.id, c.title = shown.ID, shown.Title
	if shown.Type == docs.PageDocument {
		at, err := e.Address(ctx, shown)
		if err != nil {
			return c, false, err
		}
		c.path, c.named = strings.TrimPrefix(at, e.Base), true
	}
	return c, true, nil
}

// banner returns the notice about a draft that is shown above its pages.
func (v *visit) banner(f *theme.Frame, e *edition.Edition, current *edition.Node) (*theme.Draft, error) {
	rv, t := v.review, f.Texts().Review
	d := &theme.Draft{Name: t.Revision, Subject: rv.rev.Message, Live: v.baseOf(v.target.Space), Marked: rv.marked}
	author := rv.rev.Author
	if cr := rv.request; cr != nil {
		d.Name, d.Subject, author = t.Request+" #"+strconv.FormatInt(cr.Number, 10), cr.Subject, cr.CreatedBy.ID
		d.Status = theme.Status{Name: string(cr.Status), Text: map[docs.ChangeRequestStatus]string{
			docs.ChangeDraft: t.Draft, docs.ChangeOpen: t.Open, docs.ChangeMerged: t.Merged, docs.ChangeArchived: t.Archived,
		}[cr.Status]}
	}
	if author != "" {
		u, err := v.h.Sites.Store.User(v.ctx, author)
		if err != nil && !errs.Is(err, errs.NotFound) {
			return nil, err
		}
		d.Author = u.DisplayName
	}
	if rv.before == nil {
		return d, nil
	}
	suffix := ""
	if rv.marked {
		suffix = "?" + diffParameter
	}
	labels := map[string]string{"added": t.Added, "removed": t.Removed, "edited": t.Changed, "moved": t.Moved}
	for _, c := range rv.changed.pages {
		l := theme.Changed{Kind: c.kind, Text: labels[c.kind], Link: theme.Link{Title: c.title, Current: current != nil && c.id == current.ID}}
		switch {
		case c.named && c.kind == "removed":
			l.Href = e.Base + c.path + "?" + diffParameter
		case c.named:
			l.Href = e.Base + c.path + suffix
		}
		d.Pages = append(d.Pages, l)
	}
	d.More = rv.changed.more
	if current == nil {
		return d, nil
	}
	return d, v.bannerOf(d, e, current)
}

// bannerOf adds what leads from a page of a draft to its other forms.
func (v *visit) bannerOf(d *theme.Draft, e *edition.Edition, current *edition.Node) error {
	t := theme.TextsIn(v.lang(e)).Review
	at, err := e.Address(v.ctx, current)
	if err != nil {
		return err
	}
	if d.Switch = (&theme.Link{Title: t.Show, Href: at}); !v.review.marked {
		d.Switch.Href += "?" + diffParameter
	}
	d.Live, err = v.live(current)
	return err
}

// live returns where a page of a draft is published, or its space if it is not.
func (v *visit) live(page *edition.Node) (string, error) {
	home := v.baseOf(v.target.Space)
	e, err := v.h.edition(v.ctx, v, v.target.Space)
	if err != nil {
		return "", err
	}
	n, err := e.Page(v.ctx, page.ID)
	if err != nil || n == nil {
		return home, err
	}
	at, err := e.Address(v.ctx, n)
	return cmp.Or(at, home), err
}

// mark returns a page of a draft with its changes, and adds their number to the
// banner. The page is nil if the draft removes it, and was is nil if the draft adds it.
func (v *visit) mark(d *theme.Draft, was, is *edition.Node) (*theme.Page, error) {
	rv := v.review
	var old, now theme.Page
	if was != nil {
		p, err := v.printer(rv.before).page(was)
		if err != nil {
			return nil, err
		}
		old = *p
	}
	out := theme.Page{Title: old.Title, Anchor: old.Anchor}
	if is != nil {
		p, err := v.printer(rv.after).page(is)
		if err != nil {
			return nil, err
		}
		now, out = *p, *p
	}
	t := v.look(rv.after).texts.Review
	d.Note = t.Large
	r, ok := visualdiff.HTML(surrounded(&old, &now)+string(old.Body), surrounded(&now, &old)+string(now.Body), visualdiff.Options{
		Labels: visualdiff.Labels{Added: t.Added, Removed: t.Removed, Changed: t.Changed, Moved: t.Moved},
		From:   rv.before.Base, To: rv.after.Base,
	})
	if !ok {
		return &out, nil
	}
	out.Body = template.HTML(r.HTML) //nolint:gosec // parts of two harmless pages
	out.Cover, out.Tags = theme.Picture{}, nil
	if sameHead(&old, &now) {
		out.Cover, out.Tags = now.Cover, now.Tags
	}
	d.Changes, d.First, d.Note = r.Changes, "#"+visualdiff.FirstID, ""
	if title := visualdiff.Text(named(&old), named(&now)); named(&old) != named(&now) {
		out.MarkedTitle = template.HTML(title) //nolint:gosec // escaped
		d.Changes++
	}
	if old.Description != now.Description {
		out.MarkedDescription = template.HTML(visualdiff.Text(old.Description, now.Description)) //nolint:gosec // escaped
		d.Changes++
	}
	switch {
	case d.Changes == 0:
		d.Note = t.Same
	case r.Changes == 0:
		d.First = "#" + out.Anchor
	}
	return &out, nil
}

// named returns the title of a page as it is shown.
func named(p *theme.Page) string { return strings.TrimSpace(p.Emoji + " " + p.Title) }

func sameHead(a, b *theme.Page) bool { return a.Cover == b.Cover && slices.Equal(a.Tags, b.Tags) }

// surrounded returns what is above the text of a page, if it differs from that of
// its other form, as a part of the text.
func surrounded(p, other *theme.Page) string {
	if sameHead(p, other) {
		return ""
	}
	var b strings.Builder
	if p.Cover.Light != "" {
		b.WriteString(`<figure><img alt="" src="` + html.EscapeString(p.Cover.Light) + `"></figure>`)
	}
	if len(p.Tags) > 0 {
		b.WriteString(`<ul class="tags">`)
		for _, tag := range p.Tags {
			b.WriteString("<li>" + html.EscapeString(tag) + "</li>")
		}
		b.WriteString("</ul>")
	}
	return b.String()
}

// serveMarked sends a page of a draft with its changes. It reports whether there is
// such a page, in one of the two forms.
func (v *visit) serveMarked(w http.ResponseWriter, r *http.Request, e *edition.Edition, page *edition.Node, path string) (done bool, err error) {
	rv := v.review
	if rv == nil || rv.before == nil || !rv.marked {
		return false, nil
	}
	var was *edition.Node
	if page != nil {
		was, err = rv.before.Page(v.ctx, page.ID)
	} else {
		was, _, err = rv.before.Find(v.ctx, path)
	}
	if err != nil || was == nil && page == nil {
		return false, err
	}
	f, err := v.frame(e, page)
	if err != nil {
		return true, err
	}
	p, err := v.mark(f.Draft, was, page)
	if err == nil && page == nil {
		f.Draft.Live, err = v.live(was)
	}
	if err != nil {
		return true, err
	}
	return true, sendPage(w, r, f, p)
}
