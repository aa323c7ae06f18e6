package search

import (
	"cmp"
	"slices"
	"strings"
)

// A Marker finds the words of short texts, such as titles and snippets, that a query is about.
// Unlike a Matcher it needs no index: it judges each word by the query alone. It must not be
// used by several goroutines at once.
type Marker struct {
	terms    []QueryTerm
	analyser *analyser
	words    string // the words of the query, folded
}

// NewMarker returns a Marker for a query in a language.
func NewMarker(query, language string) *Marker {
	m := &Marker{terms: Query(query, language), analyser: newAnalyser(language)}
	m.words = m.wordsOf(cutRunes(query, MaxQuery))
	return m
}

// For returns how the words of some texts are marked, such as those of one result. Of each term
// of the query only the best matches in all of them are: the word itself and its other forms, or
// else words that begin with the unfinished last word, or else similar words.
func (m *Marker) For(texts ...string) Marks {
	k := Marks{marker: m}
	for _, text := range texts {
		m.each(text, true, func(_ form, term int, weight float64) {
			k.least[term] = max(k.least[term], min(weight, WeightStem))
		})
	}
	return k
}

// Marks are the words of some texts that match a query.
type Marks struct {
	marker *Marker
	least  [maxQueryTerms]float64 // weight of a match of each term
}

// In returns the places of the marks in one of the texts, as offsets of bytes. A place is a whole
// word, or a part of an identifier such as fooBar. Places are sorted and do not touch each other.
func (k Marks) In(text string) [][2]int {
	var all [][2]int
	k.marker.each(text, true, func(f form, term int, weight float64) {
		if weight >= k.least[term] {
			all = append(all, [2]int{f.start, f.end})
		}
	})
	slices.SortFunc(all, func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) })
	out := all[:0]
	for _, p := range all {
		if n := len(out) - 1; n >= 0 && p[0] <= out[n][1] {
			out[n][1] = max(out[n][1], p[1])
			continue
		}
		out = append(out, p)
	}
	return out
}

// each calls fn for each form of a word of a text and each term of the query that it matches, with
// the index of the term and the weight of the match. With typos, similar words match too.
func (m *Marker) each(text string, typos bool, fn func(f form, term int, weight float64)) {
	m.analyser.forget(0)
	eachWord(text[:min(len(text), maxScan)], func(start, end int, unspaced bool) bool {
		m.analyser.word(text, start, end, unspaced, func(f form) {
			for i, t := range m.terms {
				if weight := t.Weight(f.term.text, typos); weight > 0 {
					fn(f, i, weight)
				}
			}
		})
		return true
	})
}

// HasAll reports whether a text has every term of the query that is not optional. Similar words do
// not count.
func (m *Marker) HasAll(text string) bool {
	var has [maxQueryTerms]bool
	m.each(text, false, func(_ form, term int, _ float64) { has[term] = true })
	for i, t := range m.terms {
		if !has[i] && !t.Optional {
			return false
		}
	}
	return len(m.terms) > 0
}

// Is reports whether a text has the words of the query and no others, in the same order. Case,
// accents and everything between words do not matter.
func (m *Marker) Is(text string) bool { return m.words != "" && m.wordsOf(text) == m.words }

// wordsOf returns the words of a text, folded, with a space after each.
func (m *Marker) wordsOf(text string) string {
	var b strings.Builder
	eachWord(text[:min(len(text), maxScan)], func(start, end int, _ bool) bool {
		if t := m.analyser.of(text[start:end]); t != nil {
			b.WriteString(t.text)
			b.WriteByte(' ')
		}
		return true
	})
	return b.String()
}
