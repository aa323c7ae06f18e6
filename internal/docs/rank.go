package docs

import (
	"strings"
	"time"
)

// Rank is a position among siblings: a text that sorts bytewise. Appending does not
// require the ranks of the siblings, and a move changes only one rank.
type Rank string

// RankAtEnd returns a rank after all ranks that were returned before now.
func RankAtEnd(now time.Time) Rank {
	// The last character is not the lowest one, so that a lower rank always exists.
	return Rank(timeText(now) + randomText(3) + "V")
}

// RankBetween returns a rank between lo and hi, with lo < hi. An empty lo is before
// everything, and an empty hi is after everything.
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
			bounded = false // the result is below hi, regardless of what follows
		}
		out = append(out, alphabet[l])
	}
}

// rankDigits is sufficient for fifteen million siblings.
const (
	rankDigits = 6
	rankStep   = 62 * 62
)

// RankAfter returns a rank after last. Its length does not grow if it is called
// repeatedly with its own result. An empty last is before everything.
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
	if n > 0 { // the digits overflow
		return RankBetween(last, "")
	}
	return Rank(string(b[:]) + "V") // not the lowest character, see RankAtEnd
}
