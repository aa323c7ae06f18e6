package pictures

import (
	"bytes"
	"encoding/binary"
	"io"

	"github.com/octavo-docs/octavo/internal/blob"
)

// head is what the beginning of a file tells of a picture.
type head struct {
	kind          string // such as image/png; empty if the picture cannot be made smaller
	width, height int    // of the stored pixels
	orientation   int    // by the numbers of EXIF
	bytes         float64
}

const (
	// headBytes is the largest head that is read. Cameras put small pictures before the frame.
	headBytes = 1 << 20
	signature = "\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR"
)

// readHead reads the head of a picture. Whatever is not a picture that can be made smaller has no
// kind. The error is one of r.
func readHead(r io.ReaderAt, size int64) (head, error) {
	in := &source{r: io.NewSectionReader(r, 0, min(size, headBytes))}
	h := head{orientation: 1}
	first := make([]byte, pngHead)
	n, _ := io.ReadFull(in, first)
	first = first[:n]
	switch {
	case n == pngHead && bytes.HasPrefix(first, []byte(signature)):
		h.png(first[16:])
	case n >= 30 && string(first[:4]) == "RIFF" && string(first[8:12]) == "WEBP":
		h.webp(first[12:])
	case n > 2 && first[0] == 0xff && first[1] == 0xd8:
		h.jpeg(io.MultiReader(bytes.NewReader(first), in))
	}
	return h, in.err
}

// source remembers the first error of a reader.
type source struct {
	r   io.Reader
	err error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != nil && err != io.EOF && s.err == nil {
		s.err = err
	}
	return n, err
}

// png reads the body of the first chunk.
func (h *head) png(b []byte) {
	h.kind, h.width, h.height = "image/png", int(binary.BigEndian.Uint32(b)), int(binary.BigEndian.Uint32(b[4:]))
	depth, colours, interlaced := b[8], b[9], b[12] == 1
	switch {
	case depth == 16:
		h.bytes = 8
	case colours == 3: // a palette
		h.bytes = 1
	default: // gray has four values, too, if it is transparent
		h.bytes = 4
	}
	if interlaced { // each pass is a picture besides the whole one
		h.bytes *= 2
	}
}

// webp reads the first chunk.
func (h *head) webp(b []byte) {
	le24 := func(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }
	body := b[8:]
	switch string(b[:4]) {
	case "VP8 ":
		h.width, h.height = int(binary.LittleEndian.Uint16(body[6:]))&0x3fff, int(binary.LittleEndian.Uint16(body[8:]))&0x3fff
	case "VP8L":
		bits := binary.LittleEndian.Uint32(body[1:])
		h.width, h.height = int(bits&0x3fff)+1, int(bits>>14&0x3fff)+1
	case "VP8X":
		const animated = 2
		if body[0]&animated != 0 {
			return
		}
		h.width, h.height = le24(body[4:])+1, le24(body[7:])+1
	default:
		return
	}
	h.kind, h.bytes = "image/webp", 8 // lossless ones are decoded into a copy
}

func (h *head) jpeg(r io.Reader) {
	j, err := blob.ReadJPEG(r)
	if err != nil || j.Components == 2 || j.Components == 4 { // colours for print need a profile
		return
	}
	h.kind, h.width, h.height, h.orientation = "image/jpeg", j.Width, j.Height, j.Orientation
	h.bytes = j.Samples
	if j.Progressive { // all coefficients are in memory until the last scan
		h.bytes += 4 * j.Samples
	}
}

// size returns the size of the picture with a width, as it is shown.
func (h head) size(width int) (w, height int) {
	w, height = h.width, h.height
	if h.orientation >= 5 {
		w, height = height, w
	}
	return width, max(1, (height*width+w/2)/w)
}

// usable reports whether the picture can be made smaller, to a width.
func (h head) usable(width int) bool {
	shown := h.width
	if h.orientation >= 5 {
		shown = h.height
	}
	return h.kind != "" && h.width > 0 && h.height > 0 && int64(h.width)*int64(h.height) <= maxPixels && width <= shown
}

// memory returns how many bytes making the picture smaller takes, without the file. When the result
// is written, the original is no longer needed.
func (h head) memory(width int) int64 {
	w, height := h.size(width)
	result := int64(w) * int64(height)
	written := 4 * result
	if result <= maxWebP && h.kind != "image/jpeg" {
		written = webpBytes * result
	}
	const copies = 4 * 2 // the result, and turned
	return max(int64(h.bytes*float64(h.width)*float64(h.height)), written) + copies*result
}
