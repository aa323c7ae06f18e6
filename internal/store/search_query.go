package store

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/search"
)

// SearchScope is a set of pages that is searched: those of a chain of layers. The
// entry of a page is that of the topmost layer that has one.
type SearchScope struct {
	Key      string // the caller's name for it
	Language string // of the query in it
	Layers   []string
	// See returns an indexed page as the reader of the scope sees it, or false if the
	// reader does not see the page. If the sections are unchanged, it returns the same
	// slice. Nil: the reader sees everything. Text that the reader does not see has
	// no influence on the results.
	See func(ctx context.Context, indexed SeenPage) (SeenPage, bool, error)
}

// SeenPage is the indexed text of a page.
type SeenPage struct {
	ID       string
	Title    string
	Sections []search.Section
}

// SearchHit is a page that matches a query.
type SearchHit struct {
	Scope    string
	Page     string
	Title    string
	Score    float64 // higher is better
	Sections []SearchSection
}

// SearchSection is a section that matches a query. A page of which only the title
// matches has none.
type SearchSection struct {
	Anchor  string
	Title   string
	Snippet string // plain text
	Score   float64
}

const (
	// MaxSearchOffset is the maximum offset of a search.
	MaxSearchOffset = 1000
	// maxSections is the maximum number of sections returned for a page.
	maxSections = 3
	// snippetSize is the length of a snippet in characters.
	snippetSize = 200
)

// Search returns the pages of the scopes that answer a query, the best first,
// and whether there are more. A page answers if it has all words; if none
// does, words may be misspelled; if still none does, most of the words are
// enough. Words in titles count for more than words in headings, and those
// for more than words in the text. The order is the same on every database
// and for every offset as long as nobody writes.
func (r Reader) Search(ctx context.Context, scopes []SearchScope, query string, limit, offset int) ([]SearchHit, bool, error) {
	if offset < 0 || offset > MaxSearchOffset {
		return nil, false, errs.Field("query.page", "is too far behind the best results")
	}
	s := newSearcher(r, scopes, query)
	if len(s.groups) == 0 || limit <= 0 {
		return []SearchHit{}, false, nil
	}
	var hits []found
	var read, misspelled bool // what was read last
	for _, how := range []struct{ typos, most bool }{{false, false}, {true, false}, {true, true}} {
		if how.typos && !how.most && !s.mayHaveTypos() || how.most && !s.hasSeveral() {
			continue
		}
		if !read || misspelled != how.typos {
			if err := s.read(ctx, how.typos); err != nil {
				return nil, false, fmt.Errorf("search: %w", err)
			}
			read, misspelled = true, how.typos
		}
		var err error
		if hits, err = s.best(ctx, how.most, offset+limit+1); err != nil {
			return nil, false, fmt.Errorf("search: %w", err)
		}
		if len(hits) > 0 {
			break
		}
	}
	more := len(hits) > offset+limit
	out := make([]SearchHit, 0, limit)
	for _, h := range hits[min(offset, len(hits)):min(offset+limit, len(hits))] {
		out = append(out, s.hit(h))
	}
	return out, more, nil
}

// searcher runs one search.
type searcher struct {
	r      Reader
	scopes []SearchScope
	groups []*searchGroup
}

// searchGroup holds the layers that are searched in one language.
type searchGroup struct {
	language string
	terms    []search.QueryTerm
	layers   []*searchLayer
	lookup   *search.Lookup
	matcher  *search.Matcher
}

// searchLayer is a layer and its places in the scopes.
type searchLayer struct {
	id     string
	places []scopePlace
}

type scopePlace struct{ scope, depth int }

func newSearcher(r Reader, scopes []SearchScope, query string) *searcher {
	s := &searcher{r: r, scopes: scopes}
	groups := map[string]*searchGroup{}
	layers := map[string]*searchLayer{}
	for i, sc := range scopes {
		g, ok := groups[sc.Language]
		if !ok {
			g = &searchGroup{language: sc.Language, terms: search.Query(query, sc.Language)}
			groups[sc.Language] = g
			if len(g.terms) > 0 {
				s.groups = append(s.groups, g)
			}
		}
		for depth, id := range sc.Layers {
			l, ok := layers[id]
			if !ok {
				l = &searchLayer{id: id}
				layers[id] = l
				g.layers = append(g.layers, l)
			}
			l.places = append(l.places, scopePlace{i, depth})
		}
	}
	return s
}

func (s *searcher) mayHaveTypos() bool {
	return slices.ContainsFunc(s.groups[0].terms, func(t search.QueryTerm) bool { return t.Typos > 0 })
}

func (s *searcher) hasSeveral() bool {
	n := 0
	for _, t := range s.groups[0].terms {
		if !t.Optional {
			n++
		}
	}
	return n > 1
}

// found is a candidate that is visible in a scope.
type found struct {
	search.Candidate
	group    int
	scope    int
	page     string
	title    string
	sections string
	seen     []search.Section // of a scope with See
}

// listPlace is the place of a list of ranked pages.
type listPlace struct{ group, layer int }

