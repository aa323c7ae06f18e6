package theme

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/octavo-docs/octavo/internal/cache"
)

// defaultPrimary is the primary colour of the style sheet.
const defaultPrimary = "#1a5fb4"

// maxInitials is the maximum size of all cached icons of sites, in bytes.
const maxInitials = 64 << 10

type initialKey struct {
	letter  rune
	primary Tone
}

// initials caches icons: a site has one, and every page needs it.
var initials = cache.New[initialKey](maxInitials, func(icon string) int { return 128 + len(icon) })

// initial returns an icon of a site as the URL of an SVG image: the first letter of the title
// on the primary colour.
func (f *Frame) initial() string {
	key := initialKey{firstLetter(f.Title), f.Colors.Primary}
	if icon, ok := initials.Get(key); ok {
		return icon
	}
	light, _, ok := f.Colors.Primary.parse()
	if !ok {
		light, _ = parseColor(defaultPrimary)
	}
	svg := fmt.Sprintf(`<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'><rect width='32' height='32' rx='7' fill='%s'/>`+
		`<text x='16' y='23' font-family='system-ui,sans-serif' font-size='20' font-weight='700' text-anchor='middle' fill='%s'>%c</text></svg>`, light, light.over(), key.letter)
	icon := "data:image/svg+xml," + strings.NewReplacer("#", "%23", "<", "%3C", ">", "%3E", " ", "%20").Replace(svg)
	initials.Set(key, icon)
	return icon
}

// firstLetter returns the first letter or digit of a title in upper case, or a dot if it has none.
func firstLetter(title string) rune {
	for _, r := range title {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToUpper(r)
		}
	}
	return '•'
}
