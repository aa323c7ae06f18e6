package publish

import (
	"net/http"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/site/coding"
	"github.com/octavo-docs/octavo/internal/site/publish/edition"
	"github.com/octavo-docs/octavo/internal/site/publish/gate"
	"github.com/octavo-docs/octavo/internal/site/publish/page"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

// pageResponse is the response for a page, which is sent to all visitors who see the same
// content. It is immutable.
type pageResponse struct {
	body   *coding.Body
	header []field
	page.MadeOf
}

// field is a header field. Its values are shared between responses and must not be modified.
type field struct {
	name   string
	values []string
}

func (p *pageResponse) weight() int { return p.body.Weight() }

func (p *pageResponse) send(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	for _, f := range p.header {
		h[f.name] = f.values
	}
	p.body.Send(w, r, http.StatusOK)
}

// pageResponse returns the response for a page in its frame. It is cached for all visitors
// who see the same content, until the site or one of the spaces that the page was made of
// changes. Drafts and previews are not cached. It is looked for again: while this request
// waited for its turn, another one may have composed the page.
func (v *visit) pageResponse(e *edition.Edition, n *edition.Node) (*pageResponse, error) {
	if a, err := v.keptResponse(e, n); a != nil || err != nil {
		return a, err
	}
	a, err := v.respond(e, n)
	if err == nil && v.Keeps() && !a.Partial {
		v.h.responses.Set(v.Key(e, n.ID), a)
	}
	return a, err
}

// keptResponse returns the cached response for a page, or nil if there is none, or if it is
// outdated.
func (v *visit) keptResponse(e *edition.Edition, n *edition.Node) (*pageResponse, error) {
	a, ok := v.h.responses.Get(v.Key(e, n.ID))
	if !ok || !v.Keeps() {
		return nil, nil
	}
	if same, err := v.Same(v.Ctx, a.MadeOf, e); err != nil || !same {
		return nil, err
	}
	return a, nil
}

// respond composes the page and builds its response.
func (v *visit) respond(e *edition.Edition, n *edition.Node) (*pageResponse, error) {
	c, err := v.Composer.Compose(e, n)
	if err != nil {
		return nil, err
	}
	text, err := theme.Render(c.Frame, c.Page)
	if err != nil {
		return nil, err
	}
	h := http.Header{"Content-Security-Policy": {theme.Policy(c.Frame)}, "Content-Type": {htmlType}, "Vary": varyAccept}
	theme.SetSecurityHeaders(h)
	v.cacheable(h)
	a := &pageResponse{body: coding.New(text), MadeOf: c.MadeOf}
	for name, values := range h {
		a.header = append(a.header, field{name, values})
	}
	return a, nil
}

// sharedKey is the host and the path of a request without a query.
type sharedKey struct{ host, path string }

// sharedPage is the page that all visitors receive at an address. It is valid as long as
// nothing is written to the store.
type sharedPage struct {
	*pageResponse
	h          *Handler
	generation uint64 // of the store, before anything was read
	site       docs.SiteID
	place      docs.SiteItem
	page       docs.PageID
}

// isPlain reports whether a request is for HTML and contains nothing that identifies the
// visitor on a public site.
func isPlain(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead || r.URL.RawQuery != "" || r.URL.RawPath != "" {
		return false
	}
	if acceptsMarkdown(r) {
		return false
	}
	for _, c := range r.Header["Cookie"] {
		if gate.Identifies(c) {
			return false
		}
	}
	return true
}

// isSpelled reports whether the address of a request is spelled as links spell it. There are as many
// other spellings as a stranger likes, which all lead to the page, and each would take a place
// among the shared pages of all sites.
func isSpelled(r *http.Request) bool {
	return !strings.Contains(r.URL.Path, "//") && r.Host == strings.ToLower(r.Host) && !strings.HasSuffix(r.Host, ".")
}

// CachedPage returns a handler that sends a cached page, compressed as the client accepts
// it. It returns false if the request needs the full handler. A cached page is one that
// all visitors share. It is valid only while nothing has been written to the store since
// it was made.
func (h *Handler) CachedPage(r *http.Request) (http.Handler, bool) {
	if !h.mayBeSite(r.Host, r.URL.Path) || !isPlain(r) {
		return nil, false
	}
	s, ok := h.sharedPages.Get(sharedKey{r.Host, r.URL.Path})
	if !ok {
		return nil, false
	}
	now, counted := h.Audience.Generation()
	return s, counted && now == s.generation
}

// ServeHTTP sends the page, and counts it.
func (s *sharedPage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.h.countable(r) {
		s.h.Insights.PageView(s.site, s.place, s.page)
	}
	s.send(w, r)
}

// cacheShared caches a response for CachedPage, if all visitors share it.
func (v *visit) cacheShared(r *http.Request, a *pageResponse, n *edition.Node) {
	if v.counted && !a.Partial && !v.Private && v.Output.Published() && !v.chooses && isPlain(r) && isSpelled(r) && !a.Elsewhere() {
		v.h.sharedPages.Set(sharedKey{r.Host, r.URL.Path}, &sharedPage{a, v.h, v.generation, v.Site.ID, v.Target.Space, n.ID})
	}
}
