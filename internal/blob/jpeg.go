package blob

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"io"
)

// JPEGHead is what precedes the pixels of a JPEG file.
type JPEGHead struct {
	Width, Height int // of the stored pixels
	// Orientation says how the stored pixels are shown, by the numbers of EXIF: 1 is as they are,
	// from 5 on rows are columns.
	Orientation int
	Components  int // colour channels: 1, 3 or 4
	// Samples is the number of stored values for each pixel. Most cameras store colours for four
	// pixels together, which makes 1.5.
	Samples     float64
	Progressive bool
}

var errJPEG = errors.New("not the header of a JPEG image")

// Markers of JPEG.
const (
	jpegStart   = 0xd8
	jpegScan    = 0xda
	jpegApp1    = 0xe1
	orientation = 0x0112 // the tag of EXIF
)

// ReadJPEG reads the head of a JPEG file.
func ReadJPEG(r io.Reader) (JPEGHead, error) {
	h := JPEGHead{Orientation: 1}
	in := bufio.NewReader(r)
	if first, err := in.Peek(2); err != nil || first[0] != 0xff || first[1] != jpegStart {
		return h, errJPEG
	}
	_, _ = in.Discard(2)
	for {
		marker, size, err := nextSegment(in)
		switch {
		case err != nil:
			return h, err
		case marker == jpegScan:
			return h, errJPEG // the frame must come before
		case marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc:
			h.Progressive = marker != 0xc0 && marker != 0xc1
			return h, h.readFrame(in, size)
		case marker == jpegApp1 && h.Orientation == 1:
			data := make([]byte, size)
			if _, err := io.ReadFull(in, data); err != nil {
				return h, errJPEG
			}
			h.Orientation = exifOrientation(data)
		default:
			if _, err := in.Discard(size); err != nil {
				return h, errJPEG
			}
		}
	}
}

// nextSegment reads the marker and the size of the next segment.
func nextSegment(in *bufio.Reader) (marker byte, size int, err error) {
	b, err := in.ReadByte()
	for ; err == nil && b != 0xff; b, err = in.ReadByte() { // some programs leave bytes between segments
	}
	for ; err == nil && b == 0xff; b, err = in.ReadByte() {
	}
	if err != nil {
		return 0, 0, errJPEG
	}
	if b == 0 || b == 1 || b >= 0xd0 && b <= jpegStart { // these have no content
		return b, 0, nil
	}
	var n [2]byte
	if _, err := io.ReadFull(in, n[:]); err != nil || binary.BigEndian.Uint16(n[:]) < 2 {
		return 0, 0, errJPEG
	}
	return b, int(binary.BigEndian.Uint16(n[:])) - 2, nil
}

func (h *JPEGHead) readFrame(in io.Reader, size int) error {
	const fixed, each = 6, 3
	data := make([]byte, size)
	if _, err := io.ReadFull(in, data); err != nil || size < fixed {
		return errJPEG
	}
	h.Height, h.Width = int(binary.BigEndian.Uint16(data[1:])), int(binary.BigEndian.Uint16(data[3:]))
	h.Components = int(data[5])
	if h.Components < 1 || h.Components > 4 || size != fixed+each*h.Components {
		return errJPEG
	}
	most, sum := 0, 0
	for i := range h.Components {
		s := int(data[fixed+each*i+1])
		across, down := s>>4, s&15
		if across < 1 || across > 4 || down < 1 || down > 4 {
			return errJPEG
		}
		most, sum = max(most, across*down), sum+across*down
	}
	h.Samples = float64(sum) / float64(most)
	return nil
}

// exifOrientation returns the orientation of EXIF data, or 1 if it has none.
func exifOrientation(data []byte) int {
	const entry = 12
	data, ok := bytes.CutPrefix(data, []byte("Exif\x00\x00"))
	if !ok || len(data) < 8 {
		return 1
	}
	var order binary.ByteOrder = binary.BigEndian
	if data[0] == 'I' {
		order = binary.LittleEndian
	}
	at := int64(order.Uint32(data[4:]))
	if at+2 > int64(len(data)) {
		return 1
	}
	list := data[at+2:]
	for range order.Uint16(data[at:]) {
		if len(list) < entry {
			return 1
		}
		if order.Uint16(list) == orientation {
			if n := int(order.Uint16(list[8:])); n >= 1 && n <= 8 {
				return n
			}
			return 1
		}
		list = list[entry:]
	}
	return 1
}

// jpegSize returns the size of a JPEG image as it is shown.
func jpegSize(r io.Reader) (c image.Config, err error) {
	h, err := ReadJPEG(r)
	c.Width, c.Height = h.Width, h.Height
	if h.Orientation >= 5 {
		c.Width, c.Height = h.Height, h.Width
	}
	return c, err
}
