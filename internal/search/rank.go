package search

import (
	"cmp"
	"container/heap"
	"maps"
	"math"
	"slices"
)

// Scored is a page of a layer that matches a query.
type Scored struct {
	ID    int64
	Score float64
	share float64 // weight of the terms that the page has
}

// rankedTerm is a term with the pages of each layer that have it, sorted by
// id.
type rankedTerm struct {
	optional bool
	weight   float64
	layers   [][]Scored
}

// Scores returns the pages of each layer that have all terms of the query that are
// not optional, sorted by id. If most is set, it returns the pages whose terms have
// at least half of the weight of the query. Top sorts pages by score.
func (l *Lookup) Scores(most bool) ([][]Scored, error) {
	terms := make([]rankedTerm, len(l.terms))
	for i, t := range l.terms {
		var err error
		if terms[i], err = l.rankTerm(t); err != nil {
			return nil, err
		}
	}
	out := make([][]Scored, l.layers)
	for layer := range out {
		out[layer] = combine(terms, layer, most)
	}
	return out, nil
}

// rankTerm returns the pages that have a term. A term that no page has has no weight,
// so it is not needed if half of the weight is enough.
func (l *Lookup) rankTerm(t *lookupTerm) (rankedTerm, error) {
	out := rankedTerm{optional: t.Optional, layers: make([][]Scored, l.layers)}
	var buffer []Posting
	for _, name := range slices.Sorted(maps.Keys(t.words)) {
		w := t.words[name]
		for _, list := range w.lists {
			ok := true
			if list.posting.ID != 0 {
				buffer = append(buffer[:0], list.posting)
			} else {
				buffer, ok = ReadPostings(buffer[:0], list.data)
			}
			if !ok {
				return out, ErrDamaged
			}
			scored := out.layers[list.layer]
			if room := maxPostings - len(scored); len(buffer) > room {
				buffer = buffer[:room]
			}
			scored = slices.Grow(scored, len(buffer))
			for _, p := range buffer {
				scored = append(scored, Scored{ID: p.ID, Score: w.weight * p.Impact.Float()})
			}
			out.layers[list.layer] = scored
		}
	}
	pages := 0
	for i, list := range out.layers {
		out.layers[i] = sortByID(list)
		pages += len(out.layers[i])
	}
	if pages == 0 {
		return out, nil
	}
	// The inverse document frequency of BM25.
	all := max(float64(l.pages), float64(pages))
	out.weight = math.Log(1 + (all-float64(pages)+0.5)/(float64(pages)+0.5))
	for _, list := range out.layers {
		for i := range list {
			list[i].Score *= out.weight
		}
	}
	return out, nil
}

// sortByID sorts pages by id and keeps the highest score of equal ids.
func sortByID(list []Scored) []Scored {
	ascending := true
	for i := 1; i < len(list) && ascending; i++ {
		ascending = list[i-1].ID < list[i].ID
	}
	if ascending {
		return list
	}
	slices.SortFunc(list, func(a, b Scored) int { return cmp.Compare(a.ID, b.ID) })
	out := list[:1]
	for _, s := range list[1:] {
		if last := &out[len(out)-1]; last.ID == s.ID {
			last.Score = max(last.Score, s.Score)
			continue
		}
		out = append(out, s)
	}
	return out
}

// combine returns the pages of a layer that have all terms, or terms with half of
// the total weight if most is set.
func combine(terms []rankedTerm, layer int, most bool) []Scored {
	var out []Scored
	total := 0.0
	started := false
	// The rarest term comes first, so that the lists to intersect are short.
	order := slices.Clone(terms)
	slices.SortStableFunc(order, func(a, b rankedTerm) int { return cmp.Compare(len(a.layers[layer]), len(b.layers[layer])) })
	for _, t := range order {
		if t.optional {
			continue
		}
		total += t.weight
		list := t.layers[layer]
		switch {
		case most:
			out = union(out, list, t.weight)
		case !started:
			out = slices.Clone(list)
		default:
			out = intersect(out, list)
		}
		started = true
		if !most && len(out) == 0 {
			return nil
		}
	}
	if most {
		out = slices.DeleteFunc(out, func(s Scored) bool { return s.share < total/2 })
	}
	for _, t := range terms {
		if t.optional {
			addScores(out, t.layers[layer])
		}
	}
	return out
}

// intersect returns the pages that are in both lists, with the sums of their scores.
// It reuses the memory of a.
func intersect(a, b []Scored) []Scored {
	out := a[:0]
	j := 0
	for _, s := range a {
		j += gallop(b[j:], s.ID)
		if j == len(b) {
			break
		}
		if b[j].ID == s.ID {
			s.Score += b[j].Score
			out = append(out, s)
		}
	}
	return out
}

// gallop returns the index of the first page whose id is not less than id. It probes
// at 1, 2, 4, … before a binary search between two probes, so it is fast if the
// page is near the start.
func gallop(list []Scored, id int64) int {
	step := 1
	for step < len(list) && list[step-1].ID < id {
		step *= 2
	}
	from := step / 2
	n, _ := slices.BinarySearchFunc(list[from:min(step, len(list))], id, func(s Scored, id int64) int { return cmp.Compare(s.ID, id) })
	return from + n
}

// addScores adds the scores of b to the pages of a that are also in b.
func addScores(a, b []Scored) {
	j := 0
	for i := range a {
		if j += gallop(b[j:], a[i].ID); j == len(b) {
			return
		}
		if b[j].ID == a[i].ID {
			a[i].Score += b[j].Score
		}
	}
}

// union returns the pages that are in either list, with the sums of their scores and
// shares. share is that of each page of b.
func union(a, b []Scored, share float64) []Scored {
	out := make([]Scored, 0, len(a)+len(b))
	i := 0
	for _, s := range b {
		for i < len(a) && a[i].ID < s.ID {
			out = append(out, a[i])
			i++
		}
		s.share = share
		if i < len(a) && a[i].ID == s.ID {
			s.Score += a[i].Score
			s.share += a[i].share
			i++
		}
		out = append(out, s)
	}
	return append(out, a[i:]...)
}

// Candidate is a page that matches a query. List is the index of its list among the
// arguments of Top.
type Candidate struct {
	List  int
	ID    int64
	Score float64
}

// Before reports whether c is a better result than d. Equal scores are ordered by
// list and id, so that results are stable.
func (c Candidate) Before(d Candidate) bool {
	return cmp.Or(cmp.Compare(d.Score, c.Score), cmp.Compare(c.List, d.List), cmp.Compare(c.ID, d.ID)) < 0
}

// Top returns the n best pages of all lists, the best first.
func Top(lists [][]Scored, n int) []Candidate {
	top := candidateHeap{}
	for i, list := range lists {
		for _, s := range list {
			c := Candidate{i, s.ID, s.Score}
			switch {
			case len(top) < n:
				heap.Push(&top, c)
			case n > 0 && c.Before(top[0]):
				top[0] = c
				heap.Fix(&top, 0)
			}
		}
	}
	slices.SortFunc(top, func(a, b Candidate) int {
		if a.Before(b) {
			return -1
		}
		return 1
	})
	return top
}

// candidateHeap holds the best candidates so far, with the worst of them at
// the top. It implements heap.Interface.
type candidateHeap []Candidate

func (h candidateHeap) Len() int           { return len(h) }
func (h candidateHeap) Less(i, j int) bool { return h[j].Before(h[i]) }
func (h candidateHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *candidateHeap) Push(x any)        { *h = append(*h, x.(Candidate)) }
func (h *candidateHeap) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}
