package pdf

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	shapingfont "github.com/go-text/typesetting/font"
	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// face is a font that glyphs can be taken from. It is safe for use by many at
// once.
type face struct {
	name   string
	src    io.ReaderAt
	tables map[string]tableAt
	font   *sfnt.Font
	outl   outlines
	upem   int
	glyphs int

	ascent, descent, capHeight int // in units of the font
	bbox                       [4]int
	italic                     float64
	fixed                      bool

	index       int // in its file
	shapingOnce sync.Once
	shapingFont *shapingfont.Font
	shapingErr  error

	mu     sync.Mutex
	buf    sfnt.Buffer
	indexs map[rune]sfnt.GlyphIndex
}

// outlines are how a font draws its glyphs.
type outlines uint8

const (
	quadratic outlines = iota + 1 // TrueType
	cubic                         // CFF
)

type tableAt struct{ offset, length uint32 }

// Limits of a font file. The largest that are in use have some 30 MB.
const (
	maxTables    = 128
	maxFontTable = 64 << 20
	maxKnown     = 1 << 16 // runes whose glyph is remembered
)

var errNoOutlines = errors.New("has no outlines that can be embedded (TrueType or CFF)")

// fontsIn returns the places in a file where fonts begin: one, or several in a
// collection.
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

// openFace reads the font that begins at an offset, the i-th of its file.
func openFace(name string, src io.ReaderAt, i int, offset uint32) (*face, error) {
	f := &face{name: name, src: src, index: i, tables: map[string]tableAt{}, indexs: map[rune]sfnt.GlyphIndex{}}
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
		f.outl = quadratic
	case f.has("CFF "):
		f.outl = cubic
	default:
		return nil, errNoOutlines
	}
	if err := f.metrics(); err != nil {
		return nil, err
	}
	// Collections are parsed by the library too: it reads tables lazily.
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

func (f *face) has(tag string) bool { return f.tables[tag].length > 0 }

// table reads a table as a whole, at most so many bytes of it.
func (f *face) table(tag string, most uint32) ([]byte, error) {
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

func (f *face) metrics() error {
	head, err := f.table("head", 54)
	if err != nil || len(head) < 54 {
		return errors.New("has no table head")
	}
	f.upem = int(binary.BigEndian.Uint16(head[18:]))
	if f.upem < 16 || f.upem > 16384 {
		return errors.New("has impossible units")
	}
	for i := range f.bbox {
		f.bbox[i] = signed(head[36+2*i:])
	}
	hhea, err := f.table("hhea", 36)
	if err != nil || len(hhea) < 36 {
		return errors.New("has no table hhea")
	}
	f.ascent, f.descent = signed(hhea[4:]), signed(hhea[6:])
	f.capHeight = f.upem * 7 / 10
	if os2, err := f.table("OS/2", 96); err == nil && len(os2) >= 78 {
		if len(os2) >= 90 && signed(os2[88:]) > 0 {
			f.capHeight = signed(os2[88:])
		}
		// A font that says that it must not be embedded is not.
		if binary.BigEndian.Uint16(os2[8:])&0xf == 2 {
			return errors.New("does not allow to be embedded")
		}
	}
	if post, err := f.table("post", 16); err == nil && len(post) >= 16 {
		f.italic = float64(int32(binary.BigEndian.Uint32(post[4:]))) / 65536
		f.fixed = binary.BigEndian.Uint32(post[12:]) != 0
	}
	return nil
}

func signed(b []byte) int { return int(int16(binary.BigEndian.Uint16(b))) }

// glyph returns the glyph of a rune, 0 for none.
func (f *face) glyph(r rune) sfnt.GlyphIndex {
	f.mu.Lock()
	defer f.mu.Unlock()
	if g, ok := f.indexs[r]; ok {
		return g
	}
	g, err := f.font.GlyphIndex(&f.buf, r)
	if err != nil || int(g) >= f.glyphs {
		g = 0
	}
	if len(f.indexs) < maxKnown {
		f.indexs[r] = g
	}
	return g
}

// advance returns the width of a glyph in thousandths of the size.
func (f *face) advance(g sfnt.GlyphIndex) float64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	w, err := f.font.GlyphAdvance(&f.buf, g, fixed.I(f.upem), font.HintingNone)
	if err != nil {
		return 500
	}
	return float64(w) / 64 * 1000 / float64(f.upem)
}

// scale turns units of the font into thousandths of the size.
func (f *face) scale(units int) int { return units * 1000 / f.upem }
