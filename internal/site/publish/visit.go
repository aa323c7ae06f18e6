package publish

import (
	"net/http"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/site/audience"
	"github.com/octavo-docs/octavo/internal/site/publish/edition"
	"github.com/octavo-docs/octavo/internal/site/publish/gate"
	"github.com/octavo-docs/octavo/internal/site/publish/page"
	"github.com/octavo-docs/octavo/internal/site/sites"
)

// visit is one request for a site by a visitor who may read it.
type visit struct {
	*page.Composer
	h       *Handler
	reader  *gate.Reader
	review  *page.Review // of the draft that is visited; nil if there is none
	chooses bool         // the response depends on the language of the reader

	end   func() // ends the turn; nil: begin was not called
	place func() // releases the place among heavy requests; nil: there is none

	generation uint64 // of the store, before anything was read
	counted    bool   // the store has a generation
}

// serve writes the response.
func (v *visit) serve(w http.ResponseWriter, r *http.Request) error {
	v.cacheable(w.Header())
	var ok bool
	if v.Target, ok = v.Seen.Paths.Resolve(v.reader.Path, false); !ok {
		w, err := v.begin(w, r)
		if err != nil {
			return v.refuse(w, r, err)
		}
		return v.missing(w, r, nil)
	}
	if own, ok := v.State.Overrides[v.Target.Space.ID]; ok {
		if err := v.UseSettings(v.Target.Space.ID, own); err != nil {
			return err
		}
	}
	base := v.BaseOf(v.Target.Space)
	if base+v.Target.Rest != v.Root+v.reader.Path && !strings.HasPrefix(v.Target.Rest, audience.DraftPrefix) {
		gate.Redirect(w, r, base+v.Target.Rest, http.StatusTemporaryRedirect)
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
	return v.serveRest(w, r, base == v.Root)
}

// serveRest serves what is not kept.
func (v *visit) serveRest(w http.ResponseWriter, r *http.Request, atRoot bool) error {
	if atRoot {
		if done, err := v.serveSite(w, r, v.Target.Rest); done || err != nil {
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
	if name, _ := sites.OwnName(rest); isPost(r) && !strings.HasPrefix(name, page.FeedbackName) && !strings.HasPrefix(name, page.TryName) {
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
	if rest := v.Target.Rest; strings.HasPrefix(rest, audience.DraftPrefix) {
		return v.draft(r, rest)
	}
	e, err := v.Edition(v.Ctx, v.Target.Space)
	return e, v.Target.Rest, err
}

// cacheable sets Cache-Control and X-Robots-Tag. A response that all visitors share may be
// cached by everybody, but must be revalidated. Any other response must not be cached.
func (v *visit) cacheable(h http.Header) {
	h.Set("Cache-Control", "private, no-store")
	if !v.Private {
		h.Set("Cache-Control", "public, no-cache")
	}
	if !v.Listed() {
		h.Set("X-Robots-Tag", "noindex, nofollow")
	}
}

// servePage sends the page at a path of the space, or the Markdown of that page.
func (v *visit) servePage(w http.ResponseWriter, r *http.Request, e *edition.Edition, rest string) error {
	rest, asMarkdown := page.MarkdownName(rest)
	path, ok := page.Unescape(rest)
	if !ok {
		return v.missing(w, r, e)
	}
	n, moved, err := e.Find(v.Ctx, path)
	switch {
	case err != nil:
		return err
	case moved != "":
		if asMarkdown {
			moved = page.MarkdownAddress(moved, e.Base)
		}
		gate.Redirect(w, r, moved, http.StatusTemporaryRedirect)
		return nil
	}
	if !asMarkdown {
		if done, err := v.serveMarked(w, r, e, n, path); done || err != nil {
			return err
		}
	}
	if n == nil {
		return v.followRedirect(w, r, e)
	}
	if !asMarkdown && acceptsMarkdown(r) {
		asMarkdown = true
		w.Header()["Vary"] = varyAccept
	}
	if asMarkdown {
		text, err := v.Printer(e).Markdown(n)
		if err != nil {
			return err
		}
		return send(w, r, "text/markdown; charset=utf-8", []byte(text))
	}
	a, err := v.pageResponse(e, n)
	if err != nil {
		return err
	}
	v.sendPage(w, r, a, n)
	return nil
}

// sendPage sends the response for a page.
func (v *visit) sendPage(w http.ResponseWriter, r *http.Request, a *pageResponse, n *edition.Node) {
	if v.counts(r) {
		v.h.Insights.PageView(v.Site.ID, v.Target.Space, n.ID)
	}
	v.cacheShared(r, a, n)
	a.send(w, r)
}

// sendKept sends the response that is kept for the page at the path, and reports whether there
// is one.
func (v *visit) sendKept(w http.ResponseWriter, r *http.Request) (done bool, err error) {
	rest, asMarkdown := page.MarkdownName(v.Target.Rest)
	path, ok := page.Unescape(rest)
	if !ok || asMarkdown || isPost(r) || !v.Keeps() || acceptsMarkdown(r) || strings.HasPrefix(rest, "~") {
		return false, nil
	}
	e, err := v.KnownEdition()
	if e == nil || err != nil {
		return false, err
	}
	n, _, err := e.Find(v.Ctx, path)
	if n == nil || err != nil {
		return false, err
	}
	a, err := v.keptResponse(e, n)
	if a == nil || err != nil {
		return false, err
	}
	v.sendPage(w, r, a, n)
	return true, nil
}

// followRedirect follows a redirect of the site from an address that has no page.
func (v *visit) followRedirect(w http.ResponseWriter, r *http.Request, e *edition.Edition) error {
	rule, to, err := v.h.Sites.Redirects.Find(v.Ctx, v.Site, v.Seen.Structure, "/"+v.reader.Path, v.ShareKey, v.PagePath)
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
	case rule.Permanent && v.Site.Visibility == docs.VisibilityPublic:
		gate.Redirect(w, r, to, http.StatusPermanentRedirect)
	default:
		gate.Redirect(w, r, to, http.StatusTemporaryRedirect)
	}
	return nil
}
