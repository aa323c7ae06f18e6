// Package typeface provides the fonts of documents: bundled fonts, font files named by
// the operator, and installed fonts. A Face returns the glyphs of characters and their
// widths, and a subset of the font with the glyphs that a document uses.
package typeface

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	shapingfont "github.com/go-text/typesetting/font"
	ot "github.com/go-text/typesetting/font/opentype"
	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// Face is a font. It is safe for concurrent use.
type Face struct {
	Name       string
	TrueType   bool // has TrueType outlines, otherwise CFF outlines
	FixedPitch bool
	Italic     float64 // angle in degrees
	// Metrics in thousandths of the size.
	Ascent, Descent, CapHeight int
	BBox                       [4]int

	src    io.ReaderAt
	tables map[string]tableAt
	font   *sfnt.Font
	upem   int
	glyphs int

	index       int // in the font collection
	shapingOnce sync.Once
	shapingFont *shapingfont.Font
	shapingErr  error

	mu         sync.Mutex
	buf        sfnt.Buffer
	glyphCache map[rune]sfnt.GlyphIndex
}

type tableAt struct{ offset, length uint32 }

// Limits of a font file. The largest fonts in use have about 30 MB.
const (
	maxTables    = 128
	maxGlyphs    = 1 << 16
	maxFontTable = 64 << 20
	maxKnown     = 1 << 16 // runes whose glyph is cached
)

var errNoOutlines = errors.New("has no outlines that can be embedded (TrueType or CFF)")

// fontsIn returns the offsets of the fonts in a file: one, or several in a collection.
func fontsIn(src io.ReaderAt) ([]uint32, error) {
	head := make([]byte, 12)
	if _, err := src.ReadAt(head, 0); err != nil {
		return nil, errors.New("is no font")
	}
	if string(head[:4]) != "ttcf" {
		return []uint32{0}, nil
	}
	n := binary.BigEndian.Uint32(head[8:])
	if n == 0 || n > 256 {
		return nil, errors.New("is a collection with an impossible number of fonts")
	}
	b := make([]byte, 4*n)
	if _, err := src.ReadAt(b, 12); err != nil {
		return nil, errors.New("is a collection that ends too early")
	}
	out := make([]uint32, n)
	for i := range out {
		out[i] = binary.BigEndian.Uint32(b[4*i:])
	}
	return out, nil
}

// Parse parses a font file.
func Parse(name string, data []byte) (*Face, error) { return open(name, bytes.NewReader(data), 0, 0) }

// open parses the font at an offset, which is the i-th font of its file.
func open(name string, src io.ReaderAt, i int, offset uint32) (*Face, error) {
	f := &Face{Name: name, src: src, index: i, tables: map[string]tableAt{}, glyphCache: map[rune]sfnt.GlyphIndex{}}
	head := make([]byte, 12)
	if _, err := src.ReadAt(head, int64(offset)); err != nil {
		return nil, errors.New("is no font")
	}
	n := int(binary.BigEndian.Uint16(head[4:]))
	if n == 0 || n > maxTables {
		return nil, errors.New("is no font")
	}
	dir := make([]byte, 16*n)
	if _, err := src.ReadAt(dir, int64(offset)+12); err != nil {
		return nil, errors.New("is no font")
	}
	for ; len(dir) > 0; dir = dir[16:] {
		f.tables[string(dir[:4])] = tableAt{binary.BigEndian.Uint32(dir[8:]), binary.BigEndian.Uint32(dir[12:])}
	}
	switch {
	case f.has("glyf") && f.has("loca"):
		f.TrueType = true
	case f.has("CFF "):
	default:
		return nil, errNoOutlines
	}
	if err := f.metrics(); err != nil {
		return nil, err
	}
	// The library parses the file as a collection in all cases. It reads tables lazily.
	all, err := sfnt.ParseCollectionReaderAt(src)
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	if f.font, err = all.Font(i); err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	f.glyphs = f.font.NumGlyphs()
	return f, nil
}

func (f *Face) has(tag string) bool { return f.tables[tag].length > 0 }

// table reads a table, at most the given number of bytes.
func (f *Face) table(tag string, most uint32) ([]byte, error) {
	t, ok := f.tables[tag]
	if !ok {
		return nil, fmt.Errorf("has no table %s", tag)
	}
	if t.length > maxFontTable {
		return nil, fmt.Errorf("has a table %s of %d bytes", tag, t.length)
	}
	b := make([]byte, min(t.length, most))
	if _, err := f.src.ReadAt(b, int64(t.offset)); err != nil {
		return nil, fmt.Errorf("has a table %s that ends too early", tag)
	}
	return b, nil
}

