// Package lis finds longest increasing subsequences. Comparing two orders of
// the same elements with it reports which of them stayed in place, so that as
// few as possible count as moved.
package lis

import "slices"

// Longest returns the positions of a longest strictly increasing subsequence
// of list, in ascending order.
func Longest[T any](list []T, compare func(a, b T) int) []int {
	var ends []int // ends[k] is the position of the smallest last element of a subsequence of length k+1
	before := make([]int, len(list))
	for i, e := range list {
		k, _ := slices.BinarySearchFunc(ends, e, func(end int, e T) int { return compare(list[end], e) })
		before[i] = -1
		if k > 0 {
			before[i] = ends[k-1]
		}
		if k == len(ends) {
			ends = append(ends, i)
		} else {
			ends[k] = i
		}
	}
	if len(ends) == 0 {
		return nil
	}
	out := make([]int, len(ends))
	for k, i := len(ends)-1, ends[len(ends)-1]; k >= 0; k-- {
		out[k] = i
		i = before[i]
	}
	return out
}
