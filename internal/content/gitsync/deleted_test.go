package gitsync

import (
	"context"
	"maps"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testgit"
)

// referring returns a folder in which everything refers to the page Setup, to an image
// and to a reusable content, in every syntax.
func referring() map[string]string {
	files := maps.Clone(small)
	files["other.md"] = "---\ncover: ./.gitbook/assets/pic.svg\n---\n\n# Other\n\n[a](guide/setup.md) [b](./guide/setup.md#there) [c](/guide/setup.md) [d](guide/setup) [e](README.md)\n\n" +
		"![x](./.gitbook/assets/pic.svg)\n\n{% include \"./.gitbook/includes/note.md\" %}\n"
	files["deep/er.md"] = "# Deeper\n\n[a](../guide/setup.md) and ![x](../.gitbook/assets/pic.svg)\n"
	files["SUMMARY.md"] += "* [Deeper](deep/er.md)\n"
	files[".gitbook.yaml"] = "redirects:\n  old: guide/setup.md\n"
	files[".gitbook/assets/pic.svg"] = "<svg/>\n"
	files[".gitbook/includes/note.md"] = "A note.\n"
	return files
}

func (d *fixture) slug(title, slug string) {
	d.t.Helper()
	d.apply("", content.Change{Operation: content.UpdatePage, Page: string(d.pages()[title].ID), Meta: content.PageMeta{Slug: opt.Of(slug)}})
}

func (d *fixture) delete(title string) {
	d.t.Helper()
	d.apply("", content.Change{Operation: content.DeletePage, Page: string(d.pages()[title].ID)})
}

// verify checks that the index matches the content.
func (d *fixture) verify() {
	d.t.Helper()
	if list, err := d.s.Content.Index.VerifySpace(context.Background(), d.grant().Space.ID); err != nil || len(list) > 0 {
		d.t.Errorf("the index differs from the content: %v, %v", list, err)
	}
}

// changed returns the names of the files that differ between a commit and the newest one.
func (d *fixture) changed(since string) string {
	return strings.ReplaceAll(testgit.Git(d.t, d.origin.Bare, "diff", "--name-only", "--no-renames", since, "main"), "\n", " ")
}

// Deleting a target changes no page that refers to it, on either side. It does not matter
// whether the target or the page was renamed in the space after the link was written.
func TestLinksToDeletedTargetsStay(t *testing.T) {
	t.Parallel()
	t.Run("as it was written", func(t *testing.T) {
		d := newFixture(t, testdb.SQLite(t))
		tip := d.origin.Commit(referring())
		d.pull("")
		d.delete("Setup")
		d.push("")
		d.checkSameFiles()
		if got := d.changed(tip); got != "SUMMARY.md guide/setup.md" {
			t.Errorf("deleting a page changes %s", got)
		}
		d.verify()
	})
	t.Run("renamed and deleted here", func(t *testing.T) {
		d := newFixture(t, testdb.SQLite(t))
		d.origin.Commit(referring())
		d.pull("")
		d.slug("Setup", "install")
		d.slug("Deeper", "deeper")
		d.push("")
		d.checkSameFiles()
		tip := d.origin.Tip()
		if text := d.origin.Files("main")["deeper.md"]; !strings.Contains(text, "[a](guide/install.md) and ![x](.gitbook/assets/pic.svg)") {
			t.Fatalf("%q", text)
		}
		known, id := d.head().Rev.ID, string(d.pages()["Setup"].ID)
		d.delete("Setup")
		d.push("")
		d.checkSameFiles()
		if got := d.changed(tip); got != "SUMMARY.md guide/install.md" {
			t.Errorf("deleting a page changes %s:\n%s", got, testgit.Git(t, d.origin.Bare, "diff", tip, "main"))
		}
		// An edit next to the links changes nothing else, and the links still refer to
		// the page.
		tip = d.origin.Tip()
		d.edit("Guide", "Second, see", "Second here, see")
		d.push("")
		if stat := testgit.Git(t, d.origin.Bare, "diff", "--numstat", tip, "main"); stat != "1\t1\tguide/README.md" {
			t.Errorf("an edit changes %q", stat)
		}
		d.verify()
		// After the page is restored, the links lead to it.
		d.apply("", content.Change{Operation: content.RevertPage, Page: id, Revision: known})
		d.slug("Setup", "again")
		d.push("")
		d.checkSameFiles()
		for name, want := range map[string]string{"guide/README.md": "[setup](again.md)", "deeper.md": "[a](guide/again.md)"} {
			if text := d.origin.Files("main")[name]; !strings.Contains(text, want) {
				t.Errorf("%s: %q", name, text)
			}
		}
		d.verify()
	})
	t.Run("renamed here and deleted there", func(t *testing.T) {
		d := newFixture(t, testdb.SQLite(t))
		d.origin.Commit(referring())
		d.pull("")
		d.slug("Setup", "install")
		d.slug("Deeper", "deeper")
		d.push("")
		d.origin.Pull()
		summary := d.origin.Files("main")["SUMMARY.md"]
		tip := d.origin.Commit(map[string]string{
			"guide/install.md": testgit.Deleted, ".gitbook/assets/pic.svg": testgit.Deleted, ".gitbook/includes/note.md": testgit.Deleted,
			"SUMMARY.md": strings.Replace(summary, "  * [Setup](guide/install.md)\n", "", 1),
		})
		d.pull("")
		d.checkSameFiles()
		d.push(ReasonUnchanged)
		d.edit("Home", "Welcome.", "Welcome here.")
		d.push("")
		d.checkSameFiles()
		if got := d.changed(tip); got != "README.md" {
			t.Errorf("an edit changes %s", got)
		}
		d.verify()
	})
	t.Run("deleted there while words are written here", func(t *testing.T) {
		d := newFixture(t, testdb.SQLite(t))
		d.origin.Commit(referring())
		d.pull("")
		d.slug("Setup", "install")
		d.push("")
		d.origin.Pull()
		summary := d.origin.Files("main")["SUMMARY.md"]
		tip := d.origin.Commit(map[string]string{
			"guide/install.md": testgit.Deleted, "SUMMARY.md": strings.Replace(summary, "  * [Setup](guide/install.md)\n", "", 1),
		})
		d.edit("Guide", "First.", "First here.") // merged
		d.pull("")
		d.push("")
		d.checkSameFiles()
		if stat := testgit.Git(t, d.origin.Bare, "diff", "--numstat", tip, "main"); stat != "1\t1\tguide/README.md" {
			t.Errorf("the export changes %q", stat)
		}
		d.verify()
	})
}

