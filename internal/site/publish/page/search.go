package page

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/content/index"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/docs/emoji"
	"github.com/octavo-docs/octavo/internal/markup/icons"
	"github.com/octavo-docs/octavo/internal/reading"
	"github.com/octavo-docs/octavo/internal/search"
	"github.com/octavo-docs/octavo/internal/site/publish/edition"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/site/theme"
	"github.com/octavo-docs/octavo/internal/store/searchrows"
)

// Limits of a search.
const (
	maxSearched = 100 // spaces
	maxQuery    = 200 // bytes of the query
	maxFound    = 20  // pages
	maxHeadings = 2   // of a page, besides the page itself
	maxHits     = 40  // pages and headings
)

// TrimQuery returns a search query without surrounding space, limited to maxQuery bytes.
func TrimQuery(query string) string {
	return strings.ToValidUTF8(strings.TrimSpace(query[:min(len(query), maxQuery)]), "")
}

// Scope returns the default scope of a search from the current space.
func (c *Composer) Scope() sites.SearchScope { return c.Output.Scope(c.Target.Space.ID) }

// CurrentSpace limits a scope to the current site space.
const CurrentSpace = "currentSiteSpace"

// Section returns the title of the current section. It is empty if there is no other
// section to search.
func (c *Composer) Section(e *edition.Edition) string {
	scope := c.Scope()
	others := c.Seen.Structure.Searched(scope, func(docs.SpaceID) string { return "" })
	if scope.Restrict == CurrentSpace || len(others) == 0 {
		return ""
	}
	return SectionTitle(c.Seen.Structure, c.Target.Space, c.lang(e))
}

// Results returns the view of the results of a search.
func (c *Composer) Results(e *edition.Edition, f *theme.Frame, query string, scope sites.SearchScope) (*theme.Results, error) {
	found, err := c.Found(e, query, scope)
	if err != nil {
		return nil, err
	}
	out := &theme.Results{Query: query, Found: found}
	if title := f.Search.Section; title != "" && query != "" {
		at := f.Search.Action + "?" + url.Values{"q": {query}}.Encode()
		one := scope.Restrict == CurrentSpace
		out.In = when(one, OneSection)
		out.Scopes = []*theme.Link{
			{Title: f.Texts().Everywhere, Href: at, Current: !one},
			{Title: title, Href: at + "&in=" + OneSection, Current: one},
		}
	}
	return out, nil
}

// Found returns the results of a search, or pages to begin with if there are none.
func (c *Composer) Found(e *edition.Edition, query string, scope sites.SearchScope) (out theme.Found, err error) {
	if out.Hits, err = c.Search(e, query, scope); err == nil && len(out.Hits) == 0 {
		out.Suggested, err = c.firstPages(e)
	}
	return out, err
}

