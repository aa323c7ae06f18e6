package publish

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/blob"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/reading"
	"github.com/octavo-docs/octavo/internal/site/customization"
	"github.com/octavo-docs/octavo/internal/site/publish/edition"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

// visit is one request for a site by a visitor who may read it.
type visit struct {
	h        *Handler
	ctx      context.Context
	site     docs.Site
	state    *state
	root     string // address of the site, including the share key; ends with a slash
	path     string // escaped, relative to root
	key      string // of a share link
	as       authz.Visitor
	seen     *sites.VisitorView
	private  bool // the response depends on the visitor, and must not be shared
	out      output
	review   *review // of the draft that is visited; nil if there is none
	mcpCall  bool    // the client calls the MCP server and is not a browser
	settings customization.Settings
	target   sites.Target
	chooses  bool // the response depends on the language of the reader

	counterparts map[pageIn]string // addresses of pages in other variants, filled by counterpart

	end   func()                               // ends the turn; nil: begin was not called
	place func()                               // releases the place among heavy requests; nil: there is none
	own   map[docs.SiteItemID]*edition.Edition // for a visitor for whom nothing is kept

	read       map[docs.SpaceID]stamp // spaces that were read for the response; nil if they are not recorded
	generation uint64                 // of the store, before anything was read
	counted    bool                   // the store has a generation
}

// open loads the part of the site that the visitor may see.
func (v *visit) open() (err error) {
	if v.seen, err = v.h.Sites.VisitorViewOf(v.ctx, v.h.Sites.Store.Reader, v.site, v.as); err != nil {
		return err
	}
	return v.useSettings("", v.state.settings)
}

// settingsKey is the cache key of settings as a visitor sees them.
type settingsKey struct {
	site    stateKey
	place   docs.SiteItemID // empty: the settings of the site
	visitor string
}

// useSettings filters settings by the conditions that the visitor meets.
func (v *visit) useSettings(place docs.SiteItemID, s customization.Settings) error {
	key := settingsKey{stateKey{v.site.ID, v.site.Version}, place, v.seen.Reader.Key()}
	if kept, ok := v.h.settings.Get(key); ok {
		v.settings = *kept
		return nil
	}
	check := v.seen.Reader.Check(v.ctx)
	v.settings = s.ForVisitor(check.Holds)
	if check.Err == nil && v.keeps() {
		kept := v.settings
		v.h.settings.Set(key, &kept)
	}
	return check.Err
}

// keeps reports whether caches may keep what is made for the visitor.
func (v *visit) keeps() bool { return v.out.keeps() && v.seen.Reader.Kept() }

// baseOf returns the address of a site space, with a final slash.
func (v *visit) baseOf(it docs.SiteItem) string {
	if it.Address == "" {
		return v.root
	}
	return v.root + reading.EscapePath(it.Address) + "/"
}

