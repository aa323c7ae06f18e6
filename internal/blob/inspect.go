package blob

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/gif"
	"io"
	"mime"
	"path"
	"strings"

	"github.com/gabriel-vasile/mimetype"
	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
	"golang.org/x/image/webp"
)

const (
	sniffBytes = 4 << 10 // number of bytes from which the type of a file is detected
	// inspectBytes is the maximum number of bytes that are read to find the size of an
	// image. A photo may have previews and a depth map before the header.
	inspectBytes = 8 << 20
	inspectBlock = 256 << 10 // bytes per read; each read is a request to a bucket
	maxDimension = 1 << 20   // maximum width and height in pixels; larger values are not plausible
)

// Sniffed is the detected type of a file.
type Sniffed struct {
	// ContentType has no parameters, such as image/png. It is never empty.
	ContentType string
	// Width and Height are the size of an image in pixels, or zero.
	Width, Height int
}

// Inspect detects the type of a file. Binary formats are detected by their content,
// regardless of the name. Text formats have no signature and are detected by the name.
// The size of an image is read from its header without decoding pixels, so that the cost
// does not depend on the size. The size is zero if the header cannot be read. The
// returned error is always an error of r.
func Inspect(name string, r io.ReaderAt, size int64) (Sniffed, error) {
	b := &bounded{r: r, size: size, budget: inspectBytes}
	head := make([]byte, min(sniffBytes, max(size, 0)))
	n, err := io.ReadFull(io.NewSectionReader(b, 0, int64(len(head))), head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return Sniffed{ContentType: octets}, err
	}
	s := Sniffed{ContentType: contentType(name, head[:n])}
	s.Width, s.Height = dimensions(s.ContentType, b)
	return s, b.err
}

// Save stores a file and detects its type.
func Save(ctx context.Context, s Store, name string, r io.Reader) (Info, Sniffed, error) {
	info, err := s.Put(ctx, r)
	if err != nil {
		return info, Sniffed{}, err
	}
	o, err := s.Open(ctx, info.Hash)
	if err != nil {
		return info, Sniffed{}, err
	}
	defer o.Close()
	kind, err := Inspect(name, o, info.Size)
	return info, kind, err
}

const (
	octets    = "application/octet-stream"
	plainText = "text/plain"
	svgImage  = "image/svg+xml"
)

// textTypes are the types of text files by file extension, because text has no signature.
var textTypes = map[string]string{
	".adoc": plainText, ".bat": plainText, ".c": plainText, ".cfg": plainText, ".conf": plainText,
	".cpp": plainText, ".cs": plainText, ".env": plainText, ".go": plainText, ".graphql": plainText,
	".h": plainText, ".ini": plainText, ".java": plainText, ".kt": plainText, ".log": plainText,
	".php": plainText, ".proto": plainText, ".ps1": plainText, ".py": plainText, ".rb": plainText,
	".rs": plainText, ".rst": plainText, ".sh": plainText, ".sql": plainText, ".swift": plainText,
	".text": plainText, ".tf": plainText, ".txt": plainText,
	".css": "text/css", ".csv": "text/csv", ".tsv": "text/tab-separated-values",
	".ics": "text/calendar", ".vcf": "text/vcard", ".vtt": "text/vtt",
	".htm": "text/html", ".html": "text/html", ".xhtml": "application/xhtml+xml",
	".js": "text/javascript", ".cjs": "text/javascript", ".mjs": "text/javascript", ".jsx": "text/javascript",
	".ts": "text/x-typescript", ".tsx": "text/x-typescript",
	".json": "application/json", ".map": "application/json", ".ipynb": "application/json",
	".jsonl": "application/jsonl", ".ndjson": "application/jsonl", ".geojson": "application/geo+json",
	".md": "text/markdown", ".markdown": "text/markdown", ".mdx": "text/markdown",
	".svg": svgImage, ".xml": "application/xml", ".xsd": "application/xml", ".xsl": "application/xml",
	".toml": "application/toml", ".yaml": "application/yaml", ".yml": "application/yaml",
}

