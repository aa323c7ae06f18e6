package index_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/octavo-docs/octavo/internal/content/index"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/reading"
	"github.com/octavo-docs/octavo/internal/search"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/store/searchrows"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	_ "github.com/octavo-docs/octavo/internal/testing/testrapid"
	"github.com/octavo-docs/octavo/internal/testing/testspace"
)

// desk is a space to write in, with what these tests ask of it.
type desk struct{ testspace.Desk }

func newDesk(t testing.TB, o store.Options) *desk { return &desk{*testspace.New(t, o)} }

// Whatever is done in whatever order, search and links are what a rebuild
// would make them, in the space and in its copies.
func TestIndexEqualsRebuild(t *testing.T) {
	d := newDesk(t, testdb.SQLite(t))
	all := []docs.SpaceID{d.ID}
	rapid.Check(t, func(rt *rapid.T) {
		ctx := context.Background()
		for range rapid.IntRange(1, 6).Draw(rt, "batches") {
			id := all[rapid.IntRange(0, len(all)-1).Draw(rt, "space")]
			if len(all) < 6 && rapid.IntRange(0, 9).Draw(rt, "copy") == 0 {
				sp, _, err := d.Spaces.Duplicate(ctx, d.Grant(rt, id))
				if err != nil {
					rt.Fatalf("%v", err)
				}
				all = append(all, sp.ID)
				continue
			}
			if rapid.IntRange(0, 12).Draw(rt, "rebuild") == 0 {
				if err := d.Content.Index.Rebuild(ctx, fmt.Appendf(nil, `{"space":%q}`, id)); err != nil {
					rt.Fatalf("%v", err)
				}
				continue
			}
			d.Random(rt, id)
		}
		d.Verify(rt)
	})
}

// The same words for a missing page in two folders are two missing pages, and
// an address of any length can be indexed on both databases.
func TestBrokenTargetsAreDistinguished(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		d, ctx := newDesk(t, o), context.Background()
		out := d.Must(testspace.Insert("A", "[r](REF.md)\n", ""), testspace.Insert("B", "[far](https://octavo.test/"+strings.Repeat("x", 50_000)+")\n", ""))
		d.Must(testspace.Insert("C", "[s](REF.md)\n", string(out.Outcomes[0].Page)))
		links, _, stats, err := d.Content.Index.Links(ctx, d.Grant(t, d.ID), d.Head(t, d.ID), index.LinkFilter{Status: index.LinkBroken}, store.Page{Limit: 10})
		if err != nil || stats.Broken != 2 || len(links) != 2 {
			t.Errorf("%d broken, %v (%v)", stats.Broken, links, err)
		}
		d.Verify(t)
	})
}

// Titles and descriptions were indexed with what is behind a condition once. Such an
// index shows nothing of it to visitors.
func TestVisitorsFindNothingOfConditionsInOldIndexes(t *testing.T) {
	d, ctx := newDesk(t, testdb.SQLite(t)), context.Background()
	page := d.Must(testspace.Insert("Plans", "Text about herons.\n", "")).Outcomes[0].Page
	head := d.Head(t, d.ID)
	old := searchrows.Page{
		Page: string(page), Title: "Plans {% if visitor.claims.beta %}zebra{% endif %}", Language: head.Space.Language,
		Sections: []search.Section{{Body: "For all {% if visitor.claims.beta %}and yaks{% endif %}\nText about herons."}},
	}
	if err := d.Store.Do(ctx, func(tx *store.Tx) error { return tx.PutSearchPage(ctx, head.Space.Layer, old) }); err != nil {
		t.Fatal(err)
	}
	for query, found := range map[string]bool{"zebra": false, "yaks": false, "plans zebra": true, "plans": true, "herons": true} {
		hits, _, err := d.Content.Search(ctx, []*revision.View{head.For(reading.Nobody)}, query, 10, nil)
		if err != nil || (len(hits) > 0) != found {
			t.Errorf("%s: %v, %v", query, hits, err)
		}
		for _, h := range hits {
			if text := fmt.Sprint(h.Title, h.About, h.Sections); strings.Contains(text, "zebra") || strings.Contains(text, "yak") || strings.Contains(text, "{%") {
				t.Errorf("%s: found %s", query, text)
			}
		}
		if hits, _, err = d.Content.Search(ctx, []*revision.View{head}, query, 10, nil); err != nil || len(hits) == 0 {
			t.Errorf("%s: members find %v, %v", query, hits, err)
		}
	}
}
