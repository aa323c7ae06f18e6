package publish

import (
	"context"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/reading"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

// Limit sets the number of pages in a sitemap and in a part of llms-full.txt, so that a
// small site counts as large in tests.
func (h *Handler) Limit(pages int) { h.Pages.MaxListed, h.Pages.FullPages = pages, pages }

// Rendered returns the number of page texts that were rendered.
func (h *Handler) Rendered() int64 { return h.Pages.Rendered() }

// Navigation returns the first entry of the navigation, which all pages of a space share.
func (h *Handler) Navigation(ctx context.Context, space docs.SpaceID) (*theme.Link, error) {
	view, err := h.Pages.View(ctx, space)
	if err != nil {
		return nil, err
	}
	e, err := h.Pages.Cached(ctx, view.For(reading.Nobody), "/")
	if err != nil {
		return nil, err
	}
	links, err := e.Below(ctx, nil)
	if err != nil {
		return nil, err
	}
	return links[0], nil
}
