package content_test

import (
	"context"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	_ "github.com/octavo-docs/octavo/internal/testing/testrapid"
	"github.com/octavo-docs/octavo/internal/testing/testspace"
)

// everyPage returns the pages of a view in their order, with all that a person
// sees of them but their place.
func everyPage(f testspace.Fatal, v *revision.View) (order []docs.PageID, parents map[docs.PageID]docs.PageID, seen map[docs.PageID]string) {
	ctx := context.Background()
	parents, seen = map[docs.PageID]docs.PageID{}, map[docs.PageID]string{}
	all, err := v.All(ctx)
	if err != nil {
		f.Fatalf("%v", err)
	}
	var walk func([]*revision.PageNode)
	walk = func(in []*revision.PageNode) {
		for _, p := range in {
			order = append(order, p.ID)
			parents[p.ID] = p.Parent
			seen[p.ID] = fmt.Sprint(p.Title, p.Slug, p.Hidden, p.NoIndex, p.Description, p.Body)
			walk(p.Children)
		}
	}
	walk(all)
	return order, parents, seen
}

// What differs is reported, and nothing else is: also where pages came, went or
// were numbered again next to a page.
func TestCompareTellsWhatDiffers(t *testing.T) {
	d, ctx := testspace.New(t, testdb.SQLite(t)), context.Background()
	rapid.Check(t, func(rt *rapid.T) {
		from := d.Head(rt, d.ID)
		for range rapid.IntRange(1, 3).Draw(rt, "batches") {
			changes := d.Changes(rt, d.Head(rt, d.ID))
			for i := range changes {
				if c := &changes[i]; c.Operation == content.InsertPage || c.Into.IsSet() {
					at := rapid.IntRange(0, 3).Draw(rt, "at")
					c.At = &at
				}
			}
			_, _ = d.Apply(rt, d.ID, changes...) // one that is refused changes nothing
		}
		to := d.Head(rt, d.ID)
		diff, err := d.Content.Compare(ctx, from, to)
		if err != nil {
			rt.Fatalf("%v", err)
		}
		before, wasIn, was := everyPage(rt, from)
		after, isIn, is := everyPage(rt, to)
		reported := map[docs.PageID]content.PageDiff{}
		for _, p := range diff.Pages {
			switch {
			case p.Before == nil:
				reported[p.After.ID] = p
				if _, there := was[p.After.ID]; there {
					rt.Fatalf("%s was there already", p.After.ID)
				}
			case p.After == nil:
				reported[p.Before.ID] = p
				if _, there := is[p.Before.ID]; there {
					rt.Fatalf("%s is still there", p.Before.ID)
				}
			default:
				reported[p.After.ID] = p
				if !p.Moved && was[p.After.ID] == is[p.After.ID] {
					rt.Fatalf("%s did not change: %+v", p.After.ID, p)
				}
			}
		}
		stays := func(order []docs.PageID, parents map[docs.PageID]docs.PageID) map[docs.PageID][]docs.PageID {
			out := map[docs.PageID][]docs.PageID{}
			for _, id := range order {
				if p, changed := reported[id]; !changed || p.Before != nil && p.After != nil && !p.Moved {
					out[parents[id]] = append(out[parents[id]], id)
				}
			}
			return out
		}
		if a, b := fmt.Sprint(stays(before, wasIn)), fmt.Sprint(stays(after, isIn)); a != b {
			rt.Fatalf("what was not moved is elsewhere:\n%s\n%s", a, b)
		}
		for id := range is {
			if _, changed := reported[id]; !changed && was[id] != is[id] {
				rt.Fatalf("%s changed from %s to %s", id, was[id], is[id])
			}
		}
	})
}

// Pages that are numbered again because others came between them did not
// move; one that did is the only one that did.
func TestNeighboursDoNotMove(t *testing.T) {
	d, ctx := testspace.New(t, testdb.SQLite(t)), context.Background()
	out := d.Must(testspace.Insert("First", "", ""), testspace.Insert("Second", "", ""), testspace.Insert("Third", "", ""))
	one, renumbered := 1, false
	for range 8 {
		from := d.Head(t, d.ID)
		var batch []content.Change
		for range content.MaxChanges {
			c := testspace.Insert("Between", "", "")
			c.At = &one
			batch = append(batch, c)
		}
		d.Must(batch...)
		to := d.Head(t, d.ID)
		diff, err := d.Content.Compare(ctx, from, to)
		if err != nil || len(diff.Pages) != content.MaxChanges {
			t.Fatalf("%d pages differ (%v)", len(diff.Pages), err)
		}
		third := out.Outcomes[2].Page
		a, errA := from.Page(ctx, third)
		b, errB := to.Page(ctx, third)
		renumbered = renumbered || a.Rank != b.Rank
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
	}
	if !renumbered {
		t.Error("no page was numbered again; the test needs more of them")
	}
	from, zero := d.Head(t, d.ID), 0
	d.Must(content.Change{Operation: content.UpdatePage, Page: string(out.Outcomes[1].Page), Into: opt.Null[string](), At: &zero})
	diff, err := d.Content.Compare(ctx, from, d.Head(t, d.ID))
	if err != nil || len(diff.Pages) != 1 || !diff.Pages[0].Moved || diff.Pages[0].After.ID != out.Outcomes[1].Page {
		t.Errorf("%+v (%v)", diff.Pages, err)
	}
}