// best returns the n best entries that are visible. The ranking does not know
// which entries are visible, so best ranks more of them until it has enough.
func (s *searcher) best(ctx context.Context, most bool, n int) ([]found, error) {
	var lists [][]search.Scored
	var places []listPlace
	total := 0
	for g, group := range s.groups {
		ranked, err := group.lookup.Scores(most)
		if err != nil {
			return nil, err
		}
		for l, list := range ranked {
			lists, places = append(lists, list), append(places, listPlace{g, l})
			total += len(list)
		}
	}
	var out []found
	done := 0
	for size := n; ; size *= 8 {
		top := search.Top(lists, size)
		const step = 64
		for ; done < len(top); done += step {
			more, err := s.visible(ctx, places, top[done:min(done+step, len(top))])
			if err != nil {
				return nil, err
			}
			if more, err = s.seen(ctx, more, most); err != nil {
				return nil, err
			}
			if out = append(out, more...); len(out) >= n {
				return out[:n], nil
			}
		}
		done = len(top)
		if done == total {
			return out, nil
		}
	}
}

// visible reads the pages of some candidates, in their order. It leaves out
// entries of pages that have changed or were deleted since, and those that a
// higher layer of the scope hides.
func (s *searcher) visible(ctx context.Context, places []listPlace, batch []search.Candidate) ([]found, error) {
	byList := map[int][]int64{}
	for _, c := range batch {
		byList[c.List] = append(byList[c.List], c.ID)
	}
	type entry struct {
		list int
		id   int64
	}
	rows := map[entry]found{}
	pages := map[int][]string{} // of a scope: those below its top layer
	for list, ids := range byList {
		layer := s.layer(places[list])
		args := []any{layer.id}
		in := listOf(&args, ids)
		_, err := many(ctx, s.r, func(sc scanner) (f found, err error) {
			err = sc.Scan(&f.ID, &f.page, &f.title, &f.sections)
			rows[entry{list, f.ID}] = f
			for _, p := range layer.places {
				if p.depth > 0 {
					pages[p.scope] = append(pages[p.scope], f.page)
				}
			}
			return f, err
		}, `
			SELECT id, page_id, title, sections FROM search_pages
			WHERE layer_id = $1 AND state = 'shown' AND id IN `+in, args...)
		if err != nil {
			return nil, err
		}
	}
	top, err := s.topmost(ctx, pages)
	if err != nil {
		return nil, err
	}
	var out []found
	for _, c := range batch {
		f, ok := rows[entry{c.List, c.ID}]
		if !ok {
			continue
		}
		f.Candidate, f.group = c, places[c.List].group
		for _, p := range s.layer(places[c.List]).places {
			if depth, known := top[scopePage{p.scope, f.page}]; known && depth < p.depth {
				continue
			}
			f.scope = p.scope
			out = append(out, f)
		}
	}
	return out, nil
}

// seen leaves out what the readers of the scopes do not see, and what does not
// answer the query as they see it.
func (s *searcher) seen(ctx context.Context, all []found, most bool) ([]found, error) {
	out := all[:0]
	for _, f := range all {
		scope := s.scopes[f.scope]
		if scope.See == nil {
			out = append(out, f)
			continue
		}
		indexed := SeenPage{f.page, f.title, splitSections(f.sections)}
		page, ok, err := scope.See(ctx, indexed)
		if err != nil {
			return nil, err
		}
		g := s.groups[f.group]
		changed := page.Title != indexed.Title || !sameSections(page.Sections, indexed.Sections)
		if !ok || changed && !g.lookup.Matches(g.match(), page.Title, page.Sections, most) {
			continue
		}
		f.title, f.seen = page.Title, page.Sections
		out = append(out, f)
	}
	return out, nil
}

// sameSections reports whether two slices share the same array.
func sameSections(a, b []search.Section) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// match returns the matcher of the words that were looked up.
func (g *searchGroup) match() *search.Matcher {
	if g.matcher == nil {
		g.matcher = g.lookup.Matcher(g.language)
	}
	return g.matcher
}

func (s *searcher) layer(p listPlace) *searchLayer { return s.groups[p.group].layers[p.layer] }

type scopePage struct {
	scope int
	page  string
}

// topmost returns the depth of the topmost layer that has a page.
func (s *searcher) topmost(ctx context.Context, pages map[int][]string) (map[scopePage]int, error) {
	out := map[scopePage]int{}
	for scope, names := range pages {
		depths := map[string]int{}
		for i, l := range slices.Backward(s.scopes[scope].Layers) {
			depths[l] = i
		}
		slices.Sort(names)
		names = slices.Compact(names)
		var args []any
		layers := listOf(&args, s.scopes[scope].Layers)
		in := listOf(&args, names)
		_, err := many(ctx, s.r, func(sc scanner) (_ struct{}, err error) {
			var layer, page string
			err = sc.Scan(&layer, &page)
			key := scopePage{scope, page}
			if had, ok := out[key]; !ok || depths[layer] < had {
				out[key] = depths[layer]
			}
			return struct{}{}, err
		}, `SELECT layer_id, page_id FROM search_pages WHERE layer_id IN `+layers+` AND page_id IN `+in, args...)
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// hit converts a result for the caller.
func (s *searcher) hit(f found) SearchHit {
	out := SearchHit{Scope: s.scopes[f.scope].Key, Page: f.page, Title: f.title, Score: math.Round(f.Score*1000) / 1000}
	sections := f.seen
	if s.scopes[f.scope].See == nil {
		sections = splitSections(f.sections)
	}
	for _, m := range s.groups[f.group].match().Sections(sections, maxSections, snippetSize) {
		out.Sections = append(out.Sections, SearchSection{
			Anchor: sections[m.Section].Anchor, Title: sections[m.Section].Title,
			Snippet: m.Snippet, Score: math.Round(m.Score*1000) / 1000,
		})
	}
	return out
}
