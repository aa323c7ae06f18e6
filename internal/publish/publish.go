// Package publish serves sites to their readers as HTML.
//
// A request is answered in four steps: the host and the path name a site, the
// request says who the visitor is, the structure of the site leads to a space, and
// the newest revision of the space has the page. What the visitor does not see is
// left out before the first page is read, so that nothing here can show it.
package publish

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/budget"
	"github.com/octavo-docs/octavo/internal/cache"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/edition"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/formula"
	"github.com/octavo-docs/octavo/internal/insights"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/mcpserver"
	"github.com/octavo-docs/octavo/internal/outbound"
	"github.com/octavo-docs/octavo/internal/sites"
	"github.com/octavo-docs/octavo/internal/theme"
)

// Limits.
const (
	maxPath        = 2 << 10  // bytes of an address
	maxQuery       = 200      // bytes of a search
	maxFound       = 20       // results of a search
	maxEditions    = 200_000  // pages in the trees that are kept in memory
	maxTexts       = 64 << 20 // bytes of texts of pages that are kept in memory
	maxStates      = 32 << 20 // bytes of sites that are kept in memory
	maxAnswers     = 64 << 20 // bytes of pages in their frames that are kept in memory
	maxShortcuts   = 32 << 20 // bytes of those that everybody sees; most are among the former
	maxShells      = 8 << 20  // bytes of frames of sites that are kept in memory
	maxReviews     = 20_000   // changed pages in the lists that are kept in memory
	highlightBytes = 16 << 20
	formulaBytes   = 4 << 20
)

// ownPrefix begins the addresses of a site that belong to no page. No page has
// such an address: slugs do not begin with a tilde. Clients of other renderers
// know the same addresses below otherPrefix.
const (
	ownPrefix   = "~octavo/"
	otherPrefix = "~gitbook/"
)

// ownName returns the rest of an address that belongs to no page.
func ownName(path string) (name string, ok bool) {
	if name, ok = strings.CutPrefix(path, ownPrefix); !ok {
		name, ok = strings.CutPrefix(path, otherPrefix)
	}
	return name, ok
}

// Config is what a handler needs.
type Config struct {
	Sites   *sites.Service
	Content *content.Service
	Guard   *authz.Guard
	// Insights counts the pages that readers are sent.
	Insights *insights.Service
	Log      *slog.Logger
	// Take counts a request that changes something or costs much against the limit of
	// its sender; an error of the kind TooMany refuses it. Nil: there is no limit.
	Take func(http.ResponseWriter, *http.Request) error
	// TryIt lets readers send requests to the servers that descriptions of APIs name, as
	// far as the policy allows their addresses. Nil: they cannot.
	TryIt *outbound.Policy
}

// Handler answers requests for sites.
type Handler struct {
	Config
	base      *url.URL
	states    *cache.Cache[stateKey, *state]
	editions  *edition.Cache
	texts     *texts
	answers   *cache.Cache[answerKey, *answer]
	shortcuts *cache.Cache[shortcutKey, *shortcut]
	shells    *cache.Cache[answerKey, *shell]
	agents    *cache.Cache[string, bool] // whether a machine has this name
	reviews   *cache.Cache[changedKey, *changed]
	cards     *cache.Cache[string, []byte]
	drawing   chan struct{} // slots for pictures

	protection *http.CrossOriginProtection // from forms of other sites
	caller     *http.Client                // sends the requests that readers try
	calling    *budget.Pool                // of those requests, by site
	highlight  *markup.Highlighter
	formulas   *formula.Typesetter
	mcp        *mcpserver.Server
	maxListed  int // pages of one sitemap
	fullPages  int // pages of one part of the whole text of a site
}

// New returns a handler for the sites of a server.
func New(c Config) (*Handler, error) {
	base, err := url.Parse(c.Sites.Hosts.Base)
	if err != nil {
		return nil, fmt.Errorf("the base address: %w", err)
	}
	h := &Handler{
		Config: c, base: base, highlight: markup.NewHighlighter(highlightBytes), formulas: formula.New(formulaBytes),
		mcp: mcpserver.New(), maxListed: maxListed, fullPages: fullPages,
		states:   cache.New[stateKey](maxStates, (*state).weight),
		editions: edition.NewCache(maxEditions),
		reviews:  cache.New[changedKey](maxReviews, func(c *changed) int { return 1 + len(c.pages) }),
		texts:    newTexts(),
		answers:  cache.New[answerKey](maxAnswers, (*answer).weight), shortcuts: cache.New[shortcutKey](maxShortcuts, (*shortcut).weight),
		shells: cache.New[answerKey](maxShells, func(*shell) int { return shellWeight }),
		cards:  cache.New[string](maxCards, func(b []byte) int { return len(b) }), drawing: make(chan struct{}, cardSlots),
		protection: http.NewCrossOriginProtection(),
		calling:    budget.NewPool("requests of readers", maxTries),
		agents:     cache.New[string](maxAgents/maxAgent, func(bool) int { return 1 }),
	}
	if c.TryIt != nil {
		h.caller = c.TryIt.Client(outbound.Options{Timeout: tryTime, NoRedirects: true})
	}
	return h, nil
}

// at returns the address that a request asks for, by its Host header and its
// path.
func at(r *http.Request) *url.URL {
	return &url.URL{Host: r.Host, Path: r.URL.Path, RawPath: r.URL.RawPath}
}

// MayBeSite reports whether an address may be that of a site. Those of nearly all requests of the API
// are not.
func (h *Handler) MayBeSite(host, path string) bool {
	return host != h.base.Host || strings.HasPrefix(path, h.base.Path+sites.Path)
}

