package pdf

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/print/typeface"
	"pgregory.net/rapid"
)

// seen returns a line in visual order.
func seen(s string) string {
	in := charsOf(s)
	setLevels(in, startsRTL(in))
	gs := make([]glyph, len(in))
	for i, c := range in {
		gs[i] = glyph{r: c.r, level: c.level}
	}
	visual(gs)
	var b strings.Builder
	for _, g := range gs {
		b.WriteRune(g.r)
	}
	return b.String()
}

func TestDirections(t *testing.T) {
	for in, want := range map[string]string{
		"abc":             "abc",
		"אבג":             "גבא",
		"abc אבג def":     "abc גבא def",
		"אבג abc דהו":     "והד abc גבא",
		"abc אבג 123 def": "abc 123 גבא def",
		"אבג 123":         "123 גבא",
		"אבג 1,234.5 דה":  "הד 1,234.5 גבא",
		"abc 123 אבג":     "abc 123 גבא",
		"price אבג 5 דה.": "price הד 5 גבא.",
	} {
		if got := seen(in); got != want {
			t.Errorf("%q is seen as %q, want %q", in, got, want)
		}
	}
}

// Reordering a line loses no characters.
func TestOrderLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.RuneFrom([]rune("ab1 .,()אבגעربي٣٤\u0301"))).Draw(t, "s")
		a, b := []rune(s), []rune(seen(s))
		slices.Sort(a)
		slices.Sort(b)
		if !slices.Equal(a, b) {
			t.Fatalf("%q became %q", s, seen(s))
		}
	})
}

func testDocument() *document {
	return &document{w: newWriter(bytes.NewBuffer(nil)), glyphs: map[glyphKey]chosenGlyph{}, missing: map[rune]bool{}}
}

// textOf returns the characters of a line.
func textOf(l line) string {
	var b strings.Builder
	for _, g := range l.glyphs {
		switch {
		case g.text != "":
			b.WriteString(g.text)
		case g.r != continued:
			b.WriteRune(g.r)
		}
	}
	return b.String()
}

// A text that is too long for a line is cut between characters, as late as possible.
func TestTruncatedLines(t *testing.T) {
	const width = 60
	d := testDocument()
	for in, want := range map[string]string{
		"short":                                "short",
		"":                                     "",
		"A Donaudampfschifffahrtsgesellschaft": "A Donaud…",
		"one two three four five":              "one two thr…",
		"aaaaaaae\u0301\u0301\u0301\u0301\u0301\u0301aaaa": "aaaaaaae\u0301\u0301\u0301\u0301\u0301\u0301…",
	} {
		l := d.truncated(in, style{size: 10, back: none}, width)
		if got := textOf(l); got != want || l.width > width {
			t.Errorf("%q is %q, %g wide", in, got, l.width)
		}
	}
}

func TestNumbers(t *testing.T) {
	for f, want := range map[float64]string{0: "0", -1.5: "-1.5", 2.05: "2.05", 1e9: "1000000", math.Inf(1): "0", math.Inf(-1): "0"} {
		if got := string(appendNum(nil, f)); got != want || num(f) != want {
			t.Errorf("%g is %s and %s", f, got, num(f))
		}
	}
	if got := string(appendNum(nil, math.NaN())); got != "0" {
		t.Errorf("NaN is %s", got)
	}
}

func TestSampledText(t *testing.T) {
	if s := sample("x" + strings.Repeat("ä", sampledText)); !utf8.ValidString(s) || len(s) != sampledText-1 {
		t.Errorf("%d bytes: %q", len(s), s)
	}
}

func TestLinesBreak(t *testing.T) {
	d := testDocument()
	lines := func(s string, width float64) []string {
		var out []string
		d.lines([]span{{text: s, st: style{size: 10, back: none}}}, width, func(l line) {
			out = append(out, textOf(l))
		})
		return out
	}
	for in, want := range map[string][]string{
		"":                    {""},
		"one two three":       {"one two", "three"},
		"well-known words":    {"well-", "known", "words"},
		"a\nb":                {"a", "b"},
		"aaaaaaaaaaaaaaaaaaa": {"aaaaaaaa", "aaaaaaaa", "aaa"},
		"one\u00a0two three":  {"one\u00a0two", "three"},
		"中文中文中文。中":            {"中文中文中", "文。中"},
	} {
		if got := lines(in, 48); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	// Every character is on a line, for any width.
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.RuneFrom([]rune("ab-/ .中。\u0301"))).Draw(t, "s")
		got := strings.Join(lines(s, rapid.Float64Range(1, 100).Draw(t, "width")), "")
		if strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(s, " ", "") {
			t.Fatalf("%q became %q", s, got)
		}
	})
}

func TestMissingCharacters(t *testing.T) {
	b := page("Has \U0001F680 and \U000F1234 twice \U000F1234, zero\u200dwidth\ufe0f, and ✅.\n")
	f := b.write(t)
	if !slices.Equal(b.missing, []rune{0xF1234}) { // emoji are drawn
		t.Errorf("%U", b.missing)
	}
	// Missing characters are boxes, but keep their text.
	if text := f.allText(); strings.Count(text, "\U000F1234") != 2 || !strings.Contains(text, "✅") {
		t.Errorf("%q", text)
	}
	if b = page("Ελληνικά Русский ἄνθρωπος Tiếng Việt ✓ ★ → ➡ ⬅ ⬆ ⬇ ≤ “quotes” €\n"); b.write(t) != nil && b.missing != nil {
		t.Errorf("%U", b.missing)
	}
}

// Text in installed fonts can be written, if there are any.
func TestInstalledFonts(t *testing.T) {
	fonts, err := typeface.Open(nil, true)
	if err != nil {
		t.Fatal(err)
	}
	b := page("中文 日本語 한국어\n")
	b.fonts = fonts
	b.write(t)
}
