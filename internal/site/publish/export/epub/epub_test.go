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

	"github.com/octavo-docs/octavo/internal/site/publish/export/epub"
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
	return unpack(t, b.Bytes())
}

func unpack(t *testing.T, book []byte) map[string]string {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(book), int64(len(book)))
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

// Pictures and formulas in chapters keep their looks and links, but nothing that runs or
// is fetched.
func TestForeignAttributes(t *testing.T) {
	text := chapter(t, `<svg viewBox="0 0 9 9" onload="alert(1)"><script>alert(2)</script><style>@import "https://else.test/x.css"</style>`+
		`<a href="javascript:alert(3)"><path d="M0 0" fill="url(https://else.test/a#b)" stroke="url(#c)" mask="URL(https://else.test/a#b)" clip-path="\75rl(https://else.test/a#b)" onclick="alert(4)"/></a>`+
		`<image href="https://else.test/x.png"/><use href="https://else.test/x.svg#a"/><animate attributeName="href" to="javascript:alert(5)"/></svg>`+
		`<math display="block" onclick="alert(6)"><mrow href="javascript:alert(7)"><mi mathvariant="bold" src="https://else.test/y.png">x</mi></mrow><mrow href="https://else.test/ok"><mi>y</mi></mrow></math>`)
	for _, bad := range []string{"alert", "else.test/x", "else.test/y", "else.test/a", "onload", "onclick"} {
		if strings.Contains(text, bad) {
			t.Errorf("%s is in %s", bad, text)
		}
	}
	for _, good := range []string{`viewBox="0 0 9 9"`, `<path d="M0 0" stroke="url(#c)">`, `display="block"`, `<mi mathvariant="bold">`, `<mrow href="https://else.test/ok">`} {
		if !strings.Contains(text, good) {
			t.Errorf("%s is not in %s", good, text)
		}
	}
}

// chapter returns the body of a chapter of a book.
func chapter(t *testing.T, html string) string {
	t.Helper()
	var b bytes.Buffer
	err := epub.Write(&b, epub.Book{ID: "urn:x", Title: "T"}, epub.Source{
		Chapters: func(fn func(epub.Chapter) error) error {
			return fn(epub.Chapter{File: "a.xhtml", Title: "A", HTML: html})
		},
		Open: func(string) (io.ReadCloser, string, error) { return nil, "", errors.New("no such file") },
	})
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(unpack(t, b.Bytes())["book/a.xhtml"], "<body")
	return body
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
