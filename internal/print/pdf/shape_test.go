package pdf

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"golang.org/x/image/font/sfnt"
)

// set lays out a line of text and returns its glyphs in visual order.
func set(t *testing.T, spans ...span) []glyph {
	t.Helper()
	d := &document{w: newWriter(bytes.NewBuffer(nil)), glyphs: map[glyphKey]chosenGlyph{}, missing: map[rune]bool{}, emojis: map[string]*picture{}}
	for i := range spans {
		spans[i].st.size, spans[i].st.back = 10, none
	}
	var out []glyph
	d.lines(spans, 1e9, func(l line) { out = append(out, l.glyphs...) })
	return out
}

func ids(gs []glyph) (out []sfnt.GlyphIndex) {
	for _, g := range gs {
		out = append(out, g.font.used[g.code].glyph)
	}
	return out
}

func clusters(gs []glyph) (out []string) {
	for _, g := range gs {
		if g.text != "" {
			out = append(out, g.text)
		}
	}
	return out
}

// Arabic letters have the form for their position in the word, and lam and alef form a
// ligature.
func TestArabicLettersJoin(t *testing.T) {
	alone := ids(set(t, span{text: "ب"}))[0]
	three := ids(set(t, span{text: "ببب"}))
	if len(three) != 3 || slices.Contains(three, alone) || three[0] == three[1] || three[1] == three[2] {
		t.Errorf("three letters are the glyphs %v, one alone is %d", three, alone)
	}
	// Letters join across the edge of bold text and across a mark.
	if got := ids(set(t, span{text: "ب"}, span{text: "ب", st: style{face: bold}})); len(got) != 2 || slices.Contains(got, alone) {
		t.Errorf("letters of two spans are %v", got)
	}
	if got := set(t, span{text: "بَب"}); len(clusters(got)) != 2 || slices.Contains(ids(got), alone) {
		t.Errorf("with a mark: %v", ids(got))
	}
	if got := set(t, span{text: "لا"}); len(got) != 1 || got[0].text != "لا" {
		t.Errorf("lam and alef are %d glyphs", len(got))
	}
}

// Letters of Indic scripts form conjuncts, vowels are reordered, and marks are placed on
// their letters. The extracted text is the original one.
func TestShaping(t *testing.T) {
	for text, glyphs := range map[string]int{"क्ष": 1, "कि": 2, "हिन्दी": 5, "স্ত্র": 1, "கொ": 3, "ที่": 3, "é": 1, "שָׁ": 3} {
		got := set(t, span{text: text})
		if len(got) != glyphs || slices.Contains(ids(got), 0) {
			t.Errorf("%s is the glyphs %v, want %d", text, ids(got), glyphs)
		}
	}
	ki, ka := set(t, span{text: "कि"}), set(t, span{text: "क"})
	if ids(ki)[1] != ids(ka)[0] {
		t.Errorf("the vowel is not before the letter: %v, %v", ids(ki), ids(ka))
	}
	thai := set(t, span{text: "ที่"})
	if thai[0].w <= 0 || thai[1].w != 0 && thai[1].dx == 0 {
		t.Errorf("the marks of Thai take room: %v", thai)
	}
	text := "हिन्दी क्षत्रिय, ภาษาไทยเขียนได้, বাংলা, தமிழ்."
	b := page(text + "\n\nשָׁלוֹם\n")
	f := b.write(t)
	if got := f.allText(); !strings.Contains(got, text) || len(b.missing) > 0 {
		t.Errorf("%q lacks the text; missing %U", got, b.missing)
	}
}

// A line does not begin in the middle of a cluster.
func TestClustersStayTogether(t *testing.T) {
	d := &document{w: newWriter(bytes.NewBuffer(nil)), glyphs: map[glyphKey]chosenGlyph{}, missing: map[rune]bool{}, emojis: map[string]*picture{}}
	for _, width := range []float64{5, 12, 20, 33} {
		d.lines([]span{{text: strings.Repeat("หนังสือที่", 20) + strings.Repeat("हिन्दी", 20), st: style{size: 10, back: none}}}, width, func(l line) {
			if len(l.glyphs) > 0 && l.glyphs[0].r == continued {
				t.Errorf("a line of %g begins with a mark", width)
			}
		})
	}
}
