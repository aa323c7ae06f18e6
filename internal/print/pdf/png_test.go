package pdf

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"
	"image"
	stdcolor "image/color"
	"image/draw"
	"image/png"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/budget"
)

// noise fills a picture with pseudo-random pixels.
func noise(img draw.Image, alpha bool) image.Image {
	b, n := img.Bounds(), uint32(1)
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			n = n*1664525 + 1013904223
			c := stdcolor.NRGBA64{uint16(n), uint16(n >> 3), uint16(n >> 7), 0xffff}
			if alpha {
				c.A = uint16(n >> 11)
			}
			img.Set(x, y, c)
		}
	}
	return img
}

// grays returns a palette with a transparent colour.
func grays(n int) stdcolor.Palette {
	out := stdcolor.Palette{stdcolor.NRGBA{1, 2, 3, 77}}
	for i := 1; i < n; i++ {
		out = append(out, stdcolor.NRGBA{byte(i), byte(i * 7), byte(i * 31), 255})
	}
	return out
}

// Rows are equal to those that image/png decodes, for all pixel formats.
func TestRowsOfPNG(t *testing.T) {
	r := image.Rect(0, 0, 37, 23)
	pictures := map[string]image.Image{
		"gray": noise(image.NewGray(r), false), "gray16": noise(image.NewGray16(r), false), "color": noise(image.NewNRGBA(r), false), "alpha": noise(image.NewNRGBA(r), true),
		"color16": noise(image.NewNRGBA64(r), false), "alpha16": noise(image.NewNRGBA64(r), true), "two": noise(image.NewPaletted(r, grays(2)), false),
		"four": noise(image.NewPaletted(r, grays(4)), false), "sixteen": noise(image.NewPaletted(r, grays(16)), false), "many": noise(image.NewPaletted(r, grays(256)), false),
	}
	for name, img := range pictures {
		var b bytes.Buffer
		if err := png.Encode(&b, img); err != nil {
			t.Fatal(err)
		}
		want, err := png.Decode(bytes.NewReader(b.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		p, err := openPNG(&b)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		row := make([]byte, 4*p.w)
		for y := range p.h {
			if err := p.next(row); err != nil {
				t.Fatalf("%s: row %d: %v", name, y, err)
			}
			for x := range p.w {
				c := stdcolor.NRGBA64Model.Convert(want.At(x, y)).(stdcolor.NRGBA64)
				got := stdcolor.NRGBA{row[4*x], row[4*x+1], row[4*x+2], row[4*x+3]}
				if exact := (stdcolor.NRGBA{byte(c.R >> 8), byte(c.G >> 8), byte(c.B >> 8), byte(c.A >> 8)}); got != exact && c.A == 0xffff || got.A != exact.A {
					t.Fatalf("%s: %d, %d is %v, want %v", name, x, y, got, exact)
				}
			}
		}
	}
}

// A colour of a picture without alpha channel can be transparent.
func TestTransparentColor(t *testing.T) {
	img := image.NewGray(image.Rect(0, 0, 3, 1))
	copy(img.Pix, []byte{10, 20, 30})
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	data := b.Bytes()
	const after = 8 + 25 // the head
	chunk := []byte{0, 0, 0, 2, 't', 'R', 'N', 'S', 0, 20}
	chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:]))
	p, err := openPNG(io.MultiReader(bytes.NewReader(data[:after]), bytes.NewReader(chunk), bytes.NewReader(data[after:])))
	if err != nil {
		t.Fatal(err)
	}
	row := make([]byte, 12)
	if err := p.next(row); err != nil || row[3] != 255 || row[7] != 0 || row[11] != 255 {
		t.Errorf("%v %v", row, err)
	}
}

// Large pictures with 16 bits per channel are not decoded as a whole.
func TestLargePicturesInLittleMemory(t *testing.T) {
	img := image.NewNRGBA64(image.Rect(0, 0, 3000, 2500)) // 60 MB
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	img = nil
	book := page("![a](a.png)\n\n![b](b.png)\n\n![c](c.png)\n")
	book.files = map[string][]byte{"a.png": b.Bytes(), "b.png": b.Bytes(), "c.png": b.Bytes()}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := Write(context.Background(), io.Discard, book.book()); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if got := (after.TotalAlloc - before.TotalAlloc) >> 20; got > 48 {
		t.Errorf("%d MB were allocated", got)
	}
}

// A document has a budget of pixels. Pictures that exceed it become links.
func TestPixelsAreCounted(t *testing.T) {
	d := &document{ctx: t.Context()}
	if !d.spend(int(budget.New(t.Context()).Limit(budget.Pixels))-10) || d.spend(11) || !d.spend(10) || d.spend(1) {
		t.Error("the budget is not kept")
	}
	img := image.NewNRGBA(image.Rect(0, 0, 4000, 6000)) // of a format that is decoded as a whole
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	laced := b.Bytes()
	laced[8+8+12] = 1
	binary.BigEndian.PutUint32(laced[8+8+13:], crc32.ChecksumIEEE(laced[12:8+8+13]))
	book := page("![Alt](a.png)\n")
	book.files = map[string][]byte{"a.png": laced}
	if text := book.write(t).allText(); !strings.Contains(text, "[Image: Alt]") {
		t.Errorf("%q", text)
	}
}

func FuzzPNG(f *testing.F) {
	var b bytes.Buffer
	if err := png.Encode(&b, noise(image.NewPaletted(image.Rect(0, 0, 9, 5), grays(16)), false)); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := openPNG(bytes.NewReader(data))
		if err != nil || p.w > 4096 {
			return
		}
		row := make([]byte, 4*p.w)
		for range min(p.h, 100) {
			if p.next(row) != nil {
				return
			}
		}
	})
}
