package index_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/index"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/spaces"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testspace"
)

// request opens a change request on the newest revision of the space.
func (d *desk) request(f testspace.Fatal) docs.ChangeRequestID {
	ctx := context.Background()
	cr, err := store.InTx(ctx, d.Store, func(tx *store.Tx) (docs.ChangeRequest, error) {
		sp, err := tx.Space(ctx, d.ID)
		if err != nil {
			return docs.ChangeRequest{}, err
		}
		cr := docs.ChangeRequest{
			ID: store.NewID[docs.ChangeRequestID](tx), Space: d.ID, Status: docs.ChangeDraft, CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
			Revision: sp.It.Revision, Initial: sp.It.Revision, Ancestor: sp.It.Revision,
		}
		if cr.CreatedBy, err = tx.User(ctx, d.By.User); err != nil {
			return cr, err
		}
		if cr.Number, err = tx.NextNumber(ctx, d.ID); err != nil {
			return cr, err
		}
		return cr, tx.AddChangeRequest(ctx, cr)
	})
	if err != nil {
		f.Fatalf("%v", err)
	}
	return cr.ID
}

// opened returns the newest revision of a change request.
func (d *desk) opened(f testspace.Fatal, id docs.ChangeRequestID) *revision.View {
	cr, err := d.Store.ChangeRequest(context.Background(), d.ID, string(id))
	if err != nil {
		f.Fatalf("%v", err)
	}
	return d.at(f, cr.Revision)
}

func (d *desk) at(f testspace.Fatal, rev docs.RevisionID) *revision.View {
	v, err := d.Content.Source.At(context.Background(), d.Store.Reader, d.Grant(f, d.ID).Space, rev)
	if err != nil {
		f.Fatalf("%v", err)
	}
	return v
}

// linked returns all that is known of the links of a revision, two at a time.
func (d *desk) linked(f testspace.Fatal, v *revision.View) string {
	ctx, g := context.Background(), d.Grant(f, d.ID)
	var b strings.Builder
	place := func(l index.Location) {
		fmt.Fprintf(&b, " %s:%s%s%s#%s@%s %q", l.Kind, l.Page.ID, l.File.ID, l.Reusable.ID, l.Anchor, l.Node, l.Label)
	}
	list := func(page docs.PageID) {
		for at := (store.Page{Limit: 2}); ; {
			usages, next, stats, err := d.Content.Index.Links(ctx, g, v, index.LinkFilter{Page: page}, at)
			if err != nil {
				f.Fatalf("%v", err)
			}
			for _, u := range usages {
				fmt.Fprintf(&b, "%s %s %+v %d/%d:", page, u.Status, u.Target, stats.Broken, stats.Total)
				if u.To != nil {
					place(*u.To)
				}
				b.WriteString(" <-")
				for _, l := range u.Locations {
					place(l)
				}
				b.WriteString("\n")
			}
			if at.After = next; next == nil {
				return
			}
		}
	}
	back := func(kind, id string) {
		fmt.Fprintf(&b, "%s %s <-", kind, id)
		for at := (store.Page{Limit: 2}); ; {
			places, next, err := d.Content.Index.Backlinks(ctx, g, v, kind, id, at)
			if err != nil {
				f.Fatalf("%v", err)
			}
			for _, l := range places {
				place(l)
			}
			if at.After = next; next == nil {
				break
			}
		}
		b.WriteString("\n")
	}
	list("")
	all, err := v.All(ctx)
	if err != nil {
		f.Fatalf("%v", err)
	}
	var walk func([]*revision.PageNode)
	walk = func(in []*revision.PageNode) {
		for _, p := range in {
			list(p.ID)
			back(markup.RefPage, string(p.ID))
			walk(p.Children)
		}
	}
	walk(all)
	files, err := v.Files(ctx, "", 0)
	if err != nil {
		f.Fatalf("%v", err)
	}
	for _, file := range files {
		back(markup.RefFile, string(file.ID))
	}
	return b.String()
}

// forms of a folder with a reusable content, a file and a link between pages.
var forms = []map[string]string{
	{
		"README.md": "# Alpha\n\n{% include \".gitbook/includes/note.md\" %}\n\nSee [beta](beta.md#setup) and [gamma](sub/gamma.md).\n",
		"beta.md":   "# Beta\n\n## Setup\n\n![x](.gitbook/assets/dot.png)\n", "SUMMARY.md": "# Table of contents\n\n* [Alpha](README.md)\n* [Beta](beta.md)\n",
		".gitbook/includes/note.md": "---\ntitle: Note\n---\n\nA [link](../../beta.md) and [none](../../delta.md).\n", ".gitbook/assets/dot.png": "\x89PNG\r\n\x1a\n",
	},
	{
		"README.md": "# Alpha\n\n{% include \".gitbook/includes/note.md\" %}\n\nSee [beta](beta.md#setup) and [gamma](sub/gamma.md).\n",
		"beta.md":   "# Beta\n\n## Setup up\n\nNothing.\n", "sub/gamma.md": "# Gamma\n\n[up](../beta.md)\n",
		"SUMMARY.md":                "# Table of contents\n\n* [Alpha](README.md)\n* [Beta](beta.md)\n* [Gamma](sub/gamma.md)\n",
		".gitbook/includes/note.md": "---\ntitle: Note\n---\n\nAnother [link](../../README.md).\n",
	},
}

