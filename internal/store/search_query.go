package store

import (
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/search"
)

// SearchScope is a body of pages that is searched: those of a chain of
// layers. A page is what the topmost layer that knows it says.
type SearchScope struct {
	Key      string // the caller's name for it
	Language string // of the query in it
	Layers   []string
}

// SearchHit is a page that answers a query.
type SearchHit struct {
	Scope    string
	Page     string
	Title    string
	Score    float64 // higher is better
	Sections []SearchSection
}

// SearchSection is a section that answers a query. A page whose title alone
// does has none.
type SearchSection struct {
	Anchor  string
	Title   string
	Snippet string // plain text
	Score   float64
}

const (
	// MaxSearchOffset bounds how far a search can be leafed through.
	MaxSearchOffset = 1000
	// maxSections of a page are shown.
	maxSections = 3
	// snippetSize is in characters.
	snippetSize = 200
	// maxContinued bounds the words that a beginning of a word stands for,
	// the most frequent ones.
	maxContinued = 64
	// maxMeant bounds the words that a misspelled one stands for, the
	// nearest ones.
	maxMeant = 24
	// maxPostings bounds what is ranked for one word in one layer. Spaces
	// are smaller.
	maxPostings = 2_000_000
	// searchTries is how often a search starts again because the index was
	// merged while it was read.
	searchTries = 5
)

