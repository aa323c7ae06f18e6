package pdf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	stdcolor "image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/highlight"
	"github.com/octavo-docs/octavo/internal/print/formula"
	"github.com/octavo-docs/octavo/internal/print/typeface"
)

// testBook is a book of Markdown pages. Ids of pages and files are their names.
type testBook struct {
	pages []testPage
	files map[string][]byte
	fonts *typeface.Fonts

	missing []rune
}

type testPage struct {
	id, title string
	depth     int
	markdown  string // "-" is a group
}

// typesetter is shared by all tests, because its start takes a while.
var typesetter = formula.New(1 << 20)

func (b *testBook) refs() markup.Refs {
	return markup.Refs{Resolve: func(dest string, use markup.Use) (docs.Ref, bool) {
		page, anchor, _ := strings.Cut(dest, "#")
		switch {
		case b.files[dest] != nil:
			return docs.Ref{Kind: docs.RefFile, File: dest}, true
		case page == "" && anchor != "":
			return docs.Ref{Kind: docs.RefAnchor, Anchor: anchor}, true
		case b.has(page) && anchor != "":
			return docs.Ref{Kind: docs.RefAnchor, Page: page, Anchor: anchor}, true
		case b.has(page):
			return docs.Ref{Kind: docs.RefPage, Page: page}, true
		}
		return docs.Ref{}, false
	}}
}

func (b *testBook) has(id string) bool {
	return slices.ContainsFunc(b.pages, func(p testPage) bool { return p.id == id })
}

func (b *testBook) book() Book {
	return Book{
		Title: "The Book", Subtitle: "Acme", Facts: []string{"1 May 2026", "Revision r1"}, Date: time.Unix(1_800_000_000, 0), Contents: len(b.pages) > 1,
		Within: b.has, Fonts: b.fonts, Highlight: highlight.New(1 << 20), Formulas: typesetter.Begin(context.Background(), "", time.Minute),
		Chapters: func(yield func(Chapter, error) bool) {
			for _, p := range b.pages {
				ch := Chapter{ID: p.id, Title: p.title, Depth: p.depth}
				if p.markdown != "-" {
					ch.Document = markup.Parse([]byte(p.markdown), b.refs())
				}
				if !yield(ch, nil) {
					return
				}
			}
		},
		Name: func(ref docs.Ref) (string, bool) {
			for _, p := range b.pages {
				if p.id == ref.Page {
					return p.title, true
				}
			}
			return ref.File, ref.File != ""
		},
		Size: func(ref docs.Ref) (int64, bool) { return int64(len(b.files[ref.File])), ref.File != "" },
		Link: func(ref docs.Ref) (string, bool) { return "https://octavo.example/f/" + ref.File, ref.File != "" },
		Open: func(ref docs.Ref) (io.ReadCloser, error) {
			data, ok := b.files[ref.File]
			if !ok {
				return nil, errors.New("no such file")
			}
			return io.NopCloser(bytes.NewReader(data)), nil
		},
		Missing: func(r []rune) { b.missing = r },
	}
}

func (b *testBook) write(t testing.TB) *pdfFile {
	t.Helper()
	var out bytes.Buffer
	for range 10 { // a slow machine may have no time for a formula
		out.Reset()
		book := b.book()
		if err := Write(context.Background(), &out, book); err != nil {
			t.Fatal(err)
		}
		if !book.Formulas.Omitted() {
			break
		}
	}
	f := readPDF(t, out.Bytes())
	f.check()
	return f
}

func page(markdown string) *testBook { return &testBook{pages: []testPage{{"p", "Page", 0, markdown}}} }

