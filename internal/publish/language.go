package publish

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/octavo-docs/octavo/internal/acceptlanguage"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/edition"
)

const (
	// languageCookie has the language of the variant that a reader chose.
	languageCookie = "octavo-language"
	languageTime   = 365 * 24 * time.Hour
	// maxLanguages is the number of variants of one place up to which readers are sent to
	// the one in their language: all of them are looked at.
	maxLanguages = 50
)

// languageParam is in the links with which readers choose another language.
const languageParam = "language"

// chooseLanguage sends who arrives at the first page of a site or a section to the
// variant in their language: the one that they chose here before, or the one that their
// browser prefers. It reports whether it did. Other pages are never left: somebody
// meant that very page.
func (v *visit) chooseLanguage(w http.ResponseWriter, r *http.Request) (bool, error) {
	chosen := r.URL.Query().Get(languageParam)
	if chosen == "" && (v.target.Rest != "" || !v.target.Space.Default) || v.program || v.export != nil || v.as.Preview {
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

// rememberLanguage keeps the choice of a reader, if there is such a language, and sends them to the
// address without it.
func (v *visit) rememberLanguage(w http.ResponseWriter, r *http.Request, all []inLanguage, chosen string) {
	if slices.ContainsFunc(all, func(o inLanguage) bool { return o.lang == chosen }) {
		v.cookie(w, languageCookie, chosen, v.h.Sites.Store.Clock().Add(languageTime))
	}
	query := r.URL.Query()
	query.Del(languageParam)
	w.Header().Set("Cache-Control", "private, no-store")
	v.again(w, query)
}

// choice returns the link to a variant in another language, which remembers it. Files have
// nobody who could.
func (v *visit) choice(href string, e, other *edition.Edition) string {
	if v.files || other.Space.Language == "" || other.Space.Language == e.Space.Language {
		return href
	}
	return href + "?" + languageParam + "=" + url.QueryEscape(strings.ToLower(other.Space.Language))
}

// inLanguage is a variant and its language.
type inLanguage struct {
	item docs.SiteItem
	lang string
}

// languages returns the variants of the section that have a language which those before
// them do not have.
func (v *visit) languages() (out []inLanguage, err error) {
	all := v.seen.Structure.Children(v.target.Section.ID)
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
		if lang != "" && !slices.ContainsFunc(out, func(o inLanguage) bool { return o.lang == lang }) {
			out = append(out, inLanguage{it, lang})
		}
	}
	return out, nil
}
