package publish

import (
	"context"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/reading"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

// The first part has the name of the whole file, and no part has two names.
func TestFullParts(t *testing.T) {
	for name, want := range map[string]int{
		"llms-full.txt": 1, "llms-full.txt/2": 2, "llms-full.txt/10": 10,
		"llms-full.txt/1": 0, "llms-full.txt/0": 0, "llms-full.txt/": 0, "llms-full.txt/+2": 0, "llms-full.txt/2/": 0, "llms-full.txt/999999999": 0, "llms.txt": 0,
	} {
		if part, ok := fullPart(name); ok != (want > 0) || ok && part != want {
			t.Errorf("%s is part %d, %t", name, part, ok)
		}
	}
}

// Limit sets the number of pages in a sitemap and in a part of llms-full.txt, so that a
// small site counts as large in tests.
func (h *Handler) Limit(pages int) { h.pages.maxListed, h.pages.fullPages = pages, pages }

// Rendered returns the number of page texts that were rendered.
func (h *Handler) Rendered() int64 { return h.pages.texts.made.Load() }

// Navigation returns the first entry of the navigation, which all pages of a space share.
func (h *Handler) Navigation(ctx context.Context, space docs.SpaceID) (*theme.Link, error) {
	view, err := h.pages.view(ctx, space)
	if err != nil {
		return nil, err
	}
	e, err := h.pages.cached(ctx, view.For(reading.Nobody), "/")
	if err != nil {
		return nil, err
	}
	links, err := e.Below(ctx, nil)
	if err != nil {
		return nil, err
	}
	return links[0], nil
}

func TestSitemapsEscape(t *testing.T) {
	m := newSitemap("urlset")
	m.add("url", "https://a.test/?a&b<c>", 0)
	if got := string(m.end()); !strings.Contains(got, "<url><loc>https://a.test/?a&amp;b&lt;c&gt;</loc></url>") {
		t.Error(got)
	}
}
