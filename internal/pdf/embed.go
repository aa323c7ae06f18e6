package pdf

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strings"
	"unicode/utf16"

	"golang.org/x/image/font/sfnt"
)

// docFont is a face in one document. Each glyph gets a code when it is first
// used, so that pages can be written before it is known what the document
// needs; the file of the font follows at the end, with those glyphs only.
type docFont struct {
	face  *face
	name  string // in the resources of pages
	ref   object
	codes map[glyphUse]uint16
	used  []glyphUse // by code
	width []float64  // by code, in thousandths
}

// glyphUse is a glyph for a text. A glyph that represents two characters has
// two codes, so that the text can be taken out again as it was.
type glyphUse struct {
	glyph sfnt.GlyphIndex
	text  string
}

// maxCodes is how many codes of two bytes there are.
const maxCodes = 1 << 16

func newDocFont(f *face, name string, ref object) *docFont {
	d := &docFont{face: f, name: name, ref: ref, codes: map[glyphUse]uint16{}}
	d.code(0, "")
	return d
}

// code returns the code of a glyph and its width. When there are no codes left,
// the text of a character is given up, then its form.
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
	d.width = append(d.width, d.face.advance(g))
	return c, d.width[c]
}

// write puts the font into the file.
func (d *docFont) write(w *writer) error {
	var file, kind, subtype string
	var data []byte
	var err error
	glyphs := make([]sfnt.GlyphIndex, len(d.used))
	for i, u := range d.used {
		glyphs[i] = u.glyph
	}
	if d.face.outl == quadratic {
		file, kind = "FontFile2", "CIDFontType2"
		data, err = d.face.subsetTrueType(glyphs)
		subtype = fmt.Sprintf("/Length1 %d", len(data))
	} else {
		file, kind, subtype = "FontFile3", "CIDFontType0", "/Subtype/CIDFontType0C"
		data, err = d.face.subsetCFF(glyphs)
	}
	if err != nil {
		return fmt.Errorf("font %s: %w", d.face.name, err)
	}
	f := d.face
	name := subsetTag(data) + "+" + f.postScriptName()
	program := w.stream(subtype, data)
	flags := 4 // characters outside of the standard set
	if f.fixed {
		flags |= 1
	}
	if f.italic != 0 {
		flags |= 64
	}
	descriptor := w.add("<</Type/FontDescriptor/FontName/%s/Flags %d/FontBBox[%d %d %d %d]/ItalicAngle %s/Ascent %d/Descent %d/CapHeight %d/StemV 80/%s %s>>",
		name, flags, f.scale(f.bbox[0]), f.scale(f.bbox[1]), f.scale(f.bbox[2]), f.scale(f.bbox[3]), num(f.italic),
		f.scale(f.ascent), f.scale(f.descent), f.scale(f.capHeight), file, program)
	identity := ""
	if f.outl == quadratic {
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

// toUnicode says which text each code represents.
func (d *docFont) toUnicode() []byte {
	var b strings.Builder
	b.WriteString("/CIDInit/ProcSet findresource begin\n12 dict begin\nbegincmap\n/CIDSystemInfo<</Registry(Adobe)/Ordering(UCS)/Supplement 0>>def\n" +
		"/CMapName/Adobe-Identity-UCS def\n/CMapType 2 def\n1 begincodespacerange\n<0000><FFFF>\nendcodespacerange\n")
	const most = 100 // in one list
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

// subsetTag is six letters that differ for different subsets.
func subsetTag(data []byte) string {
	sum := crc32.ChecksumIEEE(data)
	out := make([]byte, 6)
	for i := range out {
		out[i] = byte('A' + sum%26)
		sum /= 26
	}
	return string(out)
}

// postScriptName is the name of a font as far as it can stand in a file.
func (f *face) postScriptName() string {
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

// subsetTrueType makes a font file of some glyphs, in their order. Glyphs
// that others are made of follow.
func (f *face) subsetTrueType(glyphs []sfnt.GlyphIndex) ([]byte, error) {
	head, err := f.table("head", 54)
	if err != nil {
		return nil, err
	}
	long := binary.BigEndian.Uint16(head[50:]) == 1
	loca, err := f.table("loca", maxFontTable)
	if err != nil {
		return nil, err
	}
	s := &trueTypeSubset{f: f, loca: loca, long: long, glyphs: glyphs, place: map[sfnt.GlyphIndex]uint16{}}
	for i, g := range glyphs {
		if _, ok := s.place[g]; !ok {
			s.place[g] = uint16(i)
		}
	}
	if err := s.outlines(); err != nil {
		return nil, err
	}
	n := len(s.glyphs)
	binary.BigEndian.PutUint16(head[50:], 1) // long offsets
	binary.BigEndian.PutUint32(head[8:], 0)  // the sum is set below
	hhea, err := f.table("hhea", 36)
	if err != nil {
		return nil, err
	}
	hmtx, err := f.table("hmtx", maxFontTable)
	if err != nil {
		return nil, err
	}
	metrics := int(binary.BigEndian.Uint16(hhea[34:]))
	binary.BigEndian.PutUint16(hhea[34:], uint16(n))
	var wide []byte
	for _, g := range s.glyphs {
		wide = append(wide, metric(hmtx, metrics, int(g))...)
	}
	maxp, err := f.table("maxp", 32)
	if err != nil || len(maxp) < 6 {
		return nil, fmt.Errorf("has no table maxp")
	}
	binary.BigEndian.PutUint16(maxp[4:], uint16(n))
	out := map[string][]byte{"head": head, "hhea": hhea, "hmtx": wide, "maxp": maxp, "loca": s.newLoca, "glyf": s.glyf}
	for _, tag := range []string{"cvt ", "fpgm", "prep"} { // instructions of glyphs call these
		if f.has(tag) {
			if out[tag], err = f.table(tag, maxFontTable); err != nil {
				return nil, err
			}
		}
	}
	return sfntFile(out), nil
}

// metric returns the four bytes of a glyph's width and side bearing. The last
// glyphs may share a width.
func metric(hmtx []byte, metrics, g int) []byte {
	if g < metrics && 4*g+4 <= len(hmtx) {
		return hmtx[4*g : 4*g+4]
	}
	out := make([]byte, 4)
	if last := 4 * (metrics - 1); metrics > 0 && last+2 <= len(hmtx) {
		copy(out, hmtx[last:last+2])
	}
	if at := 4*metrics + 2*(g-metrics); at >= 0 && at+2 <= len(hmtx) {
		copy(out[2:], hmtx[at:at+2])
	}
	return out
}

type trueTypeSubset struct {
	f       *face
	loca    []byte
	long    bool
	glyphs  []sfnt.GlyphIndex
	place   map[sfnt.GlyphIndex]uint16
	glyf    []byte
	newLoca []byte
}

func (s *trueTypeSubset) outlines() error {
	for i := 0; i < len(s.glyphs); i++ {
		s.newLoca = binary.BigEndian.AppendUint32(s.newLoca, uint32(len(s.glyf)))
		b, err := s.outline(int(s.glyphs[i]))
		if err != nil {
			return err
		}
		if len(b) >= 10 && signed(b) < 0 {
			s.components(b)
		}
		s.glyf = append(s.glyf, b...)
		for len(s.glyf)%4 != 0 {
			s.glyf = append(s.glyf, 0)
		}
	}
	s.newLoca = binary.BigEndian.AppendUint32(s.newLoca, uint32(len(s.glyf)))
	return nil
}

func (s *trueTypeSubset) outline(g int) ([]byte, error) {
	var from, to uint32
	if s.long {
		if 4*g+8 > len(s.loca) {
			return nil, nil
		}
		from, to = binary.BigEndian.Uint32(s.loca[4*g:]), binary.BigEndian.Uint32(s.loca[4*g+4:])
	} else {
		if 2*g+4 > len(s.loca) {
			return nil, nil
		}
		from, to = 2*uint32(binary.BigEndian.Uint16(s.loca[2*g:])), 2*uint32(binary.BigEndian.Uint16(s.loca[2*g+2:]))
	}
	t := s.f.tables["glyf"]
	if from >= to || to > t.length {
		return nil, nil // a glyph without an outline, such as a space
	}
	b := make([]byte, to-from)
	if _, err := s.f.src.ReadAt(b, int64(t.offset)+int64(from)); err != nil {
		return nil, fmt.Errorf("has a table glyf that ends too early")
	}
	return b, nil
}

// components renumbers the glyphs that a glyph is made of.
func (s *trueTypeSubset) components(b []byte) {
	for at := 10; at+4 <= len(b); {
		flags := binary.BigEndian.Uint16(b[at:])
		g := sfnt.GlyphIndex(binary.BigEndian.Uint16(b[at+2:]))
		place, ok := s.place[g]
		if !ok {
			if len(s.glyphs) == maxCodes-1 {
				place = 0
			} else {
				place = uint16(len(s.glyphs))
				s.place[g] = place
				s.glyphs = append(s.glyphs, g)
			}
		}
		binary.BigEndian.PutUint16(b[at+2:], place)
		at += 6
		if flags&1 != 0 { // arguments are words
			at += 2
		}
		switch {
		case flags&8 != 0:
			at += 2
		case flags&0x40 != 0:
			at += 4
		case flags&0x80 != 0:
			at += 8
		}
		if flags&0x20 == 0 {
			return
		}
	}
}

// sfntFile puts tables together.
func sfntFile(tables map[string][]byte) []byte {
	tags := make([]string, 0, len(tables))
	for _, tag := range []string{"OS/2", "cmap", "cvt ", "fpgm", "glyf", "head", "hhea", "hmtx", "loca", "maxp", "name", "post", "prep"} {
		if _, ok := tables[tag]; ok {
			tags = append(tags, tag)
		}
	}
	n := len(tags)
	power, log := 1, 0
	for power*2 <= n {
		power, log = power*2, log+1
	}
	out := []byte{0, 1, 0, 0}
	for _, v := range []int{n, power * 16, log, (n - power) * 16} {
		out = binary.BigEndian.AppendUint16(out, uint16(v))
	}
	at := 12 + 16*n
	headAt := 0
	for _, tag := range tags {
		if tag == "head" {
			headAt = at
		}
		b := tables[tag]
		out = append(out, tag...)
		out = binary.BigEndian.AppendUint32(out, tableSum(b))
		out = binary.BigEndian.AppendUint32(out, uint32(at))
		out = binary.BigEndian.AppendUint32(out, uint32(len(b)))
		at += (len(b) + 3) &^ 3
	}
	for _, tag := range tags {
		out = append(out, tables[tag]...)
		for len(out)%4 != 0 {
			out = append(out, 0)
		}
	}
	const magic = 0xB1B0AFBA
	binary.BigEndian.PutUint32(out[headAt+8:], magic-tableSum(out))
	return out
}

func tableSum(b []byte) uint32 {
	var sum uint32
	for ; len(b) >= 4; b = b[4:] {
		sum += binary.BigEndian.Uint32(b)
	}
	var rest [4]byte
	copy(rest[:], b)
	return sum + binary.BigEndian.Uint32(rest[:])
}
