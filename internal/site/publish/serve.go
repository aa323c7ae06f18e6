package publish

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/blob"
	"github.com/octavo-docs/octavo/internal/budget"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/site/insights"
	"github.com/octavo-docs/octavo/internal/site/publish/edition"
	"github.com/octavo-docs/octavo/internal/site/publish/gate"
	"github.com/octavo-docs/octavo/internal/site/publish/page"
	"github.com/octavo-docs/octavo/internal/site/publish/rss"
	"github.com/octavo-docs/octavo/internal/site/publish/social"
	"github.com/octavo-docs/octavo/internal/site/sites"
)

// serveSite serves the files that a site has once, for search engines and language models.
// It reports whether name is one of them.
func (v *visit) serveSite(w http.ResponseWriter, r *http.Request, name string) (done bool, err error) {
	part, ok := page.FullPart(name)
	if ok { // the texts of many pages
		if err := budget.Turn(v.Ctx); err != nil {
			return true, err
		}
	}
	if ok || name == "llms.txt" || name == "sitemap.xml" {
		if err := v.heavy(); err != nil {
			return true, err
		}
	}
	var b []byte
	kind := "text/plain; charset=utf-8"
	switch {
	case name == "robots.txt":
		b = v.Robots()
	case name == "sitemap.xml" && v.Listed():
		kind = page.SitemapType
		b, err = v.Sitemap()
	case name == "llms.txt":
		b, err = v.LLMs()
	case ok:
		if b, err = v.LlmsFull(part); b == nil && err == nil {
			return false, nil
		}
	default:
		return false, nil
	}
	if err != nil {
		return true, err
	}
	return true, send(w, r, kind, b)
}

// serveSitemap sends the sitemap of one space. It reports whether the path names that
// sitemap.
func (v *visit) serveSitemap(w http.ResponseWriter, r *http.Request, e *edition.Edition, rest string) (done bool, err error) {
	if rest != page.PagesName || !v.Listed() || v.Target.Space.Hidden {
		return false, nil
	}
	if err := v.heavy(); err != nil {
		return true, err
	}
	b, err := v.SitemapOf(v.Target.Space, e)
	if err != nil {
		return true, err
	}
	return true, send(w, r, page.SitemapType, b)
}

// serveFeed sends the feed of a page with updates. It reports whether the path names such
// a feed.
func (v *visit) serveFeed(w http.ResponseWriter, r *http.Request, e *edition.Edition, rest string) (done bool, err error) {
	name, ok := strings.CutSuffix("/"+rest, "/"+page.FeedFile)
	if !ok {
		return false, nil
	}
	path, ok := page.Unescape(strings.TrimPrefix(name, "/"))
	if !ok {
		return false, nil
	}
	n, moved, err := e.Find(v.Ctx, path)
	switch {
	case err != nil:
		return true, err
	case strings.HasPrefix(moved, e.Base):
		gate.Redirect(w, r, page.FeedAddress(moved), http.StatusTemporaryRedirect)
		return true, nil
	case n == nil:
		return false, nil
	}
	if err := v.heavy(); err != nil {
		return true, err
	}
	b, ok, err := v.Feed(e, n)
	if err != nil || !ok {
		return false, err
	}
	return true, send(w, r, rss.Type+"; charset=utf-8", b)
}

// serveOwn serves paths below sites.OwnPrefix in a space, such as files, search and feedback.
func (v *visit) serveOwn(w http.ResponseWriter, r *http.Request, e *edition.Edition, rest string) (done bool, err error) {
	name, ok := sites.OwnName(rest)
	if !ok {
		return false, nil
	}
	if id, ok := strings.CutPrefix(name, "files/"); ok {
		return true, v.file(w, r, e, id)
	}
	if id, ok := strings.CutPrefix(name, page.PictureName); ok {
		return true, v.picture(w, r, e, id)
	}
	if id, ok := strings.CutPrefix(name, page.CardName); ok {
		return true, v.serveCard(w, r, e, id)
	}
	if id, ok := strings.CutPrefix(name, page.FeedbackName); ok {
		return true, v.serveFeedback(w, r, e, id)
	}
	if id, ok := strings.CutPrefix(name, page.TryName); ok {
		return true, v.serveTry(w, r, e, id)
	}
	query, scope := v.searchQuery(r)
	switch name {
	case "search":
		if err := v.heavy(); err != nil {
			return true, err
		}
		f, err := v.Frame(e, nil)
		if err != nil {
			return true, err
		}
		found, err := v.Results(e, f, query, scope)
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
		found, err := v.Found(e, query, scope)
		if err != nil {
			return true, err
		}
		b, err := json.Marshal(found)
		if err != nil {
			return true, err
		}
		return true, send(w, r, "application/json", b)
	case page.PDFName:
		return true, v.servePDF(w, r, e)
	case "icon.svg":
		return true, send(w, r, "image/svg+xml", page.EmojiIcon(v.Settings.Favicon.Emoji))
	}
	return true, v.missing(w, r, e)
}

