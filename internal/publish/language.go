package publish

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

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
	// maxPreferences is how many languages of a browser are looked at.
	maxPreferences = 20
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
	wanted := append([]string{chosen}, preferences(r.Header.Get("Accept-Language"))...)
	to, ok := bestLanguage(all, wanted)
	if !ok || to.item.ID == v.target.Space.ID {
		return false, nil
	}
	w.Header().Set("Cache-Control", "private, no-store")
	redirect(w, r, v.baseOf(to.item), http.StatusTemporaryRedirect)
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

// bestLanguage returns the first variant in a wanted language: in the same one, or else
// in another form of it, as pt is of pt-BR.
func bestLanguage(all []inLanguage, wanted []string) (inLanguage, bool) {
	for _, lang := range wanted {
		for _, o := range all {
			if lang != "" && o.lang == lang {
				return o, true
			}
		}
		for _, o := range all {
			if lang != "" && primary(o.lang) == primary(lang) {
				return o, true
			}
		}
	}
	return inLanguage{}, false
}

func primary(lang string) string {
	p, _, _ := strings.Cut(lang, "-")
	return p
}

// preferences returns the languages of an Accept-Language header in lower case, the
// preferred ones first.
func preferences(header string) []string {
	type preference struct {
		lang    string
		quality float64
	}
	var all []preference
	for part := range strings.SplitSeq(header, ",") {
		if len(all) == maxPreferences {
			break
		}
		lang, rest, _ := strings.Cut(strings.TrimSpace(part), ";")
		p := preference{strings.ToLower(strings.TrimSpace(lang)), 1}
		if q, ok := strings.CutPrefix(strings.TrimSpace(rest), "q="); ok {
			p.quality, _ = strconv.ParseFloat(q, 64) // 0 if it is none: not wanted
		}
		if p.lang != "" && p.lang != "*" && p.quality > 0 {
			all = append(all, p)
		}
	}
	slices.SortStableFunc(all, func(a, b preference) int { return cmp.Compare(b.quality, a.quality) })
	out := make([]string, len(all))
	for i, p := range all {
		out[i] = p.lang
	}
	return out
}
