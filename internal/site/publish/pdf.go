package publish

import (
	"errors"
	"net/http"
	"net/url"
	"os"
	"slices"

	"github.com/octavo-docs/octavo/internal/blob"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/site/publish/edition"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

const (
	pdfName = "pdf" // path of the PDF of a page or of a whole space
	pdfType = "application/pdf"
)

// offersPDF reports whether readers may download pages as PDF.
func (v *visit) offersPDF() bool {
	return slices.Contains(v.settings.PageActions.Items, "pdf") && v.out.answered()
}

// downloads returns links to the PDF of a page and to the PDF of its space.
func (v *visit) downloads(t *theme.Texts, e *edition.Edition, n *edition.Node) []*theme.Link {
	if !v.offersPDF() {
		return nil
	}
	at := e.Base + ownPrefix + pdfName
	return []*theme.Link{
		{Title: t.DownloadPDF, Icon: "file-pdf", Href: at + "?" + url.Values{"page": {string(n.ID)}, "only": {"true"}}.Encode()},
		{Title: t.DownloadAll, Icon: "book", Href: at},
	}
}

// servePDF sends a PDF of a page and its descendants, of a page alone, or of the whole
// space. The PDF contains only content that the visitor sees.
func (v *visit) servePDF(w http.ResponseWriter, r *http.Request, e *edition.Edition) (err error) {
	q := r.URL.Query()
	o := content.BookOptions{Page: docs.PageID(q.Get("page")), Only: q.Get("only") != ""}
	title := e.Space.Title
	if n, err := e.Page(v.ctx, o.Page); err != nil {
		return err
	} else if n != nil {
		title = n.Title
	} else if o.Page != "" || !v.offersPDF() {
		return v.missing(w, r, e)
	}
	if !v.offersPDF() {
		return v.missing(w, r, e)
	}
	if r.Method == http.MethodHead {
		w.Header().Set("Content-Type", pdfType)
		return nil
	}
	p := v.printer(e)
	o.Link = func(ref docs.Ref) (string, bool) {
		at, ok := p.link(ref)
		if ok && len(at) > len(v.root) && at[:len(v.root)] == v.root {
			at = v.absolute(at)
		}
		return at, ok
	}
	f, hash, err := v.h.Content.PDF(v.ctx, e.View, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.err, f.Close(), os.Remove(f.Name())) }()
	w.Header().Set("X-Robots-Tag", "noindex")
	blob.Serve(w, r, blob.Served{Name: docs.SlugOf(title) + ".pdf", ContentType: pdfType, Hash: hash, Secret: v.private}, f)
	return nil
}

// assistants are external AI assistants. The question is appended to the URL.
var assistants = []struct{ name, icon, at string }{
	{"ChatGPT", "openai", "https://chatgpt.com/?q="},
	{"Claude", "claude", "https://claude.ai/new?q="},
}

// assistantLinks returns links that open a page in external assistants. There are none
// for private pages, because assistants can read only public ones.
func (v *visit) assistantLinks(f *theme.Frame) (out []*theme.Link) {
	if f.Canonical == "" || f.Alternate == "" || v.private {
		return nil
	}
	t := f.Texts()
	for _, a := range assistants {
		out = append(out, &theme.Link{Title: fill(t.OpenIn, a.name), Icon: a.icon, Href: a.at + url.QueryEscape(fill(t.AskAbout, v.absolute(f.Alternate))), External: true})
	}
	return out
}
