package page

import (
	"html"
	"image/color"

	"github.com/octavo-docs/octavo/internal/docs/emoji"
	"github.com/octavo-docs/octavo/internal/site/publish/edition"
	"github.com/octavo-docs/octavo/internal/site/publish/social"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

// defaultColor is the color of pictures of sites without a primary color.
var defaultColor = color.RGBA{26, 95, 180, 255}

// Card returns the content of the preview picture of a page.
func (c *Composer) Card(e *edition.Edition, n *edition.Node) social.Card {
	s := &c.Settings
	card := social.Card{
		Title: n.Title, Site: c.Site.Title, Dark: c.scheme() == theme.Dark,
		RightToLeft: (&theme.Frame{Lang: c.lang(e)}).Direction() == "rtl",
	}
	if s.Title != "" {
		card.Site = s.Title
	}
	if shows(layoutOf(n.Page).Description) {
		card.Description = n.Description
	}
	hex := s.Styling.PrimaryColor.Light
	if card.Dark {
		hex = s.Styling.PrimaryColor.Dark
	}
	card.Color = social.ParseColor(hex, defaultColor)
	return card
}

// CardAddress returns the address of the preview picture of a page. It contains a hash of
// the content, so that it may be cached.
func (c *Composer) CardAddress(e *edition.Edition, n *edition.Node) string {
	return e.Base + sites.OwnPrefix + CardName + string(n.ID) + "/" + c.Card(e, n).Hash() + ".png"
}

// EmojiIcon returns an SVG image of an emoji.
func EmojiIcon(code string) []byte {
	return []byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><text y=".9em" font-size="90">` +
		html.EscapeString(emoji.FromCode(code)) + `</text></svg>`)
}
