package searchrows

import (
	"context"
	"fmt"
	"slices"

	"github.com/octavo-docs/octavo/internal/search"
)

// ScopeHits are the best pages of a scope that answer a query.
type ScopeHits struct {
	Scope string
	Hits  []Hit
}

// SearchScopes is Search for scopes: it returns those that have a page that answers the
// query, each once and with its best pages, at most that many. The scope with the best page
// is the first. A scope with First comes before all others, also without a page, in the
// order of the argument.
func (x *Index) SearchScopes(ctx context.Context, scopes []Scope, query string, limit, pages int, at *Place) ([]ScopeHits, bool, error) {
	q := newSearcher(x.reads(), scopes, query)
	var all []rankedScope
	for i, sc := range scopes { // if the query has no words
		if sc.First && !at.Has(sc.Key) {
			all = append(all, rankedScope{scope: i, first: true})
		}
	}
	err := x.search(ctx, q, at, func(most bool) (n int, err error) {
		all, n, err = q.bestScopes(ctx, most, at, limit+1, pages)
		return n, err
	})
	if err != nil {
		return nil, false, fmt.Errorf("search: %w", err)
	}
	out := make([]ScopeHits, 0, limit)
	for _, sc := range all[:min(limit, len(all))] {
		key := scopes[sc.scope].Key
		hits := ScopeHits{Scope: key, Hits: make([]Hit, 0, len(sc.found))}
		for _, f := range sc.found {
			hits.Hits = append(hits.Hits, q.hit(f))
		}
		out = append(out, hits)
		at.Add(key)
	}
	return out, len(all) > limit, nil
}

// rankedScope is a scope in the order of the results.
type rankedScope struct {
	scope int
	lists []int // those with pages of the scope that answer the query
	first bool
	best  search.Candidate // the best page: of the index, and later of those that are visible
	found []found
}

// compare orders scopes by First, and then by their best pages.
func (a rankedScope) compare(b rankedScope) int {
	switch {
	case a.first != b.first:
		if a.first {
			return -1
		}
		return 1
	case a.first:
		return a.scope - b.scope
	case a.best.Before(b.best):
		return -1
	case b.best.Before(a.best):
		return 1
	}
	return a.scope - b.scope // they share a layer
}

// bestScopes returns the n best scopes behind a place, with their best pages, and the number
// of these pages. It reads pages of few other scopes: it looks at scopes in the order of
// the best page that the index has of them, and ends when no other scope can be better than
// those that it has. Only then is it known which pages are visible.
func (s *searcher) bestScopes(ctx context.Context, most bool, at *Place, n, pages int) ([]rankedScope, int, error) {
	all, err := s.scores(most)
	if err != nil {
		return nil, 0, err
	}
	var out []rankedScope
	count := 0
	for _, sc := range s.rankScopes(all, at) {
		better, _ := slices.BinarySearchFunc(out, sc, rankedScope.compare)
		if better >= n && count > 0 {
			break
		}
		if len(sc.lists) > 0 {
			if sc.found, err = s.best(ctx, scored{all.lists, all.places, sc.lists, sc.scope}, nil, pages); err != nil {
				return nil, 0, err
			}
		}
		if len(sc.found) > 0 {
			sc.best = sc.found[0].Candidate
			count += len(sc.found)
		} else if !sc.first {
			continue
		}
		i, _ := slices.BinarySearchFunc(out, sc, rankedScope.compare)
		out = slices.Insert(out, i, sc)
	}
	return out[:min(n, len(out))], count, nil
}

// rankScopes returns the scopes behind a place that have pages that answer the query, or
// come first, in the order of the best pages of the index.
func (s *searcher) rankScopes(all scored, at *Place) []rankedScope {
	of := make([]rankedScope, len(s.scopes))
	for i, list := range all.lists {
		top := search.Top([][]search.Scored{list}, 1)
		if len(top) == 0 {
			continue
		}
		top[0].List = i
		for _, p := range s.layer(all.places[i]).places {
			sc := &of[p.scope]
			if len(sc.lists) == 0 || top[0].Before(sc.best) {
				sc.best = top[0]
			}
			if !slices.Contains(sc.lists, i) {
				sc.lists = append(sc.lists, i)
			}
		}
	}
	var out []rankedScope
	for i, sc := range of {
		sc.scope, sc.first = i, s.scopes[i].First
		if (len(sc.lists) > 0 || sc.first) && !at.Has(s.scopes[i].Key) {
			out = append(out, sc)
		}
	}
	slices.SortFunc(out, rankedScope.compare)
	return out
}
