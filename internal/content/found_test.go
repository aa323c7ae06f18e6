package content_test

import (
	"context"
	"runtime"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testspace"
)

// Going back to earlier places must not put a page below itself, however the
// tree was changed meanwhile. (security: a cycle in page moves)
func TestRevertMakesNoCycle(t *testing.T) {
	d := testspace.New(t, testdb.SQLite(t))
	out := d.Must(testspace.Insert("Q", "", ""), testspace.Insert("P", "", ""))
	q, p := out.Outcomes[0].Page, out.Outcomes[1].Page
	into := func(page, parent docs.PageID) content.Change {
		c := content.Change{Operation: content.UpdatePage, Page: string(page), Into: opt.Null[string]()}
		if parent != "" {
			c.Into = opt.Of(string(parent))
		}
		return c
	}
	chain := func(top docs.PageID, n int) docs.PageID {
		for range n {
			top = d.Must(testspace.Insert("Link", "", string(top))).Outcomes[0].Page
		}
		return top
	}
	rev0 := d.Must(into(p, q)).View.Rev.ID
	d.Must(into(p, ""))
	x := chain(p, docs.MaxPageDepth-2)
	rev1 := d.Head(t, d.ID).Rev.ID
	d.Must(into(x, ""))
	d.Must(into(q, chain(x, docs.MaxPageDepth-3)))
	revert := func(page docs.PageID, to docs.RevisionID) error {
		_, err := d.Apply(t, d.ID, content.Change{Operation: content.RevertPage, Page: string(page), Revision: to})
		return err
	}
	if err := revert(x, rev1); err == nil {
		t.Error("a tree of twice the depth was accepted")
	}
	if err := revert(p, rev0); err != nil {
		t.Logf("refused: %v", err) // fine either way, as long as the tree is one
	}
	d.Verify(t)
	if _, err := d.Head(t, d.ID).All(context.Background()); err != nil {
		t.Error(err)
	}
}

// What is read with ids in place of paths can be written back like anything
// else that was read.
func TestStableReferencesAreWrittenBack(t *testing.T) {
	d, ctx := testspace.New(t, testdb.SQLite(t)), context.Background()
	out := d.Must(testspace.Insert("Alpha", "Text.\n", ""), testspace.Insert("Beta", "See [a](alpha.md).\n", ""))
	v := d.Head(t, d.ID)
	p, err := v.Page(ctx, out.Outcomes[1].Page)
	if err != nil {
		t.Fatal(err)
	}
	md, err := v.Markdown(ctx, p, true)
	if err != nil || !strings.Contains(string(md), "/pages/") {
		t.Fatalf("%s (%v)", md, err)
	}
	d.Must(testspace.Write(p.ID, "# Beta\n\n"+string(md)))
	if now := d.Head(t, d.ID).Rev.ID; now != v.Rev.ID {
		t.Error("it made a revision")
	}
}

// The slug of a page is found without trying the slugs of all pages with the
// same title, so a batch of them costs as much in a large space as in a small
// one. Allocations are counted because they do not depend on the machine.
func TestManyPagesWithOneTitle(t *testing.T) {
	d := testspace.New(t, testdb.SQLite(t))
	add := func(batches int) (allocations uint64) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range batches {
			var batch []content.Change
			for range content.MaxChanges {
				batch = append(batch, testspace.Insert("Same", "", ""))
			}
			d.Must(batch...)
		}
		runtime.ReadMemStats(&after)
		return after.Mallocs - before.Mallocs
	}
	add(2)
	few := add(4)
	add(8)
	if many := add(4); many > 2*few {
		t.Errorf("%d pages took %d allocations at first and %d behind many pages", 4*content.MaxChanges, few, many)
	}
	d.Verify(t)
}
