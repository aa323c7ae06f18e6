package search

import (
	"bytes"
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// maxPrefixWords bounds the words that complete a prefix. The most
	// frequent ones are kept.
	maxPrefixWords = 64
	// maxTypoWords bounds the words that a misspelled word may mean. The
	// nearest ones are kept.
	maxTypoWords = 24
	// maxPostings bounds what is ranked for one word in one layer. Spaces
	// are smaller.
	maxPostings = 2_000_000
)

// Lookup collects what the rows of an index say about the terms of a query,
// and ranks the pages that answer it. An index has one or more layers, which
// the caller numbers from 0. A lookup runs in this order:
//
//  1. Keys names the rows to read.
//  2. The rows go into AddRow, pages without a segment into AddPending, the
//     sizes of segments into AddPages.
//  3. Choose bounds the number of words. MissingLists names further rows,
//     which go into AddRow.
//  4. Rank returns the pages of each layer.
type Lookup struct {
	typos  bool
	terms  []*lookupTerm
	layers int
	pages  int64
	wanted []wantedWord
	lists  map[listPlace][]byte
	// spend is asked before words are compared with misspelled ones. It returns
	// false if there are enough; the others are not looked at then.
	spend func(words int) bool
	full  bool
}

// lookupTerm is a term of the query and the words of the index that answer it.
type lookupTerm struct {
	QueryTerm
	words map[string]*lookupWord
}

// lookupWord is a word of the index that answers a term.
type lookupWord struct {
	weight float64
	pages  int64
	lists  []wordList
}

// wordList holds the postings of a word in one segment of a layer, or the
// posting of one pending page.
type wordList struct {
	layer   int
	segment int64
	data    []byte // nil: in a row of its own, which has not been read yet
	posting Posting
}

// listPlace identifies the row with the postings of a common word.
type listPlace struct {
	layer   int
	segment int64
	word    string
}

// NewLookup returns a lookup of terms in an index with a number of layers. If
// typos is set, words that are spelled a little differently answer a term too, as long as
// spend, which gets the number of words that are compared, returns true.
func NewLookup(terms []QueryTerm, layers int, typos bool, spend func(words int) bool) *Lookup {
	l := &Lookup{typos: typos, layers: layers, wanted: wantedWords(terms), lists: map[listPlace][]byte{}, spend: spend}
	for _, t := range terms {
		l.terms = append(l.terms, &lookupTerm{QueryTerm: t, words: map[string]*lookupWord{}})
	}
	return l
}

// Keys returns the keys of the rows that can hold an answer: single keys, and
// ranges [from, to) that do not overlap and contain none of the single keys.
func (l *Lookup) Keys() (keys []string, ranges [][2]string) {
	single := map[string]bool{}
	for _, t := range l.terms {
		for _, w := range []string{t.Text, t.Stem} {
			single[ListKey(w)] = true
			for _, k := range BucketKeys(w) {
				single[k] = true
			}
		}
		if t.Prefix {
			ranges = append(ranges, t.PrefixKeys())
		}
		if l.typos {
			ranges = append(ranges, t.TypoKeys()...)
		}
	}
	ranges = joinRanges(ranges)
	maps.DeleteFunc(single, func(k string, _ bool) bool {
		return slices.ContainsFunc(ranges, func(r [2]string) bool { return r[0] <= k && k < r[1] })
	})
	return slices.Sorted(maps.Keys(single)), ranges
}

