package search

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// index is what segments say, in the plainest form.
type index map[string]map[int64]Impact

func (x index) add(id int64, d Doc) {
	for _, e := range d {
		if x[e.Term] == nil {
			x[e.Term] = map[int64]Impact{}
		}
		x[e.Term][id] = e.Impact
	}
}

func readIndex(t interface{ Fatalf(string, ...any) }, rows []Row) index {
	out := index{}
	err := EachPosting(rows, func(id int64, term []byte, impact Impact) { out.add(id, Doc{{string(term), impact}}) })
	if err != nil {
		t.Fatalf("%v", err)
	}
	return out
}

func docGen(words []string) *rapid.Generator[Doc] {
	return rapid.Custom(func(t *rapid.T) Doc {
		d := rapid.SliceOfDistinct(rapid.Custom(func(t *rapid.T) Entry {
			return Entry{rapid.SampledFrom(words).Draw(t, "term"), Impact(rapid.IntRange(1, 255).Draw(t, "impact"))}
		}), func(e Entry) string { return e.Term }).Draw(t, "doc")
		slices.SortFunc(d, func(a, b Entry) int { return strings.Compare(a.Term, b.Term) })
		return d
	})
}

func vocabulary(t *rapid.T) []string {
	words := rapid.SliceOfNDistinct(rapid.StringMatching(`[ab中é]{1,9}`), 1, 60, rapid.ID[string]).Draw(t, "words")
	if rapid.Bool().Draw(t, "many") { // so that buckets are divided
		for i := range 1500 {
			words = append(words, fmt.Sprintf("abc%04d", i))
		}
	}
	return words
}

func TestDocRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := docGen([]string{"a", "ab", "abc", "b", "中文", "中"}).Draw(t, "doc")
		var back Doc
		for term, impact := range DecodeDoc(d.Encode()) {
			back = append(back, Entry{string(term), impact})
		}
		if !slices.Equal(d, back) {
			t.Fatalf("%v, %v", d, back)
		}
	})
}

// A segment says what was put into it, every word can be looked up by its
// keys, and merging keeps what lives.
func TestSegments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := vocabulary(t)
		docs := docGen(words)
		var segments [][]Row
		var want, alive = index{}, index{}
		dead := map[int64]bool{}
		for i := range rapid.IntRange(1, 4).Draw(t, "segments") {
			s := NewSegment()
			here := index{}
			var ids []int64
			var encoded [][]byte
			for k := range rapid.IntRange(0, 90).Draw(t, "pages") {
				id := int64(1 + i + 10*k) // ids of segments may be mixed
				d := docs.Draw(t, "doc")
				if rapid.Bool().Draw(t, "encoded") {
					s.AddEncoded(id, d.Encode())
				} else {
					s.Add(id, d)
				}
				ids, encoded = append(ids, id), append(encoded, d.Encode())
				here.add(id, d)
				want.add(id, d)
				if dead[id] = rapid.IntRange(0, 5).Draw(t, "dead") == 0; !dead[id] {
					alive.add(id, d)
				}
			}
			rows := s.Rows()
			checkRows(t, rows, here)
			if folded := FoldDocs(ids, encoded); !reflect.DeepEqual(folded, rows) {
				t.Fatalf("folded %v\nnot %v", folded, rows)
			}
			segments = append(segments, rows)
		}
		merged, err := Merge(segments, func(id int64) bool { return !dead[id] })
		if err != nil {
			t.Fatal(err)
		}
		checkRows(t, merged, alive)
	})
}

func checkRows(t *rapid.T, rows []Row, want index) {
	if !slices.IsSortedFunc(rows, func(a, b Row) int { return strings.Compare(a.Key, b.Key) }) {
		t.Fatal("the rows are not in order")
	}
	if got := readIndex(t, rows); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("got %v\nwant %v", got, want)
	}
	byKey := map[string][]byte{}
	for _, r := range rows {
		if _, twice := byKey[r.Key]; twice || len(r.Data) == 0 {
			t.Fatalf("key %q is there twice or empty", r.Key)
		}
		byKey[r.Key] = r.Data
	}
	for word, pages := range want {
		found := 0
		for _, k := range BucketKeys(word) {
			EachWord(byKey[k], func(w Word) bool {
				if string(w.Term) == word {
					found++
					data := w.Postings
					if data == nil {
						data = byKey[ListKey(word)]
					}
					postings, ok := ReadPostings(nil, data)
					if !ok || len(postings) != len(pages) || w.Pages != len(pages) {
						t.Fatalf("%q has %v, want %v", word, postings, pages)
					}
				}
				return true
			})
		}
		if found != 1 {
			t.Fatalf("%q is in %d buckets", word, found)
		}
		// And by a beginning of it.
		for n := range word {
			if n == 0 {
				continue
			}
			term := QueryTerm{Text: word[:n]}
			keys := map[string]bool{}
			for _, k := range BucketKeys(term.Text) {
				keys[k] = true
			}
			for k := range maps.Keys(byKey) {
				if r := term.PrefixKeys(); r[0] <= k && k < r[1] {
					keys[k] = true
				}
			}
			hit := false
			for k := range keys {
				EachWord(byKey[k], func(w Word) bool { hit = hit || string(w.Term) == word; return !hit })
			}
			if !hit {
				t.Fatalf("%q is not found by %q", word, word[:n])
			}
		}
	}
}

