package blob

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
)

func encode(t testing.TB, fn func(io.Writer, image.Image) error) []byte {
	t.Helper()
	img := image.NewPaletted(image.Rect(0, 0, 31, 17), color.Palette{color.Black, color.White})
	var b bytes.Buffer
	if err := fn(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// images returns images of 31 x 17 pixels by type.
func images(t testing.TB) map[string][]byte {
	return map[string][]byte{
		"image/png":  encode(t, png.Encode),
		"image/jpeg": encode(t, func(w io.Writer, m image.Image) error { return jpeg.Encode(w, m, nil) }),
		"image/gif":  encode(t, func(w io.Writer, m image.Image) error { return gif.Encode(w, m, nil) }),
		"image/bmp":  encode(t, bmp.Encode),
		"image/tiff": encode(t, func(w io.Writer, m image.Image) error { return tiff.Encode(w, m, nil) }),
		"image/webp": webpHeader(31, 17),
		"image/avif": avif(0, "\x00\x01\x02\x01\x82"+"\x00\x02\x02\x83\x04"),
	}
}

// webpHeader returns the header of a lossless WebP image, which is all that is read.
func webpHeader(w, h uint32) []byte {
	b := []byte("RIFF\x20\x00\x00\x00WEBPVP8L\x14\x00\x00\x00\x2f")
	b = binary.LittleEndian.AppendUint32(b, (w-1)|(h-1)<<14)
	return append(b, make([]byte, 15)...)
}

func box(kind string, parts ...string) string {
	body := strings.Join(parts, "")
	return string(binary.BigEndian.AppendUint32(nil, uint32(len(body)+8))) + kind + body
}

// avif returns an image file with two items, of which the second is primary. It is 17 x
// 31 pixels, rotated by 90 degrees. associations are the associations of items and
// properties.
func avif(version byte, associations string) []byte {
	size := func(w, h uint32) string {
		b := binary.BigEndian.AppendUint32(make([]byte, 4), w)
		return box("ispe", string(binary.BigEndian.AppendUint32(b, h)))
	}
	id := "\x00\x02"
	if version > 0 {
		id = "\x00\x00\x00\x02"
	}
	full := string([]byte{version, 0, 0, version})
	return []byte(box("ftyp", "avif\x00\x00\x00\x00avifmif1miaf") + box("meta", "\x00\x00\x00\x00",
		box("hdlr", strings.Repeat("\x00", 24)),
		box("pitm", full, id),
		box("iprp",
			box("ipco", size(160, 160), box("pixi", "x"), size(17, 31), box("irot", "\x01")),
			box("ipma", full, "\x00\x00\x00\x02", associations)),
	) + box("mdat", "pixels"))
}

func TestWideNumbersInAVIF(t *testing.T) {
	data := avif(1, "\x00\x00\x00\x01\x01\x80\x01"+"\x00\x00\x00\x02\x02\x80\x03\x00\x04")
	if s := inspect(t, "a.avif", data); s != (Sniffed{"image/avif", 31, 17}) {
		t.Errorf("%+v", s)
	}
	// Invalid indexes.
	for _, associations := range []string{"", "\x00", "\x00\x02", "\x00\x02\xff", "\x00\x02\x01\x7f", "\x00\x02\x01\x00", "\x00\x09\x01\x01"} {
		if s := inspect(t, "a.avif", avif(0, associations)); s.Width != 0 {
			t.Errorf("%q: %+v", associations, s)
		}
	}
}

func pngHeader(w, h uint32) []byte {
	b := []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d")
	body := []byte("IHDR")
	body = binary.BigEndian.AppendUint32(body, w)
	body = binary.BigEndian.AppendUint32(body, h)
	body = append(body, 8, 2, 0, 0, 0)
	b = append(b, body...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(body))
}

func inspect(t testing.TB, name string, data []byte) Sniffed {
	t.Helper()
	s, err := Inspect(name, bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return s
}

func TestImagesHaveTheirSize(t *testing.T) {
	for want, data := range images(t) {
		// The name does not matter.
		for _, name := range []string{"a.bin", "a.html", ""} {
			if s := inspect(t, name, data); s != (Sniffed{want, 31, 17}) {
				t.Errorf("%s as %q: %+v", want, name, s)
			}
		}
	}
}

func TestContentTypes(t *testing.T) {
	for _, c := range []struct{ name, data, want string }{
		{"a.txt", "hello", "text/plain"},
		{"a", "hello", "text/plain"},
		{"", "", "text/plain"},
		{"README.md", "# hello", "text/markdown"},
		{"README.MD", "<p align=\"center\"><img src=x></p>\n# Hello", "text/markdown"},
		{"a.json", `{"a": 1}`, "application/json"},
		{"a.json", `not json`, "application/json"},
		{"a", `{"a": 1}`, "application/json"},
		{"a.yaml", "a: 1", "application/yaml"},
		{"a.yml", `{"a": 1}`, "application/yaml"},
		{"a.csv", "a,b\n1,2\n3,4\n", "text/csv"},
		{"a.js", "alert(1)", "text/javascript"},
		{"a.ts", "const a: number = 1", "text/x-typescript"},
		{"a.go", "package a", "text/plain"},
		{"a.css", "a{}", "text/css"},
		{"a.html", "hello", "text/html"},
		{"a", "<!DOCTYPE html><html>", "text/html"},
		{"a.png", "<html><script>alert(1)</script>", "text/html"},
		{"a.txt", "<html><script>alert(1)</script>", "text/plain"},
		{"a.svg", `<svg xmlns="http://www.w3.org/2000/svg"/>`, svgImage},
		{"a", `<svg xmlns="http://www.w3.org/2000/svg"/>`, svgImage},
		{"a.svg", "<!-- " + strings.Repeat("long ", 2000) + "--><svg/>", svgImage},
		{"a.xml", `<?xml version="1.0"?><svg/>`, "application/xml"},
		{"a.pdf", "%PDF-1.7\n", "application/pdf"},
		{"a.svg", "%PDF-1.7\n", "application/pdf"},
		{"a.png", "\x00\x01\x02\x03", octets},
		{"a.html", "\x00\x01\x02\x03", octets},
		{"a.zip", "PK\x05\x06" + strings.Repeat("\x00", 18), "application/zip"},
		{"a.woff2", "wOF2" + strings.Repeat("\x00", 40), "font/woff2"},
		{"a.mp4", "\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom", "video/mp4"},
		{"a.avif", "\x00\x00\x00\x18ftypavif\x00\x00\x00\x00avifmif1", "image/avif"},
		{"a.gif", "GIF89a=alert(1)//", "image/gif"},
	} {
		if s := inspect(t, c.name, []byte(c.data)); s.ContentType != c.want {
			t.Errorf("%s %.20q: %s, want %s", c.name, c.data, s.ContentType, c.want)
		}
	}
}

func TestDrawings(t *testing.T) {
	const ns = ` xmlns="http://www.w3.org/2000/svg" `
	for _, c := range []struct {
		svg  string
		w, h int
	}{
		{`<svg` + ns + `width="100" height="50"/>`, 100, 50},
		{`<svg` + ns + `width="100px" height="50.4PX"/>`, 100, 50},
		{`<svg` + ns + `width="1in" height="2.54cm"/>`, 96, 96},
		{`<svg` + ns + `width="72pt" height="6pc"/>`, 96, 96},
		{`<svg` + ns + `width="1e2" height="+5"/>`, 100, 5},
		{`<svg` + ns + `viewBox="0 0 24 12"/>`, 24, 12},
		{`<svg` + ns + `viewBox="-5,-5, 24.0,	12"/>`, 24, 12},
		{`<svg` + ns + `width="100%" height="100%" viewBox="0 0 24 12"/>`, 24, 12},
		{`<svg` + ns + `width="48" viewBox="0 0 24 12"/>`, 48, 24},
		{`<svg` + ns + `height="2em" width="48" viewBox="0 0 24 12"/>`, 48, 24},
		{`<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE svg PUBLIC "x" "y"><!-- a --><svg` + ns + `width="1" height="2"><script/></svg>`, 1, 2},
		{"\ufeff<svg" + ns + `width="1" height="2"/>`, 1, 2},
		{`<s:svg xmlns:s="http://www.w3.org/2000/svg" width="3" height="4"/>`, 3, 4},
		{`<svg` + ns + `x:width="9" width="3" height="4"/>`, 3, 4},
		// No size.
		{`<svg` + ns + `/>`, 0, 0},
		{`<svg` + ns + `width="100"/>`, 0, 0},
		{`<svg` + ns + `width="0" height="5"/>`, 0, 0},
		{`<svg` + ns + `width="-1" height="5"/>`, 0, 0},
		{`<svg` + ns + `width="nan" height="inf"/>`, 0, 0},
		{`<svg` + ns + `width="0x10" height="1_0"/>`, 0, 0},
		{`<svg` + ns + `width="1e300" height="1e300"/>`, 0, 0},
		{`<svg` + ns + `width="1e999" height="1"/>`, 0, 0},
		{`<svg` + ns + `width="0.1" height="0.1"/>`, 0, 0},
		{`<svg` + ns + `viewBox="0 0 1e-300 1e300" width="10"/>`, 0, 0},
		{`<svg` + ns + `viewBox="0 0 24"/>`, 0, 0},
		{`<html><svg` + ns + `width="1" height="2"/></html>`, 0, 0},
		{`<svg` + ns + `width="1" height="2`, 0, 0},
		// Entities are not expanded.
		{`<!DOCTYPE svg [<!ENTITY w "100"><!ENTITY x SYSTEM "file:///etc/passwd">]><svg` + ns + `width="&w;" height="&x;"/>`, 0, 0},
		{`<!DOCTYPE svg [<!ENTITY a "1"><!ENTITY b "&a;&a;&a;">]><svg` + ns + `width="&b;" height="&b;" viewBox="0 0 7 8"/>`, 7, 8},
		// The root element is too far from the start.
		{`<!--` + strings.Repeat("x", svgBytes) + `--><svg` + ns + `width="1" height="2"/>`, 0, 0},
		{strings.Repeat(" ", svgBytes) + `<svg` + ns + `width="1" height="2"/>`, 0, 0},
	} {
		s := inspect(t, "a.svg", []byte(c.svg))
		if s.ContentType != svgImage || s.Width != c.w || s.Height != c.h {
			t.Errorf("%.100s: %+v, want %d x %d", c.svg, s, c.w, c.h)
		}
	}
}

// gifFrames returns an animation that would take long to decode.
func gifFrames(n int) []byte {
	b := []byte("GIF89a\xff\xff\xff\xff\x80\x00\x00\x00\x00\x00\xff\xff\xff")
	frame := []byte("\x21\xf9\x04\x00\x0a\x00\x00\x00\x2c\x00\x00\x00\x00\xff\xff\xff\xff\x00\x02\x02\x4c\x01\x00")
	return append(append(b, bytes.Repeat(frame, n)...), 0x3b)
}

// The cost of inspecting an image does not depend on its size.
func TestLargeImagesCostNothing(t *testing.T) {
	tiffBomb := encode(t, func(w io.Writer, m image.Image) error { return tiff.Encode(w, m, nil) })
	// Every entry of the directory claims a gigabyte of values.
	dir := binary.LittleEndian.Uint32(tiffBomb[4:])
	for i := range int(binary.LittleEndian.Uint16(tiffBomb[dir:])) {
		binary.LittleEndian.PutUint32(tiffBomb[int(dir)+2+12*i+4:], 1<<28)
	}
	for _, c := range []struct {
		name string
		data []byte
		want Sniffed
	}{
		{"60k x 60k", pngHeader(60_000, 60_000), Sniffed{"image/png", 60_000, 60_000}},
		{"more than any image has", pngHeader(1<<31-1, 1<<31-1), Sniffed{"image/png", 0, 0}},
		{"no pixels", pngHeader(0, 0), Sniffed{"image/png", 0, 0}},
		{"10k frames", gifFrames(10_000), Sniffed{"image/gif", 65535, 65535}},
		{"the largest WebP", webpHeader(16384, 16384), Sniffed{"image/webp", 16384, 16384}},
		{"claims in a TIFF", tiffBomb, Sniffed{"image/tiff", 0, 0}},
		{"an endless JPEG", append([]byte("\xff\xd8"), bytes.Repeat(append([]byte("\xff\xe1\xff\xff"), make([]byte, 65533)...), 500)...), Sniffed{"image/jpeg", 0, 0}},
		{"noise in a JPEG", append([]byte("\xff\xd8\xff"), bytes.Repeat([]byte{0xff}, 30<<20)...), Sniffed{"image/jpeg", 0, 0}},
		{"chunks before the palette", paletteBomb(), Sniffed{"image/png", 16, 16}},
		{"chunks before the picture", append([]byte("RIFF\xf0\xff\xff\x00WEBP"), bytes.Repeat([]byte("junk\x00\x00\x00\x00"), 2<<20)...), Sniffed{"image/webp", 0, 0}},
		{"tiny segments", append([]byte("\xff\xd8"), bytes.Repeat([]byte("\xff\xe1\x00\x02"), 4<<20)...), Sniffed{"image/jpeg", 0, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			r := &countedReaderAt{r: bytes.NewReader(c.data)}
			if got, err := Inspect("a", r, int64(len(c.data))); got != c.want || err != nil {
				t.Errorf("%+v, %v; want %+v", got, err, c.want)
			}
			runtime.ReadMemStats(&after)
			if n := after.TotalAlloc - before.TotalAlloc; n > 16<<20 || r.n > inspectBytes+inspectBlock {
				t.Errorf("%d bytes of memory, %d bytes read", n, r.n)
			}
		})
	}
}

type countedReaderAt struct {
	r io.ReaderAt
	n int
}

func (c *countedReaderAt) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.r.ReadAt(p, off)
	c.n += n
	return n, err
}

// paletteBomb returns an image that makes a decoder search for a missing palette.
func paletteBomb() []byte {
	b := []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00\x00\x10\x00\x00\x00\x10\x08\x03\x00\x00\x00")
	b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[12:29]))
	chunk := append([]byte("\x00\x00\x00\x00junk"), 0, 0, 0, 0)
	binary.BigEndian.PutUint32(chunk[8:], crc32.ChecksumIEEE(chunk[4:8]))
	return append(b, bytes.Repeat(chunk, 2_000_000)...)
}

