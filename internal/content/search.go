package content

import (
	"context"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
)

// Found is a page that answers a query.
type Found struct {
	View      *View
	Page      docs.Page
	Path      string
	Ancestors []docs.Page // from the top down
	Score     float64
	Sections  []store.SearchSection
}

// Search looks for pages in a space.
func (s *Service) Search(ctx context.Context, v *View, query string, limit, offset int) ([]Found, bool, error) {
	return s.searchIn(ctx, map[string]*View{string(v.Space.ID): v}, []*View{v}, query, limit, offset)
}

// maxSearched is how many spaces of an organization one search looks into.
const maxSearched = 5000

// SearchOrg looks for pages in all spaces of an organization that the caller
// can see.
func (s *Service) SearchOrg(ctx context.Context, g *authz.Grant, query string, limit, offset int) ([]Found, bool, error) {
	views := map[string]*View{}
	var all []*View
	at := store.Page{Limit: 1000}
	for len(all) < maxSearched {
		spaces, next, err := s.Store.Spaces(ctx, g.Viewer(), store.SpaceFilter{}, at)
		if err != nil {
			return nil, false, err
		}
		for _, sp := range spaces {
			v, err := s.Head(ctx, sp.It)
			if err != nil {
				return nil, false, err
			}
			views[string(sp.It.ID)] = v
			all = append(all, v)
		}
		if next == nil {
			break
		}
		at.After = next
	}
	return s.searchIn(ctx, views, all, query, limit, offset)
}

func (s *Service) searchIn(ctx context.Context, views map[string]*View, order []*View, query string, limit, offset int) ([]Found, bool, error) {
	scopes := make([]store.SearchScope, 0, len(order))
	for _, v := range order {
		chain, err := s.Store.LayerChain(ctx, v.Space.Layer)
		if err != nil {
			return nil, false, err
		}
		scopes = append(scopes, store.SearchScope{Key: string(v.Space.ID), Language: v.Space.Language, Layers: chain})
	}
	hits, more, err := s.Store.Search(ctx, scopes, query, limit, offset)
	if err != nil {
		return nil, false, err
	}
	out := make([]Found, 0, len(hits))
	for _, h := range hits {
		v := views[h.Scope]
		p, err := v.Page(ctx, docs.PageID(h.Page))
		if errs.Is(err, errs.NotFound) {
			continue // changed between the two reads
		}
		if err != nil {
			return nil, false, err
		}
		up, err := v.Ancestors(ctx, p)
		if err != nil {
			return nil, false, err
		}
		f := Found{View: v, Page: p, Path: p.Slug, Score: h.Score, Sections: h.Sections, Ancestors: make([]docs.Page, len(up))}
		for i, a := range up {
			f.Path = a.Slug + "/" + f.Path
			f.Ancestors[len(up)-1-i] = a
		}
		out = append(out, f)
	}
	return out, more, nil
}
