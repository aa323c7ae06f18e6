package engine

import (
	"slices"
	"testing"
)

// Few rows are one statement, and long ones are several.
func TestRowsAreStoredWithFewStatements(t *testing.T) {
	for _, c := range []struct {
		rows, size int
		want       []int
	}{
		{1, 100, []int{1}},
		{5, 100, []int{5}},
		{8, 100, []int{8}},
		{11, 100, []int{8, 3}},
		{70, 100, []int{64, 6}},
		{70, 10 << 10, []int{8, 8, 8, 8, 8, 8, 8, 8, 6}},
		{5, 50 << 10, []int{2, 2, 1}},
		{2, 1 << 20, []int{1, 1}},
	} {
		if got := rowCounts(c.rows, c.size); !slices.Equal(got, c.want) {
			t.Errorf("%d rows of %d bytes: %v, want %v", c.rows, c.size, got, c.want)
		}
	}
}

// rowCounts returns how many rows each statement has that stores n rows of a size.
func rowCounts(n, size int) (out []int) {
	rows := make([][]any, n)
	for i := range rows {
		rows[i] = []any{make([]byte, size)}
	}
	for len(rows) > 0 {
		out = append(out, rowsAtOnce(rows))
		rows = rows[out[len(out)-1]:]
	}
	return out
}
