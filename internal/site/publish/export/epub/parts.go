package epub

import (
	"archive/zip"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// entry adds a chapter to the table of contents.
func (w *writer) entry(c Chapter) {
	depth := min(c.Depth, w.depth+1)
	switch {
	case depth > w.depth:
		w.contents.WriteString("<ol>")
	default:
		w.contents.WriteString("</li>")
		for ; w.depth > depth; w.depth-- {
			w.contents.WriteString("</ol></li>")
		}
	}
	w.depth = depth
	if c.HTML == "" {
		fmt.Fprintf(&w.contents, "<li><span>%s</span>", escaped(c.Title))
		return
	}
	fmt.Fprintf(&w.contents, "<li><a href=\"%s\">%s</a>", escaped(address(c.File)), escaped(c.Title))
}

// address returns the path of a file as an escaped URL.
func address(name string) string { return (&url.URL{Path: name}).EscapedPath() }

func unescape(at string) (string, error) { return url.PathUnescape(at) }

// pictures writes the files that chapters refer to.
func (w *writer) pictures() error {
	for i, name := range slices.Sorted(maps.Keys(w.files)) {
		if w.files[name] == "" {
			continue
		}
		fmt.Fprintf(&w.manifest, "<item id=\"f%d\" href=\"%s\" media-type=\"%s\"/>\n", i, escaped(address(name)), w.files[name])
		if err := w.picture(name); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) picture(name string) error {
	r, _, err := w.src.Open(name)
	if err != nil {
		return err
	}
	defer r.Close()
	f, err := w.zip.CreateHeader(&zip.FileHeader{Name: folder + name, Method: zip.Deflate})
	if err == nil {
		_, err = io.Copy(f, r)
	}
	return err
}

// tail writes the table of contents and the package document.
func (w *writer) tail() error {
	if w.depth < 0 { // a list must have an entry
		w.entry(Chapter{Title: w.Title})
	}
	w.contents.WriteString("</li></ol>" + strings.Repeat("</li></ol>", w.depth))
	nav := w.document(0, "nav", w.Title, fmt.Sprintf("<nav epub:type=\"toc\" id=\"toc\"><h1>%s</h1>%s</nav>", escaped(w.Title), w.contents.String()))
	if err := w.put(folder+"nav.xhtml", nav); err != nil {
		return err
	}
	return w.put(folder+"book.opf", fmt.Appendf(nil, `<?xml version="1.0" encoding="UTF-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id" xml:lang="%[3]s">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="id">%[1]s</dc:identifier>
<dc:title>%[2]s</dc:title>
<dc:language>%[3]s</dc:language>
<meta property="dcterms:modified">%[4]s</meta>
<meta name="cover" content="cover-image"/>
</metadata>
<manifest>
%[5]s</manifest>
<spine>
%[6]s</spine>
</package>
`, escaped(w.ID), escaped(w.Title), escaped(w.Language), w.Modified.UTC().Format("2006-01-02T15:04:05Z"), w.manifest.String(), w.spine.String()))
}

// coverLine is the maximum number of characters of a line of the cover, coverLines the
// maximum number of lines.
const (
	coverLine  = 16
	coverLines = 6
)

// cover returns a cover picture with the title as SVG.
func (w *writer) cover() []byte {
	var lines []string
	for _, word := range strings.Fields(w.Title) {
		if last := len(lines) - 1; last >= 0 && len([]rune(lines[last]+" "+word)) <= coverLine {
			lines[last] += " " + word
			continue
		}
		lines = append(lines, word)
	}
	var b strings.Builder
	b.WriteString(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1600 2560" width="1600" height="2560"><rect width="1600" height="2560" fill="#14213d"/><rect x="140" y="560" width="180" height="24" fill="#fca311"/>`)
	for i, line := range lines[:min(len(lines), coverLines)] {
		fmt.Fprintf(&b, `<text x="140" y="%d" font-family="sans-serif" font-weight="bold" font-size="150" fill="#ffffff">%s</text>`, 780+i*190, escaped(line))
	}
	fmt.Fprintf(&b, `<text x="140" y="2380" font-family="sans-serif" font-size="64" fill="#c9d1e4">%s</text></svg>`, escaped(w.Subtitle))
	return []byte(b.String())
}
