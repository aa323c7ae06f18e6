package content_test

import (
	"context"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/index"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testspace"
)

// A page that is moved or renamed keeps every reference to it: readers get
// the way to where it is now, and nothing else of the text changes.
func TestReferencesFollowTheirTarget(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		d, ctx := testspace.New(t, o), context.Background()
		out := d.Must(
			testspace.Insert("Start", "See *[the guide](guide.md#steps)* and [gone](gone.md).\n\nUntouched  text.\n", ""),
			testspace.Insert("Guide", "## Steps\n\nText.\n", ""),
			testspace.Insert("Section", "Words.\n", ""),
		)
		start, guide, section := out.Outcomes[0].Page, out.Outcomes[1].Page, out.Outcomes[2].Page
		d.Must(content.Change{
			Operation: content.UpdatePage, Page: string(guide), Into: opt.Of(string(section)),
			Meta: content.PageMeta{Title: opt.Of("The manual")},
		})
		v := d.Head(t, d.ID)
		p, err := v.Page(ctx, start)
		if err != nil {
			t.Fatal(err)
		}
		md, err := v.Markdown(ctx, p, false)
		if err != nil {
			t.Fatal(err)
		}
		want := "See *[the guide](section/the-manual.md#steps)* and [gone](gone.md).\n\nUntouched  text.\n"
		if string(md) != want {
			t.Errorf("the text is\n%s\nwant\n%s", md, want)
		}
		if moved, err := v.ByPath(ctx, "guide"); err != nil || moved.ID != guide {
			t.Errorf("the old address leads to %q (%v)", moved.ID, err)
		}
		rev := v.Rev.ID
		d.Must(testspace.Write(start, "# Start\n\n"+want))
		if now := d.Head(t, d.ID).Rev.ID; now != rev {
			t.Error("writing back what was read made a revision")
		}
		stable, err := v.Markdown(ctx, p, true)
		if err != nil || !strings.Contains(string(stable), "(/pages/"+string(guide)+"#steps)") {
			t.Errorf("stable references: %s (%v)", stable, err)
		}
		d.Must(content.Change{Operation: content.DeletePage, Page: string(guide)})
		links, _, stats, err := d.Content.Index.Links(ctx, d.Grant(t, d.ID), d.Head(t, d.ID), index.LinkFilter{Status: index.LinkBroken}, store.Page{Limit: 10})
		if err != nil || stats.Broken != 2 || len(links) != 2 {
			t.Fatalf("%d broken links, %v (%v)", stats.Broken, links, err)
		}
		for _, l := range links {
			if l.Target.Label != "the guide" && l.Target.Label != "gone" {
				t.Errorf("a broken link has the text %q", l.Target.Label)
			}
		}
		d.Verify(t)
		// What was missing comes: the link that was written before works.
		d.Must(testspace.Insert("Gone", "Here.\n", ""))
		if _, _, stats, err = d.Content.Index.Links(ctx, d.Grant(t, d.ID), d.Head(t, d.ID), index.LinkFilter{}, store.Page{}); err != nil || stats.Broken != 1 {
			t.Errorf("%d broken links (%v)", stats.Broken, err)
		}
		d.Verify(t)
	})
}

// A rollback to what the content already is changes nothing, although what it
// deleted left a trace.
func TestRollbackTwice(t *testing.T) {
	d, ctx := testspace.New(t, testdb.SQLite(t)), context.Background()
	first := d.Must(testspace.Insert("One", "Words.\n", "")).View.Rev.ID
	d.Must(testspace.Insert("Two", "[one](one.md)\n", ""))
	if _, err := d.Content.Rollback(ctx, d.Grant(t, d.ID), first, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Content.Rollback(ctx, d.Grant(t, d.ID), first, ""); !errs.Is(err, errs.Conflict) {
		t.Errorf("a second time: %v", err)
	}
	d.Verify(t)
}

// Files may say more than a change may: what a page has from its file stays when something
// else of the page changes.
func TestAChangeKeepsWhatAFileSays(t *testing.T) {
	d := testspace.New(t, testdb.SQLite(t))
	long := strings.Repeat("words ", 60) + "end"
	d.Import(t, map[string]string{
		"README.md": "# Home\n", "SUMMARY.md": "# Table of contents\n\n* [Home](README.md)\n* [A page](p.md)\n",
		"p.md": "---\ndescription: " + strings.Repeat(long, 3) + "\n---\n# " + long + "\n\nText.\n",
	})
	p := d.PageOf("p.md")
	d.Must(content.Change{Operation: content.UpdatePage, Page: string(p.ID), Meta: content.PageMeta{Emoji: opt.Of("1f600")}})
	_, err := d.Apply(t, d.ID, content.Change{Operation: content.UpdatePage, Page: string(p.ID), Meta: content.PageMeta{Title: opt.Of(long + " more")}})
	if !errs.Is(err, errs.Invalid) {
		t.Errorf("a change with a long title: %v", err)
	}
}
