package publish

import (
	"errors"
	"net/http"
	"os"

	"github.com/octavo-docs/octavo/internal/blob"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/site/publish/edition"
)

const pdfType = "application/pdf"

// servePDF sends a PDF of a page and its descendants, of a page alone, or of the whole
// space. The PDF contains only content that the visitor sees.
func (v *visit) servePDF(w http.ResponseWriter, r *http.Request, e *edition.Edition) (err error) {
	q := r.URL.Query()
	o := content.BookOptions{Page: docs.PageID(q.Get("page")), Only: q.Get("only") != ""}
	title := e.Space.Title
	if n, err := e.Page(v.Ctx, o.Page); err != nil {
		return err
	} else if n != nil {
		title = n.Title
	} else if o.Page != "" || !v.OffersPDF() {
		return v.missing(w, r, e)
	}
	if !v.OffersPDF() {
		return v.missing(w, r, e)
	}
	if r.Method == http.MethodHead {
		w.Header().Set("Content-Type", pdfType)
		return nil
	}
	p := v.Printer(e)
	o.Link = func(ref docs.Ref) (string, bool) {
		at, ok := p.Link(ref)
		if ok && len(at) > len(v.Root) && at[:len(v.Root)] == v.Root {
			at = v.Absolute(at)
		}
		return at, ok
	}
	f, hash, err := v.h.Content.PDF(v.Ctx, e.View, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Err, f.Close(), os.Remove(f.Name())) }()
	w.Header().Set("X-Robots-Tag", "noindex")
	blob.Serve(w, r, blob.Served{Name: docs.SlugOf(title) + ".pdf", ContentType: pdfType, Hash: hash, Secret: v.Private}, f)
	return nil
}
