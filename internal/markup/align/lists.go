package align

import "github.com/octavo-docs/octavo/internal/markup/lis"

// InOrder returns for each element of b the index of an equal element of a, or -1.
// Elements between elements that stayed in place are matched first, and then those that
// moved. No element of a is matched twice.
func InOrder(a, b []uint64) []int {
	from := make([]int, len(b))
	for i := range from {
		from[i] = -1
	}
	alignRange(a, b, 0, 0, from, 0)
	// Match blocks that moved.
	left := map[uint64][]int{}
	taken := make([]bool, len(a))
	for _, j := range from {
		if j >= 0 {
			taken[j] = true
		}
	}
	for j, v := range a {
		if !taken[j] {
			left[v] = append(left[v], j)
		}
	}
	for i, v := range b {
		if list := left[v]; from[i] < 0 && len(list) > 0 {
			from[i], left[v] = list[0], list[1:]
		}
	}
	return from
}

// alignRange matches equal prefixes and suffixes. Between them it matches the
// elements that occur once on both sides, in the longest common order, and then
// recursively the ranges between these.
func alignRange(a, b []uint64, ai, bi int, from []int, depth int) {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		from[bi] = ai
		a, b, ai, bi = a[1:], b[1:], ai+1, bi+1
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		from[bi+len(b)-1] = ai + len(a) - 1
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	const deepest = 32
	if len(a) == 0 || len(b) == 0 || depth > deepest {
		return
	}
	type place struct{ na, nb, ia, ib int }
	places := map[uint64]*place{}
	for i, v := range a {
		p := places[v]
		if p == nil {
			p = &place{}
			places[v] = p
		}
		p.na, p.ia = p.na+1, i
	}
	for i, v := range b {
		if p := places[v]; p != nil {
			p.nb, p.ib = p.nb+1, i
		}
	}
	var once []*place // in the order of b
	for i, v := range b {
		if p := places[v]; p != nil && p.na == 1 && p.nb == 1 && p.ib == i {
			once = append(once, p)
		}
	}
	la, lb := 0, 0
	for _, i := range lis.Longest(once, func(a, b *place) int { return a.ia - b.ia }) {
		p := once[i]
		from[bi+p.ib] = ai + p.ia
		alignRange(a[la:p.ia], b[lb:p.ib], ai+la, bi+lb, from, depth+1)
		la, lb = p.ia+1, p.ib+1
	}
	if la > 0 || lb > 0 {
		alignRange(a[la:], b[lb:], ai+la, bi+lb, from, depth+1)
	}
}

// Edited adds matches to from, the result of InOrder, for elements that are an edited
// version of an old one: an element of the same kind between the same elements. old and
// doc are the kinds of the elements. An element for which named returns true is new.
func Edited(old, doc []string, from []int, named func(int) bool) {
	taken := make([]bool, len(old))
	for _, j := range from {
		if j >= 0 {
			taken[j] = true
		}
	}
	// limits[i] is the old index of the next matched block from i on.
	limits := make([]int, len(doc)+1)
	limits[len(doc)] = len(old)
	for i := len(doc) - 1; i >= 0; i-- {
		limits[i] = limits[i+1]
		if from[i] >= 0 {
			limits[i] = from[i]
		}
	}
	next := 0 // the first old block that the next one can match
	for i, kind := range doc {
		if from[i] >= 0 {
			next = from[i] + 1
			continue
		}
		if named(i) {
			continue
		}
		const window = 32 // how many blocks may be removed before an edited one
		for j := next; j < min(limits[i], next+window); j++ {
			if !taken[j] && old[j] == kind {
				from[i] = j
				taken[j] = true
				next = j + 1
				break
			}
		}
	}
}