// serveCard sends the preview picture of a page that the visitor sees.
func (v *visit) serveCard(w http.ResponseWriter, r *http.Request, e *edition.Edition, rest string) error {
	id, _, _ := strings.Cut(rest, "/")
	n, err := e.Page(v.Ctx, docs.PageID(id))
	if err != nil {
		return err
	}
	if n == nil || n.Type != docs.PageDocument {
		return v.missing(w, r, e)
	}
	if at := v.CardAddress(e, n); at != v.Root+v.reader.Path {
		gate.Redirect(w, r, at, http.StatusTemporaryRedirect)
		return nil
	}
	b, err := v.cardImage(v.Card(e, n))
	if err != nil {
		return err
	}
	if !v.Private {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin") // other sites embed it
	}
	return sendPicture(w, r, "image/png", b)
}

// cardImage returns the image of a card, drawing it if it is not cached.
func (v *visit) cardImage(c social.Card) ([]byte, error) {
	key := c.Hash()
	if b, ok := v.h.cards.Get(key); ok {
		return b, nil
	}
	if err := v.heavy(); err != nil {
		return nil, err
	}
	if err := budget.Turn(v.Ctx); err != nil {
		return nil, err
	}
	b, err := c.PNG()
	if err == nil {
		v.h.cards.Set(key, b)
	}
	return b, err
}

// serveAsset sends a font of a site, without access control: only who has seen the site knows its name, which is made from its
// content. It reports whether name is such a file.
func (h *Handler) serveAsset(w http.ResponseWriter, r *http.Request, s *page.State, name string) (bool, error) {
	file, ok := strings.CutPrefix(name, sites.FontPath)
	if !ok || !s.Fonts[file] {
		return false, nil
	}
	text, format, _ := strings.Cut(file, ".")
	o, err := blob.OpenNamed(r.Context(), h.Content.Blobs, text)
	if errs.Is(err, errs.NotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer o.Close()
	// Other renderers show the site on their own hosts, and browsers load fonts from another
	// host only with this header.
	w.Header().Set("Access-Control-Allow-Origin", "*")
	blob.Serve(w, r, blob.Served{Name: file, ContentType: "font/" + format, Hash: o.Info().Hash, Public: true}, o)
	return true, nil
}

// serveMarked sends a page of a draft with its changes highlighted. It reports whether one
// of the two editions has such a page.
func (v *visit) serveMarked(w http.ResponseWriter, r *http.Request, e *edition.Edition, n *edition.Node, path string) (done bool, err error) {
	rv := v.review
	if rv == nil || rv.Before == nil || !rv.Marked {
		return false, nil
	}
	var was *edition.Node
	if n != nil {
		was, err = rv.Before.Page(v.Ctx, n.ID)
	} else {
		was, _, err = rv.Before.Find(v.Ctx, path)
	}
	if err != nil || was == nil && n == nil {
		return false, err
	}
	if err := v.heavy(); err != nil {
		return true, err
	}
	f, err := v.Frame(e, n)
	if err != nil {
		return true, err
	}
	p, err := v.MarkChanges(rv, f.Draft, was, n)
	if err == nil && n == nil {
		f.Draft.Live, err = v.PublishedAddress(was)
	}
	if err != nil {
		return true, err
	}
	return true, sendPage(w, r, f, p)
}

// searchQuery returns the query and the scope of a search request.
func (v *visit) searchQuery(r *http.Request) (query string, scope sites.SearchScope) {
	values := r.URL.Query()
	if scope = v.Scope(); values.Get("in") == page.OneSection {
		scope.Restrict = page.CurrentSpace
	}
	return page.TrimQuery(values.Get("q")), scope
}

// asked counts what a reader sent to the page of results. What the script sends while somebody
// types is not counted: it is only a part of a question.
func (v *visit) asked(r *http.Request, query string, found bool) {
	if v.counts(r) {
		v.h.Insights.Ask(v.Site, insights.Question{Text: query, Address: authz.OriginOf(r.RemoteAddr, "").Address, Found: found})
	}
}
