package content

import (
	"cmp"
	"context"
	"slices"

	"github.com/octavo-docs/octavo/internal/content/index"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/openapi"
	"github.com/octavo-docs/octavo/internal/openapi/apidoc"
	"github.com/octavo-docs/octavo/internal/store/searchrows"
)

const (
	// maxComputedMatches is the maximum number of operations and other parts of computed
	// pages that a search returns.
	maxComputedMatches = 10
	// maxSearchedReferences is the maximum number of spaces whose computed pages one search
	// examines. They are made for it unless they are cached.
	maxSearchedReferences = 50
)

// Search searches the pages of spaces of one organization, as index.SearchAll does. The
// best matches on computed pages, which are in no index, come first. Views may be those
// of visitors. It reports whether there are more results behind these. The results are those
// behind the place at, which is moved behind them; nil: the best ones.
func (s *Service) Search(ctx context.Context, views []*revision.View, query string, limit int, at *searchrows.Place) ([]index.Found, bool, error) {
	if at == nil {
		at = &searchrows.Place{}
	}
	computed, err := s.searchComputed(ctx, views, query)
	if err != nil {
		return nil, false, err
	}
	computed = slices.DeleteFunc(computed, func(f index.Found) bool { return at.Has(string(f.View.Space.ID), string(f.Page)) })
	out := slices.Clone(computed[:min(limit, len(computed))])
	for _, f := range out {
		at.Add(string(f.View.Space.ID), string(f.Page))
	}
	pages, more, err := s.Index.SearchAll(ctx, views, query, limit-len(out), at)
	out = append(out, pages...)
	for i := range out {
		out[i].Rank = at.AddPage()
	}
	return out, more || len(computed) > limit, err
}

// Limits of the pages of one answer of SearchSpaces: of a space, and of all spaces together
// unless more spaces than that are asked for.
const (
	maxFoundPages   = 50
	maxPagesInTotal = 200
)

// SearchSpaces is Search for spaces. It returns each space that has a page that answers the
// query once, with its best pages: the more spaces there can be, the fewer pages of each.
// The rank of a page is its place among the pages of all returned spaces.
func (s *Service) SearchSpaces(ctx context.Context, views []*revision.View, query string, limit int, at *searchrows.Place) ([]index.FoundSpace, bool, error) {
	computed, err := s.searchComputed(ctx, views, query)
	if err != nil {
		return nil, false, err
	}
	of := map[docs.SpaceID][]index.Found{}
	first := map[docs.SpaceID]bool{}
	var order []*revision.View // those with computed pages first, the best first
	for _, f := range computed {
		if id := f.View.Space.ID; !first[id] {
			first[id] = true
			i := slices.IndexFunc(views, func(v *revision.View) bool { return v.Space.ID == id })
			order = append(order, views[i])
		}
		of[f.View.Space.ID] = append(of[f.View.Space.ID], f)
	}
	order = append(order, views...)
	pages := max(1, min(maxFoundPages, max(maxPagesInTotal, limit)/max(1, min(limit, len(views)))))
	out, more, err := s.Index.SearchSpaces(ctx, order, first, query, limit, pages, at)
	if err != nil {
		return nil, false, err
	}
	var all []*index.Found
	for i, sp := range out {
		out[i].Pages = append(of[sp.View.Space.ID], sp.Pages...)
		for k := range out[i].Pages {
			all = append(all, &out[i].Pages[k])
		}
	}
	slices.SortStableFunc(all, func(a, b *index.Found) int {
		if a.Computed != b.Computed {
			if a.Computed {
				return -1
			}
			return 1
		}
		return cmp.Compare(b.Score, a.Score)
	})
	for _, f := range all {
		f.Rank = at.AddPage()
	}
	return slices.DeleteFunc(out, func(sp index.FoundSpace) bool { return len(sp.Pages) == 0 }), more, nil
}

// reference is the computed pages of a description in one place.
type reference struct {
	d          *openapi.Description
	first      docs.PageID      // who sees this page sees all
	operations map[string]place // by apidoc.OperationKey
	others     []titledPage     // pages that are not about one operation
}

// place is where an operation is shown.
type place struct {
	page   docs.PageID
	anchor string
}

type titledPage struct {
	page         docs.PageID
	title, about string
}

