package gitsync

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testgit"
)

var small = map[string]string{
	"README.md":       "# Home\n\nWelcome.\n",
	"SUMMARY.md":      "# Table of contents\n\n* [Home](README.md)\n* [Guide](guide/README.md)\n  * [Setup](guide/setup.md)\n* [Other](other.md)\n",
	"guide/README.md": "# Guide\n\nFirst.\n\nSecond, see [setup](setup.md).\n",
	"guide/setup.md":  "# Setup\n\n* one\n* two\n",
	"other.md":        "# Other\n\nSome words that nobody changes.\n",
}

func TestBothSidesEdit(t *testing.T) {
	t.Parallel()
	testdb.Each(t, func(t *testing.T, o store.Options) {
		d := newFixture(t, o)
		first := d.origin.Commit(small)
		op := d.pull("")
		if op.Commit != first || op.Revision != d.grant().Space.Revision || op.State != docs.GitSuccess || op.Stage != docs.GitFinalize {
			t.Fatalf("%+v", op)
		}
		d.checkSameFiles()
		d.pull(ReasonUnchanged)
		d.push(ReasonUnchanged)
		if d.origin.Tip() != first {
			t.Fatal("an export of nothing made a commit")
		}
		ids := map[string]docs.PageID{}
		for title, p := range d.pages() {
			ids[title] = p.ID
		}

		// Each side changes another block of the same page.
		d.edit("Guide", "First.", "First, here.")
		d.origin.Commit(map[string]string{"guide/README.md": "# Guide\n\nFirst.\n\nSecond there, see [setup](setup.md).\n"})
		if op := d.push("not-fast-forward"); op.State != docs.GitFailure || !strings.Contains(op.Error, "import") {
			t.Fatalf("%+v", op)
		}
		d.pull("")
		if got := d.markdown("Guide"); !strings.Contains(got, "First, here.") || !strings.Contains(got, "Second there") {
			t.Fatalf("one side is lost: %q", got)
		}
		op = d.push("")
		d.checkSameFiles()
		d.origin.Pull()
		if log := testgit.Git(t, d.origin.Work, "log", "--format=%an <%ae> %s", "-1"); !strings.HasPrefix(log, "Ada <ada@octavo.example>") && !strings.Contains(log, "ada@octavo.example") {
			t.Errorf("the author is %q", log)
		}
		if diff := testgit.Git(t, d.origin.Work, "show", "--format=", "--numstat", "HEAD"); diff != "1\t1\tguide/README.md" {
			t.Errorf("the commit changes %q", diff)
		}
		if rev, err := d.s.Store.Revision(context.Background(), d.id, op.Revision); err != nil || rev.Git == nil || rev.Git.OID == "" {
			t.Errorf("the revision does not know its commit: %+v, %v", rev.Git, err)
		}
		names, err := d.s.Content.Exchange.GitNames(context.Background(), d.head())
		if err != nil {
			t.Fatal(err)
		}
		guide := d.pages()["Guide"].Page
		if oid, path := names.Page(guide); oid != testgit.Git(t, d.origin.Bare, "rev-parse", "main:guide/README.md") || path != "guide/README.md" {
			t.Errorf("git knows the page as %q at %q", oid, path)
		}
		d.pull(ReasonUnchanged)

		// A rename in the repository, a new page in the space.
		testgit.Git(t, d.origin.Work, "mv", "guide/setup.md", "guide/install.md")
		d.origin.Commit(map[string]string{
			"SUMMARY.md":      strings.Replace(small["SUMMARY.md"], "guide/setup.md", "guide/install.md", 1),
			"guide/README.md": "# Guide\n\nFirst, here.\n\nSecond there, see [setup](install.md).\n",
		})
		body := "Made here.\n"
		d.apply("", content.Change{Operation: content.InsertPage, Into: opt.Null[string](), Body: &revision.Body{Markdown: &body}, Meta: content.PageMeta{Title: opt.Of("Born")}})
		d.pull("")
		for title, id := range ids {
			if d.pages()[title].ID != id {
				t.Errorf("%s has another id now", title)
			}
		}
		if p := d.pages()["Setup"]; p.File != "guide/install.md" || p.Slug != "install" {
			t.Errorf("%+v", p.Page)
		}
		d.push("")
		d.checkSameFiles()
		if d.origin.Files("main")["born.md"] == "" {
			t.Errorf("%v", d.origin.Files("main"))
		}
		d.origin.Pull()
		id := d.pages()["Born"].ID
		d.origin.Commit(map[string]string{"born.md": "# Born\n\nMade here, changed there.\n"})
		d.pull("")
		if got := d.markdown("Born"); d.pages()["Born"].ID != id || got != "Made here, changed there.\n" {
			t.Errorf("%q", got)
		}
		d.checkSameFiles()
	})
}

