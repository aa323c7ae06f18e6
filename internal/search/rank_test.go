package search

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// naiveRank ranks pages by looking at every term of every page.
func naiveRank(docs map[int64]Doc, terms []QueryTerm, typos, most bool) map[int64]float64 {
	scores := make([]map[int64]float64, len(terms))
	weights := make([]float64, len(terms))
	for i, t := range terms {
		scores[i] = map[int64]float64{}
		for id, d := range docs {
			for _, e := range d {
				if w := t.Weight(e.Term, typos); w > 0 {
					scores[i][id] = max(scores[i][id], w*e.Impact.Float())
				}
			}
		}
		if n := float64(len(scores[i])); n > 0 {
			weights[i] = math.Log(1 + (float64(len(docs))-n+0.5)/(n+0.5))
		}
	}
	out := map[int64]float64{}
	for id := range docs {
		sum, share, total, all := 0.0, 0.0, 0.0, true
		for i, t := range terms {
			s, has := scores[i][id]
			sum += s * weights[i]
			if t.Optional {
				continue
			}
			total += weights[i]
			if has {
				share += weights[i]
			}
			all = all && has
		}
		if all || most && share > 0 && share >= total/2 {
			out[id] = sum
		}
	}
	return out
}

// TestRankAgreesWithReadingEveryPage distributes pages over segments and
// pending pages of several layers.
func TestRankAgreesWithReadingEveryPage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := []string{"abcde", "abcdf", "abc", "abcdefg", "bacde", "zebra", "zebras", "x", "中文"}
		layers := rapid.IntRange(1, 3).Draw(t, "layers")
		terms := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) QueryTerm {
			w := rapid.SampledFrom(words).Draw(t, "text")
			return QueryTerm{
				Text: w, Stem: rapid.SampledFrom([]string{w, "abc", "zebra"}).Draw(t, "stem"), Typos: typosOf(w),
				Prefix: rapid.Bool().Draw(t, "prefix"), Optional: rapid.IntRange(0, 4).Draw(t, "optional") == 0,
			}
		}), 1, 4, func(q QueryTerm) string { return q.Text }).Draw(t, "terms")
		if !slices.ContainsFunc(terms, func(q QueryTerm) bool { return !q.Optional }) {
			terms[0].Optional = false
		}
		typos, most := rapid.Bool().Draw(t, "typos"), rapid.Bool().Draw(t, "most")

		l := NewLookup(terms, layers, typos, plenty)
		keys, ranges := l.Keys()
		read := func(key string) bool {
			return slices.Contains(keys, key) || slices.ContainsFunc(ranges, func(r [2]string) bool { return r[0] <= key && key < r[1] })
		}
		all := map[int64]Doc{} // the number of the layer is part of the id
		var lists []func()     // reads the rows that are asked for later
		for layer := range layers {
			id := int64(0)
			for segment := range rapid.IntRange(0, 3).Draw(t, "segments") {
				s := NewSegment()
				pages := rapid.IntRange(1, 40).Draw(t, "pages")
				d := docGen(words).Draw(t, "doc")
				for i := range pages {
					if i%7 == 0 {
						d = docGen(words).Draw(t, "doc")
					}
					id++
					s.Add(id, d)
					all[id*10+int64(layer)] = d
				}
				l.AddPages(int64(pages))
				rows := s.Rows()
				add := func(want func(string) bool) {
					for _, r := range rows {
						if want(r.Key) {
							if err := l.AddRow(layer, int64(segment), r.Key, r.Data); err != nil {
								t.Fatal(err)
							}
						}
					}
				}
				add(read)
				lists = append(lists, func() {
					missing := l.MissingLists(layer, layer+1)
					add(func(key string) bool { return slices.Contains(missing, key) })
				})
			}
			for range rapid.IntRange(0, 3).Draw(t, "pending") {
				id++
				d := docGen(words).Draw(t, "doc")
				all[id*10+int64(layer)] = d
				l.AddPending(layer, id, d.Encode())
			}
		}
		l.LimitWords()
		for _, read := range lists {
			read()
		}
		if missing := l.MissingLists(0, layers); len(missing) > 0 {
			t.Fatalf("missing: %q", missing)
		}
		ranked, err := l.Scores(most)
		if err != nil {
			t.Fatal(err)
		}
		got := map[int64]float64{}
		for layer, list := range ranked {
			if !slices.IsSortedFunc(list, func(a, b Scored) int { return cmp.Compare(a.ID, b.ID) }) {
				t.Fatalf("layer %d is not sorted: %v", layer, list)
			}
			for _, s := range list {
				got[s.ID*10+int64(layer)] = s.Score
			}
		}
		want := naiveRank(all, terms, typos, most)
		if !maps.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }) {
			t.Fatalf("typos %t, most %t, %+v:\ngot  %v\nwant %v", typos, most, terms, got, want)
		}
	})
}

