package search

import (
	"encoding/binary"
	"maps"
	"strings"
)

// term is a normalized word of the index. An analyser has one term for each text
// and caches its properties, because texts repeat their words.
type term struct {
	text  string
	start uint64 // the first 8 bytes, for fast comparison
	stem  *term  // nil until it is first needed
	// count is that of the page with this number.
	page int
	count
}

// maxTerms is the number of terms above which an analyser drops old ones.
const maxTerms = 64 << 10

// lexicon caches the terms of an analyser.
type lexicon struct {
	terms  map[string]*term
	since  int // number of the page at which old terms were dropped last
	folded []byte
}

// of returns the term of a word, or nil if nothing is left of it after folding.
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
	t = &term{text: strings.Clone(word)} // word refers to the text of a page
	t.start = startOf(word)
	l.terms[t.text] = t
	return t
}

// startOf returns the first 8 bytes of a term as a number. Numbers compare as the
// bytes do.
func startOf[T string | []byte](term T) uint64 {
	var start [8]byte
	copy(start[:], term)
	return binary.BigEndian.Uint64(start[:])
}

// forget drops the terms that were not on one of the last pages, if there are
// more than maxTerms. A stem is counted on every page that has its word, so both
// are dropped together.
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
