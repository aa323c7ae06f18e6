package index

import (
	"context"
	"slices"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/reading"
	"github.com/octavo-docs/octavo/internal/search"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/store/searchrows"
)

// Found is a search result.
type Found struct {
	View      *revision.View
	Page      docs.PageID
	Rank      int // 1 is the best page
	Title     string
	About     string // the description of the page
	Path      string
	Ancestors []string // titles, from the top down
	Score     float64
	Sections  []searchrows.Section
	Computed  bool // sections are operations of a specification
}

// place holds the fields that results show of a page and of its ancestors.
type place struct {
	parent             docs.PageID
	title, about, slug string
	size               int // of the encoded page
}

// maxPlaces is the maximum size of the cache of places, in bytes.
const maxPlaces = 8 << 20

// place returns the place of a page; ok is false if the page does not exist. Places
// are cached under the encoding of the page, because decoding takes longer than
// everything else that a search does with its results.
func (s *Index) place(ctx context.Context, v *revision.View, id docs.PageID) (at place, ok bool, err error) {
	b, ok, err := v.Get(ctx, revision.PageKey(id))
	if err != nil || !ok {
		return at, false, err
	}
	key := string(b)
	if v.Visitor() != nil {
		key = "visitor " + key
	}
	if at, ok = s.places.Get(key); ok {
		return at, true, nil
	}
	p, err := docs.DecodePage(string(id), b)
	if err != nil {
		return at, false, err
	}
	if v.Visitor() != nil {
		p = revision.VisitorTexts(p)
	}
	at = place{parent: p.Parent, title: p.Title, about: p.Description, slug: p.Slug, size: len(b)}
	s.places.Set(key, at)
	return at, true, nil
}

// Found returns the result of a hit; ok is false if the page does not exist because
// the space has changed since the search.
func (s *Index) Found(ctx context.Context, v *revision.View, h searchrows.Hit) (f Found, ok bool, err error) {
	at, ok, err := s.place(ctx, v, docs.PageID(h.Page))
	if err != nil || !ok {
		return f, false, err
	}
	f = Found{View: v, Page: docs.PageID(h.Page), Title: at.title, About: at.about, Path: at.slug, Score: h.Score, Sections: h.Sections, Ancestors: []string{}}
	for at.parent != "" && len(f.Ancestors) <= docs.MaxPageDepth {
		if at, ok, err = s.place(ctx, v, at.parent); err != nil || !ok {
			return f, false, err
		}
		f.Path = at.slug + "/" + f.Path
		f.Ancestors = append(f.Ancestors, at.title)
	}
	slices.Reverse(f.Ancestors)
	return f, true, nil
}

// SearchAll searches several spaces and ranks their pages together. Views may be
// views of visitors. If a space occurs twice, the first view is searched. The results
// come after the place at, which is moved behind them; nil: the best ones.
func (s *Index) SearchAll(ctx context.Context, views []*revision.View, query string, limit int, at *searchrows.Place) ([]Found, bool, error) {
	in, err := s.scopesOf(ctx, views, nil)
	if err != nil {
		return nil, false, err
	}
	hits, more, err := s.Store.Search(ctx, in.scopes, query, limit, at)
	if err != nil {
		return nil, false, err
	}
	out, err := s.foundIn(ctx, in, hits)
	return out, more, err
}

// FoundSpace is a space with the pages that answer a query best.
type FoundSpace struct {
	View  *revision.View
	Pages []Found
}

// SearchSpaces is SearchAll for spaces: it returns each space that has a page that answers
// the query once, with its best pages, at most that many. Spaces in first come before all
// others, also without a page.
func (s *Index) SearchSpaces(ctx context.Context, views []*revision.View, first map[docs.SpaceID]bool, query string, limit, pages int, at *searchrows.Place) ([]FoundSpace, bool, error) {
	in, err := s.scopesOf(ctx, views, first)
	if err != nil {
		return nil, false, err
	}
	spaces, more, err := s.Store.SearchScopes(ctx, in.scopes, query, limit, pages, at)
	if err != nil {
		return nil, false, err
	}
	out := make([]FoundSpace, 0, len(spaces))
	for _, sp := range spaces {
		found, err := s.foundIn(ctx, in, sp.Hits)
		if err != nil {
			return nil, false, err
		}
		out = append(out, FoundSpace{in.views[sp.Scope], found})
	}
	return out, more, nil
}

