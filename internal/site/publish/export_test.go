package publish_test

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/site/publish/export"
	"github.com/octavo-docs/octavo/internal/site/sites"
)

// exported returns the files of the site, and their names in the order in which they were
// written.
func (w *world) exported(address string) (files map[string]string, order []string) {
	w.Helper()
	site, err := w.sites.Store.Site(w.Context(), w.site)
	must(w.T, err)
	files = map[string]string{}
	err = export.Write(w.Context(), w.handler.Pages, export.Site{Site: site.It, By: w.actor.User, Address: address}, func(name string, size int64, r io.Reader) error {
		b, err := io.ReadAll(r)
		if _, twice := files[name]; twice || int64(len(b)) != size || path.Clean(name) != name || path.IsAbs(name) {
			w.Errorf("%s was written twice, has another size than %d, or is not a name", name, size)
		}
		files[name] = string(b)
		order = append(order, name)
		return err
	})
	must(w.T, err)
	return files, order
}

var addresses = regexp.MustCompile(`(?: (?:href|src|srcset|action|data-live|data-diagrams)|url)(?:=|\()"([^"]*)"`)

func TestExport(t *testing.T) {
	w := newWorld(t)
	w.acme()
	w.redirect("/was/here", docs.RedirectDestination{Kind: docs.RedirectExternal, URL: "https://else.test/?a&b"})
	w.redirect("/was/below/*", docs.RedirectDestination{Kind: docs.RedirectExternal, URL: "https://else.test/x"})
	files, order := w.exported("")
	for name, want := range map[string][]string{
		"index.html": {`href="./install/index.html#linux"`, `<span class="broken">secret</span>`, `href="./v1/index.html"`, `<a href="./api/index.html">API</a>`,
			`<link rel="canonical" href="https://acme.docs.test/">`, `href="./~octavo/files/`, `<link rel="alternate" type="text/markdown" href="./index.md">`},
		"install/index.html":      {`href="../install/deep/index.html"`, `href="../v1/install/index.html"`, `data-scope="0 2"`, `<link rel="canonical" href="https://acme.docs.test/install">`},
		"install/deep/index.html": {`<a href="../../install/index.html">install</a>`, `href="../../~octavo/assets/style-`},
		"hidden/index.html":       {`<h1 id="hidden">`},
		"group/one/index.html":    {`noindex`},
		"v1/install/index.html":   {`The old way`},
		"api/news/index.html":     {`type="application/rss+xml" href="../../api/news/rss.xml"`},
		"api/news/rss.xml":        {`https://acme.docs.test/api/news#second`},
		"index.md":                {`[install](./install.md#linux)`},
		"install/deep.md":         {`[install](../install.md)`},
		"old/install/index.html":  {`content="0; url=../../install/index.html"`, `<link rel="canonical" href="https://acme.docs.test/install">`},
		"was/here/index.html":     {`content="0; url=https://else.test/?a&amp;b"`},
		"_redirects":              {"/old/install /install 307\n", "/was/here https://else.test/?a&b 307\n", "/was/below/* https://else.test/x 307\n"},
		"404.html":                {`href="/~octavo/assets/style-`, `href="/index.html"`},
		"llms.txt":                {`(https://acme.docs.test/install/deep.md)`},
		"llms-full.txt":           {`Unpack the zebra archive`},
		"sitemap.xml":             {`<loc>https://acme.docs.test/install/deep</loc>`},
		"robots.txt":              {`Sitemap: https://acme.docs.test/sitemap.xml`},
		".nojekyll":               {""},
	} {
		text, ok := files[name]
		if !ok {
			t.Errorf("there is no %s", name)
			continue
		}
		for _, s := range want {
			if !strings.Contains(text, s) {
				t.Errorf("%s lacks %s:\n%s", name, s, text)
			}
		}
	}
	if last := order[len(order)-1]; last != export.Marker {
		t.Errorf("the last file is %s", last)
	}
	for name, text := range files {
		if regexp.MustCompile(`(?i)zebra password|below secret|beta readers`).MatchString(text) || strings.Contains(name, "secret") {
			t.Errorf("%s shows what visitors without claims do not see", name)
		}
	}
	again, same := w.exported("")
	if !slices.Equal(order, same) || !maps.Equal(files, again) {
		t.Error("a second export differs")
	}
}

