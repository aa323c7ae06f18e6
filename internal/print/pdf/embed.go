package pdf

import (
	"fmt"
	"hash/crc32"
	"strings"
	"unicode/utf16"

	"github.com/octavo-docs/octavo/internal/print/typeface"
	"golang.org/x/image/font/sfnt"
)

// docFont is a font in one document. Each glyph gets a code when it is first used, so
// that pages can be written before all used glyphs are known. The font file is written at
// the end and has only the used glyphs.
type docFont struct {
	face  *typeface.Face
	name  string // resource name on pages
	ref   object
	codes map[glyphUse]uint16
	used  []glyphUse // by code
	width []float64  // by code, in thousandths of the size
}

// glyphUse is a glyph with the text that it represents. A glyph that represents two
// different texts has two codes, so that text can be extracted exactly.
type glyphUse struct {
	glyph sfnt.GlyphIndex
	text  string
}

// maxCodes is the number of codes of two bytes.
const maxCodes = 1 << 16

func newDocFont(f *typeface.Face, name string, ref object) *docFont {
	d := &docFont{face: f, name: name, ref: ref, codes: map[glyphUse]uint16{}}
	d.code(0, "")
	return d
}

// code returns the code of a glyph for a text, and its width. When all codes are used, it
// returns code 0, the box for missing glyphs.
func (d *docFont) code(g sfnt.GlyphIndex, text string) (uint16, float64) {
	use := glyphUse{g, text}
	if c, ok := d.codes[use]; ok {
		return c, d.width[c]
	}
	if len(d.used) == maxCodes {
		return 0, d.width[0]
	}
	c := uint16(len(d.used))
	d.codes[use] = c
	d.used = append(d.used, use)
	d.width = append(d.width, d.face.Advance(g))
	return c, d.width[c]
}

// write writes the font and its descriptors to the file.
func (d *docFont) write(w *writer) error {
	glyphs := make([]sfnt.GlyphIndex, len(d.used))
	for i, u := range d.used {
		glyphs[i] = u.glyph
	}
	f := d.face
	data, err := f.Subset(glyphs)
	if err != nil {
		return fmt.Errorf("font %s: %w", f.Name, err)
	}
	file, kind, subtype := "FontFile3", "CIDFontType0", "/Subtype/CIDFontType0C"
	if f.TrueType {
		file, kind, subtype = "FontFile2", "CIDFontType2", fmt.Sprintf("/Length1 %d", len(data))
	}
	name := subsetTag(data) + "+" + f.PostScriptName()
	program := w.stream(subtype, data)
	flags := 4 // symbolic: has characters outside of the standard set
	if f.FixedPitch {
		flags |= 1
	}
	if f.Italic != 0 {
		flags |= 64
	}
	descriptor := w.add("<</Type/FontDescriptor/FontName/%s/Flags %d/FontBBox[%d %d %d %d]/ItalicAngle %s/Ascent %d/Descent %d/CapHeight %d/StemV 80/%s %s>>",
		name, flags, f.BBox[0], f.BBox[1], f.BBox[2], f.BBox[3], num(f.Italic),
		f.Ascent, f.Descent, f.CapHeight, file, program)
	identity := ""
	if f.TrueType {
		identity = "/CIDToGIDMap/Identity"
	}
	descendant := w.add("<</Type/Font/Subtype/%s/BaseFont/%s/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/FontDescriptor %s/DW 1000/W[0[%s]]%s>>",
		kind, name, descriptor, d.widths(), identity)
	unicode := w.stream("", d.toUnicode())
	w.put(d.ref, "<</Type/Font/Subtype/Type0/BaseFont/%s/Encoding/Identity-H/DescendantFonts[%s]/ToUnicode %s>>", name, descendant, unicode)
	return nil
}

func (d *docFont) widths() string {
	out := make([]byte, 0, 5*len(d.width))
	for i, w := range d.width {
		if i > 0 {
			out = append(out, ' ')
		}
		out = appendNum(out, w)
	}
	return string(out)
}

// toUnicode returns the CMap from codes to text.
func (d *docFont) toUnicode() []byte {
	var b strings.Builder
	b.WriteString("/CIDInit/ProcSet findresource begin\n12 dict begin\nbegincmap\n/CIDSystemInfo<</Registry(Adobe)/Ordering(UCS)/Supplement 0>>def\n" +
		"/CMapName/Adobe-Identity-UCS def\n/CMapType 2 def\n1 begincodespacerange\n<0000><FFFF>\nendcodespacerange\n")
	const most = 100 // entries per bfchar section
	var lines []string
	flush := func() {
		if len(lines) > 0 {
			fmt.Fprintf(&b, "%d beginbfchar\n%sendbfchar\n", len(lines), strings.Join(lines, ""))
			lines = lines[:0]
		}
	}
	for c, u := range d.used {
		if u.text == "" {
			continue
		}
		line := fmt.Sprintf("<%04X><", c)
		for _, unit := range utf16.Encode([]rune(u.text)) {
			line += fmt.Sprintf("%04X", unit)
		}
		if lines = append(lines, line+">\n"); len(lines) == most {
			flush()
		}
	}
	flush()
	b.WriteString("endcmap\nCMapName currentdict/CMap defineresource pop\nend\nend\n")
	return []byte(b.String())
}

// subsetTag returns the tag of six letters for the font name, derived from the data of
// the subset.
func subsetTag(data []byte) string {
	sum := crc32.ChecksumIEEE(data)
	out := make([]byte, 6)
	for i := range out {
		out[i] = byte('A' + sum%26)
		sum /= 26
	}
	return string(out)
}
