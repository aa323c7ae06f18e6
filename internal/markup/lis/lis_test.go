package lis

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/octavo-docs/octavo/internal/testing/testrapid"
)

// The subsequences of all subsets of a short list are the reference.
func TestLongestIsIncreasingAndAsLongAsAnyOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.IntRange(0, 9), 0, 10).Draw(t, "list")
		got := Longest(list, cmp.Compare[int])
		most := 0
		for set := range 1 << len(list) {
			var some []int
			for i, v := range list {
				if set>>i&1 == 1 {
					some = append(some, v)
				}
			}
			if slices.IsSorted(some) && len(slices.Compact(slices.Clone(some))) == len(some) {
				most = max(most, len(some))
			}
		}
		if len(got) != most {
			t.Fatalf("%v: %v, want %d elements", list, got, most)
		}
		for k := 1; k < len(got); k++ {
			if got[k-1] >= got[k] || list[got[k-1]] >= list[got[k]] {
				t.Fatalf("%v: %v is not increasing", list, got)
			}
		}
	})
}