func TestGallopFindsTheFirstThatIsNotBelow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfNDistinct(rapid.Int64Range(1, 60), 0, 40, rapid.ID[int64]).Draw(t, "ids")
		slices.Sort(ids)
		list := make([]Scored, len(ids))
		for i, id := range ids {
			list[i].ID = id
		}
		id := rapid.Int64Range(0, 61).Draw(t, "id")
		want, _ := slices.BinarySearch(ids, id)
		if got := gallop(list, id); got != want {
			t.Fatalf("gallop(%v, %d) = %d, want %d", ids, id, got, want)
		}
	})
}

func TestTopReturnsTheBestInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lists := make([][]Scored, rapid.IntRange(0, 3).Draw(t, "lists"))
		var all []Candidate
		for i := range lists {
			for id := range rapid.IntRange(0, 12).Draw(t, "pages") {
				s := Scored{ID: int64(id + 1), Score: float64(rapid.IntRange(0, 4).Draw(t, "score"))}
				lists[i] = append(lists[i], s)
				all = append(all, Candidate{i, s.ID, s.Score})
			}
		}
		slices.SortFunc(all, func(a, b Candidate) int {
			return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.List, b.List), cmp.Compare(a.ID, b.ID))
		})
		n := rapid.IntRange(0, 40).Draw(t, "n")
		if got, want := Top(lists, n), all[:min(n, len(all))]; !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}

func TestChooseKeepsAFewWordsOfAPrefix(t *testing.T) {
	l := NewLookup([]QueryTerm{{Text: "word", Stem: "word", Prefix: true}}, 1, false, plenty)
	for i := range 3 * maxPrefixWords {
		l.AddPending(0, int64(i+1), Doc{{fmt.Sprintf("word%03d", i), 1}}.Encode())
	}
	l.AddPending(0, 1000, Doc{{"word199", 1}}.Encode()) // the most frequent one
	l.AddPending(0, 1001, Doc{{"word", 1}}.Encode())
	l.LimitWords()
	ranked, err := l.Scores(false)
	if err != nil {
		t.Fatal(err)
	}
	if want := maxPrefixWords + 1; len(ranked[0]) < want || len(ranked[0]) > want+1 {
		t.Errorf("%d pages, want about %d", len(ranked[0]), want)
	}
	if last := ranked[0][len(ranked[0])-1].ID; last != 1001 {
		t.Errorf("the word itself is not among the results: the last page is %d", last)
	}
}

func TestLookupReportsDamagedRows(t *testing.T) {
	l := NewLookup([]QueryTerm{{Text: "word", Stem: "word"}}, 1, false, plenty)
	if err := l.AddRow(0, 1, keyBucket+"w", []byte{0, 200}); !errors.Is(err, ErrDamaged) {
		t.Errorf("a damaged bucket: %v", err)
	}
	s := NewSegment()
	s.Add(1, Doc{{"word", 1}})
	for _, r := range s.Rows() {
		if err := l.AddRow(0, 1, r.Key, append(r.Data[:len(r.Data)-1:len(r.Data)-1], 1)); err != nil {
			t.Fatal(err)
		}
	}
	l.terms[0].words["word"].lists[0].data = []byte{0}
	if _, err := l.Scores(false); !errors.Is(err, ErrDamaged) {
		t.Errorf("damaged postings: %v", err)
	}
}

func plenty(int) bool { return true }

// Where too many words would have to be compared, the words as they are written are still found.
func TestLookupStopsComparing(t *testing.T) {
	doc := Doc{{Term: "harbor", Impact: 9}, {Term: "harbour", Impact: 9}}.Encode()
	for want, enough := range map[int]bool{1: false, 2: true} {
		l := NewLookup([]QueryTerm{{Text: "harbour", Stem: "harbour", Typos: 1}}, 1, true, func(int) bool { return enough })
		l.AddPending(0, 1, doc)
		if got := len(l.terms[0].words); got != want || l.Truncated() != (want == 1) {
			t.Errorf("%d words found, truncated is %v, want %d words", got, l.Truncated(), want)
		}
	}
}
