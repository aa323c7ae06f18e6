package typeface

import (
	"encoding/binary"
	"fmt"

	"golang.org/x/image/font/sfnt"
)

// subsetTrueType returns a font file with the given glyphs, in their order. Components of
// composite glyphs are appended.
func (f *Face) subsetTrueType(glyphs []sfnt.GlyphIndex) ([]byte, error) {
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
	binary.BigEndian.PutUint32(head[8:], 0)  // the checksum is set below
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
	for _, tag := range []string{"cvt ", "fpgm", "prep"} { // glyph instructions use these tables
		if f.has(tag) {
			if out[tag], err = f.table(tag, maxFontTable); err != nil {
				return nil, err
			}
		}
	}
	return sfntFile(out), nil
}

// metric returns the four bytes of a glyph's advance width and side bearing. The last
// glyphs can share a width.
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
	f       *Face
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
		return nil, nil // a glyph without outline, such as a space
	}
	b := make([]byte, to-from)
	if _, err := s.f.src.ReadAt(b, int64(t.offset)+int64(from)); err != nil {
		return nil, fmt.Errorf("has a table glyf that ends too early")
	}
	return b, nil
}

// components renumbers the components of a composite glyph, and adds missing ones to the
// subset.
func (s *trueTypeSubset) components(b []byte) {
	for at := 10; at+4 <= len(b); {
		flags := binary.BigEndian.Uint16(b[at:])
		g := sfnt.GlyphIndex(binary.BigEndian.Uint16(b[at+2:]))
		place, ok := s.place[g]
		if !ok {
			if len(s.glyphs) == maxGlyphs-1 {
				place = 0
			} else {
				place = uint16(len(s.glyphs))
				s.place[g] = place
				s.glyphs = append(s.glyphs, g)
			}
		}
		binary.BigEndian.PutUint16(b[at+2:], place)
		at += 6
		if flags&1 != 0 { // arguments are 16-bit words
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

// sfntFile assembles a font file from tables.
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
