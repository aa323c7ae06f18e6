package epub_test

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/epub"
)

const first = `<h1 id="a">A &amp; b</h1><p>One<br>two &lt; three <img src="pics/x.png" alt="An x" loading="lazy"><img src="https://else.test/y.png" alt="Far"></p>
<p><a href="two/index.xhtml#there">to</a> <a href="two/index.xhtml#gone">gone</a> <a href="#nowhere">no</a> <a href="pics/x.png">file</a> <a href="https://else.test/?a&amp;b" rel="noreferrer">out</a> <a href="javascript:alert(1)">bad</a></p>
<ul><li><input type="checkbox" checked disabled> done</li></ul><script>alert(1)</script><svg viewBox="0 0 1 1" aria-hidden="true"><path d="M0 0"/></svg>
<math><mi>x</mi></math><table><colgroup><col class="width-10"></colgroup><tbody><tr><td data-x="1">cell</td></tr></tbody></table><p id="a">twice` + "\x01" + `</p>`

func book(t *testing.T) map[string]string {
	t.Helper()
	var b bytes.Buffer
	err := epub.Write(&b, epub.Book{ID: "urn:x", Title: `Tom & "Jerry"`, Modified: time.Unix(1e9, 0)}, epub.Source{
		Chapters: func(fn func(epub.Chapter) error) error {
			return errors.Join(
				fn(epub.Chapter{File: "index.xhtml", Title: "First & last", HTML: first}),
				fn(epub.Chapter{Title: "Group"}),
				fn(epub.Chapter{File: "two/index.xhtml", Title: "Second", Depth: 1, HTML: `<h1 id="there">There</h1>`}),
				fn(epub.Chapter{File: "three/index.xhtml", Title: "Unlisted", HTML: `<p>Text</p>`, Unlisted: true}),
			)
		},
		Open: func(name string) (io.ReadCloser, string, error) {
			if name != "pics/x.png" {
				return nil, "", errors.New("no such file")
			}
			return io.NopCloser(strings.NewReader("picture")), "image/png", nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	r, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if f := r.File[0]; f.Name != "mimetype" || f.Method != zip.Store {
		t.Errorf("the first file is %s", f.Name)
	}
	files := map[string]string{}
	for _, f := range r.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = string(text)
	}
	return files
}

func TestBook(t *testing.T) {
	files := book(t)
	for name, want := range map[string][]string{
		"book/index.xhtml": {
			`<h1 id="a">A &amp; b</h1>`, `One<br/>two &lt; three <img src="pics/x.png" alt="An x"/><em>Far</em>`, `<a href="two/index.xhtml#there">`, `<a href="two/index.xhtml">gone`, `<a>no</a>`, `<a>file</a>`,
			`<a href="https://else.test/?a&amp;b">out</a>`, `<a>bad</a>`, `☑ `, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1">`, `<math xmlns="http://www.w3.org/1998/Math/MathML">`, `<p>twice`,
		},
		"book/nav.xhtml": {`<ol><li><a href="index.xhtml">First &amp; last</a></li><li><span>Group</span><ol><li><a href="two/index.xhtml">Second</a></li></ol></li></ol>`},
		"book/book.opf": {
			`<dc:title>Tom &amp; &#34;Jerry&#34;</dc:title>`, `<meta property="dcterms:modified">2001-09-09T01:46:40Z</meta>`, `href="index.xhtml" media-type="application/xhtml+xml" properties="mathml svg"/>`,
			`href="pics/x.png" media-type="image/png"/>`, `href="three/index.xhtml"`,
		},
		"book/cover.svg":  {"Tom &amp;"},
		"book/pics/x.png": {"picture"},
	} {
		for _, s := range want {
			if !strings.Contains(files[name], s) {
				t.Errorf("%s lacks %s:\n%s", name, s, files[name])
			}
		}
	}
	if text := files["book/index.xhtml"]; strings.Contains(text, "alert") || strings.Contains(text, "colgroup") || strings.Contains(text, "data-x") {
		t.Error(text)
	}
	if a, b := book(t), files; len(a) != len(b) || a["book/book.opf"] != b["book/book.opf"] {
		t.Error("a second book differs")
	}
}

// All text files of a book are well-formed XML, for any HTML.
func TestTextsAreXML(t *testing.T) {
	for name, text := range book(t) {
		if !slices.ContainsFunc([]string{".xhtml", ".opf", ".svg", ".xml"}, func(ext string) bool { return strings.HasSuffix(name, ext) }) {
			continue
		}
		d := xml.NewDecoder(strings.NewReader(text))
		for {
			_, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Errorf("%s: %v\n%s", name, err, text)
				break
			}
		}
	}
}
