package publish

import (
	"context"

	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/reading"
	"github.com/octavo-docs/octavo/internal/site/customization"
	"github.com/octavo-docs/octavo/internal/site/publish/edition"
)

// stateKey is the cache key of the state of a site.
type stateKey struct {
	site    docs.SiteID
	version int64
}

// state is the part of a site that does not depend on the visitor. It is immutable.
type state struct {
	settings  customization.Settings
	overrides map[docs.SiteItemID]customization.Settings // by site space
	fonts     map[string]bool                            // file names of the fonts that the site uses
}

// weight returns the approximate memory that a state takes, in bytes.
func (s *state) weight() int { return (1 + len(s.overrides)) * settingsWeight }

// settingsWeight is the approximate memory that settings take, in bytes.
const settingsWeight = 8 << 10

// state returns the state of a site.
func (h *Handler) state(ctx context.Context, site docs.Site) (*state, error) {
	key := stateKey{site.ID, site.Version}
	if s, ok := h.states.Get(key); ok {
		return s, nil
	}
	s := &state{}
	var err error
	if s.settings, s.overrides, err = h.Sites.Customizations(ctx, site); err != nil {
		return nil, err
	}
	s.fonts = map[string]bool{}
	s.noteFonts(s.settings)
	for _, own := range s.overrides {
		s.noteFonts(own)
	}
	h.states.Set(key, s)
	return s, nil
}

// seenBy returns the state, filtered by the conditions that a visitor meets.
func (s *state) seenBy(ctx context.Context, reader *reading.Visitor) (*state, error) {
	check := reader.Check(ctx)
	out := &state{settings: s.settings.ForVisitor(check.Holds), overrides: map[docs.SiteItemID]customization.Settings{}, fonts: s.fonts}
	for id, own := range s.overrides {
		out.overrides[id] = own.ForVisitor(check.Holds)
	}
	return out, check.Err
}

// edition returns a site space as the visitor sees it.
func (v *visit) edition(ctx context.Context, it docs.SiteItem) (*edition.Edition, error) {
	return v.out.edition(ctx, v, it)
}

// knownEdition returns the edition of the current site space if it is cached.
func (v *visit) knownEdition() (*edition.Edition, error) {
	view, err := v.h.view(v.ctx, v.target.Space.Space)
	if err == nil {
		view, err = v.h.Content.WithComputedPages(v.ctx, view.For(v.seen.Reader))
	}
	if err != nil {
		return nil, err
	}
	e, _ := v.h.editions.Known(view, v.baseOf(v.target.Space))
	return e, nil
}

// view returns the newest revision of a space.
func (h *Handler) view(ctx context.Context, space docs.SpaceID) (*revision.View, error) {
	sp, err := h.Sites.Store.Space(ctx, space)
	if err != nil {
		return nil, err
	}
	return h.Content.Source.Head(ctx, sp.It)
}

// cached returns the edition of a view at an address.
func (h *Handler) cached(ctx context.Context, view *revision.View, base string) (*edition.Edition, error) {
	view, err := h.Content.WithComputedPages(ctx, view)
	if err != nil {
		return nil, err
	}
	return h.editions.Get(ctx, view, base)
}