func TestBogusImagesHaveNoSize(t *testing.T) {
	for want, data := range images(t) {
		for cut := range len(data) {
			s := inspect(t, "a", data[:cut])
			if s.Width != 0 && (s.Width != 31 || s.Height != 17) {
				t.Errorf("%s cut at %d: %+v", want, cut, s)
			}
		}
		broken := append(bytes.Clone(data[:8]), randomBytes(1, 500)...)
		inspect(t, "a", broken)
	}
}

// The size is found even if it comes after a large preview.
func TestImagesWithMuchInFront(t *testing.T) {
	small := encode(t, func(w io.Writer, m image.Image) error { return jpeg.Encode(w, m, nil) })
	segment := append([]byte("\xff\xe1\xff\xff"), make([]byte, 65533)...)
	data := append([]byte("\xff\xd8"), bytes.Repeat(segment, 60)...)
	data = append(data, small[2:]...)
	if s := inspect(t, "a.jpg", data); s != (Sniffed{"image/jpeg", 31, 17}) {
		t.Errorf("%+v", s)
	}
	// The directory of a TIFF is at the end.
	tif := encode(t, func(w io.Writer, m image.Image) error { return tiff.Encode(w, m, nil) })
	const gap = 50 << 20
	r := withGap{tif, gap}
	if s, err := Inspect("a.tif", r, int64(len(tif)+gap)); err != nil || s != (Sniffed{"image/tiff", 31, 17}) {
		t.Errorf("%+v, %v", s, err)
	}
}

