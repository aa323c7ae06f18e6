package search

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// matcherOf asks for words as they are.
func matcherOf(q, language string) *Matcher {
	var alternatives []Alternatives
	for _, t := range Query(q, language) {
		alternatives = append(alternatives, Alternatives{t.Text: WeightExact, t.Stem: WeightStem})
	}
	return NewMatcher(language, alternatives)
}

func TestSnippet(t *testing.T) {
	long := strings.Repeat("Lorem ipsum dolor sit amet. ", 30)
	for _, tt := range []struct{ q, body, want string }{
		{"cat", "The cat sat.", "The cat sat."},
		{"cat", "", ""},
		{"cat", "  The\n\n\tcat  sat.\x00", "The cat sat."},
		{"cats", long + "The cat sat on the mat. " + long, "…The cat sat on the mat. Lorem ipsum dolor sit amet. Lorem ipsum…"},
		{"mat cat", long + "One cat. " + long + "The cat sat on the mat. " + long, "…The cat sat on the mat. Lorem ipsum dolor sit amet. Lorem ipsum…"},
		{"nothing", long, "Lorem ipsum dolor sit amet. Lorem ipsum dolor sit amet. Lorem ipsum…"},
		{"搜索", strings.Repeat("这是一个文档。", 40) + "全文搜索很快。" + strings.Repeat("这是一个文档。", 40), "…全文搜索很快。这是一个文档。这是一个文档。这是一个文档。这是一个文档。这是一个文档。这是一个文档。这是一个文档。这是一个文档。这是一个文档。…"},
		{"b", "<b>bold</b> & b", "<b>bold</b> & b"},
	} {
		got := snippet(tt.body, matcherOf(tt.q+" ", "en").find(tt.body), 72)
		if got != tt.want {
			t.Errorf("snippet(%q)\n got %q\nwant %q", tt.q, got, tt.want)
		}
	}
}

func TestSnippetIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom([]string{"cat", "Dog", "中文", "ภาษา", "\n\n", "a.b", "x" + strings.Repeat("y", 90), "…", "\xff", "e\u0301"}), 0, 200).Draw(t, "words")
		body := strings.Join(words, rapid.SampledFrom([]string{"", " "}).Draw(t, "sep"))
		size := rapid.IntRange(1, 200).Draw(t, "size")
		got := snippet(body, matcherOf("dog 中文 ", "en").find(body), size)
		if n := utf8.RuneCountInString(got); n > size+2 || !utf8.ValidString(got) || strings.Contains(got, "\n") {
			t.Fatalf("%d characters of %d: %q", n, size, got)
		}
	})
}

func TestSections(t *testing.T) {
	sections := []Section{
		{Anchor: "", Body: "Nothing to see here."},
		{Anchor: "one", Title: "Installing", Body: "Use the package."},
		{Anchor: "two", Title: "Other", Body: "How to install it."},
		{Anchor: "three", Title: "More", Body: "Install. Installs. Installed."},
		{Anchor: "four", Title: "Installation", Body: ""},
	}
	got := matcherOf("install ", "en").Sections(sections, 3, 100)
	var names []string
	for _, f := range got {
		names = append(names, sections[f.Section].Anchor)
	}
	if strings.Join(names, " ") != "one three four" {
		t.Errorf("got %v", got)
	}
}

// What the matcher passes over has no match: it finds what analysing the
// whole text finds.
func TestMatcherFindsWhatIsThere(t *testing.T) {
	vocabulary := []string{"install", "Installing", "fooBar", "foo", "bar_baz", "v1.2", "C++", ".NET", "don't", "dying", "die", "中文", "文字", "Été", "ete", "(net)", "c", "C#", "caf\u0301e", "HTTPServer", "URLs", "l'eau", "x", "installé"}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom(vocabulary)).Draw(t, "text"), rapid.SampledFrom([]string{" ", ", ", "/", "-"}).Draw(t, "sep"))
		m := matcherOf(rapid.SampledFrom(vocabulary).Draw(t, "q")+" ", "en")
		want := map[int]bool{}
		for _, tok := range Terms(text, "en") {
			if _, ok := m.words[tok.Term]; ok {
				want[tok.Start] = true
			}
		}
		got := map[int]bool{}
		for _, f := range m.find(text) {
			got[f.start] = true
		}
		if len(got) < min(len(want), maxMatches) {
			t.Fatalf("%q: found %v, want %v", text, got, want)
		}
	})
}

func BenchmarkSections(b *testing.B) {
	text := strings.Repeat("The installation of packages requires a configured registry; see the manual and the notes for details. ", 4)
	sections := []Section{{Title: "One thing", Body: text}, {Title: "Another thing", Body: text + " zebra"}, {Title: "Third", Body: text}}
	m := matcherOf("zebra ", "en")
	for b.Loop() {
		m.Sections(sections, 3, 200)
	}
}

func BenchmarkMatcher(b *testing.B) {
	for b.Loop() {
		matcherOf("zebra ", "en")
	}
}
