package search

import (
	"encoding/binary"
	"maps"
	"strings"
)

// term is what a word is found by. An analyser has one of each, because texts
// repeat their words: what was found out about it is looked up.
type term struct {
	text  string
	start uint64 // its first characters, to compare by
	stem  *term  // nil: nobody asked yet
	// What an Analyser counted, on which page.
	page int
	count
}

// maxTerms is how many terms an analyser remembers.
const maxTerms = 64 << 10

// lexicon has the terms that an analyser knows.
type lexicon struct {
	terms  map[string]*term
	since  int // the page on which it was made smaller
	folded []byte
}

// of returns the term of a word, nil for one that has none.
func (l *lexicon) of(word string) *term {
	if !isFolded(word) {
		l.folded = appendFolded(l.folded[:0], word)
		if t := l.terms[string(l.folded)]; t != nil {
			return t
		}
		word = string(l.folded)
	}
	return l.named(word)
}

// named returns the term of a folded word.
func (l *lexicon) named(word string) *term {
	t := l.terms[word]
	if t != nil || word == "" {
		return t
	}
	t = &term{text: strings.Clone(word)} // which is a part of a page
	t.start = startOf(word)
	l.terms[t.text] = t
	return t
}

// startOf returns the first characters of a term as a number in the same order.
func startOf[T string | []byte](term T) uint64 {
	var start [8]byte
	copy(start[:], term)
	return binary.BigEndian.Uint64(start[:])
}

// forget drops the terms that were not on one of the last pages if there are
// too many. A stem is on every page that its word is on, so it stays with it.
func (l *lexicon) forget(page int) {
	if len(l.terms) <= maxTerms {
		return
	}
	old := l.since + (page-l.since)/2
	maps.DeleteFunc(l.terms, func(_ string, t *term) bool { return t.page < old })
	if len(l.terms) > maxTerms/2 {
		clear(l.terms)
	}
	l.since = page
}
