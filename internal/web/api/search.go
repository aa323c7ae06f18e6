package api

import (
	"context"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/index"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/store/searchrows"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
)

func (a *API) search() {
	const tag = "Search"
	kernel.Register(a.Kernel, kernel.Op{
		ID: "searchSpaceContent", Route: "GET /spaces/{spaceId}/search", Tag: tag, Allow: authz.Space(authz.ReadContent),
		Summary: "Search the pages of a space, best matches first.",
		About: "The last word of the query can be incomplete. Words of five or more letters can be misspelled. " +
			"The best ten operations of API references come first, as sections of the computed pages that show them.",
	}, a.searchSpace)
	kernel.Register(a.Kernel, kernel.Op{
		ID: "searchOrganizationContent", Route: "GET /orgs/{organizationId}/search", Tag: tag, Allow: authz.Org(authz.ViewOrg),
		Summary: "Search the pages of all spaces that you can see, grouped by space.",
		About:   aboutSpaces,
	}, a.searchOrganization)
}

// aboutSpaces describes the results of the searches of several spaces.
const aboutSpaces = "A space comes once, with its best pages: up to 50, and fewer if many spaces are searched. The space with the best page is the first."

type pageResult struct {
	ID        string          `json:"id"`
	Title     string          `json:"title"`
	About     string          `json:"description"`
	Path      string          `json:"path"`
	Score     float64         `json:"score"`
	Rank      int             `json:"rank" minimum:"1" doc:"The place among all results."`
	Sections  []sectionResult `json:"sections"`
	Ancestors []titleOnly     `json:"ancestors" doc:"The parent pages, from the top down."`
	URLs      pageURLs        `json:"urls"`
}

type sectionResult struct {
	ID    string   `json:"id"`
	Title string   `json:"title"`
	Path  string   `json:"path"`
	Body  string   `json:"body" doc:"The text around the match."`
	Score float64  `json:"score"`
	URLs  pageURLs `json:"urls"`
}

type titleOnly struct {
	Title string `json:"title"`
}

type spaceResult struct {
	ID    string       `json:"id"`
	Title string       `json:"title"`
	Type  string       `json:"type" enum:"space"`
	Score float64      `json:"score"`
	Pages []pageResult `json:"pages"`
}

func (a *API) pageResult(f index.Found) pageResult {
	app := a.appURL(f.View.Space, f.Path)
	w := pageResult{
		ID: string(f.Page), Title: f.Title, About: f.About, Path: f.Path, Score: f.Score, Rank: f.Rank,
		Sections: []sectionResult{}, Ancestors: []titleOnly{}, URLs: pageURLs{app},
	}
	for _, title := range f.Ancestors {
		w.Ancestors = append(w.Ancestors, titleOnly{title})
	}
	for _, s := range f.Sections {
		path, at := f.Path, app
		if s.Anchor != "" {
			path, at = path+"#"+s.Anchor, at+"#"+s.Anchor
		}
		w.Sections = append(w.Sections, sectionResult{ID: sectionID(f.Page, s.Anchor), Title: s.Title, Path: path, Body: s.Snippet, Score: s.Score, URLs: pageURLs{at}})
	}
	return w
}

// sectionID returns the id of a section of a page.
func sectionID(page docs.PageID, anchor string) string {
	if anchor == "" {
		return string(page)
	}
	return string(page) + "#" + anchor
}

// Queried is part of the input of a search.
type Queried struct {
	Query string `query:"query" required:"true" minLength:"1" maxLength:"512" doc:"The words to search for."`
	kernel.Paged
}

type searchSpaceIn struct {
	SpaceIn
	Queried
}

func (a *API) searchSpace(ctx context.Context, in *searchSpaceIn) (*kernel.Page[pageResult], error) {
	v, err := a.head(ctx)
	if err != nil {
		return nil, err
	}
	return kernel.ListOf(ctx, a.Kernel, in.Paged, byPlace(func(limit int, at *searchrows.Place) ([]index.Found, bool, error) {
		return a.Content.Search(ctx, []*revision.View{v}, in.Query, limit, at)
	}), a.pageResult)
}

// byPlace returns the results of a search as a list. Its cursors contain what was returned
// before, because there is no key that stays in order while pages are written.
func byPlace[T any](read func(limit int, at *searchrows.Place) (items []T, more bool, err error)) store.List[T] {
	return store.List[T]{Page: func(_ context.Context, p store.Page) ([]T, store.Key, error) {
		at, err := searchrows.PlaceOf(p.After)
		if err != nil {
			return nil, nil, err
		}
		items, more, err := read(p.Limit, at)
		if err != nil || !more {
			return items, nil, err
		}
		return items, at.Key(), nil
	}}
}

type searchOrgIn struct {
	OrgIn
	Queried
}

func (a *API) searchOrganization(ctx context.Context, in *searchOrgIn) (*kernel.Page[spaceResult], error) {
	return a.searchViews(ctx, in.Paged, in.Query, func() ([]*revision.View, error) {
		return a.Content.Index.VisibleSpaces(ctx, authz.FromContext(ctx))
	})
}

// searchViews answers with the spaces that have pages that answer a query.
func (a *API) searchViews(ctx context.Context, p kernel.Paged, query string, open func() ([]*revision.View, error)) (*kernel.Page[spaceResult], error) {
	return kernel.ListOf(ctx, a.Kernel, p, byPlace(func(limit int, at *searchrows.Place) ([]index.FoundSpace, bool, error) {
		views, err := open()
		if err != nil {
			return nil, false, err
		}
		return a.Content.SearchSpaces(ctx, views, query, limit, at)
	}), a.spaceResult)
}

func (a *API) spaceResult(f index.FoundSpace) spaceResult {
	sp := f.View.Space
	out := spaceResult{ID: string(sp.ID), Title: sp.Title, Type: "space", Score: f.Pages[0].Score, Pages: []pageResult{}}
	for _, p := range f.Pages {
		out.Pages = append(out.Pages, a.pageResult(p))
	}
	return out
}