// joinRanges sorts ranges and joins those that overlap.
func joinRanges(ranges [][2]string) [][2]string {
	slices.SortFunc(ranges, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	var out [][2]string
	for _, r := range ranges {
		if n := len(out) - 1; n >= 0 && r[0] <= out[n][1] {
			out[n][1] = max(out[n][1], r[1])
			continue
		}
		out = append(out, r)
	}
	return out
}

// AddPages counts the pages of a segment. How rare a word is depends on the
// number of all pages.
func (l *Lookup) AddPages(n int64) { l.pages += n }

// AddPending adds a page that is not part of a segment yet. data is an
// encoded Doc; AddPending copies what it keeps.
func (l *Lookup) AddPending(layer int, id int64, data []byte) {
	l.pages++
	for word, impact := range l.docTerms(data) {
		l.add(word, 1, wordList{layer: layer, posting: Posting{id, impact}})
	}
}

// AddRow adds a row of a segment: a bucket of words or the postings of one
// word. It copies what it keeps of data, and returns ErrDamaged if the data
// cannot be read.
func (l *Lookup) AddRow(layer int, segment int64, key string, data []byte) error {
	if IsList(key) {
		l.lists[listPlace{layer, segment, ListWord(key)}] = bytes.Clone(data)
		return nil
	}
	if !l.bucketWords(key, data, func(w Word) bool {
		l.add(w.Term, w.Pages, wordList{layer: layer, segment: segment, data: w.Postings})
		return true
	}) {
		return ErrDamaged
	}
	return nil
}

// add adds the postings of a word to the terms that the word answers.
func (l *Lookup) add(word []byte, pages int, list wordList) {
	for _, t := range l.terms {
		if !t.mayAnswer(word, l.typos) {
			continue
		}
		if v, ok := t.words[string(word)]; ok {
			list.data = bytes.Clone(list.data)
			v.pages += int64(pages)
			v.lists = append(v.lists, list)
			continue
		}
		w := string(word)
		if weight := t.Weight(w, l.typos); weight > 0 {
			list.data = bytes.Clone(list.data)
			t.words[w] = &lookupWord{weight: weight, pages: int64(pages), lists: []wordList{list}}
		}
	}
}

// mayAnswer is a cheap test that rules out most words; Weight decides.
func (t *lookupTerm) mayAnswer(word []byte, typos bool) bool {
	if len(word) == 0 {
		return false
	}
	if string(word) == t.Text || string(word) == t.Stem {
		return true
	}
	if typos && t.Typos > 0 {
		return word[0] == t.Text[0] || len(t.Text) > 1 && (t.Text[1] == word[0] || t.Text[0] >= utf8.RuneSelf)
	}
	return t.Prefix && len(word) > len(t.Text) && string(word[:len(t.Text)]) == t.Text
}

// wantedWord is a word that a query asks for, or the prefix of one.
type wantedWord struct {
	word   string
	prefix bool
}

// wantedWords returns what terms ask for as they are written. No word of an
// index answers two of them.
func wantedWords(terms []QueryTerm) []wantedWord {
	var all []wantedWord
	for _, t := range terms {
		all = append(all, wantedWord{t.Text, t.Prefix}, wantedWord{t.Stem, false})
	}
	var out []wantedWord
	for i, w := range all {
		covered := slices.ContainsFunc(all, func(v wantedWord) bool {
			return v.prefix && strings.HasPrefix(w.word, v.word) && v != w
		})
		if !covered && !slices.Contains(all[:i], w) {
			out = append(out, w)
		}
	}
	return out
}

// Full reports whether words that could have been meant were left out, because
// there are too many to compare.
func (l *Lookup) Full() bool { return l.full }

// comparing reports whether n more words are compared with misspelled ones.
func (l *Lookup) comparing(n int) bool {
	if l.typos && !l.full && !l.spend(n) {
		l.full = true
	}
	return l.typos && !l.full
}

// bytesPerWord is about how much of a row one word takes.
const bytesPerWord = 8

// docTerms returns the terms of an encoded Doc that may answer the query.
func (l *Lookup) docTerms(data []byte) iter.Seq2[[]byte, Impact] {
	if l.comparing(len(data) / bytesPerWord) {
		return DecodeDoc(data)
	}
	return func(yield func([]byte, Impact) bool) {
		for _, w := range l.wanted {
			for term, impact := range DocTerms(data, w.word, w.prefix) {
				if !yield(term, impact) {
					return
				}
			}
		}
	}
}

// bucketWords calls fn for the words of a bucket that may answer the query.
// It returns false if the bucket is damaged.
func (l *Lookup) bucketWords(key string, data []byte, fn func(Word) bool) bool {
	if l.comparing(len(data) / bytesPerWord) {
		return EachWord(data, fn)
	}
	start := strings.TrimPrefix(key, keyBucket)
	for _, w := range l.wanted {
		if !strings.HasPrefix(w.word, start) && !(w.prefix && strings.HasPrefix(start, w.word)) {
			continue
		}
		if !EachWordOf(data, w.word, w.prefix, fn) {
			return false
		}
	}
	return true
}

// Choose keeps a bounded number of words for each term.
func (l *Lookup) Choose() {
	for _, t := range l.terms {
		t.choose()
	}
}

func (t *lookupTerm) choose() {
	var prefixed, misspelled []string
	for w, v := range t.words {
		switch {
		case v.weight >= WeightStem:
		case v.weight == WeightPrefix:
			prefixed = append(prefixed, w)
		default:
			misspelled = append(misspelled, w)
		}
	}
	t.keepBest(prefixed, maxPrefixWords)
	t.keepBest(misspelled, maxTypoWords)
}

// keepBest deletes all but the n best of some words.
func (t *lookupTerm) keepBest(words []string, n int) {
	if len(words) <= n {
		return
	}
	slices.SortFunc(words, func(a, b string) int {
		va, vb := t.words[a], t.words[b]
		return cmp.Or(cmp.Compare(vb.weight, va.weight), cmp.Compare(vb.pages, va.pages), cmp.Compare(a, b))
	})
	for _, w := range words[n:] {
		delete(t.words, w)
	}
}

// MissingLists returns the keys of the rows with postings that the layers
// [first, end) still need, sorted.
func (l *Lookup) MissingLists(first, end int) []string {
	missing := map[string]bool{}
	for _, t := range l.terms {
		for word, v := range t.words {
			for i := range v.lists {
				list := &v.lists[i]
				if list.data != nil || list.posting.ID != 0 || list.layer < first || list.layer >= end {
					continue
				}
				if list.data = l.lists[listPlace{list.layer, list.segment, word}]; list.data == nil {
					missing[ListKey(word)] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(missing))
}

// Matcher returns a Matcher for the words that were found.
func (l *Lookup) Matcher(language string) *Matcher {
	var words []Alternatives
	for _, t := range l.terms {
		alternatives := Alternatives{}
		for w, v := range t.words {
			alternatives[w] = v.weight
		}
		words = append(words, alternatives)
	}
	return NewMatcher(language, words)
}

// Answers reports whether a text answers the query by itself: it has every term
// that is not optional, or half of them if most is set. m is the matcher of
// this lookup.
func (l *Lookup) Answers(m *Matcher, title string, sections []Section, most bool) bool {
	var has [maxQueryTerms]bool
	mark := func(text string) {
		for _, f := range m.find(text) {
			has[f.term] = true
		}
	}
	mark(title)
	for _, s := range sections {
		mark(s.Title)
		mark(s.Body)
	}
	required, found := 0, 0
	for i, t := range l.terms[:min(len(l.terms), maxQueryTerms)] {
		if t.Optional {
			continue
		}
		required++
		if has[i] {
			found++
		}
	}
	if most {
		return found > 0 && 2*found >= required
	}
	return found == required
}
