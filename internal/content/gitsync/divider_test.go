package gitsync

import (
	"testing"

	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// Both sides add a page after the last group. One divider is enough: the page of the space goes
// into the list that the repository began.
func TestNewPagesOfBothSidesShareADivider(t *testing.T) {
	t.Parallel()
	const grouped = "# Table of contents\n\n* [Home](README.md)\n\n## G\n\n* [A](a.md)\n"
	for name, c := range map[string]struct{ before, theirs, want string }{
		"the list is new":    {grouped, grouped + "\n***\n\n* [N](n.md)\n", grouped + "\n***\n\n* [Ours](ours.md)\n* [N](n.md)\n"},
		"the list was empty": {grouped + "\n***\n", grouped + "\n***\n\n* [N](n.md)\n", grouped + "\n***\n\n* [Ours](ours.md)\n* [N](n.md)\n"},
		"there is a list":    {grouped + "\n***\n\n* [B](b.md)\n", grouped + "\n***\n\n* [N](n.md)\n* [B](b.md)\n", grouped + "\n***\n\n* [N](n.md)\n* [B](b.md)\n* [Ours](ours.md)\n"},
		"a group is new":     {grouped + "\n***\n\n* [B](b.md)\n", grouped + "\n***\n\n* [B](b.md)\n\n## New\n\n* [N](n.md)\n", grouped + "\n***\n\n* [B](b.md)\n* [Ours](ours.md)\n\n## New\n\n* [N](n.md)\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newFixture(t, testdb.SQLite(t))
			d.origin.Commit(map[string]string{"README.md": "# Home\n", "a.md": "# A\n", "b.md": "# B\n", "SUMMARY.md": c.before})
			d.pull("")
			text := "Text.\n"
			d.apply("", content.Change{Operation: content.InsertPage, Meta: content.PageMeta{Title: opt.Of("Ours")}, Body: &revision.Body{Markdown: &text}})
			d.origin.Commit(map[string]string{"SUMMARY.md": c.theirs, "n.md": "# N\n"})
			d.pull("")
			d.push("")
			if got := d.origin.Files("main")["SUMMARY.md"]; got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			d.checkSameFiles()
		})
	}
}
