package publish_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/site/theme"
)

// found returns what the script of a page gets for a query.
func (w *world) found(query string) (out theme.Found) {
	w.Helper()
	_, body := w.get(root + "~octavo/found?q=" + query)
	must(w.T, json.Unmarshal([]byte(body), &out))
	return out
}

// shown returns hits as texts, with brackets around marked words.
func shown(hits []theme.Hit) (out []string) {
	for _, h := range hits {
		text := ""
		for _, m := range []theme.Marked{h.Title, h.Heading, h.Text} {
			for i, part := range m {
				if i%2 == 1 {
					part = "[" + part + "]"
				}
				text += part
			}
			text += " | "
		}
		out = append(out, text+h.Href)
	}
	return out
}

// Exact titles come first wherever they are, then titles with all words. Headings are named, the
// best ones of a page first, and whole words are marked.
func TestWhatASearchFinds(t *testing.T) {
	w := newWorld(t)
	w.acme()
	guide, _ := w.titled("v2")
	api, _ := w.titled("API")
	filler := strings.Repeat("More about nothing at all. ", 50)
	w.imported(guide.ID, map[string]string{
		"SUMMARY.md": "* [Home](README.md)\n* [Tides of the harbour](tides.md)\n* [Ropes](ropes.md)\n",
		"README.md":  "# Home\n\nThe tide, the tides, and once more the tide.\n",
		"tides.md":   "---\ndescription: When the water comes.\n---\n\n# Tides of the harbour\n\n## Reading a tide table\n\nA tide in detail.\n\n## Low tide\n\nMore.\n\n## Moon\n\nA tide.\n\n## Ships\n\n" + filler + "\n",
		"ropes.md":   "# Ropes\n\n" + filler + "\n\n## Knots\n\nA bowline is tied in the tied line.\n",
	})
	w.imported(api.ID, map[string]string{"SUMMARY.md": "* [API](README.md)\n* [Tide](tide.md)\n", "README.md": "# API\n", "tide.md": "# Tide\n\nShort.\n"})
	for query, want := range map[string][]string{
		"tide": {
			"[Tide] |  |  | /api/tide",
			"[Tides] of the harbour |  | When the water comes. | /tides",
			"[Tides] of the harbour | Reading a [tide] table | A [tide] in detail. | /tides#reading-a-tide-table",
			"[Tides] of the harbour | Low [tide] | More. | /tides#low-tide",
			"Home |  | The [tide], the [tides], and once more the [tide]. | /",
		},
		"in+bowline": {"Ropes | Knots | A [bowline] is tied [in] the tied line. | /ropes#knots"},
		"bowlime":    {"Ropes | Knots | A [bowline] is tied in the tied line. | /ropes#knots"},
	} {
		got := shown(w.found(query).Hits)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s:\n%s\nwant\n%s", query, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	none := w.found("nosuchword")
	if got := shown(none.Suggested); len(none.Hits) != 0 || fmt.Sprint(got) != "[Home |  |  | / Tides of the harbour |  |  | /tides Ropes |  |  | /ropes]" {
		t.Errorf("nothing is found: %v, %q", none.Hits, got)
	}
}

// However many pages and headings match, a search gives a bounded number of them.
func TestSearchesAreBounded(t *testing.T) {
	w := newWorld(t)
	w.acme()
	guide, _ := w.titled("v2")
	files := map[string]string{"SUMMARY.md": "", "README.md": "# Home\n"}
	for i := range 60 {
		files["SUMMARY.md"] += fmt.Sprintf("* [Rope %d](p%d.md)\n", i, i)
		files[fmt.Sprintf("p%d.md", i)] = fmt.Sprintf("# Rope %d\n\nRope.\n\n## Rope one\n\nRope.\n\n## Rope two\n\nRope.\n\n## Rope three\n\nRope.\n", i)
	}
	w.imported(guide.ID, files)
	if n := len(w.found("rope").Hits); n != 40 {
		t.Errorf("%d hits", n)
	}
	if n := len(w.found("").Suggested); n != 6 {
		t.Errorf("%d pages are suggested", n)
	}
}
