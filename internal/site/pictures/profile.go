package pictures

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
	"io"
)

// A picture without a colour profile has the colours of sRGB. One with a profile, such as a picture
// of a screen with more colours, would look paler without it. So profiles are copied.

const (
	maxProfile = 60 << 10 // bytes; a segment of JPEG has 64 KB
	iccName    = "ICC_PROFILE\x00"
	pngHead    = 8 + 25 // signature and first chunk
)

// profileOf returns the colour profile of a file, or nil if it has none, or that of sRGB.
func profileOf(data []byte, kind string) []byte {
	var p []byte
	switch kind {
	case "image/png":
		p = pngProfile(data)
	case "image/jpeg":
		p = jpegProfile(data)
	case "image/webp":
		p = webpProfile(data)
	}
	// The name of a profile is text in one or two bytes for each character.
	if len(p) > maxProfile || bytes.Contains(p, []byte("sRGB")) || bytes.Contains(p, []byte("s\x00R\x00G\x00B")) {
		return nil
	}
	return p
}

func pngProfile(data []byte) []byte {
	for at := 8; at+12 <= len(data); {
		n := int(binary.BigEndian.Uint32(data[at:]))
		if n < 0 || n > len(data)-at-12 {
			return nil
		}
		switch body := data[at+8 : at+8+n]; string(data[at+4 : at+8]) {
		case "IDAT":
			return nil
		case "iCCP":
			_, packed, ok := bytes.Cut(body, []byte{0})
			if !ok || len(packed) < 1 {
				return nil
			}
			r, err := zlib.NewReader(bytes.NewReader(packed[1:])) // after the method
			if err != nil {
				return nil
			}
			p, err := io.ReadAll(io.LimitReader(r, maxProfile+1))
			if err != nil {
				return nil
			}
			return p
		}
		at += n + 12
	}
	return nil
}

// jpegProfile returns a profile in one segment, as nearly all are.
func jpegProfile(data []byte) []byte {
	for at := 2; at+4 <= len(data) && data[at] == 0xff && data[at+1] != 0xda; {
		n := int(binary.BigEndian.Uint16(data[at+2:]))
		if n < 2 || at+2+n > len(data) {
			return nil
		}
		body := data[at+4 : at+2+n]
		if p, ok := bytes.CutPrefix(body, []byte(iccName)); ok && data[at+1] == 0xe2 && len(p) > 2 && p[0] == 1 && p[1] == 1 {
			return p[2:]
		}
		at += 2 + n
	}
	return nil
}

func webpProfile(data []byte) []byte {
	for at := 12; at+8 <= len(data); {
		n := int(binary.LittleEndian.Uint32(data[at+4:]))
		if n < 0 || n > len(data)-at-8 {
			return nil
		}
		if string(data[at:at+4]) == "ICCP" {
			return data[at+8 : at+8+n]
		}
		at += 8 + n + n&1
	}
	return nil
}

// withPNGProfile returns a PNG file with a profile.
func withPNGProfile(file, profile []byte) []byte {
	if profile == nil || len(file) < pngHead {
		return file
	}
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	_, _ = w.Write(profile) // into memory
	_ = w.Close()
	chunk := append([]byte("iCCPprofile\x00\x00"), packed.Bytes()...)
	out := append(make([]byte, 0, len(file)+len(chunk)+8), file[:pngHead]...)
	out = binary.BigEndian.AppendUint32(out, uint32(len(chunk)-4))
	out = append(out, chunk...)
	out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(chunk))
	return append(out, file[pngHead:]...)
}

// withJPEGProfile returns a JPEG file with a profile.
func withJPEGProfile(file, profile []byte) []byte {
	if profile == nil || len(file) < 2 {
		return file
	}
	out := append(make([]byte, 0, len(file)+len(profile)+len(iccName)+6), file[:2]...)
	out = append(out, 0xff, 0xe2)
	out = binary.BigEndian.AppendUint16(out, uint16(2+len(iccName)+2+len(profile)))
	out = append(out, iccName...)
	out = append(out, 1, 1)
	out = append(out, profile...)
	return append(out, file[2:]...)
}

// withWebPProfile returns a WebP file of one chunk with a profile, which needs a longer head.
func withWebPProfile(file []byte, size image.Point, transparent bool, profile []byte) []byte {
	const head, hasProfile, hasAlpha = 12, 0x20, 0x10
	if profile == nil || len(file) < head {
		return file
	}
	flags := byte(hasProfile)
	if transparent {
		flags |= hasAlpha
	}
	le24 := func(n int) []byte { return []byte{byte(n), byte(n >> 8), byte(n >> 16)} }
	out := append(make([]byte, 0, len(file)+len(profile)+40), file[:head]...)
	out = append(out, "VP8X\x0a\x00\x00\x00"...)
	out = append(out, flags, 0, 0, 0)
	out = append(append(out, le24(size.X-1)...), le24(size.Y-1)...)
	out = append(out, "ICCP"...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(profile)))
	out = append(out, profile...)
	if len(profile)%2 == 1 {
		out = append(out, 0)
	}
	out = append(out, file[head:]...)
	binary.LittleEndian.PutUint32(out[4:], uint32(len(out)-8))
	return out
}
