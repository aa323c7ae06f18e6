package search

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
	"sync"
)

// KeyRanges returns the two ranges [from, to) of keys of the rows with the words of
// a range: that of the buckets and that of the lists. The ends of the range must be
// words that SplitWord returns, or the ends of the index.
func KeyRanges(from, to string) [2][2]string {
	return [2][2]string{{keyBucket + from, keyBucket + to}, {keyList + from, keyList + to}}
}

// SplitWord returns a word near the key of a bucket at which an index can be split:
// no bucket has words on both sides of it.
func SplitWord(key string) string { return first(strings.TrimPrefix(key, keyBucket), 1) }

// reader reads the words of a segment in order.
type reader struct {
	buckets, lists []Row
	bucket         []byte
	term           []byte
	postings       []byte // of the term
	pages          int
	end            bool
}

// newReader returns a reader of rows, which must be sorted by key.
func newReader(rows []Row) *reader {
	n := 0
	for n < len(rows) && !IsList(rows[n].Key) {
		n++
	}
	return &reader{buckets: rows[:n], lists: rows[n:]}
}

// next reads the next word. It sets end if there is none.
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

// EachPosting calls fn for every posting in rows. The rows must be all rows of a
// segment in a range of words, sorted by key.
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

// Merge merges the rows of several segments into the rows of one. It leaves out the
// pages for which lives returns false. Each element of segments must be all rows of
// a segment in a range of words, sorted by key.
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
		out.begin(least) // copies it: reader.next reuses its memory
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

// lists collects sorted terms with their postings. The texts of all terms, and the
// postings of many, share one buffer each.
type lists struct {
	all   []list
	ends  []int // end of the text of each term in texts
	texts []byte
	room  []byte // buffer for postings

	reserved int // bytes of room that are reserved for the last term
}

// listsPool holds lists whose memory is reused.
var listsPool = sync.Pool{New: func() any { return new(lists) }}

func newLists() *lists { return listsPool.Get().(*lists) }

// release lets others reuse the memory. The lists that done returned become invalid,
// but their postings stay valid.
func (s *lists) release() {
	const most = 64 << 10 // number of terms; larger lists are rare
	if cap(s.all) <= most {
		clear(s.all[:cap(s.all)])
		*s = lists{all: s.all[:0], ends: s.ends[:0], texts: s.texts[:0]}
		listsPool.Put(s)
	}
}

// begin starts the list of the next term. It drops the list of the last term if that
// has no postings.
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

// last returns the list of the last term, with reserved memory if n, the number of
// its postings, is small. keep must be called after they were added.
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

// keep completes the list of the last term.
func (s *lists) keep() {
	if data := s.all[len(s.all)-1].data; cap(data) == s.reserved { // else it has outgrown the room
		s.room = s.room[:len(s.room)+len(data)]
	}
}

// addLiving adds the postings of pages for which lives returns true to the last term.
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
			return ErrDamaged // a page must be in one segment only
		}
		l.add(p)
	}
	s.keep()
	return nil
}

// done returns the lists.
func (s *lists) done() []list {
	s.begin(nil) // drops an empty list at the end
	out := s.all[:len(s.all)-1]
	texts, from := string(s.texts), 0
	for i := range out {
		out[i].term = texts[from:s.ends[i]]
		from = s.ends[i]
	}
	return out
}

// fewDocs is the number of pages up to which merging their sorted terms is faster
// than looking each term up in a map.
const fewDocs = 64

// FoldDocs returns the rows of a segment of pages with their encoded Docs. The ids
// must be sorted.
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

// docReader reads the terms of an encoded Doc.
type docReader struct {
	id     int64
	rest   []byte
	term   []byte
	start  uint64 // startOf(term)
	impact Impact
}

// next reads the next term and reports whether there is one.
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

// before reports whether the current term of r sorts before that of o. Equal terms
// are sorted by page.
func (r *docReader) before(o *docReader) bool {
	if r.start != o.start {
		return r.start < o.start
	}
	c := bytes.Compare(r.term, o.term)
	return c < 0 || c == 0 && r.id < o.id
}

// docHeap is a heap of readers, ordered by their current terms. It does not use
// container/heap, because its calls cannot be inlined and would take most of the
// time.
type docHeap []*docReader

// down restores the order of the heap after the reader at i has read its next term.
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