func TestTheStructureOfABook(t *testing.T) {
	b := &testBook{pages: []testPage{
		{"home", "Home", 0, "Go to [second](second#details) or [its beginning](second), [gone](second#gone), [out](https://example.com/a) and [bad](javascript:alert(1)).\n\n## First\n\nText.\n\n### Deep\n"},
		{"group", "Reference", 0, "-"},
		{"second", "Second page", 1, strings.Repeat("Filler text to fill a page. ", 1200) + "\n\n## Details\n\nBack [home](home#first). See [below](#details).\n"},
		{"third", "Третья", 1, "Note[^1].\n\n[^1]: The note.\n"},
	}}
	f := b.write(t)
	pages := f.pages()
	dests := f.dests()

	// Chapters begin on new pages; a group is on the page of its first chapter.
	first, second, third := dests["p:home"], dests["p:second"], dests["p:third"]
	if first != 2 || second != 3 || dests["p:group"] != 3 || third <= second+2 || third != len(pages)-1 {
		t.Fatalf("chapters begin on %d, %d, %d of %d", first, second, third, len(pages))
	}
	// The table of contents has the page numbers, which start with 1 after the cover and
	// the table of contents.
	contents := f.text(pages[1])
	for _, want := range []string{"Contents", "Home", "Reference", "Second page", "Третья", fmt.Sprint(third - 1)} {
		if !strings.Contains(contents, want) {
			t.Errorf("the contents lack %q: %q", want, contents)
		}
	}
	if got, _ := f.links(pages[1]); !slices.Equal(got, []string{"p:home", "p:group", "p:second", "p:third"}) {
		t.Errorf("the contents lead to %q", got)
	}
	if text := f.text(pages[third]); !strings.HasSuffix(text, fmt.Sprint(third-1)) || !strings.Contains(text, "Третья") {
		t.Errorf("the page of the third chapter: %q", text)
	}
	labels := f.dict(f.trailer["Root"])["PageLabels"].(pdfDict)["Nums"].([]any)
	if len(labels) != 4 || labels[2] != 2.0 {
		t.Errorf("labels: %v", labels)
	}
	// Links into the book use names. A link to an unknown anchor leads to its page. Links
	// out of the book need a safe scheme.
	to, urls := f.links(pages[first])
	if !slices.Equal(to, []string{"p:second#details", "p:second", "p:second#gone"}) || !slices.Equal(urls, []string{"https://example.com/a"}) {
		t.Errorf("links: %q %q", to, urls)
	}
	if dests["p:second#gone"] != second || dests["p:second#details"] != third-1 || dests["p:home#first"] != first {
		t.Errorf("places: %v", dests)
	}
	// Notes have links in both directions.
	if dests["p:third#~note1"] != third || dests["p:third#~ref1"] != third {
		t.Errorf("notes: %v", dests)
	}
	var titles func([]bookmark, string) []string
	titles = func(list []bookmark, in string) (out []string) {
		for _, b := range list {
			out = append(append(out, in+b.title), titles(b.below, in+"> ")...)
		}
		return out
	}
	want := []string{"Contents", "Home", "> First", "> > Deep", "Reference", "> Second page", "> > Details", "> Третья"}
	if got := titles(f.outline(), ""); !slices.Equal(got, want) {
		t.Errorf("outline: %q", got)
	}
	if info := f.dict(f.trailer["Info"]); info["Title"] != "The Book" {
		t.Errorf("info: %v", info)
	}
	if cover := f.text(pages[0]); !strings.Contains(cover, "The Book") || !strings.Contains(cover, "ACME") || !strings.Contains(cover, "Revision r1") {
		t.Errorf("cover: %q", cover)
	}
}

// The same book results in the same file, so that a range of it can be requested later.
func TestWritingIsRepeatable(t *testing.T) {
	everything, err := os.ReadFile("../../markup/testdata/everything.md")
	if err != nil {
		t.Fatal(err)
	}
	b := page(string(everything))
	b.files = map[string][]byte{"a.png": pngOf(t, 30, 20, false), "s.png": pngOf(t, 20, 20, true)}
	var first []byte
	for range 3 {
		var out bytes.Buffer
		if err := Write(context.Background(), &out, b.book()); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = out.Bytes()
		} else if !bytes.Equal(first, out.Bytes()) {
			t.Fatal("the file differs")
		}
	}
	readPDF(t, first).check()
}

// allText returns the text of all pages.
func (f *pdfFile) allText() string {
	var b strings.Builder
	for _, p := range f.pages() {
		b.WriteString(f.text(p))
		b.WriteString("\n")
	}
	return b.String()
}

