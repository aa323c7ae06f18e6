package publish

import (
	"net/url"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

// siteFiles writes the files that a site has once: files for search engines and language
// models, the error page and the search page.
func (x *exporter) siteFiles() error {
	first := x.seen.Structure.All(docs.SiteSpace)[0]
	if at, ok := x.seen.Paths.Resolve("", false); ok {
		first = at.Space
	}
	v := x.visit(first, 0, false)
	llms, err := v.llms()
	if err != nil {
		return err
	}
	files := []struct {
		name string
		data []byte
	}{
		{"llms.txt", llms}, {"robots.txt", v.robots()},
		{".nojekyll", nil}, // or some hosts omit files whose names begin with a tilde
		{ownPrefix + "icon.svg", emojiIcon(v.settings.Favicon.Emoji)},
	}
	for _, f := range files {
		if f.name == ownPrefix+"icon.svg" && !x.assets[f.name] {
			continue
		}
		if err := x.bytes(f.name, f.data); err != nil {
			return err
		}
	}
	for _, step := range []func(*visit) error{x.fullText, x.sitemaps, x.missing, x.searchPage} {
		if err := step(v); err != nil {
			return err
		}
	}
	return nil
}

// fullText writes all parts of llms-full.txt.
func (x *exporter) fullText(v *visit) error {
	for part := 1; ; part++ {
		b, err := v.llmsFull(part)
		if err != nil || b == nil {
			return err
		}
		if err := x.bytes(v.partName(part), b); err != nil {
			return err
		}
	}
}

// sitemaps writes the sitemap of the site, and the sitemaps of its spaces, which a sitemap
// index refers to.
func (x *exporter) sitemaps(v *visit) error {
	if !v.listed() {
		return nil
	}
	b, err := v.sitemap()
	if err != nil {
		return err
	}
	if err := x.bytes("sitemap.xml", b); err != nil {
		return err
	}
	for _, it := range x.seen.Structure.AllListed() {
		e, err := v.edition(x.ctx, it)
		if err != nil {
			return err
		}
		if b, err = v.sitemapOf(it, e); err != nil {
			return err
		}
		if err := x.bytes(under(it.Address, pagesName), b); err != nil {
			return err
		}
	}
	return nil
}

// root returns the path of the site on its web server, or "/" if that is unknown.
func (x *exporter) root() string {
	if u, err := url.Parse(x.address); err == nil && x.own && u.Path != "" {
		return u.EscapedPath()
	}
	return "/"
}

// frame returns the frame of a page that belongs to no space.
func (x *exporter) frame(v *visit) (*theme.Frame, error) {
	e, err := v.edition(x.ctx, v.target.Space)
	if err != nil {
		return nil, err
	}
	f, err := v.frame(e, nil)
	if err != nil {
		return nil, err
	}
	f.Hidden, f.Diagrams = true, ""
	return f, nil
}

// missing writes 404.html, which web servers show for a missing page. It is shown at any
// depth, so its links cannot be relative.
func (x *exporter) missing(at *visit) error {
	v := x.visit(at.target.Space, 0, true)
	v.root = x.root()
	f, err := x.frame(v)
	if err != nil {
		return err
	}
	t := f.Texts()
	return x.view("404.html", v, f, &theme.Message{Title: t.Missing, Text: t.MissingText, Next: &theme.Link{Title: t.Start, Href: v.out.href(v.root)}})
}

// searchPage writes the target page of the search form. A script fills in the results.
func (x *exporter) searchPage(at *visit) error {
	const dir = ownPrefix + "search"
	v := x.visit(at.target.Space, depthOf(dir), true)
	f, err := x.frame(v)
	if err != nil {
		return err
	}
	return x.view(under(dir, indexFile), v, f, &theme.Results{})
}