// What is known of the links of any revision, of a change request or an old
// one, is what would be known if it were the newest one of its space.
func TestLinksOfAnyRevision(t *testing.T) {
	ctx := context.Background()
	shared := newDesk(t, testdb.SQLite(t))
	top, _, err := authz.NewChecker(shared.Store.Reader).Org(ctx, shared.By, authz.CreateContent, shared.Grant(t, shared.ID).Space.Org)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		d := *shared
		sp, _, err := d.Spaces.Create(ctx, top, spaces.NewSpace{Title: "Handbook", EditMode: docs.EditLive, Empty: true})
		if err != nil {
			rt.Fatalf("%v", err)
		}
		d.ID = sp.ID
		seen := map[docs.RevisionID]bool{d.Head(rt, d.ID).Rev.ID: true}
		requests := []docs.ChangeRequestID{d.request(rt)}
		for range rapid.IntRange(1, 8).Draw(rt, "steps") {
			switch step := rapid.IntRange(0, 9).Draw(rt, "step"); {
			case step < 2:
				d.Random(rt, d.ID)
			case step == 2:
				d.Import(rt, forms[rapid.IntRange(0, len(forms)-1).Draw(rt, "form")])
			case step == 3 && len(requests) < 3:
				requests = append(requests, d.request(rt))
			case step == 4:
				if err := d.Content.Index.Rebuild(ctx, fmt.Appendf(nil, `{"space":%q}`, d.ID)); err != nil {
					rt.Fatalf("%v", err)
				}
			default:
				on := requests[rapid.IntRange(0, len(requests)-1).Draw(rt, "request")]
				// A batch that is refused changes nothing.
				_, _ = d.Content.Apply(ctx, d.Grant(rt, d.ID), content.LineName(on), "", d.Changes(rt, d.opened(rt, on)))
			}
			seen[d.Head(rt, d.ID).Rev.ID] = true
			for _, id := range requests {
				seen[d.opened(rt, id).Rev.ID] = true
			}
		}
		found := map[docs.RevisionID]string{}
		for rev := range seen {
			found[rev] = d.linked(rt, d.at(rt, rev))
		}
		for rev, before := range found {
			// It is refused where that is the newest content already.
			if _, err := d.Content.Rollback(ctx, d.Grant(rt, d.ID), rev, ""); err != nil && !errs.Is(err, errs.Conflict) {
				rt.Fatalf("%v", err)
			}
			if after := d.linked(rt, d.Head(rt, d.ID)); after != before {
				rt.Fatalf("beside the space:\n%s\nas its newest revision:\n%s", before, after)
			}
		}
	})
}

// What a request breaks is distinguished from what was broken before it.
func TestLinksThatARequestBreaks(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		d, ctx := newDesk(t, o), context.Background()
		out := d.Must(
			testspace.Insert("One", "[two](two.md) [lost](lost.md) [Zebra](two.md) [äther](two.md)\n", ""),
			testspace.Insert("Two", "[one](one.md)\n", ""),
			testspace.Insert("Three", "[two](two.md)\n", ""),
		)
		one, two, three := out.Outcomes[0].Page, out.Outcomes[1].Page, out.Outcomes[2].Page
		cr := d.request(t)
		count := func(want index.LinkStats, f index.LinkFilter) {
			t.Helper()
			_, _, stats, err := d.Content.Index.Links(ctx, d.Grant(t, d.ID), d.opened(t, cr), f, store.Page{})
			if err != nil || stats != want {
				t.Errorf("%+v, want %+v (%v)", stats, want, err)
			}
		}
		count(index.LinkStats{Total: 3, Broken: 1, Asked: 3}, index.LinkFilter{})
		_, err := d.Content.Apply(ctx, d.Grant(t, d.ID), content.LineName(cr), "", []content.Change{
			{Operation: content.DeletePage, Page: string(two)}, testspace.Write(three, "[two](/pages/"+string(two)+") [lost](lost.md) [new](nowhere.md)\n"),
		})
		if err != nil {
			t.Fatal(err)
		}
		count(index.LinkStats{Total: 4, Broken: 4, New: 3, Asked: 4}, index.LinkFilter{})
		count(index.LinkStats{Total: 4, Broken: 4, New: 3, Asked: 3}, index.LinkFilter{Broken: index.BrokenHere})
		count(index.LinkStats{Total: 4, Broken: 4, New: 3, Asked: 1}, index.LinkFilter{Broken: index.BrokenInSpace})
		count(index.LinkStats{Total: 2, Broken: 2, New: 1, Asked: 2}, index.LinkFilter{Page: one})
		// The space moves on; the request still says the same.
		d.Must(testspace.Insert("Nowhere", "", ""), testspace.Insert("Far", "[two](two.md)\n", ""))
		count(index.LinkStats{Total: 4, Broken: 4, New: 3, Asked: 4}, index.LinkFilter{})
		found := d.linked(t, d.opened(t, cr))
		if strings.Contains(found, "Far") {
			t.Errorf("it has a page of the space:\n%s", found)
		}
		if _, err := d.Content.Rollback(ctx, d.Grant(t, d.ID), d.opened(t, cr).Rev.ID, ""); err != nil {
			t.Fatal(err)
		}
		if after := d.linked(t, d.Head(t, d.ID)); after != found {
			t.Errorf("beside the space:\n%s\nas its newest revision:\n%s", found, after)
		}
	})
}

// A page that comes back is another one, to which references lead that did
// not change: the index and the page agree on that.
func TestAReferenceToSomethingThatCameBack(t *testing.T) {
	d := newDesk(t, testdb.SQLite(t))
	for _, form := range []int{1, 0, 1} {
		d.Import(t, forms[form])
		d.Verify(t)
	}
}
