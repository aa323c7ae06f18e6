package gitsync

import (
	"testing"

	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// Front matter that one side changed is kept if the other side changed the text, even for
// unknown keys.
func TestFrontMatterThatOneSideChanged(t *testing.T) {
	d := newFixture(t, testdb.SQLite(t))
	page := func(key, text string) map[string]string {
		return map[string]string{
			"README.md": "# Home\n", "SUMMARY.md": "* [Home](README.md)\n* [A](a.md)\n",
			"a.md": "---\ncustom: " + key + "\n---\n\n# A\n\nFirst.\n\n" + text + "\n",
		}
	}
	d.origin.Commit(page("old", "Second."))
	d.pull("")
	d.origin.Commit(page("new", "Second."))
	d.edit("A", "Second.", "Third.")
	d.pull("")
	d.push("")
	if got, want := d.origin.Files("main")["a.md"], page("new", "Third.")["a.md"]; got != want {
		t.Errorf("%q instead of %q", got, want)
	}
}
