package publish

import (
	"fmt"
	"net/http"
	"path"
	"strings"

	"github.com/octavo-docs/octavo/internal/markup/inline"
	"github.com/octavo-docs/octavo/internal/names"
	"github.com/octavo-docs/octavo/internal/site/publish/edition"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

const (
	maxNear     = 5    // pages that are suggested
	maxCompared = 1000 // pages of a space whose paths are compared with the requested one
)

// missing writes a 404 page that suggests similar pages, as Markdown if the request asks
// for that. The edition is nil if the path does not resolve to a space.
func (v *visit) missing(w http.ResponseWriter, r *http.Request, e *edition.Edition) error {
	f, err := v.frame(e, nil)
	if err != nil {
		return err
	}
	f.Hidden = true
	t := f.Texts()
	m := &theme.Message{Title: t.Missing, Text: t.MissingText, Next: &theme.Link{Title: t.Start, Href: v.out.href(v.root)}}
	if e != nil && r.Method == http.MethodGet && v.tryHeavy() {
		if m.Near, err = v.suggestions(e); err != nil {
			return err
		}
	}
	w.Header().Set("Cache-Control", "private, no-store")
	w.Header().Add("Vary", "Accept")
	if v.wantsMarkdown(r) {
		theme.WriteMarkdown(w, http.StatusNotFound, v.missingText(e, m))
		return nil
	}
	return theme.Write(w, http.StatusNotFound, f, m)
}

// wantsMarkdown reports whether a request asks for text by its path, as programs that
// read llms.txt do, or by the header Accept.
func (v *visit) wantsMarkdown(r *http.Request) bool {
	name := path.Base(v.path)
	_, ok := markdownName(name)
	return ok || strings.HasPrefix(name, "llms") && strings.HasSuffix(name, ".txt") ||
		acceptsMarkdown(r)
}

// missingText returns a message as Markdown, with the addresses of the Markdown of the
// suggested pages.
func (v *visit) missingText(e *edition.Edition, m *theme.Message) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n\n", m.Title, m.Text)
	for _, l := range m.Near {
		base := e.Base
		if strings.HasSuffix(l.Href, "/") { // of another space
			base = l.Href
		}
		fmt.Fprintf(&b, "* [%s](%s)\n", inline.Escape(l.Title), v.absolute(markdownAddress(l.Href, base)))
	}
	fmt.Fprintf(&b, "* [llms.txt](%s)\n", v.absolute(v.root+"llms.txt"))
	return b.String()
}

// suggestions returns pages that the reader may have meant. Pages of the space with a
// similar path come first, then the results of a search for the last segment of the path.
func (v *visit) suggestions(e *edition.Edition) ([]*theme.Link, error) {
	asked, ok := unescape(strings.TrimPrefix(v.root+v.path, e.Base))
	if !ok || strings.HasPrefix(asked, "~") {
		return nil, nil
	}
	out, err := v.similarPages(e, asked)
	if err != nil || len(out) == maxNear {
		return out, err
	}
	words := strings.NewReplacer("-", " ", "_", " ", ".", " ").Replace(strings.TrimSuffix(path.Base(asked), ".md"))
	hits, err := v.search(e, trimQuery(words), v.scope())
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
			out = append(out, &theme.Link{Title: h.Title, Href: at})
		}
	}
	return out, nil
}

// similarPages returns pages of a space whose path is similar to the requested one.
func (v *visit) similarPages(e *edition.Edition, asked string) (out []*theme.Link, err error) {
	compared := 0
	found := names.Near(asked, maxNear, func(yield func(string, *edition.Node) bool) {
		_, err = e.Documents(v.ctx, nil, func(n *edition.Node) (bool, error) {
			compared++
			return yield(n.Path, n) && compared < maxCompared, nil
		})
	})
	for _, n := range found {
		if err != nil {
			return nil, err
		}
		var l *theme.Link
		if l, err = e.Link(v.ctx, n); l != nil {
			out = append(out, l)
		}
	}
	return out, err
}
