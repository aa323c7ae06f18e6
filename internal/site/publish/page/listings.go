package page

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/budget"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup/inline"
	"github.com/octavo-docs/octavo/internal/site/publish/edition"
	"github.com/octavo-docs/octavo/internal/site/sites"
)

const (
	// maxListed is the maximum number of pages in a sitemap, as its specification requires.
	// llms.txt has the same limit.
	maxListed = 50_000
	// fullPages and maxFull are the maximum numbers of pages and bytes in one part of
	// llms-full.txt.
	fullPages = 100
	maxFull   = 4 << 20

	FullName  = "llms-full.txt"
	PagesName = "sitemap-pages.xml"
)

// Listed reports whether search engines may list the site.
func (c *Composer) Listed() bool {
	return c.Site.Visibility == docs.VisibilityPublic && c.Output.Published()
}

// Robots returns robots.txt.
func (c *Composer) Robots() []byte {
	if !c.Listed() {
		return []byte("User-agent: *\nDisallow: /\n")
	}
	var b bytes.Buffer
	b.WriteString("User-agent: *\nAllow: /\n")
	for _, prefix := range []string{sites.OwnPrefix, sites.OtherPrefix} {
		for _, name := range []string{"search", "found", "auth/", MCPName, PDFName, FeedbackName} { // but allow the files and the style sheet of pages
			fmt.Fprintf(&b, "Disallow: /*%s%s\n", prefix, name)
		}
	}
	fmt.Fprintf(&b, "\nSitemap: %s\n", c.Absolute(c.Root+"sitemap.xml"))
	return b.Bytes()
}

// A listing is called for each page of a site in order, until it returns false.
type listing func(it docs.SiteItem, e *edition.Edition, n *edition.Node, at string) (more bool, err error)

// eachPage calls fn for each page that is reachable by navigation and that search engines
// may list, in the order of the site.
func (c *Composer) eachPage(fn listing) error {
	for _, it := range c.Seen.Structure.AllListed() {
		e, err := c.Edition(c.Ctx, it)
		if err != nil {
			return err
		}
		if more, err := c.eachPageOf(it, e, fn); err != nil || !more {
			return err
		}
	}
	return nil
}

// eachPageOf is eachPage for one space.
func (c *Composer) eachPageOf(it docs.SiteItem, e *edition.Edition, fn listing) (more bool, err error) {
	return e.Documents(c.Ctx, nil, func(n *edition.Node) (bool, error) {
		if err := budget.Yield(c.Ctx); err != nil {
			return false, err
		}
		at, err := e.Address(c.Ctx, n)
		if err != nil || at == "" || n.NoIndex || n.NoRobotsIndex {
			return true, err
		}
		return fn(it, e, n, at)
	})
}

const (
	SitemapType   = "application/xml; charset=utf-8"
	sitemapSchema = `xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"`
)

// Sitemap returns the sitemap of the site. If the site may have more pages than one sitemap
// can list, it returns a sitemap index that lists the sitemaps of its spaces.
func (c *Composer) Sitemap() ([]byte, error) {
	all, count := c.Seen.Structure.AllListed(), 0
	for _, it := range all {
		e, err := c.Edition(c.Ctx, it)
		if err != nil {
			return nil, err
		}
		count += e.Count
	}
	m := newSitemap("urlset")
	if count <= c.MaxListed {
		err := c.eachPage(func(_ docs.SiteItem, _ *edition.Edition, n *edition.Node, at string) (bool, error) {
			m.add("url", c.Absolute(at), n.UpdatedAt)
			return true, nil
		})
		return m.end(), err
	}
	var never docs.Time
	m = newSitemap("sitemapindex")
	for _, it := range all[:min(len(all), c.MaxListed)] {
		m.add("sitemap", c.Absolute(c.BaseOf(it)+PagesName), never)
	}
	return m.end(), nil
}

// SitemapOf returns the sitemap of one space.
func (c *Composer) SitemapOf(it docs.SiteItem, e *edition.Edition) ([]byte, error) {
	m, count := newSitemap("urlset"), 0
	_, err := c.eachPageOf(it, e, func(_ docs.SiteItem, _ *edition.Edition, n *edition.Node, at string) (bool, error) {
		m.add("url", c.Absolute(at), n.UpdatedAt)
		count++
		return count < c.MaxListed, nil
	})
	return m.end(), err
}

// sitemapWriter writes a sitemap or a sitemap index.
type sitemapWriter struct {
	bytes.Buffer
	list string // name of the root element
}