// Search gives the pages of the scopes that answer a query, the best first,
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
	for _, how := range []struct{ typos, most bool }{{false, false}, {true, false}, {true, true}} {
		if how.typos && !how.most && !s.mayHaveTypos() || how.most && !s.hasSeveral() {
			continue
		}
		if err := s.read(ctx, how.typos); err != nil {
			return nil, false, fmt.Errorf("search: %w", err)
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

// searcher is one search.
type searcher struct {
	r      Reader
	scopes []SearchScope
	groups []*searchGroup
}

// searchGroup is the layers that are searched in one language.
type searchGroup struct {
	language string
	terms    []*searchTerm
	layers   []*searchLayer
	pages    int64
	matcher  *search.Matcher
}

// searchTerm is a term of the query and the words that answer it.
type searchTerm struct {
	search.QueryTerm
	words map[string]*searchWord
}

// searchWord is a word of the index that answers a term.
type searchWord struct {
	weight float64
	pages  int64
	lists  []wordList
}

// wordList is where a layer has a word.
type wordList struct {
	layer   int
	segment int64
	data    []byte // nil: in a row of its own, which is to be read
	posting search.Posting
}

// searchLayer is a layer and where it stands in the scopes.
type searchLayer struct {
	id  string
	ins []inScope
}

type inScope struct{ scope, depth int }

func newSearcher(r Reader, scopes []SearchScope, query string) *searcher {
	s := &searcher{r: r, scopes: scopes}
	groups := map[string]*searchGroup{}
	layers := map[string]*searchLayer{}
	for i, sc := range scopes {
		g, ok := groups[sc.Language]
		if !ok {
			g = &searchGroup{language: sc.Language}
			for _, t := range search.Query(query, sc.Language) {
				g.terms = append(g.terms, &searchTerm{QueryTerm: t})
			}
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
			l.ins = append(l.ins, inScope{i, depth})
		}
	}
	return s
}

func (s *searcher) mayHaveTypos() bool {
	return slices.ContainsFunc(s.groups[0].terms, func(t *searchTerm) bool { return t.Typos > 0 })
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

// candidate is an entry that answers the query.
type candidate struct {
	group, layer int
	id           int64
	score        float64
}

// before is the order of results.
func (c candidate) before(d candidate) bool {
	return cmp.Or(cmp.Compare(d.score, c.score), cmp.Compare(c.group, d.group), cmp.Compare(c.layer, d.layer), cmp.Compare(c.id, d.id)) < 0
}

// worst is a heap of the best candidates with the worst of them on top.
type worst []candidate

func (w worst) Len() int           { return len(w) }
func (w worst) Less(i, j int) bool { return w[j].before(w[i]) }
func (w worst) Swap(i, j int)      { w[i], w[j] = w[j], w[i] }
func (w *worst) Push(x any)        { *w = append(*w, x.(candidate)) }
func (w *worst) Pop() any {
	last := len(*w) - 1
	x := (*w)[last]
	*w = (*w)[:last]
	return x
}

// found is a candidate that is shown.
type found struct {
	candidate
	scope    int
	page     string
	language string
	title    string
	sections string
}

// best gives the n best entries that are visible. Entries that are not are
// found out only behind the ranking, so it asks for more until there are
// enough.
func (s *searcher) best(ctx context.Context, most bool, n int) ([]found, error) {
	ranked := make([][][]scored, len(s.groups))
	total := 0
	for g, group := range s.groups {
		ranked[g] = make([][]scored, len(group.layers))
		terms, err := group.rank()
		if err != nil {
			return nil, err
		}
		for l := range group.layers {
			ranked[g][l] = combine(terms, l, most)
			total += len(ranked[g][l])
		}
	}
	var out []found
	seen := 0
	for size := n; ; size *= 8 {
		top := worst{}
		for g := range ranked {
			for l, list := range ranked[g] {
				for _, c := range list {
					c := candidate{g, l, c.id, c.score}
					switch {
					case len(top) < size:
						heap.Push(&top, c)
					case c.before(top[0]):
						top[0] = c
						heap.Fix(&top, 0)
					}
				}
			}
		}
		slices.SortFunc(top, func(a, b candidate) int {
			if a.before(b) {
				return -1
			}
			return 1
		})
		const step = 64
		for ; seen < len(top); seen += step {
			batch := top[seen:min(seen+step, len(top))]
			more, err := s.visible(ctx, batch)
			if err != nil {
				return nil, err
			}
			if out = append(out, more...); len(out) >= n {
				return out[:n], nil
			}
		}
		seen = len(top)
		if seen == total {
			return out, nil
		}
	}
}

// visible reads what is shown of some candidates, in their order.
func (s *searcher) visible(ctx context.Context, batch []candidate) ([]found, error) {
	type place struct{ group, layer int }
	byLayer := map[place][]int64{}
	for _, c := range batch {
		at := place{c.group, c.layer}
		byLayer[at] = append(byLayer[at], c.id)
	}
	type entry struct {
		place
		id int64
	}
	rows := map[entry]found{}
	pages := map[int][]string{} // of a scope: those below its top layer
	for at, ids := range byLayer {
		layer := s.groups[at.group].layers[at.layer]
		args := []any{layer.id}
		for _, id := range ids {
			args = append(args, id)
		}
		_, err := many(ctx, s.r, func(sc scanner) (f found, err error) {
			err = sc.Scan(&f.id, &f.page, &f.language, &f.title, &f.sections)
			rows[entry{at, f.id}] = f
			for _, in := range layer.ins {
				if in.depth > 0 {
					pages[in.scope] = append(pages[in.scope], f.page)
				}
			}
			return f, err
		}, `
			SELECT id, page_id, language, title, sections FROM search_pages
			WHERE layer_id = $1 AND state = 'shown' AND id IN `+holes(2, &args, len(ids)), args...)
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
		f, ok := rows[entry{place{c.group, c.layer}, c.id}]
		if !ok {
			continue // the page has changed or gone
		}
		for _, in := range s.groups[c.group].layers[c.layer].ins {
			if depth, known := top[scopePage{in.scope, f.page}]; known && depth < in.depth {
				continue
			}
			f.candidate, f.scope = c, in.scope
			out = append(out, f)
		}
	}
	return out, nil
}

type scopePage struct {
	scope int
	page  string
}

// topmost tells the depth of the topmost layer that knows a page.
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
		for _, l := range s.scopes[scope].Layers {
			args = append(args, l)
		}
		layers := holes(1, &args, len(args))
		at := len(args)
		for _, p := range names {
			args = append(args, p)
		}
		_, err := many(ctx, s.r, func(sc scanner) (_ struct{}, err error) {
			var layer, page string
			err = sc.Scan(&layer, &page)
			key := scopePage{scope, page}
			if had, ok := out[key]; !ok || depths[layer] < had {
				out[key] = depths[layer]
			}
			return struct{}{}, err
		}, `SELECT layer_id, page_id FROM search_pages WHERE layer_id IN `+layers+` AND page_id IN `+holes(at+1, &args, len(names)), args...)
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// holes gives ($first, …) for the last n arguments, of which it repeats the
// last one so that there are few different statements.
func holes(first int, args *[]any, n int) string {
	size := 1
	for size < n {
		size += (size + 1) / 2
	}
	for range size - n {
		*args = append(*args, (*args)[len(*args)-1])
	}
	b := make([]byte, 0, 6*size)
	for i := range size {
		b = append(b, ", $"...)
		b = strconv.AppendInt(b, int64(first+i), 10)
	}
	return "(" + string(b[2:]) + ")"
}

// hit gives a result as the caller sees it.
func (s *searcher) hit(f found) SearchHit {
	g := s.groups[f.group]
	if g.matcher == nil {
		var words []search.Alternatives
		for _, t := range g.terms {
			alternatives := search.Alternatives{}
			for w, v := range t.words {
				alternatives[w] = v.weight
			}
			words = append(words, alternatives)
		}
		g.matcher = search.NewMatcher(g.language, words)
	}
	out := SearchHit{Scope: s.scopes[f.scope].Key, Page: f.page, Title: f.title, Score: math.Round(f.score*1000) / 1000}
	sections := splitSections(f.sections)
	for _, m := range g.matcher.Sections(sections, maxSections, snippetSize) {
		out.Sections = append(out.Sections, SearchSection{
			Anchor: sections[m.Section].Anchor, Title: sections[m.Section].Title,
			Snippet: m.Snippet, Score: math.Round(m.Score*1000) / 1000,
		})
	}
	return out
}
