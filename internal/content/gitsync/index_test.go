package gitsync

import (
	"context"
	"testing"

	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testgit"
)

// An index.md is the landing page of the repository and of its folders. The files keep their
// names, links to the folders lead to them, and a README.md that is added takes their place.
func TestIndexIsALandingPage(t *testing.T) {
	t.Parallel()
	testdb.Each(t, func(t *testing.T, o store.Options) {
		d := newFixture(t, o)
		d.origin.Commit(map[string]string{
			"index.md": "# Home\n\n[Guide](guide/) and [a](guide/a.md)\n", "guide/index.md": "# Guide\n\nWords. [Home](../index.md)\n",
			"guide/a.md": "# A\n\n[Guide](index.md), [again](./), [home](../)\n", "b.md": "# B\n\nText.\n",
		})
		d.pull("")
		ctx := context.Background()
		home, ok, err := d.head().Home(ctx)
		if err != nil || !ok || home.Title != "Home" || home.File != "index.md" {
			t.Fatalf("the first page is %+v, %v", home, err)
		}
		guide, a := d.pages()["Guide"], d.pages()["A"]
		if guide.Slug != "guide" || a.Parent != guide.ID {
			t.Errorf("the guide is %+v, a page of it %+v", guide.Page, a.Page)
		}
		targets := func(title string) (out []string) {
			t.Helper()
			doc, err := d.head().Document(ctx, d.pages()[title].Page)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range markup.References(doc) {
				out = append(out, r.Ref.Page)
			}
			return out
		}
		if got := targets("A"); len(got) != 3 || got[0] != string(guide.ID) || got[1] != string(guide.ID) || got[2] != string(home.ID) {
			t.Errorf("page A refers to %q; the guide is %s, the first page %s", got, guide.ID, home.ID)
		}
		d.checkSameFiles()

		// Edits change only their files, also of the slug of the first page.
		tip := d.origin.Tip()
		d.edit("Guide", "Words", "Phrases")
		d.apply("", content.Change{Operation: content.UpdatePage, Page: string(home.ID), Meta: content.PageMeta{Slug: opt.Of("start")}})
		d.push("")
		if d.changed(tip) != "guide/index.md" {
			t.Errorf("an edit of the guide changed %q", d.changed(tip))
		}
		// A page that is created before the first page does not take its place.
		text := "New.\n"
		d.apply("", content.Change{Operation: content.InsertPage, Meta: content.PageMeta{Title: opt.Of("New")}, At: new(int), Body: &revision.Body{Markdown: &text}})
		d.push("")
		files := d.origin.Files("main")
		if _, is := files["README.md"]; is || files["new.md"] == "" || files["index.md"] == "" {
			t.Errorf("the files are %q", files)
		}

		// README.md takes precedence, in the root and in folders. Addresses stay.
		d.origin.Pull()
		d.origin.Commit(map[string]string{"README.md": "# Start\n", "guide/README.md": "# Folder\n"})
		d.pull("")
		if p := d.pages()["Guide"]; p.ID != guide.ID || p.Slug != "guide" || p.File != "guide/index.md" {
			t.Errorf("the guide is %+v", p.Page)
		}
		if layout, err := d.head().Layout(ctx); err != nil || layout.Readme != "README.md" {
			t.Errorf("the landing page is %q, %v", layout.Readme, err)
		}
		d.checkSameFiles()
		d.push(ReasonUnchanged)
		d.verify()
	})
}

// An index.md becomes the landing page of its folder when the README.md goes, and ceases to be when
// one comes. Reading the whole folder and reading what changed give the same pages.
func TestLandingPageChanges(t *testing.T) {
	t.Parallel()
	d := newFixture(t, testdb.SQLite(t))
	d.origin.Commit(map[string]string{"README.md": "# Home\n", "guide/index.md": "Text.\n", "guide/a.md": "# A\n", "b.md": "# B\n"})
	d.pull("")
	d.origin.Commit(map[string]string{"guide/README.md": "# Folder\n"})
	d.pull("")
	if p := d.pages(); p["Folder"] == nil || p["Index"] == nil || p["Index"].Parent != p["Folder"].ID || p["A"].Parent != p["Folder"].ID {
		t.Errorf("the pages are %+v", d.outline())
	}
	d.checkSameFiles()
	testgit.Git(t, d.origin.Work, "rm", "-q", "guide/README.md")
	d.origin.Commit(nil)
	d.pull("")
	if p := d.pages(); p["Guide"] == nil || p["Folder"] != nil || p["A"].Parent != p["Guide"].ID {
		t.Errorf("the pages are %+v", d.outline())
	}
	d.checkSameFiles()
	d.push(ReasonUnchanged)
	if o := d.do(docs.GitImport, nil); o.Reason != ReasonUnchanged {
		t.Errorf("%+v", o)
	}
}

// A new file may take the place to which a link of an unchanged page leads. The page keeps its bytes
// and leads to the new one, as its readers in the repository see it.
func TestNewFilesTakePlaces(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, after map[string]string }{
		"beside the folder":  {map[string]string{"guide/README.md": "# Guide\n"}, map[string]string{"guide.md": "# New\n"}},
		"in the folder":      {map[string]string{"guide/index.md": "# Guide\n"}, map[string]string{"guide/README.md": "# New\n"}},
		"for an address":     {map[string]string{"SUMMARY.md": "* [Home](README.md)\n* [](guide.markdown)\n* [A](a.md)\n", "guide.markdown": "# Guide\n"}, map[string]string{"SUMMARY.md": "* [Home](README.md)\n* [](guide.markdown)\n* [](guide.md)\n* [A](a.md)\n", "guide.md": "# New\n"}},
		"of the whole space": {map[string]string{"SUMMARY.md": "* [Home](README.md)\n* [A](a.md)\n"}, map[string]string{".gitbook.yaml": "structure:\n  readme: guide.md\n", "guide.md": "# New\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newFixture(t, testdb.SQLite(t))
			c.before["README.md"], c.before["a.md"] = "# Home\n", "# A\n\nSee [it](guide) and [all](./).\n"
			d.origin.Commit(c.before)
			d.pull("")
			d.origin.Commit(c.after)
			d.pull("")
			d.checkSameFiles()
			d.push(ReasonUnchanged)
			doc, err := d.head().Document(context.Background(), d.pages()["A"].Page)
			if err != nil {
				t.Fatal(err)
			}
			if refs := markup.References(doc); refs[0].Ref.Page != string(d.pages()["New"].ID) {
				t.Errorf("the link leads to %+v", refs[0].Ref)
			}
			d.verify()
		})
	}
}

// outline returns the titles of the pages with the titles of the pages above them.
func (d *fixture) outline() map[string]string {
	d.t.Helper()
	pages, byID := d.pages(), map[docs.PageID]string{}
	for title, p := range pages {
		byID[p.ID] = title
	}
	out := map[string]string{}
	for title, p := range pages {
		out[title] = byID[p.Parent]
	}
	return out
}
