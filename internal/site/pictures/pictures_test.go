package pictures

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/blob"
	"github.com/octavo-docs/octavo/internal/budget"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
)

// photo is a picture as a camera makes it: nothing in it is twice the same.
func photo(w, h int) image.Image {
	r := rand.New(rand.NewPCG(1, 2))
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := range img.Pix {
		if img.Pix[i] = 255; i%4 < 3 {
			img.Pix[i] = uint8(100 + (i/4%w)/16 + (i/4/w)/16 + r.IntN(24))
		}
	}
	return img
}

// screen is a picture of a program: much of it is white, and lines of text have sharp edges.
func screen(w, h int) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	r := rand.New(rand.NewPCG(1, 2))
	var letters [20 * 10 * 12]uint8
	for i := range letters {
		letters[i] = uint8(r.IntN(2)*150 + r.IntN(90))
	}
	text := make([]int, (w/10+1)*(h/30+1))
	for i := range text {
		text[i] = r.IntN(20)
	}
	for y := range h {
		for x := range w {
			c := color.NRGBA{255, 255, 255, 255}
			if y%30 < 12 && x < w/2 {
				c.R = letters[text[y/30*(w/10+1)+x/10]*120+y%30*10+x%10]
				c.G, c.B = c.R, c.R
			}
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}

func pngOf(t testing.TB, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func jpegOf(t testing.TB, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 92}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// kit is a Maker with a store of files.
type kit struct {
	testing.TB
	*Maker
	files blob.Store
	dir   string
}

func newKit(t testing.TB) *kit {
	t.Helper()
	files, err := blob.OpenFolder(t.TempDir(), 0)
	if err != nil {
		t.Fatal(err)
	}
	k := &kit{TB: t, files: files, dir: filepath.Join(t.TempDir(), "pictures")}
	if k.Maker, err = New(k.dir, 10<<20); err != nil {
		t.Fatal(err)
	}
	return k
}

// file stores a file, with the type and the size that an upload finds.
func (k *kit) file(name string, data []byte) docs.File {
	k.Helper()
	info, kind, err := blob.Save(k.Context(), k.files, name, bytes.NewReader(data))
	if err != nil {
		k.Fatal(err)
	}
	return docs.File{Name: name, ContentType: kind.ContentType, Size: info.Size, Width: kind.Width, Height: kind.Height, Blob: info.Hash.String()}
}

// open returns a result and its bytes, or nil for the original.
func (k *kit) open(f docs.File, width int) (data []byte, kind string, final bool) {
	k.Helper()
	p, final, err := k.Open(k.Context(), "org", f, width, k.source(f))
	if err != nil {
		k.Fatal(err)
	}
	if p == nil {
		return nil, "", final
	}
	defer p.Close()
	if data, err = io.ReadAll(p); err != nil {
		k.Fatal(err)
	}
	return data, p.ContentType, final
}

func (k *kit) source(f docs.File) func() (blob.Object, error) {
	return func() (blob.Object, error) { return blob.OpenNamed(k.Context(), k.files, f.Blob) }
}

func TestPicturesBecomeSmaller(t *testing.T) {
	k := newKit(t)
	for _, c := range []struct {
		name string
		data []byte
		kind string
	}{
		{"screen.png", pngOf(t, screen(1300, 900)), "image/webp"},
		{"photo.jpg", jpegOf(t, photo(1300, 900)), "image/jpeg"},
		{"photo.png", pngOf(t, photo(1300, 900)), "image/jpeg"}, // which loses nothing that anybody sees
	} {
		f := k.file(c.name, c.data)
		for _, width := range slices.Backward(Widths(f)) {
			data, kind, final := k.open(f, width)
			if data == nil && width == f.Width && c.name == "screen.png" {
				continue // nothing is gained
			}
			config, _, err := image.DecodeConfig(bytes.NewReader(data))
			if err != nil || kind != c.kind || !final {
				t.Fatalf("%s: %d as %s, final %v: %v", c.name, width, kind, final, err)
			}
			if config.Width != width || config.Height != (900*width+650)/1300 || 100*len(data) > gain*len(c.data) {
				t.Errorf("%s: %d × %d in %d bytes, of %d", c.name, config.Width, config.Height, len(data), len(c.data))
			}
		}
	}
	if made := k.Made(); made != 8 {
		t.Errorf("%d pictures were decoded", made)
	}
}

func TestWidths(t *testing.T) {
	file := func(kind string, w, h int, size int64) docs.File {
		return docs.File{ContentType: kind, Width: w, Height: h, Size: size}
	}
	for _, c := range []struct {
		f    docs.File
		want string
	}{
		{file("image/png", 3000, 2000, 1<<20), "[384 768 1152 1536 2304]"},
		{file("image/jpeg", 1536, 100, 1<<20), "[384 768 1152]"},
		{file("image/webp", 800, 100, 1<<20), "[384]"},
		{file("image/png", 800, 100, 1<<20), "[384 800]"},
		{file("image/png", 300, 100, 1<<20), "[300]"},
		{file("image/jpeg", 384, 100, 1<<20), "[]"},
		{file("image/png", 3000, 2000, 1<<10), "[]"},
		{file("image/png", 3000, 2000, 1<<30), "[]"},
		{file("image/png", 30_000, 30_000, 40<<10), "[]"},
		{file("image/gif", 3000, 2000, 1<<20), "[]"},
		{file("image/svg+xml", 3000, 2000, 1<<20), "[]"},
		{file("image/vnd.mozilla.apng", 3000, 2000, 1<<20), "[]"},
		{file("image/avif", 3000, 2000, 1<<20), "[]"},
		{file("text/plain", 0, 0, 1<<20), "[]"},
		{file("image/png", 0, 0, 1<<20), "[]"},
	} {
		if got := fmt.Sprint(Widths(c.f)); got != c.want {
			t.Errorf("%+v: %s, want %s", c.f, got, c.want)
		}
		if Has(c.f, 769) || Has(c.f, 0) || Has(c.f, -384) {
			t.Errorf("%+v has a width that there is not", c.f)
		}
	}
}

// chunk returns a chunk of PNG.
func chunk(kind string, body []byte) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	out = append(append(out, kind...), body...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
}

// hugePNG is a picture of many pixels in few bytes.
func hugePNG(w, h uint32, depth, colours byte) []byte {
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h)
	var rows bytes.Buffer
	z := zlib.NewWriter(&rows)
	_, _ = z.Write(make([]byte, 40<<20))
	_ = z.Close()
	out := append([]byte("\x89PNG\r\n\x1a\n"), chunk("IHDR", append(head, depth, colours, 0, 0, 0))...)
	return append(out, append(chunk("IDAT", rows.Bytes()), chunk("IEND", nil)...)...)
}

// scansJPEG is a progressive picture with many scans, each of which goes over all pixels.
func scansJPEG(n int) []byte {
	segment := func(marker byte, body ...byte) []byte {
		return append([]byte{0xff, marker, byte((len(body) + 2) >> 8), byte(len(body) + 2)}, body...)
	}
	table := func(class byte) []byte {
		return segment(0xc4, append([]byte{class, 1}, append(make([]byte, 15), 0)...)...)
	}
	out := append([]byte{0xff, 0xd8}, segment(0xdb, append([]byte{0}, bytes.Repeat([]byte{1}, 64)...)...)...)
	out = append(out, segment(0xc2, 8, 0x13, 0x88, 0x13, 0x88, 1, 1, 0x11, 0)...) // 5000 × 5000
	out = append(out, table(0)...)
	out = append(out, table(0x10)...)
	for range n {
		out = append(out, segment(0xda, 1, 1, 0, 1, 63, 0)...)
		out = append(out, 0, 0, 0, 0)
	}
	return append(out, 0xff, 0xd9)
}

// Whatever cannot be read, or would need much memory, is not made smaller, and nobody tries twice.
func TestAttacks(t *testing.T) {
	whole := pngOf(t, screen(1300, 900))
	asFile := func(kind string) func(*docs.File) {
		return func(f *docs.File) { f.ContentType, f.Width, f.Height = kind, 1300, 900 }
	}
	webp := append([]byte("RIFF\xff\xff\x00\x00WEBPVP8X\x0a\x00\x00\x00\x02\x00\x00\x00\x13\x05\x00\x83\x03\x00ANIM"), make([]byte, 20<<10)...)
	for _, c := range []struct {
		name   string
		data   []byte
		change func(*docs.File)
		reads  bool // the pixels are looked at
	}{
		{"30,000 × 30,000 pixels that say 1,300 × 900", hugePNG(30_000, 30_000, 8, 2), asFile("image/png"), false},
		{"16 bits for each colour", hugePNG(6000, 6000, 16, 6), asFile("image/png"), false},
		{"2^31 pixels", hugePNG(1<<31-1, 1, 8, 2), asFile("image/png"), false},
		{"no pixels", hugePNG(0, 0, 8, 2), asFile("image/png"), false},
		{"half of a file", whole[:len(whole)/2], nil, true},
		{"a head alone", append(whole[:40:40], make([]byte, 20<<10)...), nil, true},
		{"text as PNG", bytes.Repeat([]byte("text "), 9<<10), asFile("image/png"), false},
		{"text as JPEG", append([]byte("\xff\xd8\xff"), bytes.Repeat([]byte("text "), 9<<10)...), asFile("image/jpeg"), false},
		{"HTML as WebP", bytes.Repeat([]byte("<p>"), 9<<10), asFile("image/webp"), false},
		{"many scans", scansJPEG(4000), asFile("image/jpeg"), false}, // 25 million pixels, and their coefficients
		{"an animation", webp, asFile("image/webp"), false},
		{"more pixels than the head says", append(pngOf(t, screen(1300, 900))[:33:33], pngOf(t, screen(1400, 100))[33:]...), nil, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := newKit(t)
			f := k.file("picture", c.data)
			if c.change != nil {
				c.change(&f)
			}
			for range 2 {
				if data, kind, final := k.open(f, 768); data != nil || !final {
					t.Fatalf("%d bytes of %s, final %v", len(data), kind, final)
				}
			}
			if made := k.Made(); c.reads && made != 1 || !c.reads && made != 0 {
				t.Errorf("%d pictures were decoded", made)
			}
		})
	}
}

