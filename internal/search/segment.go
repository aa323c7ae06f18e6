package search

import (
	"encoding/binary"
	"slices"
	"strings"
)

// An index is a set of segments, and a segment is a set of rows. A row whose key
// starts with keyBucket is a bucket: it holds the words that start with the rest of
// the key, with the postings of rare words. The postings of a common word are in a
// row of their own, whose key starts with keyList. If many words have the same
// start, they are in several buckets with longer keys. So looking up a word reads
// few bytes however large the index is, and a change does not write a row for
// every word.
const (
	keyBucket = "b"
	keyList   = "l"
	// maxInline is the maximum size of postings in a bucket, in bytes.
	maxInline = 96
	// maxBucket is the size above which a bucket is split, in bytes.
	maxBucket = 4 << 10
	// maxDepth is the maximum number of characters of a word in the key of a
	// bucket.
	maxDepth = 5
)

// Row is a row of a segment.
type Row struct {
	Key  string
	Data []byte
}

// Posting is a page that has a term, with the impact of the term.
type Posting struct {
	ID     int64
	Impact Impact
}

// AppendPosting appends a posting. last is the page of the posting before it, or 0.
func AppendPosting(out []byte, last int64, p Posting) []byte {
	out = binary.AppendUvarint(out, uint64(p.ID-last))
	return append(out, byte(p.Impact))
}

// ReadPostings appends the postings in data. It returns false if data is damaged.
func ReadPostings(out []Posting, data []byte) ([]Posting, bool) {
	id := int64(0)
	for len(data) > 0 {
		var step uint64
		if data[0] < 0x80 { // the common case
			step, data = uint64(data[0]), data[1:]
		} else {
			v, n := binary.Uvarint(data)
			if n <= 0 {
				return out, false
			}
			step, data = v, data[n:]
		}
		if len(data) == 0 || step == 0 || step > 1<<62 {
			return out, false
		}
		id += int64(step)
		out = append(out, Posting{id, Impact(data[0])})
		data = data[1:]
	}
	return out, true
}

// Word is an entry of a bucket.
type Word struct {
	Term     []byte // valid until the next word is read
	Pages    int
	Postings []byte // nil if they are in the row ListKey(Term)
}

// ListKey returns the key of the row with the postings of a common word.
func ListKey(term string) string { return keyList + term }

// IsList reports whether a key is a ListKey. Other keys are those of buckets.
func IsList(key string) bool { return strings.HasPrefix(key, keyList) }

// ListWord is the inverse of ListKey.
func ListWord(key string) string { return strings.TrimPrefix(key, keyList) }

// BucketKeys returns the keys of the rows that can hold a word.
func BucketKeys(word string) []string {
	out := make([]string, 0, maxDepth)
	for n := range word {
		if n > 0 {
			out = append(out, keyBucket+word[:n])
		}
		if len(out) == maxDepth {
			return out
		}
	}
	return append(out, keyBucket+word)
}

// first returns the first n characters of a word.
func first(word string, n int) string { return cutRunes(word, n) }

// EachWord calls fn for the words of a bucket until fn returns false. It returns
// false if the bucket is damaged.
func EachWord(data []byte, fn func(Word) bool) bool {
	var w Word
	for len(data) > 0 {
		var ok bool
		if w, data, ok = readWord(w.Term, data); !ok {
			return false
		}
		if !fn(w) {
			return true
		}
	}
	return true
}

// EachWordOf is EachWord for the word that equals term, or for all words that start
// with it if prefix is set. It skips the others without decoding them.
func EachWordOf(data []byte, term string, prefix bool, fn func(Word) bool) bool {
	found, rest, ok := seek(data, term, func(rest []byte) ([]byte, bool) {
		_, rest, ok := readPostings(rest)
		return rest, ok
	})
	if !ok || found == nil {
		return ok
	}
	for isWord(found, term, prefix) {
		w, next, ok := readPostings(rest)
		if !ok {
			return false
		}
		w.Term = found
		if !fn(w) || len(next) == 0 {
			return true
		}
		if found, rest, ok = readTerm(found, next); !ok {
			return false
		}
	}
	return true
}

// readWord reads the word after the one with the term prev, whose memory it uses.
func readWord(prev, data []byte) (w Word, rest []byte, ok bool) {
	term, data, ok := readTerm(prev, data)
	if !ok {
		return w, nil, false
	}
	w, rest, ok = readPostings(data)
	w.Term = term
	return w, rest, ok
}

