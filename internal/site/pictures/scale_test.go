package pictures

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/draw"
	"math"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/octavo-docs/octavo/internal/testing/testrapid"
)

func TestSpansCoverEverythingOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from := rapid.IntRange(1, 5000).Draw(t, "from")
		to := rapid.IntRange(1, from).Draw(t, "to")
		covered := make([]float64, from)
		for i, s := range spansOf(from, to) {
			sum := float32(0)
			for j := s.first; j <= s.last; j++ {
				sum += s.weight(j)
				covered[j] += float64(s.weight(j)) * float64(from) / float64(to)
			}
			if math.Abs(float64(sum-1)) > 1e-4 {
				t.Fatalf("the weights of %d are %v", i, sum)
			}
		}
		for j, c := range covered {
			if math.Abs(c-1) > 1e-2 {
				t.Fatalf("%d is covered %v times", j, c)
			}
		}
	})
}

// All kinds of pictures that decoders return have the same pixels afterwards.
func TestKindsOfPictures(t *testing.T) {
	r := image.Rect(3, 5, 3+40, 5+20)
	pale := color.NRGBA{200, 100, 50, 255}
	palette := color.Palette{color.Black, pale}
	paletted := image.NewPaletted(r, palette)
	for i := range paletted.Pix {
		paletted.Pix[i] = 1
	}
	for name, img := range map[string]draw.Image{
		"NRGBA": image.NewNRGBA(r), "RGBA": image.NewRGBA(r), "NRGBA64": image.NewNRGBA64(r), "RGBA64": image.NewRGBA64(r), "paletted": paletted,
	} {
		draw.Draw(img, r, image.NewUniform(pale), image.Point{}, draw.Src)
		out := shrink(img, 7, 3)
		for y := range 3 {
			for x := range 7 {
				if got := out.RGBAAt(x, y); got != (color.RGBA{200, 100, 50, 255}) {
					t.Errorf("%s: pixel %d, %d is %v", name, x, y, got)
				}
			}
		}
	}
	gray := image.NewGray(r)
	draw.Draw(gray, r, image.NewUniform(color.Gray{77}), image.Point{}, draw.Src)
	if got := shrink(gray, 7, 3).RGBAAt(3, 1); got != (color.RGBA{77, 77, 77, 255}) {
		t.Errorf("gray is %v", got)
	}
}

// A pixel is the mean of those that it covers, and what is transparent has no colour.
func TestShrink(t *testing.T) {
	img := image.NewNRGBA(image.Rect(0, 0, 4, 2))
	for x, c := range []color.NRGBA{{255, 0, 0, 255}, {0, 0, 255, 255}, {255, 255, 255, 255}, {0, 255, 0, 0}} {
		img.SetNRGBA(x, 0, c)
		img.SetNRGBA(x, 1, c)
	}
	out := shrink(img, 2, 1)
	if a, b := out.RGBAAt(0, 0), out.RGBAAt(1, 0); a != (color.RGBA{128, 0, 128, 255}) || b != (color.RGBA{128, 128, 128, 128}) {
		t.Errorf("%v %v", a, b)
	}
}

func TestOrientation(t *testing.T) {
	// The letter F, as it is shown.
	want := []string{"##", "#.", "##", "#."}
	stored := map[int][]string{
		1: want, 2: {"##", ".#", "##", ".#"}, 3: {".#", "##", ".#", "##"}, 4: {"#.", "##", "#.", "##"},
		5: {"####", "#.#."}, 6: {"#.#.", "####"}, 7: {".#.#", "####"}, 8: {"####", ".#.#"},
	}
	for orientation, rows := range stored {
		img := image.NewRGBA(image.Rect(0, 0, len(rows[0]), len(rows)))
		for y, row := range rows {
			for x, c := range row {
				if c == '#' {
					img.SetRGBA(x, y, color.RGBA{1, 2, 3, 255})
				}
			}
		}
		out := turned(img, orientation)
		for y, row := range want {
			for x, c := range row {
				if (out.RGBAAt(x, y).A != 0) != (c == '#') {
					t.Errorf("orientation %d: pixel %d, %d", orientation, x, y)
				}
			}
		}
	}
}

// exif returns a segment of JPEG with an orientation.
func exif(orientation byte) []byte {
	body := append([]byte("Exif\x00\x00MM\x00\x2a\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00"), orientation, 0, 0, 0, 0, 0, 0)
	out := binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(len(body)+2))
	return append(out, body...)
}

// A photo that was taken upright keeps standing.
func TestPhotosStand(t *testing.T) {
	k := newKit(t)
	data := jpegOf(t, photo(1200, 800))
	f := k.file("photo.jpg", append(append(data[:2:2], exif(6)...), data[2:]...))
	if f.Width != 800 || f.Height != 1200 {
		t.Fatalf("the file has %d × %d pixels", f.Width, f.Height)
	}
	small, _, _ := k.open(f, 384)
	config, _, err := image.DecodeConfig(bytes.NewReader(small))
	if err != nil || config.Width != 384 || config.Height != 576 {
		t.Errorf("%+v: %v", config, err)
	}
}

// Colours of a screen that shows more than sRGB stay those colours.
func TestProfilesAreCopied(t *testing.T) {
	profile := append([]byte("a profile of a screen"), bytes.Repeat([]byte{7, 0, 9}, 300)...)
	k := newKit(t)
	for name, data := range map[string][]byte{
		"a.png":       withPNGProfile(pngOf(t, screen(1300, 900)), profile),
		"a.jpg":       withJPEGProfile(jpegOf(t, photo(1300, 900)), profile),
		"a photo.png": withPNGProfile(pngOf(t, photo(1300, 900)), profile),
	} {
		small, kind, _ := k.open(k.file(name, data), 768)
		if _, _, err := image.Decode(bytes.NewReader(small)); err != nil || !bytes.Equal(profileOf(small, kind), profile) {
			t.Errorf("%s: %v, profile %q", name, err, profileOf(small, kind))
		}
	}
	plain := withPNGProfile(pngOf(t, screen(1300, 900)), []byte("sRGB IEC61966-2.1"))
	if small, kind, _ := k.open(k.file("s.png", plain), 768); pngProfile(small) != nil {
		t.Errorf("%s has the profile that all have", kind)
	}
}

func FuzzSmaller(f *testing.F) {
	f.Add(pngOf(f, screen(60, 40)))
	f.Add(jpegOf(f, photo(60, 40)))
	f.Add(withJPEGProfile(jpegOf(f, photo(60, 40)), []byte("profile")))
	f.Add(append([]byte("\xff\xd8"), exif(6)...))
	f.Add(scansJPEG(3))
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := readHead(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range kinds {
			profileOf(data, kind)
		}
		if !h.usable(20) || h.memory(20) > 1<<20 {
			return
		}
		if small := smaller(data, h, 20); len(small) >= len(data) && small != nil {
			t.Errorf("%d bytes became %d", len(data), len(small))
		}
	})
}
