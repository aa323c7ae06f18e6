package page

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
func (c *Composer) describe(f *theme.Frame, e *edition.Edition, current *edition.Node) error {
	if current == nil {
		return nil
	}
	l := layoutOf(current.Page)
	if !shows(l.TableOfContents) {
		f.Drawer = true
	}
	f.Hidden = f.Hidden || current.NoRobotsIndex
	at, err := e.Address(c.Ctx, current)
	if err != nil {
		return err
	}
	if at != "" && c.Output.Published() {
		f.Alternate = MarkdownAddress(at, e.Base)
		f.Canonical = c.Absolute(at)
		f.Image, f.Drawn = c.Settings.SocialPreview.URL, c.Settings.SocialPreview.URL == "" && c.Output.Answered() // an export has no server that draws pictures
		if f.Drawn {
			f.Image = c.Absolute(c.CardAddress(e, current))
		}
		if f.Data, err = c.structuredData(f, e, current); err != nil {
			return err
		}
	}
	if m := current.MetaLinks; m != nil && m.Canonical != "" {
		place, err := c.metaLink(e, current, m.Canonical)
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
func (c *Composer) alternates(e *edition.Edition, n *edition.Node, out []theme.Translation) ([]theme.Translation, error) {
	if n == nil || n.MetaLinks == nil || !c.Output.Published() {
		return out, nil
	}
	had := func(same func(theme.Translation) bool) bool { return slices.ContainsFunc(out, same) }
	all := n.MetaLinks.Alternates
	for _, dest := range all[:min(len(all), maxAlternates)] {
		place, err := c.metaLink(e, n, dest)
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
func (c *Composer) metaLink(e *edition.Edition, n *edition.Node, dest string) (none theme.Translation, err error) {
	file, err := e.View.FileOf(c.Ctx, n.Page)
	if err != nil {
		return none, err
	}
	l := e.View.Linker(c.Ctx, file)
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
	p := c.Printer(e)
	in := p.editionOf(ref)
	if in == nil {
		return none, p.Err
	}
	at, err := in.Resolve(c.Ctx, docs.Ref{Kind: ref.Kind, Page: ref.Page})
	if err != nil || !strings.HasPrefix(at, c.Root) {
		return none, err
	}
	return theme.Translation{Lang: in.Space.Language, Href: c.Absolute(at)}, nil
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
func (c *Composer) structuredData(f *theme.Frame, e *edition.Edition, n *edition.Node) ([]any, error) {
	home := c.Absolute(c.Root)
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
		at, err := e.Address(c.Ctx, up)
		if err != nil {
			return nil, err
		}
		if at != "" && at != c.Root {
			way.Items = append(way.Items, crumb{"ListItem", len(way.Items) + 1, up.Title, c.Absolute(at)})
		}
	}
	return []any{a, way}, nil
}
