package reviews_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/merge"
	"github.com/octavo-docs/octavo/internal/content/reviews"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// sheets returns the pages of the space that have a parent page at the top level.
func (d *desk) sheets(t testing.TB) []docs.PageID {
	t.Helper()
	v, err := d.c.Source.Head(context.Background(), d.grant(t).Space)
	if err != nil {
		t.Fatal(err)
	}
	all, err := v.All(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var ids []docs.PageID
	for _, top := range all {
		for _, p := range top.Children {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

func (d *desk) open(t testing.TB) docs.ChangeRequest {
	t.Helper()
	cr, err := d.r.Create(context.Background(), d.grant(t), reviews.New{Subject: "Test"})
	if err != nil {
		t.Fatal(err)
	}
	return cr
}

func (d *desk) request(t testing.TB, id docs.ChangeRequestID) docs.ChangeRequest {
	t.Helper()
	cr, err := d.s.ChangeRequest(context.Background(), d.id, string(id))
	if err != nil {
		t.Fatal(err)
	}
	return cr
}

// text returns the Markdown of a page of the space.
func (d *desk) text(t testing.TB, page docs.PageID) string {
	t.Helper()
	v, err := d.c.Source.Head(context.Background(), d.grant(t).Space)
	if err != nil {
		t.Fatal(err)
	}
	return textIn(t, v, page)
}

func textIn(t testing.TB, v *revision.View, page docs.PageID) string {
	t.Helper()
	p, err := v.Page(context.Background(), page)
	if err != nil {
		t.Fatal(err)
	}
	b, err := v.Markdown(context.Background(), p, false)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// history returns the revisions of the space, newest first.
func (d *desk) history(t testing.TB) []docs.Revision {
	t.Helper()
	all, _, err := d.s.Revisions(context.Background(), d.id, "", store.Page{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func (d *desk) verify(t testing.TB) {
	t.Helper()
	found, err := d.c.Index.Verify(context.Background(), d.s.Reader, d.grant(t).Space)
	if err != nil || len(found) > 0 {
		t.Errorf("the space is not whole: %v %v", err, found)
	}
}

// A change request that changes thousands of pages is merged like a small one, also if
// the space has changed some of them.
func TestLargeMerge(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		pages := 5_000
		if o.DatabaseURL != "" || testing.Short() {
			pages = 1_000
		}
		d, ctx := newDesk(t, o, pages), context.Background()
		ids := d.sheets(t)
		if len(ids) != pages {
			t.Fatalf("%d pages", len(ids))
		}
		const changed, ofSpace, ofBoth = "This is, by request, page", "Words of the space.", "Words of the request."
		// write replaces the text of each page by the result of as.
		write := func(on content.LineName, ids []docs.PageID, as func(string) string) {
			t.Helper()
			v, err := d.c.Source.Head(ctx, d.grant(t).Space)
			if err != nil {
				t.Fatal(err)
			}
			changes := make([]content.Change, len(ids))
			for i, id := range ids {
				body := as(textIn(t, v, id))
				changes[i] = content.Change{Operation: content.UpdatePage, Page: string(id), Body: &revision.Body{Markdown: &body}}
			}
			if _, err := d.c.Apply(ctx, d.grant(t), on, "", changes); err != nil {
				t.Fatal(err)
			}
		}
		first := func(s string) string { return strings.Replace(s, "This is page", changed, 1) }
		last := func(words string) func(string) string {
			return func(s string) string { return strings.Replace(s, "Some words to read.", words, 1) }
		}

		both := ids[:pages/20]
		cr := d.open(t)
		write(content.LineName(cr.ID), ids, first)
		write("", both, last(ofSpace))
		out, err := d.r.Merge(ctx, d.grant(t), string(cr.ID))
		if err != nil || len(out.Conflicts) > 0 {
			t.Fatalf("%v, %d conflicts", err, len(out.Conflicts))
		}
		v, err := d.c.Source.Head(ctx, d.grant(t).Space)
		if err != nil {
			t.Fatal(err)
		}
		for i, id := range ids {
			got := textIn(t, v, id)
			if !strings.Contains(got, changed) || strings.Contains(got, ofSpace) != (i < len(both)) {
				t.Fatalf("page %d has\n%s", i, got)
			}
		}
		d.verify(t)

		// Merge again, with a conflict in each page of others.
		others := ids[len(both) : 2*len(both)]
		cr = d.open(t)
		write(content.LineName(cr.ID), others, last(ofBoth))
		write("", ids[len(both):], last(ofSpace))
		out, err = d.r.Merge(ctx, d.grant(t), string(cr.ID))
		if err != nil || len(out.Conflicts) != len(others) {
			t.Fatalf("%v, %d conflicts", err, len(out.Conflicts))
		}
		out, err = d.r.BringUpToDate(ctx, d.grant(t), string(cr.ID))
		if err != nil || len(out.Conflicts) != len(others) {
			t.Fatalf("%v, %d conflicts", err, len(out.Conflicts))
		}
		for _, c := range out.Conflicts {
			if _, err := d.r.Resolve(ctx, d.grant(t), string(cr.ID), c.Name(), merge.ByMine, nil); err != nil {
				t.Fatal(err)
			}
		}
		if out, err = d.r.Merge(ctx, d.grant(t), string(cr.ID)); err != nil || len(out.Conflicts) > 0 {
			t.Fatalf("%v, %d conflicts", err, len(out.Conflicts))
		}
		for _, id := range []docs.PageID{others[0], others[len(others)-1]} {
			if got := d.text(t, id); !strings.Contains(got, ofBoth) {
				t.Errorf("page %s has\n%s", id, got)
			}
		}
		d.verify(t)
	})
}

// If a change request is merged several times concurrently, one merge succeeds, and the
// others return the reason why they did not.
func TestMergesAtOnce(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		d, ctx := newDesk(t, o, 20), context.Background()
		ids := d.sheets(t)
		for round := range 5 {
			cr := d.open(t)
			word := fmt.Sprint("round-", round)
			d.edit(t, content.LineName(cr.ID), ids[round], "Text of "+word+".\n")
			before := len(d.history(t))
			const clients = 6
			errors := make([]error, clients)
			var wg sync.WaitGroup
			for i := range clients {
				g := d.grant(t)
				wg.Go(func() { _, errors[i] = d.r.Merge(ctx, g, string(cr.ID)) })
			}
			wg.Wait()
			merged := 0
			for _, err := range errors {
				switch {
				case err == nil:
					merged++
				case !errs.Is(err, errs.Precondition):
					t.Errorf("a merge that came too late failed with %v", err)
				}
			}
			all := d.history(t)
			if merged != 1 || len(all) != before+1 || all[0].MergedFrom != cr.ID {
				t.Errorf("%d of %d merges succeeded, and made %d revisions", merged, clients, len(all)-before)
			}
			if now := d.request(t, cr.ID); now.Status != docs.ChangeMerged || now.Merged != all[0].ID {
				t.Errorf("the request is %+v", now)
			}
			if !strings.Contains(d.text(t, ids[round]), word) {
				t.Errorf("%s is not in the space", word)
			}
		}
		d.verify(t)
	})
}

// With concurrent edits, updates and merges of a change request, everything that was
// acknowledged before the merge is in the space, and nothing after it.
func TestUpdateDuringAMerge(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		d, ctx := newDesk(t, o, 20), context.Background()
		ids := d.sheets(t)
		late := func(err error) bool { return err != nil && errs.Is(err, errs.Precondition) }
		for round := range 10 {
			cr := d.open(t)
			d.edit(t, content.LineName(cr.ID), ids[0], fmt.Sprintf("Edit 0 of round-%d.\n", round))
			d.edit(t, "", ids[1+round], fmt.Sprintf("Space of round-%d.\n", round)) // the request is outdated now
			var wg sync.WaitGroup
			edited, g := 0, d.grant(t)
			wg.Go(func() {
				for i := 1; i < 6; i++ {
					body := fmt.Sprintf("Edit %d of round-%d.\n", i, round)
					_, err := d.c.Apply(ctx, g, content.LineName(cr.ID), "", []content.Change{{
						Operation: content.UpdatePage, Page: string(ids[0]), Body: &revision.Body{Markdown: &body},
					}})
					if late(err) {
						return
					}
					if err != nil {
						t.Error(err)
						return
					}
					edited = i
				}
			})
			wg.Go(func() {
				if out, err := d.r.BringUpToDate(ctx, g, string(cr.ID)); err != nil && !late(err) || len(out.Conflicts) > 0 {
					t.Errorf("the update: %v %v", err, out.Conflicts)
				}
			})
			wg.Go(func() {
				if out, err := d.r.Merge(ctx, g, string(cr.ID)); err != nil || len(out.Conflicts) > 0 {
					t.Errorf("the merge: %v %v", err, out.Conflicts)
				}
			})
			wg.Wait()
			head, now := d.history(t)[0], d.request(t, cr.ID)
			if now.Status != docs.ChangeMerged || now.Merged != head.ID || head.Parents[1] != now.Revision {
				t.Errorf("merged is %s with the parents %v, the request %+v", head.ID, head.Parents, now)
			}
			if want, got := fmt.Sprintf("Edit %d of round-%d.", edited, round), d.text(t, ids[0]); !strings.Contains(got, want) {
				t.Errorf("the space lacks %q, which was acknowledged: %q", want, got)
			}
			if got := d.text(t, ids[1+round]); !strings.Contains(got, fmt.Sprintf("Space of round-%d.", round)) {
				t.Errorf("the space lost what it had: %q", got)
			}
		}
		d.verify(t)
	})
}

// A request that is pending is found, however many newer ones were merged or archived.
func TestPendingRequestsAmongMany(t *testing.T) {
	d := newDesk(t, testdb.SQLite(t), 0)
	ctx := context.Background()
	add := func(status docs.ChangeRequestStatus) docs.ChangeRequestID {
		t.Helper()
		cr, err := d.r.Create(ctx, d.grant(t), reviews.New{Subject: "Test", Cluster: "billing"})
		if err != nil {
			t.Fatal(err)
		}
		was := cr
		cr.Status = status
		if err := d.s.Do(ctx, func(tx *store.Tx) error { return tx.PutChangeRequest(ctx, was, cr) }); err != nil {
			t.Fatal(err)
		}
		return cr.ID
	}
	check := func(want docs.ChangeRequestID) {
		t.Helper()
		got, found, err := reviews.OpenForCluster(ctx, d.s.Reader, d.id, "billing")
		if err != nil || found != (want != "") || got.ID != want {
			t.Errorf("found %v %q (%v) instead of %q", found, got.ID, err, want)
		}
	}
	check("")
	add(docs.ChangeArchived)
	check("")
	open := add(docs.ChangeOpen)
	for range 100 {
		add(docs.ChangeArchived)
	}
	check(open)
	draft := add(docs.ChangeDraft)
	check(draft)
	check(add(docs.ChangeOpen))
	if _, err := d.r.Create(ctx, d.grant(t), reviews.New{Subject: "Test", Cluster: "billing", Once: true}); !errors.Is(err, reviews.ErrAnswered) {
		t.Errorf("another request was opened: %v", err)
	}
}
