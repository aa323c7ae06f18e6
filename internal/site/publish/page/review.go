package page

import (
	"cmp"
	"context"
	"html"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup/visualdiff"
	"github.com/octavo-docs/octavo/internal/site/publish/edition"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

// maxChanged is the maximum number of changed pages that a draft lists.
const maxChanged = 200

// DiffParameter is the query parameter that shows the changes of a page in a draft.
const DiffParameter = "diff"

// Review describes a draft and its changes. Both editions are filtered for the visitor, so
// that a hidden page is in neither.
type Review struct {
	request *docs.ChangeRequest // nil if the draft is a revision
	rev     docs.Revision
	Before  *edition.Edition // nil if the visitor may not see the previous content
	after   *edition.Edition
	changed *changed
	Marked  bool // changes are highlighted
}

// changed lists the pages that a draft changes and that a visitor sees.
type changed struct {
	pages []changedPage
	more  int // number of changed pages that are not listed
}

type changedPage struct {
	id    docs.PageID
	title string
	path  string // of a document; empty for other types
	named bool   // the page has an address; its path may be empty
	kind  string
}

// Review returns the review of the draft that is visited. A change request is compared with
// the revision of its space that it was last updated to. A revision is compared with its
// parent, unless the visitor may see nothing but this draft.
func (c *Composer) Review(sp docs.Space, d authz.Draft, after *edition.Edition, marked, limited bool) (*Review, error) {
	out := &Review{rev: after.View.Rev, after: after, Marked: marked}
	var from docs.RevisionID
	if d.Request != "" {
		cr, err := c.Audience.ChangeRequest(c.Ctx, sp.ID, d.Request)
		if err != nil {
			return nil, err
		}
		out.request, from = &cr, cr.Ancestor
	} else if len(out.rev.Parents) > 0 {
		from = out.rev.Parents[0]
	}
	if d.Request == "" && limited {
		return out, nil // a preview token for one revision does not cover others
	}
	view, err := c.Content.Revision(c.Ctx, sp, from)
	if err != nil {
		return nil, err
	}
	if out.Before, err = c.Cached(c.Ctx, view.For(c.Seen.Reader), c.BaseOf(c.Target.Space)); err != nil {
		return nil, err
	}
	out.changed, err = c.changed(c.Ctx, out.Before, after)
	return out, err
}

// changedKey is the cache key of a list of changed pages.
type changedKey struct{ before, after edition.Key }

// changed returns the pages that differ between two editions.
func (s *Shared) changed(ctx context.Context, before, after *edition.Edition) (*changed, error) {
	key := changedKey{before.Key(), after.Key()}
	if c, ok := s.reviews.Get(key); ok {
		return c, nil
	}
	d, err := s.Content.Compare(ctx, before.View.For(nil), after.View.For(nil)) // compared without a visitor; changeOf filters the result
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
	s.reviews.Set(key, out)
	return out, nil
}

// changeOf returns how a page has changed for a visitor of both editions. If the visitor
// sees the page in neither edition, ok is false.
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

// banner returns the banner that is shown above the pages of a draft.
func (c *Composer) banner(f *theme.Frame, rv *Review, e *edition.Edition, current *edition.Node) (*theme.Draft, error) {
	t := f.Texts().Review
	d := &theme.Draft{Name: t.Revision, Subject: rv.rev.Message, Live: c.BaseOf(c.Target.Space), Marked: rv.Marked}
	author := rv.rev.Author
	if cr := rv.request; cr != nil {
		d.Name, d.Subject, author = t.Request+" #"+strconv.FormatInt(cr.Number, 10), cr.Subject, cr.CreatedBy.ID
		d.Status = theme.Status{Name: string(cr.Status), Text: map[docs.ChangeRequestStatus]string{
			docs.ChangeDraft: t.Draft, docs.ChangeOpen: t.Open, docs.ChangeMerged: t.Merged, docs.ChangeArchived: t.Archived,
		}[cr.Status]}
	}
	if author != "" {
		var err error
		if d.Author, err = c.Audience.AuthorName(c.Ctx, author); err != nil {
			return nil, err
		}
	}
	if rv.Before == nil {
		return d, nil
	}
	suffix := ""
	if rv.Marked {
		suffix = "?" + DiffParameter
	}
	labels := map[string]string{"added": t.Added, "removed": t.Removed, "edited": t.Changed, "moved": t.Moved}
	for _, c := range rv.changed.pages {
		l := theme.Changed{Kind: c.kind, Text: labels[c.kind], Link: theme.Link{Title: c.title, Current: current != nil && c.id == current.ID}}
		switch {
		case c.named && c.kind == "removed":
			l.Href = e.Base + c.path + "?" + DiffParameter
		case c.named:
			l.Href = e.Base + c.path + suffix
		}
		d.Pages = append(d.Pages, l)
	}
	d.More = rv.changed.more
	if current == nil {
		return d, nil
	}
	return d, c.bannerOf(d, rv, e, current)
}

// bannerOf adds links from a page of a draft to its other forms: with or without changes,
// and published.
func (c *Composer) bannerOf(d *theme.Draft, rv *Review, e *edition.Edition, current *edition.Node) error {
	t := theme.TextsIn(c.lang(e)).Review
	at, err := e.Address(c.Ctx, current)
	if err != nil {
		return err
	}
	if d.Switch = (&theme.Link{Title: t.Show, Href: at}); !rv.Marked {
		d.Switch.Href += "?" + DiffParameter
	}
	d.Live, err = c.PublishedAddress(current)
	return err
}

// PublishedAddress returns the address of a published page, or of its space if the page is
// not published.
func (c *Composer) PublishedAddress(page *edition.Node) (string, error) {
	home := c.BaseOf(c.Target.Space)
	e, err := c.Edition(c.Ctx, c.Target.Space)
	if err != nil {
		return "", err
	}
	n, err := e.Page(c.Ctx, page.ID)
	if err != nil || n == nil {
		return home, err
	}
	at, err := e.Address(c.Ctx, n)
	return cmp.Or(at, home), err
}

// MarkChanges returns a page of a draft with its changes highlighted, and adds the number of
// changes to the banner. If the draft removes the page, is is nil. If the draft adds the
// page, was is nil.
func (c *Composer) MarkChanges(rv *Review, d *theme.Draft, was, is *edition.Node) (*theme.Page, error) {
	var old, now theme.Page
	if was != nil {
		p, err := c.Printer(rv.Before).Page(was)
		if err != nil {
			return nil, err
		}
		old = *p
	}
	out := theme.Page{Title: old.Title, Anchor: old.Anchor}
	if is != nil {
		p, err := c.Printer(rv.after).Page(is)
		if err != nil {
			return nil, err
		}
		now, out = *p, *p
	}
	t := c.look(rv.after).texts.Review
	d.Note = t.Large
	r, ok := visualdiff.HTML(headHTML(&old, &now)+string(old.Body), headHTML(&now, &old)+string(now.Body), visualdiff.Options{
		Labels: visualdiff.Labels{Added: t.Added, Removed: t.Removed, Changed: t.Changed, Moved: t.Moved},
		From:   rv.Before.Base, To: rv.after.Base, Anchor: "~change-",
	})
	if !ok {
		return &out, nil
	}
	out.Body = template.HTML(r.HTML) //nolint:gosec // parts of two harmless pages
	out.Cover, out.Tags = theme.Cover{}, nil
	if sameHead(&old, &now) {
		out.Cover, out.Tags = now.Cover, now.Tags
	}
	d.Changes, d.First, d.Note = r.Changes, "#"+r.First, ""
	if title := visualdiff.Text(titleWithEmoji(&old), titleWithEmoji(&now)); titleWithEmoji(&old) != titleWithEmoji(&now) {
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

// titleWithEmoji returns the title of a page with its emoji, as it is shown.
func titleWithEmoji(p *theme.Page) string { return strings.TrimSpace(p.Emoji + " " + p.Title) }

func sameHead(a, b *theme.Page) bool { return a.Cover == b.Cover && slices.Equal(a.Tags, b.Tags) }

// headHTML returns the cover and the tags of a page as HTML, to be compared as a part of
// its text. It returns an empty string if they are the same in the other page.
func headHTML(p, other *theme.Page) string {
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
