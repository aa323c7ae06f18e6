package pdf

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"io"
)

// A PNG is decoded row by row, because a screenshot of a large display with 16 bits per
// channel needs 130 MB in memory. Interlaced PNGs are excluded: their rows are not in
// order.

// pngReader decodes the rows of a PNG.
type pngReader struct {
	r       *bufio.Reader
	w, h    int
	depth   int
	kind    byte // colour type
	laced   bool
	palette [256][4]byte
	clear   []byte // the transparent colour (tRNS)
	left    uint32 // remaining bytes of the current IDAT chunk
	z       io.ReadCloser
	row     []byte
	before  []byte
	size    int // bytes of a pixel, at least 1
}

const (
	pngGray      = 0
	pngColor     = 2
	pngPalette   = 3
	pngGrayAlpha = 4
	pngAlpha     = 6
)

var (
	errPNG    = errors.New("no PNG that can be read row by row")
	pngHead   = "\x89PNG\r\n\x1a\n"
	pngChanns = map[byte]int{pngGray: 1, pngColor: 3, pngPalette: 1, pngGrayAlpha: 2, pngAlpha: 4}
)

// maxPNGSide is the maximum width and height of a picture.
const maxPNGSide = 1 << 16

// openPNG reads the chunks before the pixels.
func openPNG(r io.Reader) (*pngReader, error) {
	p := &pngReader{r: bufio.NewReader(r)}
	head := make([]byte, 8+8+13+4)
	if _, err := io.ReadFull(p.r, head); err != nil || string(head[:8]) != pngHead || string(head[12:16]) != "IHDR" {
		return nil, errPNG
	}
	ihdr := head[16:]
	p.w, p.h = int(binary.BigEndian.Uint32(ihdr)), int(binary.BigEndian.Uint32(ihdr[4:]))
	p.depth, p.kind, p.laced = int(ihdr[8]), ihdr[9], ihdr[12] != 0
	channels, ok := pngChanns[p.kind]
	if !ok || p.w < 1 || p.h < 1 || p.w > maxPNGSide || p.h > maxPNGSide {
		return nil, errPNG
	}
	switch p.depth {
	case 8:
	case 16:
		ok = p.kind != pngPalette
	case 1, 2, 4:
		ok = p.kind == pngGray || p.kind == pngPalette
	default:
		ok = false
	}
	if !ok || ihdr[10] != 0 || ihdr[11] != 0 {
		return nil, errPNG
	}
	bits := channels * p.depth
	p.size = max(1, bits/8)
	n := 1 + (p.w*bits+7)/8
	p.row, p.before = make([]byte, n), make([]byte, n)
	return p, p.chunks()
}

// chunks reads chunks up to the first IDAT.
func (p *pngReader) chunks() error {
	for range 1000 {
		head := make([]byte, 8)
		if _, err := io.ReadFull(p.r, head); err != nil {
			return errPNG
		}
		n := binary.BigEndian.Uint32(head)
		switch string(head[4:]) {
		case "IDAT":
			p.left = n
			z, err := zlib.NewReader(&pixelChunks{p})
			p.z = z
			return err
		case "PLTE", "tRNS":
			if n > 3*256 {
				return errPNG
			}
			b := make([]byte, n)
			if _, err := io.ReadFull(p.r, b); err != nil {
				return errPNG
			}
			p.colors(string(head[4:]), b)
			n = 0
		case "IEND":
			return errPNG
		}
		if _, err := io.CopyN(io.Discard, p.r, int64(n)+4); err != nil {
			return errPNG
		}
	}
	return errPNG
}

func (p *pngReader) colors(chunk string, b []byte) {
	switch {
	case chunk == "PLTE":
		for i := 0; i+2 < len(b); i += 3 {
			p.palette[i/3] = [4]byte{b[i], b[i+1], b[i+2], 255}
		}
	case p.kind == pngPalette:
		for i, a := range b[:min(len(b), 256)] {
			p.palette[i][3] = a
		}
	default:
		p.clear = bytes.Clone(b)
	}
}

// pixelChunks reads the concatenated content of the IDAT chunks.
type pixelChunks struct{ p *pngReader }

