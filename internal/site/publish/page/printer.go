package page

import (
	"context"
	"net/url"
	"strings"

	"github.com/octavo-docs/octavo/internal/chunk"
	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/docs/emoji"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/highlight"
	"github.com/octavo-docs/octavo/internal/markup/icons"
	"github.com/octavo-docs/octavo/internal/openapi"
	"github.com/octavo-docs/octavo/internal/print/formula"
	"github.com/octavo-docs/octavo/internal/reading"
	"github.com/octavo-docs/octavo/internal/site/publish/edition"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

// A Printer renders pages as HTML and as Markdown. Callbacks of package markup cannot return
// errors, so the first error is recorded in Err.
type Printer struct {
	*Shared
	ctx       context.Context
	e         *edition.Edition
	elsewhere func(ctx context.Context, space docs.SpaceID) (*edition.Edition, error) // returns another space of the site; nil if the visitor does not see it
	look      look
	alone     bool                                  // pages have no links to the previous and the next page
	kept      *texts                                // cache of texts; nil if texts are not cached
	Used      func(e *edition.Edition, f docs.File) // called for every file that a page refers to; may be nil
	specs     []specStamp                           // versions of the specifications that the pages were made of
	described map[docs.Ref]*openapi.Description
	partial   bool // there was no time for some formulas
	Err       error
}

// look holds the settings that the HTML of a page depends on.
type look struct {
	highlight *highlight.Highlighter
	formulas  *formula.Typesetter
	icons     icons.Style
	dark      string // media query for the dark variants of pictures
	newTab    bool   // links to other sites open in a new tab
	texts     *theme.Texts
	canTry    bool   // readers can try operations of APIs
	pictures  bool   // there is a server that makes pictures smaller
	embeds    string // names of the web sites whose content readers may load into pages, with commas
}

// BookPrinter returns a printer of the pages of an edition for paper and readers of books,
// whose look is no setting of a site.
func (s *Shared) BookPrinter(ctx context.Context, e *edition.Edition, elsewhere func(context.Context, docs.SpaceID) (*edition.Edition, error)) *Printer {
	return &Printer{
		Shared: s, ctx: ctx, e: e, elsewhere: elsewhere,
		look: look{highlight: s.highlight, formulas: s.formulas, icons: icons.Filled, dark: theme.Light.Dark(), texts: theme.TextsIn(e.Space.Language)},
	}
}

// layoutOf returns the layout of a page. Parts without a setting are shown.
func layoutOf(p docs.Page) docs.Layout {
	if p.Layout == nil {
		return docs.Layout{}
	}
	return *p.Layout
}

// untitled reports whether the layout of a page hides its title.
func untitled(n *edition.Node) bool { return !shows(layoutOf(n.Page).Title) }

// isWide reports whether the text of a page is as wide as the window.
func isWide(p docs.Page) bool { return layoutOf(p).Width == "wide" }

// isCovered reports whether there is a picture above the text of a page.
func isCovered(p docs.Page) bool { return p.Cover != nil && shows(layoutOf(p).CoverVisible) }

func shows(b *bool) bool { return b == nil || *b }

// Document returns the blocks of a page that the visitor sees.
func (p *Printer) Document(n *edition.Node) (*markup.Document, error) {
	return reading.Document(p.ctx, p.e.View.Reading(n.Page), reading.Form{Includes: true, Evaluation: reading.EvaluateAll})
}

// Page returns a page in the form that a frame shows.
func (p *Printer) Page(n *edition.Node) (*theme.Page, error) {
	e, l := p.e, layoutOf(n.Page)
	text, err := p.text(n)
	if err != nil {
		return nil, err
	}
	out := &theme.Page{
		Title: n.Title, Emoji: emoji.FromCode(n.Emoji), Icon: n.Icon, Anchor: markup.Slug(n.Title), Untitled: untitled(n),
		Body: text.html, Wide: isWide(n.Page), FullWidth: text.wide, Operations: text.columns, Updated: n.UpdatedAt.Std(), Frames: text.frames,
	}
	for _, up := range n.Ancestors() {
		if l := p.entry(up); l != nil {
			out.Breadcrumbs = append(out.Breadcrumbs, l)
		}
	}
	if shows(l.Description) {
		out.Description = n.Description
	}
	if isCovered(n.Page) {
		out.Cover = p.cover(n.Cover)
	}
	if shows(l.Tags) {
		out.Tags = p.tags(n.Tags)
	}
	if out.NoOutline = !shows(l.Outline); !out.NoOutline {
		out.Outline = text.outline
	}
	if shows(l.Pagination) && !p.alone {
		p.addNeighbors(n, out)
	}
	if text.updates {
		at, err := e.Address(p.ctx, n)
		if err != nil {
			return nil, err
		}
		out.Feed = FeedAddress(at)
	}
	if text.html == "" {
		if out.Below, err = e.Below(p.ctx, n); err != nil {
			return nil, err
		}
	}
	return out, p.Err
}

// addNeighbors adds links to the previous and the next page.
func (p *Printer) addNeighbors(n *edition.Node, out *theme.Page) {
	before, after, err := p.e.Around(p.ctx, n)
	p.recordError(err)
	if before != nil {
		out.Previous = p.entry(before)
	}
	if after != nil {
		out.Next = p.entry(after)
	}
}

// entry returns a link to a page, or nil if the page has no address.
func (p *Printer) entry(n *edition.Node) *theme.Link {
	l, err := p.e.Link(p.ctx, n)
	p.recordError(err)
	return l
}

// recordError records an error, unless it is NotFound or there is an earlier one. It
// reports whether err is nil.
func (p *Printer) recordError(err error) bool {
	if err != nil && p.Err == nil && !errs.Is(err, errs.NotFound) {
		p.Err = err
	}
	return err == nil
}

// editionOf returns the edition that a reference points into, or nil if the visitor does
// not see that space.
func (p *Printer) editionOf(ref docs.Ref) *edition.Edition {
	if ref.Space == "" || ref.Space == string(p.e.Space.ID) {
		return p.e
	}
	e, err := p.elsewhere(p.ctx, docs.SpaceID(ref.Space))
	p.recordError(err)
	return e
}

// Link returns the address of the target of a reference on this site.
func (p *Printer) Link(ref docs.Ref) (string, bool) {
	e := p.editionOf(ref)
	if e == nil {
		return "", false
	}
	if ref.Kind == docs.RefFile {
		f, err := e.View.File(p.ctx, docs.FileID(ref.File))
		if err == nil && p.Used != nil {
			p.Used(e, f)
		}
		return FileAddress(e, f), p.recordError(err)
	}
	at, err := e.Resolve(p.ctx, ref)
	return at, p.recordError(err) && at != ""
}

// title returns the title of the target of a reference. There is no case for users,
// because readers must not learn who the members of the organization are.
func (p *Printer) title(ref docs.Ref) (string, bool) {
	e := p.editionOf(ref)
	if e == nil {
		return "", false
	}
	switch ref.Kind {
	case docs.RefPage, docs.RefAnchor:
		if n, err := e.Page(p.ctx, docs.PageID(ref.Page)); p.recordError(err) && n != nil {
			return n.Title, true
		}
	case docs.RefSpace:
		return e.Space.Title, true
	case docs.RefFile:
		f, err := e.View.File(p.ctx, docs.FileID(ref.File))
		return f.Name, p.recordError(err)
	case docs.RefTag:
		return p.tag(ref.Tag)
	}
	return "", false
}

// tags returns the labels of the tags of a page.
func (p *Printer) tags(tags []docs.PageTag) (out []string) {
	for _, t := range tags {
		label, ok := p.tag(t.Tag)
		if !ok {
			label = t.Tag
		}
		out = append(out, label)
	}
	return out
}

// tag returns the label of a tag that the space describes.
func (p *Printer) tag(tag string) (string, bool) {
	hash, err := p.e.View.Setting(p.ctx, revision.SettingTags)
	if !p.recordError(err) || len(hash) == 0 {
		return "", false
	}
	src, err := p.e.View.Bytes(p.ctx, chunk.Hash(hash))
	if !p.recordError(err) {
		return "", false
	}
	for _, t := range folder.ParseTags(src) {
		if t.Tag == tag && t.Label != "" {
			return t.Label, true
		}
	}
	return "", false
}

// Markdown returns a page as Markdown. Links are addresses of the site. Links to pages
// are the addresses of the Markdown of these pages.
func (p *Printer) Markdown(n *edition.Node) (string, error) {
	text, err := reading.Markdown(p.ctx, onSite{p.e.View.Reading(n.Page), p}, reading.Form{Includes: true, Evaluation: reading.EvaluateAll}, false)
	if err == nil {
		err = p.Err
	}
	return strings.TrimRight(text, "\n") + "\n", err
}

// onSite is a page whose Markdown contains addresses of the site.
type onSite struct {
	reading.Text
	p *Printer
}

func (t onSite) Print(_ context.Context, doc *markup.Document, _ bool) ([]byte, error) {
	return markup.Print(t.p.expandAPIBlocks(doc), markup.Refs{Locate: func(ref docs.Ref, _ markup.Use) (string, bool) {
		at, ok := t.p.Link(ref)
		if !ok {
			return revision.BrokenReference, true // the visitor does not see the target, and must not learn its name
		}
		if ref.Kind == docs.RefPage || ref.Kind == docs.RefAnchor && ref.Page != "" {
			path, anchor, _ := strings.Cut(at, "#")
			at = MarkdownAddress(path, t.p.editionOf(ref).Base) + reading.Fragment(anchor)
		}
		return at, true
	}}), nil
}

// HomeMarkdown is the file name of the Markdown of the home page of a space.
const HomeMarkdown = "index.md"

// MarkdownAddress returns the address of the Markdown of the page at an address.
func MarkdownAddress(at, base string) string {
	if at == base {
		return base + HomeMarkdown
	}
	return at + ".md"
}

// MarkdownName returns the path of the page whose Markdown has the given path. If the
// path is not one of Markdown, ok is false and the path is returned unchanged.
func MarkdownName(path string) (name string, ok bool) {
	if path == HomeMarkdown {
		return "", true
	}
	return strings.CutSuffix(path, ".md")
}

// Unescape unescapes a path. It returns false if the escaping is invalid: no page has such
// a path.
func Unescape(path string) (string, bool) {
	s, err := url.PathUnescape(path)
	return s, err == nil
}
