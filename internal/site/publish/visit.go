package publish

import (
	"net/http"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/site/publish/edition"
	"github.com/octavo-docs/octavo/internal/site/publish/gate"
	"github.com/octavo-docs/octavo/internal/site/sites"
)

// visit is one request for a site by a visitor who may read it.
type visit struct {
	*composer
	h       *Handler
	reader  *gate.Reader
	review  *review // of the draft that is visited; nil if there is none
	chooses bool    // the response depends on the language of the reader

	end   func() // ends the turn; nil: begin was not called
	place func() // releases the place among heavy requests; nil: there is none

	generation uint64 // of the store, before anything was read
	counted    bool   // the store has a generation
}

// serve writes the response.
func (v *visit) serve(w http.ResponseWriter, r *http.Request) error {
	v.cacheable(w.Header())
	var ok bool
	if v.target, ok = v.seen.Paths.Resolve(v.reader.Path, false); !ok {
		w, err := v.begin(w, r)
		if err != nil {
			return v.refuse(w, r, err)
		}
		return v.missing(w, r, nil)
	}
	if own, ok := v.state.overrides[v.target.Space.ID]; ok {
		if err := v.useSettings(v.target.Space.ID, own); err != nil {
			return err
		}
	}
	base := v.baseOf(v.target.Space)
	if base+v.target.Rest != v.root+v.reader.Path && !strings.HasPrefix(v.target.Rest, sites.DraftPrefix) {
		gate.Redirect(w, r, base+v.target.Rest, http.StatusTemporaryRedirect)
		return nil
	}
	if done, err := v.chooseLanguage(w, r); done || err != nil {
		return err
	}
	if done, err := v.sendKept(w, r); done || err != nil {
		return err
	}
	w, err := v.begin(w, r)
	if err != nil {
		return v.refuse(w, r, err)
	}
	return v.serveRest(w, r, base == v.root)
}

// serveRest serves what is not kept.
func (v *visit) serveRest(w http.ResponseWriter, r *http.Request, atRoot bool) error {
	if atRoot {
		if done, err := v.serveSite(w, r, v.target.Rest); done || err != nil {
			return err
		}
	}
	e, rest, err := v.requestedEdition(r)
	if errs.Is(err, errs.NotFound) {
		return v.missing(w, r, nil)
	}
	if err != nil {
		return err
	}
	v.cacheable(w.Header())
	if name, _ := sites.OwnName(rest); isPost(r) && !strings.HasPrefix(name, feedbackName) && !strings.HasPrefix(name, tryName) {
		notAllowed(w)
		return nil
	}
	for _, serve := range []func(http.ResponseWriter, *http.Request, *edition.Edition, string) (bool, error){v.serveOwn, v.serveFeed, v.serveSitemap} {
		if done, err := serve(w, r, e, rest); done || err != nil {
			return err
		}
	}
	return v.servePage(w, r, e, rest)
}

// requestedEdition returns the edition that the path of the request names, and the rest of
// the path in that edition.
func (v *visit) requestedEdition(r *http.Request) (*edition.Edition, string, error) {
	if rest := v.target.Rest; strings.HasPrefix(rest, sites.DraftPrefix) {
		return v.draft(r, rest)
	}
	e, err := v.edition(v.ctx, v.target.Space)
	return e, v.target.Rest, err
}

// cacheable sets Cache-Control and X-Robots-Tag. A response that all visitors share may be
// cached by everybody, but must be revalidated. Any other response must not be cached.
func (v *visit) cacheable(h http.Header) {
	h.Set("Cache-Control", "private, no-store")
	if !v.private {
		h.Set("Cache-Control", "public, no-cache")
	}
	if !v.listed() {
		h.Set("X-Robots-Tag", "noindex, nofollow")
	}
}

// servePage sends the page at a path of the space, or the Markdown of that page.
func (v *visit) servePage(w http.ResponseWriter, r *http.Request, e *edition.Edition, rest string) error {
	rest, asMarkdown := markdownName(rest)
	path, ok := unescape(rest)
	if !ok {
		return v.missing(w, r, e)
	}
	page, moved, err := e.Find(v.ctx, path)
	switch {
	case err != nil:
		return err
	case moved != "":
		if asMarkdown {
			moved = markdownAddress(moved, e.Base)
		}
		gate.Redirect(w, r, moved, http.StatusTemporaryRedirect)
		return nil
	}
	if !asMarkdown {
		if done, err := v.serveMarked(w, r, e, page, path); done || err != nil {
			return err
		}
	}
	if page == nil {
		return v.followRedirect(w, r, e)
	}
	if !asMarkdown && acceptsMarkdown(r) {
		asMarkdown = true
		w.Header()["Vary"] = varyAccept
	}
	if asMarkdown {
		text, err := v.printer(e).markdown(page)
		if err != nil {
			return err
		}
		return send(w, r, "text/markdown; charset=utf-8", []byte(text))
	}
	a, err := v.pageResponse(e, page)
	if err != nil {
		return err
	}
	v.sendPage(w, r, a, page)
	return nil
}

// sendPage sends the response for a page.
func (v *visit) sendPage(w http.ResponseWriter, r *http.Request, a *pageResponse, page *edition.Node) {
	if v.counts(r) {
		v.h.Insights.PageView(v.site.ID, v.target.Space, page.ID)
	}
	v.cacheShared(r, a, page)
	a.send(w, r)
}

// sendKept sends the response that is kept for the page at the path, and reports whether there
// is one.
func (v *visit) sendKept(w http.ResponseWriter, r *http.Request) (done bool, err error) {
	rest, asMarkdown := markdownName(v.target.Rest)
	path, ok := unescape(rest)
	if !ok || asMarkdown || isPost(r) || !v.keeps() || acceptsMarkdown(r) || strings.HasPrefix(rest, "~") {
		return false, nil
	}
	e, err := v.knownEdition()
	if e == nil || err != nil {
		return false, err
	}
	page, _, err := e.Find(v.ctx, path)
	if page == nil || err != nil {
		return false, err
	}
	a, err := v.keptResponse(e, page)
	if a == nil || err != nil {
		return false, err
	}
	v.sendPage(w, r, a, page)
	return true, nil
}

// followRedirect follows a redirect of the site from an address that has no page.
func (v *visit) followRedirect(w http.ResponseWriter, r *http.Request, e *edition.Edition) error {
	rule, to, err := v.h.Sites.FindRedirect(v.ctx, v.site, v.seen.Structure, "/"+v.reader.Path, v.key, v.pagePath)
	switch {
	case errs.Is(err, errs.NotFound):
		return v.missing(w, r, e)
	case err != nil:
		return err
	}
	if rule.Destination.Kind == docs.RedirectExternal { // credentials of the visitor are for this site only
		r.URL.RawQuery = gate.WithoutCredentials(r.URL.Query()).Encode()
	}
	switch {
	case rule.Permanent && v.site.Visibility == docs.VisibilityPublic:
		gate.Redirect(w, r, to, http.StatusPermanentRedirect)
	default:
		gate.Redirect(w, r, to, http.StatusTemporaryRedirect)
	}
	return nil
}
