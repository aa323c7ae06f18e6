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

// stateOf returns the state of a site.
func (s *shared) stateOf(ctx context.Context, site docs.Site) (*state, error) {
	key := stateKey{site.ID, site.Version}
	if out, ok := s.states.Get(key); ok {
		return out, nil
	}
	out := &state{fonts: map[string]bool{}}
	var err error
	if out.settings, out.overrides, err = s.Sites.Customizations(ctx, site); err != nil {
		return nil, err
	}
	out.noteFonts(out.settings)
	for _, own := range out.overrides {
		out.noteFonts(own)
	}
	s.states.Set(key, out)
	return out, nil
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

// view returns the newest revision of a space.
func (s *shared) view(ctx context.Context, space docs.SpaceID) (*revision.View, error) {
	sp, err := s.Sites.Store.Space(ctx, space)
	if err != nil {
		return nil, err
	}
	return s.Content.Source.Head(ctx, sp.It)
}

// cached returns the edition of a view at an address.
func (s *shared) cached(ctx context.Context, view *revision.View, base string) (*edition.Edition, error) {
	view, err := s.Content.WithComputedPages(ctx, view)
	if err != nil {
		return nil, err
	}
	return s.editions.Get(ctx, view, base)
}