// An export on top of commits that do not affect the pages leaves the files of those
// commits to the next import.
func TestFilesThatAnExportPassedOver(t *testing.T) {
	t.Parallel()
	d := newFixture(t, testdb.SQLite(t))
	d.origin.Commit(small)
	d.pull("")
	d.origin.Commit(map[string]string{"NOTES.txt": "notes\n", "pic.svg": "<svg/>\n"})
	d.edit("Home", "Welcome.", "Welcome here.")
	d.push("")
	d.origin.Pull()
	if _, there := d.exported()["NOTES.txt"]; there {
		t.Fatal("an export has imported")
	}
	d.edit("Home", "Welcome", "Hello") // neither a second export nor other changes lose the files
	d.push("")
	d.edit("Other", "Some", "A few")
	d.pull("")
	if d.exported()["NOTES.txt"] != "notes\n" {
		t.Error("an import did not import what an export passed over")
	}
	d.push("")
	d.checkSameFiles()
	d.pull(ReasonUnchanged)
	d.push(ReasonUnchanged)
	d.checkSameFiles()
	// A file becomes a file of the space when a page refers to it.
	d.origin.Pull()
	d.origin.Commit(map[string]string{"other.md": "# Other\n\n![x](pic.svg)\n"})
	d.pull("")
	d.checkSameFiles()
	files, err := d.head().Files(context.Background(), "", 0)
	if err != nil || len(files) != 1 || files[0].Path != "pic.svg" {
		t.Errorf("%+v, %v", files, err)
	}
}

// An export to a branch with files does not read those files; the next import does.
func TestExportBesideFiles(t *testing.T) {
	t.Parallel()
	d := newFixture(t, testdb.SQLite(t))
	d.origin.Commit(map[string]string{"LICENSE": "free\n", "src/main.go": "package main\n"})
	body := "Words.\n"
	d.apply("", content.Change{Operation: content.InsertPage, Body: &revision.Body{Markdown: &body}, Meta: content.PageMeta{Title: opt.Of("Home")}})
	d.push("")
	d.pull("")
	d.checkSameFiles()
	d.pull(ReasonUnchanged)
	d.push(ReasonUnchanged)
	d.checkSameFiles()
}

