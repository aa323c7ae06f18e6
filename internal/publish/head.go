package publish

import (
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/theme"
)

// describe adds what a page says of itself to machines.
func (v *visit) describe(f *theme.Frame, e *edition, current *node) error {
	if current == nil {
		return nil
	}
	l := layoutOf(current.Page)
	if !shows(l.TableOfContents) {
		f.Navigation = nil
	}
	f.Hidden = f.Hidden || current.NoRobotsIndex
	at, err := e.address(v.ctx, current)
	if err != nil {
		return err
	}
	if at != "" && !v.drafted && !v.as.Preview {
		f.Alternate = markdownAddress(at, e.base)
		f.Canonical = v.absolute(at)
		f.Image = v.settings.SocialPreview.URL
		if f.Data, err = v.data(f, e, current); err != nil {
			return err
		}
	}
	if m := current.MetaLinks; m != nil && m.Canonical != "" {
		if href, ok := v.printer(e).link(docs.Ref{Kind: docs.RefURL, URL: m.Canonical}); ok {
			f.Canonical = href
		}
	}
	return nil
}

// Descriptions of a page in the words of schema.org.
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

// data describes a page and the way to it from the first page of the site.
func (v *visit) data(f *theme.Frame, e *edition, n *node) ([]any, error) {
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
	for _, up := range append(n.chain(), n) {
		at, err := e.address(v.ctx, up)
		if err != nil {
			return nil, err
		}
		if at != "" && at != v.root {
			way.Items = append(way.Items, crumb{"ListItem", len(way.Items) + 1, up.Title, v.absolute(at)})
		}
	}
	return []any{a, way}, nil
}

// translations returns where a page is in the languages of the variants that have
// it, with its own; nothing if there is one language only. Of several variants in a
// language the one that is shown counts, or else the first.
func (v *visit) translations(e *edition, current *node) ([]theme.Translation, error) {
	all := v.seen.Structure.Children(v.target.Section.ID)
	if current == nil || len(all) < 2 || e.space.Language == "" || v.drafted || v.as.Preview {
		return nil, nil
	}
	own, err := e.address(v.ctx, current)
	if err != nil || own == "" {
		return nil, err
	}
	out := []theme.Translation{{Lang: e.space.Language, Href: v.absolute(own)}}
	had := map[string]bool{out[0].Lang: true}
	for _, it := range all {
		if it.Kind != docs.SiteSpace || it.ID == v.target.Space.ID {
			continue
		}
		other, err := v.h.edition(v.ctx, v, it)
		if err != nil {
			return nil, err
		}
		if lang := other.space.Language; lang != "" && !had[lang] {
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

// counterpart returns where another variant has the page at the same path; empty
// if it has none.
func (v *visit) counterpart(e *edition, n *node, other *edition) (string, error) {
	if n.ID == e.home {
		return other.base, nil
	}
	page, moved, err := other.find(v.ctx, n.path)
	switch {
	case err != nil:
		return "", err
	case page != nil:
		return other.address(v.ctx, page)
	case !strings.HasPrefix(moved, other.base): // of another site
		return "", nil
	}
	return moved, nil
}
