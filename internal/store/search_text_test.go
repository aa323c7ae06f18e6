package store_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/chunk"
	"github.com/octavo-docs/octavo/internal/search"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testdb"
)

// withSource returns a page with a source that has its text among markup, as a
// page of Markdown has.
func withSource(p store.SearchPage) (store.SearchPage, store.Object) {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", p.Title)
	for _, s := range p.Sections {
		fmt.Fprintf(&b, "## %s\n\n%s\n\n", s.Title, strings.ReplaceAll(s.Body, " con", " **con"))
	}
	p.SourceData = []byte(b.String())
	p.Source = chunk.Sum(p.SourceData)
	return p, store.Object{Hash: p.Source, Data: p.SourceData}
}

// TestResultsAreTheSameWithASource puts the same pages into a layer with their
// text and into one with sources, and edits them.
func TestResultsAreTheSameWithASource(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		ctx := t.Context()
		s := testdb.Open(t, o)
		w := newWorld(rand.New(rand.NewPCG(11, 12)), 60)
		last := map[string]chunk.Hash{} // source of a page
		for range 40 {
			var plain, sourced []store.SearchPage
			var objects []store.Object
			for id := range 5 {
				p := store.SearchPage{Page: fmt.Sprintf("p%d", 5*w.r.IntN(12)+id), Title: w.text(2), Language: "en", Hidden: w.r.IntN(20) == 0}
				for i := range 1 + w.r.IntN(3) {
					p.Sections = append(p.Sections, search.Section{Anchor: fmt.Sprint("s", i), Title: w.text(2), Body: w.text(100)})
				}
				plain = append(plain, p)
				p, source := withSource(p)
				source.Base = last[p.Page]
				last[p.Page] = source.Hash
				sourced, objects = append(sourced, p), append(objects, source)
			}
			putObjects(t, s, objects...)
			change(t, s, func(tx *store.Tx) error {
				if err := tx.PutSearchPages(ctx, "plain", plain); err != nil {
					return err
				}
				return tx.PutSearchPages(ctx, "sourced", sourced)
			})
			for range 5 {
				q := w.query()
				want, got := hits(t, s, q, "plain"), hits(t, s, q, "sourced")
				if !reflect.DeepEqual(got, want) {
					t.Fatalf("%q:\n%+v\nwith a source:\n%+v", q, want, got)
				}
			}
		}
		entries := func(layer string) []store.SearchEntry {
			t.Helper()
			if err := s.CheckSearch(ctx, layer); err != nil {
				t.Error(err)
			}
			all, err := s.SearchEntries(ctx, layer)
			if err != nil {
				t.Fatal(err)
			}
			return all
		}
		if want, got := entries("plain"), entries("sourced"); !reflect.DeepEqual(got, want) {
			t.Errorf("the entries are %v, want %v", got, want)
		}
		change(t, s, func(tx *store.Tx) error { return tx.RebuildSearch(ctx, "sourced") })
		entries("sourced")
		plain, err := store.SearchBytes(ctx, s, "plain")
		if err != nil {
			t.Fatal(err)
		}
		sourced, err := store.SearchBytes(ctx, s, "sourced")
		if err != nil || sourced > plain/2 {
			t.Errorf("the text takes %d bytes, with a source %d: %v", plain, sourced, err)
		}
	})
}

// A source that has nothing of the text saves nothing, and one that is missing
// is an error.
func TestTextThatIsNotInItsSource(t *testing.T) {
	s := testdb.Open(t, testdb.SQLite(t))
	p := page("p1", "Title", "Words that its source does not have.")
	p.Source, p.SourceData = "unrelated", []byte("something else")
	putPages(t, s, "layer", p)
	if got := hits(t, s, "words", "layer"); len(got) != 1 || len(got[0].Sections) != 1 {
		t.Errorf("%+v", got)
	}
	p, _ = withSource(page("p2", "Missing", strings.Repeat("Rare text in a source that is missing. ", 5)))
	putPages(t, s, "layer", p)
	if _, _, err := s.Search(t.Context(), scopeOf("layer"), "rare", 10, 0); err == nil {
		t.Error("a missing source is not reported")
	}
}
