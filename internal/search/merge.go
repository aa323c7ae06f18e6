package search

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
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
	var out []*list
	var arena []list
	var postings []Posting
	byID := func(a, b Posting) int { return cmp.Compare(a.ID, b.ID) }
	for len(readers) > 0 {
		least := readers[0].term
		for _, r := range readers[1:] {
			if bytes.Compare(r.term, least) < 0 {
				least = r.term
			}
		}
		term := string(least) // moving a reader on changes it
		postings = postings[:0]
		done := false
		for _, r := range readers {
			if string(r.term) != term {
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
		if !slices.IsSortedFunc(postings, byID) {
			slices.SortFunc(postings, byID)
		}
		var l *list
		for _, p := range postings {
			if !lives(p.ID) {
				continue
			}
			if l == nil {
				if len(arena) == 0 {
					arena = make([]list, 512)
				}
				l, arena = &arena[0], arena[1:]
				l.term = term
				l.data = make([]byte, 0, 3*len(postings))
				out = append(out, l)
			}
			if p.ID == l.last {
				return nil, ErrDamaged // a page is in one segment
			}
			l.add(p)
		}
	}
	return rowsOf(out), nil
}