// newReference returns the pages of a description in the place of a page.
func newReference(d *openapi.Description, at docs.PageID, pages []*apidoc.ReferencePage) reference {
	r := reference{d: d, operations: map[string]place{}}
	if len(pages) > 0 {
		r.first = revision.ComputedID(at, pages[0].Key)
	}
	r.add(at, pages)
	return r
}

func (r *reference) add(at docs.PageID, pages []*apidoc.ReferencePage) {
	for _, p := range pages {
		id := revision.ComputedID(at, p.Key)
		for _, o := range p.Operations {
			where := place{page: id}
			if !p.Alone {
				where.anchor = markup.Slug(o.Title())
			}
			if key := apidoc.OperationKey(o); r.operations[key].page == "" {
				r.operations[key] = where
			}
		}
		if !p.Alone && p.Link == "" {
			r.others = append(r.others, titledPage{id, p.Title, p.Description + "\n" + p.Text})
		}
		r.add(at, p.Below)
	}
}

// computedMatch is an operation on a computed page, or the page itself, that answers
// a query.
type computedMatch struct {
	view      *revision.View
	place     place
	operation *openapi.Operation // nil: the title or the description answers
	score     int
}

// find returns the best matches in a reference, the best operations first.
func (r *reference) find(v *revision.View, query string) (out []computedMatch) {
	for _, m := range r.d.Find(query, maxComputedMatches) {
		if at, ok := r.operations[apidoc.OperationKey(m.Operation)]; ok {
			out = append(out, computedMatch{v, at, m.Operation, m.Score})
		}
	}
	for _, p := range r.others {
		if score := openapi.MatchTitle(query, p.title, p.about); score > 0 {
			out = append(out, computedMatch{v, place{page: p.page}, nil, score})
		}
	}
	return out
}

// searchComputed returns the computed pages that answer a query, the best first. A page
// with several operations is found once, with a section for each of them.
func (s *Service) searchComputed(ctx context.Context, views []*revision.View, query string) ([]index.Found, error) {
	if s.Specs == nil || len(views) == 0 {
		return nil, nil
	}
	if n, err := s.Store.CountOpenAPISpecs(ctx, views[0].Space.Org); err != nil || n == 0 {
		return nil, err
	}
	var all []computedMatch
	known := map[docs.SpaceID]bool{}
	searched := 0
	for _, v := range views {
		if known[v.Space.ID] {
			continue
		}
		known[v.Space.ID] = true
		kept, err := s.expanded(ctx, v)
		if err != nil {
			return nil, err
		}
		if len(kept.references) == 0 {
			continue
		}
		found, err := kept.find(ctx, kept.View.ComputedIn(v), query)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
		if searched++; searched == maxSearchedReferences {
			break
		}
	}
	slices.SortStableFunc(all, func(a, b computedMatch) int { return cmp.Compare(b.score, a.score) })
	return s.foundComputed(ctx, all[:min(len(all), maxComputedMatches)])
}

// find searches the references that the visitor of a view sees. Hidden pages are not found.
func (x *expandedView) find(ctx context.Context, v *revision.View, query string) ([]computedMatch, error) {
	var out []computedMatch
	known := map[*openapi.Operation]bool{} // a description may be shown in several places
	for _, r := range x.references {
		first, ok, err := v.Lookup(ctx, r.first)
		if err != nil {
			return nil, err
		}
		if !ok || first.Hidden || first.NoIndex {
			continue
		}
		for _, m := range r.find(v, query) {
			if m.operation == nil || !known[m.operation] {
				out = append(out, m)
			}
			known[m.operation] = true
		}
	}
	return out, nil
}

// foundComputed returns matches as search results.
func (s *Service) foundComputed(ctx context.Context, all []computedMatch) ([]index.Found, error) {
	var out []index.Found
	for _, m := range all {
		i := slices.IndexFunc(out, func(f index.Found) bool { return f.Page == m.place.page && f.View.Space.ID == m.view.Space.ID })
		if i < 0 {
			f, ok, err := s.Index.Found(ctx, m.view, searchrows.Hit{Page: string(m.place.page), Score: float64(m.score)})
			if err != nil {
				return nil, err
			}
			if !ok {
				continue
			}
			i = len(out)
			f.Computed = true
			out = append(out, f)
		}
		if o := m.operation; o != nil {
			out[i].Sections = append(out[i].Sections, searchrows.Section{
				Anchor: m.place.anchor, Title: o.Title(), Snippet: o.Method + " " + o.Path, Score: float64(m.score),
			})
		}
	}
	return out, nil
}
