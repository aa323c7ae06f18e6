package exchange_test

import (
	"context"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/reading"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testspace"
)

// rewrite edits a page as Markdown: what is read is changed and written back.
func (d *desk) rewrite(file string, change func(string) string) {
	d.T.Helper()
	p := d.PageOf(file)
	text, err := reading.Markdown(context.Background(), d.Head(d.T, d.ID).Reading(p), reading.Form{}, false)
	if err != nil {
		d.T.Fatal(err)
	}
	d.Must(testspace.Write(p.ID, change(text)))
}

// The head of a file stays as it is written when its body is edited, and so
// do the ends of its lines.
func TestAnEditLeavesTheHead(t *testing.T) {
	replaced := func(old, text string) func(string) string {
		return func(s string) string {
			if !strings.Contains(s, old) {
				t.Errorf("%q has no %q", s, old)
			}
			return strings.ReplaceAll(s, old, text)
		}
	}
	to := func(s string) func(string) string { return func(string) string { return s } }
	// As an editor that knows one line end writes it.
	plain := func(old, text string) func(string) string {
		return func(s string) string { return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), old, text) }
	}
	for _, c := range []struct {
		name, source string
		change       func(string) string
		want         string
	}{
		{"no heading", "Text here.\n", replaced("here", "there"), "Text there.\n"},
		{"no heading, no line end", "Text here.", replaced("here", "there"), "Text there."},
		{"no heading, front matter", "---\nicon: x\n---\nText here.\n", replaced("here", "there"), "---\nicon: x\n---\nText there.\n"},
		{"no blank line", "# P\nText here.\n", replaced("here", "there"), "# P\nText there.\n"},
		{"another title", "Text here.\n", to("# Mine\n\nText there.\n"), "Text there.\n"}, // it is in SUMMARY.md
		{"lines of Windows", "# P\r\nText here.\r\n", replaced("here", "there"), "# P\r\nText there.\r\n"},
		{"lines of Windows, no end", "# P\r\nText", replaced("Text", "Words"), "# P\r\nWords"},
		{"lines of Windows, edited elsewhere", "# P\r\n\r\nText here.\r\n\r\nMore.\r\n", plain("here", "there"), "# P\r\n\r\nText there.\r\n\r\nMore.\r\n"},
		{"lines of Windows, no heading", "Text here.\r\n\r\nMore.\r\n", plain("here", "there"), "Text there.\r\n\r\nMore.\r\n"},
		{"code with other lines", "# P\r\n\r\nText.\r\n\r\n```\na\nb\n```\r\n", replaced("Text", "Words"), "# P\r\n\r\nWords.\r\n\r\n```\na\nb\n```\r\n"},
		{"the first text", "# A\n", to("# A\n\nText here.\n"), "# A\n\nText here.\n"},
		{"the first text of Windows", "# A\r\n", to("# A\n\nText here.\n"), "# A\r\n\r\nText here.\r\n"},
		{"the first text below front matter", "---\nicon: x\n---\n# A\n", to("# A\n\nText here.\n"), "---\nicon: x\n---\n# A\n\nText here.\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t, testdb.SQLite(t))
			d.Import(t, map[string]string{"README.md": "# Home\n", "SUMMARY.md": "# Table of contents\n\n* [Home](README.md)\n* [A page](p.md)\n", "p.md": c.source})
			d.rewrite("p.md", c.change)
			if got := d.Exported()["p.md"]; got != c.want {
				t.Errorf("%q became %q, want %q", c.source, got, c.want)
			}
		})
	}
}
