package search

import "unicode/utf8"

// Distance returns the Damerau-Levenshtein distance of a and b: the number of
// letters that are deleted, inserted, replaced, or swapped with their neighbour. It
// returns most+1 if the distance is greater than most, or if the first letters
// differ and are not the result of swapping. If prefix is set, it is the smallest
// distance of a and a prefix of b.
func Distance(a, b string, most int, prefix bool) int {
	far := most + 1
	if a == b {
		return 0
	}
	var ra, rb [3 * maxTermRunes]rune
	m, ok := runesOf(&ra, a)
	n, ok2 := runesOf(&rb, b)
	if !ok || !ok2 || m < 2 || n < 2 || m-n > most || !prefix && n-m > most {
		return far
	}
	if ra[0] != rb[0] && (ra[0] != rb[1] || ra[1] != rb[0]) {
		return far
	}
	n = min(n, m+most)
	// Three rows of the usual table. Only cells near the diagonal can be at most most.
	var rows [3][3*maxTermRunes + 1]int
	for j := 0; j <= n; j++ {
		rows[0][j] = j
	}
	for i := 1; i <= m; i++ {
		row, prev, before := &rows[i%3], &rows[(i+2)%3], &rows[(i+1)%3]
		from, to := max(1, i-most), min(n, i+most)
		row[from-1] = far
		if from == 1 {
			row[0] = i
		}
		best := row[from-1]
		for j := from; j <= to; j++ {
			cost := 1
			if ra[i-1] == rb[j-1] {
				cost = 0
			}
			d := prev[j-1] + cost
			if j < i+most { // the cell above is inside the band
				d = min(d, prev[j]+1)
			}
			if j > from || from == 1 {
				d = min(d, row[j-1]+1)
			}
			if i > 1 && j > 1 && ra[i-1] == rb[j-2] && ra[i-2] == rb[j-1] && j-2 >= i-2-most {
				d = min(d, before[j-2]+1)
			}
			row[j] = min(d, far)
			best = min(best, row[j])
		}
		if best >= far {
			return far
		}
	}
	last := &rows[m%3]
	if !prefix {
		return last[n]
	}
	best := far
	for j := max(0, m-most); j <= n; j++ {
		best = min(best, last[j])
	}
	return best
}

// runesOf stores the characters of s in out and returns their number. It returns
// false if there are too many.
func runesOf(out *[3 * maxTermRunes]rune, s string) (int, bool) {
	n := 0
	for i := 0; i < len(s); n++ {
		if n == len(out) {
			return 0, false
		}
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
		}
		out[n] = r
		i += size
	}
	return n, true
}
