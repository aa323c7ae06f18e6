package search

import (
	"bytes"
	"encoding/binary"
	"errors"
	"iter"
	"math/bits"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/costly"
)

// Page is what is searched.
type Page struct {
	Title    string
	Language string // code of the language; decides how words are cut to stems
	Sections []Section
}

// Section is a part of a page under one heading, or in front of the first.
type Section struct {
	Anchor string
	Title  string // of the heading; empty in front of the first
	Body   string
}

// Impact says how much a page is about a term, in steps of 1/impactUnit.
type Impact uint8

const impactUnit = 16

// Float returns the impact as a number.
func (i Impact) Float() float64 { return float64(i) / impactUnit }

// The weights of the places where a term can be. A title scores more than 5, a
// heading at most 3, the text less than 2: so a match in the title outranks one
// in a heading and the text together, and one in a heading outranks the text.
const (
	titleLeast, titleMore     = 5.0, 5.0 // more for a short title
	headingLeast, headingMore = 2.0, 1.0
	bodyMost                  = 2.0
	// A term counts for more the more often it is there, but less and less,
	// and for less in a long page.
	saturation  = 1.2
	usualLength = 300.0
	lengthShare = 0.7
)

// Entry is a term of a page.
type Entry struct {
	Term   string
	Impact Impact
}

// Doc is what an index keeps of a page: its terms in order.
type Doc []Entry

// count is where and how often a term is in a page.
type count struct {
	title, heading float64
	body           int
}

// Analyser finds the terms of pages. It remembers the terms of other pages and
// keeps its memory. It is for one goroutine.
type Analyser struct {
	languages map[string]*analyser
	page      int     // the number of the page at hand
	found     []*term // on it
	// Scratch.
	names   []*term
	order   []uint64
	doc     Doc
	encoded []byte
}

// count returns where the term is counted on the page at hand.
func (all *Analyser) count(t *term) *count {
	if t.page != all.page {
		t.page, t.count = all.page, count{}
		all.found = append(all.found, t)
	}
	return &t.count
}

// Doc returns the terms of a page.
func (all *Analyser) Doc(p Page) Doc { return slices.Clone(all.analyse(p)) }

// Encoded returns the bytes that the terms of a page are kept as.
func (all *Analyser) Encoded(p Page) []byte {
	all.encoded = all.analyse(p).append(all.encoded[:0])
	return bytes.Clone(all.encoded)
}

// begin makes ready for a page of a language.
func (all *Analyser) begin(language string) *analyser {
	a, ok := all.languages[language]
	if !ok {
		if len(all.languages) == 0 || len(all.languages) > len(stemmers) {
			all.languages = map[string]*analyser{}
		}
		a = newAnalyser(language)
		all.languages[language] = a
	}
	if len(all.found) > maxKept {
		*all = Analyser{languages: all.languages, page: all.page}
	}
	all.found = all.found[:0]
	all.page++
	a.forget(all.page)
	return a
}

// analyse returns a Doc that is valid until the next one.
func (all *Analyser) analyse(p Page) Doc {
	costly.Note(costly.Analyse)
	a := all.begin(p.Language)
	left := maxTokens
	each := func(text string, fn func(*term)) (words int) {
		if left <= 0 {
			return 0
		}
		eachWord(text, func(start, end int, unspaced bool) bool {
			words++
			a.word(text, start, end, unspaced, func(f form) { left--; fn(f.term) })
			return left > 0
		})
		return words
	}
	names := func(text string, set func(c *count, weight float64), least, more float64) {
		all.names = all.names[:0]
		n := each(text, func(t *term) { all.names = append(all.names, t) })
		for _, t := range all.names {
			set(all.count(t), least+more/float64(max(n, 1)))
		}
	}
	names(p.Title, func(c *count, w float64) { c.title = w }, titleLeast, titleMore)
	for _, s := range p.Sections {
		names(s.Title, func(c *count, w float64) { c.heading = max(c.heading, w) }, headingLeast, headingMore)
	}
	length := 0
	for _, s := range p.Sections {
		length += each(s.Body, func(t *term) { all.count(t).body++ })
	}
	norm := saturation * (1 - lengthShare + lengthShare*float64(length)/usualLength)
	all.doc = all.doc[:0]
	order, place := all.sorted()
	for _, o := range order {
		t := all.found[o&place]
		tf := float64(t.body)
		weight := t.title + t.heading + bodyMost*tf/(tf+norm)
		all.doc = append(all.doc, Entry{t.text, Impact(max(1, weight*impactUnit))})
	}
	return all.doc
}

