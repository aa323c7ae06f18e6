package search

import (
	"bytes"
	"encoding/binary"
	"errors"
	"iter"
	"math/bits"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/budget/costly"
)

// Page is a page to be indexed.
type Page struct {
	Title    string
	Language string // code of the language, which determines the stemmer
	Sections []Section
}

// Section is the part of a page below one heading, or before the first one.
type Section struct {
	Anchor string
	Title  string // text of the heading; empty before the first one
	Body   string
}

// Impact is the weight of a term in a page, in steps of 1/impactUnit.
type Impact uint8

const impactUnit = 16

// Float returns the impact as a number.
func (i Impact) Float() float64 { return float64(i) / impactUnit }

// The weights of a term in a title, in a heading and in the text. A title scores
// more than 5, a heading at most 3, the text less than 2. So a match in the title
// outranks matches in a heading and the text together, and a match in a heading
// outranks the text.
const (
	titleLeast, titleMore     = 5.0, 5.0 // the second is divided by the number of words
	headingLeast, headingMore = 2.0, 1.0
	bodyMost                  = 2.0
	// The parameters of BM25: the score of a term grows with its frequency up to
	// a limit, and is lower in a long page.
	saturation  = 1.2
	usualLength = 300.0
	lengthShare = 0.7
)

// Entry is a term of a page.
type Entry struct {
	Term   string
	Impact Impact
}

// Doc holds the terms of a page, sorted.
type Doc []Entry

// count holds the weights of a term in the title and the headings of a page, and
// the number of its occurrences in the text.
type count struct {
	title, heading float64
	body           int
}

// Analyser finds the terms of pages. It caches the terms of earlier pages and
// reuses its memory. It must not be used by several goroutines at once.
type Analyser struct {
	languages map[string]*analyser
	page      int     // number of the current page
	found     []*term // terms of the current page
	// Scratch.
	names   []*term
	order   []uint64
	doc     Doc
	encoded []byte
}

// count returns the count of a term on the current page.
func (all *Analyser) count(t *term) *count {
	if t.page != all.page {
		t.page, t.count = all.page, count{}
		all.found = append(all.found, t)
	}
	return &t.count
}

// Doc returns the terms of a page.
func (all *Analyser) Doc(p Page) Doc { return slices.Clone(all.analyse(p)) }

// Encoded returns the terms of a page as Doc.Encode does.
func (all *Analyser) Encoded(p Page) []byte {
	all.encoded = all.analyse(p).append(all.encoded[:0])
	return bytes.Clone(all.encoded)
}

// begin starts a page and returns the analyser of its language.
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

// analyse returns the terms of a page. The Doc is valid until the next call.
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

// sorted returns the indexes into all.found of the terms of the current page, in
// the order of the terms. An index is in the last bits of a number, below the
// mask place; the first bits are the first bytes of the term. So numbers are
// sorted, and texts are compared only if their first bytes are equal.
func (all *Analyser) sorted() (out []uint64, place uint64) {
	size := bits.Len(uint(len(all.found))) // a run of a script without spaces may have many terms
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

// maxKept is the maximum number of terms of a page whose memory is reused.
const maxKept = 16 << 10

// ErrDamaged means that stored bytes were not written by this package.
var ErrDamaged = errors.New("the search index is damaged")

// Encode returns the bytes under which a Doc is stored.
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

// DecodeDoc is the inverse of Encode. A term is valid until the next one is read.
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

// DocTerms is DecodeDoc for the term that equals word, or for all terms that start
// with it if prefix is set. It skips the others without decoding them.
func DocTerms(data []byte, word string, prefix bool) iter.Seq2[[]byte, Impact] {
	return func(yield func([]byte, Impact) bool) {
		term, data, ok := seek(data, word, func(rest []byte) ([]byte, bool) {
			if len(rest) == 0 {
				return nil, false
			}
			return rest[1:], true
		})
		for ok && term != nil && len(data) > 0 && isWord(term, word, prefix) {
			if !yield(term, Impact(data[0])) || len(data) == 1 {
				return
			}
			term, data, ok = readTerm(term, data[1:])
		}
	}
}

// isWord reports whether a term equals word, or starts with it if prefix is set.
func isWord(term []byte, word string, prefix bool) bool {
	return len(term) >= len(word) && string(term[:len(word)]) == word && (prefix || len(term) == len(word))
}

// seek finds the first term in a sorted list that does not sort before word, and
// returns it with the bytes after it. The term is nil if there is none; ok is false
// if the list is damaged. skip skips the data that follows a term.
//
// As long as terms sort before word, the length of the prefix that a term shares
// with the term before it determines the prefix that it shares with word. So these
// terms need not be decoded.
func seek(data []byte, word string, skip func(rest []byte) ([]byte, bool)) (term, rest []byte, ok bool) {
	same := 0 // length of the prefix that the term before shares with word
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
			case at+more == len(word), // the term equals word or starts with it
				more < len(tail) && tail[more] > word[at+more]:
				return append([]byte(word[:at]), tail...), data, true
			}
			same = at + more
		}
		if data, ok = skip(data); !ok {
			return nil, nil, false
		}
	}
	return nil, nil, true
}

// appendTerm appends a term as the length of the prefix that it shares with the
// term before it, and the rest.
func appendTerm(out []byte, prev, term string) []byte {
	shared := 0
	for shared < len(prev) && shared < len(term) && prev[shared] == term[shared] {
		shared++
	}
	out = binary.AppendUvarint(out, uint64(shared))
	out = binary.AppendUvarint(out, uint64(len(term)-shared))
	return append(out, term[shared:]...)
}

// readTerm is the inverse of appendTerm. The term uses the memory of prev.
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