// searched are views as the scopes of a search.
type searched struct {
	views  map[string]*revision.View // by the key of the scope
	scopes []searchrows.Scope
}

// scopesOf returns the scopes of views, without views of the same space.
func (s *Index) scopesOf(ctx context.Context, views []*revision.View, first map[docs.SpaceID]bool) (searched, error) {
	in := searched{views: make(map[string]*revision.View, len(views)), scopes: make([]searchrows.Scope, 0, len(views))}
	for _, v := range views {
		key := string(v.Space.ID)
		if in.views[key] != nil {
			continue
		}
		in.views[key] = v
		chain, err := s.Store.LayerChain(ctx, v.Space.Layer)
		if err != nil {
			return in, err
		}
		in.scopes = append(in.scopes, searchrows.Scope{
			Key: key, Language: v.Space.Language, Layers: chain, First: first[v.Space.ID], See: seenBy(v),
		})
	}
	return in, nil
}

// foundIn returns the results of hits. Hits of pages that do not exist any more are left
// out.
func (s *Index) foundIn(ctx context.Context, in searched, hits []searchrows.Hit) ([]Found, error) {
	out := make([]Found, 0, len(hits))
	for _, h := range hits {
		f, ok, err := s.Found(ctx, in.views[h.Scope], h)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, f)
		}
	}
	return out, nil
}

// maxSpaces is about the maximum number of spaces that VisibleSpaces returns.
const maxSpaces = 5000

// VisibleSpaces returns the newest revisions of the spaces of an organization that the
// caller can see, to be searched.
func (s *Index) VisibleSpaces(ctx context.Context, g *authz.Grant) ([]*revision.View, error) {
	var out []*revision.View
	at := store.Page{Limit: 1000}
	for len(out) < maxSpaces {
		spaces, next, err := s.Store.Spaces(ctx, g.Viewer(), store.SpaceFilter{}, at)
		if err != nil {
			return nil, err
		}
		for _, sp := range spaces {
			v, err := s.Source.Head(ctx, sp.It)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
		if next == nil {
			break
		}
		at.After = next
	}
	return out, nil
}

// seenBy returns a function that returns a page as the visitor of a view sees it, or
// nil for a view of a member. Only sources that may depend on the visitor are parsed.
// Conditional parts are removed from titles again, because indexes of older versions
// of Octavo contain them.
func seenBy(v *revision.View) func(context.Context, searchrows.SeenPage) (searchrows.SeenPage, bool, error) {
	if v.Visitor() == nil {
		return nil
	}
	return func(ctx context.Context, page searchrows.SeenPage) (searchrows.SeenPage, bool, error) {
		p, ok, err := v.Lookup(ctx, docs.PageID(page.ID))
		page.Title = markup.Unconditional(page.Title)
		if err != nil || !ok || p.Body == "" {
			return page, ok, err
		}
		source, err := v.Bytes(ctx, p.Body)
		if err != nil || !reading.MayDependOnVisitor(source) && !slices.ContainsFunc(page.Sections, conditional) {
			return page, true, err
		}
		doc, err := reading.Document(ctx, v.Reading(p), reading.Form{Includes: true})
		if err != nil {
			return page, false, err
		}
		page.Sections = sectionsOf(p, doc)
		return page, true, nil
	}
}

// conditional reports whether a section may contain a condition. The first section
// contains the description, which may have one although the body has none.
func conditional(s search.Section) bool { return markup.Unconditional(s.Body) != s.Body }
