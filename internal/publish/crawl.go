package publish

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"net/http"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/inline"
)

// maxListed is how many pages one sitemap may have by its standard. The list of
// pages for language models has the same limit.
const maxListed = 50_000

// serveSite answers for what the site has once: what search engines and language
// models ask for.
func (v *visit) serveSite(w http.ResponseWriter, r *http.Request, name string) (done bool, err error) {
	public := v.site.Visibility == docs.VisibilityPublic && !v.as.Preview
	switch {
	case name == "robots.txt":
		return true, send(w, r, "text/plain; charset=utf-8", v.robots(public))
	case name == "sitemap.xml" && public:
		b, err := v.sitemap()
		if err != nil {
			return true, err
		}
		return true, send(w, r, "application/xml; charset=utf-8", b)
	case name == "llms.txt":
		b, err := v.llms()
		if err != nil {
			return true, err
		}
		return true, send(w, r, "text/plain; charset=utf-8", b)
	}
	return false, nil
}

func (v *visit) robots(public bool) []byte {
	if !public {
		return []byte("User-agent: *\nDisallow: /\n")
	}
	return []byte("User-agent: *\nAllow: /\nDisallow: /*/" + strings.TrimSuffix(ownPrefix, "/") + "\n\nSitemap: " + v.absolute(v.root+"sitemap.xml") + "\n")
}

// eachPage calls fn for every page that readers come across, in the order of the
// site.
func (v *visit) eachPage(fn func(it docs.SiteItem, e *edition, n *node, at string)) error {
	listed := 0
	for _, it := range v.seen.Structure.All(docs.SiteSpace) {
		e, err := v.h.edition(v.ctx, v, it)
		if err != nil {
			return err
		}
		more, err := e.documents(v.ctx, nil, func(n *node) (bool, error) {
			at, err := e.address(v.ctx, n)
			if err != nil || at == "" || n.NoIndex || n.NoRobotsIndex {
				return true, err
			}
			if listed++; listed > maxListed {
				return false, nil
			}
			fn(it, e, n, at)
			return true, nil
		})
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// sitemap lists all pages for search engines.
func (v *visit) sitemap() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(xml.Header + `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	err := v.eachPage(func(_ docs.SiteItem, _ *edition, n *node, at string) {
		b.WriteString("<url><loc>")
		_ = xml.EscapeText(&b, []byte(v.absolute(at))) // a buffer takes everything
		b.WriteString("</loc>")
		if !n.UpdatedAt.IsZero() {
			fmt.Fprintf(&b, "<lastmod>%s</lastmod>", n.UpdatedAt.Std().UTC().Format(isoTime))
		}
		b.WriteString("</url>\n")
	})
	b.WriteString("</urlset>\n")
	return b.Bytes(), err
}

// llms lists all pages for language models, with the addresses of their Markdown.
func (v *visit) llms() ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n", inline.Escape(v.title()))
	var last docs.SiteItemID
	err := v.eachPage(func(it docs.SiteItem, e *edition, n *node, at string) {
		if it.ID != last {
			last = it.ID
			fmt.Fprintf(&b, "\n## %s\n\n", inline.Escape(it.Title))
		}
		fmt.Fprintf(&b, "- [%s](%s)", inline.Escape(n.Title), v.absolute(markdownAddress(at, e.base)))
		if n.Description != "" {
			b.WriteString(": " + strings.Join(strings.Fields(n.Description), " "))
		}
		b.WriteByte('\n')
	})
	return b.Bytes(), err
}

// title of the site, as its readers see it.
func (v *visit) title() string {
	if v.settings.Title != "" {
		return v.settings.Title
	}
	return v.site.Title
}