func TestScansAreCounted(t *testing.T) {
	for n, data := range map[int][]byte{
		0: []byte("\xff\xd8\xff\xd9"), 1: jpegOf(t, photo(64, 64)), 4000: scansJPEG(4000),
		2: append(scansJPEG(2), bytes.Repeat([]byte("\xff\xda\x00\x02"), 9)...), // behind the end, such as a film
	} {
		if got := scans(data); got != n {
			t.Errorf("%d scans, want %d", got, n)
		}
	}
	small := bytes.Replace(scansJPEG(maxScans+1), []byte{0x13, 0x88, 0x13, 0x88}, []byte{3, 132, 5, 20}, 1)
	if _, err := decode(small, head{kind: "image/jpeg"}); err == nil {
		t.Error("many scans are read")
	}
}

// A thousand readers who ask at the same time get one picture for each width.
func TestEachPictureIsMadeOnce(t *testing.T) {
	k := newKit(t)
	f := k.file("photo.jpg", jpegOf(t, photo(2800, 700)))
	all := Widths(f)
	if len(all) != 5 {
		t.Fatalf("widths %v", all)
	}
	var group sync.WaitGroup
	for i := range 1000 {
		group.Go(func() {
			turns := budget.NewTurns(1)
			b := turns.Budget(t.Context(), "reader")
			defer b.End()
			p, _, err := k.Open(budget.NewContext(t.Context(), b), "org", f, all[i%len(all)], k.source(f))
			if err != nil || p == nil {
				t.Errorf("width %d: %v", all[i%len(all)], err)
				return
			}
			p.Close()
		})
	}
	group.Wait()
	if made := k.Made(); made != int64(len(all)) {
		t.Errorf("%d pictures were decoded", made)
	}
}

