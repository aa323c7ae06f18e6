package docs

import (
	"strings"
	"time"
)

// Rank is where a thing stands among its siblings: a text that sorts
// bytewise. Appending needs no look at the others, and moving one thing
// rewrites only that thing.
type Rank string

// RankAtEnd returns a rank behind everything that was appended before now.
func RankAtEnd(now time.Time) Rank {
	// The last character is not the lowest one, so that there is always room
	// in front.
	return Rank(timeText(now) + randomText(3) + "V")
}

// RankBetween returns a rank behind lo and before hi. An empty lo is before
// everything, an empty hi behind everything. It needs lo < hi.
func RankBetween(lo, hi Rank) Rank {
	var out []byte
	bounded := hi != ""
	for i := 0; ; i++ {
		l, h := 0, len(alphabet)
		if i < len(lo) {
			l = strings.IndexByte(alphabet, lo[i])
		}
		if bounded && i < len(hi) {
			h = strings.IndexByte(alphabet, hi[i])
		}
		switch {
		case h-l > 1:
			return Rank(append(out, alphabet[(l+h)/2]))
		case h-l == 1:
			bounded = false // from here on, anything above lo is below hi
		}
		out = append(out, alphabet[l])
	}
}

// rankDigits leave room for fifteen million appended things.
const (
	rankDigits = 6
	rankStep   = 62 * 62
)

// RankAfter returns a rank behind last that does not grow however often it is
// done. An empty last is before everything.
func RankAfter(last Rank) Rank {
	n := 0
	for i := range rankDigits {
		d := 0
		if i < len(last) {
			d = max(strings.IndexByte(alphabet, last[i]), 0)
		}
		n = n*len(alphabet) + d
	}
	n += rankStep
	var b [rankDigits]byte
	for i := rankDigits - 1; i >= 0; i-- {
		b[i] = alphabet[n%len(alphabet)]
		n /= len(alphabet)
	}
	if n > 0 { // no number is left
		return RankBetween(last, "")
	}
	return Rank(string(b[:]) + "V") // not the lowest, so there is room in front
}
