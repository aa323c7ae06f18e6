package search

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
	"sync"
)

// KeyRanges returns the two ranges [from, to) of keys that hold the words of a
// range: those of the buckets and those of the lists. A word at which it is
// cut must be one that Cut returns.
func KeyRanges(from, to string) [2][2]string {
	return [2][2]string{{keyBucket + from, keyBucket + to}, {keyList + from, keyList + to}}
}

// Cut returns a word at which an index can be cut near the key of a bucket: no
// bucket has words on both sides.
func Cut(key string) string { return first(strings.TrimPrefix(key, keyBucket), 1) }

// reader goes through the words of a segment in their order.
type reader struct {
	buckets, lists []Row
	bucket         []byte
	term           []byte
	postings       []byte // of the term
	pages          int
	end            bool
}

// newReader takes rows in the order of their keys.
func newReader(rows []Row) *reader {
	n := 0
	for n < len(rows) && !IsList(rows[n].Key) {
		n++
	}
	return &reader{buckets: rows[:n], lists: rows[n:]}
}

// next goes to the next word, or to the end.
func (r *reader) next() error {
	for len(r.bucket) == 0 {
		if len(r.buckets) == 0 {
			if r.end = true; len(r.lists) > 0 {
				return ErrDamaged
			}
			return nil
		}
		r.bucket, r.buckets = r.buckets[0].Data, r.buckets[1:]
		r.term = r.term[:0]
	}
	w, rest, ok := readWord(r.term, r.bucket)
	if !ok {
		return ErrDamaged
	}
	r.term, r.postings, r.pages, r.bucket = w.Term, w.Postings, w.Pages, rest
	if w.Postings == nil {
		if len(r.lists) == 0 || ListWord(r.lists[0].Key) != string(r.term) {
			return ErrDamaged
		}
		r.postings, r.lists = r.lists[0].Data, r.lists[1:]
	}
	return nil
}

// EachPosting calls fn for every posting in rows, which must be all that a
// segment has within a range of words, in the order of their keys.
func EachPosting(rows []Row, fn func(id int64, term []byte, impact Impact)) error {
	r := newReader(rows)
	var postings []Posting
	for {
		if err := r.next(); err != nil || r.end {
			return err
		}
		var ok bool
		if postings, ok = ReadPostings(postings[:0], r.postings); !ok || len(postings) != r.pages {
			return ErrDamaged
		}
		for _, p := range postings {
			fn(p.ID, r.term, p.Impact)
		}
	}
}

// Merge returns the rows of one segment in place of those of several, without
// the pages that are gone. Each element of segments must be all that a
// segment has within a range of words, in the order of the keys.
func Merge(segments [][]Row, lives func(id int64) bool) ([]Row, error) {
	var readers []*reader
	for _, rows := range segments {
		r := newReader(rows)
		if err := r.next(); err != nil {
			return nil, err
		}
		if !r.end {
			readers = append(readers, r)
		}
	}
	out := newLists()
	defer out.release()
	var postings []Posting
	for len(readers) > 0 {
		least := readers[0].term
		for _, r := range readers[1:] {
			if bytes.Compare(r.term, least) < 0 {
				least = r.term
			}
		}
		out.begin(least) // moving a reader on changes it
		term := out.term()
		postings = postings[:0]
		done := false
		for _, r := range readers {
			if string(r.term) != string(term) {
				continue
			}
			var ok bool
			if postings, ok = ReadPostings(postings, r.postings); !ok {
				return nil, ErrDamaged
			}
			if err := r.next(); err != nil {
				return nil, err
			}
			done = done || r.end
		}
		if done {
			readers = slices.DeleteFunc(readers, func(r *reader) bool { return r.end })
		}
		if err := out.addLiving(postings, lives); err != nil {
			return nil, err
		}
	}
	return rowsOf(out.done()), nil
}

// lists collects terms in their order with their postings. The texts of all terms
// and the postings of many are in one piece of memory.
type lists struct {
	all   []list
	ends  []int // of the texts
	texts []byte
	room  []byte // for postings

	reserved int // bytes of the room, for the last term
}

// kept are lists whose memory is used again.
var kept = sync.Pool{New: func() any { return new(lists) }}

func newLists() *lists { return kept.Get().(*lists) }

// release ends the use of what done returned. The postings stay.
func (s *lists) release() {
	const most = 64 << 10 // terms; more are rare
	if cap(s.all) <= most {
		clear(s.all[:cap(s.all)])
		*s = lists{all: s.all[:0], ends: s.ends[:0], texts: s.texts[:0]}
		kept.Put(s)
	}
}

// begin begins the list of the next term. One to which nothing is added does not
// count.
func (s *lists) begin(term []byte) {
	if n := len(s.all); n > 0 && s.all[n-1].pages == 0 {
		s.all, s.ends = s.all[:n-1], s.ends[:n-1]
	}
	s.texts = append(s.texts[:s.end()], term...)
	s.all = append(s.all, list{})
	s.ends = append(s.ends, len(s.texts))
}

