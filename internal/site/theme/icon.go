package theme

import (
	"html/template"

	"github.com/octavo-docs/octavo/internal/cache"
	"github.com/octavo-docs/octavo/internal/markup/icons"
)

// maxIcons is the maximum size of all cached icons, in bytes.
const maxIcons = 512 << 10

// drawnIcons caches icons by name: a site has few, on many pages.
var drawnIcons = cache.New[iconKey](maxIcons, func(svg string) int { return 256 + len(svg) })

type iconKey struct {
	name  string
	style icons.Style
}

// maxIconName is the maximum length of the name of a cached icon.
const maxIconName = 64

// icon returns an icon as an SVG element.
func icon(name string, style icons.Style) string {
	key := iconKey{name, style}
	if svg, ok := drawnIcons.Get(key); ok {
		return svg
	}
	svg := icons.Find(name, style).SVG("icon")
	if len(name) <= maxIconName {
		drawnIcons.Set(key, svg)
	}
	return svg
}

// ourIcon returns an icon of the frame.
func ourIcon(name string) string { return icon(name, icons.Filled) }

// element marks an icon as safe HTML for templates.
func element(svg string) template.HTML { return template.HTML(svg) } //nolint:gosec // a picture of ours