func (c *pixelChunks) Read(b []byte) (int, error) {
	p := c.p
	for p.left == 0 {
		head := make([]byte, 12) // CRC of the previous chunk, length and type of the next
		if _, err := io.ReadFull(p.r, head); err != nil {
			return 0, io.ErrUnexpectedEOF
		}
		if string(head[8:]) != "IDAT" {
			return 0, io.ErrUnexpectedEOF
		}
		p.left = binary.BigEndian.Uint32(head[4:])
	}
	n, err := p.r.Read(b[:min(len(b), int(p.left))])
	p.left -= uint32(n)
	return n, err
}

// next decodes a row to RGBA with one byte per channel.
func (p *pngReader) next(out []byte) error {
	p.row, p.before = p.before, p.row
	if _, err := io.ReadFull(p.z, p.row); err != nil {
		return err
	}
	if !unfilter(p.row[0], p.row[1:], p.before[1:], p.size) {
		return errPNG
	}
	row := p.row[1:]
	for x := range p.w {
		p.pixel(row, x, out[4*x:4*x+4:4*x+4])
	}
	return nil
}

// pixel decodes one pixel of a row.
func (p *pngReader) pixel(row []byte, x int, out []byte) {
	wide := p.depth / 8 // bytes of a channel; 0 if it has less than 8 bits
	at := x * p.size
	out[3] = 255
	switch p.kind {
	case pngGray, pngPalette:
		v := int(row[x*p.depth/8])
		if wide == 0 {
			v = v >> (8 - p.depth - x*p.depth%8) & (1<<p.depth - 1)
		}
		if p.kind == pngPalette {
			copy(out, p.palette[v][:])
			return
		}
		if p.isClear(row, at, v) {
			out[3] = 0
		}
		if wide == 0 {
			v = v * 255 / (1<<p.depth - 1)
		}
		out[0], out[1], out[2] = byte(v), byte(v), byte(v)
	case pngColor:
		out[0], out[1], out[2] = row[at], row[at+wide], row[at+2*wide]
		if p.isClear(row, at, 0) {
			out[3] = 0
		}
	case pngGrayAlpha:
		out[0], out[1], out[2], out[3] = row[at], row[at], row[at], row[at+wide]
	case pngAlpha:
		out[0], out[1], out[2], out[3] = row[at], row[at+wide], row[at+2*wide], row[at+3*wide]
	}
}

// isClear reports whether a pixel has the transparent colour, which has two bytes per
// channel. small is the value of a gray pixel with less than 8 bits.
func (p *pngReader) isClear(row []byte, at, small int) bool {
	if len(p.clear) < 2 {
		return false
	}
	if p.depth < 8 {
		return int(p.clear[1]) == small
	}
	if p.depth == 16 {
		return bytes.Equal(row[at:at+p.size], p.clear[:min(len(p.clear), p.size)])
	}
	for i := range p.size {
		if 2*i+1 >= len(p.clear) || row[at+i] != p.clear[2*i+1] {
			return false
		}
	}
	return true
}

// unfilter reverses the filter of a row. It reports false for an unknown filter.
func unfilter(kind byte, row, before []byte, size int) bool {
	switch kind {
	case 0:
	case 1:
		for i := size; i < len(row); i++ {
			row[i] += row[i-size]
		}
	case 2:
		for i := range row {
			row[i] += before[i]
		}
	case 3:
		for i := range row {
			left := 0
			if i >= size {
				left = int(row[i-size])
			}
			row[i] += byte((left + int(before[i])) / 2)
		}
	case 4:
		for i := range row {
			var left, corner int
			if i >= size {
				left, corner = int(row[i-size]), int(before[i-size])
			}
			row[i] += paeth(left, int(before[i]), corner)
		}
	default:
		return false
	}
	return true
}

// paeth returns the neighbour that is nearest to left + up - corner.
func paeth(left, up, corner int) byte {
	a, b := up-corner, left-corner
	c := a + b
	a, b, c = max(a, -a), max(b, -b), max(c, -c)
	switch {
	case a <= b && a <= c:
		return byte(left)
	case b <= c:
		return byte(up)
	}
	return byte(corner)
}
