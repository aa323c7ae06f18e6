package searchrows_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/search"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/store/searchrows"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// world is what was put into some layers, to compare searches with.
type world struct {
	r       *rand.Rand
	words   []string
	layers  []string // topmost first
	pages   int
	entries map[string]map[string]*searchrows.Page // nil: a tombstone
	docs    map[*searchrows.Page]search.Doc
}

func newWorld(r *rand.Rand, pages int) *world {
	w := &world{r: r, pages: pages, layers: []string{"top", "middle", "base"}, entries: map[string]map[string]*searchrows.Page{}, docs: map[*searchrows.Page]search.Doc{}}
	syllables := []string{"con", "fig", "ur", "ation", "in", "stall", "ing", "pack", "age", "doc", "ument", "s", "re", "quest", "中", "文", "搜", "é", "ß", "v1.", "_x", "Foo"}
	for range 400 {
		var b strings.Builder
		for range 1 + r.IntN(4) {
			b.WriteString(syllables[r.IntN(len(syllables))])
		}
		w.words = append(w.words, b.String())
	}
	for _, l := range w.layers {
		w.entries[l] = map[string]*searchrows.Page{}
	}
	return w
}

func (w *world) text(n int) string {
	var out []string
	for range n {
		// Some words are much more frequent than others.
		i := int(float64(len(w.words)) * w.r.Float64() * w.r.Float64() * w.r.Float64())
		out = append(out, w.words[i])
	}
	return strings.Join(out, " ")
}

// step changes some pages of some layers.
func (w *world) step(t testing.TB, s *store.Store, n int) {
	t.Helper()
	layer := w.layers[w.r.IntN(len(w.layers))]
	var put []searchrows.Page
	drop := map[string]bool{}
	for range 1 + w.r.IntN(n) {
		id := fmt.Sprintf("p%d", w.r.IntN(w.pages))
		if _, twice := drop[id]; twice || slices.ContainsFunc(put, func(p searchrows.Page) bool { return p.Page == id }) {
			continue
		}
		switch w.r.IntN(12) {
		case 0:
			drop[id] = true
			w.entries[layer][id] = nil
		case 1:
			drop[id] = false
			delete(w.entries[layer], id)
		default:
			p := searchrows.Page{Page: id, Title: w.text(1 + w.r.IntN(3)), Language: "en", Hidden: w.r.IntN(20) == 0}
			for i := range 1 + w.r.IntN(3) {
				p.Sections = append(p.Sections, search.Section{Anchor: fmt.Sprint("s", i), Title: w.text(w.r.IntN(3)), Body: w.text(w.r.IntN(30))})
			}
			put = append(put, p)
			w.entries[layer][id] = &p
		}
	}
	change(t, s, func(tx *store.Tx) error {
		for id, tombstone := range drop {
			if err := tx.DropSearchPage(t.Context(), layer, id, tombstone); err != nil {
				return err
			}
		}
		if w.r.IntN(2) == 0 {
			return tx.PutSearchPages(t.Context(), layer, put)
		}
		for _, p := range put {
			if err := tx.PutSearchPage(t.Context(), layer, p); err != nil {
				return err
			}
		}
		return nil
	})
}

// visible returns the pages that a chain of layers shows.
func (w *world) visible(layers []string) map[string]*searchrows.Page {
	out := map[string]*searchrows.Page{}
	for _, l := range slices.Backward(layers) {
		for id, p := range w.entries[l] {
			if delete(out, id); p != nil && !p.Hidden {
				out[id] = p
			}
		}
	}
	return out
}

func (w *world) doc(p *searchrows.Page) search.Doc {
	d, ok := w.docs[p]
	if !ok {
		d = new(search.Analyser).Doc(search.Page{Title: p.Title, Language: p.Language, Sections: p.Sections})
		w.docs[p] = d
	}
	return d
}

// find is the search without an index: it looks at every page.
func (w *world) find(query string, layers []string) string {
	terms := search.Query(query, "en")
	if len(terms) == 0 {
		return ""
	}
	visible := w.visible(layers)
	for _, typos := range []bool{false, true} {
		var out []string
		asked := make([]map[string]bool, len(terms)) // what was asked before
		for i := range asked {
			asked[i] = map[string]bool{}
		}
		answers := func(i int, word string) bool {
			yes, ok := asked[i][word]
			if !ok {
				yes = terms[i].Weight(word, typos) > 0
				asked[i][word] = yes
			}
			return yes
		}
		for id, p := range visible {
			has := true
			for i, t := range terms {
				has = has && (t.Optional || slices.ContainsFunc(w.doc(p), func(e search.Entry) bool { return answers(i, e.Term) }))
			}
			if has {
				out = append(out, id)
			}
		}
		if len(out) > 0 {
			slices.Sort(out)
			return strings.Join(out, " ")
		}
	}
	return ""
}

