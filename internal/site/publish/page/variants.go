package page

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/site/publish/edition"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

// maxLanguages is the maximum number of variants of a section for which readers are
// redirected to their language. The language of every variant has to be read.
const maxLanguages = 50

// LanguageParameter is the query parameter of links that choose another language.
const LanguageParameter = "language"

// LanguageVariant is a variant and its language.
type LanguageVariant struct {
	Item docs.SiteItem
	Lang string
}

// Languages returns the first variant of the section in each language.
func (c *Composer) Languages() (out []LanguageVariant, err error) {
	all := c.Seen.Structure.Listed(c.Target.Section.ID, c.Target.Space.ID)
	if len(all) < 2 || len(all) > maxLanguages {
		return nil, nil
	}
	for _, it := range all {
		if it.Kind != docs.SiteSpace {
			continue
		}
		sp, err := c.Audience.Space(c.Ctx, it.Space)
		if err != nil {
			return nil, err
		}
		lang := strings.ToLower(sp.Language)
		if lang != "" && !slices.ContainsFunc(out, func(o LanguageVariant) bool { return o.Lang == lang }) {
			out = append(out, LanguageVariant{it, lang})
		}
	}
	return out, nil
}

// variants returns links to the variants of the section that is shown. A link leads to the
// counterpart of the current page, if the variant has one.
func (c *Composer) variants(e *edition.Edition, current *edition.Node) ([]*theme.Link, error) {
	all := c.Seen.Structure.Listed(c.Target.Section.ID, c.Target.Space.ID)
	if len(all) < 2 {
		return nil, nil
	}
	var out []*theme.Link
	for _, it := range all {
		if it.Kind != docs.SiteSpace {
			continue
		}
		l := &theme.Link{Title: it.TitleIn(c.lang(e)), Href: c.Output.Href(c.BaseOf(it)), Current: it.ID == c.Target.Space.ID}
		if !l.Current && (len(all) <= maxLanguages || current != nil && current.ID != e.Home) {
			var err error
			if l.Href, err = c.variant(e, current, it); err != nil {
				return nil, err
			}
		}
		out = append(out, l)
	}
	return out, nil
}

// variant returns the address of the current page in another variant, or the address of
// that variant if it does not have the page.
func (c *Composer) variant(e *edition.Edition, current *edition.Node, it docs.SiteItem) (string, error) {
	other, err := c.Edition(c.Ctx, it)
	if err != nil {
		return "", err
	}
	at := c.BaseOf(it)
	if current != nil && current.ID != e.Home {
		same, err := c.counterpart(e, current, other)
		if err != nil {
			return "", err
		}
		at = cmp.Or(same, at)
	}
	return c.choice(c.Output.Href(at), e, other), nil
}

// choice returns a link to a variant in another language. The link has languageParam, so
// that the server stores the choice. Exported files have no server that could do that.
func (c *Composer) choice(href string, e, other *edition.Edition) string {
	if !c.Output.Answered() || other.Space.Language == "" || other.Space.Language == e.Space.Language {
		return href
	}
	return href + "?" + LanguageParameter + "=" + url.QueryEscape(strings.ToLower(other.Space.Language))
}

// translations returns the addresses of a page in the languages of all variants that have
// it, including its own. It returns nil if there is only one language. If several variants
// have the same language, the current one wins, then the first.
func (c *Composer) translations(e *edition.Edition, current *edition.Node) ([]theme.Translation, error) {
	all := c.Seen.Structure.Listed(c.Target.Section.ID, c.Target.Space.ID)
	if current == nil || len(all) < 2 || e.Space.Language == "" || !c.Output.Published() {
		return nil, nil
	}
	own, err := e.Address(c.Ctx, current)
	if err != nil || own == "" {
		return nil, err
	}
	out := []theme.Translation{{Lang: e.Space.Language, Href: c.Absolute(own)}}
	had := map[string]bool{out[0].Lang: true}
	for _, it := range all {
		if it.Kind != docs.SiteSpace || it.ID == c.Target.Space.ID {
			continue
		}
		other, err := c.Edition(c.Ctx, it)
		if err != nil {
			return nil, err
		}
		if lang := other.Space.Language; lang != "" && !had[lang] {
			at, err := c.counterpart(e, current, other)
			if err != nil {
				return nil, err
			}
			if at != "" {
				had[lang] = true
				out = append(out, theme.Translation{Lang: lang, Href: c.Absolute(at)})
			}
		}
	}
	if len(out) == 1 {
		return nil, nil
	}
	return out, nil
}

// pageIn identifies a page in an edition of another variant.
type pageIn struct {
	base string // of the edition that is searched
	page docs.PageID
}

// counterpart returns the address of the page of another variant at the path of n, or an
// empty string if there is none. The home page corresponds to the home page. Results are
// cached, because both variants and translations need them.
func (c *Composer) counterpart(e *edition.Edition, n *edition.Node, other *edition.Edition) (string, error) {
	if n.ID == e.Home {
		return other.Base, nil
	}
	key := pageIn{other.Base, n.ID}
	if at, ok := c.counterparts[key]; ok {
		return at, nil
	}
	at, err := c.find(other, n.Path)
	if err != nil {
		return "", err
	}
	if c.counterparts == nil {
		c.counterparts = map[pageIn]string{}
	}
	c.counterparts[key] = at
	return at, nil
}

// find returns the address of the page at a path of a variant, or an empty string if there
// is none.
func (c *Composer) find(other *edition.Edition, path string) (string, error) {
	page, moved, err := other.Find(c.Ctx, path)
	switch {
	case err != nil:
		return "", err
	case page != nil:
		return other.Address(c.Ctx, page)
	case !strings.HasPrefix(moved, other.Base): // an address outside of the variant
		return "", nil
	}
	return moved, nil
}
