package publish

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/site/publish/acceptlanguage"
	"github.com/octavo-docs/octavo/internal/site/publish/edition"
)

const (
	// languageCookie holds the language of the variant that the reader has chosen.
	languageCookie = "octavo-language"
	languageTime   = 365 * 24 * time.Hour
	// maxLanguages is the maximum number of variants of a section for which readers are
	// redirected to their language. The language of every variant has to be read.
	maxLanguages = 50
)

// languageParam is the query parameter of links that choose another language.
const languageParam = "language"

// chooseLanguage redirects a reader from the home page of a site or a section to the
// variant in their language. That is the language that they have chosen before, or else one
// that the browser prefers. It reports whether it has redirected. It does not redirect from
// other pages, because a link to such a page was meant for that page.
func (v *visit) chooseLanguage(w http.ResponseWriter, r *http.Request) (bool, error) {
	chosen := r.URL.Query().Get(languageParam)
	if chosen == "" && (v.target.Rest != "" || !v.target.Space.Default) || v.mcpCall || !v.out.published() {
		return false, nil
	}
	all, err := v.languages()
	if err != nil || len(all) < 2 {
		return false, err
	}
	v.chooses = true
	if chosen != "" {
		v.rememberLanguage(w, r, all, chosen)
		return true, nil
	}
	if c, err := r.Cookie(languageCookie); err == nil {
		chosen = c.Value
	}
	wanted := append([]string{chosen}, acceptlanguage.Parse(r.Header.Get("Accept-Language"))...)
	there := make([]string, len(all))
	for i, o := range all {
		there[i] = o.lang
	}
	best := acceptlanguage.Best(there, wanted)
	if best < 0 || all[best].item.ID == v.target.Space.ID {
		return false, nil
	}
	w.Header().Set("Cache-Control", "private, no-store")
	redirect(w, r, v.baseOf(all[best].item), http.StatusTemporaryRedirect)
	return true, nil
}

// rememberLanguage stores the chosen language in a cookie, if a variant has that language.
// It then redirects to the address without the parameter.
func (v *visit) rememberLanguage(w http.ResponseWriter, r *http.Request, all []languageVariant, chosen string) {
	if slices.ContainsFunc(all, func(o languageVariant) bool { return o.lang == chosen }) {
		v.cookie(w, languageCookie, chosen, v.h.Sites.Store.Clock().Add(languageTime))
	}
	query := r.URL.Query()
	query.Del(languageParam)
	w.Header().Set("Cache-Control", "private, no-store")
	v.redirectToQuery(w, query)
}

// choice returns a link to a variant in another language. The link has languageParam, so
// that the server stores the choice. Exported files have no server that could do that.
func (v *visit) choice(href string, e, other *edition.Edition) string {
	if !v.out.answered() || other.Space.Language == "" || other.Space.Language == e.Space.Language {
		return href
	}
	return href + "?" + languageParam + "=" + url.QueryEscape(strings.ToLower(other.Space.Language))
}

// languageVariant is a variant and its language.
type languageVariant struct {
	item docs.SiteItem
	lang string
}

// languages returns the first variant of the section in each language.
func (v *visit) languages() (out []languageVariant, err error) {
	all := v.seen.Structure.Listed(v.target.Section.ID, v.target.Space.ID)
	if len(all) < 2 || len(all) > maxLanguages {
		return nil, nil
	}
	for _, it := range all {
		if it.Kind != docs.SiteSpace {
			continue
		}
		sp, err := v.h.Sites.Store.Space(v.ctx, it.Space)
		if err != nil {
			return nil, err
		}
		lang := strings.ToLower(sp.It.Language)
		if lang != "" && !slices.ContainsFunc(out, func(o languageVariant) bool { return o.lang == lang }) {
			out = append(out, languageVariant{it, lang})
		}
	}
	return out, nil
}
