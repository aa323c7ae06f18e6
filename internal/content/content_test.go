package content_test

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/content/index"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testspace"
)

// desk is a space to write in, with what these tests ask of it.
type desk struct{ testspace.Desk }

func newDesk(t testing.TB, o store.Options) *desk { return &desk{*testspace.New(t, o)} }

// A page that is moved or renamed keeps every reference to it: readers get
// the way to where it is now, and nothing else of the text changes.
func TestReferencesFollowTheirTarget(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		d, ctx := newDesk(t, o), context.Background()
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

// What an import reads, an export writes, byte for byte; importing it
// again changes nothing.
func TestFolderRoundTrip(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		d, ctx := newDesk(t, o), context.Background()
		in := fstest.MapFS{
			"README.md":                 {Data: []byte("---\ndescription: Hello\nunknown: kept\n---\n\n# Welcome\n\n{% include \".gitbook/includes/note.md\" %}\n\n![x](.gitbook/assets/dot.png)\n")},
			"SUMMARY.md":                {Data: []byte("# Table of contents\n\n* [Welcome](README.md)\n* [Guide](guide/README.md)\n  * [Steps](guide/steps.md)\n* [Out](https://octavo.test)\n")},
			"guide/README.md":           {Data: []byte("# Guide\n\nSee [steps](steps.md).\n")},
			"guide/steps.md":            {Data: []byte("Steps without a title\r\n=====\r\n\r\n{% unknown a=\"b\" %}\nkept\n{% endunknown %}\n")},
			".gitbook/includes/note.md": {Data: []byte("---\ntitle: Note\n---\n\nA reusable zebra.\n")},
			".gitbook/assets/dot.png":   {Data: []byte("\x89PNG\r\n\x1a\n not really")},
			".gitbook/vars.yaml":        {Data: []byte("name: Octavo\nyear: 2026\n")},
			"notes.md":                  {Data: []byte("not listed\n")},
		}
		read := func() *folder.Tree {
			tree, err := folder.Read(in, folder.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			return tree
		}
		run := func() content.ImportSummary {
			out, err := d.Content.Import(ctx, authz.OperatorGrant(d.By.User), d.Grant(t, d.ID).Space, read(), func(string, int, int) {})
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		if first := run(); !first.Changed {
			t.Fatalf("%+v", first)
		}
		if again := run(); again.Changed {
			t.Errorf("importing the same again made the revision %s", again.Revision)
		}
		d.Verify(t)
		tree, err := d.Content.Exchange.Folder(ctx, d.Head(t, d.ID))
		if err != nil {
			t.Fatal(err)
		}
		out := testspace.Files{}
		if err := folder.Write(out, tree); err != nil {
			t.Fatal(err)
		}
		for name, f := range in {
			if got := out[name]; got != string(f.Data) {
				t.Errorf("%s is\n%q\nwant\n%q", name, got, f.Data)
			}
			delete(out, name)
		}
		for name := range out {
			t.Errorf("%s was not there before", name)
		}
		// Reusable content is found where it is used.
		hits, _, err := d.Content.Search(ctx, []*revision.View{d.Head(t, d.ID)}, "zebra", 10, nil)
		if err != nil || len(hits) != 1 || hits[0].Title != "Welcome" {
			t.Errorf("search finds %v (%v)", hits, err)
		}
		in[".gitbook/includes/note.md"] = &fstest.MapFile{Data: []byte("---\ntitle: Note\n---\n\nA reusable giraffe.\n")}
		run()
		if hits, _, err := d.Content.Search(ctx, []*revision.View{d.Head(t, d.ID)}, "giraffe", 10, nil); err != nil || len(hits) != 1 {
			t.Errorf("search finds %v (%v)", hits, err)
		}
		d.Verify(t)
	})
}

// A rollback to what the content already is changes nothing, although what it
// deleted left a trace.
func TestRollbackTwice(t *testing.T) {
	d, ctx := newDesk(t, testdb.SQLite(t)), context.Background()
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
