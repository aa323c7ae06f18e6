package typeface

import (
	"encoding/binary"
	"errors"

	"golang.org/x/image/font/sfnt"
)

// Fonts with cubic outlines have them in a CFF table. A subset is always written as a new
// CID-keyed table, because that format needs the fewest other tables.

var errCFF = errors.New("has a table CFF that cannot be read")

// Operators of dictionaries. Two-byte operators have 12 as their first byte.
const (
	opFontBBox    = 5
	opCharset     = 15
	opCharStrings = 17
	opPrivate     = 18
	opSubrs       = 19
	opFontMatrix  = 12<<8 | 7
	opROS         = 12<<8 | 30
	opCIDCount    = 12<<8 | 34
	opFDArray     = 12<<8 | 36
	opFDSelect    = 12<<8 | 37
)

// cffEntry is an entry of a dictionary with its encoded operands.
type cffEntry struct {
	op       int
	raw      []byte
	operands []int // integers; other operands are 0
}

type cffDict []cffEntry

func (d cffDict) get(op int) (cffEntry, bool) {
	for _, e := range d {
		if e.op == op {
			return e, true
		}
	}
	return cffEntry{}, false
}

// offset returns the last operand of an entry.
func (d cffDict) offset(op int) (int, bool) {
	e, ok := d.get(op)
	if !ok || len(e.operands) == 0 {
		return 0, false
	}
	return e.operands[len(e.operands)-1], true
}

func readDict(b []byte) (cffDict, error) {
	var out cffDict
	var e cffEntry
	start := 0
	for i := 0; i < len(b); {
		c := b[i]
		switch {
		case c <= 21:
			e.op = int(c)
			e.raw = b[start:i]
			if i++; c == 12 {
				if i >= len(b) {
					return nil, errCFF
				}
				e.op = 12<<8 | int(b[i])
				i++
			}
			out = append(out, e)
			e, start = cffEntry{}, i
		case c == 28 && i+3 <= len(b):
			e.operands = append(e.operands, signed(b[i+1:]))
			i += 3
		case c == 29 && i+5 <= len(b):
			e.operands = append(e.operands, int(int32(binary.BigEndian.Uint32(b[i+1:]))))
			i += 5
		case c == 30: // a real number, in nibbles
			for i++; i < len(b) && b[i]&15 != 15 && b[i]>>4 != 15; i++ {
			}
			i++
			e.operands = append(e.operands, 0)
		case c >= 32 && c <= 246:
			e.operands = append(e.operands, int(c)-139)
			i++
		case c >= 247 && c <= 254 && i+2 <= len(b):
			n := (int(c)-247)*256 + int(b[i+1]) + 108
			if c >= 251 {
				n = -(int(c)-251)*256 - int(b[i+1]) - 108
			}
			e.operands = append(e.operands, n)
			i += 2
		default:
			return nil, errCFF
		}
	}
	return out, nil
}

// cffIndex is a list of byte strings in the table; end is the offset after it.
type cffIndex struct {
	offsets []int // absolute, one more than strings
	data    []byte
	from    int
	end     int
}

func readIndex(b []byte, at int) (cffIndex, error) {
	x := cffIndex{data: b, from: at}
	if at < 0 || at+2 > len(b) {
		return x, errCFF
	}
	n := int(binary.BigEndian.Uint16(b[at:]))
	if n == 0 {
		x.end = at + 2
		return x, nil
	}
	if at+3 > len(b) {
		return x, errCFF
	}
	size := int(b[at+2])
	first := at + 3
	base := first + size*(n+1) - 1
	if size < 1 || size > 4 || base+1 > len(b) {
		return x, errCFF
	}
	last := 1
	for i := range n + 1 {
		v := 0
		for k := range size {
			v = v<<8 | int(b[first+size*i+k])
		}
		if v < last || base+v > len(b) {
			return x, errCFF
		}
		last = v
		x.offsets = append(x.offsets, base+v)
	}
	x.end = base + last
	return x, nil
}

func (x cffIndex) len() int { return max(0, len(x.offsets)-1) }

func (x cffIndex) at(i int) []byte { return x.data[x.offsets[i]:x.offsets[i+1]] }