// Search returns pages that the visitor sees in the given edition and in the spaces of a
// scope, with the headings that answer the query. Pages whose title is the query come first,
// those whose title has all of its words second, wherever they are; within both, and among the
// others, the order is that of the index. The headings of a page follow each other.
func (c *Composer) Search(e *edition.Edition, query string, scope sites.SearchScope) ([]theme.Hit, error) {
	if query == "" {
		return []theme.Hit{}, nil
	}
	elsewhere, err := c.searchedSpaces(scope)
	if err != nil {
		return nil, err
	}
	views := []*revision.View{e.View}
	places := map[docs.SpaceID]docs.SiteItem{}
	for _, it := range elsewhere {
		view, err := c.View(c.Ctx, it.Space)
		if err != nil {
			return nil, err
		}
		if _, twice := places[it.Space]; !twice && it.Space != e.Space.ID {
			places[it.Space] = it
			views = append(views, view.For(c.Seen.Reader))
		}
	}
	found, _, err := c.Content.Search(c.Ctx, views, query, maxFound, nil)
	if err != nil {
		return nil, err
	}
	var all []pageHits
	markers := map[string]*search.Marker{} // by language
	for _, f := range found {
		in := e
		if it, ok := places[f.View.Space.ID]; ok {
			if in, err = c.Edition(c.Ctx, it); err != nil {
				return nil, err
			}
			f.Ancestors = append([]string{SectionTitle(c.Seen.Structure, it, c.lang(e))}, f.Ancestors...)
		}
		lang := in.Space.Language
		if markers[lang] == nil {
			markers[lang] = search.NewMarker(query, lang)
		}
		p := pageHits{Found: f, marker: markers[lang]}
		if err := p.add(c.Ctx, in, c.IconStyle()); err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return bestHits(all), nil
}

// searchedSpaces returns the site spaces of a scope besides the current one.
func (c *Composer) searchedSpaces(scope sites.SearchScope) ([]docs.SiteItem, error) {
	if scope.Restrict == CurrentSpace {
		return nil, nil
	}
	languages, err := c.Audience.Languages(c.Ctx, c.Site.ID)
	all := c.Seen.Structure.Searched(scope, func(id docs.SpaceID) string { return languages[id] })
	return all[:min(len(all), maxSearched-1)], err
}

// SectionTitle returns the title of the section of a site space in a language, or the title of
// the site space if it has no section.
func SectionTitle(s *sites.Structure, it docs.SiteItem, lang string) string {
	sec, err := s.Item(docs.SiteSection, it.Parent)
	if err != nil {
		return it.TitleIn(lang)
	}
	return sec.TitleIn(lang)
}

// pageHits are the hits of one page.
type pageHits struct {
	index.Found
	marker *search.Marker
	marks  search.Marks
	hits   []theme.Hit
}

// bestHits returns the hits of pages, which are in the order of the index, without those that
// lead to the same place.
func bestHits(all []pageHits) []theme.Hit {
	slices.SortStableFunc(all, func(a, b pageHits) int { return cmp.Compare(a.rank(), b.rank()) })
	hits := []theme.Hit{}
	known := map[string]bool{}
	for _, p := range all {
		for _, h := range p.hits {
			if !known[h.Href] && len(hits) < maxHits {
				known[h.Href] = true
				hits = append(hits, h)
			}
		}
	}
	return hits
}

// rank returns 0 for a page, or for an operation on it, whose title is the query, 1 if the title
// has all words of the query, and 2 for others.
func (p pageHits) rank() int {
	titles := []string{p.Title}
	if p.Computed {
		for _, s := range p.Sections {
			titles = append(titles, s.Title)
		}
	}
	switch {
	case slices.ContainsFunc(titles, p.marker.Is):
		return 0
	case slices.ContainsFunc(titles, p.marker.HasAll):
		return 1
	}
	return 2
}

// add adds the hits of the page. There are none if the page has no address.
func (p *pageHits) add(ctx context.Context, e *edition.Edition, style icons.Style) error {
	n, err := e.Page(ctx, p.Page)
	if err != nil || n == nil || p.Computed && !n.Listed {
		return err
	}
	at, err := e.Address(ctx, n)
	if err != nil || at == "" {
		return err
	}
	p.marks = p.marker.For(p.texts()...)
	page := hitOf(n, p.Ancestors, at, style)
	if p.Computed && len(p.Sections) > 0 {
		p.addOperations(page)
	} else {
		p.addHeadings(page)
	}
	return nil
}

// hitOf returns a page as a hit without any marks.
func hitOf(n *edition.Node, ancestors []string, at string, style icons.Style) theme.Hit {
	h := theme.Hit{Title: theme.Plain(n.Title), Where: theme.Above(ancestors...), Href: at, Emoji: emoji.FromCode(n.Emoji)}
	if h.Emoji == "" {
		h.Icon = theme.Draw(n.Icon, style)
	}
	return h
}

// addHeadings adds the page itself, if its title or its beginning answers, and the headings that
// answer best. What answers far less than the best part of the page is left out.
func (p *pageHits) addHeadings(page theme.Hit) {
	parts := slices.Clone(p.Sections)
	slices.SortStableFunc(parts, func(a, b searchrows.Section) int { return cmp.Compare(b.Score, a.Score) })
	page.Title = p.mark(p.Title)
	beginning := slices.IndexFunc(parts, func(s searchrows.Section) bool { return s.Anchor == "" })
	if page.Title.IsMarked() || beginning == 0 || len(parts) == 0 {
		text := p.About
		if beginning >= 0 {
			text = parts[beginning].Snippet
		}
		h := page
		h.Text = p.mark(text)
		p.hits = append(p.hits, h)
	}
	most := maxHeadings
	if len(p.hits) == 0 {
		most++
	}
	for _, s := range parts {
		if s.Anchor == "" || most == 0 || 2*s.Score < parts[0].Score {
			continue
		}
		most--
		h := page
		h.Heading, h.Text, h.Href = p.mark(s.Title), p.mark(s.Snippet), page.Href+reading.Fragment(s.Anchor)
		p.hits = append(p.hits, h)
	}
}

// addOperations adds the operations that were found on a computed page.
func (p *pageHits) addOperations(page theme.Hit) {
	for _, s := range p.Sections {
		h := page
		h.Title = p.mark(p.Title)
		if s.Title != p.Title {
			h.Heading = p.mark(s.Title)
		}
		var path string
		h.Method, path, _ = strings.Cut(s.Snippet, " ")
		h.Text, h.Href = p.mark(path), page.Href+reading.Fragment(s.Anchor)
		p.hits = append(p.hits, h)
	}
}

// mark returns a text with the words of the query marked.
func (p *pageHits) mark(text string) theme.Marked {
	return theme.Mark(text, p.marks.In(text))
}

// texts returns everything that may be shown of the page.
func (p *pageHits) texts() []string {
	texts := []string{p.Title, p.About}
	for _, s := range p.Sections {
		texts = append(texts, s.Title, s.Snippet)
	}
	return texts
}

// OneSection is the value of the query parameter in that limits a search to the current
// section.
const OneSection = "section"
