package folder

import (
	"fmt"
	"slices"
	"strings"
)

// shownHidden is the number of skipped files that Report names.
const shownHidden = 8

// Counts says in words what a tree has, such as "3 pages, 1 file and 1 reusable content".
// Pages are those with a file; groups, links and dividers are none. Files are all others that are
// written again, except for SUMMARY.md and the settings.
func (t *Tree) Counts() string {
	pages := 0
	for _, p := range t.All() {
		if p.File != "" {
			pages++
		}
	}
	parts := []string{number(pages, "page")}
	if n := len(t.Unlisted); n > 0 && !t.Inferred {
		parts = append(parts, number(n, "page")+" outside of "+t.summary())
	}
	if n := len(t.Files) + len(t.Others); n > 0 {
		parts = append(parts, number(n, "file"))
	}
	if n := len(t.Includes); n > 0 {
		parts = append(parts, number(n, "reusable content"))
	}
	last := len(parts) - 1
	if last == 0 {
		return parts[0]
	}
	return strings.Join(parts[:last], ", ") + " and " + parts[last]
}

func number(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Report returns the last lines of a report about a tree: how many problems were found in what,
// and what was not looked at. check and import print the same.
func (t *Tree) Report(found []Problem) string {
	errors := 0
	for _, p := range found {
		if p.Level() == "error" {
			errors++
		}
	}
	result := "no mistakes"
	if len(found) > 0 {
		result = number(errors, "error") + " and " + number(len(found)-errors, "warning")
	}
	out := result + " in " + t.Counts() + "\n"
	if n := len(t.Hidden); n > 0 {
		names := slices.Clone(t.Hidden[:min(n, shownHidden)])
		for i, name := range names {
			names[i] = printable(name)
		}
		if n > shownHidden {
			names = append(names, fmt.Sprintf("and %d more", n-shownHidden))
		}
		out += "left out (names with a dot to which " + t.summary() + " does not link, and node_modules): " + strings.Join(names, ", ") + "\n"
	}
	return out
}