func (x cffIndex) raw() []byte { return x.data[x.from:x.end] }

// appendIndex appends an index.
func appendIndex(out []byte, items [][]byte) []byte {
	out = binary.BigEndian.AppendUint16(out, uint16(len(items)))
	if len(items) == 0 {
		return out
	}
	out = append(out, 4)
	at := uint32(1)
	out = binary.BigEndian.AppendUint32(out, at)
	for _, it := range items {
		at += uint32(len(it))
		out = binary.BigEndian.AppendUint32(out, at)
	}
	for _, it := range items {
		out = append(out, it...)
	}
	return out
}

// appendWide appends a number in the five-byte encoding. Its length does not depend on
// the value, so offsets can be written before the layout is known.
func appendWide(out []byte, n int) []byte {
	return binary.BigEndian.AppendUint32(append(out, 29), uint32(int32(n)))
}

func appendOp(out []byte, op int) []byte {
	if op > 255 {
		return append(out, 12, byte(op))
	}
	return append(out, byte(op))
}

// cffFont is the parts of a CFF table that a subset needs.
type cffFont struct {
	data    []byte
	top     cffDict
	global  cffIndex
	glyphs  cffIndex
	parts   []cffDict // font dictionaries (FDArray)
	partOf  func(glyph int) int
	private func(part int) (dict cffDict, subrs []byte, err error)
}

func readCFF(b []byte) (*cffFont, error) {
	if len(b) < 4 || b[0] != 1 {
		return nil, errCFF
	}
	names, err := readIndex(b, int(b[2]))
	if err != nil {
		return nil, err
	}
	tops, err := readIndex(b, names.end)
	if err != nil || tops.len() == 0 {
		return nil, errCFF
	}
	strings, err := readIndex(b, tops.end)
	if err != nil {
		return nil, err
	}
	f := &cffFont{data: b}
	if f.global, err = readIndex(b, strings.end); err != nil {
		return nil, err
	}
	if f.top, err = readDict(tops.at(0)); err != nil {
		return nil, err
	}
	at, ok := f.top.offset(opCharStrings)
	if !ok {
		return nil, errCFF
	}
	if f.glyphs, err = readIndex(b, at); err != nil {
		return nil, err
	}
	f.private = f.readPrivate
	f.parts, f.partOf = []cffDict{f.top}, func(int) int { return 0 }
	if _, byNumber := f.top.get(opROS); !byNumber {
		return f, nil
	}
	at, ok = f.top.offset(opFDArray)
	if !ok {
		return nil, errCFF
	}
	list, err := readIndex(b, at)
	if err != nil {
		return nil, err
	}
	f.parts = nil
	for i := range list.len() {
		d, err := readDict(list.at(i))
		if err != nil {
			return nil, err
		}
		f.parts = append(f.parts, d)
	}
	at, ok = f.top.offset(opFDSelect)
	if !ok || at < 0 || at >= len(b) || len(f.parts) == 0 {
		return nil, errCFF
	}
	f.partOf = fdSelect(b[at:])
	return f, nil
}

// fdSelect returns a function that returns the font dictionary of a glyph. It returns 0
// if the table is malformed.
func fdSelect(b []byte) func(int) int {
	switch {
	case len(b) > 1 && b[0] == 0:
		return func(g int) int {
			if 1+g < len(b) {
				return int(b[1+g])
			}
			return 0
		}
	case len(b) > 5 && b[0] == 3:
		n := int(binary.BigEndian.Uint16(b[1:]))
		return func(g int) int {
			for i := range n {
				at := 3 + 3*i
				if at+5 > len(b) {
					return 0
				}
				if g < int(binary.BigEndian.Uint16(b[at+3:])) {
					return int(b[at+2])
				}
			}
			return 0
		}
	}
	return func(int) int { return 0 }
}