// The API returns the file of a page as it is named in the repository. This includes the
// first page with any address, pages that were renamed in the repository after an export,
// and pages whose file name was taken.
func TestGitKnowsPagesByTheirFiles(t *testing.T) {
	t.Parallel()
	d := newFixture(t, testdb.SQLite(t))
	files := maps.Clone(small)
	files["born.txt"] = "no page"
	d.origin.Commit(files)
	d.pull("")
	d.slug("Home", "start")
	d.edit("Setup", "one", "first")
	body := "Made here.\n"
	d.apply("", content.Change{Operation: content.InsertPage, Body: &revision.Body{Markdown: &body}, Meta: content.PageMeta{Title: opt.Of("Born")}})
	d.push("")
	d.checkSameFiles()
	d.checkNames()
	d.origin.Pull()
	testgit.Git(t, d.origin.Work, "mv", "guide/setup.md", "install.md")
	summary := d.origin.Files("main")["SUMMARY.md"]
	d.origin.Commit(map[string]string{"SUMMARY.md": strings.Replace(summary, "guide/setup.md", "install.md", 1)})
	d.pull("")
	d.checkSameFiles()
	d.checkNames()
	// A page is created at the same path on both sides.
	summary = d.origin.Files("main")["SUMMARY.md"]
	d.origin.Commit(map[string]string{"twin.md": "# Twin there\n\nOther words.\n", "SUMMARY.md": summary + "* [Twin there](twin.md)\n"})
	d.apply("", content.Change{Operation: content.InsertPage, Body: &revision.Body{Markdown: &body}, Meta: content.PageMeta{Title: opt.Of("Twin")}})
	d.pull("")
	d.push("")
	d.checkSameFiles()
	d.checkNames()
	d.edit("Twin", "Made here", "Written here")
	d.push("")
	d.checkNames()
	d.pull(ReasonUnchanged)
	// The front matter of a file is changed in the space and reverted in the repository;
	// the body does not change.
	d.apply("", content.Change{Operation: content.UpdatePage, Page: string(d.pages()["Other"].ID), Meta: content.PageMeta{Title: opt.Of("Others")}})
	d.push("")
	d.origin.Pull()
	d.origin.Commit(map[string]string{"other.md": small["other.md"], "SUMMARY.md": strings.Replace(d.origin.Files("main")["SUMMARY.md"], "Others", "Other", 1)})
	d.pull("")
	d.checkSameFiles()
	d.checkNames()
	// The target of a link was renamed in the repository, and the link was not updated.
	d.slug("Guide", "manual")
	d.push("")
	d.origin.Pull()
	testgit.Git(t, d.origin.Work, "mv", "install.md", "setup.md")
	d.origin.Commit(map[string]string{"SUMMARY.md": strings.Replace(d.origin.Files("main")["SUMMARY.md"], "install.md", "setup.md", 1)})
	d.pull("")
	d.checkSameFiles()
	d.checkNames()
}

// A file that was not content becomes content when a page that is edited in the space
// refers to it. The next import reads the file, even if the commit changes another page.
func TestFilesAreImportedWhenAPageNamesThem(t *testing.T) {
	t.Parallel()
	d := newFixture(t, testdb.SQLite(t))
	d.origin.Commit(map[string]string{"README.md": "# Home\n\nWords.\n", "data.csv": "a,b\n", "SUMMARY.md": "* [Home](README.md)\n"})
	d.pull("")
	d.edit("Home", "Words.", "Words and [data](data.csv).")
	d.push("")
	d.origin.Pull()
	d.origin.Commit(map[string]string{"more.md": "# More\n", "SUMMARY.md": "* [Home](README.md)\n* [More](more.md)\n"})
	d.pull("")
	files, err := d.head().Files(t.Context(), "", 0)
	if err != nil || len(files) != 1 || files[0].Path != "data.csv" {
		t.Errorf("%v, %v", files, err)
	}
	if d.pages()["More"] == nil {
		t.Error("the new page is missing")
	}
}

// An operation whose space is purged while it runs has ended with the space: there is
// nothing to store, and nothing to try again.
func TestSpaceIsPurgedDuringAnOperation(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		d := newFixture(t, o)
		d.origin.Commit(small)
		op := d.pull("")
		ctx := context.Background()
		sp := d.grant().Space
		err := d.s.Store.Do(ctx, func(tx *store.Tx) error { return tx.PurgeSpace(ctx, sp) })
		if err == nil {
			err = (&task{s: d.s, o: op}).fail(ctx, errs.Missing("space"))
		}
		if err != nil {
			t.Error(err)
		}
	})
}
