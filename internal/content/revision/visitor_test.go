package revision

import (
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/reading"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// A page that was stored when damaged front matter had no condition is not open to
// everybody until somebody writes it again.
func TestConditionsOfOlderVersions(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		ctx, upgraded := t.Context(), time.Now()
		o.Clock = func() time.Time { return upgraded }
		s := NewSource(testdb.Open(t, o), "")
		old, now := docs.TimeOf(upgraded.Add(-time.Hour)), docs.TimeOf(upgraded.Add(time.Hour))
		d := s.View(docs.Space{}, docs.Revision{}).Draft(now, func() string { return "id" })
		put := func(id docs.PageID, source string, at docs.Time) {
			p := docs.Page{ID: id, Type: docs.PageDocument, Rank: docs.Rank(id), Title: string(id), Slug: string(id), Body: d.Object([]byte(source), ""), UpdatedAt: at}
			if err := d.Put(ctx, p); err != nil {
				t.Fatal(err)
			}
		}
		const damaged = "---\nif: visitor.claims.beta\ntitle: [\n---\n\nSecret\n"
		put("damaged", damaged, old)
		put("unclosed", "---\nif: visitor.claims.beta\n\n# Secret\n", old)
		put("plain", "---\ntitle: Plain\n---\n\nText\n", old)
		put("rewritten", damaged, now) // by somebody who removed the condition
		members := &View{Tree: d.Tree}
		visitors := members.For(reading.Nobody)
		for id, want := range map[docs.PageID]bool{"damaged": false, "unclosed": false, "plain": true, "rewritten": true} {
			for range 2 { // the second time from memory
				if _, ok, err := visitors.Lookup(ctx, id); err != nil || ok != want {
					t.Errorf("visitors see %s: %v, %v", id, ok, err)
				}
			}
			if _, ok, err := members.Lookup(ctx, id); err != nil || !ok {
				t.Errorf("members see %s: %v, %v", id, ok, err)
			}
		}
		if all, err := visitors.All(ctx); err != nil || len(all) != 2 {
			t.Errorf("%d pages, %v", len(all), err)
		}
	})
}