// serve writes the response.
func (v *visit) serve(w http.ResponseWriter, r *http.Request) error {
	v.cacheable(w.Header())
	var ok bool
	if v.target, ok = v.seen.Paths.Resolve(v.path, false); !ok {
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
	if base+v.target.Rest != v.root+v.path && !strings.HasPrefix(v.target.Rest, sites.DraftPrefix) {
		redirect(w, r, base+v.target.Rest, http.StatusTemporaryRedirect)
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
	if name, _ := ownName(rest); isPost(r) && !strings.HasPrefix(name, feedbackName) && !strings.HasPrefix(name, tryName) {
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
		redirect(w, r, moved, http.StatusTemporaryRedirect)
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
	rule, to, err := v.h.Sites.FindRedirect(v.ctx, v.site, v.seen.Structure, "/"+v.path, v.key, v.pagePath)
	switch {
	case errs.Is(err, errs.NotFound):
		return v.missing(w, r, e)
	case err != nil:
		return err
	}
	if rule.Destination.Kind == docs.RedirectExternal { // credentials of the visitor are for this site only
		r.URL.RawQuery = withoutCredentials(r.URL.Query()).Encode()
	}
	switch {
	case rule.Permanent && v.site.Visibility == docs.VisibilityPublic:
		redirect(w, r, to, http.StatusPermanentRedirect)
	default:
		redirect(w, r, to, http.StatusTemporaryRedirect)
	}
	return nil
}

// pagePath returns the path of a page in its space. The error is NotFound if the visitor
// does not see the page.
func (v *visit) pagePath(ctx context.Context, space docs.Space, page docs.PageID) (string, error) {
	e, err := v.elsewhere(ctx, space.ID)
	if err != nil {
		return "", err
	}
	if e == nil {
		return "", errs.Missing("page")
	}
	n, err := e.Page(ctx, page)
	switch {
	case err != nil:
		return "", err
	case n == nil:
		return "", errs.Missing("page")
	case page == e.Home:
		return "", nil
	}
	return n.Path, nil
}

func (v *visit) printer(e *edition.Edition) *printer {
	p := &printer{h: v.h, ctx: v.ctx, e: e, look: v.look(e), alone: !v.settings.Pagination.Enabled, elsewhere: v.elsewhere}
	if v.out.setUp(p); !v.seen.Reader.Kept() {
		p.kept = nil
	}
	return p
}

// look returns how the site renders the pages of an edition, which may be nil.
func (v *visit) look(e *edition.Edition) look {
	return look{
		highlight: v.h.highlight, formulas: v.h.formulas, dark: v.scheme().Dark(),
		icons: v.settings.Styling.Icons != "solid" && v.settings.Styling.Icons != "duotone", newTab: v.settings.ExternalLinks.Target == "blank",
		texts: theme.TextsIn(v.lang(e)), canTry: v.canTry(),
	}
}

// elsewhere returns the edition of another space of the site, or nil if the visitor does
// not see that space. If the site has the space several times, the first place is used.
func (v *visit) elsewhere(ctx context.Context, space docs.SpaceID) (*edition.Edition, error) {
	for _, it := range v.seen.Structure.All(docs.SiteSpace) {
		if it.Space == space {
			return v.edition(ctx, it)
		}
	}
	return nil, nil
}

// serveOwn serves paths below ownPrefix in a space, such as files, search and feedback.
func (v *visit) serveOwn(w http.ResponseWriter, r *http.Request, e *edition.Edition, rest string) (done bool, err error) {
	name, ok := ownName(rest)
	if !ok {
		return false, nil
	}
	if id, ok := strings.CutPrefix(name, "files/"); ok {
		return true, v.file(w, r, e, id)
	}
	if page, ok := strings.CutPrefix(name, cardName); ok {
		return true, v.serveCard(w, r, e, page)
	}
	if page, ok := strings.CutPrefix(name, feedbackName); ok {
		return true, v.serveFeedback(w, r, e, page)
	}
	if page, ok := strings.CutPrefix(name, tryName); ok {
		return true, v.serveTry(w, r, e, page)
	}
	query, scope := v.searchQuery(r)
	switch name {
	case "search":
		if err := v.heavy(); err != nil {
			return true, err
		}
		f, err := v.frame(e, nil)
		if err != nil {
			return true, err
		}
		found, err := v.results(e, f, query, scope)
		if err != nil {
			return true, err
		}
		v.asked(r, query, len(found.Hits) > 0)
		f.Hidden = true
		return true, sendPage(w, r, f, found)
	case "found":
		if err := v.heavy(); err != nil {
			return true, err
		}
		hits, err := v.search(e, query, scope)
		if err != nil {
			return true, err
		}
		b, err := json.Marshal(hits)
		if err != nil {
			return true, err
		}
		return true, send(w, r, "application/json", b)
	case pdfName:
		return true, v.servePDF(w, r, e)
	case "icon.svg":
		return true, send(w, r, "image/svg+xml", emojiIcon(v.settings.Favicon.Emoji))
	}
	return true, v.missing(w, r, e)
}

// file sends a file of the space. Only the id in the address identifies the file. The
// hash that follows is for caches, and the name is for people.
func (v *visit) file(w http.ResponseWriter, r *http.Request, e *edition.Edition, rest string) error {
	id, _, _ := strings.Cut(rest, "/")
	f, err := e.View.File(v.ctx, docs.FileID(id))
	if errs.Is(err, errs.NotFound) {
		return v.missing(w, r, e)
	}
	if err != nil {
		return err
	}
	if fileAddress(e, f) != v.root+v.path {
		redirect(w, r, fileAddress(e, f), http.StatusTemporaryRedirect)
		return nil
	}
	hash, err := blob.ParseHash(f.Blob)
	if err != nil {
		return err
	}
	o, err := v.h.Content.OpenFile(v.ctx, e.Space.ID, f.Blob)
	if err != nil {
		return err
	}
	defer o.Close()
	blob.Serve(w, r, blob.Served{Name: f.Name, ContentType: f.ContentType, Hash: hash, Public: !v.private, Secret: v.private}, o)
	return nil
}