func newSitemap(list string) *sitemapWriter {
	m := &sitemapWriter{list: list}
	fmt.Fprintf(m, "%s<%s %s>\n", xml.Header, list, sitemapSchema)
	return m
}

func (m *sitemapWriter) add(element, at string, changed docs.Time) {
	fmt.Fprintf(m, "<%s><loc>", element)
	_ = xml.EscapeText(m, []byte(at)) // writes to a buffer do not fail
	m.WriteString("</loc>")
	if !changed.IsZero() {
		fmt.Fprintf(m, "<lastmod>%s</lastmod>", changed.Std().UTC().Format(isoTime))
	}
	fmt.Fprintf(m, "</%s>\n", element)
}

func (m *sitemapWriter) end() []byte {
	fmt.Fprintf(m, "</%s>\n", m.list)
	return m.Bytes()
}

// LLMs returns llms.txt: the address of the MCP server, and a list of all pages with the
// addresses of their Markdown.
func (c *Composer) LLMs() ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n", inline.Escape(c.Title()))
	if c.HasMCP() {
		fmt.Fprintf(&b, "\nAssistants can search and read this documentation with the Model Context Protocol (streamable HTTP): %s\n", c.mcpAddress())
	}
	var last docs.SiteItemID
	listed := 0
	err := c.eachPage(func(it docs.SiteItem, e *edition.Edition, n *edition.Node, at string) (bool, error) {
		if it.ID != last {
			last = it.ID
			fmt.Fprintf(&b, "\n## %s\n\n", inline.Escape(it.TitleIn(c.lang(e))))
		}
		fmt.Fprintf(&b, "- [%s](%s)", inline.Escape(n.Title), c.Absolute(MarkdownAddress(at, e.Base)))
		if n.Description != "" {
			b.WriteString(": " + strings.Join(strings.Fields(n.Description), " "))
		}
		b.WriteByte('\n')
		listed++
		return listed < maxListed, nil
	})
	return b.Bytes(), err
}

// PartName returns the path of a part of llms-full.txt. Exports use different names, because
// a folder cannot have the name of a file.
func (c *Composer) PartName(part int) string {
	switch {
	case part == 1:
		return FullName
	case !c.Output.Answered():
		return fmt.Sprintf("llms-full-%d.txt", part)
	}
	return fmt.Sprintf("%s/%d", FullName, part)
}

// LlmsFull returns one part of llms-full.txt: the Markdown of its pages, one after the other.
// The text ends with the address of the next part, if there is one. If it was cut, it names
// the first missing page. llmsFull returns nil for a part that does not exist.
func (c *Composer) LlmsFull(part int) ([]byte, error) {
	var b bytes.Buffer
	skip, listed, ended := (part-1)*c.FullPages, 0, false
	err := c.eachPage(func(_ docs.SiteItem, e *edition.Edition, n *edition.Node, at string) (bool, error) {
		switch listed++; {
		case listed <= skip:
			return true, nil
		case listed > skip+c.FullPages:
			fmt.Fprintf(&b, "---\n\nThis is not all. The next pages are at %s\n", c.Absolute(c.Root+c.PartName(part+1)))
			return false, nil
		case ended:
			return true, nil
		}
		text, err := c.Printer(e).Markdown(n)
		if err != nil {
			return false, err
		}
		if b.Len()+len(text) > maxFull && b.Len() > 0 {
			ended = true
			fmt.Fprintf(&b, "---\n\nThe text is too long and stops here, before %s. All pages are listed at %s\n\n", c.Absolute(MarkdownAddress(at, e.Base)), c.Absolute(c.Root+"llms.txt"))
			return true, nil
		}
		fmt.Fprintf(&b, "Source: %s\n\n%s\n", c.Absolute(at), text)
		return true, nil
	})
	if b.Len() == 0 && part > 1 {
		return nil, err
	}
	return append(fmt.Appendf(nil, "<!-- %s, part %d -->\n\n", strings.ReplaceAll(c.Title(), "--", "—"), part), b.Bytes()...), err
}

// FullPart returns the part of llms-full.txt that a path names, starting from 1.
func FullPart(name string) (part int, ok bool) {
	if name == FullName {
		return 1, true
	}
	number, ok := strings.CutPrefix(name, FullName+"/")
	part, err := strconv.Atoi(number)
	return part, ok && err == nil && part > 1 && part <= maxListed && strconv.Itoa(part) == number
}
