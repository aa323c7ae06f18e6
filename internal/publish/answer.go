package publish

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/coding"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/edition"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/theme"
)

// answer is a page as it is sent to all who see the same. It never changes.
type answer struct {
	body   *coding.Body
	header []field
	read   []stamp // the spaces that it was made of
	specs  []specStamp
}

// field is a header. Its values are shared, and nobody may change them.
type field struct {
	name   string
	values []string
}

// answerKey is what an answer depends on, besides the spaces that it was made of.
// Whoever is known by the same claims sees the same: the key of their edition has
// them, and the root has the key of a share link.
type answerKey struct {
	site    stateKey
	root    string
	place   docs.SiteItemID
	edition edition.Key
	page    docs.PageID
}

// stamp is what pages may say of a space, its pages included.
type stamp struct {
	id                   docs.SpaceID
	revision             docs.RevisionID
	title, emoji, icon   string
	language             string
	git                  docs.GitInfo
	deleted              docs.Time
	published, connected bool
}

func stampOf(sp docs.Space) stamp {
	s := stamp{
		id: sp.ID, revision: sp.Revision, title: sp.Title, emoji: sp.Emoji, icon: sp.IconURL, language: sp.Language,
		deleted: sp.DeletedAt, published: sp.Published != nil, connected: sp.Git != nil,
	}
	if sp.Git != nil {
		s.git = *sp.Git
	}
	return s
}

func (a *answer) weight() int { return a.body.Weight() }

func (a *answer) send(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	for _, f := range a.header {
		h[f.name] = f.values
	}
	a.body.Send(w, r, http.StatusOK)
}

// answer returns a page in its frame as it is sent. It is made once for all who see
// the same, until the site or one of the spaces changes that the page was made of.
// Drafts and previews are made each time.
func (v *visit) answer(e *edition.Edition, page *edition.Node) (*answer, error) {
	key := answerKey{stateKey{v.site.ID, v.site.Version}, v.root, v.target.Space.ID, e.Key(), page.ID}
	keep := !v.drafted && !v.as.Preview
	if a, ok := v.h.answers.Get(key); ok && keep {
		current, err := v.h.current(v.ctx, a.read, e.Space)
		if err == nil && current {
			current, err = v.h.sameSpecs(v.ctx, e.View, a.specs)
		}
		if err != nil || current {
			return a, err
		}
	}
	a, err := v.compose(e, page)
	if err == nil && keep {
		v.h.answers.Set(key, a)
	}
	return a, err
}

// current reports whether all spaces that something was made of are as they were. One
// of them the caller has just read.
func (h *Handler) current(ctx context.Context, read []stamp, known docs.Space) (bool, error) {
	for _, was := range read {
		now := known
		if was.id != known.ID {
			sp, err := h.Sites.Store.Space(ctx, was.id)
			if errs.Is(err, errs.NotFound) {
				return false, nil
			}
			if err != nil {
				return false, err
			}
			now = sp.It
		}
		if stampOf(now) != was {
			return false, nil
		}
	}
	return true, nil
}

// compose makes the answer.
func (v *visit) compose(e *edition.Edition, page *edition.Node) (*answer, error) {
	v.read = map[docs.SpaceID]stamp{e.Space.ID: stampOf(e.Space)}
	p := v.printer(e)
	shown, err := p.page(page)
	if err != nil {
		return nil, err
	}
	f, err := v.frame(e, page)
	if err != nil {
		return nil, err
	}
	if shown.Actions, err = v.actions(f, e, page); err != nil {
		return nil, err
	}
	text, err := theme.Render(f, shown)
	if err != nil {
		return nil, err
	}
	h := http.Header{"Content-Security-Policy": {theme.Policy(f)}, "Content-Type": {htmlType}}
	theme.SetSecurityHeaders(h)
	v.cacheable(h)
	a := &answer{body: coding.New(text), read: slices.Collect(maps.Values(v.read)), specs: p.specs}
	for name, values := range h {
		a.header = append(a.header, field{name, values})
	}
	return a, nil
}

// shortcutKey is an address without a query.
type shortcutKey struct{ host, path string }

// shortcut is the page that everybody is sent who asks for an address, as long as
// nothing is stored by anybody.
type shortcut struct {
	*answer
	h          *Handler
	generation uint64 // of the store, before anything was read
	site       docs.SiteID
	place      docs.SiteItem
	page       docs.PageID
}

// isPlain reports whether a request says nothing of who sends it that would count on
// a public site.
func isPlain(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead || r.URL.RawQuery != "" || r.URL.RawPath != "" {
		return false
	}
	for _, c := range r.Header["Cookie"] {
		if strings.Contains(c, previewCookie) || strings.Contains(c, roundCookie) {
			return false
		}
	}
	return true
}

// CachedPage returns what answers a request for a page that was sent before, that everybody
// sees, and that nothing can have changed since: nothing was stored. All other
// requests are for the handler itself, and it is false.
func (h *Handler) CachedPage(r *http.Request) (http.Handler, bool) {
	if !h.MayBeSite(r.Host, r.URL.Path) || !isPlain(r) {
		return nil, false
	}
	s, ok := h.shortcuts.Get(shortcutKey{r.Host, r.URL.Path})
	if !ok {
		return nil, false
	}
	now, counted := h.Sites.Store.Generation()
	return s, counted && now == s.generation
}

func (s *shortcut) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.h.countable(r) {
		s.h.Insights.PageView(s.site, s.place, s.page)
	}
	s.send(w, r)
}

// shorten remembers what was sent, for CachedPage.
func (v *visit) shorten(r *http.Request, a *answer, page *edition.Node) {
	if v.counted && !v.private && !v.drafted && !v.as.Preview && !v.chooses && isPlain(r) && !slices.ContainsFunc(a.specs, specStamp.elsewhere) {
		v.h.shortcuts.Set(shortcutKey{r.Host, r.URL.Path}, &shortcut{a, v.h, v.generation, v.site.ID, v.target.Space, page.ID})
	}
}
