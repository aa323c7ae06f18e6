package names

import (
	"cmp"
	"iter"
	"path"
	"slices"
	"strings"
)

const maxLetter = 120 // bytes of a path that are compared

// Near returns at most limit values whose paths are similar to at, the most similar
// first: those with the same last element, then those with a small edit distance.
func Near[T any](at string, limit int, all iter.Seq2[string, T]) []T {
	at = shortened(strings.TrimSuffix(strings.Trim(at, "/"), ".md"))
	last, most := path.Base(at), max(2, len(at)/3)
	type guess struct {
		it  T
		far int
	}
	var found []guess
	for to, it := range all {
		to = shortened(to)
		far := most + 1
		if diff := len(at) - len(to); diff <= most && -diff <= most { // otherwise the distance is greater than most
			far = distance(at, to)
		}
		switch d := distance(last, path.Base(to)); {
		case d == 0:
			far = min(far, 1)
		case d <= len(last)/3:
			far = min(far, d*2)
		}
		if far <= most {
			found = append(found, guess{it, far})
		}
	}
	slices.SortStableFunc(found, func(a, b guess) int { return cmp.Compare(a.far, b.far) })
	var out []T
	for _, g := range found[:min(len(found), limit)] {
		out = append(out, g.it)
	}
	return out
}

func shortened(name string) string {
	name = Fold(name)
	return name[:min(len(name), maxLetter)]
}

// distance returns how many bytes of a have to be deleted, inserted, replaced or swapped with
// their neighbour to get b.
func distance(a, b string) int {
	before, row, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next[0] = i + 1
		for j := range len(b) {
			change := row[j]
			if a[i] != b[j] {
				change++
				if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
					change = min(change, before[j-1]+1)
				}
			}
			next[j+1] = min(change, next[j]+1, row[j+1]+1)
		}
		before, row, next = row, next, before
	}
	return row[len(b)]
}
