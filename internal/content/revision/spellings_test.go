package revision

import (
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// Pages from before slugs had one normal form keep their keys and their addresses. They are
// found in every form, and no new page takes their slug in another one.
func TestSlugsOfOlderVersions(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		const composed, decomposed = "caf\u00e9", "Cafe\u0301"
		ctx := t.Context()
		d := NewSource(testdb.Open(t, o), "").View(docs.Space{}, docs.Revision{}).Draft(docs.TimeOf(time.Now()), func() string { return "id" })
		put := func(id docs.PageID, slug string) docs.Page {
			t.Helper()
			p := docs.Page{ID: id, Type: docs.PageDocument, Rank: docs.Rank(id), Title: string(id), Slug: slug, Pinned: true}
			if err := d.Put(ctx, p); err != nil {
				t.Fatal(err)
			}
			return p
		}
		at := func(path string, want docs.PageID) {
			t.Helper()
			p, err := d.ByPath(ctx, path)
			if p.ID != want || (err != nil) != (want == "") {
				t.Errorf("%+q leads to %q: %v, want %q", path, p.ID, err, want)
			}
		}
		old := put("old", decomposed)
		at(decomposed, "old")
		at(composed, "old")
		if _, err := d.WithSlug(ctx, "slug", docs.Page{ID: "new", Type: docs.PageDocument, Slug: composed, Pinned: true}); !errs.Is(err, errs.Conflict) {
			t.Errorf("the slug is taken: %v", err)
		}
		if p, err := d.WithSlug(ctx, "slug", old); err != nil || p.Slug != old.Slug {
			t.Errorf("its own slug is not taken: %v %v", p.Slug, err)
		}
		// Two pages of an older version that differ in the form of their slugs alone.
		put("twin", composed)
		at(decomposed, "old")
		at(composed, "twin")
		put("twin", "other")
		at(composed, "old")
		// The former address of a page is found in every form, too.
		put("old", "moved")
		at(decomposed, "old")
		put("twin", "twin") // leaves "other"
		if _, ok, err := d.BySlug(ctx, "", composed); ok || err != nil {
			t.Errorf("no page has the slug any more: %v", err)
		}
	})
}