// The size of a photo is that with which browsers show it.
func TestPhotosHaveTheSizeThatIsShown(t *testing.T) {
	data := encode(t, func(w io.Writer, m image.Image) error { return jpeg.Encode(w, m, nil) })
	for name, c := range map[string]struct {
		exif string
		want Sniffed
	}{
		"upright":          {"Exif\x00\x00MM\x00\x2a\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00", Sniffed{"image/jpeg", 17, 31}},
		"the other order":  {"Exif\x00\x00II\x2a\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00\x08\x00\x00\x00", Sniffed{"image/jpeg", 17, 31}},
		"upside down":      {"Exif\x00\x00MM\x00\x2a\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x03\x00\x00", Sniffed{"image/jpeg", 31, 17}},
		"no such number":   {"Exif\x00\x00MM\x00\x2a\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x09\x00\x00", Sniffed{"image/jpeg", 31, 17}},
		"a cut list":       {"Exif\x00\x00MM\x00\x2a\x00\x00\x00\x08\xff\xff\x01\x12\x00", Sniffed{"image/jpeg", 31, 17}},
		"a list elsewhere": {"Exif\x00\x00MM\x00\x2a\xff\xff\xff\xff\x00\x01", Sniffed{"image/jpeg", 31, 17}},
		"nothing":          {"", Sniffed{"image/jpeg", 31, 17}},
	} {
		segment := append([]byte{0xff, 0xe1, 0, byte(len(c.exif) + 2)}, c.exif...)
		if s := inspect(t, "a.jpg", slices.Concat(data[:2], segment, data[2:])); s != c.want {
			t.Errorf("%s: %+v, want %+v", name, s, c.want)
		}
	}
}

