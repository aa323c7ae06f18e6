package publish

import (
	"context"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/index"
	"github.com/octavo-docs/octavo/internal/revision"
	"github.com/octavo-docs/octavo/internal/theme"
)

// maxSearched is how many spaces of a site one search looks into.
const maxSearched = 100

// search looks for pages that the visitor sees: in the space that is shown, and
// in the default space of each other section. Other variants of the same content
// would only repeat what is found.
func (v *visit) search(e *edition, query string) ([]theme.Hit, error) {
	hits := []theme.Hit{}
	if query == "" {
		return hits, nil
	}
	views := []*revision.View{e.view}
	places := map[docs.SpaceID]docs.SiteItem{}
	for _, it := range v.elsewhereSearched() {
		view, err := v.h.view(v.ctx, it.Space)
		if err != nil {
			return nil, err
		}
		if _, twice := places[it.Space]; !twice && it.Space != e.space.ID {
			places[it.Space] = it
			views = append(views, view.For(v.seen.Reader))
		}
	}
	found, _, err := v.h.Content.Index.SearchAll(v.ctx, views, query, maxFound, 0)
	if err != nil {
		return nil, err
	}
	for _, f := range found {
		in := e
		if it, ok := places[f.View.Space.ID]; ok {
			if in, err = v.h.edition(v.ctx, v, it); err != nil {
				return nil, err
			}
			f.Ancestors = append([]string{v.sectionOf(it)}, f.Ancestors...)
		}
		hit, err := in.hit(v.ctx, f)
		if err != nil {
			return nil, err
		}
		if hit.Href != "" {
			hits = append(hits, hit)
		}
	}
	return hits, nil
}

// elsewhereSearched returns the default spaces of the sections that are not shown.
func (v *visit) elsewhereSearched() (out []docs.SiteItem) {
	if v.drafted {
		return nil
	}
	for _, sec := range v.seen.Structure.All(docs.SiteSection) {
		if it, ok := v.seen.Structure.Default(sec.ID); ok && sec.ID != v.target.Section.ID && len(out) < maxSearched-1 {
			out = append(out, it)
		}
	}
	return out
}

// sectionOf returns the title of the section of a site space.
func (v *visit) sectionOf(it docs.SiteItem) string {
	sec, err := v.seen.Structure.Item(docs.SiteSection, it.Parent)
	if err != nil {
		return it.Title
	}
	return sec.Title
}

// hit returns a page that was found as a link. It has no address if the page has
// none.
func (e *edition) hit(ctx context.Context, f index.Found) (h theme.Hit, err error) {
	n, err := e.page(ctx, f.Page)
	if err != nil || n == nil {
		return h, err
	}
	at, err := e.address(ctx, n)
	if err != nil || at == "" {
		return h, err
	}
	h = theme.Hit{Title: f.Title, Where: strings.Join(f.Ancestors, " › "), Href: at}
	if len(f.Sections) > 0 {
		h.Text = f.Sections[0].Snippet
		h.Href += fragment(f.Sections[0].Anchor)
	}
	return h, nil
}
