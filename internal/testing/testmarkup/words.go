package testmarkup

import (
	"pgregory.net/rapid"

	"github.com/octavo-docs/octavo/internal/markup/align"
)

// CheckWords checks that a difference of words is between these texts, and that its pieces
// are joined.
func CheckWords(t rapid.TB, before, after string, words []align.WordChange) {
	t.Helper()
	was, is := "", ""
	for i, w := range words {
		if w.Op != align.WordInsert {
			was += w.Text
		}
		if w.Op != align.WordDelete {
			is += w.Text
		}
		if w.Text == "" || i > 0 && words[i-1].Op == w.Op || i > 0 && words[i-1].Op == align.WordInsert && w.Op == align.WordDelete {
			t.Fatalf("pieces are not joined: %q", words)
		}
	}
	if was != before || is != after {
		t.Fatalf("%q is %q -> %q, want %q -> %q", words, was, is, before, after)
	}
}
