package page

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

// State is the part of a site that does not depend on the visitor. It is immutable.
type State struct {
	Settings  customization.Settings
	Overrides map[docs.SiteItemID]customization.Settings // by site space
	Fonts     map[string]bool                            // file names of the fonts that the site uses
}

// weight returns the approximate memory that a state takes, in bytes.
func (s *State) weight() int { return (1 + len(s.Overrides)) * settingsWeight }

// settingsWeight is the approximate memory that settings take, in bytes.
const settingsWeight = 8 << 10

// StateOf returns the state of a site.
func (s *Shared) StateOf(ctx context.Context, site docs.Site) (*State, error) {
	key := stateKey{site.ID, site.Version}
	if out, ok := s.states.Get(key); ok {
		return out, nil
	}
	out := &State{Fonts: map[string]bool{}}
	var err error
	if out.Settings, out.Overrides, err = s.Sites.Settings.Customizations(ctx, site); err != nil {
		return nil, err
	}
	out.noteFonts(out.Settings)
	for _, own := range out.Overrides {
		out.noteFonts(own)
	}
	s.states.Set(key, out)
	return out, nil
}

// SeenBy returns the state, filtered by the conditions that a visitor meets.
func (s *State) SeenBy(ctx context.Context, reader *reading.Visitor) (*State, error) {
	check := reader.Check(ctx)
	out := &State{Settings: s.Settings.ForVisitor(check.Holds), Overrides: map[docs.SiteItemID]customization.Settings{}, Fonts: s.Fonts}
	for id, own := range s.Overrides {
		out.Overrides[id] = own.ForVisitor(check.Holds)
	}
	return out, check.Err
}

// View returns the newest revision of a space.
func (s *Shared) View(ctx context.Context, space docs.SpaceID) (*revision.View, error) {
	sp, err := s.Audience.Space(ctx, space)
	if err != nil {
		return nil, err
	}
	return s.Content.Source.Head(ctx, sp)
}

// Cached returns the edition of a view at an address.
func (s *Shared) Cached(ctx context.Context, view *revision.View, base string) (*edition.Edition, error) {
	view, err := s.Content.WithComputedPages(ctx, view)
	if err != nil {
		return nil, err
	}
	return s.editions.Get(ctx, view, base)
}
