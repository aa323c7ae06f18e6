package search

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The terms of a page are the same whether its sections are looked at alone, were
// known before, or are counted together.
func TestSectionsThatAreKnown(t *testing.T) {
	word := rapid.SampledFrom([]string{
		"the", "Page", "pages", "HTTPServer", "foo_bar", "C++", "don't", "1.23", "Über", "naïve", "日本語", "running", "x", "installation", "installing",
	})
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(word, 0, 12).Draw(t, "words"), rapid.SampledFrom([]string{" ", ", ", "\n"}).Draw(t, "between"))
	})
	section := rapid.Custom(func(t *rapid.T) Section {
		return Section{Title: text.Draw(t, "heading"), Body: text.Draw(t, "body")}
	})
	rapid.Check(t, func(t *rapid.T) {
		alone := Analyser{Bodies: NewBodies(1 << 20)}
		p := Page{Title: text.Draw(t, "title"), Sections: rapid.SliceOfN(section, 0, mostSections+1).Draw(t, "sections")}
		for range 4 {
			p.Language = rapid.SampledFrom([]string{"en", "de", ""}).Draw(t, "language")
			if len(p.Sections) > 0 && rapid.Bool().Draw(t, "edited") {
				p.Sections[rapid.IntRange(0, len(p.Sections)-1).Draw(t, "at")] = section.Draw(t, "section")
			}
			var together Analyser
			if got, want := alone.Doc(p), together.Doc(p); !slices.Equal(got, want) {
				t.Fatalf("%v\n%v", got, want)
			}
		}
	})
}
