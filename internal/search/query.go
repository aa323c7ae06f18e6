package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// QueryTerm is one thing that a query asks for. A page has it if it has one
// of its alternatives.
type QueryTerm struct {
	// Text is the word as it was asked for, without case and accents.
	Text string
	// Stem finds its other forms; the same as Text where there are none.
	Stem string
	// Prefix is set for the word that is still being typed: what begins with
	// Text is an alternative too.
	Prefix bool
	// Typos is how many letters of Text may be wrong.
	Typos int
	// Optional does not have to be there, but a page that has it is better.
	Optional bool
}

// Weights of the alternatives of a query term.
const (
	WeightExact  = 1.1
	WeightStem   = 1.0
	WeightPrefix = 0.7
)

// WeightTypo is the weight of a word in which n letters differ.
func WeightTypo(n int) float64 { return 0.6 / float64(n+1) }

// minPrefix is the shortest beginning of a word that represents the word: a
// single letter begins too many.
const minPrefix = 2

// Query reads what somebody typed. The last word may be incomplete, unless a
// blank or a quotation mark follows. It never fails: what is not a word is left
// out, and what is too much is cut off.
func Query(q, language string) []QueryTerm {
	q = cutRunes(q, MaxQuery)
	a := newAnalyser(language)
	var out []QueryTerm
	add := func(t QueryTerm) {
		if len(out) >= maxQueryTerms {
			return
		}
		i := slices.IndexFunc(out, func(o QueryTerm) bool { return o.Text == t.Text })
		if i < 0 {
			out = append(out, t)
			return
		}
		out[i].Prefix = out[i].Prefix && t.Prefix
		out[i].Optional = out[i].Optional && t.Optional
	}
	eachWord(q, func(start, end int, unspaced bool) bool {
		typing := end == len(q)
		if unspaced {
			a.piecesOf(q, start, end, add)
			return len(out) < maxQueryTerms
		}
		a.word(q, start, end, false, func(f form) {
			switch f.role {
			case surface:
				add(QueryTerm{
					Text: f.term.text, Stem: a.stem(f.term).text, Typos: typosOf(f.term.text),
					Prefix: typing && f.end == end && isPrefix(f.term.text),
				})
			case whole:
				add(QueryTerm{Text: f.term.text, Stem: f.term.text, Optional: true})
			}
		})
		return len(out) < maxQueryTerms
	})
	return out
}

// piecesOf asks for all pairs of an unspaced run; a single character for what
// begins with it.
func (a *analyser) piecesOf(q string, start, end int, add func(QueryTerm)) {
	var pieces []string
	eachPiece(q, start, end, func(s, e int) bool {
		if t := fold(q[s:e]); t != "" {
			pieces = append(pieces, t)
		}
		return len(pieces) <= maxQueryTerms
	})
	if len(pieces) == 1 {
		add(QueryTerm{Text: pieces[0], Stem: pieces[0], Prefix: true})
		return
	}
	for i, t := range pieces {
		if i < len(pieces)-1 { // the last one is a single character
			add(QueryTerm{Text: t, Stem: t})
		}
	}
}

func isPrefix(word string) bool { return utf8.RuneCountInString(word) >= minPrefix }

// typosOf reports how many letters of a word may be wrong. Numbers and what has
// digits in it must be right: one digit makes another version.
func typosOf(word string) int {
	n := 0
	for _, r := range word {
		if !unicode.IsLetter(r) {
			return 0
		}
		n++
	}
	switch {
	case n < 5:
		return 0
	case n < 9:
		return 1
	}
	return 2
}

// cutRunes returns at most n characters of s.
func cutRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// PrefixKeys returns the range [from, to) of the keys of buckets that hold
// nothing but words that begin with the term. Others are in BucketKeys.
func (t QueryTerm) PrefixKeys() [2]string {
	start := keyBucket + first(t.Text, maxDepth)
	return [2]string{start, After(start)}
}

// TypoKeys returns the ranges of the keys of buckets that hold the words that
// can have been meant: those with the same first letter, and those where the
// first two were swapped.
func (t QueryTerm) TypoKeys() [][2]string {
	if t.Typos == 0 {
		return nil
	}
	one, n := utf8.DecodeRuneInString(t.Text)
	two, _ := utf8.DecodeRuneInString(t.Text[n:])
	out := [][2]string{{keyBucket + string(one), After(keyBucket + string(one))}}
	if one != two {
		// The bucket of the second letter alone, and those that go on with
		// the first.
		key := keyBucket + string(two)
		out = append(out, [2]string{key, key + "\x01"}, [2]string{key + string(one), After(key + string(one))})
	}
	return out
}

// After returns a text that sorts behind everything that begins with prefix.
func After(prefix string) string { return prefix + string(utf8.MaxRune) }

// Weight reports how well a word of the index answers the term: 0 if it does
// not. Typos are looked at only if asked for.
func (t QueryTerm) Weight(word string, typos bool) float64 {
	switch {
	case word == t.Text:
		return WeightExact
	case word == t.Stem:
		return WeightStem
	case t.Prefix && strings.HasPrefix(word, t.Text):
		return WeightPrefix
	case typos && t.Typos > 0:
		if n := Distance(t.Text, word, t.Typos, t.Prefix); n <= t.Typos {
			return WeightTypo(n)
		}
	}
	return 0
}
