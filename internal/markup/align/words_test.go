package align_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/octavo-docs/octavo/internal/markup/align"
	"github.com/octavo-docs/octavo/internal/testing/testcpu"
	"github.com/octavo-docs/octavo/internal/testing/testmarkup"
)

func TestDiffWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"a", "b", "c", " ", " ", ".", "日", "é", "\xff", "\n"})
		text := rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(word, 0, 40).Draw(t, "words"), "") })
		before, after := text.Draw(t, "before"), text.Draw(t, "after")
		testmarkup.CheckWords(t, before, after, align.DiffWords(before, after))
	})
	// The shortest edit path, or none if the texts have little in common.
	if got := align.DiffWords("one two three four", "one three four five"); len(got) != 4 {
		t.Errorf("%q", got)
	}
	texts := func(n int) (before, after string) { return strings.Repeat("a b ", n), strings.Repeat("c d ", n) }
	before, after := texts(1000)
	got := align.DiffWords(before, after)
	testmarkup.CheckWords(t, before, after, got)
	if len(got) > 4 {
		t.Errorf("%d pieces", len(got))
	}
	testcpu.Linear(t, 50_000, func(n int) func() {
		before, after := texts(n)
		return func() { align.DiffWords(before, after) }
	})
}
