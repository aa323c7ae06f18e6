package search

import (
	"strings"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/turkish"
)

// stemmers holds the stemmers by the first part of a language code. Words of other
// languages are not stemmed.
var stemmers = map[string]func(*snowballstem.Env) bool{
	"ar": arabic.Stem, "da": danish.Stem, "nl": dutch.Stem, "en": english.Stem, "fi": finnish.Stem,
	"fr": french.Stem, "de": german.Stem, "hu": hungarian.Stem, "it": italian.Stem,
	"nb": norwegian.Stem, "nn": norwegian.Stem, "no": norwegian.Stem,
	"pt": portuguese.Stem, "ro": romanian.Stem, "ru": russian.Stem, "es": spanish.Stem,
	"sv": swedish.Stem, "tr": turkish.Stem,
}

// minStemLetters is the minimum length of words that are stemmed, in bytes. Shorter
// ones are more often names and abbreviations than inflected words.
const minStemLetters = 4

// stemmer finds the stem of folded words of one language.
type stemmer struct {
	cut func(*snowballstem.Env) bool
	env *snowballstem.Env
}

func newStemmer(language string) *stemmer {
	code, _, _ := strings.Cut(strings.ToLower(language), "-")
	cut := stemmers[code]
	if cut == nil {
		return &stemmer{}
	}
	return &stemmer{cut: cut, env: snowballstem.NewEnv("")}
}

func (s *stemmer) stem(word string) string {
	if s.cut == nil || len(word) < minStemLetters {
		return word
	}
	s.env.SetCurrent(word)
	s.cut(s.env)
	// The word has no accents, but a stemmer may add one.
	out := fold(s.env.Current())
	if out == "" {
		out = word
	}
	return out
}