// Every kind of block shows its text.
func TestBlocks(t *testing.T) {
	for name, c := range map[string]struct{ markdown, want string }{
		"code":       {"```go\nfunc main() {}\n```\n", "func main() {}"},
		"tabs":       {"{% tabs %}\n{% tab title=\"Linux\" %}\napt\n{% endtab %}\n\n{% tab title=\"Mac\" %}\nbrew\n{% endtab %}\n{% endtabs %}\n", "Linux apt Mac brew"},
		"steps":      {"{% stepper %}\n{% step %}\n### One\n\ntext\n{% endstep %}\n{% endstepper %}\n", "One text"},
		"expandable": {"<details>\n\n<summary>Why</summary>\n\nBecause.\n\n</details>\n", "Why Because."},
		"hint":       {"{% hint style=\"danger\" %}\nCareful.\n{% endhint %}\n", "Careful."},
		"quote":      {"> words\n", "words"},
		"list":       {"3. three\n4. four\n", "3. three 4. four"},
		"table":      {"| A | B |\n|---|---|\n| one | two |\n", "A B one two"},
		"deep table": {strings.Repeat("> ", 14) + "| A | B |\n" + strings.Repeat("> ", 14) + "|---|---|\n" + strings.Repeat("> ", 14) + "| one | two |\n", "A one B two"},
		"math":       {"$$\na^2\n$$\n", "a2"},
		"embed":      {"{% embed url=\"https://example.com/v\" %}\n", "https://example.com/v"},
		"image":      {"![A picture](https://example.com/x.png)\n", "[Image: A picture]"},
		"columns":    {"{% columns %}\n{% column %}\nleft\n{% endcolumn %}\n\n{% column %}\nright\n{% endcolumn %}\n{% endcolumns %}\n", "left right"},
		"update":     {"{% updates format=\"full\" %}\n{% update date=\"2025-12-25\" %}\nNews\n{% endupdate %}\n{% endupdates %}\n", "December 25, 2025 News"},
		"raw":        {"<div><custom-thing>shown</custom-thing></div>\n", "shown"},
		"break":      {"a<br>b\n", "a b"},
	} {
		t.Run(name, func(t *testing.T) {
			text := page(c.markdown).write(t).allText()
			at := 0
			for _, word := range strings.Fields(c.want) {
				i := strings.Index(text[at:], word)
				if i < 0 {
					t.Fatalf("%q is not in %q", word, text[at:])
				}
				at += i + len(word)
			}
		})
	}
}

// The header of a table is repeated on every page, and rows that are higher than a page
// are split.
func TestLongTables(t *testing.T) {
	var b strings.Builder
	b.WriteString("| Number | Heading |\n|---|---|\n")
	for i := range 150 {
		fmt.Fprintf(&b, "| %d | row |\n", i)
	}
	fmt.Fprintf(&b, "| last | %s end-of-cell |\n", strings.Repeat("long ", 4000))
	f := page(b.String()).write(t)
	pages := f.pages()[1:]
	if len(pages) < 8 {
		t.Fatalf("%d pages", len(pages))
	}
	for i, p := range pages {
		if text := f.text(p); strings.Count(text, "Heading") != 1 {
			t.Errorf("page %d has the head %d times", i, strings.Count(text, "Heading"))
		}
	}
	if !strings.Contains(f.text(pages[len(pages)-1]), "end-of-cell") {
		t.Error("the end of the long cell is missing")
	}
}

