package publish

import (
	"net/http"
	"path"
	"strings"

	"github.com/octavo-docs/octavo/internal/site/publish/edition"
	"github.com/octavo-docs/octavo/internal/site/publish/page"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

// missing writes a 404 page that suggests similar pages, as Markdown if the request asks
// for that. The edition is nil if the path does not resolve to a space.
func (v *visit) missing(w http.ResponseWriter, r *http.Request, e *edition.Edition) error {
	f, err := v.Frame(e, nil)
	if err != nil {
		return err
	}
	f.Hidden = true
	t := f.Texts()
	m := &theme.Message{Title: t.Missing, Text: t.MissingText, Next: &theme.Link{Title: t.Start, Href: v.Output.Href(v.Root)}}
	if e != nil && r.Method == http.MethodGet && v.tryHeavy() {
		if m.Near, err = v.Suggestions(e, v.Root+v.reader.Path); err != nil {
			return err
		}
	}
	w.Header().Set("Cache-Control", "private, no-store")
	w.Header().Add("Vary", "Accept")
	if v.wantsMarkdown(r) {
		theme.WriteMarkdown(w, http.StatusNotFound, v.MissingText(e, m))
		return nil
	}
	return theme.Write(w, http.StatusNotFound, f, m)
}

// wantsMarkdown reports whether a request asks for text by its path, as programs that
// read llms.txt do, or by the header Accept.
func (v *visit) wantsMarkdown(r *http.Request) bool {
	name := path.Base(v.reader.Path)
	_, ok := page.MarkdownName(name)
	return ok || strings.HasPrefix(name, "llms") && strings.HasSuffix(name, ".txt") ||
		acceptsMarkdown(r)
}
