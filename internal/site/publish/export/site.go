package export

import (
	"net/url"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/site/publish/page"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

// siteFiles writes the files that a site has once: files for search engines and language
// models, the error page and the search page.
func (x *exporter) siteFiles() error {
	first := x.seen.Structure.All(docs.SiteSpace)[0]
	if at, ok := x.seen.Paths.Resolve("", false); ok {
		first = at.Space
	}
	c := x.composer(first, 0, false)
	llms, err := c.LLMs()
	if err != nil {
		return err
	}
	files := []struct {
		name string
		data []byte
	}{
		{"llms.txt", llms}, {"robots.txt", c.Robots()},
		{".nojekyll", nil}, // or some hosts omit files whose names begin with a tilde
		{sites.OwnPrefix + "icon.svg", page.EmojiIcon(c.Settings.Favicon.Emoji)},
	}
	for _, f := range files {
		if f.name == sites.OwnPrefix+"icon.svg" && !x.assets[f.name] {
			continue
		}
		if err := x.bytes(f.name, f.data); err != nil {
			return err
		}
	}
	for _, step := range []func(*page.Composer) error{x.fullText, x.sitemaps, x.missing, x.searchPage} {
		if err := step(c); err != nil {
			return err
		}
	}
	return nil
}

// fullText writes all parts of llms-full.txt.
func (x *exporter) fullText(c *page.Composer) error {
	for part := 1; ; part++ {
		b, err := c.LlmsFull(part)
		if err != nil || b == nil {
			return err
		}
		if err := x.bytes(c.PartName(part), b); err != nil {
			return err
		}
	}
}

// sitemaps writes the sitemap of the site, and the sitemaps of its spaces, which a sitemap
// index refers to.
func (x *exporter) sitemaps(c *page.Composer) error {
	if !c.Listed() {
		return nil
	}
	b, err := c.Sitemap()
	if err != nil {
		return err
	}
	if err := x.bytes("sitemap.xml", b); err != nil {
		return err
	}
	for _, it := range x.seen.Structure.AllListed() {
		e, err := c.Edition(x.ctx, it)
		if err != nil {
			return err
		}
		if b, err = c.SitemapOf(it, e); err != nil {
			return err
		}
		if err := x.bytes(under(it.Address, page.PagesName), b); err != nil {
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
func (x *exporter) frame(c *page.Composer) (*theme.Frame, error) {
	e, err := c.Edition(x.ctx, c.Target.Space)
	if err != nil {
		return nil, err
	}
	f, err := c.Frame(e, nil)
	if err != nil {
		return nil, err
	}
	f.Hidden, f.Diagrams = true, ""
	return f, nil
}

// missing writes 404.html, which web servers show for a missing page. It is shown at any
// depth, so its links cannot be relative.
func (x *exporter) missing(at *page.Composer) error {
	c := x.composer(at.Target.Space, 0, true)
	c.Root = x.root()
	f, err := x.frame(c)
	if err != nil {
		return err
	}
	t := f.Texts()
	return x.view("404.html", c, f, &theme.Message{Title: t.Missing, Text: t.MissingText, Next: &theme.Link{Title: t.Start, Href: c.Output.Href(c.Root)}})
}

// searchPage writes the target page of the search form. A script fills in the results.
func (x *exporter) searchPage(at *page.Composer) error {
	const dir = sites.OwnPrefix + "search"
	c := x.composer(at.Target.Space, depthOf(dir), true)
	f, err := x.frame(c)
	if err != nil {
		return err
	}
	return x.view(under(dir, indexFile), c, f, &theme.Results{})
}
