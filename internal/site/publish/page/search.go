package page

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/content/index"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/reading"
	"github.com/octavo-docs/octavo/internal/site/publish/edition"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

// Limits of a search.
const (
	maxSearched = 100 // spaces
	maxQuery    = 200 // bytes of the query
	maxFound    = 20  // results
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
	hits, err := c.Search(e, query, scope)
	if err != nil {
		return nil, err
	}
	out := &theme.Results{Query: query, Hits: hits}
	if title := f.Search.Section; title != "" && query != "" {
		at := f.Search.Action + "?" + url.Values{"q": {query}}.Encode()
		one := scope.Restrict == CurrentSpace
		out.Scopes = []*theme.Link{
			{Title: f.Texts().Everywhere, Href: at, Current: !one},
			{Title: title, Href: at + "&in=" + OneSection, Current: one},
		}
	}
	return out, nil
}

// Search returns pages that the visitor sees in the given edition and in the spaces of a
// scope.
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
	hits := []theme.Hit{}
	for _, f := range found {
		in := e
		if it, ok := places[f.View.Space.ID]; ok {
			if in, err = c.Edition(c.Ctx, it); err != nil {
				return nil, err
			}
			f.Ancestors = append([]string{SectionTitle(c.Seen.Structure, it, c.lang(e))}, f.Ancestors...)
		}
		more, err := hitsIn(c.Ctx, in, f)
		if err != nil {
			return nil, err
		}
		for _, hit := range more {
			if !slices.ContainsFunc(hits, func(known theme.Hit) bool { return known.Href == hit.Href }) {
				hits = append(hits, hit)
			}
		}
	}
	return hits, nil
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

// above separates the titles of the pages above a result.
const above = " › "

// hitsIn returns a page that was found as a link, and a computed page as links to the
// operations that were found. There are none if the page has no address.
func hitsIn(ctx context.Context, e *edition.Edition, f index.Found) ([]theme.Hit, error) {
	n, err := e.Page(ctx, f.Page)
	if err != nil || n == nil || f.Computed && !n.Listed {
		return nil, err
	}
	at, err := e.Address(ctx, n)
	if err != nil || at == "" {
		return nil, err
	}
	if f.Computed && len(f.Sections) > 0 {
		return operationHits(f, at), nil
	}
	h := theme.Hit{Title: f.Title, Where: strings.Join(f.Ancestors, above), Href: at}
	if len(f.Sections) > 0 {
		h.Text = f.Sections[0].Snippet
		h.Href += reading.Fragment(f.Sections[0].Anchor)
	}
	return []theme.Hit{h}, nil
}

// operationHits returns the operations that were found on the computed page at an address.
func operationHits(f index.Found, at string) (hits []theme.Hit) {
	for _, s := range f.Sections {
		where := f.Ancestors
		if s.Title != f.Title {
			where = append(slices.Clone(where), f.Title)
		}
		hits = append(hits, theme.Hit{Title: s.Title, Where: strings.Join(where, above), Text: s.Snippet, Href: at + reading.Fragment(s.Anchor)})
	}
	return hits
}

// OneSection is the value of the query parameter in that limits a search to the current
// section.
const OneSection = "section"
