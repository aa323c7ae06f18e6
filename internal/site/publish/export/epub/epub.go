// Package epub writes books in the EPUB 3 format.
//
// A book is written page by page. The package does not depend on the store or on sites:
// the caller passes chapters as HTML, and opens the files that they refer to.
package epub

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	_ "embed"
)

// Book is the metadata of a book.
type Book struct {
	ID       string // unique, and equal in all editions of the book
	Title    string
	Subtitle string
	Language string // "" means English
	Modified time.Time
}

// Chapter is a page of a book.
type Chapter struct {
	File  string // path in the book; ends with .xhtml
	Title string
	Depth int    // level in the table of contents; a deeper chapter is nested below the one before it
	HTML  string // "" for an entry of the table of contents without a page
	// Unlisted excludes the chapter from the table of contents: it is only reachable by
	// links.
	Unlisted bool
}

// Source is the content of a book.
type Source struct {
	// Chapters calls fn with all chapters in order. It is called twice, because the
	// anchors of all chapters must be known before links are written.
	Chapters func(fn func(Chapter) error) error
	// Open opens a file that a chapter refers to, by its path in the book, and returns
	// its media type.
	Open func(name string) (r io.ReadCloser, kind string, err error)
}

//go:embed book.css
var style []byte

const folder = "book/" // for all files except those that the format prescribes

// writer writes one book.
type writer struct {
	Book
	src      Source
	zip      *zip.Writer
	ids      map[string]map[string]bool // anchors by chapter file
	files    map[string]string          // media types of files that chapters refer to; "" if a file is not included
	manifest bytes.Buffer
	spine    bytes.Buffer
	contents bytes.Buffer // entries of the table of contents
	depth    int          // level of the last entry
	count    int
}

// Write writes a book.
func Write(out io.Writer, b Book, src Source) error {
	if b.Language == "" {
		b.Language = "en"
	}
	w := &writer{Book: b, src: src, zip: zip.NewWriter(out), ids: map[string]map[string]bool{}, files: map[string]string{}, depth: -1}
	for _, step := range []func() error{w.head, w.anchors, w.chapters, w.pictures, w.tail, w.zip.Close} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// put writes a file of the archive. The mimetype file must be stored uncompressed; it is
// the first file.
func (w *writer) put(name string, b []byte) error {
	method := zip.Deflate
	if name == "mimetype" {
		method = zip.Store
	}
	f, err := w.zip.CreateHeader(&zip.FileHeader{Name: name, Method: method})
	if err == nil {
		_, err = f.Write(b)
	}
	return err
}

const container = `<?xml version="1.0" encoding="UTF-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="book/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>
`

func (w *writer) head() error {
	cover := w.document(0, "cover", w.Title, `<div class="cover"><img src="cover.svg" alt="`+escaped(w.Title)+`"/></div>`)
	for _, f := range []struct {
		name string
		data []byte
	}{
		{"mimetype", []byte("application/epub+zip")}, {"META-INF/container.xml", []byte(container)},
		{folder + "book.css", style}, {folder + "cover.svg", w.cover()}, {folder + "cover.xhtml", cover},
	} {
		if err := w.put(f.name, f.data); err != nil {
			return err
		}
	}
	w.manifest.WriteString(`<item id="style" href="book.css" media-type="text/css"/>
<item id="cover-image" href="cover.svg" media-type="image/svg+xml" properties="cover-image"/>
<item id="cover" href="cover.xhtml" media-type="application/xhtml+xml"/>
<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
`)
	w.spine.WriteString("<itemref idref=\"cover\"/>\n<itemref idref=\"nav\"/>\n")
	return nil
}

// document returns an XHTML document.
func (w *writer) document(depth int, class, title, body string) []byte {
	return fmt.Appendf(nil, `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" xml:lang="%[1]s" lang="%[1]s">
<head><title>%[2]s</title><link rel="stylesheet" type="text/css" href="%[3]sbook.css"/></head>
<body class="%[4]s">
%[5]s
</body>
</html>
`, escaped(w.Language), escaped(title), strings.Repeat("../", depth), class, body)
}

// anchors collects the anchors of all chapters.
func (w *writer) anchors() error {
	return w.src.Chapters(func(c Chapter) error {
		if c.HTML == "" {
			return nil
		}
		b, err := convert(c.HTML, func(at string, _ bool) (string, bool) { return at, true })
		if err == nil {
			w.ids[c.File] = b.ids
		}
		return err
	})
}

func (w *writer) chapters() error {
	return w.src.Chapters(func(c Chapter) error {
		if !c.Unlisted {
			w.entry(c)
		}
		if c.HTML == "" {
			return nil
		}
		b, err := convert(c.HTML, func(at string, picture bool) (string, bool) { return w.link(c.File, at, picture) })
		if err != nil {
			return err
		}
		w.count++
		var has []string
		if b.math {
			has = append(has, "mathml")
		}
		if b.svg {
			has = append(has, "svg")
		}
		properties := ""
		if len(has) > 0 {
			properties = fmt.Sprintf(` properties="%s"`, strings.Join(has, " "))
		}
		fmt.Fprintf(&w.manifest, "<item id=\"c%d\" href=\"%s\" media-type=\"application/xhtml+xml\"%s/>\n", w.count, escaped(address(c.File)), properties)
		fmt.Fprintf(&w.spine, "<itemref idref=\"c%d\"/>\n", w.count)
		return w.put(folder+c.File, w.document(strings.Count(c.File, "/"), "chapter", c.Title, b.String()))
	})
}

// link returns the address of a link or picture for the book. It reports false for links
// that are neither to chapters nor to other sites, and for pictures that are not
// included.
func (w *writer) link(from, at string, picture bool) (string, bool) {
	if strings.HasPrefix(at, "https://") || strings.HasPrefix(at, "http://") || strings.HasPrefix(at, "mailto:") {
		return at, true
	}
	name, anchor, _ := strings.Cut(at, "#")
	target := from
	if name != "" {
		plain, err := unescape(name)
		if err != nil || strings.Contains(strings.SplitN(plain, "/", 2)[0], ":") || path.IsAbs(plain) {
			return "", false
		}
		target = path.Join(path.Dir(from), plain)
	}
	ids, isChapter := w.ids[target]
	switch {
	case !isChapter && (!picture || strings.HasPrefix(target, "../")):
		return "", false
	case !isChapter:
		kind, known := w.files[target]
		if !known {
			kind = w.fileType(target)
			w.files[target] = kind
		}
		return name, kind != ""
	case anchor != "" && ids[anchor]:
		return at, true
	case name == "":
		return "", false // an anchor that does not exist
	}
	return name, true
}

// core are the media types of pictures that every EPUB reader supports. Other files are
// not included.
var core = []string{"image/png", "image/jpeg", "image/gif", "image/svg+xml"}

func (w *writer) fileType(name string) string {
	r, kind, err := w.src.Open(name)
	if err != nil {
		return ""
	}
	_ = r.Close() // read only: there is no error to handle
	kind, _, _ = strings.Cut(kind, ";")
	if !slices.Contains(core, kind) {
		return ""
	}
	return kind
}
