package preview

import (
	"context"
	"path"
	"strings"

	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/icons"
	"github.com/octavo-docs/octavo/internal/reading"
	"github.com/octavo-docs/octavo/internal/search"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

// report is the result of checking a state.
type report struct {
	all      []folder.Problem
	byFile   map[string][]folder.Problem
	headings map[string][]markup.Heading // by file, for the search
}

// checkStates checks every new state. If states are created faster than they are checked,
// it checks only the newest. The first check parses all files, later ones only the
// changed files.
func (s *Server) checkStates(ctx context.Context) {
	var c folder.Checker
	for {
		select {
		case <-ctx.Done():
			return
		case made := <-s.unchecked:
			r := &report{all: c.Check(made.tree), byFile: map[string][]folder.Problem{}, headings: map[string][]markup.Heading{}}
			for _, p := range r.all {
				r.byFile[p.File] = append(r.byFile[p.File], p)
			}
			for _, p := range made.menu.Order() {
				r.headings[p.File] = c.Headings(p.File)
			}
			made.report.Store(r)
			if s.now.Load() == made {
				s.watchers.send(s.stateID(), "report")
			}
		}
	}
}

// problems returns the problems of some files and the total number of problems. ok is
// false if the state is not checked yet.
func (s *site) problems(files []string) (list []folder.Problem, total int, ok bool) {
	r := s.report.Load()
	if r == nil {
		return nil, 0, false
	}
	for _, f := range files {
		list = append(list, r.byFile[path.Join(s.tree.Root, f)]...)
	}
	return list, len(r.all), true
}

// search returns the pages whose titles have all words of the query, followed by headings that
// have them. Titles that are the query come first, those that begin with it second. If there are
// none, it suggests the first pages.
func (s *site) search(query string) theme.Found {
	m := search.NewMarker(query, "")
	mark := func(text string) theme.Marked { return theme.Mark(text, m.For(text).In(text)) }
	same := []theme.Hit{} // not null for the script
	var begins, titles, headings []theme.Hit
	r := s.report.Load()
	for _, p := range s.menu.Order() {
		href, ok := s.href(p)
		if !ok {
			continue
		}
		h := theme.Hit{Title: mark(p.Title), Where: s.above(p), Href: href, Emoji: p.Emoji, Icon: theme.Draw(p.Head.Meta.Icon, icons.Outlined)}
		if h.Emoji != "" {
			h.Icon = nil
		}
		switch has := m.HasAll(p.Title); {
		case m.Is(p.Title) && len(same) < maxFound:
			same = append(same, h)
		case has && strings.HasPrefix(strings.ToLower(p.Title), strings.ToLower(query)) && len(begins) < maxFound:
			begins = append(begins, h)
		case has && len(titles) < maxFound:
			titles = append(titles, h)
		}
		if r == nil || len(headings) >= maxFound {
			continue
		}
		for _, title := range r.headings[p.File] {
			if title.Anchor != "" && m.HasAll(title.Text) && len(headings) < maxFound {
				below := h
				below.Heading, below.Href = mark(title.Text), href+reading.Fragment(title.Anchor)
				headings = append(headings, below)
			}
		}
	}
	hits := append(append(append(same, begins...), titles...), headings...)
	out := theme.Found{Hits: hits[:min(len(hits), maxFound)]}
	if len(hits) == 0 {
		out.Suggested = s.first()
	}
	return out
}

// first returns the first pages, to begin with.
func (s *site) first() (out []theme.Hit) {
	for _, p := range s.menu.Order() {
		if href, ok := s.href(p); ok && len(out) < maxFirst {
			out = append(out, theme.Hit{Title: theme.Plain(p.Title), Where: s.above(p), Href: href, Emoji: p.Emoji})
		}
	}
	return out
}

// above returns the titles of the ancestors of a page, joined for display.
func (s *site) above(p *folder.Page) string {
	var names []string
	for _, up := range s.menu.Above(p) {
		names = append(names, up.Title)
	}
	return theme.Above(names...)
}