// end returns where the text of the last term ends.
func (s *lists) end() int {
	if len(s.ends) == 0 {
		return 0
	}
	return s.ends[len(s.ends)-1]
}

// term returns the text of the last term, until the next one begins.
func (s *lists) term() []byte {
	from := 0
	if n := len(s.ends); n > 1 {
		from = s.ends[n-2]
	}
	return s.texts[from:]
}

// last returns the list of the last term. There is room for n postings in it, if
// these are few; keep has to be called when they were added.
func (s *lists) last(n int) *list {
	const few, piece = 16, 16 << 10
	s.reserved = min(n, few) * (binary.MaxVarintLen64 + 1)
	if cap(s.room)-len(s.room) < s.reserved {
		s.room = make([]byte, 0, piece)
	}
	l := &s.all[len(s.all)-1]
	l.data = s.room[len(s.room) : len(s.room) : len(s.room)+s.reserved]
	return l
}

// keep ends the list of the last term.
func (s *lists) keep() {
	if data := s.all[len(s.all)-1].data; cap(data) == s.reserved { // else it has outgrown the room
		s.room = s.room[:len(s.room)+len(data)]
	}
}

// addLiving adds the postings of pages that are there to the last term.
func (s *lists) addLiving(postings []Posting, lives func(id int64) bool) error {
	byID := func(a, b Posting) int { return cmp.Compare(a.ID, b.ID) }
	if !slices.IsSortedFunc(postings, byID) {
		slices.SortFunc(postings, byID)
	}
	l := s.last(len(postings))
	for _, p := range postings {
		if !lives(p.ID) {
			continue
		}
		if p.ID == l.last {
			return ErrDamaged // a page is in one segment
		}
		l.add(p)
	}
	s.keep()
	return nil
}

// done returns the lists.
func (s *lists) done() []list {
	s.begin(nil) // leaves out an empty one at the end
	out := s.all[:len(s.all)-1]
	texts, from := string(s.texts), 0
	for i := range out {
		out[i].term = texts[from:s.ends[i]]
		from = s.ends[i]
	}
	return out
}

// fewDocs is up to how many pages it is faster to go through them all at once than
// to look each term up.
const fewDocs = 64

// FoldDocs returns the rows of a segment of pages, by the bytes of their Docs. The
// ids are in order.
func FoldDocs(ids []int64, docs [][]byte) []Row {
	if len(docs) > fewDocs {
		s := NewSegment()
		for i, d := range docs {
			s.AddEncoded(ids[i], d)
		}
		return s.Rows()
	}
	var h docHeap
	for i, d := range docs {
		r := &docReader{id: ids[i], rest: d}
		if r.next() {
			h = append(h, r)
		}
	}
	for i := len(h)/2 - 1; i >= 0; i-- {
		h.down(i)
	}
	out := newLists()
	defer out.release()
	for len(h) > 0 {
		out.begin(h[0].term)
		term := out.term()
		l := out.last(len(docs))
		for len(h) > 0 && string(h[0].term) == string(term) {
			l.add(Posting{h[0].id, h[0].impact})
			if !h[0].next() {
				last := len(h) - 1
				h[0], h = h[last], h[:last]
			}
			h.down(0)
		}
		out.keep()
	}
	return rowsOf(out.done())
}

// docReader goes through the terms of a Doc.
type docReader struct {
	id     int64
	rest   []byte
	term   []byte
	start  uint64 // of the term, see term.start
	impact Impact
}

// next goes to the next term, and reports whether there is one.
func (r *docReader) next() bool {
	if len(r.rest) == 0 {
		return false
	}
	var ok bool
	if r.term, r.rest, ok = readTerm(r.term, r.rest); !ok || len(r.rest) == 0 {
		return false
	}
	r.start = startOf(r.term)
	r.impact, r.rest = Impact(r.rest[0]), r.rest[1:]
	return true
}

// before reports whether the term at hand comes before that of another reader.
// Of the same term, the page with the lower id comes first.
func (r *docReader) before(o *docReader) bool {
	if r.start != o.start {
		return r.start < o.start
	}
	c := bytes.Compare(r.term, o.term)
	return c < 0 || c == 0 && r.id < o.id
}

// docHeap is a heap of readers by their terms at hand. It does not use
// container/heap, whose calls cannot be inlined: they take longer than the rest.
type docHeap []*docReader

// down restores the order after the reader at i moved on.
func (h docHeap) down(i int) {
	for {
		least := i
		for _, k := range [2]int{2*i + 1, 2*i + 2} {
			if k < len(h) && h[k].before(h[least]) {
				least = k
			}
		}
		if least == i {
			return
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
}