// If the memory for pictures is used, readers get the original, this time.
func TestBusy(t *testing.T) {
	k := newKit(t)
	f := k.file("photo.jpg", jpegOf(t, photo(900, 700)))
	k.Memory = budget.NewPool("pictures", 1)
	if _, err := k.Memory.Take(t.Context(), "other", 1); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, _, err := k.Open(ctx, "org", f, 384, k.source(f)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a reader who leaves: %v", err)
	}
	hash, err := blob.ParseHash(f.Blob)
	if err != nil {
		t.Fatal(err)
	}
	w, _ := k.begin(key{hash, 384})
	w.err = errs.E(errs.Busy, "busy")
	go k.end(key{hash, 384}, w)
	if data, _, final := k.open(f, 384); data != nil || final {
		t.Errorf("%d bytes, final %v", len(data), final)
	}
}

// Results survive a restart; those of deleted files do not survive a day.
func TestResultsAreKept(t *testing.T) {
	k := newKit(t)
	f := k.file("photo.jpg", jpegOf(t, photo(900, 700)))
	gone := k.file("gone.jpg", jpegOf(t, photo(900, 701)))
	broken := k.file("broken.png", pngOf(t, screen(1300, 900))[:20<<10])
	want, _, _ := k.open(f, 384)
	k.open(gone, 384)
	k.open(broken, 384)
	for _, name := range []string{"0", "tmp/picture-1"} { // of an older program, and of one that was killed
		path := filepath.Join(k.dir, name)
		if err := errors.Join(os.MkdirAll(path, 0o700), os.Chtimes(path, time.Now().Add(-2*staleTemp), time.Now().Add(-2*staleTemp))); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	if k.Maker, err = New(k.dir, 10<<20); err != nil {
		t.Fatal(err)
	}
	if got, _, _ := k.open(f, 384); !bytes.Equal(got, want) || len(got) == 0 {
		t.Errorf("after a restart there are %d bytes, not %d", len(got), len(want))
	}
	k.open(broken, 384)
	if k.Made() != 0 {
		t.Error("pictures were made again")
	}
	for _, name := range []string{"0", "tmp/picture-1"} {
		if _, err := os.Stat(filepath.Join(k.dir, name)); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
	hash, err := blob.ParseHash(gone.Blob)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.files.Delete(t.Context(), hash, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if removed, err := k.Tidy(t.Context(), k.files); removed != 1 || err != nil {
		t.Errorf("%d were removed: %v", removed, err)
	}
	if p, known, err := k.folder.open(key{hash, 384}); p != nil || known || err != nil {
		t.Errorf("the picture of a deleted file is still there: %v", err)
	}
}

func TestTheFolderIsBounded(t *testing.T) {
	f, err := openFolder(t.TempDir(), 100<<10)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 60 {
		k := key{blob.Hash{byte(i), 1}, 384}
		if err := f.put(k, make([]byte, 9<<10)); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(time.Duration(i-100) * time.Hour) // of the last use
		if err := os.Chtimes(f.path(k), at, at); err != nil {
			t.Fatal(err)
		}
		all, err := f.list()
		if err != nil {
			t.Fatal(err)
		}
		size := int64(0)
		for _, e := range all {
			size += e.size
		}
		if size > f.most {
			t.Fatalf("%d files have %d bytes", len(all), size)
		}
	}
	for i, want := range map[int]bool{0: false, 30: false, 58: true, 59: true} {
		if p, known, err := f.open(key{blob.Hash{byte(i), 1}, 384}); known != want || err != nil {
			t.Errorf("%d is there: %v, %v", i, known, err)
		} else if p != nil {
			p.Close()
		}
	}
}
