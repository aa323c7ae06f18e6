package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// QueryTerm is a term of a query. A page has the term if it has one of its
// alternatives: the text, the stem, or a word that Prefix or Typos allow.
type QueryTerm struct {
	// Text is the word of the query, folded.
	Text string
	// Stem matches other forms of the word; it may equal Text.
	Stem string
	// Prefix is set for a word that is still being typed: all words that start with
	// Text match.
	Prefix bool
	// Typos is the number of letters of Text that may be wrong.
	Typos int
	// Optional terms raise the score of a page, but are not required.
	Optional bool
}

// Weights of the alternatives of a query term.
const (
	WeightExact  = 1.1
	WeightStem   = 1.0
	WeightPrefix = 0.7
)

// WeightTypo returns the weight of a word in which n letters differ.
func WeightTypo(n int) float64 { return 0.6 / float64(n+1) }

// minPrefix is the minimum length of a prefix: too many words start with a given
// single letter.
const minPrefix = 2

// Query parses the text of a query. The last word may be incomplete, unless a space
// or a quotation mark follows it. Query never fails: it ignores characters that are
// not part of a word, and everything above its limits.
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

// piecesOf calls add for all pairs of characters of a run of a script without
// spaces. A single character is a prefix.
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
		if i < len(pieces)-1 { // the last piece is a single character
			add(QueryTerm{Text: t, Stem: t})
		}
	}
}

func isPrefix(word string) bool { return utf8.RuneCountInString(word) >= minPrefix }

// typosOf returns the number of letters of a word that may be wrong. It is 0 for
// words with digits, because another digit is another version.
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

// cutRunes returns the first n characters of s.
func cutRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// PrefixKeys returns the range [from, to) of the keys of buckets with only words
// that start with the term. Other buckets with such words are in BucketKeys.
func (t QueryTerm) PrefixKeys() [2]string {
	start := keyBucket + first(t.Text, maxDepth)
	return [2]string{start, After(start)}
}

// TypoKeys returns the ranges of the keys of buckets with possible corrections of
// the term: words with the same first letter, and words with the first two letters
// swapped.
func (t QueryTerm) TypoKeys() [][2]string {
	if t.Typos == 0 {
		return nil
	}
	one, n := utf8.DecodeRuneInString(t.Text)
	two, _ := utf8.DecodeRuneInString(t.Text[n:])
	out := [][2]string{{keyBucket + string(one), After(keyBucket + string(one))}}
	if one != two {
		// The bucket whose key is the second letter, and those whose keys continue
		// with the first letter.
		key := keyBucket + string(two)
		out = append(out, [2]string{key, key + "\x01"}, [2]string{key + string(one), After(key + string(one))})
	}
	return out
}

// After returns a text that sorts after all texts that start with prefix.
func After(prefix string) string { return prefix + string(utf8.MaxRune) }

// Weight returns the weight of a word of the index as a match of the term, or 0 if
// it does not match. Similar words match only if typos is set.
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