// withGap is a TIFF with a gap between its header and the rest.
type withGap struct {
	tif []byte
	gap int64
}

func (g withGap) ReadAt(p []byte, off int64) (int, error) {
	for i := range p {
		at := off + int64(i)
		switch {
		case at < 4:
			p[i] = g.tif[at]
		case at < 8:
			var b [4]byte
			binary.LittleEndian.PutUint32(b[:], binary.LittleEndian.Uint32(g.tif[4:])+uint32(g.gap))
			p[i] = b[at-4]
		case at < 8+g.gap:
			p[i] = 0
		case at-g.gap < int64(len(g.tif)):
			p[i] = g.tif[at-g.gap]
		default:
			return i, io.EOF
		}
	}
	return len(p), nil
}

func TestInspectTellsWhenReadingFails(t *testing.T) {
	broken := errors.New("the disk is gone")
	s, err := Inspect("a.png", readerAt{iotest.ErrReader(broken)}, 100)
	if !errors.Is(err, broken) || s.ContentType == "" {
		t.Errorf("%+v, %v", s, err)
	}
	// A size that is larger than the content is not an error.
	if s, err := Inspect("a.txt", strings.NewReader("hello"), 1<<40); err != nil || s.ContentType != "text/plain" {
		t.Errorf("%+v, %v", s, err)
	}
	if s, err := Inspect("a.txt", strings.NewReader("hello"), -1); err != nil || s.ContentType != "text/plain" {
		t.Errorf("%+v, %v", s, err)
	}
}

type readerAt struct{ io.Reader }

func (r readerAt) ReadAt(p []byte, _ int64) (int, error) { return r.Read(p) }

func FuzzInspect(f *testing.F) {
	for _, data := range images(f) {
		f.Add("a", data)
	}
	f.Add("a.svg", []byte(`<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "1">]><svg width="1px" height="&a;" viewBox="0 0 1 2"/>`))
	f.Add("a.md", []byte("# x"))
	f.Add("a", pngHeader(60_000, 60_000))
	f.Add("a", gifFrames(3))
	f.Add("a", avif(1, "\x00\x00\x00\x02\x02\x80\x03\x00\x04"))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		s := inspect(t, name, data)
		if s.ContentType == "" || s.Width < 0 || s.Height < 0 || (s.Width == 0) != (s.Height == 0) || s.Width > maxDimension || s.Height > maxDimension {
			t.Fatalf("%+v", s)
		}
		if strings.ContainsAny(s.ContentType, "\r\n;, ") {
			t.Fatalf("%q", s.ContentType)
		}
	})
}