func pngOf(t testing.TB, w, h int, clear bool) []byte {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i := range img.Pix {
		img.Pix[i] = byte(i * 7)
		if i%4 == 3 && !clear {
			img.Pix[i] = 255
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestPictures(t *testing.T) {
	img := image.NewPaletted(image.Rect(0, 0, 12, 9), stdcolor.Palette{stdcolor.White, stdcolor.Black, stdcolor.Transparent})
	var jpg, anim, gray bytes.Buffer
	if err := errors.Join(jpeg.Encode(&jpg, img, nil), gif.Encode(&anim, img, nil), jpeg.Encode(&gray, image.NewGray(image.Rect(0, 0, 5, 5)), nil)); err != nil {
		t.Fatal(err)
	}
	// A tiny file whose header claims a huge size.
	bomb := pngOf(t, 1, 1, false)
	copy(bomb[16:24], []byte{0, 0, 0xff, 0xff, 0, 0, 0xff, 0xff})
	files := map[string][]byte{
		"a.png": pngOf(t, 40, 30, false), "clear.png": pngOf(t, 40, 30, true), "b.jpg": jpg.Bytes(), "gray.jpg": gray.Bytes(), "c.gif": anim.Bytes(),
		"cut.png": pngOf(t, 400, 300, false)[:200], "bomb.png": bomb, "d.svg": []byte("<svg/>"), "huge.png": pngOf(t, 6000, 10, false), "empty.png": {},
	}
	for name, c := range map[string]struct {
		dict  []string
		shown bool
	}{
		"a.png": {[]string{"/Width 40", "/DeviceRGB"}, true}, "clear.png": {[]string{"/SMask"}, true}, "b.jpg": {[]string{"/DCTDecode", "/Width 12"}, true},
		"gray.jpg": {[]string{"/DeviceGray"}, true}, "c.gif": {[]string{"/Width 12"}, true}, "huge.png": {[]string{"/Width 3000/Height 5"}, true},
		"cut.png": {nil, false}, "bomb.png": {nil, false}, "d.svg": {nil, false}, "empty.png": {nil, false},
	} {
		b := page("![Alt text](" + name + ")\n\nAgain ![x](" + name + ") in a line.\n")
		b.files = files
		f := b.write(t)
		body := f.pages()[1]
		xobjects := f.dict(body["Resources"])["XObject"]
		if (xobjects != nil) != c.shown {
			t.Errorf("%s: shown is %v", name, xobjects != nil)
		}
		for _, want := range c.dict {
			if !bytes.Contains(f.data, []byte(want)) {
				t.Errorf("%s: no %s", name, want)
			}
		}
		if n := bytes.Count(f.data, []byte("/Subtype/Image")) - bytes.Count(f.data, []byte("/SMask")); c.shown && n != 1 {
			t.Errorf("%s is in the file %d times", name, n)
		}
		if !c.shown {
			if _, urls := f.links(body); !strings.Contains(f.text(body), "[Image: Alt text]") || len(urls) == 0 || urls[0] != "https://octavo.example/f/"+name {
				t.Errorf("%s: %q %q", name, f.text(body), urls)
			}
		}
	}
}

// Only files of the space are opened.
func TestNothingIsFetched(t *testing.T) {
	b := page("![x](file:///etc/passwd) ![y](http://169.254.169.254/latest) <img src=\"http://127.0.0.1/x.png\">\n\n![z](//evil.example/z.png)\n")
	book := b.book()
	book.Open = func(ref docs.Ref) (io.ReadCloser, error) {
		t.Errorf("%v was opened", ref)
		return nil, errors.New("no")
	}
	if err := Write(context.Background(), io.Discard, book); err != nil {
		t.Fatal(err)
	}
}

// bigBook returns a book whose chapters are created one at a time.
func bigBook(chapters int) Book {
	b := &testBook{files: map[string][]byte{}}
	para := strings.Repeat("Some words that fill lines and pages, with `code` and **bold** text. ", 12)
	md := "## A heading\n\n" + strings.Repeat(para+"\n\n", 3) + "![x](a.png)\n\n```go\nfunc f() { return 1 }\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
	book := b.book()
	book.Contents = true
	book.Within = func(string) bool { return true }
	book.Chapters = func(yield func(Chapter, error) bool) {
		for i := range chapters {
			id := fmt.Sprint("c", i)
			doc := markup.Parse([]byte(md+fmt.Sprintf("\n[next](c%d#a-heading)\n", i+1)), markup.Refs{Resolve: func(dest string, _ markup.Use) (docs.Ref, bool) {
				page, anchor, ok := strings.Cut(dest, "#")
				if ok {
					return docs.Ref{Kind: docs.RefAnchor, Page: page, Anchor: anchor}, true
				}
				return docs.Ref{Kind: docs.RefFile, File: fmt.Sprint("file", i)}, true
			}})
			if !yield(Chapter{ID: id, Title: "Chapter " + id, Document: doc}, nil) {
				return
			}
		}
	}
	return book
}

// Memory does not grow with the number of pages or pictures: 1,500 pages with 200 MB of
// pictures.
func TestMemoryIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("it writes 2,000 pages")
	}
	photo := append(jpegOf(t), make([]byte, 150<<10)...) // bytes after the end are ignored
	measure := func(chapters int) (peak uint64, pages int) {
		book := bigBook(chapters)
		book.Open = func(docs.Ref) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(photo)), nil }
		inner := book.Chapters
		var most atomic.Uint64
		book.Chapters = func(yield func(Chapter, error) bool) {
			n := 0
			for ch, err := range inner {
				if n++; n%50 == 0 {
					runtime.GC()
					var m runtime.MemStats
					runtime.ReadMemStats(&m)
					most.Store(max(most.Load(), m.HeapAlloc))
				}
				if !yield(ch, err) {
					return
				}
			}
		}
		out := &counter{}
		if err := Write(context.Background(), out, book); err != nil {
			t.Fatal(err)
		}
		return most.Load(), out.pages
	}
	small, fewPages := measure(500)
	large, manyPages := measure(1500)
	rss := "unknown"
	if b, err := os.ReadFile("/proc/self/status"); err == nil {
		for l := range strings.Lines(string(b)) {
			if s, ok := strings.CutPrefix(l, "VmHWM:"); ok {
				rss = strings.TrimSpace(s)
			}
		}
	}
	t.Logf("pdf: %d pages: heap %d KB; %d pages: heap %d KB; peak RSS of the process %s", fewPages, small>>10, manyPages, large>>10, rss)
	if fewPages < 500 || manyPages < 1500 {
		t.Errorf("%d and %d pages", fewPages, manyPages)
	}
	if large > small+6<<20 {
		t.Errorf("live memory grew from %d to %d bytes", small, large)
	}
}

