package searchrows

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/octavo-docs/octavo/internal/search"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

// Scope is a set of pages that is searched: the pages of a chain of layers.
// The entry of a page comes from the topmost layer that has one.
type Scope struct {
	Key      string // the caller's name for it
	Language string // of the query in it
	Layers   []string
	First    bool // for SearchScopes: the scope has other results, which come before those of an index
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

// Hit is a page that matches a query.
type Hit struct {
	Scope    string
	Page     string
	Title    string
	Score    float64 // higher is better
	Sections []Section
}

// Section is a section that matches a query. A page of which only the title
// matches has none.
type Section struct {
	Anchor  string
	Title   string
	Snippet string // plain text
	Score   float64
}

const (
	// maxSections is the maximum number of sections returned for a page.
	maxSections = 3
	// snippetSize is the length of a snippet in characters.
	snippetSize = 200
)

// searchStep is how pages answer a query: the first of searchSteps by which any does,
// beginning with 1.
type searchStep int

var searchSteps = []struct{ typos, most bool }{{false, false}, {true, false}, {true, true}}

// Search returns the pages of the scopes that answer a query, the best first,
// and whether there are more. A page answers if it has all words; if none
// does, words may be misspelled; if still none does, most of the words are
// enough. Words in titles count for more than words in headings, and those
// for more than words in the text. The order is the same on every database
// as long as nobody writes.
//
// The results are those behind the place at, which is moved behind them. Without a place,
// they are the best ones.
func (x *Index) Search(ctx context.Context, scopes []Scope, query string, limit int, at *Place) ([]Hit, bool, error) {
	q := newSearcher(x.reads(), scopes, query)
	var hits []found
	err := x.search(ctx, q, at, func(most bool) (n int, err error) {
		all, err := q.scores(most)
		if err == nil {
			hits, err = q.best(ctx, all, at, limit+1)
		}
		return len(hits), err
	})
	if err != nil {
		return nil, false, fmt.Errorf("search: %w", err)
	}
	out := make([]Hit, 0, limit)
	for _, h := range hits[:min(limit, len(hits))] {
		out = append(out, q.hit(h))
		at.Add(q.scopes[h.scope].Key, h.page)
	}
	return out, len(hits) > limit, nil
}

// searcher runs one search.
type searcher struct {
	r        IndexReads
	scopes   []Scope
	groups   []*searchGroup
	layers   map[string]*searchLayer
	suspects map[*searchLayer]bool // with results that were not found, see moved
}

// searchTriesAlone is the maximum number of attempts of a search before it reads a snapshot
// of the database.
const searchTriesAlone = 3

// search calls try with the steps of a search until it finds any results, or only with the
// step of a place behind others. A search reads with several statements. It begins again
// if somebody wrote meanwhile and results may be missing for it. If that goes on, it reads
// a snapshot, which costs more.
func (x *Index) search(ctx context.Context, q *searcher, at *Place, try func(most bool) (n int, err error)) error {
	if len(q.groups) == 0 {
		return nil
	}
	pinned := searchStep(0)
	if at != nil {
		pinned = at.step
	}
	attempt := func() error {
		q.suspects = map[*searchLayer]bool{}
		step, err := q.steps(ctx, pinned, try)
		if err == nil && at != nil {
			at.step = step
		}
		return err
	}
	for range searchTriesAlone {
		if err := attempt(); err != nil {
			return err
		}
		if moved, err := q.moved(ctx); err != nil || !moved {
			return err
		}
	}
	if err := x.searches.Acquire(ctx, 1); err != nil {
		return err
	}
	defer x.searches.Release(1)
	return engine.Snapshot(ctx, x.db, func(r *engine.Reader) error {
		q.r = IndexReads{r}
		return attempt()
	})
}

// steps calls try with the steps of a search until it finds any results, and returns that
// step; 0 if there are none. If a step is pinned, it is the only one.
func (s *searcher) steps(ctx context.Context, pinned searchStep, try func(most bool) (n int, err error)) (searchStep, error) {
	var read, misspelled bool // what was read last
	for i, how := range searchSteps {
		step := searchStep(i + 1)
		switch {
		case pinned != 0 && step != pinned:
			continue
		case pinned == 0 && (how.typos && !how.most && !s.mayHaveTypos() || how.most && !s.hasSeveral()):
			continue
		}
		if !read || misspelled != how.typos {
			if err := s.read(ctx, how.typos); err != nil {
				return 0, err
			}
			read, misspelled = true, how.typos
		}
		n, err := try(how.most)
		if err != nil {
			return 0, err
		}
		if n > 0 {
			return step, nil
		}
	}
	return pinned, nil
}

// moved reports whether somebody has written entries into a suspect layer since its words
// were read. A page that was written meanwhile has another entry than the one that its
// words led to, so it was not found.
func (s *searcher) moved(ctx context.Context) (bool, error) {
	known := map[string]int64{}
	var ids []string
	for l := range s.suspects {
		if l.wasRead {
			known[l.id] = l.lastID
			ids = append(ids, l.id)
		}
	}
	slices.Sort(ids)
	moved := false
	for some := range slices.Chunk(ids, layersAtOnce) {
		var args []any
		in := engine.ListOf(&args, some)
		_, err := engine.Many(ctx, s.r, func(sc engine.Scanner) (_ struct{}, err error) {
			var layer string
			var last int64
			err = sc.Scan(&layer, &last)
			moved = moved || last != known[layer]
			return struct{}{}, err
		}, `SELECT layer_id, last_id FROM search_layers WHERE layer_id IN `+in, args...)
		if err != nil || moved {
			return moved, err
		}
	}
	return false, nil
}

// searchGroup holds the layers that are searched in one language.
type searchGroup struct {
	language string
	terms    []search.QueryTerm
	layers   []*searchLayer
	most     bool // most of the terms are enough
	folded   bool // a layer got a segment while it was read
	lookup   *search.Lookup
	matcher  *search.Matcher
}

// searchLayer is a layer and its places in the scopes.
type searchLayer struct {
	id      string
	places  []scopePlace
	lastID  int64 // the newest entry when the words were read
	segment int64 // the newest segment then
	wasRead bool
}

type scopePlace struct{ scope, depth int }

func newSearcher(r IndexReads, scopes []Scope, query string) *searcher {
	s := &searcher{r: r, scopes: scopes, layers: map[string]*searchLayer{}}
	groups := map[string]*searchGroup{}
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
			l, ok := s.layers[id]
			if !ok {
				l = &searchLayer{id: id}
				s.layers[id] = l
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

// scored are the pages that answer a query, before it is known which of them are visible.
type scored struct {
	lists  [][]search.Scored
	places []listPlace
	of     []int // selected lists; nil: all
	scope  int   // the only scope whose pages count; -1: all
}

// scores returns the pages that answer the query.
func (s *searcher) scores(most bool) (scored, error) {
	out := scored{scope: -1}
	for g, group := range s.groups {
		group.most = most
		ranked, err := group.lookup.Scores(most)
		if err != nil {
			return out, err
		}
		for l, list := range ranked {
			out.lists, out.places = append(out.lists, list), append(out.places, listPlace{g, l})
		}
	}
	return out, nil
}

// top returns the n best pages of the selected lists, and whether these are all.
func (a scored) top(n int) ([]search.Candidate, bool) {
	lists, total := a.lists, 0
	if a.of != nil {
		lists = nil
		for _, i := range a.of {
			lists = append(lists, a.lists[i])
		}
	}
	for _, list := range lists {
		total += len(list)
	}
	out := search.Top(lists, n)
	if a.of != nil {
		for i, c := range out {
			out[i].List = a.of[c.List]
		}
	}
	return out, len(out) == total
}

// best returns the n best entries that are visible and behind a place. The ranking does
// not know which entries are, so best ranks more of them until it has enough.
func (s *searcher) best(ctx context.Context, all scored, at *Place, n int) ([]found, error) {
	var out []found
	done := 0
	for size := n + at.Len(); ; size *= 8 {
		top, complete := all.top(size)
		const step = 64
		for ; done < len(top); done += step {
			more, err := s.visible(ctx, all, top[done:min(done+step, len(top))])
			if err != nil {
				return nil, err
			}
			more = slices.DeleteFunc(more, func(f found) bool { return at.Has(s.scopes[f.scope].Key, f.page) })
			if more, err = s.seen(ctx, more); err != nil {
				return nil, err
			}
			if out = append(out, more...); len(out) >= n {
				return out[:n], nil
			}
		}
		done = len(top)
		if complete {
			return out, nil
		}
	}
}

// visible reads the pages of some candidates, in their order. It leaves out
// entries of pages that have changed or were deleted since, and those that a
// higher layer of the scope hides.
func (s *searcher) visible(ctx context.Context, all scored, batch []search.Candidate) ([]found, error) {
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
		layer := s.layer(all.places[list])
		args := []any{layer.id}
		in := engine.ListOf(&args, ids)
		_, err := engine.Many(ctx, s.r, func(sc engine.Scanner) (f found, err error) {
			err = sc.Scan(&f.ID, &f.page, &f.title, &f.sections)
			rows[entry{list, f.ID}] = f
			for _, p := range layer.places {
				if p.depth > 0 && (all.scope < 0 || p.scope == all.scope) {
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
		layer := s.layer(all.places[c.List])
		f, ok := rows[entry{c.List, c.ID}]
		if !ok {
			s.suspects[layer] = true
			continue
		}
		f.Candidate, f.group = c, all.places[c.List].group
		for _, p := range layer.places {
			if all.scope >= 0 && p.scope != all.scope {
				continue
			}
			if depth, known := top[scopePage{p.scope, f.page}]; known && depth < p.depth {
				s.suspects[s.layers[s.scopes[p.scope].Layers[depth]]] = true
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
func (s *searcher) seen(ctx context.Context, all []found) ([]found, error) {
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
		if !ok || changed && !g.lookup.Matches(g.match(), page.Title, page.Sections, g.most) {
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
		layers := engine.ListOf(&args, s.scopes[scope].Layers)
		in := engine.ListOf(&args, names)
		_, err := engine.Many(ctx, s.r, func(sc engine.Scanner) (_ struct{}, err error) {
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
func (s *searcher) hit(f found) Hit {
	out := Hit{Scope: s.scopes[f.scope].Key, Page: f.page, Title: f.title, Score: math.Round(f.Score*1000) / 1000}
	sections := f.seen
	if s.scopes[f.scope].See == nil {
		sections = splitSections(f.sections)
	}
	for _, m := range s.groups[f.group].match().Sections(sections, maxSections, snippetSize) {
		out.Sections = append(out.Sections, Section{
			Anchor: sections[m.Section].Anchor, Title: sections[m.Section].Title,
			Snippet: m.Snippet, Score: math.Round(m.Score*1000) / 1000,
		})
	}
	return out
}
