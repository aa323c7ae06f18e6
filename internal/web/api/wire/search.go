package wire

import (
	"context"

	"github.com/octavo-docs/octavo/internal/content/index"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/store/searchrows"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
)

// PageURLs are the addresses of a page.
type PageURLs struct {
	App string `json:"app" format:"uri"`
}

// PageResult is the JSON form of a page that a search found.
type PageResult struct {
	ID        string          `json:"id"`
	Title     string          `json:"title"`
	About     string          `json:"description"`
	Path      string          `json:"path"`
	Score     float64         `json:"score"`
	Rank      int             `json:"rank" minimum:"1" doc:"The place among all results."`
	Sections  []sectionResult `json:"sections"`
	Ancestors []titleOnly     `json:"ancestors" doc:"The parent pages, from the top down."`
	URLs      PageURLs        `json:"urls"`
}

type sectionResult struct {
	ID    string   `json:"id"`
	Title string   `json:"title"`
	Path  string   `json:"path"`
	Body  string   `json:"body" doc:"The text around the match."`
	Score float64  `json:"score"`
	URLs  PageURLs `json:"urls"`
}

type titleOnly struct {
	Title string `json:"title"`
}

// SpaceResult is the JSON form of a space with the pages that a search found in it.
type SpaceResult struct {
	ID    string       `json:"id"`
	Title string       `json:"title"`
	Type  string       `json:"type" enum:"space"`
	Score float64      `json:"score"`
	Pages []PageResult `json:"pages"`
}

// AboutSpaces describes the results of the searches of several spaces.
const AboutSpaces = "A space comes once, with its best pages: up to 50, and fewer if many spaces are searched. The space with the best page is the first."

// PageResult returns the JSON form of a page that a search found.
func (v *Views) PageResult(f index.Found) PageResult {
	app := v.AppURL(f.View.Space, f.Path)
	w := PageResult{
		ID: string(f.Page), Title: f.Title, About: f.About, Path: f.Path, Score: f.Score, Rank: f.Rank,
		Sections: []sectionResult{}, Ancestors: []titleOnly{}, URLs: PageURLs{app},
	}
	for _, title := range f.Ancestors {
		w.Ancestors = append(w.Ancestors, titleOnly{title})
	}
	for _, s := range f.Sections {
		path, at := f.Path, app
		if s.Anchor != "" {
			path, at = path+"#"+s.Anchor, at+"#"+s.Anchor
		}
		w.Sections = append(w.Sections, sectionResult{ID: SectionID(f.Page, s.Anchor), Title: s.Title, Path: path, Body: s.Snippet, Score: s.Score, URLs: PageURLs{at}})
	}
	return w
}

// SectionID returns the id of a section of a page.
func SectionID(page docs.PageID, anchor string) string {
	if anchor == "" {
		return string(page)
	}
	return string(page) + "#" + anchor
}

// ByPlace returns the results of a search as a list. Its cursors contain what was returned
// before, because there is no key that stays in order while pages are written.
func ByPlace[T any](read func(limit int, at *searchrows.Place) (items []T, more bool, err error)) store.List[T] {
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

// SearchViews answers with the spaces that have pages that answer a query.
func (v *Views) SearchViews(ctx context.Context, p kernel.Paged, query string, open func() ([]*revision.View, error)) (*kernel.Page[SpaceResult], error) {
	return kernel.ListOf(ctx, v.Kernel, p, ByPlace(func(limit int, at *searchrows.Place) ([]index.FoundSpace, bool, error) {
		views, err := open()
		if err != nil {
			return nil, false, err
		}
		return v.content.SearchSpaces(ctx, views, query, limit, at)
	}), v.spaceResult)
}

func (v *Views) spaceResult(f index.FoundSpace) SpaceResult {
	sp := f.View.Space
	out := SpaceResult{ID: string(sp.ID), Title: sp.Title, Type: "space", Score: f.Pages[0].Score, Pages: []PageResult{}}
	for _, p := range f.Pages {
		out.Pages = append(out.Pages, v.PageResult(p))
	}
	return out
}
