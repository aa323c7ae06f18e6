package gitsync

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testgit"
)

// Every commit of an export has the files that its SUMMARY.md links to, even for a page
// whose file is renamed again later. A file of the repository with such a name is kept.
func TestCommitsInBetweenAreComplete(t *testing.T) {
	t.Parallel()
	d := newFixture(t, testdb.SQLite(t))
	d.origin.Commit(map[string]string{
		"README.md": "# Home\n\nWelcome.\n", "other.md": "# Other\n\nWords.\n", "SUMMARY.md": "# Table of contents\n\n* [Home](README.md)\n* [Other](other.md)\n",
	})
	if err := os.Symlink("README.md", filepath.Join(d.origin.Work, "two.md")); err != nil {
		t.Fatal(err)
	}
	testgit.Git(t, d.origin.Work, "add", "two.md")
	testgit.Git(t, d.origin.Work, "commit", "-qm", "A link")
	d.origin.Push("origin", "main")
	d.pull("")
	for _, slug := range []string{"one", "two", "three"} {
		d.slug("Other", slug)
	}
	d.push("")
	for at, want := range map[string]string{"main~2": "one.md", "main": "three.md"} {
		page := testgit.Git(t, d.origin.Bare, "show", at+":"+want)
		summary := testgit.Git(t, d.origin.Bare, "show", at+":SUMMARY.md")
		if strings.TrimSpace(page) != "# Other\n\nWords." || !strings.Contains(summary, "("+want+")") {
			t.Errorf("%s has\n%s\n%s", at, page, summary)
		}
	}
	for _, at := range []string{"main~2", "main~1", "main"} {
		if kind := testgit.Git(t, d.origin.Bare, "ls-tree", at, "two.md"); !strings.HasPrefix(kind, "120000 ") {
			t.Errorf("%s has another two.md: %q", at, kind)
		}
	}
	if left := testgit.Git(t, d.origin.Bare, "ls-tree", "main", "one.md"); left != "" {
		t.Errorf("left: %s", left)
	}
}

// A connection that imports first does not create a branch or a folder whose name is
// probably a typing mistake.
func TestAConnectionCreatesNeitherBranchNorFolder(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in   ConnectionInput
		want string
	}{
		"branch": {ConnectionInput{Ref: "mian"}, "import failure ref-not-found, export failure ref-not-found"},
		"folder": {ConnectionInput{Directory: "dcos"}, "import failure no-directory, export failure no-directory"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newClocked(t, testdb.SQLite(t))
			tip := d.origin.Commit(map[string]string{"docs/README.md": "# Home\n"})
			d.connect(c.in)
			d.runJobs()
			d.want(c.want)
			if d.origin.Tip() != tip || strings.Contains(testgit.Git(t, d.origin.Bare, "branch"), "mian") {
				t.Error("something was written")
			}
		})
	}
}

// The information that an import stored about the repository is kept when the connection
// changes, as long as the remote is the same.
func TestAddressesOfFilesStay(t *testing.T) {
	t.Parallel()
	d := newClocked(t, testdb.SQLite(t))
	d.origin.Commit(map[string]string{"README.md": "# Home\n"})
	d.connect(ConnectionInput{})
	d.runJobs()
	err := d.s.Store.Do(t.Context(), func(tx *store.Tx) error {
		return tx.PutGitInfo(t.Context(), d.id, docs.GitInfo{Provider: "forge", URL: "https://git.example.com/acme", TreeURL: "https://git.example.com/acme/src/main"})
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		in   ConnectionInput
		want string
	}{{ConnectionInput{Poll: opt.Of(120)}, "https://git.example.com/acme/src/main"}, {ConnectionInput{Directory: "docs"}, ""}} {
		d.connect(c.in)
		if got := d.grant().Space.Git; got == nil || got.TreeURL != c.want {
			t.Errorf("%+v: %+v", c.in, got)
		}
	}
}

// Another import while a change request is waiting reports that request.
func TestAskingAgainWhileARequestWaits(t *testing.T) {
	t.Parallel()
	d := newFixture(t, testdb.SQLite(t))
	d.origin.Commit(small)
	d.pull("")
	d.edit("Home", "Welcome.", "Ours.")
	d.origin.Commit(map[string]string{"README.md": "# Home\n\nTheirs.\n"})
	first := d.pull(ReasonConflict)
	if again := d.pull(ReasonOpenRequest); again.ChangeRequest != first.ChangeRequest || again.ChangeRequest == "" {
		t.Errorf("%+v", again)
	}
}

// Files that are not content belong to the repository. Archiving a change request does
// not change them.
func TestOtherFilesAfterARequestWasArchived(t *testing.T) {
	t.Parallel()
	d := newFixture(t, testdb.SQLite(t))
	d.origin.Commit(small)
	d.pull("")
	d.edit("Home", "Welcome.", "Ours.")
	d.origin.Commit(map[string]string{"README.md": "# Home\n\nTheirs.\n", "NOTES.txt": "one\n"})
	op := d.pull(ReasonConflict)
	if _, err := d.s.Reviews.Update(t.Context(), d.grant(), string(op.ChangeRequest), reviewsPatch(docs.ChangeArchived)); err != nil {
		t.Fatal(err)
	}
	d.origin.Commit(map[string]string{"NOTES.txt": "two\n"})
	d.pull("")
	d.push("")
	d.checkSameFiles()
	if got := d.origin.Files("main")["NOTES.txt"]; got != "two\n" {
		t.Errorf("NOTES.txt is %q", got)
	}
}