func (f *Face) metrics() error {
	head, err := f.table("head", 54)
	if err != nil || len(head) < 54 {
		return errors.New("has no table head")
	}
	f.upem = int(binary.BigEndian.Uint16(head[18:]))
	if f.upem < 16 || f.upem > 16384 {
		return errors.New("has impossible units")
	}
	for i := range f.BBox {
		f.BBox[i] = f.scale(signed(head[36+2*i:]))
	}
	hhea, err := f.table("hhea", 36)
	if err != nil || len(hhea) < 36 {
		return errors.New("has no table hhea")
	}
	f.Ascent, f.Descent = f.scale(signed(hhea[4:])), f.scale(signed(hhea[6:]))
	f.CapHeight = f.scale(f.upem * 7 / 10)
	if os2, err := f.table("OS/2", 96); err == nil && len(os2) >= 78 {
		if len(os2) >= 90 && signed(os2[88:]) > 0 {
			f.CapHeight = f.scale(signed(os2[88:]))
		}
		// Fonts with restricted embedding are refused.
		if binary.BigEndian.Uint16(os2[8:])&0xf == 2 {
			return errors.New("does not allow to be embedded")
		}
	}
	if post, err := f.table("post", 16); err == nil && len(post) >= 16 {
		f.Italic = float64(int32(binary.BigEndian.Uint32(post[4:]))) / 65536
		f.FixedPitch = binary.BigEndian.Uint32(post[12:]) != 0
	}
	return nil
}

// Subset returns a font with the given glyphs, in their order: a TrueType file, or a CFF
// table.
func (f *Face) Subset(glyphs []sfnt.GlyphIndex) ([]byte, error) {
	if f.TrueType {
		return f.subsetTrueType(glyphs)
	}
	return f.subsetCFF(glyphs)
}

func signed(b []byte) int { return int(int16(binary.BigEndian.Uint16(b))) }

// Glyph returns the glyph of a rune, or 0 if there is none.
func (f *Face) Glyph(r rune) sfnt.GlyphIndex {
	f.mu.Lock()
	defer f.mu.Unlock()
	if g, ok := f.glyphCache[r]; ok {
		return g
	}
	g, err := f.font.GlyphIndex(&f.buf, r)
	if err != nil || int(g) >= f.glyphs {
		g = 0
	}
	if len(f.glyphCache) < maxKnown {
		f.glyphCache[r] = g
	}
	return g
}

// Advance returns the width of a glyph in thousandths of the size.
func (f *Face) Advance(g sfnt.GlyphIndex) float64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	w, err := f.font.GlyphAdvance(&f.buf, g, fixed.I(f.upem), font.HintingNone)
	if err != nil {
		return 500
	}
	return float64(w) / 64 * 1000 / float64(f.upem)
}

// scale converts font units to thousandths of the size.
func (f *Face) scale(units int) int { return units * 1000 / f.upem }

// PostScriptName returns the PostScript name of the font, reduced to letters, digits and
// hyphens, and to 60 characters.
func (f *Face) PostScriptName() string {
	f.mu.Lock()
	name, err := f.font.Name(&f.buf, sfnt.NameIDPostScript)
	f.mu.Unlock()
	if err != nil || name == "" {
		name = "Font"
	}
	clean := strings.Map(func(r rune) rune {
		if r == '-' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, name)
	return clean[:min(len(clean), 60)]
}

// Shaping returns the font for text shaping. Its tables are parsed once.
func (f *Face) Shaping() (*shapingfont.Font, error) {
	f.shapingOnce.Do(func() {
		// The library can panic on a malformed installed font. Such a font is used
		// without its shaping tables.
		defer func() {
			if r := recover(); r != nil {
				f.shapingErr = fmt.Errorf("cannot be read: %v", r)
			}
		}()
		var loaders []*ot.Loader
		if loaders, f.shapingErr = ot.NewLoaders(io.NewSectionReader(f.src, 0, maxFontFile)); f.shapingErr != nil {
			return
		}
		if f.index >= len(loaders) {
			f.shapingErr = errors.New("is not in its file")
			return
		}
		f.shapingFont, f.shapingErr = shapingfont.NewFont(loaders[f.index])
	})
	return f.shapingFont, f.shapingErr
}