func TestTypoKeysReachWhatIsMeant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := vocabulary(t)
		s := NewSegment()
		for i, w := range words {
			s.Add(int64(i+1), Doc{{w, 1}})
		}
		term := Query(rapid.StringMatching(`[abcé]{5,9}`).Draw(t, "query")+" ", "xx")[0]
		reached := map[string]bool{}
		for _, r := range s.Rows() {
			for _, keys := range term.TypoKeys() {
				if keys[0] <= r.Key && r.Key < keys[1] {
					EachWord(r.Data, func(w Word) bool { reached[string(w.Term)] = true; return true })
				}
			}
		}
		for _, w := range words {
			if term.Weight(w, true) > 0 && !reached[w] {
				t.Fatalf("%q is meant by %q, but not reached", w, term.Text)
			}
		}
	})
}

// Damaged bytes are an error, never a panic.
func FuzzDamagedSegment(f *testing.F) {
	s := NewSegment()
	for i := range 20 {
		s.Add(int64(i+1), Doc{{"common", 3}, {fmt.Sprint("rare", i), 5}})
	}
	for _, r := range s.Rows() {
		f.Add(r.Key, r.Data)
	}
	f.Add("b", []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Fuzz(func(t *testing.T, key string, data []byte) {
		rows := []Row{{key, data}}
		if err := EachPosting(rows, func(int64, []byte, Impact) {}); err != nil && !errors.Is(err, ErrDamaged) {
			t.Fatal(err)
		}
		if _, err := Merge([][]Row{rows, {{key, bytes.Clone(data)}}}, func(int64) bool { return true }); err != nil && !errors.Is(err, ErrDamaged) {
			t.Fatal(err)
		}
		for range DecodeDoc(data) {
		}
		for _, word := range []string{"", "common", "rare1", key} {
			for range DocTerms(data, word, true) {
			}
			EachWordOf(data, word, true, func(Word) bool { return true })
		}
	})
}

// TestSeek: looking for words in a bucket or a page finds what reading all
// of it does.
func TestSeek(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringOfN(rapid.RuneFrom([]rune("abcé")), 0, 5, -1)
		d := Doc{}
		for i, w := range rapid.SliceOfDistinct(word, rapid.ID[string]).Draw(t, "words") {
			d = append(d, Entry{w, Impact(i%200 + 1)})
		}
		slices.SortFunc(d, func(a, b Entry) int { return strings.Compare(a.Term, b.Term) })
		var lists []list
		for i, e := range d {
			l := list{term: e.Term}
			for id := range i%40 + 1 {
				l.add(Posting{int64(id + 1), e.Impact})
			}
			lists = append(lists, l)
		}
		page, bucket := d.Encode(), bucket(lists, 0)
		sought, beginning := word.Draw(t, "sought"), rapid.Bool().Draw(t, "beginning")
		var want, inPage, wantWords, inBucket []string
		for term, impact := range DecodeDoc(page) {
			if isWord(term, sought, beginning) {
				want = append(want, fmt.Sprint(string(term), impact))
			}
		}
		for term, impact := range DocTerms(page, sought, beginning) {
			inPage = append(inPage, fmt.Sprint(string(term), impact))
		}
		note := func(out *[]string) func(Word) bool {
			return func(w Word) bool {
				if isWord(w.Term, sought, beginning) {
					*out = append(*out, fmt.Sprint(string(w.Term), w.Pages, w.Postings))
				}
				return true
			}
		}
		if !EachWord(bucket, note(&wantWords)) || !EachWordOf(bucket, sought, beginning, note(&inBucket)) {
			t.Fatal("damaged")
		}
		if !slices.Equal(inPage, want) || !slices.Equal(inBucket, wantWords) {
			t.Fatalf("%q (beginning %t): found %q and %q, want %q and %q", sought, beginning, inPage, inBucket, want, wantWords)
		}
	})
}