// Owns reports whether a request is for a site, or for a host that only sites
// have. All others are for the server itself.
func (h *Handler) Owns(r *http.Request) bool {
	if !h.MayBeSite(r.Host, r.URL.Path) {
		return false
	}
	name, _, ok := h.Sites.Hosts.Locate(at(r))
	switch {
	case !ok:
		return name.Basename != "" // a host of the domain that no site can have
	case name.Hostname == "":
		return true
	case !strings.Contains(name.Hostname, "."), net.ParseIP(strings.Trim(name.Hostname, "[]")) != nil:
		return false
	}
	_, err := h.Sites.Store.SiteByHostname(r.Context(), name.Hostname)
	return err == nil
}

// ServeHTTP answers a request for a site, within a budget.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if page, ok := h.CachedPage(r); ok {
		page.ServeHTTP(w, r)
		return
	}
	r = r.WithContext(budget.NewContext(r.Context(), budget.New()))
	theme.SetSecurityHeaders(w.Header())
	w.Header().Set("Cache-Control", "private, no-store") // until it is known who may keep the answer
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead && !isProgram(r) && !isPost(r):
		notAllowed(w)
	case len(r.URL.Path) > maxPath:
		theme.WriteText(w, http.StatusRequestURITooLong, "The address is too long.")
	default:
		if err := h.serve(w, r); err != nil {
			h.fail(w, r, err)
		}
	}
}

func notAllowed(w http.ResponseWriter) {
	w.Header().Set("Allow", "GET, HEAD")
	theme.WriteText(w, http.StatusMethodNotAllowed, "Only GET and HEAD are answered.")
}

// fail answers with an error that has no site to be shown in.
func (h *Handler) fail(w http.ResponseWriter, r *http.Request, err error) {
	switch {
	case errs.Is(err, errs.NotFound):
		h.refuse(w, r, http.StatusNotFound, "There is no site at this address. Check it, or ask whoever gave it to you: links can be replaced.")
		return
	case errs.Is(err, errs.Invalid): // the site takes more than a request may use
		h.Log.Warn("a page of a site could not be shown", "request", w.Header().Get("X-Request-Id"), "error", err)
		h.refuse(w, r, http.StatusUnprocessableEntity, "The page could not be shown; the owner of the site can change that: "+errs.Message(err))
		return
	}
	h.Log.Error("a page of a site could not be shown", "request", w.Header().Get("X-Request-Id"), "error", err)
	h.refuse(w, r, http.StatusInternalServerError, "The page could not be shown. If this happens again, tell the owner of the site: "+w.Header().Get("X-Request-Id"))
}

// refuse answers a person with a page and a program with a line of text. The page is the same whether there is no site
// or one that the visitor must not know of. The style is at this address on the server and on host names of sites.
func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, status int, text string) {
	w.Header().Add("Vary", "Accept")
	if !theme.AcceptsHTML(r) {
		theme.WriteText(w, status, text)
		return
	}
	f := &theme.Frame{Lang: "en", Title: theme.TextsIn("en").Documentation, Home: "/", Hidden: true, Style: "/" + ownPrefix + "assets/" + theme.Style.Name}
	title := http.StatusText(status)
	if status == http.StatusNotFound {
		title = f.Texts().Missing
	}
	if err := theme.Write(w, status, f, &theme.Message{Title: title, Text: text}); err != nil {
		h.Log.Error("a message could not be shown", "request", w.Header().Get("X-Request-Id"), "error", err)
		theme.WriteText(w, status, text)
	}
}

func (h *Handler) serve(w http.ResponseWriter, r *http.Request) error {
	generation, counted := h.Sites.Store.Generation() // before anything is read
	site, rest, err := h.Sites.Find(r.Context(), at(r))
	if err != nil {
		return err
	}
	root := strings.TrimSuffix(at(r).EscapedPath(), rest)
	if !strings.HasSuffix(root, "/") { // the address of the site itself
		redirect(w, r, root+"/", http.StatusPermanentRedirect)
		return nil
	}
	if site.Proxy != "" {
		root = "https://" + site.Proxy + "/"
	}
	// An address that begins with two slashes would name another host.
	v := &visit{
		h: h, ctx: r.Context(), site: site, as: authz.Visitor{Org: site.Org, Site: site.ID}, root: root, path: strings.TrimLeft(rest, "/"),
		program: isProgram(r), generation: generation, counted: counted,
	}
	if v.state, err = h.state(r.Context(), site); err != nil {
		return err
	}
	if done, err := h.serveAsset(w, r, v.state, v.path); done || err != nil {
		return err
	}
	if done, err := v.admit(w, r); done || err != nil {
		return err
	}
	if v.key != "" { // was in front of the rest
		if done, err := h.serveAsset(w, r, v.state, v.path); done || err != nil {
			return err
		}
	}
	if err := v.open(); err != nil {
		return err
	}
	if done, err := v.serveMCP(w, r); done || err != nil {
		return err
	}
	return v.serve(w, r)
}

// redirect sends a browser elsewhere, with the query of the request.
func redirect(w http.ResponseWriter, r *http.Request, to string, status int) {
	if r.URL.RawQuery != "" && !strings.Contains(to, "?") {
		path, anchor, found := strings.Cut(to, "#")
		if to = path + "?" + r.URL.RawQuery; found {
			to += "#" + anchor
		}
	}
	w.Header().Set("Location", to)
	w.WriteHeader(status)
}
