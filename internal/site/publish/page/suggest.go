package page

import (
	"fmt"
	"path"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup/inline"
	"github.com/octavo-docs/octavo/internal/names"
	"github.com/octavo-docs/octavo/internal/site/publish/edition"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

const (
	maxNear     = 5    // pages that are suggested for an address
	maxFirst    = 6    // pages that are suggested for a search
	maxEntries  = 50   // entries of the navigation that are looked at for them
	maxCompared = 1000 // pages of a space whose paths are compared with the requested one
)

// Suggestions returns pages that the reader of an address may have meant. Pages of the space with a
// similar path come first, then the results of a search for the last segment of the path.
func (c *Composer) Suggestions(e *edition.Edition, at string) ([]*theme.Link, error) {
	asked, ok := Unescape(strings.TrimPrefix(at, e.Base))
	if !ok || strings.HasPrefix(asked, "~") {
		return nil, nil
	}
	out, err := c.similarPages(e, asked)
	if err != nil || len(out) == maxNear {
		return out, err
	}
	words := strings.NewReplacer("-", " ", "_", " ", ".", " ").Replace(strings.TrimSuffix(path.Base(asked), ".md"))
	hits, err := c.Search(e, TrimQuery(words), c.Scope())
	if err != nil {
		return nil, err
	}
	had := map[string]bool{}
	for _, l := range out {
		had[l.Href] = true
	}
	for _, h := range hits {
		at, _, _ := strings.Cut(h.Href, "#")
		if !had[at] && len(out) < maxNear {
			had[at] = true
			out = append(out, &theme.Link{Title: h.Title.String(), Href: at})
		}
	}
	return out, nil
}

// firstPages returns the pages that a reader may begin with: the first page of each entry at
// the top of the navigation. If these are few, the next ones in reading order follow.
func (c *Composer) firstPages(e *edition.Edition) (out []theme.Hit, err error) {
	known := map[docs.PageID]bool{}
	add := func(n *edition.Node) error {
		at, err := e.Address(c.Ctx, n)
		if err != nil || at == "" || known[n.ID] {
			return err
		}
		known[n.ID] = true
		var above []string
		for _, up := range n.Ancestors() {
			above = append(above, up.Title)
		}
		out = append(out, hitOf(n, above, at, c.IconStyle()))
		return nil
	}
	looked := 0
	err = e.EachBelow(c.Ctx, nil, func(n *edition.Node) (bool, error) {
		var err error
		if !n.Reachable() {
			n, err = e.First(c.Ctx, n)
		}
		if err == nil && n != nil {
			err = add(n)
		}
		looked++
		return len(out) < maxFirst && looked < maxEntries, err
	})
	if err != nil || len(out) == maxFirst {
		return out, err
	}
	_, err = e.Documents(c.Ctx, nil, func(n *edition.Node) (bool, error) {
		err := add(n)
		looked++
		return len(out) < maxFirst && looked < 2*maxEntries, err
	})
	return out, err
}

// similarPages returns pages of a space whose path is similar to the requested one.
func (c *Composer) similarPages(e *edition.Edition, asked string) (out []*theme.Link, err error) {
	compared := 0
	found := names.Near(asked, maxNear, func(yield func(string, *edition.Node) bool) {
		_, err = e.Documents(c.Ctx, nil, func(n *edition.Node) (bool, error) {
			compared++
			return yield(n.Path, n) && compared < maxCompared, nil
		})
	})
	for _, n := range found {
		if err != nil {
			return nil, err
		}
		var l *theme.Link
		if l, err = e.Link(c.Ctx, n); l != nil {
			out = append(out, l)
		}
	}
	return out, err
}

// MissingText returns a message as Markdown, with the addresses of the Markdown of the
// suggested pages.
func (c *Composer) MissingText(e *edition.Edition, m *theme.Message) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n\n", m.Title, m.Text)
	for _, l := range m.Near {
		base := e.Base
		if strings.HasSuffix(l.Href, "/") { // of another space
			base = l.Href
		}
		fmt.Fprintf(&b, "* [%s](%s)\n", inline.Escape(l.Title), c.Absolute(MarkdownAddress(l.Href, base)))
	}
	fmt.Fprintf(&b, "* [llms.txt](%s)\n", c.Absolute(c.Root+"llms.txt"))
	return b.String()
}
