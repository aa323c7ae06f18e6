package publish

import (
	"net/http"
	"slices"
	"time"

	"github.com/octavo-docs/octavo/internal/site/publish/acceptlanguage"
	"github.com/octavo-docs/octavo/internal/site/publish/gate"
	"github.com/octavo-docs/octavo/internal/site/publish/page"
)

const (
	// languageCookie holds the language of the variant that the reader has chosen.
	languageCookie = "octavo-language"
	languageTime   = 365 * 24 * time.Hour
)

// chooseLanguage redirects a reader from the home page of a site or a section to the
// variant in their language. That is the language that they have chosen before, or else one
// that the browser prefers. It reports whether it has redirected. It does not redirect from
// other pages, because a link to such a page was meant for that page.
func (v *visit) chooseLanguage(w http.ResponseWriter, r *http.Request) (bool, error) {
	chosen := r.URL.Query().Get(page.LanguageParameter)
	if chosen == "" && (v.Target.Rest != "" || !v.Target.Space.Default) || v.reader.Program || !v.Output.Published() {
		return false, nil
	}
	all, err := v.Languages()
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
		there[i] = o.Lang
	}
	best := acceptlanguage.Best(there, wanted)
	if best < 0 || all[best].Item.ID == v.Target.Space.ID {
		return false, nil
	}
	w.Header().Set("Cache-Control", "private, no-store")
	gate.Redirect(w, r, v.BaseOf(all[best].Item), http.StatusTemporaryRedirect)
	return true, nil
}

// rememberLanguage stores the chosen language in a cookie, if a variant has that language.
// It then redirects to the address without the parameter.
func (v *visit) rememberLanguage(w http.ResponseWriter, r *http.Request, all []page.LanguageVariant, chosen string) {
	if slices.ContainsFunc(all, func(o page.LanguageVariant) bool { return o.Lang == chosen }) {
		v.reader.Cookie(w, languageCookie, chosen, v.Audience.Now().Add(languageTime))
	}
	query := r.URL.Query()
	query.Del(page.LanguageParameter)
	w.Header().Set("Cache-Control", "private, no-store")
	v.reader.RedirectToQuery(w, query)
}
