package searchrows

import "testing"

// Segments of several levels that are due become one at once.
func TestDueSegments(t *testing.T) {
	levels := func(all ...int64) (out []segment) {
		for i, level := range all {
			out = append(out, segment{number: int64(i + 1), level: level, pages: foldAt})
		}
		return out
	}
	for _, c := range []struct {
		all  []segment
		most int64
		want []int64
	}{
		{levels(), mergeNow, nil},
		{levels(1, 1, 1, 0, 0, 0), mergeNow, nil},
		{levels(1, 1, 0, 0, 0, 0), mergeNow, []int64{3, 4, 5, 6}},
		{levels(2, 1, 1, 1, 0, 0, 0, 0), mergeNow, []int64{2, 3, 4, 5, 6, 7, 8}},
		{levels(1, 1, 1, 0, 0, 0, 0), 4 * foldAt, []int64{4, 5, 6, 7}},
		{levels(3, 3, 3, 3, 1, 0), mergeNow, []int64{1, 2, 3, 4}},
		{levels(3, 3, 3, 3), 4*foldAt - 1, nil},
	} {
		got := dueSegments(c.all, c.most)
		same := len(got) == len(c.want)
		for i := 0; same && i < len(got); i++ {
			same = got[i].number == c.want[i]
		}
		if !same {
			t.Errorf("of %v at most %d pages: got %v, want the numbers %v", c.all, c.most, got, c.want)
		}
	}
}
