package preview

import (
	"context"
	"path"
	"strings"

	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/reading"
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

// search returns the pages whose titles contain all words of the query, followed by
// headings that do. Titles that begin with the query come first.
func (s *site) search(query string) []theme.Hit {
	words := strings.Fields(strings.ToLower(query))
	if len(words) == 0 {
		return []theme.Hit{}
	}
	has := func(text string) bool {
		text = strings.ToLower(text)
		for _, w := range words {
			if !strings.Contains(text, w) {
				return false
			}
		}
		return true
	}
	begins, titles, headings := []theme.Hit{}, []theme.Hit{}, []theme.Hit{}
	r := s.report.Load()
	for _, p := range s.menu.Order() {
		href, ok := s.href(p)
		if !ok {
			continue
		}
		switch where := s.above(p); {
		case strings.HasPrefix(strings.ToLower(p.Title), strings.ToLower(query)) && len(begins) < maxFound:
			begins = append(begins, theme.Hit{Title: p.Title, Where: where, Href: href})
		case has(p.Title) && len(titles) < maxFound:
			titles = append(titles, theme.Hit{Title: p.Title, Where: where, Href: href})
		}
		if r == nil || len(headings) >= maxFound {
			continue
		}
		for _, h := range r.headings[p.File] {
			if h.Anchor != "" && has(h.Text) && len(headings) < maxFound {
				headings = append(headings, theme.Hit{Title: h.Text, Where: p.Title, Href: href + reading.Fragment(h.Anchor)})
			}
		}
	}
	out := append(append(begins, titles...), headings...)
	return out[:min(len(out), maxFound)]
}

// above returns the titles of the ancestors of a page, joined for display.
func (s *site) above(p *folder.Page) string {
	var names []string
	for _, up := range s.menu.Above(p) {
		names = append(names, up.Title)
	}
	return strings.Join(names, " › ")
}
