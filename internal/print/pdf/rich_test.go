package pdf

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/testing/golden"
)

// richBook is a page with every kind of block.
func richBook(t testing.TB) *testBook {
	read := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	return &testBook{
		pages: []testPage{{"rich", "🚀 Every block", 0, string(read("rich.md"))}, {"other", "Other page", 0, "Short.\n"}},
		files: map[string][]byte{"diagram.svg": read("diagram.svg"), "cover.svg": read("cover.svg"), "manual.zip": make([]byte, 12_345)},
	}
}

// To look at the page: OCTAVO_TEST_PDF=rich.pdf go test ./internal/print/pdf -run Rich
func TestARichPage(t *testing.T) {
	b := richBook(t)
	f := b.write(t)
	if to := os.Getenv("OCTAVO_TEST_PDF"); to != "" {
		var out bytes.Buffer
		if err := Write(context.Background(), &out, b.book()); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	golden.Compare(t, "testdata/rich.golden", []byte(f.outlineOf()))
}

var (
	placed = regexp.MustCompile(`(?s)BT (?:/(F\d+) ([\d.]+) Tf )?.*?1 0 [\d.]+ 1 ([\d.-]+) ([\d.-]+) Tm (.*?)ET\n`)
	shaded = regexp.MustCompile(`(?m) f\*?( Q)?$`)
)

// outlineOf describes the pages of a book: lines of text with position and size, the
// numbers of drawings, images and filled areas, and the targets of links.
func (f *pdfFile) outlineOf() string {
	var b strings.Builder
	for i, p := range f.pages() {
		content, forms, images := f.drawn(p)
		fmt.Fprintf(&b, "== page %d: %d drawings, %d images, %d areas\n", i+1, forms, images, len(shaded.FindAllString(content, -1)))
		fonts := f.dict(p["Resources"])["Font"].(pdfDict)
		font, size, y, line := "", "", "", ""
		for _, m := range placed.FindAllStringSubmatch(content, -1) {
			if m[1] != "" {
				font, size = m[1], m[2]
			}
			if whole, _, _ := strings.Cut(m[4], "."); whole != y {
				x, _, _ := strings.Cut(m[3], ".")
				y = whole
				b.WriteString(line)
				line = fmt.Sprintf("\n%4s,%4s %5s  ", x, y, size)
			}
			line += f.pieces(m[5], f.unicode(f.dict(fonts[font])))
		}
		b.WriteString(line + "\n")
		to, urls := f.links(p)
		fmt.Fprintf(&b, "links: %s\n", strings.Join(append(to, urls...), " "))
	}
	return b.String()
}
