package gitsync

import (
	"testing"

	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testgit"
)

// Pages that SUMMARY.md links to are synchronized even if their names begin with a dot.
// Other such files belong only to the repository.
func TestHiddenPages(t *testing.T) {
	t.Parallel()
	d := newFixture(t, testdb.SQLite(t))
	d.origin.Commit(map[string]string{
		"README.md":                      "# Home\n\n{% include \"docs/.gitbook/includes/note.md\" %}\n",
		"SUMMARY.md":                     "* [Home](README.md)\n* [Net](/.net/README.md)\n* [Cache](x/.pyc.md)\n",
		".net/README.md":                 "# Net\n\n![](b.png) words\n",
		".net/b.png":                     "png",
		"x/.pyc.md":                      "# Cache\n\nwords\n",
		"docs/.gitbook/includes/note.md": "# Note\n\nwords\n",
		".github/ISSUE_TEMPLATE.md":      "# Issue\n",
	})
	d.pull("")
	for _, title := range []string{"Home", "Net", "Cache"} {
		if d.pages()[title] == nil {
			t.Errorf("there is no page %s", title)
		}
	}
	if len(d.pages()) != 3 {
		t.Errorf("%d pages", len(d.pages()))
	}
	d.push(ReasonUnchanged)
	d.edit("Net", "words", "other words")
	d.push("")
	if stat := testgit.Git(t, d.origin.Bare, "show", "--format=", "--numstat", "main"); stat != "1\t1\t.net/README.md" {
		t.Errorf("one edit changed %q", stat)
	}
	d.origin.Pull()
	d.origin.Commit(map[string]string{"x/.pyc.md": "# Cache\n\nchanged there\n", ".github/ISSUE_TEMPLATE.md": "# Changed\n"})
	d.pull("")
	if got := d.markdown("Cache"); got != "changed there\n" {
		t.Errorf("%q", got)
	}
	d.origin.Commit(map[string]string{".github/ISSUE_TEMPLATE.md": "# Changed again\n"})
	d.pull(ReasonUnchanged)
	d.origin.Commit(map[string]string{".net/core.md": "# Core\n", "SUMMARY.md": "* [Home](README.md)\n* [Net](/.net/README.md)\n  * [Core](.net/core.md)\n* [Cache](x/.pyc.md)\n"})
	d.pull("")
	if d.pages()["Core"] == nil {
		t.Error("there is no page Core")
	}
	d.push(ReasonUnchanged)
}
