package preview

import (
	"bytes"
	"context"
	"embed"
	"html/template"
	"path"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/docs/emoji"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/html"
	"github.com/octavo-docs/octavo/internal/markup/icons"
	"github.com/octavo-docs/octavo/internal/openapi/apidoc"
	"github.com/octavo-docs/octavo/internal/print/formula"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

//go:embed web
var web embed.FS

//go:embed web/script.js
var ownScript []byte

var (
	pages  = template.Must(template.ParseFS(web, "web/*.html"))
	script = theme.NewAsset("script.js", theme.Script.Type, slices.Concat(theme.Script.Data, ownScript))
)

// problems holds the problems of some files, or of the whole folder, for a template.
type problems struct {
	State, File string
	Checked     bool // the state was checked
	List        []located
	Total       int // in the whole folder
	More        int // number of problems that are not listed
}

// located is a problem with a link to its page.
type located struct {
	folder.Problem
	Level, Href string
}

// html renders the problems with a template of the preview.
func (p *problems) html(name string) (template.HTML, error) {
	var b bytes.Buffer
	err := pages.ExecuteTemplate(&b, name, p)
	return template.HTML(b.String()), err //nolint:gosec // the template has escaped it
}

// frame returns the frame that all pages share.
func (s *Server) frame(now *site, current *folder.Page) *theme.Frame {
	f := &theme.Frame{
		Title: s.name, Home: "/", Mark: "preview", Hidden: true, Switch: true, Icons: icons.Outlined, Style: own + "style.css", Script: own + "script.js",
		Diagrams: own + theme.Diagrams.Name, Fonts: theme.Fonts{Text: theme.FontFamily("Inter", own), Code: theme.FontFamily("IBMPlexMono", own)},
		Search: theme.Search{Action: own + "results", Live: own + "search", Hint: "Search titles and headings"},
	}
	if t := s.Trouble(); t != "" {
		f.Alert = "The folder cannot be shown as it is now: " + t
	}
	f.Navigation = now.nav(current)
	f.RightToLeft = theme.ReadsRightToLeft(f.Navigation)
	return f
}

// options returns the rendering options of pages, without the functions that resolve
// links.
func (s *Server) options(ctx context.Context) html.Options {
	return html.Options{Highlight: s.highlight, Math: s.formulas.Begin(ctx, "", formula.PageTime).MathML, Icons: icons.Outlined}
}

// problems returns the problems of some files, and the total number of problems.
func (s *Server) problems(now *site, file string, files []string) *problems {
	p := &problems{State: s.stateID(), File: file}
	var list []folder.Problem
	list, p.Total, p.Checked = now.problems(files)
	p.List = now.located(list[:min(len(list), maxListed)])
	p.More = len(list) - len(p.List)
	return p
}

// pageView returns the frame and the view of a page of the folder, and its source files.
func (s *Server) pageView(ctx context.Context, now *site, p *folder.Page) (*theme.Frame, *theme.Page, []string, error) {
	f := s.frame(now, p)
	o := s.options(ctx)
	o.Untitled = !shows(p.Head.Meta.Layout.Title)
	api := apidoc.NewPage(s.specs(ctx, now), o)
	o.API = api.HTML
	done, err := now.render(p, o)
	if err != nil {
		return nil, nil, nil, err
	}
	m := p.Head.Meta
	v := &theme.Page{
		Title: p.Title, Emoji: p.Emoji, Icon: m.Icon, Anchor: markup.Slug(p.Title), Untitled: !shows(m.Layout.Title),
		Body: done.body, Notes: now.notes(p), Breadcrumbs: now.links(now.menu.Above(p)),
		Wide: m.Layout.Width == "wide", FullWidth: done.wide, Operations: api.Columns(),
	}
	if shows(m.Layout.CoverVisible) {
		v.Cover.Picture = theme.Picture{Light: now.picture(p.File, m.Cover), Dark: now.picture(p.File, m.CoverDark)}
	}
	if shows(m.Layout.Description) {
		v.Description = m.Description
	}
	if shows(m.Layout.Tags) {
		for _, t := range m.Tags {
			label, ok := now.title(docs.Ref{Kind: docs.RefTag, Tag: t.Tag})
			if !ok {
				label = t.Tag
			}
			v.Tags = append(v.Tags, label)
		}
	}
	if v.NoOutline = !shows(m.Layout.Outline); !v.NoOutline {
		v.Outline = done.headings
	}
	if !shows(m.Layout.TableOfContents) {
		f.Drawer = true
	}
	if shows(m.Layout.Pagination) {
		before, after := now.menu.Around(p)
		if before != nil {
			v.Previous = now.entry(before)
		}
		if after != nil {
			v.Next = now.entry(after)
		}
	}
	if strings.TrimSpace(string(done.body)) == "" {
		v.Below = now.entries(p.Children)
	}
	return f, v, done.files, nil
}

func shows(b *bool) bool { return b == nil || *b }

// notes returns the reasons why readers do not find a page.
func (s *site) notes(p *folder.Page) (out []string) {
	switch m := p.Head.Meta; {
	case !s.menu.Has(p):
		return []string{"This page is not in " + s.tree.Summary + ": readers do not see it."}
	case m.Hidden:
		out = append(out, "This page is hidden: it is not in the navigation.")
	case m.If != "" && !s.menu.Listed(p):
		out = append(out, "This page has a condition that does not hold for visitors of whom nothing is known: "+m.If)
	}
	if !s.menu.Reachable(p) && len(out) == 0 {
		out = append(out, "A page above this one is not shown, and neither is this one.")
	}
	return out
}

func (s *site) located(list []folder.Problem) (out []located) {
	for _, p := range list {
		l := located{Problem: p, Level: p.Level()}
		name := p.File
		if s.tree.Root != "." {
			name = strings.TrimPrefix(name, s.tree.Root+"/")
		}
		if page := s.index.Doc(name); page != nil {
			l.Href, _ = s.href(page)
		}
		out = append(out, l)
	}
	return out
}

// nav returns the navigation with the current page marked. In a large navigation, only
// the branch of that page is expanded.
func (s *site) nav(current *folder.Page) []*theme.Link {
	path := map[*folder.Page]bool{current: true}
	for _, p := range s.menu.Above(current) {
		path[p] = true
	}
	whole := s.menu.Len() <= maxNav
	var walk func(pages []*folder.Page) []*theme.Link
	walk = func(pages []*folder.Page) []*theme.Link {
		var out []*theme.Link
		for _, p := range pages {
			if !s.menu.Listed(p) {
				continue
			}
			e := s.entry(p)
			e.Current, e.Open = p == current, path[p]
			if whole || path[p] || p.Type == folder.Group {
				e.Children = walk(p.Children)
			}
			out = append(out, e)
		}
		return out
	}
	return walk(s.pages)
}

func (s *site) entry(p *folder.Page) *theme.Link {
	e := &theme.Link{Title: p.Title, Emoji: emoji.FromCode(p.Emoji), Icon: p.Head.Meta.Icon, Method: p.Method, Group: p.Type == folder.Group}
	if p.LinkTitle != "" {
		e.Title = p.LinkTitle
	}
	e.Href, _ = s.href(p)
	e.External = p.Type == folder.Link && strings.Contains(p.Target, ":")
	if e.Group {
		e.Href = ""
	}
	if e.Title == "" {
		e.Title = path.Base(p.File)
	}
	return e
}

// links returns links to pages, including pages that are not listed.
func (s *site) links(pages []*folder.Page) (out []*theme.Link) {
	for _, p := range pages {
		out = append(out, s.entry(p))
	}
	return out
}

func (s *site) entries(pages []*folder.Page) (out []*theme.Link) {
	for _, p := range pages {
		if s.menu.Listed(p) {
			out = append(out, s.entry(p))
		}
	}
	return out
}
