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
	// maxPrefixWords is the maximum number of words that complete a prefix. The
	// most frequent ones are used.
	maxPrefixWords = 64
	// maxTypoWords is the maximum number of corrections of a misspelled word. The
	// most similar ones are used.
	maxTypoWords = 24
	// maxPostings is the maximum number of postings that are ranked for one term
	// in one layer. Spaces have fewer pages.
	maxPostings = 2_000_000
)

// Lookup collects the postings of the terms of a query from the rows of an index,
// and ranks the pages that match. An index has one or more layers, which the caller
// numbers from 0. A lookup runs in this order:
//
//  1. Keys returns the keys of the rows to read.
//  2. The caller passes the rows to AddRow, pages without a segment to AddPending,
//     and the sizes of segments to AddPages.
//  3. LimitWords limits the number of words. MissingLists returns the keys of
//     further rows, which the caller passes to AddRow.
//  4. Scores returns the pages of each layer.
type Lookup struct {
	typos  bool
	terms  []*lookupTerm
	layers int
	pages  int64
	wanted []wantedWord
	lists  map[listPlace][]byte
	// spend is called with the number of words that are to be compared with
	// misspelled ones. If it returns false, no more words are compared.
	spend     func(words int) bool
	truncated bool
}

// lookupTerm is a term of the query and the words of the index that match it.
type lookupTerm struct {
	QueryTerm
	words map[string]*lookupWord
}

// lookupWord is a word of the index that matches a term.
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
	data    []byte // nil if it is in a row of its own that has not been read yet
	posting Posting
}

// listPlace identifies the row with the postings of a common word.
type listPlace struct {
	layer   int
	segment int64
	word    string
}

// NewLookup returns a lookup of terms in an index with a number of layers. If
// typos is set, similar words match a term too. spend is called with the number of
// words that are to be compared for that; if it returns false, no more are compared.
func NewLookup(terms []QueryTerm, layers int, typos bool, spend func(words int) bool) *Lookup {
	l := &Lookup{typos: typos, layers: layers, wanted: wantedWords(terms), lists: map[listPlace][]byte{}, spend: spend}
	for _, t := range terms {
		l.terms = append(l.terms, &lookupTerm{QueryTerm: t, words: map[string]*lookupWord{}})
	}
	return l
}

// Keys returns the keys of the rows that can contain matching words: single keys,
// and ranges [from, to) that do not overlap and contain none of the single keys.
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

// AddPages adds the number of pages of a segment. The inverse document frequency of
// a word depends on the number of all pages.
func (l *Lookup) AddPages(n int64) { l.pages += n }

// AddPending adds a page that is not part of a segment yet. data is an encoded Doc,
// which is not retained.
func (l *Lookup) AddPending(layer int, id int64, data []byte) {
	l.pages++
	for word, impact := range l.docTerms(data) {
		l.add(word, 1, wordList{layer: layer, posting: Posting{id, impact}})
	}
}

// AddRow adds a row of a segment: a bucket of words or the postings of one word. data
// is not retained. The error is ErrDamaged if data cannot be decoded.
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

// add adds the postings of a word to the terms that the word matches.
func (l *Lookup) add(word []byte, pages int, list wordList) {
	for _, t := range l.terms {
		if !t.mayMatch(word, l.typos) {
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

// mayMatch is a cheap test that rules out most words that Weight would reject.
func (t *lookupTerm) mayMatch(word []byte, typos bool) bool {
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

// wantedWord is a word of a query, or a prefix.
type wantedWord struct {
	word   string
	prefix bool
}

// wantedWords returns the words and prefixes of terms, without typos. No word of an
// index matches two of them.
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

// Truncated reports whether possible corrections of misspelled words were left out,
// because there were too many words to compare.
func (l *Lookup) Truncated() bool { return l.truncated }

// compares reports whether n more words are to be compared with misspelled ones.
func (l *Lookup) compares(n int) bool {
	if l.typos && !l.truncated && !l.spend(n) {
		l.truncated = true
	}
	return l.typos && !l.truncated
}

// bytesPerWord is the approximate size of a word in a row.
const bytesPerWord = 8

// docTerms returns the terms of an encoded Doc that may match the query.
func (l *Lookup) docTerms(data []byte) iter.Seq2[[]byte, Impact] {
	if l.compares(len(data) / bytesPerWord) {
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

// bucketWords calls fn for the words of a bucket that may match the query.
// It returns false if the bucket is damaged.
func (l *Lookup) bucketWords(key string, data []byte, fn func(Word) bool) bool {
	if l.compares(len(data) / bytesPerWord) {
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

// LimitWords drops all but the best maxPrefixWords and maxTypoWords words of each
// term.
func (l *Lookup) LimitWords() {
	for _, t := range l.terms {
		t.limitWords()
	}
}

func (t *lookupTerm) limitWords() {
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

// keepBest drops all but the n best of words.
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

// MissingLists returns the sorted keys of the rows with postings of the layers
// [first, end) that were not added yet.
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

// Matcher returns a Matcher for the words of the index that match the query.
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

// Matches reports whether a text has every term of the query that is not optional,
// or half of them if most is set. m is the Matcher of this lookup.
func (l *Lookup) Matches(m *Matcher, title string, sections []Section, most bool) bool {
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