// mangle makes a typo.
func (w *world) mangle(word string) string {
	r := []rune(word)
	if len(r) < 3 {
		return word
	}
	i := 1 + w.r.IntN(len(r)-2)
	switch w.r.IntN(4) {
	case 0:
		r = slices.Delete(r, i, i+1)
	case 1:
		r = slices.Insert(r, i, 'x')
	case 2:
		r[i] = 'q'
	default:
		r[i], r[i+1] = r[i+1], r[i]
	}
	return string(r)
}

func (w *world) query() string {
	one := func() string { return w.words[w.r.IntN(len(w.words))] }
	switch w.r.IntN(5) {
	case 0:
		word := []rune(one())
		return string(word[:1+w.r.IntN(len(word))])
	case 1:
		return one() + " " + one()
	case 2:
		return w.mangle(one()) + " "
	case 3:
		return one() + " " + w.mangle(one())
	}
	return one() + " "
}

// The index shows the pages that looking at every page would show, whatever
// was put, replaced and dropped before, and both databases in one order.
func TestSearchAgreesWithLookingAtEveryPage(t *testing.T) {
	steps, pages, queries := 30, 4000, 6
	if testing.Short() {
		steps, pages, queries = 20, 500, 6
	}
	orders := map[string][]string{}
	testdb.Each(t, func(t *testing.T, o store.Options) {
		s := testdb.Open(t, o)
		w := newWorld(rand.New(rand.NewPCG(3, 4)), pages)
		var order []string
		for step := range steps {
			w.step(t, s, []int{5, 40, 700}[w.r.IntN(3)])
			searchrows.WaitForFolds(s.Index) // what is dead in segments counts in the order
			if step%20 == 19 {
				change(t, s, func(tx *store.Tx) error {
					_, err := tx.CompactSearch(t.Context(), w.layers[w.r.IntN(len(w.layers))])
					return err
				})
			}
			for range queries {
				q := w.query()
				layers := w.layers[w.r.IntN(len(w.layers)):]
				want := w.find(q, layers)
				var got []string
				at := &searchrows.Place{}
				for offset, more := 0, true; more; offset += 500 {
					hits, next, err := s.Search(t.Context(), scopeOf(layers...), q, 500, at)
					if err != nil {
						t.Fatal(err)
					}
					for _, h := range hits {
						got = append(got, h.Page)
					}
					if more = next && offset+500 <= searchrows.MaxPlace; next && !more {
						want = "" // too many to leaf through
					}
				}
				order = append(order, q+": "+strings.Join(got, " "))
				if want == "" && len(got) >= 500 || want == "" && len(search.Query(q, "en")) > 1 {
					continue // most of the words may be enough
				}
				if sorted(strings.Join(got, " ")) != sorted(want) {
					t.Fatalf("step %d, search %q in %v:\n got %.300q\nwant %.300q", step, q, layers, sorted(strings.Join(got, " ")), sorted(want))
				}
			}
		}
		orders[s.Dialect()] = order
	})
	if other, ok := orders["postgres"]; ok && !slices.Equal(orders["sqlite"], other) {
		t.Error("the databases disagree about the order")
	}
}

// Whoever searches while others change pages and segments are merged finds
// what nobody changed, every time.
func TestSearchFindsWhatIsThereWhileOthersWrite(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		s := testdb.Open(t, o)
		var fixed []searchrows.Page
		for i := range 40 {
			fixed = append(fixed, page(fmt.Sprint("fixed", i), "Lighthouse", "lantern keeper"))
		}
		putPages(t, s, "l", fixed...)
		done := make(chan struct{})
		go func() {
			defer close(done)
			w := newWorld(rand.New(rand.NewPCG(1, 1)), 100)
			for i := range 200 {
				err := s.Do(context.Background(), func(tx *store.Tx) error {
					for k := range 20 {
						if err := tx.PutSearchPage(context.Background(), "l", page(fmt.Sprint("p", k), w.text(2), w.text(30)+" lantern")); err != nil {
							return err
						}
					}
					if i%10 == 9 {
						_, err := tx.CompactSearch(context.Background(), "l")
						return err
					}
					return nil
				})
				if err != nil {
					t.Error(err)
					return
				}
			}
		}()
		for n := 0; ; n++ {
			for _, q := range []string{"lighthouse ", "lant", "keepr lantern"} {
				got, _, err := s.Search(t.Context(), scopeOf("l"), q, 100, nil)
				if err != nil {
					t.Fatal(err)
				}
				found := 0
				for _, h := range got {
					if strings.HasPrefix(h.Page, "fixed") {
						found++
					}
				}
				if found != len(fixed) {
					t.Fatalf("search %q found %d of %d pages", q, found, len(fixed))
				}
			}
			select {
			case <-done:
				t.Logf("%d rounds", n)
				return
			default:
			}
		}
	})
}
