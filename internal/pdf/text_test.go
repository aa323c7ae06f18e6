package pdf

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/image/font/sfnt"
	"pgregory.net/rapid"
)

// seen returns a line in the order in which it is seen.
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

// A line that is reordered has the glyphs that it had.
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

func TestLinesBreak(t *testing.T) {
	d := &document{w: newWriter(bytes.NewBuffer(nil)), chosen: map[wanted]chosen{}, missing: map[rune]bool{}}
	lines := func(s string, width float64) []string {
		var out []string
		d.lines([]span{{text: s, st: style{size: 10, back: none}}}, width, func(l line) {
			var b strings.Builder
			for _, g := range l.glyphs {
				switch {
				case g.text != "":
					b.WriteString(g.text)
				case g.r != continued:
					b.WriteRune(g.r)
				}
			}
			out = append(out, b.String())
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
	// Every character is on a line, whatever the width.
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
	// They are boxes, and still the text that was written.
	if text := f.allText(); strings.Count(text, "\U000F1234") != 2 || !strings.Contains(text, "✅") {
		t.Errorf("%q", text)
	}
	if b = page("Ελληνικά Русский ἄνθρωπος Tiếng Việt ✓ ★ → ➡ ⬅ ⬆ ⬇ ≤ “quotes” €\n"); b.write(t) != nil && b.missing != nil {
		t.Errorf("%U", b.missing)
	}
}

// A subset holds the glyphs that were asked for, in a font that others read.
func TestSubsets(t *testing.T) {
	b := bundled()
	for _, f := range append(slices.Clone(b.primary[:]), b.further[:]...) {
		glyphs := []sfnt.GlyphIndex{0}
		for _, r := range "Aäé€ǻ…" {
			glyphs = append(glyphs, f.glyph(r))
		}
		data, err := f.subsetTrueType(glyphs)
		if err != nil {
			t.Fatal(err)
		}
		if len(data) > 60<<10 {
			t.Errorf("%s: %d bytes", f.name, len(data))
		}
		// Names and the table of characters are not part of it; the reader
		// wants them.
		sub, err := openFace("subset", bytes.NewReader(withTables(data, f)), 0, 0)
		if err != nil {
			t.Fatalf("%s: %v", f.name, err)
		}
		for i, g := range glyphs {
			if a, b := f.advance(g), sub.advance(sfnt.GlyphIndex(i)); a != b {
				t.Errorf("%s: glyph %d is %v wide, not %v", f.name, i, b, a)
			}
			var one, two sfnt.Buffer
			was, err1 := f.font.LoadGlyph(&one, g, 64<<6, nil)
			is, err2 := sub.font.LoadGlyph(&two, sfnt.GlyphIndex(i), 64<<6, nil)
			if err1 != nil || err2 != nil || !slices.Equal(was, is) {
				t.Errorf("%s: glyph %d looks different (%v, %v)", f.name, i, err1, err2)
			}
		}
	}
}

// withTables adds tables of the old font to a subset.
func withTables(data []byte, f *face) []byte {
	tables := map[string][]byte{}
	for tag, at := range tablesOf(data) {
		tables[tag] = data[at.offset : at.offset+at.length]
	}
	for _, tag := range []string{"OS/2", "name", "post"} {
		if b, err := f.table(tag, maxFontTable); err == nil {
			tables[tag] = b
		}
	}
	// Of no characters.
	tables["cmap"] = []byte{0, 0, 0, 1, 0, 3, 0, 1, 0, 0, 0, 12, 0, 4, 0, 24, 0, 0, 0, 2, 0, 2, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 0xff, 0xff, 0, 1, 0, 0}
	post := tables["post"]
	if len(post) >= 32 {
		tables["post"] = append([]byte{0, 3, 0, 0}, post[4:32]...)
	}
	return sfntFile(tables)
}

func tablesOf(data []byte) map[string]tableAt {
	out := map[string]tableAt{}
	n := int(data[4])<<8 | int(data[5])
	for i := range n {
		e := data[12+16*i:]
		at := func(k int) uint32 { return uint32(e[k])<<24 | uint32(e[k+1])<<16 | uint32(e[k+2])<<8 | uint32(e[k+3]) }
		out[string(e[:4])] = tableAt{at(8), at(12)}
	}
	return out
}

// Fonts of the machine, where there are any: whatever they are, they are
// read without a panic, and what is chosen can be written.
func TestInstalledFonts(t *testing.T) {
	fonts, err := OpenFonts(nil, true)
	if err != nil {
		t.Fatal(err)
	}
	found := fonts.find()
	if len(found) == 0 {
		t.Skip("no fonts are installed")
	}
	cubicOnes, quadraticOnes := 0, 0
	for _, in := range found {
		f := in.open()
		if f == nil {
			continue
		}
		glyphs := []sfnt.GlyphIndex{0}
		for _, r := range "Ag中あ한" {
			if g := f.glyph(r); g != 0 {
				if !in.may(r) {
					t.Errorf("%s has %c and is not known to", in.path, r)
				}
				glyphs = append(glyphs, g)
			}
		}
		if f.outl == cubic {
			if cubicOnes++; cubicOnes > 12 {
				continue
			}
			if _, err := f.subsetCFF(glyphs); err != nil {
				t.Errorf("%s: %v", in.path, err)
			}
		} else {
			if quadraticOnes++; quadraticOnes > 40 {
				continue
			}
			if _, err := f.subsetTrueType(glyphs); err != nil {
				t.Errorf("%s: %v", in.path, err)
			}
		}
	}
	t.Logf("%d fonts: %d with cubic, %d with quadratic outlines", len(found), cubicOnes, quadraticOnes)
	b := page("中文 日本語 한국어\n")
	b.fonts = fonts
	b.write(t)
}

func TestFontsThatAreRefused(t *testing.T) {
	dir := t.TempDir()
	for name, data := range map[string][]byte{"empty": nil, "text": []byte("this is not a font at all"), "cut": bundledBytes()[:2000], "ttc": []byte("ttcf\x00\x01\x00\x00\xff\xff\xff\xff")} {
		at := dir + "/" + name
		if err := os.WriteFile(at, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenFonts([]string{at}, false); err == nil || !strings.Contains(err.Error(), at) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := OpenFonts([]string{dir + "/absent"}, false); err == nil {
		t.Error("a file that is not there")
	}
	good := dir + "/good.ttf"
	if err := os.WriteFile(good, bundledBytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenFonts([]string{good}, false); err != nil {
		t.Error(err)
	}
}

func bundledBytes() []byte {
	f := bundled().primary[0]
	b := make([]byte, 1<<20)
	n, _ := f.src.ReadAt(b, 0)
	return b[:n]
}

// Fonts come from the operator; a broken one is an error all the same.
func FuzzFont(f *testing.F) {
	f.Add(bundledBytes())
	f.Add([]byte("OTTO\x00\x01\x00\x00\x00\x00\x00\x00CFF "))
	f.Fuzz(func(t *testing.T, data []byte) {
		in := &installedFont{}
		in.look(bytes.NewReader(data))
		at, err := fontsIn(bytes.NewReader(data))
		if err != nil {
			return
		}
		face, err := openFace("x", bytes.NewReader(data), 0, at[0])
		if err != nil {
			return
		}
		g := face.glyph('A')
		face.advance(g)
		if face.outl == cubic {
			_, _ = face.subsetCFF([]sfnt.GlyphIndex{0, g})
		} else {
			_, _ = face.subsetTrueType([]sfnt.GlyphIndex{0, g})
		}
	})
}
