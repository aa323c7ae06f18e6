package typeface

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
)

// A subset has the requested glyphs, and other programs can read it.
func TestSubsets(t *testing.T) {
	b := Bundled()
	for _, f := range append(slices.Clone(b.Primary[:]), b.Further[:]...) {
		glyphs := []sfnt.GlyphIndex{0}
		for _, r := range "Aäé€ǻ…" {
			glyphs = append(glyphs, f.Glyph(r))
		}
		data, err := f.subsetTrueType(glyphs)
		if err != nil {
			t.Fatal(err)
		}
		if len(data) > 60<<10 {
			t.Errorf("%s: %d bytes", f.Name, len(data))
		}
		// The subset has no names and no cmap table, but the parser requires them.
		sub, err := open("subset", bytes.NewReader(withTables(data, f)), 0, 0)
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		for i, g := range glyphs {
			if a, b := f.Advance(g), sub.Advance(sfnt.GlyphIndex(i)); a != b {
				t.Errorf("%s: glyph %d is %v wide, not %v", f.Name, i, b, a)
			}
			var one, two sfnt.Buffer
			was, err1 := f.font.LoadGlyph(&one, g, 64<<6, nil)
			is, err2 := sub.font.LoadGlyph(&two, sfnt.GlyphIndex(i), 64<<6, nil)
			if err1 != nil || err2 != nil || !slices.Equal(was, is) {
				t.Errorf("%s: glyph %d looks different (%v, %v)", f.Name, i, err1, err2)
			}
		}
	}
}

// withTables adds tables of the original font to a subset.
func withTables(data []byte, f *Face) []byte {
	tables := map[string][]byte{}
	for tag, at := range tablesOf(data) {
		tables[tag] = data[at.offset : at.offset+at.length]
	}
	for _, tag := range []string{"OS/2", "name", "post"} {
		if b, err := f.table(tag, maxFontTable); err == nil {
			tables[tag] = b
		}
	}
	// An empty cmap table.
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

// Installed fonts, if there are any, are read without a panic.
func TestInstalledFonts(t *testing.T) {
	fonts, err := Open(nil, true)
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
			if g := f.Glyph(r); g != 0 {
				if !in.mayHave(r) {
					t.Errorf("%s has %c and is not known to", in.path, r)
				}
				glyphs = append(glyphs, g)
			}
		}
		if !f.TrueType {
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
}

func TestFontsThatAreRefused(t *testing.T) {
	dir := t.TempDir()
	for name, data := range map[string][]byte{"empty": nil, "text": []byte("this is not a font at all"), "cut": bundledBytes()[:2000], "ttc": []byte("ttcf\x00\x01\x00\x00\xff\xff\xff\xff")} {
		at := dir + "/" + name
		if err := os.WriteFile(at, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open([]string{at}, false); err == nil || !strings.Contains(err.Error(), at) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Open([]string{dir + "/absent"}, false); err == nil {
		t.Error("a file that is not there")
	}
	good := dir + "/good.ttf"
	if err := os.WriteFile(good, bundledBytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open([]string{good}, false); err != nil {
		t.Error(err)
	}
}

func bundledBytes() []byte {
	f := Bundled().Primary[0]
	b := make([]byte, 1<<20)
	n, _ := f.src.ReadAt(b, 0)
	return b[:n]
}

// Fonts come from the operator, but a malformed font must still be an error, not a panic.
func FuzzFont(f *testing.F) {
	f.Add(bundledBytes())
	f.Add([]byte("OTTO\x00\x01\x00\x00\x00\x00\x00\x00CFF "))
	f.Fuzz(func(t *testing.T, data []byte) {
		in := &installedFont{}
		in.readCoverage(bytes.NewReader(data))
		at, err := fontsIn(bytes.NewReader(data))
		if err != nil {
			return
		}
		face, err := open("x", bytes.NewReader(data), 0, at[0])
		if err != nil {
			return
		}
		g := face.Glyph('A')
		face.Advance(g)
		_, _ = face.Subset([]sfnt.GlyphIndex{0, g})
	})
}

// A font with malformed tables cannot be used for shaping.
func TestBrokenTables(t *testing.T) {
	data := bytes.Clone(bundledBytes())
	f, err := open("x", bytes.NewReader(data), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	clear(data[:4])
	if _, err := f.Shaping(); err == nil {
		t.Error("no error")
	}
}

// After an error no file stays open.
func TestOpenClosesFiles(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("open files are counted in /proc")
	}
	open := func() int {
		all, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	dir := t.TempDir()
	good, bad := filepath.Join(dir, "good.ttf"), filepath.Join(dir, "bad.ttf")
	for name, data := range map[string][]byte{good: goregular.TTF, bad: []byte("no font")} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	before := open()
	for _, files := range [][]string{{bad}, {good, bad}, {good, filepath.Join(dir, "gone.ttf")}} {
		for range 5 {
			if _, err := Open(files, false); err == nil {
				t.Errorf("%s are opened", files)
			}
		}
	}
	if after := open(); after > before {
		t.Errorf("%d files are open, not %d", after, before)
	}
}
