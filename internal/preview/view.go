package preview

import (
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/emoji"
	"github.com/octavo-docs/octavo/internal/folder"
	"github.com/octavo-docs/octavo/internal/markup"
)

//go:embed web
var web embed.FS

var (
	pages  = template.Must(template.ParseFS(web, "web/*.html"))
	script = must(fs.ReadFile(web, "web/script.js"))
	style  = must(fs.ReadFile(web, "web/style.css")) + widths()
)

func must(b []byte, err error) string {
	if err != nil {
		panic(err) // it is part of the program
	}
	return string(b)
}

// widths are the classes for widths in percent.
func widths() string {
	var b strings.Builder
	for i := 1; i <= 100; i++ {
		fmt.Fprintf(&b, ".width-%d{width:%d%%}\n", i, i)
	}
	return b.String()
}

// view is what templates show.
type view struct {
	Folder, State, Nonce, File string
	Trouble                    string
	Title, Emoji, Icon, Anchor string
	Description                string
	Cover, CoverDark           string
	Tags                       []string
	Notes                      []string
	Body                       template.HTML
	Below                      []*entry // of a page that has no text
	Outline                    []markup.Heading
	Nav                        []*entry
	Previous, Next             *entry
	ShowTitle                  bool

	Checked  bool // the problems are known
	Problems []located
	Total    int // of the whole folder
	More     int // that are not listed

	Missing string // an address with nothing at it
	Near    []*entry
}

// entry is a line of the navigation.
type entry struct {
	Title, Emoji, Icon, Href string
	Group, External          bool
	Current, Open            bool
	Children                 []*entry
}

// located is a problem with a way to its page.
type located struct {
	folder.Problem
	Level, Href string
}

// view is what all pages have.
func (s *Server) view(now *site, current *folder.Page) *view {
	v := &view{Folder: s.name, State: s.stateID(), Trouble: s.Trouble(), ShowTitle: true}
	v.Nav = now.nav(current)
	if r := now.report.Load(); r != nil {
		v.Checked, v.Total = true, len(r.all)
	}
	return v
}

// pageView is what a page of the folder has.
func (s *Server) pageView(now *site, p *folder.Page) (*view, error) {
	v := s.view(now, p)
	done, err := now.render(p, s.highlight)
	if err != nil {
		return nil, err
	}
	m := p.Head.Meta
	v.File, v.Title, v.Emoji, v.Icon, v.Description = p.File, p.Title, p.Emoji, m.Icon, m.Description
	v.Anchor, v.Body = markup.Slug(p.Title), done.body
	if shows(m.Layout.CoverVisible) {
		v.Cover, v.CoverDark = now.picture(p.File, m.Cover), now.picture(p.File, m.CoverDark)
	}
	v.ShowTitle = shows(m.Layout.Title)
	if !shows(m.Layout.Description) {
		v.Description = ""
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
	if shows(m.Layout.Outline) {
		v.Outline = done.headings
	}
	if !shows(m.Layout.TableOfContents) {
		v.Nav = nil
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
	v.Notes = now.notes(p)
	v.report(now, done.files)
	return v, nil
}

func shows(b *bool) bool { return b == nil || *b }

// notes say why readers do not find a page.
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

// report adds the problems of some files.
func (v *view) report(now *site, files []string) {
	list, total, ok := now.problems(files)
	v.Checked, v.Total = ok, total
	v.Problems = now.located(list[:min(len(list), maxListed)])
	v.More = len(list) - len(v.Problems)
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

// nav is the navigation as seen from a page. Of a large one only the branch
// of that page is open.
func (s *site) nav(current *folder.Page) []*entry {
	path := map[*folder.Page]bool{current: true}
	for _, p := range s.menu.Above(current) {
		path[p] = true
	}
	whole := s.menu.Len() <= maxNav
	var walk func(pages []*folder.Page) []*entry
	walk = func(pages []*folder.Page) []*entry {
		var out []*entry
		for _, p := range pages {
			if !s.menu.Listed(p) {
				continue
			}
			e := s.entry(p)
			e.Current, e.Open = p == current, path[p] || p.Type == folder.Group
			if whole || e.Open {
				e.Children = walk(p.Children)
			}
			out = append(out, e)
		}
		return out
	}
	return walk(s.tree.Pages)
}

func (s *site) entry(p *folder.Page) *entry {
	e := &entry{Title: p.Title, Emoji: emoji.FromCode(p.Emoji), Icon: p.Head.Meta.Icon, Group: p.Type == folder.Group}
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

func (s *site) entries(pages []*folder.Page) (out []*entry) {
	for _, p := range pages {
		if s.menu.Listed(p) {
			out = append(out, s.entry(p))
		}
	}
	return out
}
