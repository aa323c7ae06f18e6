package publish

import (
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/site/publish/edition"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

// describe adds metadata for machines to the frame of a page: its canonical address, its
// Markdown, its picture and structured data.
func (v *visit) describe(f *theme.Frame, e *edition.Edition, current *edition.Node) error {
	if current == nil {
		return nil
	}
	l := layoutOf(current.Page)
	if !shows(l.TableOfContents) {
		f.Drawer = true
	}
	f.Hidden = f.Hidden || current.NoRobotsIndex
	at, err := e.Address(v.ctx, current)
	if err != nil {
		return err
	}
	if at != "" && v.out.published() {
		f.Alternate = markdownAddress(at, e.Base)
		f.Canonical = v.absolute(at)
		f.Image, f.Drawn = v.settings.SocialPreview.URL, v.settings.SocialPreview.URL == "" && v.out.answered() // an export has no server that draws pictures
		if f.Drawn {
			f.Image = v.absolute(v.cardAddress(e, current))
		}
		if f.Data, err = v.structuredData(f, e, current); err != nil {
			return err
		}
	}
	if m := current.MetaLinks; m != nil && m.Canonical != "" {
		place, err := v.metaLink(e, current, m.Canonical)
		if err == nil && place.Href != "" {
			f.Canonical = place.Href
		}
		return err
	}
	return nil
}

// maxAlternates is the maximum number of alternates in the front matter that are resolved.
const maxAlternates = 100

// alternates appends the alternates that the front matter of a page lists to its
// translations. A language has at most one address.
func (v *visit) alternates(e *edition.Edition, n *edition.Node, out []theme.Translation) ([]theme.Translation, error) {
	if n == nil || n.MetaLinks == nil || !v.out.published() {
		return out, nil
	}
	had := func(same func(theme.Translation) bool) bool { return slices.ContainsFunc(out, same) }
	all := n.MetaLinks.Alternates
	for _, dest := range all[:min(len(all), maxAlternates)] {
		place, err := v.metaLink(e, n, dest)
		if err != nil {
			return nil, err
		}
		if place.Lang == e.Space.Language || had(func(t theme.Translation) bool { return t.Lang == place.Lang }) {
			place.Lang = ""
		}
		if place.Href != "" && !had(func(t theme.Translation) bool { return t.Href == place.Href }) {
			out = append(out, place)
		}
	}
	return out, nil
}

// metaLink resolves a destination in the front matter of a page to an address and, if
// known, its language. It returns the zero value if the visitor does not see the target.
func (v *visit) metaLink(e *edition.Edition, n *edition.Node, dest string) (none theme.Translation, err error) {
	file, err := e.View.FileOf(v.ctx, n.Page)
	if err != nil {
		return none, err
	}
	l := e.View.Linker(v.ctx, file)
	ref, ok := l.Current(dest, markup.UseLink)
	if l.Err != nil {
		return none, l.Err
	}
	if !ok {
		at, safe := markup.SafeURL(dest)
		if !safe || !strings.HasPrefix(at, "https://") && !strings.HasPrefix(at, "http://") {
			return none, nil
		}
		return theme.Translation{Href: at}, nil
	}
	if ref.Page == "" && ref.Space == "" { // an anchor in the page, or a file
		return none, nil
	}
	p := v.printer(e)
	in := p.editionOf(ref)
	if in == nil {
		return none, p.err
	}
	at, err := in.Resolve(v.ctx, docs.Ref{Kind: ref.Kind, Page: ref.Page})
	if err != nil || !strings.HasPrefix(at, v.root) {
		return none, err
	}
	return theme.Translation{Lang: in.Space.Language, Href: v.absolute(at)}, nil
}

// Structured data of a page, in the vocabulary of schema.org.
type (
	article struct {
		Context     string  `json:"@context"`
		Type        string  `json:"@type"`
		Headline    string  `json:"headline"`
		Description string  `json:"description,omitempty"`
		URL         string  `json:"url"`
		Image       string  `json:"image,omitempty"`
		Modified    string  `json:"dateModified,omitempty"`
		Language    string  `json:"inLanguage,omitempty"`
		PartOf      webSite `json:"isPartOf"`
	}
	webSite struct {
		Type string `json:"@type"`
		Name string `json:"name"`
		URL  string `json:"url"`
	}
	breadcrumbs struct {
		Context string  `json:"@context"`
		Type    string  `json:"@type"`
		Items   []crumb `json:"itemListElement"`
	}
	crumb struct {
		Type     string `json:"@type"`
		Position int    `json:"position"`
		Name     string `json:"name"`
		Item     string `json:"item"`
	}
)

const (
	schemaOrg = "https://schema.org"
	isoTime   = "2006-01-02T15:04:05Z"
)

// structuredData returns structured data about a page, and about its breadcrumbs from the
// home page of the site.
func (v *visit) structuredData(f *theme.Frame, e *edition.Edition, n *edition.Node) ([]any, error) {
	home := v.absolute(v.root)
	a := article{
		Context: schemaOrg, Type: "TechArticle", Headline: n.Title, URL: f.Canonical, Image: f.Image, Language: f.Lang,
		PartOf: webSite{"WebSite", f.Title, home},
	}
	if shows(layoutOf(n.Page).Description) {
		a.Description = n.Description
	}
	if !n.UpdatedAt.IsZero() {
		a.Modified = n.UpdatedAt.Std().UTC().Format(isoTime)
	}
	way := breadcrumbs{Context: schemaOrg, Type: "BreadcrumbList", Items: []crumb{{"ListItem", 1, f.Title, home}}}
	for _, up := range append(n.Ancestors(), n) {
		at, err := e.Address(v.ctx, up)
		if err != nil {
			return nil, err
		}
		if at != "" && at != v.root {
			way.Items = append(way.Items, crumb{"ListItem", len(way.Items) + 1, up.Title, v.absolute(at)})
		}
	}
	return []any{a, way}, nil
}

// translations returns the addresses of a page in the languages of all variants that have
// it, including its own. It returns nil if there is only one language. If several variants
// have the same language, the current one wins, then the first.
func (v *visit) translations(e *edition.Edition, current *edition.Node) ([]theme.Translation, error) {
	all := v.seen.Structure.Listed(v.target.Section.ID, v.target.Space.ID)
	if current == nil || len(all) < 2 || e.Space.Language == "" || !v.out.published() {
		return nil, nil
	}
	own, err := e.Address(v.ctx, current)
	if err != nil || own == "" {
		return nil, err
	}
	out := []theme.Translation{{Lang: e.Space.Language, Href: v.absolute(own)}}
	had := map[string]bool{out[0].Lang: true}
	for _, it := range all {
		if it.Kind != docs.SiteSpace || it.ID == v.target.Space.ID {
			continue
		}
		other, err := v.edition(v.ctx, it)
		if err != nil {
			return nil, err
		}
		if lang := other.Space.Language; lang != "" && !had[lang] {
			at, err := v.counterpart(e, current, other)
			if err != nil {
				return nil, err
			}
			if at != "" {
				had[lang] = true
				out = append(out, theme.Translation{Lang: lang, Href: v.absolute(at)})
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
func (v *visit) counterpart(e *edition.Edition, n *edition.Node, other *edition.Edition) (string, error) {
	if n.ID == e.Home {
		return other.Base, nil
	}
	key := pageIn{other.Base, n.ID}
	if at, ok := v.counterparts[key]; ok {
		return at, nil
	}
	at, err := v.find(other, n.Path)
	if err != nil {
		return "", err
	}
	if v.counterparts == nil {
		v.counterparts = map[pageIn]string{}
	}
	v.counterparts[key] = at
	return at, nil
}

// find returns the address of the page at a path of a variant, or an empty string if there
// is none.
func (v *visit) find(other *edition.Edition, path string) (string, error) {
	page, moved, err := other.Find(v.ctx, path)
	switch {
	case err != nil:
		return "", err
	case page != nil:
		return other.Address(v.ctx, page)
	case !strings.HasPrefix(moved, other.Base): // an address outside of the variant
		return "", nil
	}
	return moved, nil
}