func TestConflictsOpenAChangeRequest(t *testing.T) {
	t.Parallel()
	testdb.Each(t, func(t *testing.T, o store.Options) {
		ctx := context.Background()
		d := newFixture(t, o)
		d.origin.Commit(small)
		d.pull("")
		d.edit("Other", "Some words", "Our words")
		d.edit("Home", "Welcome.", "Welcome here.")
		d.origin.Commit(map[string]string{"other.md": "# Other\n\nTheir words that nobody changes.\n"})
		op := d.pull(ReasonConflict)
		cr, err := d.s.Store.ChangeRequest(ctx, d.id, string(op.ChangeRequest))
		if err != nil || cr.OpenConflicts != 1 || cr.Status != docs.ChangeOpen || op.State != docs.GitSuccess {
			t.Fatalf("%+v, %v, %+v", cr, err, op)
		}
		if got := d.markdown("Other"); !strings.Contains(got, "Our words") {
			t.Fatalf("the space has %q", got)
		}
		if op := d.push(ReasonOpenRequest); op.State != docs.GitSuccess || op.ChangeRequest != cr.ID || op.Error == "" {
			t.Fatalf("%+v", op)
		}
		// A later import is added to the same change request.
		d.origin.Commit(map[string]string{"guide/setup.md": "# Setup\n\n* one\n* two\n* three\n"})
		if op := d.pull(ReasonOpenRequest); op.ChangeRequest != cr.ID {
			t.Fatalf("%+v", op)
		}
		conflicts, _, err := d.s.Store.Conflicts(ctx, cr.ID, true, store.Page{Limit: 10})
		if err != nil || len(conflicts) != 1 {
			t.Fatal(conflicts, err)
		}
		both := "Our words and theirs.\n"
		if _, err := d.s.Reviews.Resolve(ctx, d.grant(), string(cr.ID), conflicts[0].ID, "document", &revision.Body{Markdown: &both}); err != nil {
			t.Fatal(err)
		}
		if out, err := d.s.Reviews.Merge(ctx, d.grant(), string(cr.ID)); err != nil || len(out.Conflicts) > 0 {
			t.Fatal(out, err)
		}
		d.pull(ReasonUnchanged)
		d.push("")
		d.checkSameFiles()
		files := d.origin.Files("main")
		if files["other.md"] != "# Other\n\nOur words and theirs.\n" || files["guide/setup.md"] != "# Setup\n\n* one\n* two\n* three\n" || files["README.md"] != "# Home\n\nWelcome here.\n" {
			t.Errorf("%q", files)
		}
	})
}

// Archiving the change request keeps the content of the space.
func TestArchivingTheRequestKeepsTheSpace(t *testing.T) {
	t.Parallel()
	d := newFixture(t, testdb.SQLite(t))
	d.origin.Commit(small)
	d.pull("")
	d.edit("Other", "Some words", "Our words")
	theirs := d.origin.Commit(map[string]string{"other.md": "# Other\n\nTheir words that nobody changes.\n"})
	op := d.pull(ReasonConflict)
	if _, err := d.s.Reviews.Update(context.Background(), d.grant(), string(op.ChangeRequest), reviewsPatch(docs.ChangeArchived)); err != nil {
		t.Fatal(err)
	}
	d.push("")
	d.checkSameFiles()
	if testgit.Git(t, d.origin.Bare, "rev-parse", "main^") != theirs {
		t.Error("their commit was removed")
	}
}

func TestReplacedBranchesOpenAChangeRequest(t *testing.T) {
	t.Parallel()
	d := newFixture(t, testdb.SQLite(t))
	d.origin.Commit(small)
	d.pull("")
	d.origin.Commit(map[string]string{"other.md": "# Other\n\nSoon gone.\n"})
	d.pull("")
	testgit.Git(t, d.origin.Work, "reset", "-q", "--hard", "HEAD~1")
	d.origin.Commit(map[string]string{"README.md": "# Home\n\nAnother history.\n"})
	op := d.pull(ReasonReplaced)
	if got := d.markdown("Other"); got != "Soon gone.\n" || op.ChangeRequest == "" {
		t.Fatalf("%q, %+v", got, op)
	}
	if _, err := d.s.Reviews.Merge(context.Background(), d.grant(), string(op.ChangeRequest)); err != nil {
		t.Fatal(err)
	}
	d.checkSameFiles()
	d.push(ReasonUnchanged)

	// With Force set, the branch is imported without a change request.
	testgit.Git(t, d.origin.Work, "reset", "-q", "--hard", "HEAD~1")
	d.origin.Commit(map[string]string{"README.md": "# Home\n\nA third history.\n"})
	if op := d.do(docs.GitImport, func(o *docs.GitOperation) { o.Request.Force = true }); op.Reason != "" || op.ChangeRequest != "" {
		t.Fatalf("%+v", op)
	}
	d.checkSameFiles()
}

// The cache repacks regularly. This must not make a push look like a replaced branch.
func TestOrdinaryPushesNeverOpenARequest(t *testing.T) {
	t.Parallel()
	d := newFixture(t, testdb.SQLite(t))
	d.s.Git.Limits.Packs = 3
	d.s.Git.Log = d.s.Log
	d.origin.Commit(small)
	d.pull("")
	here, there := "First.", ""
	for i := range 30 {
		now := fmt.Sprintf("First, %d.", i)
		d.edit("Guide", here, now)
		here = now
		d.push("")
		d.origin.Pull()
		there = fmt.Sprintf("Words of step %d.", i)
		d.origin.Commit(map[string]string{"other.md": "# Other\n\n" + there + "\n"})
		d.pull("")
	}
	d.checkSameFiles()
	if got := d.markdown("Other"); !strings.Contains(got, there) {
		t.Errorf("%q", got)
	}
	if strings.Contains(d.log.String(), "fetched anew") {
		t.Errorf("thrown away: %s", d.log)
	}
}
