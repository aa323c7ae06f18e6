package pictures

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/jpeg"
	"image/png"

	"github.com/HugoSmits86/nativewebp"
	"golang.org/x/image/webp"
)

const (
	// quality is that of JPEG files. Fewer pixels show less of what it drops than the whole picture does.
	quality = 85
	// photoRatio is how many times smaller, in tenths, the JPEG of a picture must be than the file
	// without losses to be sent instead. Those of photos and gradients are three to eight times
	// smaller. Those of drawings and of screens with text are less than twice as small, and would
	// blur their edges.
	photoRatio = 25
	// maxScans is the number of scans of a progressive JPEG. Each goes over all pixels, and takes some
	// bytes only; programs write about ten.
	maxScans = 64
	// gain is the largest size of a result in percent of the file. Otherwise the file is sent.
	gain = 90
	// maxWebP is the number of pixels of the largest WebP file that is written: its encoder takes
	// webpBytes for each. PNG files take a third more.
	maxWebP   = 1_500_000
	webpBytes = 48
)

// smaller returns a picture with a width as a file. It returns nil if the original is better.
func smaller(data []byte, h head, width int) []byte {
	img, err := pixels(data, h, width)
	if err != nil {
		return nil
	}
	out, err := encode(img, h.kind, profileOf(data, h.kind))
	if err != nil || 100*len(out) > gain*len(data) {
		return nil
	}
	return out
}

// pixels returns a picture with a width, as it is shown.
func pixels(data []byte, h head, width int) (*image.RGBA, error) {
	img, err := decode(data, h)
	if err != nil {
		return nil, err
	}
	if img.Bounds().Dx() != h.width || img.Bounds().Dy() != h.height {
		return nil, errors.New("a picture of another size than its head says")
	}
	w, height := h.size(width)
	if h.orientation >= 5 {
		w, height = height, w
	}
	return turned(shrink(img, w, height), h.orientation), nil
}

// decode reads the pixels of a picture. A file may be made to break a decoder: that must not end the
// program.
func decode(data []byte, h head) (img image.Image, err error) {
	defer func() {
		if broken := recover(); broken != nil {
			err = fmt.Errorf("decode a picture: %v", broken)
		}
	}()
	switch h.kind {
	case "image/png":
		return png.Decode(bytes.NewReader(data))
	case "image/webp":
		return webp.Decode(bytes.NewReader(data))
	}
	if scans(data) > maxScans {
		return nil, fmt.Errorf("a JPEG file with more than %d scans", maxScans)
	}
	return jpeg.Decode(bytes.NewReader(data))
}

// scans returns the number of scans of a JPEG file, up to its end: cameras append films. In the data
// of a scan, nothing follows an 0xff but zero and marks of restarts.
func scans(data []byte) (n int) {
	for at := 2; at+4 <= len(data); {
		skip := bytes.IndexByte(data[at:], 0xff)
		if skip < 0 {
			return n
		}
		if at += skip; at+4 > len(data) {
			return n
		}
		switch marker := data[at+1]; {
		case marker == 0xff:
			at++
		case marker <= 1 || marker >= 0xd0 && marker <= 0xd8:
			at += 2
		case marker == 0xd9:
			return n
		default:
			if marker == 0xda {
				n++
			}
			at += 2 + int(binary.BigEndian.Uint16(data[at+2:]))
		}
	}
	return n
}

// encode writes a picture. Photos become JPEG files, everything else stays free of losses.
func encode(img *image.RGBA, from string, profile []byte) ([]byte, error) {
	if from == "image/jpeg" {
		return encodeJPEG(img, profile)
	}
	exact, err := encodeExactly(img, profile)
	if err != nil || !img.Opaque() {
		return exact, err
	}
	photo, err := encodeJPEG(img, profile)
	if err == nil && photoRatio*len(photo) < 10*len(exact) {
		return photo, nil
	}
	return exact, err
}

func encodeJPEG(img *image.RGBA, profile []byte) ([]byte, error) {
	var b bytes.Buffer
	err := jpeg.Encode(&b, img, &jpeg.Options{Quality: quality})
	return withJPEGProfile(b.Bytes(), profile), err
}

// encodeExactly writes all pixels as they are.
func encodeExactly(img *image.RGBA, profile []byte) ([]byte, error) {
	if area(img) <= maxWebP {
		if b, err := encodeWebP(img); err == nil {
			return withWebPProfile(b, img.Rect.Size(), !img.Opaque(), profile), nil
		}
	}
	var b bytes.Buffer
	err := png.Encode(&b, img)
	return withPNGProfile(b.Bytes(), profile), err
}

func area(img image.Image) int { return img.Bounds().Dx() * img.Bounds().Dy() }

// encodeWebP writes a WebP file, and reads it again: the library that writes it is young, and a
// reader must not see its mistakes.
func encodeWebP(img *image.RGBA) (_ []byte, err error) {
	defer func() {
		if broken := recover(); broken != nil {
			err = fmt.Errorf("encode a picture: %v", broken)
		}
	}()
	in := image.NewNRGBA(img.Rect)
	draw.Draw(in, in.Rect, img, image.Point{}, draw.Src)
	var b bytes.Buffer
	if err := nativewebp.Encode(&b, in, nil); err != nil {
		return nil, err
	}
	again, err := webp.Decode(bytes.NewReader(b.Bytes()))
	if err != nil {
		return nil, err
	}
	if out, ok := again.(*image.NRGBA); !ok || out.Rect != in.Rect || !bytes.Equal(out.Pix, in.Pix) {
		return nil, errors.New("a WebP file with other pixels")
	}
	return b.Bytes(), nil
}