// counter counts pages and discards the output.
type counter struct{ pages int }

func (c *counter) Write(b []byte) (int, error) {
	c.pages += bytes.Count(b, []byte("/Type/Page/"))
	return len(b), nil
}

func jpegOf(t testing.TB) []byte {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewRGBA(image.Rect(0, 0, 100, 60)), nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestABookCanBeTooLong(t *testing.T) {
	if testing.Short() {
		t.Skip("it writes 20,000 pages")
	}
	book := bigBook(0)
	doc := markup.Parse([]byte("x\n"), markup.Refs{})
	book.Chapters = func(yield func(Chapter, error) bool) {
		for i := range MaxPages + 5 {
			if !yield(Chapter{ID: fmt.Sprint(i), Title: "T", Document: doc}, nil) {
				return
			}
		}
	}
	if err := Write(context.Background(), io.Discard, book); !errors.Is(err, ErrTooLong) {
		t.Errorf("%v", err)
	}
}

func TestErrorsStopTheBook(t *testing.T) {
	broken := errors.New("broken")
	book := page("x").book()
	book.Chapters = iter.Seq2[Chapter, error](func(yield func(Chapter, error) bool) { yield(Chapter{}, broken) })
	if err := Write(context.Background(), io.Discard, book); !errors.Is(err, broken) {
		t.Error(err)
	}
	if err := Write(context.Background(), failingWriter{}, page(strings.Repeat("text ", 100_000)).book()); !errors.Is(err, errFull) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Write(ctx, io.Discard, page("x").book()); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

var errFull = errors.New("full")

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errFull }

// Poppler reads the file without errors.
func TestPopplerOpensIt(t *testing.T) {
	if _, err := exec.LookPath("pdftotext"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("poppler-utils is missing, and CI skips nothing")
		}
		t.Skip("poppler-utils is not installed, so PDFs are read by our own reader only")
	}
	everything, err := os.ReadFile("../../markup/testdata/everything.md")
	if err != nil {
		t.Fatal(err)
	}
	b := &testBook{
		pages: []testPage{{"one", "One", 0, string(everything)}, {"two", "Scripts", 0, "Ελληνικά, Русский, Tiếng Việt.\n\nשלום 123 world.\n\nمرحبا بالعالم\n\n**bold** `code`"}},
		files: map[string][]byte{"a.png": pngOf(t, 40, 30, true), "s.png": pngOf(t, 40, 30, false), "src.png": jpegOf(t)},
	}
	at := filepath.Join(t.TempDir(), "b.pdf")
	out, err := os.Create(at)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(Write(context.Background(), out, b.book()), out.Close()); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"pdfinfo", at}, {"pdftotext", "-enc", "UTF-8", at, "-"}, {"pdffonts", at}, {"pdftoppm", "-r", "20", "-png", at, filepath.Join(t.TempDir(), "p")}} {
		var stdout, stderr bytes.Buffer
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Run(); err != nil || stderr.Len() > 0 {
			t.Errorf("%s: %v %s", args[0], err, stderr.String())
		}
		switch text := stdout.String(); args[0] {
		case "pdftotext":
			for _, want := range []string{"Contents", "Ελληνικά, Русский, Tiếng Việt", "שלום", "مرحبا", "In progress", "let x = 1"} {
				if !strings.Contains(text, want) {
					t.Errorf("pdftotext does not find %q", want)
				}
			}
		case "pdffonts":
			for _, l := range strings.Split(strings.TrimSpace(text), "\n")[2:] {
				if f := strings.Fields(l); !strings.Contains(f[0], "+") || !strings.Contains(l, "yes yes yes") {
					t.Errorf("a font is not embedded as a subset: %s", l)
				}
			}
		}
	}
}
