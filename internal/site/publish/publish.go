// Package publish serves sites to their readers as HTML.
//
// A request is answered in four steps. The host and the path name a site. The request
// identifies the visitor. The structure of the site resolves the rest of the path to a
// space. The newest revision of the space holds the page. Content that the visitor may
// not see is filtered out before the first page is read, so that no later step can show it.
//
// Where a change goes:
//   - who reads: gate; their language in language.go and acceptlanguage
//   - what they get: package page; the pages that a visitor sees of a space, their order,
//     addresses and navigation in edition
//   - how a request is answered: visit.go; what there is besides pages in serve.go, files.go, pdf.go,
//     try.go and feedback.go; what it may cost in turn.go
//   - a site as files, a book: package export
//   - responses that are kept, and compressed: response.go; codings in site/coding; what a text
//     was made of in content/revision/trace.go
//   - assistants: mcp.go; their protocol in mcpserver
package publish

import (
	"cmp"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/budget"
	"github.com/octavo-docs/octavo/internal/cache"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/outbound"
	"github.com/octavo-docs/octavo/internal/site/audience"
	"github.com/octavo-docs/octavo/internal/site/insights"
	"github.com/octavo-docs/octavo/internal/site/pictures"
	"github.com/octavo-docs/octavo/internal/site/publish/gate"
	"github.com/octavo-docs/octavo/internal/site/publish/mcpserver"
	"github.com/octavo-docs/octavo/internal/site/publish/page"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

// Limits.
const (
	maxPath        = 2 << 10  // bytes of the path of a request
	maxResponses   = 64 << 20 // bytes of all cached pages with their frames
	maxUnshown     = 10_000   // messages of errors that were logged, each once in unshownTime
	unshownTime    = time.Minute
	maxCards       = 16 << 20 // bytes of all cached preview pictures
	maxSharedPages = 32 << 20 // bytes of all shared pages; most of them are in the cache of responses too
)

// Config holds the services and settings that a Handler uses.
type Config struct {
	Audience *audience.Service
	Sites    *sites.Service
	Content  *content.Service
	Guard    *authz.Guard
	// Insights counts the pages that are sent to readers.
	Insights *insights.Service
	Log      *slog.Logger
	// Take counts a request whose response is not kept against the rate limit of its sender. The
	// request is refused if Take returns an error of the kind TooMany. If Take is nil, there
	// is no limit.
	Take func(http.ResponseWriter, *http.Request) error
	// TryIt lets readers send requests to the servers that API descriptions name, if the
	// policy allows the addresses of these servers. If TryIt is nil, readers cannot do that.
	TryIt *outbound.Policy
	// Own answers such requests to the address of this server, which TryIt need not allow. If
	// it is nil, that address is one like others.
	Own http.Handler
	// Pictures makes pictures with fewer pixels. If it is nil, pages have only the files that there are.
	Pictures *pictures.Maker
	// Turns are shared with other handlers of the process. If it is nil, sites have their own.
	Turns *budget.Turns
}

// Handler serves requests for sites.
type Handler struct {
	Config
	Pages *page.Shared // composes what the sites have; exports use it too

	base        *url.URL
	gate        *gate.Gate
	responses   *cache.Cache[page.Key, *pageResponse]
	sharedPages *cache.Cache[sharedKey, *sharedPage]
	agents      *cache.Cache[string, bool] // by user agent: whether it is a machine
	cards       *cache.Cache[string, []byte]
	heavy       *budget.Pool                    // limits what is heavy besides pages, by organization
	bodies      *budget.Pool                    // memory for long bodies of requests, by network
	unshown     *cache.Cache[string, time.Time] // messages of errors that were logged

	protection *http.CrossOriginProtection // against forms that other sites submit
	caller     *http.Client                // sends the requests that readers try
	calling    *budget.Pool                // limits concurrent requests of caller, by organization
	mcp        *mcpserver.Server
}

// New returns a Handler for the sites of a server.
func New(c Config) (*Handler, error) {
	base, err := url.Parse(c.Sites.Hosts.Base)
	if err != nil {
		return nil, fmt.Errorf("the base address: %w", err)
	}
	h := &Handler{
		Config: c, base: base,
		gate: gate.New(c.Audience, c.Sites.ShareLinks, c.Log, base.Scheme == "https"), Pages: page.New(c.Audience, c.Sites, c.Content, c.TryIt != nil),
		mcp:       mcpserver.New(),
		responses: cache.New[page.Key](maxResponses, (*pageResponse).weight), sharedPages: cache.New[sharedKey](maxSharedPages, (*sharedPage).weight),
		cards:      cache.New[string](maxCards, func(b []byte) int { return len(b) }),
		heavy:      budget.NewPool("requests of readers", heavyPlaces),
		bodies:     budget.NewPool("long requests of readers", largeBodies),
		unshown:    cache.New[string](maxUnshown, func(time.Time) int { return 1 }),
		protection: http.NewCrossOriginProtection(),
		calling:    budget.NewPool("requests that readers try", maxTries),
		agents:     cache.New[string](maxAgents/maxAgent, func(bool) int { return 1 }),
	}
	if h.Take == nil {
		h.Take = func(http.ResponseWriter, *http.Request) error { return nil }
	}
	h.Turns = cmp.Or(h.Turns, budget.ProcessTurns())
	h.Pages.Pictures = c.Pictures != nil
	if c.TryIt != nil {
		h.caller = c.TryIt.Client(outbound.Options{Timeout: tryTime, NoRedirects: true})
		if c.Own != nil {
			h.caller.Transport = outbound.Local{Base: base, Handler: c.Own, Next: h.caller.Transport, Limit: maxTryResponse + 1}
		}
	}
	return h, nil
}

// requestURL returns the URL of a request: its Host header and its path.
func requestURL(r *http.Request) *url.URL {
	return &url.URL{Host: r.Host, Path: r.URL.Path, RawPath: r.URL.RawPath}
}

// mayBeSite reports whether an address may belong to a site. It is a cheap check, which is
// false for nearly all requests of the API.
func (h *Handler) mayBeSite(host, path string) bool {
	return host != h.base.Host || strings.HasPrefix(path, h.base.Path+sites.Path)
}

// Owns reports whether a request is for a site, or for a host name that only sites use.
// All other requests are for the server itself.
func (h *Handler) Owns(r *http.Request) bool {
	if !h.mayBeSite(r.Host, r.URL.Path) {
		return false
	}
	name, _, ok := h.Sites.Hosts.Locate(requestURL(r))
	switch {
	case !ok:
		return name.Basename != "" // a host name below the domain of sites that no site can have
	case name.Hostname == "":
		return true
	case !strings.Contains(name.Hostname, "."), net.ParseIP(strings.Trim(name.Hostname, "[]")) != nil:
		return false
	}
	return h.Audience.HasHostname(r.Context(), name.Hostname)
}

// ServeHTTP serves a request for a site, within a budget. Callers that compress responses
// ask CachedPage before.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	theme.SetSecurityHeaders(w.Header())
	w.Header().Set("Cache-Control", "private, no-store") // until it is clear who may cache the response
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead && !isMCPCall(r) && !isPost(r):
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

// fail writes an error response for an error that cannot be shown in the frame of a site.
func (h *Handler) fail(w http.ResponseWriter, r *http.Request, err error) {
	switch {
	case errs.Is(err, errs.NotFound):
		h.refuse(w, r, http.StatusNotFound, "There is no site at this address. Check it, or ask whoever gave it to you: links can be replaced.")
		return
	case errs.Cancelled(err): // the reader has left, or the reader whose work this one waited for
		h.Log.Debug("the request for a page of a site was cancelled", "request", w.Header().Get("X-Request-Id"))
		w.Header().Set("Retry-After", "1")
		h.refuse(w, r, http.StatusServiceUnavailable, "The page could not be shown at the moment. Try again.")
		return
	case errs.Is(err, errs.Invalid): // the site needs more than the budget of a request
		if cache.Once(h.unshown, errs.Message(err), unshownTime, h.Audience.Now()) { // strangers may ask for it as often as they like
			h.Log.Warn("a page of a site could not be shown", "request", w.Header().Get("X-Request-Id"), "error", err)
		}
		h.refuse(w, r, http.StatusUnprocessableEntity, "The page could not be shown; the owner of the site can change that: "+errs.Message(err))
		return
	case errs.Is(err, errs.TooMany), errs.Is(err, errs.Busy), errs.Is(err, errs.Precondition): // the last one: a PDF that would be too long
		h.refuseForNow(w, r, err)
		return
	}
	h.Log.Error("a page of a site could not be shown", "request", w.Header().Get("X-Request-Id"), "error", err)
	h.refuse(w, r, http.StatusInternalServerError, "The page could not be shown. If this happens again, tell the owner of the site: "+w.Header().Get("X-Request-Id"))
}

// refuseForNow writes the response for a request that may be sent again, later or for less.
func (h *Handler) refuseForNow(w http.ResponseWriter, r *http.Request, err error) {
	if w.Header().Get("Retry-After") == "" && !errs.Is(err, errs.Precondition) {
		w.Header().Set("Retry-After", "10")
	}
	w.Header().Set("Cache-Control", "private, no-store")
	text := errs.Message(err)
	h.refuse(w, r, errs.KindOf(err).Status(), strings.ToUpper(text[:1])+text[1:]+".")
}

// refuse writes an error response: an HTML page to browsers, a line of text to other
// clients. The page for a missing site and for one that the visitor must not learn of is
// identical. The style sheet has this path on the server and on host names of sites.
func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, status int, text string) {
	w.Header().Set("Cache-Control", "private, no-store")
	w.Header().Add("Vary", "Accept")
	if !theme.AcceptsHTML(r) {
		theme.WriteText(w, status, text)
		return
	}
	f := &theme.Frame{Lang: "en", Title: theme.TextsIn("en").Documentation, Home: "/", Hidden: true, Style: "/" + sites.OwnPrefix + "assets/" + theme.Style.Name}
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
	// The assets are the same for all sites. They are sent before a site is looked for, so that they do not tell which exist.
	if _, name, ok := strings.Cut(r.URL.Path, "/"+sites.OwnPrefix+"assets/"); ok && theme.Serve(w, r, name) {
		return nil
	}
	generation, counted := h.Audience.Generation() // before anything is read
	site, rest, err := h.Audience.Find(r.Context(), requestURL(r))
	if err != nil {
		if limited := h.Take(w, r); limited != nil {
			return limited
		}
		return err
	}
	uses := h.Turns.Budget(r.Context(), string(site.Org))
	defer uses.End()
	r = r.WithContext(budget.NewContext(r.Context(), uses))
	root := strings.TrimSuffix(requestURL(r).EscapedPath(), rest)
	if site.Proxy != "" {
		root = "https://" + site.Proxy + "/"
	}
	state, err := h.Pages.StateOf(r.Context(), site)
	if err != nil {
		return err
	}
	// An address that began with two slashes would name another host.
	reader := h.gate.Reader(r.Context(), site, root, strings.TrimLeft(rest, "/"), state.Settings.Internationalization.Locale)
	reader.Program = isMCPCall(r)
	if done, err := h.serveAsset(w, r, state, reader.Path); done || err != nil {
		return err
	}
	if done, err := reader.Admit(w, r); done || err != nil {
		return err
	}
	if reader.Key != "" { // the share key preceded the rest of the path
		if done, err := h.serveAsset(w, r, state, reader.Path); done || err != nil {
			return err
		}
	}
	v := &visit{
		h: h, reader: reader, generation: generation, counted: counted,
		Composer: &page.Composer{
			Shared: h.Pages, Ctx: r.Context(), Site: site, State: state, Root: reader.Root, ShareKey: reader.Key, Private: reader.Private, Output: page.Live{},
		},
	}
	if reader.As.Preview {
		v.Output = page.Draft{Preview: true}
	}
	return v.answer(w, r)
}

// answer answers a request of a reader who was admitted.
func (v *visit) answer(w http.ResponseWriter, r *http.Request) (err error) {
	defer func() {
		if v.end != nil {
			v.end()
		}
	}()
	if v.reader.Program || v.reader.As.Preview || !v.Audience.Knows(v.Site, v.reader.As) { // otherwise it is known what the visitor sees
		if w, err = v.begin(w, r); err != nil {
			return v.refuse(w, r, err)
		}
	}
	if err := v.Open(v.reader.As); err != nil {
		return err
	}
	if done, err := v.serveMCP(w, r); done || err != nil {
		return err
	}
	return v.serve(w, r)
}