// readPostings reads the fields of a word that follow its term.
func readPostings(data []byte) (w Word, rest []byte, ok bool) {
	pages, n := binary.Uvarint(data)
	if n <= 0 || pages > 1<<40 {
		return w, nil, false
	}
	data = data[n:]
	size, n := binary.Uvarint(data)
	if n <= 0 || size > uint64(len(data)-n) {
		return w, nil, false
	}
	data = data[n:]
	w.Pages = int(pages)
	if size > 0 {
		w.Postings = data[:size:size]
	}
	return w, data[size:], true
}

// Segment collects postings. Pages are added in the order of their ids.
type Segment struct {
	terms map[string]*list
	arena []list
	size  int
}

// The approximate memory that a segment takes, in bytes.
const (
	listCost    = 128 // for a term, without its text
	postingCost = 4
)

// list is a term and its postings.
type list struct {
	term  string
	data  []byte
	last  int64
	pages int
}

// NewSegment returns an empty segment.
func NewSegment() *Segment { return &Segment{terms: map[string]*list{}} }

// AddEncoded adds the encoded Doc of a page. Its id must be larger than the ids
// of the pages added before.
func (s *Segment) AddEncoded(id int64, data []byte) {
	for term, impact := range DecodeDoc(data) {
		l, ok := s.terms[string(term)]
		if !ok {
			l = s.newList(string(term))
		}
		l.add(Posting{id, impact})
		s.size += postingCost
	}
}

// Size returns the approximate size of the segment in memory, in bytes.
func (s *Segment) Size() int { return s.size }

func (s *Segment) newList(term string) *list {
	if len(s.arena) == 0 {
		s.arena = make([]list, 512)
	}
	l := &s.arena[0]
	s.arena = s.arena[1:]
	l.term = term
	s.terms[term] = l
	s.size += listCost + len(term)
	return l
}

func (l *list) add(p Posting) {
	l.data = AppendPosting(l.data, l.last, p)
	l.last = p.ID
	l.pages++
}

// Rows returns the segment as rows.
func (s *Segment) Rows() []Row {
	lists := make([]list, 0, len(s.terms))
	for _, l := range s.terms {
		lists = append(lists, *l)
	}
	slices.SortFunc(lists, func(a, b list) int { return strings.Compare(a.term, b.term) })
	return rowsOf(lists)
}

// rowsOf returns the rows of lists that are sorted by term: first the buckets, then
// the lists of common words, both sorted by key.
func rowsOf(lists []list) []Row {
	var out []Row
	eachStart(lists, 1, func(some []list) { out = buckets(out, some, 1) })
	for _, l := range lists {
		if len(l.data) > maxInline {
			out = append(out, Row{ListKey(l.term), l.data})
		}
	}
	return out
}

// eachStart calls fn for each group of lists whose terms have the same first depth
// characters.
func eachStart(lists []list, depth int, fn func([]list)) {
	for len(lists) > 0 {
		start := first(lists[0].term, depth)
		n := 1
		for n < len(lists) && strings.HasPrefix(lists[n].term, start) {
			n++
		}
		fn(lists[:n])
		lists = lists[n:]
	}
}

// buckets appends the buckets of lists whose terms have the same first depth
// characters.
func buckets(out []Row, lists []list, depth int) []Row {
	size := 0
	for _, l := range lists {
		if size += len(l.term) + 4; len(l.data) <= maxInline {
			size += len(l.data)
		}
	}
	start := first(lists[0].term, depth)
	if size <= maxBucket || depth == maxDepth {
		return append(out, Row{keyBucket + start, bucket(lists, size)})
	}
	// A word that is not longer than the key gets a bucket of its own; the others are
	// split by their next character.
	if lists[0].term == start {
		out = append(out, Row{keyBucket + start, bucket(lists[:1], maxBucket)})
		lists = lists[1:]
	}
	eachStart(lists, depth+1, func(some []list) { out = buckets(out, some, depth+1) })
	return out
}

func bucket(lists []list, size int) []byte {
	data := make([]byte, 0, size)
	prev := ""
	for _, l := range lists {
		data = appendTerm(data, prev, l.term)
		data = binary.AppendUvarint(data, uint64(l.pages))
		prev = l.term
		if len(l.data) > maxInline {
			data = binary.AppendUvarint(data, 0)
			continue
		}
		data = binary.AppendUvarint(data, uint64(len(l.data)))
		data = append(data, l.data...)
	}
	return data
}