func (f *cffFont) readPrivate(part int) (cffDict, []byte, error) {
	e, ok := f.parts[part].get(opPrivate)
	if !ok || len(e.operands) < 2 {
		return nil, nil, nil
	}
	size, at := e.operands[0], e.operands[1]
	if size < 0 || at < 0 || at+size > len(f.data) {
		return nil, nil, errCFF
	}
	d, err := readDict(f.data[at : at+size])
	if err != nil {
		return nil, nil, err
	}
	if rel, ok := d.offset(opSubrs); ok {
		x, err := readIndex(f.data, at+rel)
		if err != nil {
			return nil, nil, err
		}
		return d, x.raw(), nil
	}
	return d, nil, nil
}

// subsetCFF returns a CFF table with the given glyphs, in their order.
func (f *Face) subsetCFF(glyphs []sfnt.GlyphIndex) ([]byte, error) {
	b, err := f.table("CFF ", maxFontTable)
	if err != nil {
		return nil, err
	}
	font, err := readCFF(b)
	if err != nil {
		return nil, err
	}
	chars := make([][]byte, len(glyphs))
	selected := []byte{0}
	var parts []int // old font dictionaries by new number
	number := map[int]int{}
	for i, g := range glyphs {
		if int(g) >= font.glyphs.len() {
			return nil, errCFF
		}
		chars[i] = font.glyphs.at(int(g))
		p := font.partOf(int(g))
		if p >= len(font.parts) {
			return nil, errCFF
		}
		if _, ok := number[p]; !ok {
			number[p] = len(parts)
			parts = append(parts, p)
		}
		selected = append(selected, byte(number[p]))
	}
	return font.compose(chars, selected, parts)
}

// compose writes the table. The top dictionary has the offsets of the other parts; its
// length does not depend on them.
func (f *cffFont) compose(chars [][]byte, selected []byte, parts []int) ([]byte, error) {
	head := []byte{1, 0, 4, 4}
	head = appendIndex(head, [][]byte{[]byte("Subset")})
	top := func(charset, selects, strings, array int) []byte {
		const adobe, identity = 391, 392 // the first custom string ids
		d := appendOp(appendWide(appendWide(appendWide(nil, adobe), identity), 0), opROS)
		for _, op := range []int{opFontMatrix, opFontBBox} {
			if e, ok := f.top.get(op); ok {
				d = appendOp(append(d, e.raw...), op)
			}
		}
		d = appendOp(appendWide(d, len(chars)), opCIDCount)
		d = appendOp(appendWide(d, charset), opCharset)
		d = appendOp(appendWide(d, selects), opFDSelect)
		d = appendOp(appendWide(d, strings), opCharStrings)
		return appendOp(appendWide(d, array), opFDArray)
	}
	rest := appendIndex(nil, [][]byte{[]byte("Adobe"), []byte("Identity")})
	rest = append(rest, f.global.raw()...)
	begin := len(head) + len(appendIndex(nil, [][]byte{top(0, 0, 0, 0)}))
	charset := begin + len(rest)
	if n := len(chars); n > 1 {
		rest = append(rest, 2, 0, 1)
		rest = binary.BigEndian.AppendUint16(rest, uint16(n-2))
	} else {
		rest = append(rest, 0)
	}
	selects := begin + len(rest)
	rest = append(rest, selected...)
	strings := begin + len(rest)
	rest = appendIndex(rest, chars)
	dicts := make([][]byte, len(parts))
	for i, p := range parts {
		private, subrs, err := f.private(p)
		if err != nil {
			return nil, err
		}
		at := begin + len(rest)
		var d []byte
		for _, e := range private {
			if e.op != opSubrs {
				d = appendOp(append(d, e.raw...), e.op)
			}
		}
		if subrs != nil {
			d = appendOp(appendWide(d, len(d)+6), opSubrs) // the subroutines follow
		}
		rest = append(append(rest, d...), subrs...)
		if e, ok := f.parts[p].get(opFontMatrix); ok && len(f.parts) > 1 {
			dicts[i] = appendOp(append(dicts[i], e.raw...), opFontMatrix)
		}
		dicts[i] = appendOp(appendWide(appendWide(dicts[i], len(d)), at), opPrivate)
	}
	array := begin + len(rest)
	rest = appendIndex(rest, dicts)
	head = appendIndex(head, [][]byte{top(charset, selects, strings, array)})
	return append(head, rest...), nil
}
