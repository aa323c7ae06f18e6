package align

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// RunFunc merges three versions of a run of parts between two unchanged
// parts.
type RunFunc func(base, into, from []string) ([]string, bool)

// Merge merges three lists of lines, or of other parts of a source. It
// returns nil if they cannot be merged.
func Merge(b, a, c []string, run RunFunc) []string {
	inA, inC := alignLines(b, a), alignLines(b, c)
	var out []string
	bi, ai, ci := 0, 0, 0
	for i := 0; i <= len(b); i++ {
		x, y := len(a), len(c)
		if i < len(b) {
			x, y = inA[i], inC[i]
		}
		if x < ai || y < ci { // not on both sides, or not in order
			continue
		}
		lines, ok := run(b[bi:i], a[ai:x], c[ci:y])
		if !ok {
			return nil
		}
		out = append(out, lines...)
		if i < len(b) {
			out = append(out, b[i])
		}
		bi, ai, ci = i+1, x+1, y+1
	}
	return out
}

// alignLines returns for each line of the base its index in side, or -1.
func alignLines(base, side []string) []int {
	hash := func(lines []string) []uint64 {
		out := make([]uint64, len(lines))
		for i, l := range lines {
			out[i] = HashString(HashSeed, l)
		}
		return out
	}
	from := make([]int, len(side))
	for i := range from {
		from[i] = -1
	}
	alignRange(hash(base), hash(side), 0, 0, from, 0)
	at := make([]int, len(base))
	for i := range at {
		at[i] = -1
	}
	for i, j := range from {
		if j >= 0 {
			at[j] = i
		}
	}
	return at
}

// MergeRun returns the version of the side that changed the run. If both sides
// did and the number of lines is unchanged, it merges line by line.
func MergeRun(base, into, from []string) ([]string, bool) {
	switch {
	case slices.Equal(into, from), slices.Equal(base, from):
		return into, true
	case slices.Equal(base, into):
		return from, true
	case len(base) != len(into) || len(base) != len(from):
		return nil, false
	}
	out := slices.Clone(into)
	for i := range base {
		switch {
		case into[i] == from[i], base[i] == from[i]:
		case base[i] == into[i]:
			out[i] = from[i]
		default:
			return nil, false
		}
	}
	return out, true
}

// MergeWords applies the difference between base and from to into, word by
// word. It returns an empty string if that is not possible. The result is only
// a proposal, so the caller has to parse it again to verify it.
func MergeWords(base, into, from string) string {
	return strings.Join(Merge(Tokens(base), Tokens(into), Tokens(from), MergeRun), "")
}

// Tokens splits a source into words, line breaks, and runs of one other
// character.
func Tokens(s string) []string {
	var out []string
	word := func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.IsMark(c) }
	for s != "" {
		first, n := utf8.DecodeRuneInString(s)
		for n < len(s) && first != '\n' {
			c, size := utf8.DecodeRuneInString(s[n:])
			if c != first && !(word(c) && word(first)) {
				break
			}
			n += size
		}
		out = append(out, s[:n])
		s = s[n:]
	}
	return out
}