// redirect adds a redirect to the site.
func (w *world) redirect(source string, to docs.RedirectDestination) {
	w.Helper()
	_, err := w.sites.Redirects.Add(w.Context(), w.grant(), sites.RedirectPatch{Source: opt.Of(source), Destination: opt.Of(to)}, nil)
	must(w.T, err)
}

// Every link of a page within the site leads to a file, relative to the folder of the page.
func TestExportedLinksLeadToFiles(t *testing.T) {
	w := newWorld(t)
	w.acme()
	files, _ := w.exported("https://else.test/docs/")
	links := 0
	for name, text := range files {
		if !strings.HasSuffix(name, ".html") || strings.Contains(name, "diagram") {
			continue
		}
		for _, m := range addresses.FindAllStringSubmatch(text, -1) {
			at := html.UnescapeString(m[1])
			if u, err := url.Parse(at); err != nil || u.Scheme != "" || strings.HasPrefix(at, "#") {
				continue
			}
			links++
			if below, ok := strings.CutPrefix(at, "/docs/"); ok && name == "404.html" {
				at = below
			}
			at, err := url.PathUnescape(strings.Split(at, "#")[0])
			to := path.Join(path.Dir(name), at)
			if strings.HasSuffix(at, "/") {
				to += "/pages.js" // the search index
			}
			if _, ok := files[to]; err != nil || !ok || strings.HasPrefix(at, "/") {
				t.Errorf("%s: %s leads to no file", name, m[1])
			}
		}
	}
	if links < 100 {
		t.Errorf("there are %d links only", links)
	}
	if !strings.Contains(files["sitemap.xml"], "<loc>https://else.test/docs/install</loc>") {
		t.Error("the sitemap has other addresses than the files")
	}
}

// The index has the words of pages that are reachable by navigation, and no others.
func TestExportedIndex(t *testing.T) {
	w := newWorld(t)
	w.acme()
	files, _ := w.exported("")
	index := map[string]string{}
	for name, text := range files {
		if dir, file := path.Split(name); strings.HasPrefix(dir, "~octavo/search/") && strings.HasSuffix(file, ".js") {
			index[file] = text
		}
	}
	for file, want := range map[string]string{
		"pages.js":   `[0,"Install \u0026 run","Acme docs","install/index.html",0]`,
		"terms-0.js": `"zebra":[1,1]`,
		"text-0.js":  `["linux","Linux","Unpack the zebra archive. Mind the gap."]`,
	} {
		if !strings.Contains(index[file], want) || !strings.HasPrefix(index[file], fmt.Sprintf("octavoIndex(%q,", strings.TrimSuffix(file, ".js"))) {
			t.Errorf("%s lacks %s:\n%s", file, want, index[file])
		}
	}
	if strings.Contains(index["pages.js"], "Hidden") {
		t.Error("a hidden page is found")
	}
}

// An unpublished site is exported for members who may change the site. An export omits
// spaces that the member does not see.
func TestExportOfWhatIsNotPublished(t *testing.T) {
	w := newWorld(t)
	w.acme()
	_, err := w.sites.Publish(w.Context(), w.grant(), false)
	must(t, err)
	if files, _ := w.exported(""); !strings.Contains(files["index.html"], "Welcome") {
		t.Error("the first page is missing")
	}
	site, err := w.sites.Store.Site(t.Context(), w.site)
	must(t, err)
	var b bytes.Buffer
	err = export.Write(t.Context(), w.handler.Pages, export.Site{Site: site.It, By: "nobody"}, func(name string, _ int64, _ io.Reader) error {
		_, err := b.WriteString(name)
		return err
	})
	if err == nil || b.Len() > 0 {
		t.Errorf("somebody who is no member gets %s, %v", b.String(), err)
	}
}
