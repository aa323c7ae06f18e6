// Package rising tells what keeps its order when a list is put into another
// one: as much as possible, so that as little as possible has moved.
package rising

import "slices"

// Longest gives the positions of a longest part of a list whose elements
// rise, each above the one before it.
func Longest[T any](list []T, compare func(a, b T) int) []int {
	var ends []int // position of the smallest end of each length
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
