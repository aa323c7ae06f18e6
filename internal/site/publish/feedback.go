package publish

import (
	"net/http"
	"strings"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/site/insights"
	"github.com/octavo-docs/octavo/internal/site/publish/edition"
	"github.com/octavo-docs/octavo/internal/site/publish/gate"
	"github.com/octavo-docs/octavo/internal/site/publish/page"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

const maxFeedback = 1 << 10 // bytes of a submitted form

// isPost reports whether a request is a POST that readers may send: feedback about a page,
// or an API request to try.
func isPost(r *http.Request) bool {
	return isPostTo(r, page.FeedbackName) || isPostTo(r, page.TryName)
}

// isPostTo reports whether a request is a POST to the paths with a prefix: feedbackName or tryName.
func isPostTo(r *http.Request, name string) bool {
	return r.Method == http.MethodPost && (strings.Contains(r.URL.Path, "/"+sites.OwnPrefix+name) || strings.Contains(r.URL.Path, "/"+sites.OtherPrefix+name))
}

// serveFeedback counts the rating of a page, once for a neighbourhood in an hour, and shows a thank-you message. Nothing about
// the reader is stored. Forms that other sites submit are refused.
func (v *visit) serveFeedback(w http.ResponseWriter, r *http.Request, e *edition.Edition, id string) error {
	n, err := e.Page(v.Ctx, docs.PageID(id))
	if err != nil {
		return err
	}
	if n == nil || n.Type != docs.PageDocument || !v.HasFeedback() {
		return v.missing(w, r, e)
	}
	f, err := v.Frame(e, nil)
	if err != nil {
		return err
	}
	t := f.Texts().Feedback
	at, err := e.Address(v.Ctx, n)
	if err != nil {
		return err
	}
	m := &theme.Message{Title: t.Thanks, Next: &theme.Link{Title: t.Back, Href: at}}
	w.Header().Set("Cache-Control", "private, no-store")
	if r.Method != http.MethodPost {
		f.Hidden = true
		return theme.Write(w, http.StatusOK, f, m)
	}
	if err := v.h.protection.Check(r); err != nil {
		theme.WriteText(w, http.StatusForbidden, "The form of another site was sent. Open the page and answer there.")
		return nil
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxFeedback)
	given := r.PostFormValue("rating")
	if !insights.IsRating(given) {
		theme.WriteText(w, http.StatusBadRequest, "rating must be one of bad, ok, good.")
		return nil
	}
	v.h.Insights.Feedback(v.Site.ID, v.Target.Space, n.ID, given, authz.OriginOf(r.RemoteAddr, "").Address)
	gate.SeeOther(w, v.Root+v.reader.Path)
	return nil
}