// sorted returns the places of the terms of the page at hand in their order, in
// the last bits of numbers. A place is written behind the first characters of
// its term: so numbers are sorted, and texts are compared only where these are
// the same.
func (all *Analyser) sorted() (out []uint64, place uint64) {
	size := bits.Len(uint(len(all.found))) // one run of an unspaced script may be many terms
	place = 1<<size - 1
	out = all.order[:0]
	for i, t := range all.found {
		out = append(out, t.start&^place|uint64(i))
	}
	slices.Sort(out)
	for i, n := 0, 0; i < len(out); i += n {
		for n = 1; i+n < len(out) && out[i+n]>>size == out[i]>>size; n++ {
		}
		if n > 1 {
			slices.SortFunc(out[i:i+n], func(a, b uint64) int {
				return strings.Compare(all.found[a&place].text, all.found[b&place].text)
			})
		}
	}
	all.order = out
	return out, place
}

// maxKept is how many terms a page may have for their memory to be kept.
const maxKept = 16 << 10

// ErrDamaged means that stored bytes were not written by this package.
var ErrDamaged = errors.New("the search index is damaged")

// Encode returns the bytes that a Doc is kept as.
func (d Doc) Encode() []byte { return d.append(make([]byte, 0, 10*len(d))) }

func (d Doc) append(out []byte) []byte {
	prev := ""
	for _, e := range d {
		out = appendTerm(out, prev, e.Term)
		out = append(out, byte(e.Impact))
		prev = e.Term
	}
	return out
}

// DecodeDoc is the inverse of Encode. The terms are valid until the next one.
func DecodeDoc(data []byte) iter.Seq2[[]byte, Impact] {
	return func(yield func([]byte, Impact) bool) {
		var term []byte
		for len(data) > 0 {
			var ok bool
			if term, data, ok = readTerm(term, data); !ok || len(data) == 0 {
				return
			}
			if !yield(term, Impact(data[0])) {
				return
			}
			data = data[1:]
		}
	}
}

// DocTerms is DecodeDoc for the one term that is a word, or for all that
// begin with it. It passes over the others without putting them together.
func DocTerms(data []byte, word string, beginning bool) iter.Seq2[[]byte, Impact] {
	return func(yield func([]byte, Impact) bool) {
		term, data, ok := seek(data, word, func(rest []byte) ([]byte, bool) {
			if len(rest) == 0 {
				return nil, false
			}
			return rest[1:], true
		})
		for ok && term != nil && len(data) > 0 && answers(term, word, beginning) {
			if !yield(term, Impact(data[0])) || len(data) == 1 {
				return
			}
			term, data, ok = readTerm(term, data[1:])
		}
	}
}

// answers reports whether a term is a word, or begins with it.
func answers(term []byte, word string, beginning bool) bool {
	return len(term) >= len(word) && string(term[:len(word)]) == word && (beginning || len(term) == len(word))
}

// seek finds the first term that does not sort before a word in a list of
// terms in order, and returns what follows it; the term is nil if there
// is none, and ok is false if the list is damaged. pass passes over what
// is behind a term.
//
// As long as terms sort before the word, what they share with each other
// reports what they share with the word: no term has to be put together.
func seek(data []byte, word string, pass func(rest []byte) ([]byte, bool)) (term, rest []byte, ok bool) {
	same := 0 // what the term before has in common with the word
	for len(data) > 0 {
		shared, n := binary.Uvarint(data)
		if n <= 0 {
			return nil, nil, false
		}
		data = data[n:]
		size, n := binary.Uvarint(data)
		if n <= 0 || size > uint64(len(data)-n) {
			return nil, nil, false
		}
		tail := data[n : n+int(size)]
		data = data[n+int(size):]
		if shared <= uint64(same) {
			at := int(shared)
			more := 0
			for more < len(tail) && at+more < len(word) && tail[more] == word[at+more] {
				more++
			}
			switch {
			case at+more == len(word), // it is the word, or begins with it
				more < len(tail) && tail[more] > word[at+more]:
				return append([]byte(word[:at]), tail...), data, true
			}
			same = at + more
		}
		if data, ok = pass(data); !ok {
			return nil, nil, false
		}
	}
	return nil, nil, true
}

// appendTerm writes a term as what it shares with the one before it, and the
// rest.
func appendTerm(out []byte, prev, term string) []byte {
	shared := 0
	for shared < len(prev) && shared < len(term) && prev[shared] == term[shared] {
		shared++
	}
	out = binary.AppendUvarint(out, uint64(shared))
	out = binary.AppendUvarint(out, uint64(len(term)-shared))
	return append(out, term[shared:]...)
}

func readTerm(prev, data []byte) (term, rest []byte, ok bool) {
	shared, n := binary.Uvarint(data)
	if n <= 0 || shared > uint64(len(prev)) {
		return nil, nil, false
	}
	data = data[n:]
	size, n := binary.Uvarint(data)
	if n <= 0 || size > uint64(len(data)-n) {
		return nil, nil, false
	}
	data = data[n:]
	return append(prev[:shared], data[:size]...), data[size:], true
}
