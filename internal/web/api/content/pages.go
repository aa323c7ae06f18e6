package content

import (
	"context"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/exchange"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/reading"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

// Page is the JSON form of a page: a document, a group, a link, or a place where pages
// are computed. Its type determines which fields are present.
type Page struct {
	ID            string              `json:"id"`
	Title         string              `json:"title"`
	Emoji         string              `json:"emoji,omitempty"`
	Icon          string              `json:"icon,omitempty"`
	CreatedAt     docs.Time           `json:"createdAt,omitzero"`
	UpdatedAt     docs.Time           `json:"updatedAt,omitzero"`
	Kind          string              `json:"kind,omitempty" enum:"sheet,group,link"`
	Type          docs.PageType       `json:"type" enum:"document,group,link,computed"`
	URLs          *wire.PageURLs      `json:"urls,omitempty"`
	Slug          string              `json:"slug,omitempty"`
	Path          string              `json:"path,omitempty" doc:"Address within the space."`
	LinkTitle     string              `json:"linkTitle,omitempty" doc:"What the navigation shows instead of the title."`
	Description   string              `json:"description,omitempty"`
	Pages         *[]Page             `json:"pages,omitempty"`
	Git           *wire.GitBlob       `json:"git,omitempty"`
	Layout        *pageLayout         `json:"layout,omitempty"`
	Cover         *pageCover          `json:"cover,omitempty"`
	Variables     docs.Variables      `json:"variables,omitempty"`
	Tags          *[]pageTag          `json:"tags,omitempty" doc:"Of documents."`
	Condition     string              `json:"condition,omitempty" doc:"Expression that decides which visitors see the page."`
	Hidden        *bool               `json:"hidden,omitempty" doc:"Not in the navigation, but reachable by its address."`
	NoIndex       *bool               `json:"noIndex,omitempty" doc:"Not found by search."`
	NoRobotsIndex *bool               `json:"noRobotsIndex,omitempty" doc:"Not found by search engines."`
	Target        *docs.Ref           `json:"target,omitempty"`
	Href          string              `json:"href,omitempty"`
	Computed      wire.ComputedSource `json:"computed,omitempty"`
	DocumentID    string              `json:"documentId,omitempty"`
	Markdown      *string             `json:"markdown,omitempty"`
	Document      *markup.Document    `json:"document,omitempty"`
}

type pageLayout struct {
	Width           string `json:"width" enum:"default,wide"`
	Cover           bool   `json:"cover"`
	CoverSize       string `json:"coverSize" enum:"hero,full"`
	CoverMask       string `json:"coverMask" enum:"none,radial" doc:"How the cover fades out."`
	Title           bool   `json:"title"`
	Description     bool   `json:"description"`
	TableOfContents bool   `json:"tableOfContents"`
	Outline         bool   `json:"outline"`
	Pagination      bool   `json:"pagination"`
	Metadata        bool   `json:"metadata"`
	Tags            bool   `json:"tags"`
	Actions         bool   `json:"actions"`
	Anchors         bool   `json:"anchors"`
}

type pageCover struct {
	Ref     *docs.Ref `json:"ref,omitempty"`
	RefDark *docs.Ref `json:"refDark,omitempty"`
	YPos    float64   `json:"yPos"`
	Height  float64   `json:"height,omitempty"`
}

// coverOf returns the JSON form of a cover, or nil if there is no cover.
func coverOf(c *docs.PageCover) *pageCover {
	if c == nil {
		return nil
	}
	return &pageCover{inert(c.Ref), inert(c.RefDark), c.YPos, c.Height}
}

// inert returns a reference with an unsafe address replaced, see markup.Inert.
func inert(ref *docs.Ref) *docs.Ref {
	if ref == nil {
		return nil
	}
	shown := markup.Inert(*ref)
	return &shown
}

// Flags are the query parameters of all operations that read content.
type Flags struct {
	Metadata bool `query:"metadata" default:"true" doc:"false excludes information from git."`
	Computed bool `query:"computed" default:"true" doc:"false does not expand computed pages."`
}

// opened returns the view of an opener, with computed pages if the flags request them.
func (h *handlers) opened(ctx context.Context, open wire.Opener, f Flags) (*revision.View, error) {
	v, err := open(ctx)
	if err != nil || !f.Computed {
		return v, err
	}
	return h.Content.WithComputedPages(ctx, v)
}

// encoder converts the pages, files and reusable contents of a view to their JSON
// form.
type encoder struct {
	h        *handlers
	v        *revision.View
	metadata bool
	git      exchange.GitNames
	by       wire.Bearer
}

// encoder returns the converter for a view. If metadata is requested, it has the git
// information of the contents with the given ids, or of all contents if no id is given.
func (h *handlers) encoder(ctx context.Context, v *revision.View, metadata bool, ids ...string) (encoder, error) {
	s := encoder{h: h, v: v, metadata: metadata && v.Visitor() == nil, by: wire.BearerOf(authz.FromContext(ctx))}
	var err error
	if s.metadata {
		s.git, err = h.Content.Exchange.GitNames(ctx, v, ids...)
	}
	return s, err
}

// gitBlob returns the git information of a content; nil if it was not requested or there
// is none.
func (s encoder) gitBlob(oid, path string) *wire.GitBlob {
	if !s.metadata {
		return nil
	}
	return wire.GitBlobOf(oid, path)
}

func (s encoder) pages(in []*revision.PageNode) []Page {
	out := make([]Page, len(in))
	for i, w := range in {
		out[i] = s.page(w)
	}
	return out
}

func (s encoder) page(w *revision.PageNode) Page {
	p := Page{
		ID: string(w.ID), Title: w.Title, Emoji: w.Emoji, Icon: w.Icon, CreatedAt: w.CreatedAt, UpdatedAt: w.UpdatedAt, Type: w.Type,
		LinkTitle: w.LinkTitle,
	}
	switch w.Type {
	case docs.PageDocument:
		s.document(&p, w)
	case docs.PageGroup:
		p.Kind = "group"
	case docs.PageLink:
		p.Kind, p.Target, p.Href, p.Hidden = "link", inert(w.Target), s.h.href(s.v, w.Target), &w.Hidden
	case docs.PageComputed:
		p.Computed = wire.ComputedSource(w.Computed)
	}
	if w.HasPath() {
		below := s.pages(w.Children)
		p.Slug, p.Path, p.Pages = w.Slug, w.Path, &below
		if s.v.Visitor() == nil { // the condition is not disclosed to visitors
			p.Condition = w.Condition
		}
		p.Hidden, p.NoIndex, p.NoRobotsIndex = &w.Hidden, &w.NoIndex, &w.NoRobotsIndex
	}
	return p
}

func (s encoder) document(p *Page, w *revision.PageNode) {
	p.Kind, p.Description, p.Variables, p.DocumentID = "sheet", w.Description, w.Variables, revision.DocumentID(w.Page)
	p.URLs = &wire.PageURLs{App: s.h.AppURL(s.v.Space, w.Path)}
	p.Layout = layoutOf(w.Layout)
	p.Cover = coverOf(w.Cover)
	tags := pageTags(w.Tags)
	p.Tags = &tags
	p.Git = s.gitBlob(s.git.Page(w.Page))
}

func layoutOf(l *docs.Layout) *pageLayout {
	if l == nil {
		l = &docs.Layout{}
	}
	yes := func(b *bool) bool { return b == nil || *b }
	out := &pageLayout{
		Width: "default", CoverSize: "full", CoverMask: "none", Cover: yes(l.CoverVisible), Title: yes(l.Title), Description: yes(l.Description),
		TableOfContents: yes(l.TableOfContents), Outline: yes(l.Outline), Pagination: yes(l.Pagination), Metadata: yes(l.Metadata),
		Tags: yes(l.Tags), Actions: yes(l.Actions), Anchors: yes(l.Anchors),
	}
	if l.Width != "" {
		out.Width = l.Width
	}
	if l.CoverSize != "" && l.CoverSize != "background" { // the API has no such value
		out.CoverSize = l.CoverSize
	}
	if l.CoverMask == "radial" { // front matter can contain any value
		out.CoverMask = l.CoverMask
	}
	return out
}

// href returns the address of the target of a reference, as far as it is known without a
// lookup.
func (h *handlers) href(v *revision.View, ref *docs.Ref) string {
	if ref == nil {
		return ""
	}
	switch ref.Kind {
	case docs.RefURL:
		return markup.InertURL(ref.URL)
	case docs.RefSpace:
		return reading.SpaceURL(h.BaseURL, ref.Space)
	case docs.RefPage, docs.RefAnchor:
		if ref.Space != "" {
			return reading.PageURL(h.BaseURL, ref.Space, ref.Page)
		}
		return reading.PageURL(h.BaseURL, string(v.Space.ID), ref.Page)
	}
	return ""
}

// PageOptions are the query parameters that select the format of the content of a page.
type PageOptions struct {
	Flags
	Format       string `query:"format" enum:"document,markdown" doc:"Form of the content. Default: document."`
	Refs         string `query:"format.markdown.refs" enum:"relative,stable" default:"relative" doc:"How Markdown refers to other pages: by relative paths, or by ids that never change."`
	Evaluated    string `query:"evaluated" enum:"true,false,deterministic-only" default:"false" doc:"Replaces expressions by their values; deterministic-only keeps expressions that depend on the visitor."`
	Dereferenced string `query:"dereferenced" enum:"true,false,reusable-contents" default:"false" doc:"Replaces blocks that include a reusable content by that content."`
}

func (o PageOptions) form() reading.Form { return formOf(o.Evaluated, o.Dereferenced) }

func formOf(evaluated, dereferenced string) reading.Form {
	return reading.Form{
		Includes: dereferenced == "true" || dereferenced == "reusable-contents", Evaluation: reading.Evaluation(evaluated),
	}
}

// formatDocument is the default format of content.
const formatDocument = "document"

// pageOf returns the JSON form of a page with its content.
func (h *handlers) pageOf(ctx context.Context, v *revision.View, p docs.Page, o PageOptions) (Page, error) {
	w, err := v.Subtree(ctx, p)
	if err != nil {
		return Page{}, err
	}
	s, err := h.encoder(ctx, v, o.Metadata, string(p.ID))
	if err != nil {
		return Page{}, err
	}
	out := s.page(w)
	if p.Type != docs.PageDocument {
		return out, nil
	}
	if o.Format == "markdown" {
		text, err := reading.Markdown(ctx, v.Reading(p), o.form(), o.Refs == "stable")
		out.Markdown = &text
		return out, err
	}
	out.Document, err = reading.Document(ctx, v.Reading(p), o.form())
	return out, err
}
