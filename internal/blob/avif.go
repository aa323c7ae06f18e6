package blob

import (
	"encoding/binary"
	"errors"
	"image"
	"io"
)

// AVIF and HEIC files consist of nested boxes. The size of the image is a property of the
// primary item. Go has no decoder for these formats, but reading the size does not need
// one.

// heifBytes is the maximum size of the header that is searched. The metadata comes before
// the pixels.
const heifBytes = 64 << 10

var errHEIF = errors.New("not the header of an AVIF or HEIC image")

func heifSize(r io.Reader) (c image.Config, err error) {
	data, err := io.ReadAll(io.LimitReader(r, heifBytes))
	if err != nil {
		return c, err
	}
	meta := find(data, "meta")
	if len(meta) < 4 {
		return c, errHEIF
	}
	meta = meta[4:] // version and flags
	iprp := find(meta, "iprp")
	properties := find(iprp, "ipco")
	for _, index := range propertiesOf(primaryItem(find(meta, "pitm")), find(iprp, "ipma")) {
		kind, body := nth(properties, index)
		switch {
		case kind == "ispe" && len(body) >= 12:
			c.Width = int(binary.BigEndian.Uint32(body[4:]))
			c.Height = int(binary.BigEndian.Uint32(body[8:]))
		case kind == "irot" && len(body) >= 1 && body[0]&1 == 1: // rotated by 90 or 270 degrees
			c.Width, c.Height = c.Height, c.Width
		}
	}
	return c, nil
}

// next returns the type and the body of the first box, and the bytes after it. The type
// is empty if the box is incomplete.
func next(b []byte) (kind string, body, rest []byte) {
	if len(b) < 8 {
		return "", nil, nil
	}
	size, head := uint64(binary.BigEndian.Uint32(b)), 8
	switch {
	case size == 0: // extends to the end
		size = uint64(len(b))
	case size == 1 && len(b) >= 16:
		size, head = binary.BigEndian.Uint64(b[8:]), 16
	}
	if size < uint64(head) || size > uint64(len(b)) {
		return "", nil, nil
	}
	return string(b[4:8]), b[head:size], b[size:]
}

func find(b []byte, want string) []byte {
	for len(b) > 0 {
		var kind string
		var body []byte
		if kind, body, b = next(b); kind == want {
			return body
		}
	}
	return nil
}

// nth returns the box with the given number, counted from 1.
func nth(b []byte, n int) (kind string, body []byte) {
	for ; n > 0; n-- {
		kind, body, b = next(b)
	}
	return kind, body
}

// primaryItem returns the ID of the primary image, or 0.
func primaryItem(pitm []byte) uint32 {
	switch {
	case len(pitm) >= 6 && pitm[0] == 0:
		return uint32(binary.BigEndian.Uint16(pitm[4:]))
	case len(pitm) >= 8:
		return binary.BigEndian.Uint32(pitm[4:])
	}
	return 0
}

// propertiesOf returns the indexes of the properties of an item.
func propertiesOf(item uint32, ipma []byte) []int {
	if len(ipma) < 8 {
		return nil
	}
	wideID, wideIndex := ipma[0] >= 1, ipma[3]&1 == 1
	b := ipma[8:]
	number := func(wide bool, narrow int) int {
		n := narrow
		if wide {
			n = 2 * narrow
		}
		if len(b) < n {
			b = nil
			return 0
		}
		v := 0
		for _, c := range b[:n] {
			v = v<<8 | int(c)
		}
		b = b[n:]
		return v
	}
	for len(b) > 0 {
		id := uint32(number(wideID, 2))
		var out []int
		for range number(false, 1) {
			index := number(wideIndex, 1)
			// The highest bit marks the property as essential.
			if wideIndex {
				index &^= 1 << 15
			} else {
				index &^= 1 << 7
			}
			out = append(out, index)
		}
		if id == item {
			return out
		}
	}
	return nil
}
