package api

import (
	"context"
	"strconv"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
)

func (a *API) search() {
	const tag = "Search"
	register(a, op{
		ID: "searchSpaceContent", Route: "GET /spaces/{spaceId}/search", Tag: tag, Allow: authz.Space(authz.ViewSpace),
		Summary: "Pages of a space that answer a query, the best first.",
		About:   "The last word may be the beginning of one; words of five letters and more may be misspelled.",
	}, a.searchSpace)
	register(a, op{
		ID: "searchOrganizationContent", Route: "GET /orgs/{organizationId}/search", Tag: tag, Allow: authz.Org(authz.ViewOrg),
		Summary: "Pages of all spaces that you can see that answer a query, by space.",
	}, a.searchOrganization)
}

type pageResult struct {
	ID        string          `json:"id"`
	Title     string          `json:"title"`
	Path      string          `json:"path"`
	Score     float64         `json:"score"`
	Sections  []sectionResult `json:"sections"`
	Ancestors []titleOnly     `json:"ancestors" doc:"The pages above, from the top down."`
	URLs      pageURLs        `json:"urls"`
}

type sectionResult struct {
	ID    string   `json:"id"`
	Title string   `json:"title"`
	Path  string   `json:"path"`
	Body  string   `json:"body" doc:"The text around what was found."`
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

func (a *API) pageResult(f content.Found) pageResult {
	app := a.appURL(f.View.Space, f.Path)
	w := pageResult{
		ID: string(f.Page), Title: f.Title, Path: f.Path, Score: f.Score,
		Sections: []sectionResult{}, Ancestors: []titleOnly{}, URLs: pageURLs{app},
	}
	for _, title := range f.Ancestors {
		w.Ancestors = append(w.Ancestors, titleOnly{title})
	}
	for _, s := range f.Sections {
		path, at, id := f.Path, app, string(f.Page)
		if s.Anchor != "" {
			path, at, id = path+"#"+s.Anchor, at+"#"+s.Anchor, id+"#"+s.Anchor
		}
		w.Sections = append(w.Sections, sectionResult{ID: id, Title: s.Title, Path: path, Body: s.Snippet, Score: s.Score, URLs: pageURLs{at}})
	}
	return w
}

// Queried is part of the input of a search.
type Queried struct {
	Query string `query:"query" required:"true" minLength:"1" maxLength:"512" doc:"What to look for."`
	Paged
}

// offset reads a cursor: results have no key that is stable, so it is the
// number of those before.
func (a *API) offset(ctx context.Context, p Paged) (int, error) {
	at, err := a.open(ctx, p)
	if err != nil || len(at.After) == 0 {
		return 0, err
	}
	n, err := strconv.Atoi(at.After[0])
	if err != nil {
		return 0, errs.Field("query.page", "is not a cursor of this list; start again without it")
	}
	return n, nil
}

func (a *API) nextOffset(ctx context.Context, p Paged, offset, shown int, more bool) *next {
	if !more || offset+shown > store.MaxSearchOffset {
		return nil
	}
	return a.seal(ctx, p, store.Key{strconv.Itoa(offset + shown)})
}

type searchSpaceIn struct {
	SpaceIn
	Queried
}

func (a *API) searchSpace(ctx context.Context, in *searchSpaceIn) (*page[pageResult], error) {
	offset, err := a.offset(ctx, in.Paged)
	if err != nil {
		return nil, err
	}
	v, err := a.head(ctx)
	if err != nil {
		return nil, err
	}
	found, more, err := a.Content.Search(ctx, v, in.Query, in.Limit, offset)
	if err != nil {
		return nil, err
	}
	out := &page[pageResult]{}
	out.Body.Items = []pageResult{}
	for _, f := range found {
		out.Body.Items = append(out.Body.Items, a.pageResult(f))
	}
	out.Body.Next = a.nextOffset(ctx, in.Paged, offset, in.Limit, more)
	return out, nil
}

type searchOrgIn struct {
	OrgIn
	Queried
}

// searchOrganization groups the best pages by space; a space stands where
// its best page does.
func (a *API) searchOrganization(ctx context.Context, in *searchOrgIn) (*page[spaceResult], error) {
	offset, err := a.offset(ctx, in.Paged)
	if err != nil {
		return nil, err
	}
	found, more, err := a.Content.SearchOrg(ctx, authz.Of(ctx), in.Query, in.Limit, offset)
	if err != nil {
		return nil, err
	}
	out := &page[spaceResult]{}
	out.Body.Items = []spaceResult{}
	at := map[string]int{}
	for _, f := range found {
		sp := f.View.Space
		i, ok := at[string(sp.ID)]
		if !ok {
			i = len(out.Body.Items)
			at[string(sp.ID)] = i
			out.Body.Items = append(out.Body.Items, spaceResult{ID: string(sp.ID), Title: sp.Title, Type: "space", Score: f.Score, Pages: []pageResult{}})
		}
		out.Body.Items[i].Pages = append(out.Body.Items[i].Pages, a.pageResult(f))
	}
	out.Body.Next = a.nextOffset(ctx, in.Paged, offset, in.Limit, more)
	return out, nil
}
