package content_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/content/index"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/spaces"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// request opens a change request on the newest revision of the space.
func (d *desk) request(f fatal) docs.ChangeRequestID {
	ctx := context.Background()
	cr, err := store.InTx(ctx, d.s, func(tx *store.Tx) (docs.ChangeRequest, error) {
		sp, err := tx.Space(ctx, d.id)
		if err != nil {
			return docs.ChangeRequest{}, err
		}
		cr := docs.ChangeRequest{
			ID: store.NewID[docs.ChangeRequestID](tx), Space: d.id, Status: docs.ChangeDraft, CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
			Revision: sp.It.Revision, Initial: sp.It.Revision, Ancestor: sp.It.Revision,
		}
		if cr.CreatedBy, err = tx.User(ctx, d.by.User); err != nil {
			return cr, err
		}
		if cr.Number, err = tx.NextNumber(ctx, d.id); err != nil {
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
func (d *desk) opened(f fatal, id docs.ChangeRequestID) *revision.View {
	cr, err := d.s.ChangeRequest(context.Background(), d.id, string(id))
	if err != nil {
		f.Fatalf("%v", err)
	}
	return d.at(f, cr.Revision)
}

func (d *desk) at(f fatal, rev docs.RevisionID) *revision.View {
	v, err := d.c.Source.At(context.Background(), d.s.Reader, d.grant(f, d.id).Space, rev)
	if err != nil {
		f.Fatalf("%v", err)
	}
	return v
}

// importFiles makes files the content of the space.
func (d *desk) importFiles(f fatal, files map[string]string) content.ImportSummary {
	in := fstest.MapFS{}
	for name, text := range files {
		in[name] = &fstest.MapFile{Data: []byte(text)}
	}
	tree, err := folder.Read(in, folder.Limits{})
	if err != nil {
		f.Fatalf("%v", err)
	}
	out, err := d.c.Import(context.Background(), authz.OperatorGrant(d.by.User), d.grant(f, d.id).Space, tree, func(string, int, int) {})
	if err != nil {
		f.Fatalf("%v", err)
	}
	return out
}

// linked returns all that is known of the links of a revision, two at a time.
func (d *desk) linked(f fatal, v *revision.View) string {
	ctx, g := context.Background(), d.grant(f, d.id)
	var b strings.Builder
	place := func(l index.Location) {
		fmt.Fprintf(&b, " %s:%s%s%s#%s@%s %q", l.Kind, l.Page.ID, l.File.ID, l.Reusable.ID, l.Anchor, l.Node, l.Label)
	}
	list := func(page docs.PageID) {
		for at := (store.Page{Limit: 2}); ; {
			usages, next, stats, err := d.c.Index.Links(ctx, g, v, index.LinkFilter{Page: page}, at)
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
			places, next, err := d.c.Index.Backlinks(ctx, g, v, kind, id, at)
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
	top, _, err := authz.NewChecker(shared.s.Reader).Org(ctx, shared.by, authz.CreateContent, shared.grant(t, shared.id).Space.Org)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		d := *shared
		sp, _, err := d.sp.Create(ctx, top, spaces.NewSpace{Title: "Handbook", EditMode: docs.EditLive, Empty: true})
		if err != nil {
			rt.Fatalf("%v", err)
		}
		d.id = sp.ID
		seen := map[docs.RevisionID]bool{d.head(rt, d.id).Rev.ID: true}
		requests := []docs.ChangeRequestID{d.request(rt)}
		for range rapid.IntRange(1, 8).Draw(rt, "steps") {
			switch step := rapid.IntRange(0, 9).Draw(rt, "step"); {
			case step < 2:
				d.random(rt, d.id)
			case step == 2:
				d.importFiles(rt, forms[rapid.IntRange(0, len(forms)-1).Draw(rt, "form")])
			case step == 3 && len(requests) < 3:
				requests = append(requests, d.request(rt))
			case step == 4:
				if err := d.c.Index.Rebuild(ctx, fmt.Appendf(nil, `{"space":%q}`, d.id)); err != nil {
					rt.Fatalf("%v", err)
				}
			default:
				on := requests[rapid.IntRange(0, len(requests)-1).Draw(rt, "request")]
				// A batch that is refused changes nothing.
				_, _ = d.c.Apply(ctx, d.grant(rt, d.id), content.LineName(on), "", d.changes(rt, d.opened(rt, on)))
			}
			seen[d.head(rt, d.id).Rev.ID] = true
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
			if _, err := d.c.Rollback(ctx, d.grant(rt, d.id), rev, ""); err != nil && !errs.Is(err, errs.Conflict) {
				rt.Fatalf("%v", err)
			}
			if after := d.linked(rt, d.head(rt, d.id)); after != before {
				rt.Fatalf("beside the space:\n%s\nas its newest revision:\n%s", before, after)
			}
		}
	})
}

// What a request breaks is distinguished from what was broken before it.
func TestLinksThatARequestBreaks(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		d, ctx := newDesk(t, o), context.Background()
		out := d.must(
			insert("One", "[two](two.md) [lost](lost.md) [Zebra](two.md) [äther](two.md)\n", ""),
			insert("Two", "[one](one.md)\n", ""),
			insert("Three", "[two](two.md)\n", ""),
		)
		one, two, three := out.Outcomes[0].Page, out.Outcomes[1].Page, out.Outcomes[2].Page
		cr := d.request(t)
		count := func(want index.LinkStats, f index.LinkFilter) {
			t.Helper()
			_, _, stats, err := d.c.Index.Links(ctx, d.grant(t, d.id), d.opened(t, cr), f, store.Page{})
			if err != nil || stats != want {
				t.Errorf("%+v, want %+v (%v)", stats, want, err)
			}
		}
		count(index.LinkStats{Total: 3, Broken: 1, Asked: 3}, index.LinkFilter{})
		_, err := d.c.Apply(ctx, d.grant(t, d.id), content.LineName(cr), "", []content.Change{
			{Operation: content.DeletePage, Page: string(two)}, write(three, "[two](/pages/"+string(two)+") [lost](lost.md) [new](nowhere.md)\n"),
		})
		if err != nil {
			t.Fatal(err)
		}
		count(index.LinkStats{Total: 4, Broken: 4, New: 3, Asked: 4}, index.LinkFilter{})
		count(index.LinkStats{Total: 4, Broken: 4, New: 3, Asked: 3}, index.LinkFilter{Broken: index.BrokenHere})
		count(index.LinkStats{Total: 4, Broken: 4, New: 3, Asked: 1}, index.LinkFilter{Broken: index.BrokenInSpace})
		count(index.LinkStats{Total: 2, Broken: 2, New: 1, Asked: 2}, index.LinkFilter{Page: one})
		// The space moves on; the request still says the same.
		d.must(insert("Nowhere", "", ""), insert("Far", "[two](two.md)\n", ""))
		count(index.LinkStats{Total: 4, Broken: 4, New: 3, Asked: 4}, index.LinkFilter{})
		found := d.linked(t, d.opened(t, cr))
		if strings.Contains(found, "Far") {
			t.Errorf("it has a page of the space:\n%s", found)
		}
		if _, err := d.c.Rollback(ctx, d.grant(t, d.id), d.opened(t, cr).Rev.ID, ""); err != nil {
			t.Fatal(err)
		}
		if after := d.linked(t, d.head(t, d.id)); after != found {
			t.Errorf("beside the space:\n%s\nas its newest revision:\n%s", found, after)
		}
	})
}

// A page that comes back is another one, to which references lead that did
// not change: the index and the page agree on that.
func TestAReferenceToSomethingThatCameBack(t *testing.T) {
	d := newDesk(t, testdb.SQLite(t))
	for _, form := range []int{1, 0, 1} {
		d.importFiles(t, forms[form])
		d.verify(t)
	}
}

// A rollback to what the content already is changes nothing, although what it
// deleted left a trace.
func TestRollbackTwice(t *testing.T) {
	d, ctx := newDesk(t, testdb.SQLite(t)), context.Background()
	first := d.must(insert("One", "Words.\n", "")).View.Rev.ID
	d.must(insert("Two", "[one](one.md)\n", ""))
	if _, err := d.c.Rollback(ctx, d.grant(t, d.id), first, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := d.c.Rollback(ctx, d.grant(t, d.id), first, ""); !errs.Is(err, errs.Conflict) {
		t.Errorf("a second time: %v", err)
	}
	d.verify(t)
}
