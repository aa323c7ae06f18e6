package publish_test

import (
	"archive/zip"
	"bytes"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/site/publish/export"
)

// A book has the content that a visitor without claims sees, and its links lead to chapters.
func TestBookOfASite(t *testing.T) {
	w := newWorld(t)
	w.acme()
	site, err := w.sites.Store.Site(t.Context(), w.site)
	must(t, err)
	book, err := export.BookOfSite(t.Context(), w.handler.Pages, site.It)
	must(t, err)
	var b bytes.Buffer
	must(t, export.EPUB(t.Context(), w.handler.Pages, book, &b))
	r, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	must(t, err)
	files := map[string]string{}
	for _, f := range r.File {
		in, err := f.Open()
		must(t, err)
		text, err := io.ReadAll(in)
		must(t, err)
		files[f.Name] = string(text)
		if regexp.MustCompile(`(?i)zebra password|below secret|beta readers`).Match(text) {
			t.Errorf("%s shows what visitors without claims do not see", f.Name)
		}
	}
	for name, want := range map[string][]string{
		"book/index.xhtml":              {`<a href="./install/index.xhtml#linux">install</a>`, `<span class="broken">secret</span>`, `<a href="./v1/index.xhtml">v1</a>`, `<a>data</a>`},
		"book/install/deep/index.xhtml": {`<a href="../../install/index.xhtml">install</a>`},
		"book/v1/install/index.xhtml":   {`The old way`},
		"book/nav.xhtml":                {`<span>Acme docs: v2</span><ol><li><a href="index.xhtml">Welcome</a>`, `<span>API</span><ol><li><a href="api/index.xhtml">API</a>`, `<span>Group</span>`},
		"book/book.opf":                 {`<dc:title>Acme docs</dc:title>`, `<dc:language>en</dc:language>`},
	} {
		for _, s := range want {
			if !strings.Contains(files[name], s) {
				t.Errorf("%s lacks %s:\n%s", name, s, files[name])
			}
		}
	}
}