func contentType(name string, head []byte) string {
	found := mimetype.Detect(head)
	text := false
	for m := found; m != nil; m = m.Parent() {
		text = text || m.Is(plainText)
	}
	// A match of a text format describes what the text looks like rather than what it is:
	// many README.md files begin with <p align="center">.
	if text {
		if t, ok := textTypes[strings.ToLower(path.Ext(name))]; ok {
			return t
		}
	}
	t, _, err := mime.ParseMediaType(found.String())
	if err != nil || t == "" {
		return octets
	}
	return t
}

// dimensions returns the size of an image, or zeros.
func dimensions(contentType string, b *bounded) (w, h int) {
	if contentType == svgImage {
		return svgSize(io.NewSectionReader(b, 0, svgBytes))
	}
	decode := decoders[contentType]
	if decode == nil {
		return 0, 0
	}
	// The input may be crafted to break a decoder. A panic of a decoder must not end the
	// program.
	defer func() {
		if recover() != nil {
			w, h = 0, 0
		}
	}()
	c, err := decode(io.NewSectionReader(b, 0, b.size))
	if err != nil || c.Width <= 0 || c.Height <= 0 || c.Width > maxDimension || c.Height > maxDimension {
		return 0, 0
	}
	return c.Width, c.Height
}

// decoders are functions that read the header of an image, by content type.
var decoders = map[string]func(io.Reader) (image.Config, error){
	"image/avif": heifSize,
	"image/bmp":  bmp.DecodeConfig,
	"image/gif":  gif.DecodeConfig,
	"image/heic": heifSize,
	"image/heif": heifSize,
	"image/jpeg": jpegSize,
	"image/png":  pngSize,
	"image/tiff": tiff.DecodeConfig,
	"image/webp": func(r io.Reader) (image.Config, error) {
		return webp.DecodeConfig(io.LimitReader(r, sniffBytes)) // the header comes first
	},
	// The type of an animated PNG.
	"image/vnd.mozilla.apng": pngSize,
}

// pngSize reads the header, which comes first. The decoder of the standard library would
// continue to the palette, at great cost if many chunks precede it.
func pngSize(r io.Reader) (c image.Config, err error) {
	const signature = "\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR" // includes the length of the header
	var b [len(signature) + 17]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return c, err
	}
	body, sum := b[12:29], b[29:]
	if string(b[:len(signature)]) != signature || crc32.ChecksumIEEE(body) != binary.BigEndian.Uint32(sum) {
		return c, errors.New("not a PNG header")
	}
	c.Width = int(binary.BigEndian.Uint32(body[4:]))
	c.Height = int(binary.BigEndian.Uint32(body[8:]))
	return c, nil
}

// bounded is an io.ReaderAt that returns at most budget bytes. It reads in blocks,
// because some decoders read four bytes at a time.
type bounded struct {
	r      io.ReaderAt
	size   int64
	budget int64
	block  []byte
	at     int64 // offset of the block
	err    error // error of r
}

func (b *bounded) ReadAt(p []byte, off int64) (n int, err error) {
	for n < len(p) {
		if off < 0 || off >= b.size || b.budget <= 0 || b.err != nil {
			return n, io.EOF
		}
		if off < b.at || off >= b.at+int64(len(b.block)) {
			b.load(off)
			continue
		}
		k := copy(p[n:], b.block[off-b.at:])
		n, off, b.budget = n+k, off+int64(k), b.budget-int64(k)
	}
	return n, nil
}

func (b *bounded) load(off int64) {
	b.at = off - off%inspectBlock
	if cap(b.block) == 0 {
		b.block = make([]byte, min(inspectBlock, b.size))
	}
	b.block = b.block[:min(int64(cap(b.block)), b.size-b.at)]
	n, err := b.r.ReadAt(b.block, b.at)
	b.block = b.block[:n]
	if err != nil && !errors.Is(err, io.EOF) {
		b.err = err
	} else if off >= b.at+int64(n) {
		b.size = b.at + int64(n) // the file is shorter than its stated size
	}
}
