package publish

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/index"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/reading"
	"github.com/octavo-docs/octavo/internal/site/insights"
	"github.com/octavo-docs/octavo/internal/site/publish/edition"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

// maxSearched is the maximum number of spaces that one search covers.
const maxSearched = 100

// trimQuery returns a search query without surrounding space, limited to maxQuery bytes.
func trimQuery(query string) string {
	return strings.ToValidUTF8(strings.TrimSpace(query[:min(len(query), maxQuery)]), "")
}

// scope returns the default scope of a search from the current space.
func (v *visit) scope() sites.SearchScope { return v.out.scope(v.target.Space.ID) }

// oneSection is the value of the query parameter in that limits a search to the current
// section.
const oneSection = "section"

// currentSpace limits a scope to the current site space.
const currentSpace = "currentSiteSpace"

// searchQuery returns the query and the scope of a search request.
func (v *visit) searchQuery(r *http.Request) (query string, scope sites.SearchScope) {
	values := r.URL.Query()
	if scope = v.scope(); values.Get("in") == oneSection {
		scope.Restrict = currentSpace
	}
	return trimQuery(values.Get("q")), scope
}

// section returns the title of the current section. It is empty if there is no other
// section to search.
func (v *visit) section(e *edition.Edition) string {
	scope := v.scope()
	others := v.seen.Structure.Searched(scope, func(docs.SpaceID) string { return "" })
	if scope.Restrict == currentSpace || len(others) == 0 {
		return ""
	}
	return sectionTitle(v.seen.Structure, v.target.Space, v.lang(e))
}

// results returns the view of the results of a search.
func (v *visit) results(e *edition.Edition, f *theme.Frame, query string, scope sites.SearchScope) (*theme.Results, error) {
	hits, err := v.search(e, query, scope)
	if err != nil {
		return nil, err
	}
	out := &theme.Results{Query: query, Hits: hits}
	if title := f.Search.Section; title != "" && query != "" {
		at := f.Search.Action + "?" + url.Values{"q": {query}}.Encode()
		one := scope.Restrict == currentSpace
		out.Scopes = []*theme.Link{
			{Title: f.Texts().Everywhere, Href: at, Current: !one},
			{Title: title, Href: at + "&in=" + oneSection, Current: one},
		}
	}
	return out, nil
}

// asked counts what a reader sent to the page of results. What the script sends while somebody
// types is not counted: it is only a part of a question.
func (v *visit) asked(r *http.Request, query string, found bool) {
	if v.counts(r) {
		v.h.Insights.Ask(v.site, insights.Question{Text: query, Address: authz.OriginOf(r.RemoteAddr, "").Address, Found: found})
	}
}

// search returns pages that the visitor sees in the given edition and in the spaces of a
// scope.
func (v *visit) search(e *edition.Edition, query string, scope sites.SearchScope) ([]theme.Hit, error) {
	if query == "" {
		return []theme.Hit{}, nil
	}
	elsewhere, err := v.searchedSpaces(scope)
	if err != nil {
		return nil, err
	}
	views := []*revision.View{e.View}
	places := map[docs.SpaceID]docs.SiteItem{}
	for _, it := range elsewhere {
		view, err := v.h.view(v.ctx, it.Space)
		if err != nil {
			return nil, err
		}
		if _, twice := places[it.Space]; !twice && it.Space != e.Space.ID {
			places[it.Space] = it
			views = append(views, view.For(v.seen.Reader))
		}
	}
	found, _, err := v.h.Content.Search(v.ctx, views, query, maxFound, nil)
	if err != nil {
		return nil, err
	}
	hits := []theme.Hit{}
	for _, f := range found {
		in := e
		if it, ok := places[f.View.Space.ID]; ok {
			if in, err = v.edition(v.ctx, it); err != nil {
				return nil, err
			}
			f.Ancestors = append([]string{sectionTitle(v.seen.Structure, it, v.lang(e))}, f.Ancestors...)
		}
		more, err := hitsIn(v.ctx, in, f)
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
func (v *visit) searchedSpaces(scope sites.SearchScope) ([]docs.SiteItem, error) {
	if scope.Restrict == currentSpace {
		return nil, nil
	}
	spaces, err := v.h.Sites.Store.PresentSpacesOnSite(v.ctx, v.site.ID)
	languages := make(map[docs.SpaceID]string, len(spaces))
	for _, sp := range spaces {
		languages[sp.ID] = string(sp.Language)
	}
	all := v.seen.Structure.Searched(scope, func(id docs.SpaceID) string { return languages[id] })
	return all[:min(len(all), maxSearched-1)], err
}

// sectionTitle returns the title of the section of a site space in a language, or the title of
// the site space if it has no section.
func sectionTitle(s *sites.Structure, it docs.SiteItem, lang string) string {
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
